//! The generic cases for every preset, by the simulator's TCP and by QUIC, and for quinn's own controllers: the tables
//! of `docs/conformance-quinn.md`.
//!
//!     cargo run -p vegas-conform --features quinn --example generic

use std::sync::Arc;

use quinn_proto::congestion::{BbrConfig, CubicConfig, NewRenoConfig};
use vegas_conform::{Preset, Quic, Subject, Verdict, cases, conform, grid, quinn};

fn main() {
    let names = vegas_core::registry::PRESETS.iter().map(|preset| preset.name);
    let tcp = names.clone().filter_map(Preset::named);
    table("TCP", &tcp.map(|subject| Box::new(subject) as Box<dyn Subject>).collect::<Vec<_>>());
    let mut quic: Vec<Quic> = vec![
        quinn("quinn's CUBIC", || Arc::new(CubicConfig::default())),
        quinn("quinn's NewReno", || Arc::new(NewRenoConfig::default())),
        quinn("quinn's BBR", || Arc::new(BbrConfig::default())),
    ];
    quic.extend(names.filter_map(Quic::preset));
    table("QUIC", &quic.into_iter().map(|subject| Box::new(subject) as Box<dyn Subject>).collect::<Vec<_>>());
}

/// Prints a row for each subject and a column for each case, at the first point for QUIC.
fn table(transport: &str, subjects: &[Box<dyn Subject>]) {
    let titles: Vec<_> = cases::generic().iter().map(|case| format!("`{}`", case.name)).collect();
    println!("| {transport} | {} |\n|---|{}", titles.join(" | "), "---|".repeat(titles.len()));
    for subject in subjects {
        let report = conform(subject.as_ref(), cases::generic(), &grid::QUIC[..1], 2);
        let cells: Vec<_> = report.findings.iter().map(|finding| cell(&finding.verdict)).collect();
        println!("| {} | {} |", subject.name(), cells.join(" | "));
    }
    println!();
}

/// The observation up to its first comma; in bold where the case expects another.
fn cell(verdict: &Verdict) -> String {
    let short = |seen: &str| seen.split([',', ';']).next().unwrap_or(seen).to_owned();
    match verdict {
        Verdict::Pass(seen) => short(seen),
        Verdict::Fail { seen, .. } => format!("**{}**", short(seen)),
        Verdict::NotApplicable(_) => "-".into(),
    }
}
