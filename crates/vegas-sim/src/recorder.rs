//! What is written down during a run, and the totals at its end.

use vegas_core::Phase;
use vegas_core::aqt::Stamps;
use vegas_core::units::{Span, Time};

use crate::engine::Flow;
use crate::foreign::Totals;
use crate::links::Links;
use crate::outcome::{CapturePoint, CapturedPacket, FlowOutcome, FlowSeries, LinkOutcome, LinkSeries, Outcome};
use crate::packet::{Ecn, Packet, PacketKind, SackBlocks};
use crate::scenario::{LinkId, Sampling};
use crate::tcp::segments_f64;

/// Collects the time series.
#[derive(Debug)]
pub(crate) struct Recorder {
    sampling: Sampling,
    flow_series: FlowSeries,
    link_series: LinkSeries,
    /// What each flow had received at its last row.
    flow_marks: Vec<Mark>,
    /// What each link had sent at its last row.
    link_marks: Vec<LinkMark>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    time: Time,
    bytes: u64,
    window_raw: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct LinkMark {
    time: Time,
    bytes: u64,
    busy_ns: u64,
}

impl Recorder {
    pub(crate) fn new(sampling: Sampling, links: usize, flows: usize) -> Self {
        let (links, flows) = if sampling == Sampling::Off { (0, 0) } else { (links, flows) };
        Recorder {
            sampling,
            flow_series: FlowSeries::default(),
            link_series: LinkSeries::default(),
            flow_marks: vec![Mark::default(); flows],
            link_marks: vec![LinkMark::default(); links],
        }
    }

    /// Whether a row is due at every change, rather than at fixed steps.
    pub(crate) fn every_change(&self) -> bool {
        self.sampling == Sampling::EveryChange
    }

    /// A row for every flow and link, and when the next is due. The links' queues are up to `now`.
    pub(crate) fn sample(&mut self, now: Time, flows: &mut [Flow], links: &mut Links) -> Time {
        for (id, flow) in flows.iter_mut().enumerate() {
            let mut totals = totals(flow, now);
            totals.wire_bytes = flow.received.look(|| totals.wire_bytes);
            self.push_flow(now, id, &totals);
        }
        for link in 0..links.len() {
            self.push_link(now, link, links);
        }
        match self.sampling {
            Sampling::Every(step) => now + step,
            Sampling::EveryChange | Sampling::Off => Time::NEVER,
        }
    }

    /// A row for a flow whose window may have changed.
    pub(crate) fn flow_row(&mut self, now: Time, id: usize, flow: &Flow) {
        let window_raw = match &flow.foreign {
            None => flow.sender.state().window().as_raw(),
            Some(connection) => connection.totals(now).state.window().as_raw(),
        };
        if self.flow_marks[id].window_raw != window_raw {
            self.flow_marks[id].window_raw = window_raw;
            self.push_flow(now, id, &totals(flow, now));
        }
    }

    /// A row for a link whose queue has changed.
    pub(crate) fn link_row(&mut self, now: Time, id: LinkId, links: &mut Links) {
        self.push_link(now, id, links);
    }

    fn push_flow(&mut self, now: Time, id: usize, totals: &Totals) {
        let state = &totals.state;
        let mark = &mut self.flow_marks[id];
        let received = totals.wire_bytes;
        let series = &mut self.flow_series;
        series.time_s.push(seconds(now));
        series.flow.push(id as u32);
        series.cwnd_segments.push(segments_f64(state.window()));
        series.ssthresh_segments.push(state.ssthresh().map(|segments| f64::from(segments.0)));
        series.in_flight_segments.push(totals.in_flight.0);
        series.rtt_ms.push(totals.rtt.newest.map(millis));
        series.base_rtt_ms.push(state.base_rtt().map(millis));
        series.diff_segments.push(state.diff().map(f64::from));
        series.phase.push(phase(totals));
        series.acked_bytes.push(totals.acked_bytes);
        series.retransmits.push(totals.segments_retransmitted);
        series.timeouts.push(totals.timeouts);
        series.throughput_mbps.push(mbps(received - mark.bytes, now.since(mark.time)));
        mark.time = now;
        mark.bytes = received;
    }

    fn push_link(&mut self, now: Time, id: LinkId, links: &mut Links) {
        let totals = links.totals(id, now);
        let mark = &mut self.link_marks[id];
        let series = &mut self.link_series;
        let span = now.since(mark.time);
        series.time_s.push(seconds(now));
        series.link.push(id as u32);
        series.queue_packets.push(totals.queue_packets);
        series.queue_bytes.push(totals.queue_bytes);
        series.max_queue_packets.push(totals.step_max_queue_packets);
        series.drops.push(totals.drops);
        series.throughput_mbps.push(mbps(totals.departed_bytes - mark.bytes, span));
        series.utilisation.push(ratio(totals.busy_ns - mark.busy_ns, span));
        *mark = LinkMark { time: now, bytes: totals.departed_bytes, busy_ns: totals.busy_ns };
        links.begin_step(id, totals.queue_packets);
    }

    /// What the series hold, bytes: at most 16 a value.
    pub(crate) fn memory_bytes(&self) -> u64 {
        const FLOW_ROW: u64 = 13 * 16;
        const LINK_ROW: u64 = 8 * 16;
        self.flow_series.time_s.len() as u64 * FLOW_ROW + self.link_series.time_s.len() as u64 * LINK_ROW
    }

    /// The totals, with the series.
    pub(crate) fn finish(mut self, end: Time, flows: Vec<Flow>, links: Links, mut outcome: Outcome) -> Outcome {
        if self.every_change() {
            sort_by_time(&mut self.link_series);
        }
        outcome.flows = flows.iter().map(|flow| flow_outcome(flow, end)).collect();
        drop(flows);
        outcome.links = (0..links.len()).map(|link| link_outcome(&links, link, end)).collect();
        outcome.flow_series = self.flow_series;
        outcome.link_series = self.link_series;
        outcome
    }
}

/// Departures are written down when the link is next looked at: put them where they belong.
fn sort_by_time(series: &mut LinkSeries) {
    let mut order: Vec<usize> = (0..series.time_s.len()).collect();
    order.sort_by(|&a, &b| series.time_s[a].total_cmp(&series.time_s[b]).then(series.link[a].cmp(&series.link[b])));
    fn pick<T: Copy>(column: &mut Vec<T>, order: &[usize]) {
        *column = order.iter().map(|&row| column[row]).collect();
    }
    pick(&mut series.time_s, &order);
    pick(&mut series.link, &order);
    pick(&mut series.queue_packets, &order);
    pick(&mut series.queue_bytes, &order);
    pick(&mut series.max_queue_packets, &order);
    pick(&mut series.drops, &order);
    pick(&mut series.throughput_mbps, &order);
    pick(&mut series.utilisation, &order);
}

fn flow_outcome(flow: &Flow, run_end: Time) -> FlowOutcome {
    let totals = totals(flow, run_end);
    let active = totals.over.unwrap_or(run_end).since(flow.start);
    let base_rtt = totals.state.base_rtt().or(totals.rtt.least);
    FlowOutcome {
        start_s: seconds(flow.start),
        throughput_mbps: mbps(totals.wire_bytes, active),
        goodput_mbps: mbps(totals.delivered_bytes, active),
        delivered_bytes: totals.delivered_bytes,
        completion_s: totals.transferred.map(|completed| seconds_of(completed.since(flow.start))),
        segments_sent: totals.segments_sent,
        segments_retransmitted: totals.segments_retransmitted,
        timeouts: totals.timeouts,
        ecn_reductions: totals.ecn_reductions,
        mean_rtt_ms: (totals.rtt.samples > 0).then(|| totals.rtt.sum_ns as f64 / totals.rtt.samples as f64 / 1e6),
        base_rtt_ms: base_rtt.map(millis),
        slow_start_end_s: totals.slow_start_exit.map(|(time, _)| seconds(time)),
        cwnd_at_slow_start_end: totals.slow_start_exit.map(|(_, window)| segments_f64(window)),
        final_cwnd_segments: segments_f64(totals.state.window()),
        mean_cwnd_segments: totals.mean_window_segments,
    }
}

fn totals(flow: &Flow, now: Time) -> Totals {
    if let Some(connection) = &flow.foreign {
        return connection.totals(now);
    }
    let (sender, stats) = (&flow.sender, &flow.sender.stats);
    Totals {
        state: *sender.state(),
        active: sender.is_active(),
        in_recovery: sender.in_recovery(),
        in_flight: sender.in_flight(),
        wire_bytes: flow.receiver.wire_bytes,
        delivered_bytes: flow.receiver.next_expected(),
        acked_bytes: sender.acked_bytes(),
        segments_sent: stats.segments_sent,
        segments_retransmitted: stats.retransmitted,
        timeouts: stats.timeouts,
        ecn_reductions: stats.ecn_reductions,
        rtt: stats.rtt(),
        slow_start_exit: stats.slow_start_exit,
        over: stats.completed,
        transferred: sender.transferred(),
        mean_window_segments: sender.mean_window(flow.start, stats.completed.unwrap_or(now)),
    }
}

fn link_outcome(links: &Links, id: LinkId, end: Time) -> LinkOutcome {
    let (run, totals) = (end.since(Time::ZERO), links.totals(id, end));
    LinkOutcome {
        max_queue_packets: u64::from(totals.max_queue_packets),
        mean_queue_packets: totals.waited_ns as f64 / run.as_nanos().max(1) as f64,
        drops: totals.drops,
        marks: totals.marks,
        utilisation: ratio(totals.busy_ns, run),
        queueing: links.queueing_times(id),
    }
}

/// Index into [`crate::outcome::PHASES`].
fn phase(totals: &Totals) -> u8 {
    match (totals.active, totals.in_recovery, totals.state.phase()) {
        (false, _, _) => 0,
        (true, true, _) => 3,
        (true, false, Phase::SlowStart) => 1,
        (true, false, Phase::Avoidance) => 2,
    }
}

/// A packet for the capture file.
pub(crate) fn capture(
    now: Time,
    point: CapturePoint,
    packet: &Packet,
    sack: &SackBlocks,
    flow: &Flow,
) -> CapturedPacket {
    let is_data = packet.kind() == PacketKind::Data;
    CapturedPacket {
        time_ns: now.as_nanos(),
        flow: packet.flow(),
        point,
        sequence: if is_data { packet.sequence } else { 0 },
        acknowledgement: if is_data { 0 } else { packet.sequence },
        payload: flow.payload_of(packet) as u32,
        wire: u32::from(packet.wire()),
        sack: sack.blocks,
        sack_blocks: sack.count,
        syn: matches!(packet.kind(), PacketKind::Syn | PacketKind::SynAck),
        codepoint: packet.ecn().codepoint(),
        ece: packet.ecn().has(Ecn::ECHO),
        cwr: packet.ecn().has(Ecn::REDUCED),
        stamps: flow.asks_routers().then_some(Stamps { aqt: packet.aqt(), echo: sack.echo }),
    }
}

/// An instant in s.
pub(crate) fn seconds(time: Time) -> f64 {
    time.as_nanos() as f64 / 1e9
}

pub(crate) fn seconds_of(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e9
}

fn millis(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e6
}

/// Bytes over a span, in Mb/s; 0 over no time.
pub(crate) fn mbps(bytes: u64, span: Span) -> f64 {
    if span == Span::ZERO { 0.0 } else { bytes as f64 * 8e3 / span.as_nanos() as f64 }
}

/// Part of a span; 0 of no time.
fn ratio(part_ns: u64, span: Span) -> f64 {
    if span == Span::ZERO { 0.0 } else { part_ns as f64 / span.as_nanos() as f64 }
}
