//! The row of a host's flow.

use super::Side;
use crate::tables::Recorder;
use crate::tables::rows::Flow;
use crate::tcp::handshake::{Ecn, Handshake};
use crate::tcp::sender::Again;

impl Side {
    /// Returns the row of the flow to the host `other`.
    pub(crate) fn flow(
        &self,
        id: u32,
        other: &Side,
        handshake: &Handshake,
        is_client: bool,
        recorder: &mut Recorder,
    ) -> Flow {
        let (counts, trips) = (&self.sender.counts, &self.trips.all);
        let first = self.first_at.unwrap_or(self.last_at);
        let active_s = (self.last_at - first) as f64 / 1e9;
        let over = |bytes: f64| (active_s > 0.0).then(|| bytes * 8e-6 / active_s);
        let acked = counts.acked_bytes.max(0) as u64;
        let upstream = self.upstream(handshake, is_client);
        let flow = Flow {
            id,
            connection: format!("{} -> {}", self.end, other.end),
            transport: "tcp",
            start_s: recorder.seconds(first),
            end_s: recorder.seconds(self.last_at),
            sent_mbps: over(counts.ip_bytes as f64),
            goodput_mbps: over(acked as f64),
            delivered_bytes: Some(acked),
            completion_s: self.finished_at.map(|end| (end - first) as f64 / 1e9),
            mean_rtt_ms: trips.mean(),
            base_rtt_ms: trips.least(),
            p50_rtt_ms: trips.percentile(0.5),
            p95_rtt_ms: trips.percentile(0.95),
            upstream_rtt_ms: upstream.map(|ns| ns as f64 / 1e6),
            capture_point: self.capture_point(upstream),
            ..self.counted()
        };
        self.received(flow, other, handshake)
    }

    /// What was counted of the segments.
    fn counted(&self) -> Flow {
        let counts = &self.sender.counts;
        let again = |kind: Again| Some(counts.again[kind as usize]);
        Flow {
            segments_sent: Some(counts.segments),
            segments_retransmitted: Some(counts.retransmitted()),
            retransmitted_fast: again(Again::Fast),
            timeouts: again(Again::Timeout),
            retransmitted_after_timeout: again(Again::AfterTimeout),
            retransmitted_probe: again(Again::Probe),
            retransmitted_spurious: again(Again::Spurious),
            retransmitted_lost_before: again(Again::LostBefore),
            reported_twice: Some(counts.reported_twice),
            reordered: Some(counts.reordered),
            duplicate_acks: Some(counts.duplicate_acks),
            missing_bytes: Some(counts.missing_bytes.max(0) as u64),
            ecn_reductions: Some(self.marks.reductions),
            marks: Some(self.marks.segments),
            marked_acks: Some(self.marks.echoes),
            max_in_flight_bytes: Some(counts.most_in_flight.max(0) as u64),
            first_flight_bytes: Some(counts.first_flight.max(0) as u64),
            mss_bytes: u32::try_from(self.sender.mss).ok(),
            window_limited: Some(counts.window_limited),
            ..Flow::default()
        }
    }

    /// Adds what the receiver gave, and what both agreed on.
    fn received(&self, flow: Flow, other: &Side, handshake: &Handshake) -> Flow {
        Flow {
            first_window_bytes: other.windows.first,
            max_window_bytes: other.windows.largest,
            zero_windows: Some(other.windows.zeros),
            sack: handshake.sack(),
            timestamps: handshake.stamps(),
            ecn: handshake.ecn().map(Ecn::name),
            ..flow
        }
    }

    /// Where the capture was made: at a host if its half of the RTT is a fiftieth of the whole, or less.
    fn capture_point(&self, upstream: Option<i64>) -> Option<&'static str> {
        const HOST_PART: i64 = 50;
        let (up, down) = (upstream?, self.trips.least_downstream?);
        Some(match () {
            () if up * HOST_PART <= up + down => "sender",
            () if down * HOST_PART <= up + down => "receiver",
            () => "middle",
        })
    }
}
