//! A flow with a window that the reader steers: "you are the congestion control".
//!
//! Its transport is the simplest reliable one. Each packet has an acknowledgement of its own. A packet is lost when
//! three later ones are acknowledged, or when no acknowledgement arrives for a second; lost data are retransmitted. So
//! only the window determines what the reader sees.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use vegas_core::units::{Bytes, Segments, Span, Time, Window};
use vegas_core::{Phase, Status};
use vegas_quic_sim::Quic;
use vegas_sim::external::{Connection, Datagram, DatagramId, FlowCounts, FlowTotals, RttTotals, Stack};
use vegas_sim::scenario::{EcnField, FlowSpec, Transport};

/// A handle that sets the window; clones set this window, too.
#[derive(Clone, Debug)]
pub(crate) struct Wheel(Arc<AtomicU32>);

/// The initial window, segments.
const FIRST_WINDOW: u32 = 10;

impl Default for Wheel {
    fn default() -> Self {
        Wheel(Arc::new(AtomicU32::new(FIRST_WINDOW)))
    }
}

impl Wheel {
    pub(crate) fn set(&self, segments: u32) {
        self.0.store(segments.max(1), Ordering::Relaxed);
    }

    fn segments(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// An acknowledgement of a steered QUIC flow: as large as TCP's, since a scenario gives it no size.
const ACK: Bytes = Bytes::new(40);

/// Prepares a flow so that [`Transports`] can steer it.
pub(crate) fn take_in_hand(flow: &mut FlowSpec) {
    if flow.transport == Transport::Quic {
        flow.ack = ACK;
    }
    flow.transport = Transport::Quic;
    flow.algorithm = "you".to_owned();
}

/// Makes the connections that are not TCP's: those of QUIC, and the one that the reader steers.
#[derive(Debug)]
pub(crate) struct Transports {
    pub(crate) wheel: Wheel,
    /// The flow that the reader steers.
    pub(crate) hand: Option<u32>,
}

impl Stack for Transports {
    fn connect(&self, spec: &FlowSpec, flow: u32, seed: u64) -> Box<dyn Connection> {
        if self.hand == Some(flow) {
            Box::new(Steered::new(spec.clone(), self.wheel.clone()))
        } else {
            Quic.connect(spec, flow, seed)
        }
    }

    fn kept(&self) -> Option<Box<dyn Stack>> {
        Quic.kept()
    }
}

/// Both ends of the steered connection.
struct Steered {
    spec: FlowSpec,
    wheel: Wheel,
    started: bool,
    stopped: bool,
    over: Option<Time>,
    /// For each packet that is neither acknowledged nor lost, by number: its departure time and its piece of payload.
    under_way: BTreeMap<u64, (Time, u64)>,
    /// Numbers and pieces of lost packets that were not retransmitted yet.
    lost: Vec<u64>,
    /// Acknowledgements in flight or about to leave: the data packet that each acknowledges.
    acknowledgements: BTreeMap<u64, u64>,
    packets_sent: u64,
    acknowledgements_sent: u64,
    acknowledgements_made: u64,
    pieces_sent: u64,
    /// The first piece that has not arrived, and the later pieces that have.
    delivered: u64,
    beyond: BTreeMap<u64, ()>,
    acked_pieces: u64,
    wire_bytes: u64,
    sent_again: u64,
    timeouts: u64,
    rtt: RttTotals,
    /// The time of the last acknowledgement, or of the last packet sent into an empty path.
    heard: Time,
    /// The integral of the window over time, segment nanoseconds, up to `counted`.
    window_sum: f64,
    counted: Time,
}

/// The number of later packets acknowledged before a packet counts as lost (RFC 9002, section 6.1.1).
const REORDERING: u64 = 3;
/// After this time without an acknowledgement all packets in flight count as lost.
const SILENCE: Span = Span::from_millis(1000);

impl Steered {
    fn new(spec: FlowSpec, wheel: Wheel) -> Self {
        Steered {
            spec,
            wheel,
            started: false,
            stopped: false,
            over: None,
            under_way: BTreeMap::new(),
            lost: Vec::new(),
            acknowledgements: BTreeMap::new(),
            packets_sent: 0,
            acknowledgements_sent: 0,
            acknowledgements_made: 0,
            pieces_sent: 0,
            delivered: 0,
            beyond: BTreeMap::new(),
            acked_pieces: 0,
            wire_bytes: 0,
            sent_again: 0,
            timeouts: 0,
            rtt: RttTotals::default(),
            heard: Time::ZERO,
            window_sum: 0.0,
            counted: Time::ZERO,
        }
    }

    fn payload(&self) -> u64 {
        self.spec.packet.get() - self.spec.header.get()
    }

    /// The number of pieces of payload to send; none if the flow has no end.
    fn pieces(&self) -> Option<u64> {
        self.spec.size.map(|size| size.get().div_ceil(self.payload()))
    }

    fn take_data(&mut self, number: u64) {
        self.wire_bytes += self.spec.packet.get();
        // the piece travels with the number, because a packet that counts as lost may still arrive
        if let Some(&(_, piece)) = self.under_way.get(&number) {
            if piece >= self.delivered {
                self.beyond.insert(piece, ());
            }
            while self.beyond.remove(&self.delivered).is_some() {
                self.delivered += 1;
            }
        }
        self.acknowledgements.insert(self.acknowledgements_made, number);
        self.acknowledgements_made += 1;
    }

    fn take_acknowledgement(&mut self, now: Time, number: u64) {
        let Some((left, _)) = self.under_way.remove(&number) else { return };
        self.heard = now;
        self.acked_pieces += 1;
        let sample = now.since(left);
        self.rtt.newest = Some(sample);
        self.rtt.least = Some(self.rtt.least.map_or(sample, |least| least.min(sample)));
        self.rtt.sum_ns += u128::from(sample.as_nanos());
        self.rtt.samples += 1;
        let late = number.saturating_sub(REORDERING - 1);
        while let Some(entry) = self.under_way.first_entry().filter(|entry| *entry.key() < late) {
            let (_, piece) = entry.remove();
            self.lost.push(piece);
        }
        let all_sent = self.stopped || self.pieces().is_some_and(|pieces| self.pieces_sent >= pieces);
        if all_sent && self.under_way.is_empty() && self.lost.is_empty() {
            self.over.get_or_insert(now);
        }
    }

    fn next_piece(&mut self) -> Option<u64> {
        if let Some(piece) = self.lost.pop() {
            self.sent_again += 1;
            return Some(piece);
        }
        let has_more = !self.stopped && self.pieces().is_none_or(|pieces| self.pieces_sent < pieces);
        has_more.then(|| {
            self.pieces_sent += 1;
            self.pieces_sent - 1
        })
    }

    /// Adds the window that was in force until now to the integral.
    fn count(&mut self, now: Time) {
        self.window_sum += f64::from(self.wheel.segments()) * now.since(self.counted).as_nanos() as f64;
        self.counted = now;
    }

    /// What the columns of a flow are made from.
    fn status(&self) -> Status {
        let window = Window::whole(Segments(self.wheel.segments()));
        Status { window, ssthresh: Some(Segments(2)), base_rtt: None, diff: None, phase: Phase::Avoidance }
    }
}

impl Connection for Steered {
    fn start(&mut self, now: Time) {
        self.started = true;
        (self.heard, self.counted) = (now, now);
    }

    fn stop(&mut self, now: Time) {
        self.stopped = true;
        if self.under_way.is_empty() && self.lost.is_empty() {
            self.over.get_or_insert(now);
        }
    }

    fn receive(&mut self, now: Time, datagram: DatagramId, _field: EcnField) {
        self.count(now);
        match datagram.forward {
            true => self.take_data(datagram.number),
            false => {
                if let Some(number) = self.acknowledgements.remove(&datagram.number) {
                    self.take_acknowledgement(now, number);
                }
            }
        }
    }

    fn duplicate(&mut self, _datagram: DatagramId) {}

    fn discard(&mut self, datagram: DatagramId) {
        if !datagram.forward {
            self.acknowledgements.remove(&datagram.number);
        }
    }

    fn on_timer(&mut self, now: Time) {
        self.timeouts += 1;
        self.heard = now;
        let lost = std::mem::take(&mut self.under_way);
        self.lost.extend(lost.into_values().map(|(_, piece)| piece));
    }

    fn timer(&mut self) -> Option<Time> {
        (!self.under_way.is_empty()).then(|| self.heard + SILENCE)
    }

    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        if self.acknowledgements_sent < self.acknowledgements_made {
            let id = DatagramId { forward: false, number: self.acknowledgements_sent };
            self.acknowledgements_sent += 1;
            return Some(Datagram { id, wire: self.spec.ack, ecn_capable: false });
        }
        let has_room = self.under_way.len() < self.wheel.segments() as usize;
        if !self.started || !has_room {
            return None;
        }
        let piece = self.next_piece()?;
        if self.under_way.is_empty() {
            self.heard = now;
        }
        let id = DatagramId { forward: true, number: self.packets_sent };
        self.under_way.insert(self.packets_sent, (now, piece));
        self.packets_sent += 1;
        Some(Datagram { id, wire: self.spec.packet, ecn_capable: false })
    }

    fn memory_bytes(&self) -> usize {
        const ENTRY_BYTES: usize = 40;
        size_of::<Self>() + (self.under_way.len() + self.lost.len() + self.beyond.len()) * ENTRY_BYTES
    }

    fn totals(&self, now: Time) -> FlowTotals {
        let active = self.over.unwrap_or(now).since(self.spec.start);
        let rest = f64::from(self.wheel.segments()) * now.since(self.counted).as_nanos() as f64;
        FlowTotals {
            status: self.status(),
            active: self.started && self.over.is_none(),
            in_recovery: !self.lost.is_empty(),
            in_flight: Segments(self.under_way.len() as u32),
            counts: FlowCounts {
                wire_bytes: self.wire_bytes,
                delivered_bytes: Bytes::new(self.delivered * self.payload()).get(),
                acked_bytes: self.acked_pieces * self.payload(),
                segments_sent: self.packets_sent,
                segments_retransmitted: self.sent_again,
                timeouts: self.timeouts,
                ecn_reductions: 0,
            },
            rtt: self.rtt.clone(),
            slow_start_exit: None,
            over: self.over,
            lost: false,
            transferred: self.over.filter(|_| self.spec.size.is_some() && !self.stopped),
            mean_window_segments: (self.window_sum + rest) / (active.as_nanos().max(1) as f64),
        }
    }
}

impl fmt::Debug for Steered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steered").field("wheel", &self.wheel).finish_non_exhaustive()
    }
}
