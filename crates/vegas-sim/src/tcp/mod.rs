//! TCP endpoints: a sender with its recovery and timers, and a receiver. Sequence numbers on the wire are bytes. The
//! sender counts segments, and only [`layout::Layout`] converts between the two.

pub(crate) mod accurate;
mod control;
mod ecn;
mod layout;
mod pacing;
mod receiver;
mod recovery;
mod rtt;
mod sender;
mod sending;
mod timer;

pub(crate) use layout::Layout;
pub(crate) use receiver::{AckTiming, Acks, GrowingWindow, LinuxAcks, Merged, Receiver};
pub(crate) use sender::Sender;
pub use sender::stream::{RecoveryState, SenderState};
pub use sending::application::{Phased, Supply};
pub use sending::media::Media;

use crate::measure::outcome::{IncidentKind, Retransmission};
use crate::packet::Packet;

/// The output of an endpoint's event: packets to send now, and incidents to record. It is reused from event to event.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    pub(crate) packets: Vec<Packet>,
    pub(crate) incidents: Vec<Noted>,
}

impl Outbox {
    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.packets.capacity() * size_of::<Packet>() + self.incidents.capacity() * size_of::<Noted>()
    }
}

/// An incident that a sender notes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    pub(crate) kind: IncidentKind,
    /// The first payload byte of the segment concerned.
    pub(crate) sequence: u64,
    /// What made the sender retransmit the segment.
    pub(crate) retransmission: Option<Retransmission>,
}

/// A host for tests of pieces: the defaults, but for a receive window of 1000 segments.
#[cfg(test)]
fn host(kind: crate::scenario::HostKind) -> crate::scenario::HostSpec {
    use vegas_core::units::{Segments, Span};
    crate::scenario::HostSpec {
        kind,
        dupack_threshold: 3,
        limited_transmit: true,
        recovery_burst: None,
        delayed_ack: crate::scenario::DelayedAck::None,
        options: crate::scenario::TcpOptions { sack: true, timestamps: false },
        receive_window: crate::scenario::ReceiveWindow::Constant(Segments(1000)),
        rto: crate::scenario::Timeouts {
            min: Span::from_millis(200),
            max: Span::from_secs(60),
            initial: Span::from_secs(1),
            grain: Span::from_millis(10),
        },
        receiving: crate::scenario::Receiving::default(),
        handshake: crate::scenario::Handshake::Full,
        byte_counting: true,
        slow_start_after_idle: true,
        aqt_every: 1,
        accepts_ecn: crate::scenario::EcnVersion::Accurate,
        misbehaves: None,
    }
}
