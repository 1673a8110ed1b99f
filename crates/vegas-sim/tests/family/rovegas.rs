//! "RoVegas", sections 5 and 6: asymmetric paths, persistent congestion, fairness; and which routers stamp.

use std::fmt::Write as _;

use vegas_sim::outcome::{FlowOutcome, Outcome};
use vegas_sim::scenario::Scenario;

use super::{BOTTLENECK, link_series, run};

const ROVEGAS: (&str, &str) = ("flow.0.algorithm", "rovegas");
const STAMPS: (&str, &str) = ("topology.bottleneck.aqt", "true");

/// Rate of the way back for an asymmetric factor k on a forward bottleneck of 1.6 Mb/s with packets of 1000 B and
/// acknowledgements of 40 B: 200/k acknowledgements a second.
const BACKWARD: [(u32, &str); 5] = [(2, "32kbit"), (4, "16kbit"), (8, "8kbit"), (16, "4kbit"), (32, "2kbit")];

fn asymmetric(rate: &str, overrides: &[(&str, &str)]) -> FlowOutcome {
    let backward = [("topology.bottleneck.backward.rate", rate)];
    run("rovegas-asymmetric", &[&backward, overrides].concat()).flows[0].clone()
}

/// Section 6.1: congestion on the way back does not idle the way there.
#[test]
fn it_sends_twice_as_much_over_an_asymmetric_path() {
    for (k, rate) in BACKWARD {
        let vegas = asymmetric(rate, &[]).throughput_mbps;
        let rovegas = asymmetric(rate, &[ROVEGAS, STAMPS]).throughput_mbps;
        assert!((1.8..=3.0).contains(&(rovegas / vegas)), "k = {k}: Vegas {vegas} Mb/s, RoVegas {rovegas} Mb/s");
        assert!(k > 2 || rovegas >= 1.5, "k = {k}: {rovegas} Mb/s");
    }
}

/// Section 6.4: where no router stamps it is Vegas, on packets that are 8 bytes longer, and so with fewer of the longer
/// acknowledgements: 40/48 of them.
#[test]
fn without_routers_it_is_vegas() {
    let vegas = asymmetric("32kbit", &[]).goodput_mbps;
    let rovegas = asymmetric("32kbit", &[ROVEGAS]).goodput_mbps;
    assert!((rovegas / vegas - 40.0 / 48.0).abs() < 0.01, "Vegas {vegas} Mb/s, RoVegas {rovegas} Mb/s");
}

/// Section 6.4: one stamping router on the congested way back is enough, with the least base RTT.
#[test]
fn one_router_on_the_way_back_is_enough() {
    let vegas = asymmetric("32kbit", &[]).throughput_mbps;
    let least = ("flow.0.algorithm", r#"{ preset = "rovegas", signal = "router-assisted-least-base" }"#);
    let some = asymmetric("32kbit", &[least, ("topology.bottleneck.backward.aqt", "true")]);
    assert!(some.throughput_mbps > 1.5 * vegas, "Vegas {vegas} Mb/s, RoVegas {} Mb/s", some.throughput_mbps);
}

/// The option is on the wire and not in the payload: 1008 bytes carry 960.
#[test]
fn the_option_counts_on_the_wire_only() {
    let flow = asymmetric("1.6mbit", &[ROVEGAS, STAMPS]);
    let share = flow.goodput_mbps / flow.throughput_mbps;
    assert!((share - 960.0 / 1008.0).abs() < 1e-3, "{share}");
}

/// Section 6.2: eight flows enter one by one; the newcomers' base RTT is not spoiled by the queue that they find.
#[test]
fn eight_flows_keep_a_short_queue() {
    let names: Vec<String> = (0..8).map(|flow| format!("flow.{flow}.algorithm")).collect();
    let mut overrides: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "rovegas")).collect();
    overrides.push(STAMPS);
    let queue = |outcome: &Outcome| {
        let packets: Vec<f64> = outcome.link_series.queue_packets.iter().map(|&packets| packets.into()).collect();
        let last = link_series(outcome, BOTTLENECK, &packets).split_off(1_700);
        last.iter().map(|(_, packets)| packets).sum::<f64>() / last.len() as f64
    };
    let vegas = queue(&run("rovegas-eight-flows", &[]));
    let rovegas = queue(&run("rovegas-eight-flows", &overrides));
    assert!((36.0..=46.0).contains(&vegas), "Vegas: {vegas} packets");
    assert!((14.0..=22.0).contains(&rovegas), "RoVegas: {rovegas} packets");
}

/// Section 6.3, with alpha = beta: five flows that enter 20 s apart share equally, Vegas's do not. Flows of different
/// delays are apart by what the rounding of the backlog leaves open, half a packet each way: less, the more of them
/// are kept in the queue (docs/deviations.md).
#[test]
fn five_flows_share_equally() {
    for (delays, bound, least) in [([1; 5], 2, 0.999), ([1, 5, 9, 13, 17], 2, 0.997), ([1, 5, 9, 13, 17], 6, 0.999)] {
        let (vegas, rovegas) = (jain("vegas", delays, bound), jain("rovegas", delays, bound));
        assert!(rovegas >= least, "{delays:?}, alpha = beta = {bound}: RoVegas {rovegas}");
        assert!(vegas < 0.99, "{delays:?}, alpha = beta = {bound}: Vegas {vegas}");
    }
}

/// Jain's index of five flows' throughput over the last 100 s; access delays in ms.
fn jain(algorithm: &str, delays: [u32; 5], bound: u32) -> f64 {
    let mut text = String::from(
        r#"name = "five"
duration = "300s"
[topology]
kind = "dumbbell"
access = { rate = "10mbit", delay = "1ms" }
bottleneck = { rate = "1.6mbit", delay = "20ms", queue = "50p", aqt = true }
"#,
    );
    for (flow, delay) in delays.iter().enumerate() {
        let _ = write!(
            text,
            "[[flow]]\nalgorithm = \"{algorithm}\"\nstart = \"{}s\"\nalpha = {bound}\nbeta = {bound}\n\
             access = {{ rate = \"10mbit\", delay = \"{delay}ms\" }}\n",
            20 * flow
        );
    }
    let outcome =
        vegas_sim::run(&Scenario::from_toml(&text, "five.toml", &[]).unwrap_or_else(|error| panic!("{error}")));
    let series = &outcome.flow_series;
    let acked = |flow: u32, at: f64| {
        let row = (0..series.flow.len()).find(|&row| series.flow[row] == flow && series.time_s[row] >= at);
        series.acked_bytes[row.expect("a sample")] as f64
    };
    let shares: Vec<f64> = (0..5).map(|flow| acked(flow, 299.0) - acked(flow, 199.0)).collect();
    let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|share| share * share).sum::<f64>());
    sum * sum / (5.0 * squares)
}
