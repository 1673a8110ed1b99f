//! TCP endpoints: a sender with its recovery and timers, and a receiver. Sequence numbers on the wire are bytes;
//! inside, the sender counts segments, and [`layout::Layout`] is the one place that converts.

mod dsack;
mod ecn;
mod fine_timeout;
mod frto;
mod layout;
mod linux;
mod linux_rtt;
mod pacer;
mod prr;
mod rack;
mod receiver;
mod recovery;
mod rto;
mod scoreboard;
mod sender;
mod sending;
mod stats;
mod tlp;

pub(crate) use layout::Layout;
pub(crate) use receiver::{AckTiming, Receiver};
pub(crate) use sender::Sender;
pub(crate) use stats::segments_f64;

use crate::outcome::IncidentKind;
use crate::packet::Packet;

/// What an endpoint wants done: packets to send now, and things worth noting; reused from event to event.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    pub(crate) packets: Vec<Packet>,
    /// Kind and first payload byte.
    pub(crate) incidents: Vec<(IncidentKind, u64)>,
}
