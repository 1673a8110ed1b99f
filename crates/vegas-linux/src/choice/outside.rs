//! The algorithm from outside that the build was given (`make linux OWN=FILE`), as scenarios name it:
//! `algorithm = { rust = "NAME" }`. The kernel has its own copy, step [`crate::abi::OWN`].

use std::path::Path;
use std::sync::Arc;

use vegas_core::{Controller, HostCapabilities, Needs, OwnAlgorithm, Parameters};
use vegas_sim::scenario::{Language, Loaded, Loader, OnDisk, Program, Scenario};
use vegas_sim::{Limits, Watch};

use crate::Error;

#[cfg(vegas_own)]
include!(concat!(env!("OUT_DIR"), "/own.rs"));

/// The algorithm that the build was given; none: it was given none.
#[cfg(vegas_own)]
pub const OUTSIDE: Option<Outside> = Some(Outside::of::<Given>(GIVEN_SOURCE));
/// The algorithm that the build was given; none: it was given none.
#[cfg(not(vegas_own))]
pub const OUTSIDE: Option<Outside> = None;

/// What the kernel's glue tells and does (`kernel/vegas.bpf.c`). The simulator's host `linux` gives all that algorithms
/// ask for.
pub(crate) const KERNEL: HostCapabilities = HostCapabilities {
    name: "the kernel",
    gives: Needs {
        sent: false,
        one_way_delay: false,
        each_loss: false,
        accurate_ecn: false,
        ect1: false,
        ..HostCapabilities::LINUX.gives
    },
    ..HostCapabilities::LINUX
};

/// An algorithm from outside.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    /// What scenarios call it.
    pub name: &'static str,
    needs: Needs,
    start: fn(&Parameters, u64) -> Controller,
    source: &'static str,
}

impl Outside {
    /// `source` tells one version of it from another.
    #[cfg_attr(not(vegas_own), expect(dead_code, reason = "the build was given no algorithm"))]
    const fn of<A: OwnAlgorithm>(source: &'static str) -> Self {
        Outside {
            name: A::NAME,
            needs: A::NEEDS,
            start: |parameters, seed| Controller::boxed(A::start(parameters, seed), 0),
            source,
        }
    }
}

impl Program for Outside {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn start(&self, parameters: &Parameters, seed: u64) -> Controller {
        (self.start)(parameters, seed)
    }
}

/// Loads the algorithm that the build was given, and no other: the kernel runs what was compiled for it.
#[derive(Debug)]
struct Built;

impl Loader for Built {
    fn load(&self, language: Language, name: &str, _: &Path) -> Result<Loaded, String> {
        const REMEDY: &str = "make linux OWN=FILE builds one in: docs/own-algorithm.md";
        match (language, OUTSIDE) {
            (Language::Rust, Some(own)) if own.name == name => {
                Ok(Loaded { name: name.into(), content: own.source.into(), program: Arc::new(own) })
            }
            (Language::Rust, Some(own)) => Err(format!("{name}: this program has {} only; {REMEDY}", own.name)),
            (Language::Rust, None) => Err(format!("{name}: this program has no algorithm from outside; {REMEDY}")),
            _ => Err(format!("{name}: the kernel takes algorithms in Rust, none in {}; {REMEDY}", language.key())),
        }
    }
}

/// Reads a scenario in which a flow's algorithm may be the one from outside. `source` is the file's name.
pub fn read(text: &str, source: &str, is_json: bool, sets: &[(String, String)]) -> Result<Scenario, Error> {
    let folder = OnDisk::of(source).with_loader(Arc::new(Built));
    let (limits, mut stop) = (Limits::default(), |_| None);
    let watch = &mut Watch::new(limits, &mut stop);
    let read = if is_json { Scenario::read_json_in } else { Scenario::read_toml_in };
    read(&folder, text, source, sets, watch).map_err(|error| Error(error.to_string()))
}
