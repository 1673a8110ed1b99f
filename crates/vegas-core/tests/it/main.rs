//! Tests of the crate through its interface, as one program.

mod base_rtt;
mod conformance;
mod golden;
mod option;
mod pages;
mod rate;
mod rooms;
mod standalone;
#[path = "../support/mod.rs"]
mod support;
