//! Any composition, any events: the rules of the conformance suite, driven by coverage.
//!
//! Run it from `crates/vegas-core` with `cargo +nightly fuzz run events`.
//!
//! The first bytes choose the algorithm and whether the host keeps the contract; the rest are its events.

#![no_main]

#[path = "../../tests/support/mod.rs"]
mod support;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use support::compositions::algorithms;
use support::events::{Host, events_from_bytes};
use support::rules::check;
use vegas_core::Algorithm;

static ALGORITHMS: LazyLock<Vec<Algorithm>> = LazyLock::new(algorithms);

fuzz_target!(|bytes: &[u8]| {
    let Some((&[low, high, host], events)) = bytes.split_first_chunk() else { return };
    let choice = usize::from(u16::from_le_bytes([low, high])) % ALGORITHMS.len();
    let host = if host & 1 == 0 { Host::Honest } else { Host::Hostile };
    check(&ALGORITHMS[choice], &events_from_bytes(events, host), host);
});
