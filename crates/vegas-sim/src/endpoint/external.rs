//! External transports: connections of another crate, which makes their packets; the simulator has the network and the
//! time.
//!
//! For the simulator a packet is a size, a direction, and a number by which the connection finds the packet's bytes. A
//! connection is sans-IO, as TCP's ends are: the engine reports events to it, and asks it for its datagrams and for the
//! time of its timer. Like all of a run, it draws randomness only from the seed that it is given, and reads no clock.

use std::fmt;

use vegas_core::units::{Bytes, Time};

pub use crate::measure::outcome::MediaFrame;
pub use crate::measure::totals::{FlowCounts, FlowTotals, RttTotals};
use crate::packet::EcnField;
use crate::scenario::FlowSpec;
pub use crate::tcp::{Media, Phased, Supply};

/// A transport protocol, which creates connections.
pub trait Stack: fmt::Debug + Send + Sync {
    /// Creates both ends of the flow with number `flow`; they send nothing before [`Connection::start`].
    fn connect(&self, spec: &FlowSpec, flow: u32, seed: u64) -> Box<dyn Connection>;
    /// Returns the same stack for the whole of a run, in which sources of traffic open connections; `None` if it makes
    /// the ends of flows only.
    fn kept(&self) -> Option<Box<dyn Stack>> {
        None
    }
}

/// Both ends of a connection that sends data one way.
pub trait Connection: fmt::Debug + Send {
    /// Begins the flow.
    fn start(&mut self, now: Time);
    /// Ends the application's data; data that it gave before are still delivered.
    fn stop(&mut self, now: Time);
    /// Handles a datagram that arrives at the other end with this ECN field.
    fn receive(&mut self, now: Time, datagram: DatagramId, field: EcnField);
    /// Records that the network has duplicated a datagram: one more copy of it will arrive or be lost.
    fn duplicate(&mut self, datagram: DatagramId);
    /// Records that the network has lost a datagram.
    fn discard(&mut self, datagram: DatagramId);
    /// Returns the bytes of a datagram that the network carries, for a capture.
    fn bytes(&self, _datagram: DatagramId) -> &[u8] {
        &[]
    }
    /// Handles the timer at a time that [`Connection::timer`] returned; the timer may have moved to a later time since.
    fn on_timer(&mut self, now: Time);
    /// When the timer runs out.
    fn timer(&mut self) -> Option<Time>;
    /// The next datagram that leaves now. The engine calls this until it returns `None`, after each of the calls above.
    fn transmit(&mut self, now: Time) -> Option<Datagram>;
    /// Returns about how much memory both ends occupy, bytes. It depends only on the events that they have received.
    fn memory_bytes(&self) -> usize;
    /// Returns the counters and measurements of the connection until now.
    fn totals(&self, now: Time) -> FlowTotals;
    /// Returns the frames of media that the flow with this number has made by now.
    fn media(&self, _flow: u32, _now: Time) -> Vec<MediaFrame> {
        Vec::new()
    }
}

/// The identity of a datagram, by which a connection finds its bytes and a reader of the results the datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DatagramId {
    /// Whether the datagram goes from the sender of the data to their receiver.
    pub forward: bool,
    /// The number of datagrams that its end had sent before.
    pub number: u64,
}

/// The description of a datagram for the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The identity that the network reports when the datagram arrives or is lost.
    pub id: DatagramId,
    /// The size on the wire, with the headers of UDP and IP; 65,535 bytes at most.
    pub wire: Bytes,
    /// Whether a queue may mark the datagram instead of dropping it (ECT(0)).
    pub ecn_capable: bool,
}
