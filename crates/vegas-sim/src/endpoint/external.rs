//! Connections that another crate brings: their packets are its own, the network and the time are the simulator's.
//!
//! The simulator knows of a packet its size, its direction, and a number by which the connection finds its bytes again.
//! A connection is sans-IO, as TCP's ends are: it is told what happens, and asked what it sends and when it wants to be
//! woken. Like all of a run it draws no randomness but from the seed it is given, and reads no clock.

use std::fmt;

use vegas_core::units::{Bytes, Time};

pub use crate::measure::totals::{FlowCounts, FlowTotals, RttTotals};
use crate::scenario::FlowSpec;
pub use crate::tcp::{Phased, Supply};

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
    /// About how much memory both ends hold, bytes: a function of what has happened to them alone.
    fn memory_bytes(&self) -> usize;
    /// What the connection has counted and measured until now.
    fn totals(&self, now: Time) -> FlowTotals;
}

/// By which a connection finds a datagram's bytes again, and a reader of the results the datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DatagramId {
    /// From the sender of the data to its receiver.
    pub forward: bool,
    /// How many datagrams that end had sent before.
    pub number: u64,
}

/// What the network has to know of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Comes back when it arrives or is lost.
    pub id: DatagramId,
    /// On the wire, with the headers of UDP and IP; 65,535 at most.
    pub wire: Bytes,
    /// It may be marked instead of dropped (ECT(0)).
    pub ecn_capable: bool,
}
