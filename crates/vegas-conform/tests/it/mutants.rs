//! The kit can fail: for each case a copy of bbr3 with one wrong line fails it.

use std::sync::Arc;

use vegas_conform::{Case, Preset, Report, cases, conform, grid};
use vegas_conform_mutants::{Copies, MUTANTS};

fn subject(name: &str) -> Preset {
    Preset::written(name, &format!("{{ rust = {name:?}, preset = \"bbr3\" }}"), Some(Arc::new(Copies)))
}

fn failed(report: &Report) -> Vec<&'static str> {
    report.findings.iter().filter(|finding| finding.failed()).map(|finding| finding.case.name).collect()
}

#[test]
fn a_copy_without_a_wrong_line_passes() {
    assert_eq!(failed(&conform(&subject("as-it-is"), cases::bbr(), &[grid::REFERENCE], 2)), Vec::<&str>::new());
}

#[test]
fn each_case_has_its_mutant() {
    let cases: Vec<&str> = cases::bbr().iter().map(|case| case.name).collect();
    let mut mutants: Vec<&str> = MUTANTS.iter().map(|mutant| mutant.case).collect();
    mutants.sort_by_key(|name| cases.iter().position(|case| case == name));
    assert_eq!(mutants, cases);
}

#[test]
fn each_mutant_fails_its_case() {
    let mut unfound = Vec::new();
    for mutant in MUTANTS {
        let cases: Vec<Case> = cases::bbr().iter().filter(|case| case.name == mutant.case).copied().collect();
        let report = conform(&subject(mutant.case), &cases, &[grid::REFERENCE], 1);
        if failed(&report).is_empty() {
            unfound.push(format!("{}: {:?}", mutant.case, report.findings[0].verdict));
        }
    }
    assert_eq!(unfound, Vec::<String>::new());
}
