//! A flow: a client that sends, a server that receives and checks the data, and the flow's counters.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn_proto::{
    AckFrequencyConfig, Dir, EcnCodepoint, Event, ReadError, StreamEvent, StreamId, TransportConfig, VarInt,
};
use vegas_core::units::{Bytes, Segments, Time, Window};
use vegas_core::{Phase, Status};
use vegas_quic::VegasQuic;
use vegas_sim::external::{Connection, Datagram, DatagramId, FlowCounts, FlowTotals, MediaFrame};
use vegas_sim::scenario::{DelayedAck, EcnField, FlowSpec};

use crate::Clock;
use crate::arrivals::Arrivals;
use crate::datagrams::Datagrams;
use crate::end::{End, Leaving};
use crate::external::{Factory, Listener, Watching};
use crate::pattern;
use crate::steering::Steering;
use crate::tap::Tap;
use crate::writer::Writer;

/// Both ends of a QUIC connection.
pub(crate) struct Quic {
    spec: FlowSpec,
    clock: Clock,
    client: End,
    server: End,
    /// The client's configuration; taken when the flow begins.
    transport: Option<TransportConfig>,
    tap: Tap,
    departures: Departures,
    datagrams: Datagrams,
    writer: Writer,
    /// Of the streams that are not whole yet.
    arrivals: BTreeMap<StreamId, Arrivals>,
    delivered: u64,

    wire_bytes: u64,
    started: bool,
    over: Option<Time>,
    lost: bool,
}

/// The controllers of a flow, and what they decide beside their windows.
pub(crate) struct Made {
    pub(crate) factory: Factory,
    pub(crate) steering: Option<Arc<Steering>>,
}

/// Of a controller that decides about departures itself; of others nothing.
#[derive(Default)]
struct Departures {
    steering: Option<Arc<Steering>>,
    /// When the client is asked for a datagram again.
    held_until: Option<Time>,
    /// The instant at which the newest datagram left.
    newest: Option<Instant>,
}

/// The size of the UDP and IPv4 headers, bytes.
const HEADERS: usize = 28;
/// The approximate memory that quinn uses for both ends of a connection, and below it for an unacknowledged packet,
/// bytes.
const CONNECTION_BYTES: usize = 40_000;
const SENT_PACKET_BYTES: usize = 400;
/// The memory that quinn uses for a written piece, a reference to its bytes.
const PIECE_BYTES: usize = 36;
/// Before a controller from outside is made.
const NOTHING_YET: Status =
    Status { window: Window::whole(Segments(1)), ssthresh: None, base_rtt: None, diff: None, phase: Phase::SlowStart };
/// More than any window: what the application writes ahead.
const SEND_BUFFER_BYTES: u64 = 1 << 28;

impl Quic {
    /// With the algorithm that the scenario names.
    pub(crate) fn new(spec: &FlowSpec, flow: u32, seed: u64) -> Self {
        let factory = VegasQuic::new(spec.composition, spec.parameters)
            .standalone(spec.standalone)
            .build()
            .expect("validation checked the algorithm");
        let clock = Clock::new();
        let tap = Tap::new(factory.status(), clock);
        let observed = factory.observed(Arc::new(tap.clone()));
        Quic::with(spec, (flow, seed), observed, tap, clock)
    }

    /// With a controller from anywhere.
    pub(crate) fn by(
        spec: &FlowSpec,
        flow: u32,
        seed: u64,
        make: impl FnOnce(Clock) -> Made,
        listener: Option<&Arc<dyn Listener>>,
    ) -> Self {
        let clock = Clock::new();
        let tap = Tap::new(NOTHING_YET, clock);
        let Made { factory, steering } = make(clock);
        let listener = listener.map(Arc::clone);
        let watching = Watching { factory, listener, tap: tap.clone(), clock, steering: steering.clone() };
        let departures = Departures { steering, ..Departures::default() };
        Quic { departures, ..Quic::with(spec, (flow, seed), Arc::new(watching), tap, clock) }
    }

    fn with(spec: &FlowSpec, (flow, seed): (u32, u64), factory: Factory, tap: Tap, clock: Clock) -> Self {
        let mut client = transport(spec);
        client.congestion_controller_factory(factory);
        Quic {
            clock,
            client: End::client(seed_of(seed, flow, 1)),
            server: End::server(seed_of(seed, flow, 2), transport(spec)),
            transport: Some(client),
            tap,
            departures: Departures::default(),
            datagrams: Datagrams::default(),
            writer: Writer::new(spec),
            arrivals: BTreeMap::new(),
            delivered: 0,
            wire_bytes: 0,
            started: false,
            over: None,
            lost: false,
            spec: spec.clone(),
        }
    }

    /// Lets both applications write and read as much as they can.
    fn work(&mut self, now: Time) {
        while let Some(event) = self.client.event() {
            match event {
                Event::Stream(StreamEvent::Finished { id }) => self.writer.on_finished(now, id),
                Event::ConnectionLost { .. } if self.over.is_none() => (self.over, self.lost) = (Some(now), true),
                _ => {}
            }
        }
        if let Some(client) = self.client.connection().filter(|_| !self.lost) {
            self.writer.work(now, client);
        }
        if self.writer.is_over() {
            self.over = self.over.or(Some(now));
        }
        // a server that loses the connection tells the client (RFC 9000, section 10), which is the flow's sender
        while let Some(event) = self.server.event() {
            match event {
                Event::Stream(StreamEvent::Opened { .. }) => self.accept(),
                Event::Stream(StreamEvent::Readable { id }) => self.read(id),
                _ => {}
            }
        }
        self.writer.note_delivery(now, self.delivered);
    }

    fn accept(&mut self) {
        while let Some(id) = self.server.connection().and_then(|server| server.streams().accept(Dir::Uni)) {
            self.read(id);
        }
    }

    /// Every byte in its place, in the order of arrival.
    fn read(&mut self, stream: StreamId) {
        let Some(server) = self.server.connection() else { return };
        let mut receiving = server.recv_stream(stream);
        let Ok(mut chunks) = receiving.read(false) else { return };
        let arrivals = self.arrivals.entry(stream).or_default();
        let end = loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => {
                    assert!(pattern::is_right(chunk.offset, &chunk.bytes), "a wrong byte after {}", self.delivered);
                    self.delivered += arrivals.add(chunk.offset, chunk.bytes.len() as u64);
                }
                end => break end,
            }
        };
        let _ = chunks.finalize(); // the result does not matter: the engine asks for datagrams after every call
        if !matches!(end, Err(ReadError::Blocked)) {
            self.arrivals.remove(&stream);
        }
    }

    /// What leaves the client next; where nothing does, its application is asked for more.
    fn transmit_from_client(&mut self, now: Time) -> Option<Leaving> {
        let instant = self.departures.instant(now, self.clock, self.writer.has_more())?;
        loop {
            if let Some(leaving) = self.client.transmit(instant) {
                self.writer.on_sent(leaving.0.len(), &self.client);
                self.departures.newest = Some(instant);
                return Some(leaving);
            }
            let has_room = self.tap.seen().has_room;
            let client = self.client.connection().filter(|_| !self.lost)?;
            if !self.writer.feed(client, has_room) {
                return None;
            }
        }
    }

    /// With work to do, nothing to send now, no timer, and nothing under way that could arrive.
    fn is_stuck(&mut self) -> bool {
        let nothing_comes = self.datagrams.is_empty() && Connection::timer(self).is_none();
        nothing_comes && self.started && self.over.is_none() && self.writer.waits_for_network()
    }
}

impl Departures {
    /// The instant at which the client is asked for a datagram now; none while its controller holds them back. Each
    /// datagram of such a controller has an instant of its own, by which quinn names it again.
    fn instant(&mut self, now: Time, clock: Clock, has_more: bool) -> Option<Instant> {
        let Some(steering) = &self.steering else { return Some(clock.instant(now)) };
        self.held_until = steering.holds_until(now);
        steering.lock().has_more = has_more;
        let next = self.newest.map(|newest| newest + Duration::from_nanos(1));
        self.held_until.is_none().then(|| next.map_or(clock.instant(now), |next| next.max(clock.instant(now))))
    }
}

impl Connection for Quic {
    fn start(&mut self, now: Time) {
        let transport = self.transport.take().expect("a flow starts once");
        self.client.connect(self.clock.instant(now), transport);
        self.started = true;
        self.work(now);
    }

    fn stop(&mut self, now: Time) {
        self.writer.stop();
        self.work(now);
    }

    fn receive(&mut self, now: Time, datagram: DatagramId, field: EcnField) {
        let bytes = self.datagrams.take(datagram);
        let (instant, ecn) = (self.clock.instant(now), EcnCodepoint::from_bits(field as u8));
        if datagram.forward {
            self.wire_bytes += (bytes.len() + HEADERS) as u64;
            self.server.receive(instant, true, ecn, bytes);
        } else {
            self.client.receive(instant, false, ecn, bytes);
        }
        self.work(now);
    }

    fn duplicate(&mut self, datagram: DatagramId) {
        self.datagrams.duplicate(datagram);
    }

    fn discard(&mut self, datagram: DatagramId) {
        self.datagrams.take(datagram);
    }

    fn bytes(&self, datagram: DatagramId) -> &[u8] {
        self.datagrams.get(datagram)
    }

    fn on_timer(&mut self, now: Time) {
        let instant = self.clock.instant(now);
        self.client.on_timer(instant);
        self.server.on_timer(instant);
        self.work(now);
    }

    fn timer(&mut self) -> Option<Time> {
        let (client, server) = (self.client.timer(), self.server.timer());
        let of_quinn = client.into_iter().chain(server).min().map(|instant| self.clock.time(instant));
        let of_application = self.writer.next().filter(|_| self.started && self.over.is_none());
        of_quinn.into_iter().chain(of_application).chain(self.departures.held_until).min()
    }

    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        let from_client = self.transmit_from_client(now);
        let instant = self.clock.instant(now);
        let forward = from_client.is_some();
        let Some((bytes, may_be_marked)) = from_client.or_else(|| self.server.transmit(instant)) else {
            debug_assert!(!self.is_stuck(), "a connection that nothing will ever wake, with work to do");
            return None;
        };
        let wire = Bytes::new((bytes.len() + HEADERS) as u64);
        let id = self.datagrams.store(bytes, forward);
        Some(Datagram { id, wire, ecn_capable: self.spec.ecn && may_be_marked })
    }

    fn memory_bytes(&self) -> usize {
        let in_flight = self.tap.seen().in_flight.0 as usize;
        let written_ahead = (self.writer.written() - self.delivered).div_ceil(pattern::PIECE_BYTES) as usize;
        let ahead = written_ahead * PIECE_BYTES + self.writer.memory_bytes();
        CONNECTION_BYTES + in_flight * SENT_PACKET_BYTES + ahead + self.datagrams.memory_bytes()
    }

    fn media(&self, flow: u32, now: Time) -> Vec<MediaFrame> {
        self.writer.media(flow, now)
    }

    fn totals(&self, now: Time) -> FlowTotals {
        let (path, seen) = (self.client.path_stats(), self.tap.seen());
        FlowTotals {
            status: seen.status,
            active: self.started && self.over.is_none(),
            in_recovery: false,
            in_flight: seen.in_flight,
            counts: FlowCounts {
                wire_bytes: self.wire_bytes,
                delivered_bytes: self.delivered,
                acked_bytes: seen.acked_bytes,
                segments_sent: path.sent_packets,
                segments_retransmitted: path.lost_packets,
                timeouts: seen.persistent_congestion,
                ecn_reductions: seen.ecn_reductions,
            },
            rtt: seen.rtt.clone(),
            slow_start_exit: seen.slow_start_exit,
            over: self.over,
            lost: self.lost,
            transferred: self.over.filter(|_| !self.lost && self.writer.is_whole()),
            mean_window_segments: seen.mean_window(self.spec.start, self.over.unwrap_or(now)),
        }
    }
}

impl fmt::Debug for Quic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quic").field("algorithm", &self.spec.algorithm).field("tap", &self.tap).finish_non_exhaustive()
    }
}

/// Returns a configuration with the congestion window as the only limit: no flow control, no idle timeout, packets of
/// one size.
fn transport(spec: &FlowSpec) -> TransportConfig {
    let mtu = u16::try_from(spec.packet.get()).expect("validation bounds packet sizes") - HEADERS as u16;
    let mut transport = TransportConfig::default();
    transport
        .initial_mtu(mtu)
        .mtu_discovery_config(None)
        .max_idle_timeout(None)
        .receive_window(VarInt::MAX)
        .stream_receive_window(VarInt::MAX)
        .send_window(SEND_BUFFER_BYTES)
        .ack_frequency_config(Some(acknowledgements(spec.host.delayed_ack)));
    transport
}

/// Returns the configuration for acknowledging every packet at once, or every second one.
fn acknowledgements(delay: DelayedAck) -> AckFrequencyConfig {
    let mut acks = AckFrequencyConfig::default();
    match delay {
        DelayedAck::None => acks.ack_eliciting_threshold(0u32.into()),
        DelayedAck::Linux => unreachable!("only hosts of TCP have it"),
        DelayedAck::After(delay) => {
            acks.ack_eliciting_threshold(1u32.into());
            acks.max_ack_delay(Some(Duration::from_nanos(delay.as_nanos())))
        }
    };
    acks
}

/// Returns the seed of the random numbers of one end of a flow.
pub(crate) fn seed_of(seed: u64, flow: u32, end: u8) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..12].copy_from_slice(&flow.to_le_bytes());
    bytes[12] = end;
    bytes
}
