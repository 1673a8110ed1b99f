//! Packets that have left and are neither acknowledged nor lost.

use std::collections::VecDeque;
use std::time::Instant;

/// A datagram under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet<I> {
    /// Its place in the order of leaving.
    pub(super) index: u64,
    pub(super) sent: Instant,
    pub(super) bytes: u64,
    /// What the controller wants to hear again.
    pub(super) info: I,
}

/// In the order in which they left.
#[derive(Clone, Debug)]
pub(super) struct Outstanding<I> {
    packets: VecDeque<Packet<I>>,
    bytes: u64,
    next_index: u64,
}

impl<I: Copy> Outstanding<I> {
    pub(super) fn new() -> Self {
        Outstanding { packets: VecDeque::new(), bytes: 0, next_index: 0 }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn send(&mut self, sent: Instant, bytes: u64, info: I) {
        self.packets.push_back(Packet { index: self.next_index, sent, bytes, info });
        (self.next_index, self.bytes) = (self.next_index + 1, self.bytes + bytes);
    }

    /// Takes bytes of the datagram that left at an instant; returns it. A datagram of the handshake has several
    /// packets.
    pub(super) fn acknowledge(&mut self, sent: Instant, bytes: u64) -> Option<Packet<I>> {
        let place = self.packets.binary_search_by_key(&sent, |packet| packet.sent).ok()?;
        let packet = self.packets.get_mut(place)?;
        let bytes = bytes.min(packet.bytes);
        packet.bytes -= bytes;
        self.bytes -= bytes;
        let acknowledged = Packet { bytes, ..*packet };
        if packet.bytes == 0 {
            self.packets.remove(place);
        }
        Some(acknowledged)
    }

    /// Takes all that left up to an instant.
    pub(super) fn take_until(&mut self, sent: Instant) -> Vec<Packet<I>> {
        let end = self.packets.partition_point(|packet| packet.sent <= sent);
        let taken: Vec<_> = self.packets.drain(..end).collect();
        self.bytes -= taken.iter().map(|packet| packet.bytes).sum::<u64>();
        taken
    }

    /// Forgets whole datagrams, the oldest first, of `excess` bytes at most; returns their bytes.
    pub(super) fn discard(&mut self, mut excess: u64) -> u64 {
        let before = self.bytes;
        self.packets.retain(|packet| {
            let goes = packet.bytes <= excess;
            excess -= if goes { packet.bytes } else { 0 };
            !goes
        });
        self.bytes = self.packets.iter().map(|packet| packet.bytes).sum();
        before - self.bytes
    }
}
