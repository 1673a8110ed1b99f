//! The engine's promises: what a run measures, holds and repeats, on any network and with any algorithm.

mod bursts;
mod carrier;
mod fed_ahead;
mod idle_flow;
#[cfg(target_os = "linux")]
mod memory;
mod own;
mod properties;
mod totals;
