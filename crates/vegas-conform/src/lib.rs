//! A conformance kit for congestion controls: cases on simulated networks, each with a verdict (`docs/conformance.md`).
//!
//! A [`Case`] is a scenario and a judge. A [`Subject`] is the judged control: anything that can run a scenario's first
//! flow and report its observations. [`conform`] plays the cases at the points of a [grid] and returns a [`Report`],
//! which the modules of [`mod@write`] turn into files.
//!
//! ```
//! use vegas_conform::{Preset, cases, conform, grid};
//!
//! let subject = Preset::named("bbr3").unwrap();
//! let report = conform(&subject, &cases::bbr()[..1], &[grid::REFERENCE], 1);
//! assert!(report.passed(), "{report:?}");
//! ```

#![forbid(unsafe_code)]

mod case;
pub mod cases;
pub mod grid;
mod network;
mod observed;
mod play;
#[cfg(feature = "quinn")]
mod quic;
mod report;
mod simulated;
pub mod write;

pub use case::{Case, Evidence, Judge, Judged, Miss, Stage, Verdict};
pub use grid::Point;
pub use network::{Detour, Network};
pub use observed::{Answer, Inside, LossAt, Moment, Observed, Recorder, SENT_MOST, State, Totals, UNBOUNDED};
pub use play::conform;
#[cfg(feature = "s2n")]
pub use quic::s2n;
#[cfg(feature = "quinn")]
pub use quic::{Quic, Tells, quinn};
pub use report::{Finding, Report, shown};
pub use simulated::{Preset, Subject, Watched};
