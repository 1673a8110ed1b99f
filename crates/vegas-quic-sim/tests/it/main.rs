//! Tests of the crate through its interface, as one program.

mod applications;
mod endurance;
mod flows;
#[cfg(target_os = "linux")]
#[path = "../../../vegas-sim/tests/support/growth.rs"]
mod growth;
mod incidents;
mod media;
#[cfg(target_os = "linux")]
mod memory;
mod networks;
mod reordering;
mod support;
mod transfers;
