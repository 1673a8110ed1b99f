//! Round-trip samples: none is of a segment that waited at the receiver behind a hole.

use vegas_sim::outcome::{Outcome, PHASES};
use vegas_sim::scenario::Scenario;

/// Runs a transfer of 20 segments, which leave at once, over an empty path of 100 ms, which become `later_ms` when
/// the first five have arrived; `link` and `flow` are more keys.
fn transfer_over(later_ms: u32, flow: &str, link: &str) -> Outcome {
    let later = later_ms - 51;
    let text = format!(
        r#"
        name = "round-trips"
        duration = "100s"
        sample = "change"
        until_complete = true
        [[change]]
        at = "190ms"
        link = "r1->r2"
        delay = "{later}ms"
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

fn transfer(flow: &str, link: &str) -> Outcome {
    transfer_over(100, flow, link)
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

/// A timeout leaves nothing in flight, and Linux's Vegas, Veno and YeAH then forget their base RTT
/// (`CA_EVENT_TX_START`); Illinois keeps its own. All but five of the 20 segments are lost, and the probe of the tail,
/// too.
#[test]
fn a_timeout_ends_what_linuxs_vegas_knows_of_the_path() {
    let (new, old) = (200.0..=203.0, 100.0..=103.0);
    for (algorithm, base) in [("vegas-linux", &new), ("veno", &new), ("yeah", &new), ("illinois", &old)] {
        let flow = format!("algorithm = \"{algorithm}\"\nhost = \"linux\"");
        let outcome = transfer_over(200, &flow, "drop = [6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]");
        assert!(outcome.flows[0].timeouts > 0, "{algorithm}");
        let shown = outcome.flow_series.base_rtt_ms.last().copied().flatten().expect("a base RTT");
        assert!(base.contains(&shown), "{algorithm}: {shown}");
    }
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
