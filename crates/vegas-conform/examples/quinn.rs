//! The verdicts of quinn's own controllers, case by case; or, with names of presets, of this project's controllers in
//! quinn.
//!
//!     cargo run --release -p vegas-conform --features quinn --example quinn
//!     cargo run --release -p vegas-conform --features quinn --example quinn -- reno bbr3
//!     cargo run --release -p vegas-conform --features quinn --example quinn -- --draft bbr3    the BBR draft's cases

use std::process::ExitCode;
use std::sync::Arc;

use quinn_proto::congestion::{BbrConfig, CubicConfig, NewRenoConfig};
use vegas_conform::{Quic, cases, grid, quinn, write};

fn main() -> ExitCode {
    let (flags, names): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let cases = if flags.is_empty() { cases::generic() } else { cases::bbr() };
    let presets: Option<Vec<Quic>> = names.iter().map(|name| Quic::preset(name)).collect();
    let subjects = match presets {
        None => {
            eprintln!("{names:?}: a name that is no preset which quinn can carry");
            return ExitCode::from(2);
        }
        Some(presets) if presets.is_empty() => quinns(),
        Some(presets) => presets,
    };
    let reports: Vec<_> = subjects.iter().map(|subject| subject.run_cases(cases, &grid::QUIC)).collect();
    reports.iter().for_each(|report| println!("{}", write::text(report)));
    if reports.iter().all(vegas_conform::Report::passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A project has its own factory here.
fn quinns() -> Vec<Quic> {
    vec![
        quinn("quinn-cubic", || Arc::new(CubicConfig::default())),
        quinn("quinn-newreno", || Arc::new(NewRenoConfig::default())),
        quinn("quinn-bbr", || Arc::new(BbrConfig::default())),
    ]
}
