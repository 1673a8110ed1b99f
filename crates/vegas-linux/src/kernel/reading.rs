//! The state of a connection at an instant, from the kernel's reports so far: a row of the simulator's series.

use vegas_core::units::Window;
use vegas_sim::outcome::FlowSeries;

use crate::abi::{EVENT_ACK, EVENT_START, EVENT_TIMEOUT, NONE_U32};
use crate::kernel::records::Record;

/// The newest state of a connection, and its counts since the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    newest: Option<Record>,
    rtt_ns: u64,
    timeouts: u64,
    handshake_bytes: u64,
}

/// Indices into [`vegas_sim::outcome::PHASES`].
const IDLE: u8 = 0;
const SLOW_START: u8 = 1;
const AVOIDANCE: u8 = 2;
const RECOVERY: u8 = 3;
/// The SYN's byte, which the kernel counts; where the start was missed, no other handshake byte can have been counted.
const SYN_BYTES: u64 = 1;

impl Reading {
    /// Takes in the kernel's next record.
    pub fn note(&mut self, record: &Record) {
        if record.event.kind == EVENT_START {
            self.handshake_bytes = record.bytes_acked;
        } else if self.newest.is_none() {
            self.handshake_bytes = SYN_BYTES;
        }
        if record.event.kind == EVENT_ACK && record.event.rtt_ns > 0 {
            self.rtt_ns = record.event.rtt_ns;
        }
        self.timeouts += u64::from(record.event.kind == EVENT_TIMEOUT);
        self.newest = Some(*record);
    }

    /// Returns the newest record.
    pub fn newest(&self) -> Option<&Record> {
        self.newest.as_ref()
    }

    /// Returns the payload acknowledged since the algorithm took the connection, bytes.
    pub fn acked_bytes(&self) -> u64 {
        self.newest.map_or(0, |record| record.bytes_acked.saturating_sub(self.handshake_bytes))
    }

    /// Returns the number of retransmission timeouts.
    pub fn timeouts(&self) -> u64 {
        self.timeouts
    }

    /// Adds the row of this instant. The caller computes the throughput over the step, which depends on where bytes are
    /// counted.
    pub fn push_row(&self, time_s: f64, flow: u32, throughput_mbps: f64, series: &mut FlowSeries) {
        let decision = self.newest.map(|record| record.decision);
        let ssthresh = decision.map(|it| it.ssthresh).filter(|ssthresh| *ssthresh != NONE_U32);
        let diff = decision.map(|it| it.diff).filter(|diff| *diff != i32::MIN);
        series.time_s.push(time_s);
        series.flow.push(flow);
        series.cwnd_segments.push(self.newest().map_or(0.0, window));
        series.ssthresh_segments.push(ssthresh.map(f64::from));
        series.in_flight_segments.push(self.newest().map_or(0, in_flight));
        series.rtt_ms.push((self.rtt_ns > 0).then(|| millis(self.rtt_ns)));
        series.base_rtt_ms.push(self.newest().and_then(base_rtt_ms));
        series.diff_segments.push(diff.map(f64::from));
        series.phase.push(self.newest().map_or(IDLE, phase));
        series.acked_bytes.push(self.acked_bytes());
        series.retransmits.push(self.newest.map_or(0, |record| record.segments_retransmitted.into()));
        series.timeouts.push(self.timeouts);
        series.throughput_mbps.push(throughput_mbps);
    }
}

pub(crate) fn window(record: &Record) -> f64 {
    record.decision.window_raw as f64 / Window::ONE.as_raw() as f64
}

pub(crate) fn base_rtt_ms(record: &Record) -> Option<f64> {
    (record.decision.base_rtt_ns > 0).then(|| millis(record.decision.base_rtt_ns))
}

pub(crate) fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

pub(crate) fn mbps(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bytes as f64 * 8.0 / 1e6 / seconds } else { 0.0 }
}

/// Returns the segments in flight after an acknowledgement; those sent in answer are not counted yet.
fn in_flight(record: &Record) -> u32 {
    match record.event.kind {
        EVENT_ACK => record.event.in_flight.saturating_sub(record.event.acked),
        _ => record.event.in_flight,
    }
}

/// Returns the phase. The core gets acknowledgements again once a recovery is over.
fn phase(record: &Record) -> u8 {
    match (record.event.kind, record.decision.slow_start) {
        (EVENT_START | EVENT_ACK | EVENT_TIMEOUT, 1) => SLOW_START,
        (EVENT_START | EVENT_ACK | EVENT_TIMEOUT, _) => AVOIDANCE,
        _ => RECOVERY,
    }
}
