//! Judges from outside: bbr3 without a report of its state, its wrong copies, and controls that are no BBR.

use std::sync::Arc;

use vegas_conform::{Case, Observed, Preset, Subject, Verdict, cases, conform, grid, write};
use vegas_conform_mutants::Copies;

/// A control that reports no state.
#[derive(Debug)]
struct Silent(Preset);

impl Subject for Silent {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn flow(&self) -> String {
        self.0.flow()
    }

    fn host(&self) -> &'static str {
        self.0.host()
    }

    fn run(&self, scenario: &str) -> Result<Observed, String> {
        let mut observed = self.0.run(scenario)?;
        observed.moments.iter_mut().for_each(|moment| moment.inside = None);
        Ok(observed)
    }
}

fn silent(name: &str) -> Silent {
    Silent(Preset::named(name).expect("a preset"))
}

fn failed(subject: &Silent, name: &str, point: grid::Point) -> bool {
    let case: Vec<Case> = cases::bbr().iter().filter(|case| case.name == name).copied().collect();
    let report = conform(subject, &case, &[point], 1);
    report.findings[0].failed()
}

#[test]
fn bbr3_passes_what_shows_from_outside() {
    let report = conform(&silent("bbr3"), cases::bbr(), &grid::QUICK, 2);
    assert!(report.passed(), "{}", write::text(&report));
    let reference = report.findings.iter().filter(|finding| finding.point == grid::REFERENCE);
    let judged = reference.filter(|finding| matches!(finding.verdict, Verdict::Pass(_))).count();
    assert_eq!(judged, 17, "{}", write::text(&report));
}

/// `docs/conformance-quinn.md` lists the cases without a judge from outside, with the reasons.
#[test]
fn five_cases_show_in_the_state_alone() {
    let without = cases::bbr().iter().filter(|case| case.outside.is_none()).map(|case| case.name);
    let states = ["drain-time", "probe-up-loss", "probe-down-time", "startup-probe-rtt", "probe-up-loss-longterm"];
    assert_eq!(without.collect::<Vec<_>>(), states);
}

/// Each judge from outside can fail: by a copy of bbr3 with the wrong line of its case, or by another control.
#[test]
fn each_judge_is_failed_by_one() {
    let copies = [
        "startup-loss",
        "probe-rtt",
        "aggregation-startup",
        "sub-packet",
        "rate-10x-up",
        "rate-10x-down",
        "policer",
        "spurious-rto",
    ];
    let others = [
        ("startup-plateau", "reno"),
        ("drain-inflight", "reno"),
        ("probe-up-plateau", "reno"),
        ("app-limited-no-exit", "nv"),
        ("probe-down-inflight", "reno"),
        ("probe-rtt-idle", "bbr1"),
        ("aggregation-cruise", "reno"),
        // its queue overflows in the same recovery
        ("spurious-fast-recovery", "veno"),
        ("refill-app-limited", "nv"),
    ];
    let copy = |name: &str| {
        Preset::written(name, &format!("{{ rust = {name:?}, preset = \"bbr3\" }}"), Some(Arc::new(Copies)))
    };
    let of_copies = copies.map(|case| (case, failed(&Silent(copy(case)), case, grid::REFERENCE)));
    let of_others = others.map(|(case, name)| (case, failed(&silent(name), case, grid::QUICK[1])));
    let passed: Vec<&str> =
        of_copies.iter().chain(&of_others).filter(|(_, failed)| !failed).map(|(case, _)| *case).collect();
    assert_eq!(passed, Vec::<&str>::new());
    assert_eq!(copies.len() + others.len(), cases::bbr().iter().filter(|case| case.outside.is_some()).count());
}
