//! Runs of TCP Prague on DualPI2, and of CUBIC on FQ-CoDel, beside those that the L4S team measured with Linux 5.4
//! (github.com/L4STeam/l4steam.github.io, `iccrg-exp/results`, ICCRG at IETF 109): iperf3's intervals of 0.1 s from 10
//! to 40 s.

use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

/// The rate and the one-way delay of the bottleneck, and what was measured there: 5th percentile, median and 95th
/// percentile of RTT (ms) and window (segments of 1448 bytes), and the mean of the rate (Mb/s).
type Measured = (&'static str, &'static str, [f64; 3], [f64; 3], f64);

/// A figure: rate and delay, and which percentile of RTT or window.
type Figure = (&'static str, &'static str, &'static str, usize);

const PRAGUE: [Measured; 6] = [
    ("20mbit", "2.5ms", [5.96, 6.86, 7.14], [10., 11., 12.], 19.13),
    ("20mbit", "10ms", [21.48, 21.55, 21.76], [35., 35., 36.], 19.11),
    ("20mbit", "20ms", [40.48, 40.96, 42.10], [64., 67., 70.], 18.91),
    ("20mbit", "40ms", [80.49, 80.95, 82.06], [128., 132., 135.], 18.87),
    ("500mbit", "2.5ms", [5.81, 5.91, 5.96], [243., 248., 249.], 477.49),
    ("500mbit", "10ms", [20.12, 20.89, 20.95], [730., 866., 868.], 471.17),
];
const CUBIC: [Measured; 7] = [
    ("20mbit", "2.5ms", [9.82, 11.48, 13.46], [16., 19., 23.], 19.11),
    ("20mbit", "10ms", [20.71, 23.65, 27.06], [33., 39., 45.], 18.91),
    ("20mbit", "20ms", [40.56, 41.84, 46.63], [56., 69., 77.], 18.35),
    ("20mbit", "40ms", [80.48, 81.42, 86.00], [105., 127., 142.], 17.86),
    ("500mbit", "2.5ms", [7.56, 9.17, 10.61], [331., 398., 457.], 477.42),
    ("500mbit", "10ms", [20.54, 23.06, 25.54], [795., 970., 1073.], 472.64),
    ("500mbit", "20ms", [40.43, 40.69, 45.31], [1413., 1629., 1885.], 455.40),
];
/// What of Prague is further from the measured than 10 %; docs/l4s.md says why.
const PRAGUE_APART: &[Figure] = &[("20mbit", "2.5ms", "rtt", 1), ("500mbit", "10ms", "window", 0)];

/// Sampled ten times as finely as iperf3 does: a saw-tooth of whole segments may take a multiple of its 100 ms, and
/// show it the same phases only.
fn run(text: &str, rate: &str, delay: &str) -> Outcome {
    let text = text.replace("sample = \"100ms\"", "sample = \"10ms\"");
    let text = text.replace("rate = \"20mbit\"", &format!("rate = \"{rate}\""));
    let text = text.replace("delay = \"10ms\"", &format!("delay = \"{delay}\""));
    let scenario = Scenario::from_toml(&text, "l4s.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario)
}

/// The 5th percentile, the median and the 95th percentile.
fn percentiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [0.05, 0.5, 0.95].map(|part| values[((values.len() - 1) as f64 * part) as usize])
}

/// RTT, window and the mean rate of what is not headers, from 10 to 40 s.
fn simulated(outcome: &Outcome) -> ([f64; 3], [f64; 3], f64) {
    let series = &outcome.flow_series;
    let rows: Vec<usize> = (0..series.time_s.len()).filter(|&row| series.time_s[row] > 10.).collect();
    let rtts = rows.iter().filter_map(|&row| series.rtt_ms[row]).collect();
    let windows = rows.iter().map(|&row| series.cwnd_segments[row]).collect();
    let rate = rows.iter().map(|&row| series.throughput_mbps[row]).sum::<f64>() / rows.len() as f64;
    (percentiles(rtts), percentiles(windows), rate * 1448. / 1514.)
}

/// Compares a run with each measured one, of which the figures `apart` are further away than the others; returns the
/// 95th percentiles of RTT, simulated and measured.
fn compare(text: &str, measured: &[Measured], apart: &[Figure]) -> Vec<(f64, f64)> {
    let is_near = |simulated: f64, measured: f64| (simulated - measured).abs() <= 0.1 * measured;
    let one = |&(rate, delay, rtts, windows, mean_rate): &Measured| {
        let ours = simulated(&run(text, rate, delay));
        let figures = [("rtt", ours.0, rtts), ("window", ours.1, windows)];
        for (name, simulated, measured) in figures {
            for part in 0..3 {
                let near = is_near(simulated[part], measured[part]);
                assert_eq!(near, !apart.contains(&(rate, delay, name, part)), "{rate}, {delay}, {name}: {ours:?}");
            }
        }
        assert!(is_near(ours.2, mean_rate), "{rate}, {delay}: {ours:?}");
        (ours.0[2], rtts[2])
    };
    measured.iter().map(one).collect()
}

#[test]
fn cubic_on_fq_codel_is_as_measured() {
    compare(include_str!("../../../../../scenarios/l4s/cubic-20mbit.toml"), &CUBIC, &[]);
}

#[test]
fn prague_on_dualpi2_is_as_measured() {
    let text = include_str!("../../../../../scenarios/l4s/prague-20mbit.toml");
    for (simulated, measured) in compare(text, &PRAGUE, PRAGUE_APART) {
        assert!((simulated - measured).abs() < 1., "{simulated} {measured}");
    }
}

/// What answers marks by their number keeps the L queue short beside Prague, and leaves it half of the link.
#[test]
fn a_scalable_cut_keeps_the_low_latency_queue_short() {
    let text = include_str!("../../../../../scenarios/l4s/vegas-beside-prague.toml");
    for preset in ["cubic", "vegas", "gallop"] {
        let text = text.replace("preset = \"vegas\"", &format!("preset = \"{preset}\""));
        let outcome = run(&text, "20mbit", "10ms");
        let [_, median, greatest] = simulated(&outcome).0;
        assert!(median < 23. && greatest < 25., "{preset}: {median} {greatest}");
        assert!(outcome.flows.iter().all(|flow| flow.throughput_mbps > 7.), "{preset}");
    }
}
