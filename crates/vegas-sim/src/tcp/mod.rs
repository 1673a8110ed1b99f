//! TCP endpoints: a sender with its recovery and timers, and a receiver. Sequence numbers on the wire are bytes. The
//! sender counts segments, and only [`layout::Layout`] converts between the two.

mod control;
mod ecn;
mod layout;
mod linux;
mod receiver;
mod recovery;
mod scoreboard;
mod sender;
mod sending;
mod stats;
mod timers;

pub(crate) use layout::Layout;
pub(crate) use linux::LinuxAcks;
pub(crate) use receiver::{AckTiming, Acks, Receiver};
pub(crate) use sender::Sender;
pub use sending::application::{Phased, Supply};
pub use sending::media::Media;

use crate::measure::outcome::IncidentKind;
use crate::packet::Packet;

/// The output of an endpoint's event: packets to send now, and incidents to record. It is reused from event to event.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    pub(crate) packets: Vec<Packet>,
    /// The kind of each incident, and its first payload byte.
    pub(crate) incidents: Vec<(IncidentKind, u64)>,
}

impl Outbox {
    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.packets.capacity() * size_of::<Packet>() + self.incidents.capacity() * size_of::<(IncidentKind, u64)>()
    }
}
