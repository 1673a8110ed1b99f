//! Any bytes as a scenario file. A first line `KEY=VALUE` behind `--set ` is an override.
//!
//! `cargo +nightly fuzz run scenario fuzz/corpus/scenario ../../scenarios` in `crates/vegas-sim`.
#![no_main]

#[path = "../../tests/support/parser.rs"]
mod parser;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match first.strip_prefix("--set ").and_then(|set| set.split_once('=')) {
        Some((key, value)) => parser::check(rest, &[(key.to_string(), value.to_string())]),
        None => parser::check(text, &[]),
    };
});
