//! Copies of vegas-core's bbr3 with one wrong line each (`table.rs`), which the conformance kit's tests load as
//! algorithms from outside. `build.rs` writes them; `docs/conformance.md` gives the reason for this design.

#![allow(dead_code, unused_imports, unreachable_pub, missing_docs, reason = "copies use a part of what they have")]
#![allow(clippy::all, reason = "wrong lines read oddly")]

use std::path::Path;
use std::sync::Arc;

use vegas_core::{CongestionControl, Controller, Needs, Parameters};
use vegas_sim::scenario::{Language, Loaded, Loader, Program};

include!("table.rs");
include!(concat!(env!("OUT_DIR"), "/copies.rs"));

type Start = fn(&Parameters, u64) -> Controller;

macro_rules! starts {
    () => {
        pub(crate) fn start(parameters: &vegas_core::Parameters, seed: u64) -> vegas_core::Controller {
            vegas_core::Controller::boxed(bbr3::Bbr3::start(parameters, seed), 0)
        }
    };
}
pub(crate) use starts;

/// The items that the copies import where vegas-core has them.
mod composition {
    pub(crate) use vegas_core::Host;

    pub(crate) mod bases {
        pub(crate) const RENO_PARAMETERS: () = ();
        pub(crate) const SACK: () = ();
    }
    pub(crate) mod parts {
        pub(crate) mod part {
            /// Only the kernel's copy does more here.
            pub(crate) fn anew<T>(state: &mut T) -> &mut T {
                state
            }
        }
    }
}
mod contract {
    pub(crate) use vegas_core::{
        Ack, CongestionControl, Loss, LossKind, LostSegment, Needs, Output, Phase, RateSample, Restart, Sent, Status,
    };

    pub(crate) mod parameters {
        pub(crate) use vegas_core::Parameters;
    }
}
mod units {
    pub(crate) use vegas_core::units::{Bytes, Pace, Segments, SendIndex, Span, Time, Window};

    pub(crate) const fn product(one: u64, other: u64) -> u64 {
        one.saturating_mul(other)
    }
}
mod reno {
    pub(crate) mod reno_window {
        use vegas_core::units::Span;

        pub(crate) fn micros(span: Span) -> u32 {
            u32::try_from(span.as_nanos() / 1_000).unwrap_or(u32::MAX - 1).clamp(1, u32::MAX - 1)
        }
    }
}

/// Loads the copies: `as-it-is`, and the mutants by the names of their cases.
#[derive(Debug)]
pub struct Copies;

impl Loader for Copies {
    fn load(&self, _language: Language, name: &str, _folder: &Path) -> Result<Loaded, String> {
        let place = MUTANTS.iter().position(|mutant| mutant.case == name).map_or(0, |place| place + 1);
        let program = Arc::new(Copy { start: STARTS[place] });
        Ok(Loaded { name: name.into(), content: name.into(), program })
    }
}

struct Copy {
    start: Start,
}

impl std::fmt::Debug for Copy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Copy")
    }
}

impl Program for Copy {
    fn needs(&self) -> Needs {
        vegas_core::Standalone::Bbr3.needs()
    }

    fn start(&self, parameters: &Parameters, seed: u64) -> Controller {
        (self.start)(parameters, seed)
    }
}
