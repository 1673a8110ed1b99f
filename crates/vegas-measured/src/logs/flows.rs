//! The flows of a log: each sample becomes a row of the series, and all of a flow its totals.

use std::collections::BTreeMap;

use crate::error::Read;
use crate::source::TIME_MAX;
use crate::tables::rows::{Flow, FlowSample};
use crate::tables::{FLOWS_MAX, Histogram, Recorder};

/// What a log says about a flow at an instant. Counts are since the flow's start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) cwnd_segments: Option<f64>,
    pub(crate) ssthresh_segments: Option<f64>,
    pub(crate) in_flight_segments: Option<f64>,
    pub(crate) in_flight_bytes: Option<u64>,
    pub(crate) rtt_ms: Option<f64>,
    pub(crate) base_rtt_ms: Option<f64>,
    pub(crate) acked_bytes: Option<u64>,
    pub(crate) segments_sent: Option<u64>,
    pub(crate) retransmits: Option<u64>,
    pub(crate) timeouts: Option<u64>,
    /// Over the time since the reading before; worked out of `acked_bytes` if it is not given.
    pub(crate) delivered_mbps: Option<f64>,
    pub(crate) sent_mbps: Option<f64>,
    pub(crate) window_bytes: Option<u64>,
    pub(crate) delivery_rate_mbps: Option<f64>,
    pub(crate) pacing_rate_mbps: Option<f64>,
    pub(crate) marks: Option<u64>,
    pub(crate) mss_bytes: Option<u32>,
}

/// The flows of a log, by the names that it gives them.
#[derive(Debug, Default)]
pub(crate) struct LogFlows {
    flows: BTreeMap<String, LogFlow>,
    /// Readings of flows beyond the most that are listed.
    pub(crate) left_out: u64,
}

#[derive(Debug, Default)]
struct LogFlow {
    id: u32,
    transport: &'static str,
    algorithm: Option<String>,
    first_at: i64,
    last_at: i64,
    first_acked: Option<u64>,
    last: Reading,
    rtts: Histogram,
    cwnd_sum: f64,
    cwnd_count: u64,
    most_in_flight: Option<u64>,
    most_window: Option<u64>,
    readings: u64,
}

impl LogFlows {
    /// Takes a reading of the flow of this name, at `at` ns since 1970, or since any other beginning.
    pub(crate) fn take(
        &mut self,
        name: &str,
        transport: &'static str,
        at: i64,
        reading: Reading,
        recorder: &mut Recorder,
    ) -> Read<()> {
        let at = at.clamp(0, TIME_MAX);
        if !self.flows.contains_key(name) {
            let Some(id) = recorder.new_flow().filter(|_| self.flows.len() < FLOWS_MAX) else {
                self.left_out += 1;
                return Ok(());
            };
            self.flows.insert(name.to_owned(), LogFlow { id, transport, first_at: at, ..LogFlow::default() });
        }
        let flow = self.flows.get_mut(name).expect("it is there");
        let time_s = recorder.seconds(at);
        recorder.sample(flow.take(at, time_s, reading))
    }

    /// Notes which congestion control a flow has.
    pub(crate) fn algorithm(&mut self, name: &str, algorithm: &str) {
        if let Some(flow) = self.flows.get_mut(name) {
            flow.algorithm = Some(algorithm.to_owned());
        }
    }

    /// Notes which congestion control all flows have.
    pub(crate) fn algorithm_of_all(&mut self, algorithm: &str) {
        self.flows.values_mut().for_each(|flow| flow.algorithm = Some(algorithm.to_owned()));
    }

    /// The number of the flow of this name, once it has a reading.
    pub(crate) fn id(&self, name: &str) -> Option<u32> {
        self.flows.get(name).map(|flow| flow.id)
    }

    /// Lists the flows.
    pub(crate) fn finish(self, recorder: &mut Recorder) {
        if self.left_out > 0 {
            recorder.odd(format!("{} readings of flows beyond {FLOWS_MAX} are left out", self.left_out));
        }
        for (connection, flow) in self.flows {
            let row = flow.row(connection, recorder);
            recorder.flows.push(row);
        }
    }
}

impl LogFlow {
    fn take(&mut self, at: i64, time_s: f64, reading: Reading) -> FlowSample {
        let since_s = (at - self.last_at) as f64 / 1e9;
        let grown = self.last.acked_bytes.zip(reading.acked_bytes).map(|(before, now)| now.saturating_sub(before));
        let worked_out =
            grown.filter(|_| self.readings > 0 && since_s > 0.0).map(|bytes| bytes as f64 * 8e-6 / since_s);
        let delivered_mbps = reading.delivered_mbps.or(worked_out);
        if let Some(rtt_ms) = reading.rtt_ms {
            self.rtts.add(rtt_ms);
        }
        if let Some(cwnd) = reading.cwnd_segments {
            (self.cwnd_sum, self.cwnd_count) = (self.cwnd_sum + cwnd, self.cwnd_count + 1);
        }
        self.first_acked = self.first_acked.or(reading.acked_bytes);
        let mss = reading.mss_bytes.or(self.last.mss_bytes);
        let as_bytes = |segments: f64| (segments * f64::from(mss?)).max(0.0).to_u64();
        let in_flight_bytes = reading.in_flight_bytes.or_else(|| reading.in_flight_segments.and_then(as_bytes));
        self.most_in_flight = self.most_in_flight.max(in_flight_bytes);
        self.most_window = self.most_window.max(reading.window_bytes);
        self.readings += 1;
        self.last_at = at;
        let row = FlowSample {
            time_s,
            flow: self.id,
            cwnd_segments: reading.cwnd_segments,
            ssthresh_segments: reading.ssthresh_segments,
            in_flight_segments: reading.in_flight_segments.map(|segments| segments as u32),
            in_flight_bytes,
            rtt_ms: reading.rtt_ms,
            base_rtt_ms: reading.base_rtt_ms,
            acked_bytes: reading.acked_bytes,
            retransmits: reading.retransmits,
            timeouts: reading.timeouts,
            sent_mbps: reading.sent_mbps,
            delivered_mbps,
            window_bytes: reading.window_bytes,
            delivery_rate_mbps: reading.delivery_rate_mbps,
            pacing_rate_mbps: reading.pacing_rate_mbps,
            marks: reading.marks,
        };
        self.last = reading.over(&self.last);
        row
    }

    fn row(self, connection: String, recorder: &mut Recorder) -> Flow {
        let active_s = (self.last_at - self.first_at) as f64 / 1e9;
        let last = &self.last;
        let delivered = last.acked_bytes.zip(self.first_acked).map(|(last, first)| last.saturating_sub(first));
        let goodput = delivered.filter(|_| active_s > 0.0).map(|bytes| bytes as f64 * 8e-6 / active_s);
        let base = [last.base_rtt_ms, self.rtts.least()].into_iter().flatten().reduce(f64::min);
        Flow {
            id: self.id,
            connection,
            transport: self.transport,
            algorithm: self.algorithm,
            start_s: recorder.seconds(self.first_at),
            end_s: recorder.seconds(self.last_at),
            goodput_mbps: goodput,
            delivered_bytes: last.acked_bytes,
            segments_sent: last.segments_sent,
            segments_retransmitted: last.retransmits,
            timeouts: last.timeouts,
            marked_acks: last.marks,
            mean_rtt_ms: self.rtts.mean(),
            base_rtt_ms: base,
            p50_rtt_ms: self.rtts.percentile(0.5),
            p95_rtt_ms: self.rtts.percentile(0.95),
            max_in_flight_bytes: self.most_in_flight,
            max_window_bytes: self.most_window,
            mss_bytes: last.mss_bytes,
            final_cwnd_segments: last.cwnd_segments,
            mean_cwnd_segments: (self.cwnd_count > 0).then(|| self.cwnd_sum / self.cwnd_count as f64),
            ..Flow::default()
        }
    }
}

impl Reading {
    /// Returns the reading, with what it lacks from an earlier one.
    fn over(self, earlier: &Reading) -> Reading {
        Reading {
            cwnd_segments: self.cwnd_segments.or(earlier.cwnd_segments),
            base_rtt_ms: self.base_rtt_ms.or(earlier.base_rtt_ms),
            acked_bytes: self.acked_bytes.or(earlier.acked_bytes),
            segments_sent: self.segments_sent.or(earlier.segments_sent),
            retransmits: self.retransmits.or(earlier.retransmits),
            timeouts: self.timeouts.or(earlier.timeouts),
            marks: self.marks.or(earlier.marks),
            mss_bytes: self.mss_bytes.or(earlier.mss_bytes),
            ..self
        }
    }
}

/// A number as a count; none for one that is not finite.
trait ToCount {
    fn to_u64(self) -> Option<u64>;
}

impl ToCount for f64 {
    fn to_u64(self) -> Option<u64> {
        self.is_finite().then_some(self as u64)
    }
}
