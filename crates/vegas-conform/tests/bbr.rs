//! The cases of the BBR draft, for this project's BBR.

use vegas_conform::write::{cases_json, junit_xml};
use vegas_conform::{Network, Preset, Subject, Verdict, cases, conform, grid};
use vegas_sim::run;
use vegas_sim::scenario::Scenario;

/// No case fails anywhere, and each is judged on four paths at least.
#[test]
fn bbr3_passes_over_the_whole_grid() {
    let subject = Preset::named("bbr3").expect("a preset");
    let report = conform(&subject, cases::bbr(), &grid::WHOLE, 2);
    let failed = report.findings.iter().filter(|finding| finding.failed());
    let failed: Vec<String> = failed
        .map(|finding| format!("{} {}: {:?}", finding.case.name, finding.point.name(), finding.verdict))
        .collect();
    assert_eq!(failed, Vec::<String>::new());
    for findings in report.by_case() {
        let judged = findings.iter().filter(|finding| matches!(finding.verdict, Verdict::Pass(_))).count();
        assert!(judged >= 4, "{}: {judged}", findings[0].case.name);
    }
}

/// What the kit adds to a run is to watch it: without the recorder it is the same.
#[test]
fn a_watched_run_is_the_run() {
    let (network, algorithm) = (Network::of("watched", grid::REFERENCE), "algorithm = \"bbr3\"");
    let scenario = Scenario::from_toml(&network.text(algorithm), "watched.toml", &[]).expect("a scenario");
    let alone = run(&scenario);
    let watched = Preset::named("bbr3").expect("a preset").run(&network.text(algorithm)).expect("a run").totals;
    let flow = &alone.flows[0];
    assert_eq!(
        (watched.goodput_mbps, watched.segments_sent, watched.segments_retransmitted),
        (flow.goodput_mbps, flow.segments_sent, flow.segments_retransmitted)
    );
}

/// From outside nothing tells a state: no case is judged, and none fails.
#[test]
fn reno_is_not_judged() {
    let subject = Preset::named("reno").expect("a preset");
    let report = conform(&subject, cases::bbr(), &[grid::REFERENCE], 2);
    assert!(report.findings.iter().all(|finding| matches!(finding.verdict, Verdict::NotApplicable(_))));
}

/// Threads finish in any order; reports do not change with it.
#[test]
fn two_reports_are_the_same_bytes() {
    let subject = Preset::named("bbr3").expect("a preset");
    let report = |threads| conform(&subject, cases::bbr(), &[grid::REFERENCE], threads);
    let (one, two) = (report(1), report(2));
    assert_eq!((cases_json(&one), junit_xml(&one)), (cases_json(&two), junit_xml(&two)));
}
