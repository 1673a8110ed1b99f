//! Any text as a rate trace, and two flows over a link that follows it: the rules of the property test, driven by
//! coverage.
//!
//! `cargo +nightly fuzz run trace` in `crates/vegas-sim`.
#![no_main]

#[path = "../../tests/support/traces.rs"]
mod traces;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    traces::check(text);
});
