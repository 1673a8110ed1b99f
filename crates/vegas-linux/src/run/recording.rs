//! The simulator's totals and series of flows, made from the kernel's records.

use vegas_core::units::Time;
use vegas_sim::outcome::{FlowOutcome, FlowSeries, Incident, IncidentKind};
use vegas_sim::scenario::{FlowSpec, Sampling, Scenario};
use vegas_sim::{Delivery, Direction};

use crate::abi::{EVENT_ACK, EVENT_ECN, EVENT_TIMEOUT};
use crate::clock::Clock;
use crate::kernel::reading::{Reading, base_rtt_ms, mbps, millis, window};
use crate::kernel::records::Record;
use crate::run::quic::Fetched;

/// The records of one flow with their times, ascending.
#[derive(Clone, Debug, Default)]
pub struct FlowRecord {
    rows: Vec<(Time, Record)>,
    /// The bytes on the wire that had reached the receiver by each time.
    received: Vec<(Time, u64)>,
    /// The payload that had come to the receiver in order by the end: more than was acknowledged by then.
    in_order: Option<u64>,
    /// The report of a QUIC client: with QUIC, the sender knows of whole packets only.
    fetched: Option<Fetched>,
}

impl FlowRecord {
    /// Adds the kernel's next record.
    pub fn push(&mut self, clock: Clock, record: Record) {
        self.rows.push((clock.at(record.event.now_ns), record));
    }

    /// Adds a packet that came to the receiver.
    pub fn push_delivery(&mut self, delivery: &Delivery) {
        if delivery.direction == Direction::Forward {
            let before = self.received.last().map_or(0, |(_, bytes)| *bytes);
            self.received.push((delivery.at, before + u64::from(delivery.wire)));
        }
    }

    /// Sets how much payload had come to the receiver in order by the end.
    pub(crate) fn set_in_order(&mut self, bytes: Option<u64>) {
        self.in_order = bytes;
    }

    /// Sets the report of a QUIC client.
    pub(crate) fn set_fetched(&mut self, fetched: Option<Fetched>) {
        self.fetched = fetched;
    }

    /// Returns the flow's totals.
    pub fn outcome(&self, spec: &FlowSpec, run_end: Time) -> FlowOutcome {
        let completion = self.completion(spec);
        let end = completion.or(self.lost(spec)).unwrap_or(run_end);
        let active_s = seconds(end) - seconds(spec.start);
        let acked = self.last().map_or(0, |record| self.acked_bytes(record));
        let delivered = self.fetched.map(|fetched| fetched.bytes).or(self.in_order).unwrap_or(acked);
        let exit = self.slow_start_exit();
        FlowOutcome {
            start_s: seconds(spec.start),
            throughput_mbps: mbps(self.received_by(end), active_s),
            goodput_mbps: mbps(delivered, active_s),
            delivered_bytes: delivered,
            completion_s: completion.map(|time| seconds(time) - seconds(spec.start)),
            segments_sent: self.last().map_or(0, |record| record.segments_sent.into()),
            segments_retransmitted: self.last().map_or(0, |record| record.segments_retransmitted.into()),
            timeouts: self.count(EVENT_TIMEOUT, run_end),
            ecn_reductions: self.count(EVENT_ECN, run_end),
            mean_rtt_ms: self.mean_rtt_ms(),
            base_rtt_ms: self.last().and_then(base_rtt_ms),
            slow_start_end_s: exit.map(|(time, _)| seconds(time)),
            cwnd_at_slow_start_end: exit.map(|(_, window)| window),
            final_cwnd_segments: self.last().map_or(0.0, window),
            mean_cwnd_segments: self.mean_window(end),
        }
    }

    /// Returns the hosts' own incidents: timeouts, the first exit from slow start, and a lost connection.
    pub fn incidents(&self, flow: u32, spec: &FlowSpec) -> Vec<Incident> {
        let at = |time, kind, record: &Record| Incident {
            time_s: seconds(time),
            kind,
            flow,
            link: None,
            sequence: self.acked_bytes(record),
            retransmission: None,
        };
        let timeouts = self.rows.iter().filter(|(_, record)| record.event.kind == EVENT_TIMEOUT);
        let mut all: Vec<_> = timeouts.map(|(time, record)| at(*time, IncidentKind::Timeout, record)).collect();
        let exit = self.exit_row().map(|row| &self.rows[row]);
        all.extend(exit.map(|(time, record)| at(*time, IncidentKind::SlowStartExit, record)));
        let delivered = self.fetched.map_or(0, |fetched| fetched.bytes);
        all.extend(self.lost(spec).map(|time| Incident {
            time_s: seconds(time),
            kind: IncidentKind::ConnectionLost,
            flow,
            link: None,
            sequence: delivered,
            retransmission: None,
        }));
        all
    }

    /// Returns the sampling steps up to the run's end, as pairs of their end and beginning.
    fn steps(&self, sampling: Sampling, end: Time) -> Vec<(Time, Time)> {
        let times: Vec<Time> = match sampling {
            Sampling::Off => Vec::new(),
            Sampling::EveryChange => self.rows.iter().map(|(time, _)| *time).collect(),
            Sampling::Every(step) => {
                let count = end.as_nanos() / step.as_nanos().max(1);
                (1..=count).map(|number| Time::ZERO + step.times(number)).collect()
            }
        };
        let before = [Time::ZERO].into_iter().chain(times.iter().copied()).collect::<Vec<_>>();
        times.into_iter().zip(before).collect()
    }

    /// Counts the rows up to and including a time.
    fn count_by(&self, time: Time) -> usize {
        self.rows.partition_point(|(at, _)| *at <= time)
    }

    fn received_by(&self, time: Time) -> u64 {
        match self.received.partition_point(|(at, _)| *at <= time) {
            0 => 0,
            count => self.received[count - 1].1,
        }
    }

    /// Counts the events of a kind up to and including a time.
    fn count(&self, kind: u32, time: Time) -> u64 {
        let rows = &self.rows[..self.count_by(time)];
        rows.iter().filter(|(_, record)| record.event.kind == kind).count() as u64
    }

    fn last(&self) -> Option<&Record> {
        self.rows.last().map(|(_, record)| record)
    }

    /// Returns the payload acknowledged; the bytes that the kernel had counted at the start are the handshake's.
    fn acked_bytes(&self, record: &Record) -> u64 {
        let handshake = self.rows.first().map_or(0, |(_, first)| first.bytes_acked);
        record.bytes_acked.saturating_sub(handshake)
    }

    /// Returns the time at which the connection was lost.
    fn lost(&self, spec: &FlowSpec) -> Option<Time> {
        Some(spec.start + self.fetched?.lost?)
    }

    fn completion(&self, spec: &FlowSpec) -> Option<Time> {
        let size = spec.size?.get();
        if let Some(fetched) = self.fetched {
            return fetched.completion.map(|took| spec.start + took);
        }
        self.rows.iter().find(|(_, record)| self.acked_bytes(record) >= size).map(|(time, _)| *time)
    }

    /// Returns the index of the first row out of slow start.
    fn exit_row(&self) -> Option<usize> {
        self.rows
            .windows(2)
            .position(|pair| pair[0].1.decision.slow_start == 1 && pair[1].1.decision.slow_start == 0)
            .map(|row| row + 1)
    }

    /// Returns the time of the first exit from slow start, and the window before the cut.
    fn slow_start_exit(&self) -> Option<(Time, f64)> {
        self.exit_row().map(|row| (self.rows[row].0, window(&self.rows[row - 1].1)))
    }

    fn mean_rtt_ms(&self) -> Option<f64> {
        // a start may have the handshake's; a loss comes with that of an acknowledgement
        let acks = self.rows.iter().map(|(_, record)| record.event).filter(|event| event.kind == EVENT_ACK);
        let samples: Vec<f64> = acks.map(|event| event.rtt_ns).filter(|rtt| *rtt > 0).map(millis).collect();
        (!samples.is_empty()).then(|| samples.iter().sum::<f64>() / samples.len() as f64)
    }

    fn mean_window(&self, end: Time) -> f64 {
        let ends = self.rows.iter().skip(1).map(|(time, _)| *time).chain([end]);
        let spans = self
            .rows
            .iter()
            .zip(ends)
            .map(|((time, record), until)| (window(record), until.since(*time).as_nanos() as f64));
        let (sum, total) = spans.fold((0.0, 0.0), |(sum, total), (window, span)| (sum + window * span, total + span));
        if total > 0.0 { sum / total } else { 0.0 }
    }
}

/// A reader of a flow's record, up to a time.
#[derive(Debug)]
struct Reader<'record> {
    record: &'record FlowRecord,
    read: usize,
    reading: Reading,
}

impl Reader<'_> {
    fn advance_to(&mut self, time: Time) {
        let until = self.record.count_by(time);
        self.record.rows[self.read..until].iter().for_each(|(_, record)| self.reading.note(record));
        self.read = until;
    }
}

/// Returns the rows of all flows at the scenario's sampling instants up to the run's end, in the order of time.
pub fn flow_series(flows: &[FlowRecord], scenario: &Scenario, end: Time) -> FlowSeries {
    let steps = |(flow, record): (usize, &FlowRecord)| {
        record.steps(scenario.sampling, end).into_iter().map(move |(time, before)| (time, flow, before))
    };
    let mut steps: Vec<_> = flows.iter().enumerate().flat_map(steps).collect();
    steps.sort_unstable();
    let read = |record| Reader { record, read: 0, reading: Reading::default() };
    let mut readers: Vec<Reader<'_>> = flows.iter().map(read).collect();
    let mut series = FlowSeries::default();
    for (time, flow, before) in steps {
        let reader = &mut readers[flow];
        reader.advance_to(time);
        let received = reader.record.received_by(time) - reader.record.received_by(before);
        let rate = mbps(received, seconds(time) - seconds(before));
        reader.reading.push_row(seconds(time), flow as u32, rate, &mut series);
    }
    series
}

fn seconds(time: Time) -> f64 {
    time.as_nanos() as f64 / 1e9
}
