//! Agreement with TCP of Linux 6.1, trace by trace. `cargo test -p vegas-sim --test it agreement::linux -- --nocapture`
//! prints the table.
//!
//! The project set the limits before the first comparison: the window at the end of slow start within one segment, its
//! time within one round trip, the steady window of Vegas within one segment, period and peak of the saw-tooth within 5
//! %. Limits added later: Vegas's base RTT within 1 %, bytes and the link's busy time within 2 %, the longest queue,
//! losses and repairs within one. A run's name describes it ([`case`]). [`EXPLAINED`] names each difference beyond the
//! limits, with the section of docs/deviations.md that has the reason; an explanation without a difference fails, too.

mod case;
mod trace;

use case::{Case, Sender};
use trace::{Bottleneck, Trace, Traces};
use vegas_sim::outcome::{Incident, IncidentKind, Outcome};
use vegas_sim::scenario::Scenario;

use crate::agreement::comparison::{Agreement, Explained, Row, push};

/// The trace, the figure that differs, and the section of docs/deviations.md.
const EXPLAINED: &[Explained] = &[
    ("S8_reno", "window there", AT_ONCE),
    ("S8_reno", "retransmitted", AT_ONCE),
    ("S8_reno", "packets the queue lost", AT_ONCE),
    ("S8_vegas_a2b4g1", "window there", AT_ONCE),
    ("S8_vegas_a2b4g1", "retransmitted", AT_ONCE),
    ("S8_vegas_a2b4g1", "packets the queue lost", AT_ONCE),
    ("S4_cubic_nohystart", "packets the queue lost", END),
    ("S3_nv", "steady window", NV_DRAWS),
    ("S3_nv", "longest queue, packets", NV_DRAWS),
    ("S3_reno_delack_autotune", "window there", GROWING_WINDOW),
    ("S3_reno_delack_autotune", "retransmitted", GROWING_WINDOW),
    ("S3_reno_delack_autotune", "packets the queue lost", GROWING_WINDOW),
    ("S3_cdg", "window there", CDG_DRAWS),
    ("S3_cdg", "steady window", CDG_DRAWS),
    ("S3_cdg", "bytes delivered", CDG_DRAWS),
    ("S3_cdg", "retransmitted", CDG_DRAWS),
    ("S3_cdg", "longest queue, packets", CDG_DRAWS),
    ("S3_cdg", "packets the queue lost", CDG_DRAWS),
    ("S3_cdg", "link busy, s", CDG_DRAWS),
    ("S6_cdg_vs_reno, flow 0", "slow start ends, s", CDG_DRAWS),
    ("S6_cdg_vs_reno, flow 0", "window there", CDG_DRAWS),
    ("S6_cdg_vs_reno, flow 0", "bytes delivered", CDG_DRAWS),
    ("S6_cdg_vs_reno, flow 0", "retransmitted", CDG_DRAWS),
    ("S6_cdg_vs_reno, flow 1", "window there", CDG_DRAWS),
    ("S6_cdg_vs_reno, flow 1", "saw-tooth period, s", CDG_DRAWS),
    ("S6_cdg_vs_reno, flow 1", "saw-tooth peak", CDG_DRAWS),
    ("S6_cdg_vs_reno, flow 1", "bytes delivered", CDG_DRAWS),
    ("S6_cdg_vs_reno, flow 1", "retransmitted", CDG_DRAWS),
    ("S6_cdg_vs_reno", "packets the queue lost", CDG_DRAWS),
    ("S6_nv_vs_reno, flow 0", "steady window", NV_DRAWS),
    ("S6_nv_vs_reno, flow 0", "bytes delivered", NV_DRAWS),
    ("S6_nv_vs_reno, flow 1", "saw-tooth period, s", NV_DRAWS),
    ("S6_nv_vs_reno, flow 1", "saw-tooth peak", NV_DRAWS),
    ("S6_nv_vs_reno, flow 1", "bytes delivered", NV_DRAWS),
    ("S6_nv_vs_reno, flow 1", "retransmitted", NV_DRAWS),
    ("S6_nv_vs_reno", "packets the queue lost", NV_DRAWS),
    ("S3_lp_ts1", "window there", LP),
    ("S6_lp_vs_reno_ts1, flow 0", "retransmitted", LP),
    ("S6_lp_vs_reno_ts1, flow 1", "retransmitted", LP),
    ("S1_bbr", "retransmitted", BBR),
    ("S1_bbr", "packets the queue lost", BBR),
    ("S6_bbr_vs_cubic_nohystart, flow 0", "bytes delivered", BBR),
    ("S6_bbr_vs_cubic_nohystart, flow 0", "retransmitted", BBR),
    ("S6_bbr_vs_cubic_nohystart, flow 0", "steady window", BBR),
    ("S6_bbr_vs_cubic_nohystart, flow 1", "saw-tooth period, s", BBR),
    ("S6_bbr_vs_cubic_nohystart, flow 1", "saw-tooth peak", BBR),
    ("S6_bbr_vs_cubic_nohystart, flow 1", "bytes delivered", BBR),
    ("S6_bbr_vs_cubic_nohystart, flow 1", "retransmitted", BBR),
    ("S6_bbr_vs_cubic_nohystart", "packets the queue lost", BBR),
    ("S6_bbr_vs_reno, flow 0", "retransmitted", BBR),
    ("S6_bbr_vs_reno, flow 1", "bytes delivered", BBR),
    ("S6_bbr_vs_reno, flow 1", "retransmitted", BBR),
    ("S6_bbr_vs_reno", "packets the queue lost", BBR),
    ("S1_bbr3", "retransmitted", BBR),
    ("S1_bbr3", "packets the queue lost", BBR),
    ("S3_bbr3", "retransmitted", BBR),
    ("S3_bbr3", "packets the queue lost", BBR),
    ("S3_bbr3_q60_half_bdp", "retransmitted", BBR),
    ("S3_bbr3_q60_half_bdp", "packets the queue lost", BBR),
    ("S6_bbr3_vs_cubic_nohystart, flow 0", "steady window", BBR),
    ("S6_bbr3_vs_cubic_nohystart, flow 0", "bytes delivered", BBR),
    ("S6_bbr3_vs_cubic_nohystart, flow 0", "retransmitted", BBR),
    ("S6_bbr3_vs_cubic_nohystart, flow 1", "saw-tooth peak", BBR),
    ("S6_bbr3_vs_cubic_nohystart, flow 1", "bytes delivered", BBR),
    ("S6_bbr3_vs_cubic_nohystart", "packets the queue lost", BBR),
    ("S6_bbr3_vs_reno, flow 0", "steady window", BBR),
    ("S6_bbr3_vs_reno, flow 0", "bytes delivered", BBR),
    ("S6_bbr3_vs_reno, flow 1", "bytes delivered", BBR),
    ("S6_bbr3_vs_reno, flow 1", "saw-tooth period, s", BBR),
    ("S6_bbr3_vs_reno, flow 1", "saw-tooth peak", BBR),
    ("S6_bbr3_vs_reno, flow 1", "retransmitted", BBR),
    ("S6_bbr3_vs_reno", "packets the queue lost", BBR),
];

const AT_ONCE: &str = "A packet that arrives as another leaves";
const END: &str = "A loss at the end";
const NV_DRAWS: &str = "Random numbers of NV";
const LP: &str = "LP of the kernel";
const CDG_DRAWS: &str = "Random numbers of CDG";
const BBR: &str = "Random numbers of BBR";
const GROWING_WINDOW: &str = "A receive window that grows";

#[test]
fn every_reference_trace() {
    let mut agreement = Agreement::with("Linux", EXPLAINED);
    for folder in ["linux", "linux-rivals"] {
        compare_runs(&Traces::read(folder), &mut agreement);
    }
    agreement.finish();
}

fn compare_runs(traces: &Traces, agreement: &mut Agreement) {
    for (run, flows) in traces.runs() {
        let case = match Case::of(&run) {
            Ok(case) => case,
            Err(why) => {
                println!("not compared: {run}: {why}");
                continue;
            }
        };
        let outcome = simulate(&run, &case);
        let senders: Vec<&Sender> = [&case.first].into_iter().chain(case.second.iter().map(|(one, _)| one)).collect();
        assert_eq!(senders.len(), flows, "{run}: flows, and traces of them");
        for (index, sender) in senders.into_iter().enumerate() {
            let name = if flows == 1 { run.clone() } else { format!("{run}, flow {index}") };
            let flow = Flow { sender, index, outcome: &outcome };
            agreement.add(&name, compare(&case, &flow, &traces.flow(&run, index)));
        }
        agreement.add(&run, compare_bottleneck(&outcome, &traces.bottleneck(&run)));
    }
}

/// One of the simulator's flows.
struct Flow<'a> {
    sender: &'a Sender,
    index: usize,
    outcome: &'a Outcome,
}

/// Simulates a run. The sender's own interface is the bottleneck; the link for acknowledgements has no transmission
/// time.
fn simulate(run: &str, case: &Case) -> Outcome {
    let Case { rate, rtt_ms, queue, duration_s, .. } = case;
    let size = case.size.map_or(String::new(), |size| format!("size = \"{size}\""));
    let second =
        case.second.as_ref().map(|(sender, start_ms)| flow(case, sender, &format!("start = \"{start_ms}ms\"")));
    let first = flow(case, &case.first, &size);
    let second = second.unwrap_or_default();
    let one_way_us = rtt_ms * 500;
    let drops = drops(case);
    let text = format!(
        r#"
        name = "linux"
        duration = "{duration_s}s"
        sample = "change"
        [topology]
        kind = "graph"
        nodes = ["a", "b"]
        [[topology.link]]
        between = ["a", "b"]
        rate = "{rate}"
        delay = "{one_way_us}us"
        queue = "{queue}p"
        drop = {drops:?}
        backward = {{ rate = "1tbit", queue = "unlimited" }}
        {first}
        {second}
        "#
    );
    let scenario = Scenario::from_toml(&text, run, &[]).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario)
}

fn flow(case: &Case, sender: &Sender, more: &str) -> String {
    let (keys, header, initial_window, more_of_host) = (sender.keys(), case.header, case.initial_window, case.host);
    let (packet, timestamps) = (1000 + header, header > 40);
    format!(
        r#"
        [[flow]]
        {keys}
        from = "a"
        to = "b"
        host = {{ kind = "linux", timestamps = {timestamps}{more_of_host} }}
        packet = "{packet}b"
        header = "{header}b"
        initial_window = {initial_window}
        {more}
        "#
    )
}

/// The numbers of the data packets that are lost; four packets precede them.
fn drops(case: &Case) -> Vec<u32> {
    const BEFORE: u32 = 4;
    const PACKETS_MOST: u32 = 70_000;
    let numbers = |every: u32| (1..=PACKETS_MOST / every).map(|nth| every * nth - BEFORE).collect();
    case.drop_every.map_or(Vec::new(), numbers)
}

fn compare(case: &Case, ours: &Flow<'_>, trace: &Trace) -> Vec<Row> {
    let mut rows = Vec::new();
    let rtt_s = f64::from(case.rtt_ms) / 1000.0;
    let flow = &ours.outcome.flows[ours.index];
    let (time, window) = trace.slow_start_end();
    let end_s = flow.slow_start_end_s.expect("an end of slow start") - flow.start_s;
    push(&mut rows, "slow start ends, s", time, end_s, rtt_s);
    push(&mut rows, "window there", window, flow.cwnd_at_slow_start_end.expect("a window"), 1.0);
    if ours.sender.holds_its_window() {
        let end_s = flow.completion_s.unwrap_or(f64::from(case.duration_s) - flow.start_s);
        let of = ours.sender;
        let theirs = if of.is_bbr() { trace.sampled_windows() } else { trace.windows() };
        let (theirs, ours) = (mean_of_last_tenth(&theirs, end_s), mean_of_last_tenth(&ours.windows(), end_s));
        push(&mut rows, "steady window", theirs, ours, of.steady_within(theirs));
        if let Some(theirs) = trace.base_rtt_ms() {
            push(&mut rows, "base RTT, ms", theirs, flow.base_rtt_ms.expect("a base RTT"), 0.01 * theirs);
        }
    } else {
        saw_tooth(&mut rows, trace, ours);
    }
    let acked = flow.delivered_bytes as f64;
    push(&mut rows, "bytes delivered", trace.acked_bytes(), acked, 0.02 * trace.acked_bytes());
    push(&mut rows, "retransmitted", trace.retransmitted(), flow.segments_retransmitted as f64, CUT_SHORT);
    rows
}

/// Compares the bottleneck's figures.
fn compare_bottleneck(outcome: &Outcome, theirs: &Bottleneck) -> Vec<Row> {
    let mut rows = Vec::new();
    let link = &outcome.links[0];
    // the reference counts the packet in the transmitter
    push(&mut rows, "longest queue, packets", theirs.longest_queue, link.max_queue_packets as f64 + 1.0, 1.0);
    let lost = |incident: &&Incident| incident.kind == IncidentKind::QueueDrop && incident.link == Some(0);
    let lost = outcome.incidents.iter().filter(lost).count() as f64;
    push(&mut rows, "packets the queue lost", theirs.drops, lost, CUT_SHORT);
    push(&mut rows, "link busy, s", theirs.busy_s, link.utilisation * outcome.end_s, 0.02 * theirs.busy_s);
    rows
}

/// The end may cut a recovery short: one loss more or less, and one repair.
const CUT_SHORT: f64 = 1.0;

/// The mean over time of changes, which are pairs of time and window after.
fn mean_of_last_tenth(changes: &[(f64, f64)], end_s: f64) -> f64 {
    let begin_s = 0.9 * end_s;
    let ends = changes.iter().skip(1).map(|(time, _)| *time).chain([end_s]);
    let spans = changes.iter().zip(ends).map(|((from, window), to)| (to.min(end_s) - from.max(begin_s), window));
    spans.filter(|(span, _)| *span > 0.0).map(|(span, window)| span * window).sum::<f64>() / (end_s - begin_s)
}

fn saw_tooth(rows: &mut Vec<Row>, trace: &Trace, ours: &Flow<'_>) {
    let (theirs, ours) = (SawTooth::of(&trace.cuts()), SawTooth::of(&ours.cuts()));
    push(rows, "saw-tooth period, s", theirs.period, ours.period, 0.05 * theirs.period);
    push(rows, "saw-tooth peak", theirs.peak, ours.peak, 0.05 * theirs.peak);
}

/// The mean period and peak in the later half of the cuts.
struct SawTooth {
    period: f64,
    peak: f64,
}

impl SawTooth {
    /// Calculates them from cuts, which are pairs of time and window before.
    fn of(cuts: &[(f64, f64)]) -> SawTooth {
        let later = &cuts[cuts.len() / 2..];
        let (first, last) = (later[0].0, later[later.len() - 1].0);
        SawTooth {
            period: (last - first) / (later.len() - 1) as f64,
            peak: later.iter().map(|(_, window)| window).sum::<f64>() / later.len() as f64,
        }
    }
}

impl Flow<'_> {
    /// Returns when the simulator's recoveries began, and the windows before.
    fn cuts(&self) -> Vec<(f64, f64)> {
        const RECOVERY: u8 = 3;
        let series = &self.outcome.flow_series;
        let own = (0..series.time_s.len()).filter(|row| series.flow[*row] as usize == self.index);
        let rows: Vec<usize> = own.collect();
        let begins = |pair: &&[usize]| series.phase[pair[1]] == RECOVERY && series.phase[pair[0]] != RECOVERY;
        let windows = self.windows();
        let pairs = rows.windows(2).enumerate().filter(|(_, pair)| begins(pair));
        pairs.map(|(at, _)| (windows[at + 1].0, windows[at].1)).collect()
    }

    /// Returns pairs of time since the flow's start, and window.
    fn windows(&self) -> Vec<(f64, f64)> {
        let series = &self.outcome.flow_series;
        let start_s = self.outcome.flows[self.index].start_s;
        let rows = series.flow.iter().zip(series.time_s.iter().zip(&series.cwnd_segments));
        let own = rows.filter(|(flow, _)| **flow as usize == self.index);
        own.map(|(_, (time, window))| (time - start_s, *window)).collect()
    }
}
