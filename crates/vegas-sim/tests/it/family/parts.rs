//! The parts of `vegas-next` in compositions, and `vegas-next` without each of them (docs/algorithms/vegas-next.md,
//! "Its parts").

use vegas_sim::outcome::Outcome;

use super::{BOTTLENECK, link_series, run};

/// Runs a scenario with the algorithm for its first flows.
fn run_with(scenario: &str, flows: usize, algorithm: &str) -> Outcome {
    let keys: Vec<String> = (0..flows).map(|flow| format!("flow.{flow}.algorithm")).collect();
    run(scenario, &keys.iter().map(|key| (key.as_str(), algorithm)).collect::<Vec<_>>())
}

/// The mean queue of the last 15 s of eight flows that join, packets.
fn late_queue(outcome: &Outcome) -> f64 {
    let queue = link_series(
        outcome,
        BOTTLENECK,
        &outcome.link_series.queue_packets.iter().map(|packets| f64::from(*packets)).collect::<Vec<_>>(),
    );
    let late: Vec<f64> = queue.into_iter().filter(|(time, _)| *time >= 165.0).map(|(_, queue)| queue).collect();
    late.iter().sum::<f64>() / late.len() as f64
}

fn last_base_ms(outcome: &Outcome) -> f64 {
    outcome.flows.last().and_then(|flow| flow.base_rtt_ms).expect("a base RTT")
}

fn goodputs(outcome: &Outcome) -> [f64; 2] {
    [0, 1].map(|flow| outcome.flows[flow].goodput_mbps)
}

/// Flows that join measure the queue of the others as a part of the path (the path's own round trip is 51 ms). Drains
/// show it to all, and so do those that look for rivals.
#[test]
fn drains_show_latecomers_the_base_rtt() {
    let vegas = run_with("rovegas-eight-flows", 8, "vegas");
    assert!(last_base_ms(&vegas) > 150.0 && late_queue(&vegas) > 35.0, "{}", late_queue(&vegas));
    let drains = run_with("rovegas-eight-flows", 8, r#"{ preset = "vegas", base_rtt = "drains" }"#);
    assert!(last_base_ms(&drains) < 52.0 && late_queue(&drains) < 27.0, "{}", late_queue(&drains));
    let rivals = run_with("rovegas-eight-flows", 8, r#"{ preset = "vegas", rivals = "compete" }"#);
    assert!(last_base_ms(&rivals) < 52.0, "{}", last_base_ms(&rivals));
}

/// A SYN of 40 bytes has a shorter round trip than a segment of 1440: by 1400 bytes at 1.6 Mb/s, and twice at 10 Mb/s.
#[test]
fn a_timed_syn_lowers_the_base_rtt() {
    let base_ms = |base: &str| {
        let algorithm = format!(r#"{{ mechanisms = "B", base_rtt = "{base}" }}"#);
        let alone = [("flow.0.algorithm", &*algorithm), ("traffic.0.interarrival", "100s"), ("duration", "10s")];
        run("papers/revisited", &alone).flows[0].base_rtt_ms.expect("a base RTT")
    };
    let shorter_ms = base_ms("least") - base_ms("handshake");
    assert!((shorter_ms - (7.0 + 2.0 * 1.12)).abs() < 0.001, "{shorter_ms}");
}

/// A backlog by the rate leaves the flow with jitter some of the link, and RTTs of groups nearly its half; neither the
/// base RTT nor the backlog does that alone.
#[test]
fn backlog_and_base_rtt_together_withstand_jitter() {
    let ratio = |algorithm: &str| {
        let [with_jitter, without] = goodputs(&run_with("next/jitter", 2, algorithm));
        without / with_jitter
    };
    assert!(ratio("gallop") > 20.0);
    assert!(ratio(r#"{ preset = "gallop", base_rtt = "drains" }"#) > 20.0);
    assert!((4.0..10.0).contains(&ratio(r#"{ preset = "gallop", avoidance = "by-rate" }"#)));
    assert!(ratio(r#"{ preset = "gallop", base_rtt = "drains", avoidance = "by-rate" }"#) < 2.5);
}

/// Beside CUBIC drains and backlog leave a flow little, whatever its parts. Competing holds three times as much from
/// Gallop's small window, and a fourth of the link from the start of `vegas-next`.
#[test]
fn competing_holds_ground_beside_cubic() {
    let share = |algorithm: &str| {
        let [own, cubic] = goodputs(&run_with("next/cubic", 1, algorithm));
        own / (own + cubic)
    };
    let gallop =
        |more: &str| share(&format!(r#"{{ preset = "gallop", base_rtt = "drains", avoidance = "by-rate"{more} }}"#));
    let ignoring = gallop("");
    assert!(ignoring < 0.1);
    assert!(gallop(r#", rivals = "compete""#) > 3.0 * ignoring);
    assert!(share(r#"{ preset = "vegas-next", rivals = "ignore" }"#) < 0.1);
    assert!(share("vegas-next") > 0.25);
}

/// With all parts named a table is the preset, byte for byte.
#[test]
fn all_parts_together_are_vegas_next() {
    let parts = r#"{ preset = "vegas-next", base_rtt = "drains", rivals = "compete", avoidance = "by-rate" }"#;
    let (one, other) = (run_with("next/cubic", 1, parts), run_with("next/cubic", 1, "vegas-next"));
    assert_eq!(one.flow_series.acked_bytes, other.flow_series.acked_bytes);
}
