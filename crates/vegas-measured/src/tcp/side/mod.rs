//! One host of a connection: the data that it sends, and the row of its flow.

mod halves;
mod row;
mod sizing;
mod trips;
mod windows;

use std::net::SocketAddr;

use self::sizing::Sizing;
use self::trips::Trips;
pub(crate) use self::windows::Windows;
use super::handshake::Handshake;
use super::sender::{Again, Nature, Sender};
use crate::error::Read;
use crate::tables::rows::{FlowSample, Half, Incident, IncidentKind, RttSample};
use crate::tables::{Recorder, Step};

/// A host of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) end: SocketAddr,
    pub(crate) sender: Sender,
    /// The round-trip times of its data.
    pub(crate) trips: Trips,
    /// The windows that it gives.
    pub(crate) windows: Windows,
    pub(crate) marks: Marks,
    /// The sequence number of the first payload byte.
    origin: Option<u32>,
    /// The number of the flow of its data, once it has sent any.
    pub(crate) flow: Option<u32>,
    sizing: Sizing,
    series: Series,
    pub(crate) first_at: Option<i64>,
    last_at: i64,
    finished_at: Option<i64>,
}

/// Marks of a host's data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    /// Segments that came marked.
    pub(crate) segments: u64,
    /// Acknowledgements with the echo of a mark.
    pub(crate) echoes: u64,
    /// The host's answers.
    pub(crate) reductions: u64,
}

/// What the last row of the series has counted.
#[derive(Clone, Copy, Debug, Default)]
struct Series {
    step: Step,
    ip_bytes: u64,
    delivered: i64,
}

impl Side {
    pub(crate) fn new(end: SocketAddr) -> Self {
        Side {
            end,
            sender: Sender::default(),
            trips: Trips::default(),
            windows: Windows::default(),
            marks: Marks::default(),
            origin: None,
            flow: None,
            sizing: Sizing::default(),
            series: Series::default(),
            first_at: None,
            last_at: 0,
            finished_at: None,
        }
    }

    /// Sets the sequence number of the first payload byte, unless it is known.
    pub(crate) fn begin(&mut self, sequence: u32) {
        self.origin.get_or_insert(sequence);
    }

    /// Returns the place of a sequence number among the payload's bytes: the one nearest to what was sent last.
    pub(crate) fn place(&self, sequence: u32) -> i64 {
        let next = self.sender.next();
        let origin = self.origin.unwrap_or(sequence);
        let expected = origin.wrapping_add(next as u32);
        next + i64::from(sequence.wrapping_sub(expected) as i32)
    }

    /// Learns the payload of a full segment.
    pub(crate) fn size(&mut self, payload: i64, is_agreed: bool) {
        self.sender.mss = self.sizing.learn(self.sender.mss, payload, is_agreed);
    }

    /// Notes that the flow is active, and writes the rows of steps that have ended.
    pub(crate) fn reach(&mut self, at: i64, recorder: &mut Recorder) -> Read<()> {
        self.last_at = at;
        let Some(flow) = self.flow else { return Ok(()) };
        let origin = recorder.origin().unwrap_or(at);
        let Some(ended) = self.series.step.reach(at, origin, recorder.step_ns()) else { return Ok(()) };
        self.row(flow, ended.at, recorder.step_ns(), recorder)?;
        match ended.idle_until {
            Some(until) => self.row(flow, until, until - ended.at, recorder),
            None => Ok(()),
        }
    }

    /// Writes the row of the step of `length` ns that ends at `at`.
    fn row(&mut self, flow: u32, at: i64, length: i64, recorder: &mut Recorder) -> Read<()> {
        let sender = &self.sender;
        let counts = &sender.counts;
        let mbps = |bytes: f64| Some(bytes * 8e3 / length as f64);
        let sent_mbps = mbps((counts.ip_bytes - self.series.ip_bytes) as f64);
        let delivered_mbps = mbps((sender.delivered() - self.series.delivered).max(0) as f64);
        (self.series.ip_bytes, self.series.delivered) = (counts.ip_bytes, sender.delivered());
        let in_flight = sender.in_flight();
        recorder.sample(FlowSample {
            time_s: recorder.origin().map_or(0.0, |origin| (at - origin) as f64 / 1e9),
            flow,
            in_flight_segments: u32::try_from(sender.segments(in_flight)).ok(),
            in_flight_bytes: Some(in_flight as u64),
            rtt_ms: self.trips.newest_ms(),
            base_rtt_ms: self.trips.all.least(),
            acked_bytes: Some(counts.acked_bytes.max(0) as u64),
            retransmits: Some(counts.retransmitted()),
            timeouts: Some(counts.again[Again::Timeout as usize]),
            sent_mbps,
            delivered_mbps,
            window_bytes: u64::try_from(sender.window()).ok(),
            marks: Some(self.marks.segments + self.marks.echoes),
            ..FlowSample::default()
        })
    }

    /// Records what a segment with payload was.
    pub(crate) fn record(&mut self, at: i64, place: i64, nature: Nature, recorder: &mut Recorder) -> Read<()> {
        let Some(flow) = self.flow else { return Ok(()) };
        match nature {
            Nature::New | Nature::KeepAlive => Ok(()),
            Nature::Reordered => recorder.of_flow(at, IncidentKind::Reordered, flow, place),
            Nature::Again(again) => {
                let (time_s, sequence) = (recorder.seconds(at), place.max(0) as u64);
                let of = |kind| Incident {
                    time_s,
                    kind,
                    flow: Some(flow),
                    link: None,
                    sequence,
                    retransmission: (kind == IncidentKind::Retransmit).then_some(again as u32),
                };
                if again == Again::Timeout {
                    recorder.incident(of(IncidentKind::Timeout))?;
                }
                recorder.incident(of(IncidentKind::Retransmit))
            }
        }
    }

    /// Takes a sample of the time from data to its acknowledgement. `upstream` is the rest of the RTT.
    pub(crate) fn on_downstream(
        &mut self,
        at: i64,
        sample: i64,
        place: i64,
        upstream: i64,
        recorder: &mut Recorder,
    ) -> Read<()> {
        self.sender.sample_timer(sample + upstream);
        self.trips.downstream(sample, upstream);
        self.half(at, sample, place, Half::Downstream, recorder)
    }

    /// Takes a sample of the time from an acknowledgement to the data that echoes it.
    pub(crate) fn on_upstream(&mut self, at: i64, sample: i64, place: i64, recorder: &mut Recorder) -> Read<()> {
        if let Some(log) = &mut self.sender.log {
            log.echoes(at, sample);
        }
        self.trips.upstream(sample);
        self.half(at, sample, place, Half::Upstream, recorder)
    }

    /// The least part of the RTT on this host's side of the capture, ns.
    pub(crate) fn upstream(&self, handshake: &Handshake, is_client: bool) -> Option<i64> {
        self.trips.halves.least(handshake, is_client)
    }

    fn half(&mut self, at: i64, sample: i64, place: i64, half: Half, recorder: &mut Recorder) -> Read<()> {
        let Some(flow) = self.flow else { return Ok(()) };
        let (time_s, sequence) = (recorder.seconds(at), place.max(0) as u64);
        recorder.rtt(RttSample { time_s, flow, rtt_ms: sample as f64 / 1e6, half, sequence })
    }

    /// Notes that all data and FIN have been acknowledged.
    pub(crate) fn note_end(&mut self, at: i64) {
        if self.sender.is_finished() {
            self.finished_at.get_or_insert(at);
        }
    }

    /// When the last packet of the connection was seen.
    pub(crate) fn last_at(&self) -> i64 {
        self.last_at
    }

    /// Writes the last row of the series.
    pub(crate) fn end(&mut self, recorder: &mut Recorder) -> Read<()> {
        let Some(flow) = self.flow else { return Ok(()) };
        let (at, step, origin) = (self.last_at, recorder.step_ns(), recorder.origin().unwrap_or(self.last_at));
        let from = origin + (at - origin).div_euclid(step) * step;
        self.row(flow, at.max(from + 1), (at - from).max(1), recorder)
    }
}
