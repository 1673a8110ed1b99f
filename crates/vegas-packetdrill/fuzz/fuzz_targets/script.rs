//! Any text as a packetdrill script on the simulated hosts: the rules of the property test, driven by coverage.
//!
//! `cargo +nightly fuzz run script` in `crates/vegas-packetdrill`.
#![no_main]

#[path = "../../tests/support/any_text.rs"]
mod any_text;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    any_text::check(text);
});
