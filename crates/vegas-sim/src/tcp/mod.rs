//! TCP endpoints: a sender with its recovery and timers, and a receiver. Sequence numbers on the wire are bytes;
//! inside, the sender counts segments, and [`layout::Layout`] is the one place that converts.

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

use crate::measure::outcome::IncidentKind;
use crate::packet::Packet;

/// What an endpoint wants done: packets to send now, and things worth noting; reused from event to event.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    pub(crate) packets: Vec<Packet>,
    /// Kind and first payload byte.
    pub(crate) incidents: Vec<(IncidentKind, u64)>,
}

impl Outbox {
    /// What it holds, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.packets.capacity() * size_of::<Packet>() + self.incidents.capacity() * size_of::<(IncidentKind, u64)>()
    }
}
