//! The verdicts of s2n-quic's own controllers, case by case.
//!
//!     cargo run -p vegas-conform --features s2n --example s2n
//!     cargo run -p vegas-conform --features s2n --example s2n -- --draft    the BBR draft's cases

use std::process::ExitCode;

use s2n_quic_core::recovery::{bbr, cubic};
use vegas_conform::{cases, grid, s2n, write};

fn main() -> ExitCode {
    let is_draft = std::env::args().any(|word| word == "--draft");
    let cases = if is_draft { cases::bbr() } else { cases::generic() };
    // a project has its own endpoint here
    let subjects = [s2n("s2n-cubic", cubic::Endpoint::default), s2n("s2n-bbr", bbr::Endpoint::default)];
    let reports = subjects.map(|subject| subject.run_cases(cases, &grid::QUIC));
    reports.iter().for_each(|report| println!("{}", write::text(report)));
    if reports.iter().all(vegas_conform::Report::passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
