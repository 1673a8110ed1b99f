//! Many queues of packets in one store. A packet that leaves one queue frees its place, which is still in the cache,
//! for the next packet that comes to any queue; an empty queue takes 16 bytes.

use super::{Backlog, QueuedPacket};
use crate::util::prefetch::prefetch;

const NONE: u32 = u32::MAX;

/// The packets of all queues.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    places: Vec<Place>,
    /// The first free place. Free places are linked like the packets of a queue.
    free: u32,
    packets: usize,
    bytes: u64,
}

#[derive(Clone, Debug)]
struct Place {
    waiting: QueuedPacket,
    /// The place of the packet behind this one.
    next: u32,
}

/// One of the queues: the places of its first and last packet, and its bytes.
#[derive(Clone, Debug)]
pub(super) struct Line {
    first: u32,
    last: u32,
    bytes: u64,
}

impl Default for Lines {
    fn default() -> Self {
        Lines { places: Vec::new(), free: NONE, packets: 0, bytes: 0 }
    }
}

impl Default for Line {
    fn default() -> Self {
        Line { first: NONE, last: NONE, bytes: 0 }
    }
}

impl Line {
    /// Returns the number of bytes that wait in this queue.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Lines {
    /// Returns the number of packets that wait in all queues.
    #[inline]
    pub(super) fn packets(&self) -> usize {
        self.packets
    }

    /// Returns about how much memory the queues hold, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&self.places[..])
    }

    /// Returns the number of bytes that wait in all queues.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    pub(super) fn push(&mut self, line: &mut Line, waiting: QueuedPacket) {
        let bytes = u64::from(waiting.packet.wire());
        line.bytes += bytes;
        self.bytes += bytes;
        self.packets += 1;
        let place = self.store(Place { waiting, next: NONE });
        match line.last {
            NONE => line.first = place,
            last => self.places[last as usize].next = place,
        }
        line.last = place;
    }

    #[inline]
    fn store(&mut self, place: Place) -> u32 {
        match self.free {
            NONE => {
                self.places.push(place);
                (self.places.len() - 1) as u32
            }
            free => {
                let reused = &mut self.places[free as usize];
                self.free = reused.next;
                *reused = place;
                free
            }
        }
    }

    #[inline]
    pub(super) fn front(&self, line: &Line) -> Option<&QueuedPacket> {
        self.places.get(line.first as usize).map(|place| &place.waiting)
    }

    /// Prefetches the first packet of a queue.
    #[inline]
    pub(super) fn prefetch(&self, line: &Line) {
        if let Some(first) = self.front(line) {
            prefetch(first);
        }
    }

    #[inline]
    pub(super) fn pop(&mut self, line: &mut Line) -> Option<QueuedPacket> {
        let first = line.first;
        if first == NONE {
            return None;
        }
        let place = &mut self.places[first as usize];
        let waiting = place.waiting;
        line.first = std::mem::replace(&mut place.next, self.free);
        self.free = first;
        if line.first == NONE {
            line.last = NONE;
        }
        let bytes = u64::from(waiting.packet.wire());
        line.bytes -= bytes;
        self.bytes -= bytes;
        self.packets -= 1;
        Some(waiting)
    }
}

/// A queue, together with the store of its packets.
pub(super) struct LineOf<'a>(pub(super) &'a mut Lines, pub(super) &'a mut Line);

impl Backlog for LineOf<'_> {
    #[inline]
    fn front(&self) -> Option<&QueuedPacket> {
        self.0.front(self.1)
    }

    #[inline]
    fn pop(&mut self) -> Option<QueuedPacket> {
        self.0.pop(self.1)
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.1.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Packet, PacketKind, WireSize};
    use proptest::prelude::*;
    use std::collections::VecDeque;
    use vegas_core::units::Time;

    proptest! {
        /// Compares each queue with a queue of the standard library.
        #[test]
        fn lines_do_not_mix(steps in prop::collection::vec((0usize..5, prop::bool::weighted(0.6)), 1..300)) {
            let (mut lines, mut all) = (Lines::default(), vec![Line::default(); 5]);
            let mut model = vec![VecDeque::new(); 5];
            let mut most = 0;
            for (number, (id, pushes)) in steps.into_iter().enumerate() {
                if pushes {
                    let packet = Packet::new(PacketKind::Data, 0, number as u64, WireSize::new(40 + number as u16));
                    lines.push(&mut all[id], QueuedPacket { packet, since: Time::ZERO });
                    model[id].push_back(packet);
                } else {
                    let taken = lines.pop(&mut all[id]).map(|waiting| waiting.packet.sequence);
                    prop_assert_eq!(taken, model[id].pop_front().map(|packet| packet.sequence));
                }
                let bytes: u64 = model[id].iter().map(|packet| u64::from(packet.wire())).sum();
                prop_assert_eq!(all[id].bytes(), bytes);
                most = most.max(model.iter().map(VecDeque::len).sum());
            }
            prop_assert_eq!(lines.places.len(), most);
        }
    }
}
