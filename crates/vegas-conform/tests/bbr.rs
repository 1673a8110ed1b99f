//! The cases of the BBR draft, for this project's BBR.

use vegas_conform::write::{cases_json, junit_xml};
use vegas_conform::{Preset, cases, conform, grid};

/// What fails, a line each.
fn failures(name: &str, points: &[grid::Point]) -> Vec<String> {
    let subject = Preset::named(name).expect("a preset");
    let report = conform(&subject, cases::bbr(), points, 2);
    let failed = report.findings.iter().filter(|finding| finding.failed());
    failed.map(|finding| format!("{} {}: {:?}", finding.case.name, finding.point.name(), finding.verdict)).collect()
}

#[test]
fn bbr3_passes_on_the_reference_path() {
    assert_eq!(failures("bbr3", &[grid::REFERENCE]), Vec::<String>::new());
}

/// Threads finish in any order; reports do not change with it.
#[test]
fn two_reports_are_the_same_bytes() {
    let subject = Preset::named("bbr3").expect("a preset");
    let report = |threads| conform(&subject, cases::bbr(), &[grid::REFERENCE], threads);
    let (one, two) = (report(1), report(2));
    assert_eq!((cases_json(&one), junit_xml(&one)), (cases_json(&two), junit_xml(&two)));
}
