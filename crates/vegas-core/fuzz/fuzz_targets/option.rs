//! Any packet: the rules of the option's property test, driven by coverage.
//!
//! Run it from `crates/vegas-core` with `cargo +nightly fuzz run option`.
//!
//! The first bytes are what a router adds; the rest is the packet.

#![no_main]

#[path = "../../tests/support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use support::packets::check;
use vegas_core::units::Span;

fuzz_target!(|bytes: &[u8]| {
    let Some((waited, packet)) = bytes.split_first_chunk() else { return };
    check(packet, Span::from_nanos(u64::from_le_bytes(*waited)));
});
