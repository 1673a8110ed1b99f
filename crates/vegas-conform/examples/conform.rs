//! A preset's verdicts: `cargo run --release -p vegas-conform --example conform -- bbr3 [--whole | --long] [CASE
//! ...]`. `--long` plays 10 Gb/s and a second, which [`grid::WHOLE`] leaves out.

use std::env;
use std::process::ExitCode;

use vegas_conform::{Case, Preset, Verdict, cases, conform, grid};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let whole = arguments.iter().position(|argument| argument == "--whole").map(|place| arguments.remove(place));
    let long = arguments.iter().position(|argument| argument == "--long").map(|place| arguments.remove(place));
    let Some(subject) = arguments.first().and_then(|name| Preset::named(name)) else {
        eprintln!("give a preset's name, such as bbr3");
        return ExitCode::from(2);
    };
    let wanted = |case: &&Case| arguments.len() == 1 || arguments.iter().any(|name| name == case.name);
    let cases: Vec<Case> = cases::bbr().iter().filter(wanted).copied().collect();
    let points: &[grid::Point] = match (whole, long) {
        (Some(_), _) => &grid::WHOLE,
        (None, Some(_)) => &[grid::Point::new(10_000_000_000, 1_000)],
        (None, None) => &[grid::REFERENCE],
    };
    let report = conform(&subject, &cases, points, 2);
    for finding in &report.findings {
        let text = match &finding.verdict {
            Verdict::Pass(seen) | Verdict::NotApplicable(seen) => seen.clone(),
            Verdict::Fail { seen, expected } => format!("{seen}; expected: {expected}"),
        };
        println!("{:<24}{:<16}{:<16}{text}", finding.case.name, finding.point.name(), finding.verdict.name());
    }
    if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
