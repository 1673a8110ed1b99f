//! The recording of rows during a run, and of the totals at its end.

use vegas_core::Phase;
use vegas_core::units::{Span, Time};

use super::link_totals::LinkTotals;
use super::outcome::{FlowOutcome, FlowSeries, LinkOutcome, LinkSeries, Outcome, QueueOutcome, QueueingTimes};
use super::totals::{FlowTotals, segments_f64};
use crate::scenario::{LinkId, Sampling, Scenario};

/// Collects the time series.
#[derive(Debug)]
pub(crate) struct Recorder {
    sampling: Sampling,
    flow_series: FlowSeries,
    link_series: LinkSeries,
    /// The state of each flow at its last row.
    flow_marks: Vec<Mark>,
    /// The state of each link at its last row.
    link_marks: Vec<LinkMark>,
    /// The expected number of rows in the series of flows and of links; 0 if it is not known.
    rows_to_come: [u64; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    time: Time,
    bytes: u64,
    /// The window and the phase.
    state: (u64, u8),
}

#[derive(Clone, Copy, Debug, Default)]
struct LinkMark {
    time: Time,
    bytes: u64,
    busy: Span,
}

impl Recorder {
    /// Reserves memory for the rows `to_come` of the series of flows and of links ([`Recorder::rows_of`]).
    pub(crate) fn new(sampling: Sampling, links: usize, flows: usize, to_come: [u64; 2]) -> Self {
        let (links, flows) = if sampling == Sampling::Off { (0, 0) } else { (links, flows) };
        let [flow_rows, link_rows] = to_come.map(|rows| rows as usize);
        Recorder {
            sampling,
            flow_series: FlowSeries::with_capacity(flow_rows),
            link_series: LinkSeries::with_capacity(link_rows),
            rows_to_come: to_come,
            flow_marks: vec![Mark::default(); flows],
            link_marks: vec![LinkMark::default(); links],
        }
    }

    /// The rows of flows and of links so far.
    pub(crate) fn series(&self) -> (&FlowSeries, &LinkSeries) {
        (&self.flow_series, &self.link_series)
    }

    /// Returns whether a row is due at every change, rather than at fixed steps.
    pub(crate) fn every_change(&self) -> bool {
        self.sampling == Sampling::EveryChange
    }

    /// When rows are due.
    pub(crate) fn sampling(&self) -> Sampling {
        self.sampling
    }

    /// Returns whether a flow's window or its phase has changed since the last call.
    pub(crate) fn is_new_state(&mut self, id: usize, totals: &FlowTotals) -> bool {
        let state = (totals.status.window.as_raw(), phase(totals));
        std::mem::replace(&mut self.flow_marks[id].state, state) != state
    }

    /// Adds a row for a flow.
    pub(crate) fn flow_row(&mut self, now: Time, id: usize, totals: &FlowTotals) {
        let status = &totals.status;
        let mark = &mut self.flow_marks[id];
        let received = totals.counts.wire_bytes;
        let series = &mut self.flow_series;
        series.time_s.push(seconds(now));
        series.flow.push(id as u32);
        series.cwnd_segments.push(segments_f64(status.window));
        series.ssthresh_segments.push(status.ssthresh.map(|segments| f64::from(segments.0)));
        series.in_flight_segments.push(totals.in_flight.0);
        series.rtt_ms.push(totals.rtt.newest.map(millis));
        series.base_rtt_ms.push(status.base_rtt.map(millis));
        series.diff_segments.push(status.diff.map(f64::from));
        series.phase.push(phase(totals));
        series.acked_bytes.push(totals.counts.acked_bytes);
        series.retransmits.push(totals.counts.segments_retransmitted);
        series.timeouts.push(totals.counts.timeouts);
        series.throughput_mbps.push(mbps(received - mark.bytes, now.since(mark.time)));
        mark.time = now;
        mark.bytes = received;
    }

    /// Adds a row for a link.
    pub(crate) fn link_row(&mut self, now: Time, id: LinkId, totals: &LinkTotals) {
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
        series.utilisation.push(ratio(totals.busy.less(mark.busy), span));
        *mark = LinkMark { time: now, bytes: totals.departed_bytes, busy: totals.busy };
    }

    /// Returns the number of rows that the series of flows and of links will have; 0 if it is not known in advance.
    pub(crate) fn rows_of(scenario: &Scenario) -> [u64; 2] {
        let samples = match scenario.sampling {
            Sampling::Every(step) if !scenario.until_complete => scenario.duration.as_nanos() / step.as_nanos(),
            _ => 0,
        };
        [scenario.flows.len(), scenario.links.len()].map(|rows| samples * rows as u64)
    }

    /// Returns the number of rows that the series will have in the end, or after the next sample if the end is not
    /// known.
    pub(crate) fn rows_to_come(&self) -> [u64; 2] {
        let next = match self.sampling {
            Sampling::Every(_) => [self.flow_marks.len() as u64, self.link_marks.len() as u64],
            Sampling::EveryChange | Sampling::Off => [0, 0],
        };
        let [flows, links] = self.rows();
        [(flows + next[0]).max(self.rows_to_come[0]), (links + next[1]).max(self.rows_to_come[1])]
    }

    /// The number of rows in the series of flows and of links.
    pub(crate) fn rows(&self) -> [u64; 2] {
        [self.flow_series.time_s.len(), self.link_series.time_s.len()].map(|rows| rows as u64)
    }

    /// Returns the memory of the series, bytes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let [flows, links] = self.rows();
        Recorder::rows_bytes(flows, links)
    }

    /// Returns the memory of this number of rows of flows and of links, bytes: the sum of their values' sizes.
    pub(crate) fn rows_bytes(flows: u64, links: u64) -> u64 {
        const FLOW_ROW: u64 = 121;
        const LINK_ROW: u64 = 52;
        flows * FLOW_ROW + links * LINK_ROW
    }

    /// Returns the outcome with the series.
    pub(crate) fn finish(mut self, mut outcome: Outcome) -> Outcome {
        if self.every_change() {
            sort_by_time(&mut self.link_series);
        }
        outcome.flow_series = self.flow_series;
        outcome.link_series = self.link_series;
        outcome
    }
}

/// Sorts the rows by time: a link's departures are recorded only when the link is next sampled.
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

/// The totals at the run's end of a flow that began at `start`.
pub(crate) fn flow_outcome(totals: &FlowTotals, start: Time, run_end: Time) -> FlowOutcome {
    let active = totals.over.unwrap_or(run_end).since(start);
    let base_rtt = totals.status.base_rtt.or(totals.rtt.least);
    FlowOutcome {
        start_s: seconds(start),
        throughput_mbps: mbps(totals.counts.wire_bytes, active),
        goodput_mbps: mbps(totals.counts.delivered_bytes, active),
        delivered_bytes: totals.counts.delivered_bytes,
        completion_s: totals.transferred.map(|completed| seconds_of(completed.since(start))),
        segments_sent: totals.counts.segments_sent,
        segments_retransmitted: totals.counts.segments_retransmitted,
        timeouts: totals.counts.timeouts,
        ecn_reductions: totals.counts.ecn_reductions,
        mean_rtt_ms: (totals.rtt.samples > 0).then(|| totals.rtt.sum_ns as f64 / totals.rtt.samples as f64 / 1e6),
        base_rtt_ms: base_rtt.map(millis),
        slow_start_end_s: totals.slow_start_exit.map(|(time, _)| seconds(time)),
        cwnd_at_slow_start_end: totals.slow_start_exit.map(|(_, window)| segments_f64(window)),
        final_cwnd_segments: segments_f64(totals.status.window),
        mean_cwnd_segments: totals.mean_window_segments,
    }
}

/// A link's totals at the run's end.
pub(crate) fn link_outcome(
    totals: &LinkTotals,
    (queueing, queues): (Option<QueueingTimes>, Vec<QueueOutcome>),
    end: Time,
) -> LinkOutcome {
    let run = end.since(Time::ZERO);
    LinkOutcome {
        max_queue_packets: u64::from(totals.max_queue_packets),
        mean_queue_packets: totals.waited_ns as f64 / run.as_nanos().max(1) as f64,
        drops: totals.drops,
        marks: totals.marks,
        utilisation: ratio(totals.busy, run),
        queueing,
        queues,
    }
}

/// Returns the phase as an index into [`crate::measure::outcome::PHASES`].
fn phase(totals: &FlowTotals) -> u8 {
    match (totals.active, totals.in_recovery, totals.status.phase) {
        (false, _, _) => 0,
        (true, true, _) => 3,
        (true, false, Phase::SlowStart) => 1,
        (true, false, Phase::Avoidance) => 2,
    }
}

/// An instant in s.
pub(crate) fn seconds(time: Time) -> f64 {
    time.as_nanos() as f64 / 1e9
}

pub(crate) fn seconds_of(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e9
}

pub(crate) fn millis(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e6
}

/// A rate from bytes over a span, Mb/s; 0 if the span is zero.
pub(crate) fn mbps(bytes: u64, span: Span) -> f64 {
    if span == Span::ZERO { 0.0 } else { bytes as f64 * 8e3 / span.as_nanos() as f64 }
}

/// The part of a span, 0 to 1; 0 if the span is zero.
fn ratio(part: Span, span: Span) -> f64 {
    if span == Span::ZERO { 0.0 } else { part.as_nanos() as f64 / span.as_nanos() as f64 }
}
