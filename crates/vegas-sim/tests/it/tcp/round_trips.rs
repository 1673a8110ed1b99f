//! Round-trip samples: none is of a segment that waited at the receiver behind a hole.

use vegas_sim::outcome::{Outcome, PHASES};
use vegas_sim::scenario::Scenario;

/// Runs a transfer of 20 segments, which leave at once, over an empty path of 100 ms; `link` and `flow` are more keys.
fn transfer(flow: &str, link: &str) -> Outcome {
    let text = format!(
        r#"
        name = "round-trips"
        duration = "100s"
        sample = "change"
        until_complete = true
        [topology]
        kind = "dumbbell"
        access = {{ rate = "1gbit", delay = "500us" }}
        bottleneck = {{ rate = "100mbit", delay = "49ms", queue = "1000p", {link} }}
        [[flow]]
        {flow}
        packet = "1500b"
        size = "29200b"
        initial_window = 20
        "#
    );
    let scenario = Scenario::from_toml(&text, "round-trips", &[]).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario)
}

/// The greatest sample of the series, ms.
fn longest_ms(outcome: &Outcome) -> f64 {
    outcome.flow_series.rtt_ms.iter().copied().flatten().fold(0.0, f64::max)
}

/// The fifth segment is lost once, or five times. By hand: 100 ms of propagation and at most 20 packets of 120 us
/// before a segment are 102.4 ms, and the packet's own times on the access links some more.
#[test]
fn a_repair_is_no_round_trip() {
    let algorithms = ["reno", "newreno", "sack", "vegas", "vegas-1994", "cubic", "bbr1", "vegas-next"];
    let keys = algorithms.map(|name| format!("algorithm = \"{name}\""));
    let linux = ["cubic-linux", "vegas-linux"].map(|name| format!("algorithm = \"{name}\"\nhost = \"linux\""));
    for flow in keys.iter().chain(&linux) {
        for drop in ["drop = [5]", "drop = [5, 21, 22, 23, 24, 25, 26]"] {
            let outcome = transfer(flow, drop);
            let summary = &outcome.flows[0];
            assert!(summary.segments_retransmitted > 0, "{flow}, {drop}");
            let (longest, mean) = (longest_ms(&outcome), summary.mean_rtt_ms.expect("samples"));
            assert!((100.0..=103.0).contains(&mean) && longest <= 103.0, "{flow}, {drop}: {longest}, mean {mean}");
        }
    }
}

/// ns-2's Vegas keeps the time of each segment, and takes the sample of one that waited for the repair.
#[test]
fn but_for_ns2s_vegas() {
    let outcome = transfer("algorithm = \"vegas-ns2\"", "drop = [5]");
    let mean = outcome.flows[0].mean_rtt_ms.expect("samples");
    assert!(mean > 105.0, "{mean}");
}

/// Each change of phase has a row of its own, also where the window stays: as Vegas's last data are acknowledged.
#[test]
fn rows_at_changes_show_each_phase() {
    for algorithm in ["reno", "vegas"] {
        let outcome = transfer(&format!("algorithm = \"{algorithm}\""), "drop = [5]");
        let mut phases: Vec<_> = outcome.flow_series.phase.iter().map(|&phase| PHASES[usize::from(phase)]).collect();
        phases.dedup();
        assert_eq!(phases, ["slow-start", "recovery", "idle"], "{algorithm}");
    }
}
