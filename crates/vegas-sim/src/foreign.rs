//! Connections that another crate brings: their packets are its own, the network and the time are the simulator's.
//!
//! The simulator knows of a packet its size, its direction, and a number by which the connection finds its bytes again.
//! A connection is sans-IO, as TCP's ends are: it is told what happens, and asked what it sends and when it wants to be
//! woken. Like all of a run it draws no randomness but from the seed it is given, and reads no clock.

use std::fmt;

use vegas_core::State;
use vegas_core::units::{Bytes, Segments, Span, Time, Window};

use crate::scenario::FlowSpec;

/// Makes connections: a transport protocol.
pub trait Stack: fmt::Debug + Sync {
    /// Both ends of the flow number `flow`; nothing is sent before [`Connection::start`].
    fn connect(&self, spec: &FlowSpec, flow: u32, seed: u64) -> Box<dyn Connection>;
}

/// Both ends of a connection that sends data one way.
pub trait Connection: fmt::Debug + Send {
    /// The flow begins.
    fn start(&mut self, now: Time);
    /// The application gives no more data; what it gave is still delivered.
    fn stop(&mut self, now: Time);
    /// A datagram arrives at the other end; `marked`: with a congestion mark (ECN-CE).
    fn receive(&mut self, now: Time, datagram: DatagramId, marked: bool);
    /// The network has doubled a datagram: it will arrive, or be lost, once more.
    fn duplicate(&mut self, datagram: DatagramId);
    /// The network has lost a datagram.
    fn discard(&mut self, datagram: DatagramId);
    /// The time that [`Connection::timer`] gave has come; it may have moved later since.
    fn on_timer(&mut self, now: Time);
    /// When it wants to be woken.
    fn timer(&mut self) -> Option<Time>;
    /// The next datagram that leaves now; asked until there is none, after each of the calls above.
    fn transmit(&mut self, now: Time) -> Option<Datagram>;
    /// What the connection has counted and measured until now.
    fn totals(&self, now: Time) -> Totals;
}

/// By which a connection finds a datagram's bytes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DatagramId(pub u64);

/// What the network has to know of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Comes back when it arrives or is lost.
    pub id: DatagramId,
    /// On the wire, with the headers of UDP and IP; 65,535 at most.
    pub wire: Bytes,
    /// From the sender of the data to its receiver.
    pub forward: bool,
    /// It may be marked instead of dropped (ECT(0)).
    pub ecn_capable: bool,
}

/// What a flow has counted and measured: what the columns of the results are made from.
#[derive(Clone, Debug)]
pub struct Totals {
    /// The sender's algorithm.
    pub state: State,
    /// It has begun and has something left to do.
    pub active: bool,
    /// Losses are being repaired.
    pub in_recovery: bool,
    /// Sent and neither acknowledged nor lost.
    pub in_flight: Segments,
    /// Bytes on the wire that reached the receiver.
    pub wire_bytes: u64,
    /// Payload delivered in order.
    pub delivered_bytes: u64,
    /// Payload acknowledged; of QUIC all bytes of packets acknowledged.
    pub acked_bytes: u64,
    /// Data packets sent.
    pub segments_sent: u64,
    /// Data packets sent again; of QUIC packets declared lost, whose frames go into new packets.
    pub segments_retransmitted: u64,
    /// Retransmission timeouts; of QUIC persistent congestion.
    pub timeouts: u64,
    /// Windows reduced by marks.
    pub ecn_reductions: u64,
    /// Round-trip samples.
    pub rtt: RttTotals,
    /// First exit from slow start, and the window before it.
    pub slow_start_exit: Option<(Time, Window)>,
    /// When nothing was left to do.
    pub over: Option<Time>,
    /// When the last byte of a transfer with a size was acknowledged; none for one cut short.
    pub transferred: Option<Time>,
    /// Window, mean since the start, segments.
    pub mean_window_segments: f64,
}

/// Round-trip samples.
#[derive(Clone, Debug, Default)]
pub struct RttTotals {
    /// The newest.
    pub newest: Option<Span>,
    /// The least.
    pub least: Option<Span>,
    /// Their sum, ns.
    pub sum_ns: u128,
    /// How many.
    pub samples: u64,
}
