//! What quinn's own controllers do, case by case; or, with names of presets, what this project's do by quinn.
//!
//!     cargo run --release -p vegas-conform --example quinn
//!     cargo run --release -p vegas-conform --example quinn -- reno bbr3

use std::process::ExitCode;
use std::sync::Arc;

use quinn_proto::congestion::{BbrConfig, CubicConfig, NewRenoConfig};
use vegas_conform::{Quinn, quinn, write};

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let presets: Option<Vec<Quinn>> = names.iter().map(|name| Quinn::preset(name)).collect();
    let subjects = match presets {
        None => {
            eprintln!("{names:?}: a name that is no preset which quinn can carry");
            return ExitCode::from(2);
        }
        Some(presets) if presets.is_empty() => quinns(),
        Some(presets) => presets,
    };
    let reports: Vec<_> = subjects.iter().map(Quinn::run).collect();
    reports.iter().for_each(|report| println!("{}", write::text(report)));
    if reports.iter().all(vegas_conform::Report::passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A project has its own factory here.
fn quinns() -> Vec<Quinn> {
    vec![
        quinn("quinn-cubic", || Arc::new(CubicConfig::default())),
        quinn("quinn-newreno", || Arc::new(NewRenoConfig::default())),
        quinn("quinn-bbr", || Arc::new(BbrConfig::default())),
    ]
}
