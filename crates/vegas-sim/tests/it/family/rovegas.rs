//! "RoVegas", sections 5 and 6: asymmetric paths, persistent congestion, fairness; and the choice of routers that
//! stamp.

use std::fmt::Write as _;

use vegas_sim::outcome::{FlowOutcome, Outcome};
use vegas_sim::scenario::Scenario;

use super::{BOTTLENECK, link_series, run};

const ROVEGAS: (&str, &str) = ("flow.0.algorithm", "rovegas");
const LEAST_BASE: (&str, &str) =
    ("flow.0.algorithm", r#"{ preset = "rovegas", signal = "router-assisted-least-base" }"#);
const STAMPS: (&str, &str) = ("topology.bottleneck.aqt", "true");

/// The rate of the way back for an asymmetric factor k, with a forward bottleneck of 1.6 Mb/s, packets of 1000 B and
/// acknowledgements of 40 B: 200/k acknowledgements per second.
const BACKWARD: [(u32, &str); 5] = [(2, "32kbit"), (4, "16kbit"), (8, "8kbit"), (16, "4kbit"), (32, "2kbit")];

fn asymmetric(rate: &str, overrides: &[(&str, &str)]) -> FlowOutcome {
    let backward = [("topology.bottleneck.backward.rate", rate)];
    run("rovegas-asymmetric", &[&backward, overrides].concat()).flows[0].clone()
}

/// Section 6.1: congestion on the way back does not leave the forward path idle. RoVegas has two or three times Vegas's
/// throughput; where acknowledgements limit it, its longer acknowledgement leaves 40/48 of that.
#[test]
fn it_sends_twice_as_much_over_an_asymmetric_path() {
    for (k, rate) in BACKWARD {
        let vegas = asymmetric(rate, &[]).throughput_mbps;
        let rovegas = asymmetric(rate, &[ROVEGAS, STAMPS]).throughput_mbps;
        let ratio = rovegas / vegas;
        assert!((1.8..=3.0).contains(&ratio), "k = {k}: Vegas {vegas} Mb/s, RoVegas {rovegas} Mb/s");
        assert!(k > 2 || rovegas >= 1.5, "k = {k}: {rovegas} Mb/s");
        assert!(k == 2 || (ratio - 3.0 * 40.0 / 48.0).abs() < 0.06, "k = {k}: {ratio}");
    }
}

/// Section 5.2: mechanism I holds the window once each acknowledgement covers three segments or more; so does H, by
/// which only three of them leave. Without both the window grows until the forward queue has no room for the segments
/// that one acknowledgement releases.
#[test]
fn without_mechanism_i_nothing_holds_the_window() {
    let queues = [("topology.bottleneck.queue", "50p"), ("topology.bottleneck.backward.queue", "10p")];
    let vegas = asymmetric("2kbit", &queues).throughput_mbps;
    let ratio = |limits: &str| {
        let algorithm = format!("{{ preset = \"rovegas\", {limits} }}");
        let with = [("flow.0.algorithm", algorithm.as_str()), STAMPS];
        asymmetric("2kbit", &[&with[..], &queues].concat()).throughput_mbps / vegas
    };
    let (i, h, neither) =
        (ratio("burst = \"none\""), ratio("keep_up = false"), ratio("keep_up = false, burst = \"none\""));
    assert!((2.0..=3.5).contains(&i), "I alone: {i}");
    assert!((2.0..=3.0).contains(&h), "H alone: {h}");
    assert!((14.0..=17.0).contains(&neither), "neither: {neither}");
}

/// An asymmetric path, 10 Mb/s forward and 1 Mb/s back, with bursts of datagrams against the acknowledgements;
/// `vegas-linux` runs it with real sockets.
#[test]
fn bursts_on_a_narrow_way_back_do_not_idle_the_way_there() {
    for seed in ["1", "2", "3"] {
        let goodput = |algorithm| {
            run("rovegas-narrow-return", &[("seed", seed), ("flow.0.algorithm", algorithm)]).flows[0].goodput_mbps
        };
        let (vegas, rovegas) = (goodput("vegas"), goodput("rovegas"));
        assert!(rovegas >= 1.4 * vegas, "seed {seed}: Vegas {vegas} Mb/s, RoVegas {rovegas} Mb/s");
    }
}

/// Sections 2.2.1 and 3.1: the route becomes 40 ms longer. Compares the 10 s before with 10 s from 5 s after.
#[test]
fn a_longer_route_does_not_cost_its_throughput() {
    for (algorithm, least, most) in [
        ("\"vegas\"", 0.0, 0.5),
        ("\"rovegas\"", 0.95, 1.05),
        // the pseudocode of section 6.4 cannot follow a longer route
        ("{ preset = \"rovegas\", signal = \"router-assisted-least-base\" }", 0.0, 0.5),
    ] {
        let outcome = run("rovegas-reroute", &[("flow.0.algorithm", algorithm)]);
        let acked = |at: f64| acked_bytes(&outcome, 0, at);
        let (before, after) = (acked(30.0) - acked(20.0), acked(45.0) - acked(35.0));
        assert!((least..=most).contains(&(after / before)), "{algorithm}: {before} bytes, then {after}");
    }
}

/// 24 bits of microseconds saturate: a full queue of 14 acknowledgements of 1.92 s each on the way back takes 26.88 s,
/// of which the option can express 16.777215 s.
#[test]
fn the_queueing_time_saturates() {
    let slow = r#"{ rate = "200bit", queue = "14p" }"#;
    let patient = r#"{ rto_min = "60s", rto_max = "60s", rto_initial = "60s" }"#;
    let overrides =
        [("topology.bottleneck.backward", slow), ("flow.0.host", patient), ("duration", "600s"), ROVEGAS, STAMPS];
    let outcome = run("rovegas-asymmetric", &overrides);
    let newest = |column: &[Option<f64>]| column.last().copied().flatten().expect("a sample");
    let (rtt, base) = (newest(&outcome.flow_series.rtt_ms), newest(&outcome.flow_series.base_rtt_ms));
    assert!((rtt - 26_880.0).abs() < 0.1, "{rtt} ms");
    assert!((base - (26_880.0 - 16_777.215)).abs() < 0.1, "{base} ms");
}

/// Section 6.4: if no router stamps, RoVegas is Vegas with packets that are 8 bytes longer, and thus with 40/48 of the
/// acknowledgements.
#[test]
fn without_routers_it_is_vegas() {
    let vegas = asymmetric("32kbit", &[]).goodput_mbps;
    let rovegas = asymmetric("32kbit", &[ROVEGAS]).goodput_mbps;
    assert!((rovegas / vegas - 40.0 / 48.0).abs() < 0.01, "Vegas {vegas} Mb/s, RoVegas {rovegas} Mb/s");
}

/// Section 6.4: one stamping router on the congested way back is enough, also with the least base RTT.
#[test]
fn one_router_on_the_way_back_is_enough() {
    let vegas = asymmetric("32kbit", &[]).throughput_mbps;
    let some = asymmetric("32kbit", &[LEAST_BASE, ("topology.bottleneck.backward.aqt", "true")]);
    assert!(some.throughput_mbps > 1.5 * vegas, "Vegas {vegas} Mb/s, RoVegas {} Mb/s", some.throughput_mbps);
}

/// Figure 19: bursts against the flow on each of three links, and one stamping router of four. Goodput relative to
/// Vegas's, as the mean of five seeds.
#[test]
fn one_router_of_four_is_enough() {
    const R2: &str = "topology.bottlenecks.0.backward.aqt";
    let goodput = |overrides: &[(&str, &str)]| {
        let seeds = ["1", "2", "3", "4", "5"];
        let of = |seed| run("rovegas-partial", &[overrides, &[("seed", seed)]].concat()).flows[0].goodput_mbps;
        seeds.into_iter().map(of).sum::<f64>() / 5.0
    };
    let vegas = goodput(&[("flow.0.algorithm", "vegas")]);
    let (none, some, least) = (goodput(&[(R2, "false")]) / vegas, goodput(&[]) / vegas, goodput(&[LEAST_BASE]) / vegas);
    let others = [("topology.bottlenecks.1.backward.aqt", "true"), ("topology.bottlenecks.2.backward.aqt", "true")];
    let all = goodput(&others) / vegas;
    assert!((0.85..1.15).contains(&none), "no router stamps: {none}");
    assert!((3.0..5.0).contains(&some), "one router stamps: {some}");
    assert!((1.0..1.5).contains(&least), "one router stamps, least base RTT: {least}");
    assert!((4.0..7.0).contains(&all), "all routers on the way back stamp: {all}");
}

/// The option counts on the wire and not as payload: 1008 bytes carry 960.
#[test]
fn the_option_counts_on_the_wire_only() {
    let flow = asymmetric("1.6mbit", &[ROVEGAS, STAMPS]);
    let share = flow.goodput_mbps / flow.throughput_mbps;
    assert!((share - 960.0 / 1008.0).abs() < 1e-3, "{share}");
}

/// Section 3.2: the option on every n-th packet, 960 + 40 + 8/n bytes in the mean.
#[test]
fn fewer_probes_cost_less() {
    for every in [1.0, 2.0, 5.0] {
        let flow = asymmetric("1.6mbit", &[ROVEGAS, STAMPS, ("flow.0.host.aqt_every", &format!("{every}"))]);
        let share = flow.goodput_mbps / flow.throughput_mbps;
        assert!((share - 960.0 / (1000.0 + 8.0 / every)).abs() < 1e-3, "every {every}: {share}");
    }
}

/// Where one window has several probes, they show the queue on the way back as well as a probe on each packet does;
/// where it has less than one, the sender is Vegas in most rounds.
#[test]
fn a_few_probes_a_round_are_enough() {
    let every = |every: &str| asymmetric("32kbit", &[ROVEGAS, STAMPS, ("flow.0.host.aqt_every", every)]).goodput_mbps;
    let vegas = asymmetric("32kbit", &[]).goodput_mbps;
    let [each, third, rare] = ["1", "3", "1000"].map(every);
    assert!(each > 1.5 * vegas && third > 1.5 * vegas, "Vegas {vegas} Mb/s, each {each}, every third {third}");
    assert!((rare / vegas - 1.0).abs() < 0.05, "Vegas {vegas} Mb/s, every thousandth {rare}");
}

/// Section 6.2: eight flows enter one by one; the queue that a newcomer finds does not spoil its base RTT.
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

/// Section 6.3 and figure 17, with alpha = beta: five flows that enter 30 s apart have shares within 3 %; Vegas's do
/// not.
#[test]
fn five_flows_of_equal_delays_share_equally() {
    for bound in [2, 3] {
        let rovegas = Shares::of_dumbbell("rovegas", [1; 5], bound);
        let vegas = Shares::of_dumbbell("vegas", [1; 5], bound);
        assert!(rovegas.jain() >= 0.999 && rovegas.furthest() <= 0.03, "alpha = beta = {bound}: RoVegas {rovegas:?}");
        assert!(vegas.jain() < 0.999 && vegas.furthest() > 0.03, "alpha = beta = {bound}: Vegas {vegas:?}");
    }
}

/// Figures 16 and 18: five flows over one to five links, which begin together, have equal shares.
#[test]
fn five_flows_over_different_links_share_equally() {
    let shares = |algorithm: &str| {
        let names: Vec<String> = (0..5).map(|flow| format!("flow.{flow}.algorithm")).collect();
        let overrides: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), algorithm)).collect();
        Shares::of(&run("rovegas-fairness", &overrides))
    };
    let (rovegas, vegas) = (shares("rovegas"), shares("vegas"));
    assert!(rovegas.jain() >= 0.999 && rovegas.furthest() <= 0.03, "RoVegas {rovegas:?}");
    assert!(vegas.jain() < 0.999 && vegas.furthest() > 0.03, "Vegas {vegas:?}");
}

/// If the round trips are no multiples of a packet's transmission time, no whole window gives an equal share: none is
/// further from it than half a segment per round trip (docs/deviations.md).
#[test]
fn whole_windows_are_what_keeps_other_delays_apart() {
    let shares = Shares::of_dumbbell("rovegas", [1, 5, 9, 13, 17], 2);
    assert!(shares.jain() >= 0.997, "{shares:?}");
    for (share, window) in shares.of_mean.iter().zip(&shares.windows) {
        assert!((share - 1.0).abs() * window < 0.5, "{shares:?}");
    }
}

/// The shares of five flows over the last 100 s.
#[derive(Debug)]
struct Shares {
    /// The shares relative to the mean of the five.
    of_mean: Vec<f64>,
    /// The mean windows of the whole run, segments.
    windows: Vec<f64>,
}

impl Shares {
    fn of(outcome: &Outcome) -> Self {
        let end = outcome.flow_series.time_s[outcome.flow_series.time_s.len() - 1] - 1.0;
        let acked: Vec<f64> =
            (0..5).map(|flow| acked_bytes(outcome, flow, end) - acked_bytes(outcome, flow, end - 100.0)).collect();
        let mean = acked.iter().sum::<f64>() / 5.0;
        Shares {
            of_mean: acked.iter().map(|bytes| bytes / mean).collect(),
            windows: outcome.flows.iter().map(|flow| flow.mean_cwnd_segments).collect(),
        }
    }

    /// Runs flows that enter 30 s apart, with these access delays in ms.
    fn of_dumbbell(algorithm: &str, delays: [u32; 5], bound: u32) -> Self {
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
                30 * flow
            );
        }
        let scenario = Scenario::from_toml(&text, "five.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        Shares::of(&vegas_sim::run(&scenario))
    }

    fn jain(&self) -> f64 {
        let (sum, squares) =
            self.of_mean.iter().fold((0.0, 0.0), |(sum, squares), share| (sum + share, squares + share * share));
        sum * sum / (5.0 * squares)
    }

    /// The greatest distance from an equal share.
    fn furthest(&self) -> f64 {
        self.of_mean.iter().map(|share| (share - 1.0).abs()).fold(0.0, f64::max)
    }
}

/// The bytes acknowledged until `at_s`.
fn acked_bytes(outcome: &Outcome, flow: u32, at_s: f64) -> f64 {
    let series = &outcome.flow_series;
    let row = (0..series.flow.len()).find(|&row| series.flow[row] == flow && series.time_s[row] >= at_s);
    series.acked_bytes[row.expect("a sample")] as f64
}
