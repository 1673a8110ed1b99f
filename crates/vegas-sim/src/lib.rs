//! A deterministic packet-level simulator for TCP congestion control.
#![forbid(unsafe_code)]
pub mod outcome;
pub mod results;
pub mod scenario;
