//! Any bytes as a capture or a log: the rules of the property test, driven by coverage.
//!
//! `cargo +nightly fuzz run measurement` in `crates/vegas-measured`.
#![no_main]

#[path = "../../tests/support/any_file.rs"]
mod any_file;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    any_file::check(bytes);
});
