//! The promises of the sources of Vegas's heirs: equilibria, fairness, and yielding to other flows.

mod background;
mod bbr;
mod cdg;
mod copa;
mod fast;
mod frcc;
mod nimbus;
mod rapid_start;
mod search;

use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

/// The size of a packet on the wire, bytes.
const PACKET: f64 = 1_000.0;

/// One bottleneck, and the flows over it.
struct Dumbbell<'a> {
    rate_mbps: u32,
    /// The propagation delay of both ways together; at least 4.
    rtt_ms: u32,
    /// The limit of the queue, packets.
    queue: u32,
    duration_s: u32,
    /// The preset and the start, s, of each flow.
    flows: &'a [(&'a str, u32)],
    /// Further lines of the scenario.
    more: &'a str,
}

impl Dumbbell<'_> {
    fn run(&self) -> Outcome {
        let Dumbbell { rate_mbps, rtt_ms, queue, duration_s, flows, more } = self;
        let delay_us = 500 * rtt_ms - 2_000;
        let flow = |(algorithm, start): &(&str, u32)| {
            format!("[[flow]]\nalgorithm = \"{algorithm}\"\nstart = \"{start}s\"\npacket = \"{PACKET}b\"\n")
        };
        let flows: String = flows.iter().map(flow).collect();
        run(&format!(
            r#"
            name = "heirs"
            duration = "{duration_s}s"
            sample = "10ms"
            [topology]
            kind = "dumbbell"
            access = {{ rate = "1gbit", delay = "1ms" }}
            bottleneck = {{ rate = "{rate_mbps}mbit", delay = "{delay_us}us", queue = "{queue}p" }}
            {flows}
            {more}
            "#
        ))
    }

    /// The transmission time of a packet at the bottleneck, ms.
    fn packet_ms(&self) -> f64 {
        PACKET * 8.0 / 1_000.0 / f64::from(self.rate_mbps)
    }
}

fn run(text: &str) -> Outcome {
    let scenario = Scenario::from_toml(text, "heirs.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario)
}

/// The rate on the wire that a flow receives between two times, Mb/s.
fn rate_mbps(outcome: &Outcome, flow: usize, from_s: f64, to_s: f64) -> f64 {
    let series = &outcome.flow_series;
    let is_there =
        |row: &usize| series.flow[*row] as usize == flow && series.time_s[*row] > from_s && series.time_s[*row] <= to_s;
    mean((0..series.time_s.len()).filter(is_there).map(|row| series.throughput_mbps[row]))
}

/// The part of one flow in what two flows receive between two times.
fn share(outcome: &Outcome, flow: usize, from_s: f64, to_s: f64) -> f64 {
    let own = rate_mbps(outcome, flow, from_s, to_s);
    own / (own + rate_mbps(outcome, 1 - flow, from_s, to_s))
}

/// The packets in the bottleneck's queue and transmitter at the sampling instants between two times.
fn queue(outcome: &Outcome, from_s: f64, to_s: f64) -> Vec<f64> {
    let series = &outcome.link_series;
    let is_there = |row: &usize| series.link[*row] == 0 && series.time_s[*row] > from_s && series.time_s[*row] <= to_s;
    let packets = |row: usize| f64::from(series.queue_packets[row]) + series.utilisation[row];
    (0..series.time_s.len()).filter(is_there).map(packets).collect()
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
