//! The cases of the BBR draft, for this project's BBR.

use serde_json::json;
use vegas_conform::write::{cases_json, junit_xml, qlog_json};
use vegas_conform::{Network, Preset, SENT_MOST, Subject, Verdict, cases, conform, grid};
use vegas_core::units::Span;
use vegas_sim::run;
use vegas_sim::scenario::Scenario;

/// No case fails at any point, and each is judged on at least four paths.
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

/// The kit only observes a run: without the recorder the run is equal.
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

/// A control without states is judged from outside: Reno fills the queue until packets are lost.
#[test]
fn reno_is_judged_from_outside() {
    let subject = Preset::named("reno").expect("a preset");
    let report = conform(&subject, cases::bbr(), &[grid::REFERENCE], 2);
    let failed: Vec<&str> =
        report.findings.iter().filter(|finding| finding.failed()).map(|finding| finding.case.name).collect();
    assert!(failed.contains(&"startup-plateau") && failed.contains(&"probe-rtt"), "{failed:?}");
}

/// qvis draws packets by their events; a file has at most the documented number of them.
#[test]
fn qlog_has_the_first_packets() {
    let network = Network { duration: Span::from_secs(20), ..Network::of("sent", grid::REFERENCE) };
    let subject = Preset::named("bbr3").expect("a preset");
    let observed = subject.run(&network.text(&subject.flow())).expect("a run");
    assert!(observed.totals.segments_sent > 2 * SENT_MOST as u64);
    let file: serde_json::Value = serde_json::from_str(&qlog_json("sent", &observed)).expect("JSON");
    let events = file["traces"][0]["events"].as_array().expect("events");
    let times: Vec<f64> = events.iter().map(|event| event["time"].as_f64().expect("a time")).collect();
    assert!(times.is_sorted());
    let sent: Vec<_> = events.iter().filter(|event| event["name"] == "transport:packet_sent").collect();
    assert_eq!(sent.len(), SENT_MOST);
    assert_eq!(
        (&sent[7]["data"]["header"]["packet_number"], &sent[7]["data"]["raw"]["length"]),
        (&json!(7), &json!(833))
    );
}

/// Threads finish in any order; reports do not depend on it.
#[test]
fn two_reports_are_the_same_bytes() {
    let subject = Preset::named("bbr3").expect("a preset");
    let report = |threads| conform(&subject, cases::bbr(), &[grid::REFERENCE], threads);
    let (one, two) = (report(1), report(2));
    assert_eq!((cases_json(&one), junit_xml(&one)), (cases_json(&two), junit_xml(&two)));
}
