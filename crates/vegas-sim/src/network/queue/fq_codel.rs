//! FQ-CoDel (RFC 8290): flows, or users, are hashed to queues. The queues take turns by bytes, and queues that were
//! empty come first; CoDel manages each queue.

use std::cmp::Reverse;

use vegas_core::units::Time;

use super::codel::CoDel;
use super::lines::{Line, LineOf, Lines};
use super::{QueuedPacket, Verdicts};
use crate::packet::{Packet, WireSize};
use crate::scenario::{CoDelSpec, FqCoDelSpec, Isolation};
use crate::util::prefetch::prefetch;

/// The queues, and which of them sends next (RFC 8290, section 4).
#[derive(Clone, Debug)]
pub(crate) struct FqCoDel {
    quantum: i64,
    codel: CoDelSpec,
    isolation: Isolation,
    /// The greatest number of queues.
    buckets: u32,
    /// The queues to which a packet has come, in the order of their first packets.
    queues: Vec<FlowQueue>,
    /// The index in `queues` of each bucket's queue.
    places: Places,
    lines: Lines,
    new: TurnRing,
    old: TurnRing,
}

/// The queue of one bucket. It fills one line of the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct FlowQueue {
    line: Line,
    codel: CoDel,
    /// The bytes that the queue may still send in its turn.
    credit: i64,
    /// The next queue on the list that this one is on; [`NONE`] while it is on neither list.
    next: u32,
    /// The bucket to which the packets of this queue are hashed.
    bucket: u32,
}

const _: () = assert!(size_of::<FlowQueue>() == 64);

const NONE: u32 = u32::MAX;

impl FqCoDel {
    pub(super) fn new(spec: FqCoDelSpec) -> Self {
        FqCoDel {
            quantum: i64::from(spec.quantum_bytes),
            codel: spec.codel,
            isolation: spec.isolation,
            buckets: spec.queues,
            queues: Vec::new(),
            places: Places::default(),
            lines: Lines::default(),
            new: TurnRing::EMPTY,
            old: TurnRing::EMPTY,
        }
    }

    /// What has a queue of its own.
    #[inline]
    pub(super) fn isolation(&self) -> Isolation {
        self.isolation
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.lines.packets()
    }

    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.lines.bytes()
    }

    /// Offers a packet to its queue. Where there is no room, the longest queue drops packets from its head (RFC 8290,
    /// section 4.1).
    #[inline(always)]
    pub(super) fn offer(&mut self, now: Time, packet: Packet, label: u32, has_room: bool, verdicts: &mut Verdicts) {
        let id = self.list(label);
        self.lines.push(&mut self.queues[id as usize].line, QueuedPacket { packet, since: now });
        if !has_room {
            self.make_room(packet.wire(), verdicts);
        }
    }

    /// Accounts for a packet that is dequeued as it is offered, because all queues are empty: its queue is listed, but
    /// the packet is not stored.
    #[inline]
    pub(super) fn pass(&mut self, packet: &Packet, label: u32) {
        self.rest();
        let id = self.list(label);
        let queue = &mut self.queues[id as usize];
        queue.codel.note_passing(packet.wire());
        queue.credit -= i64::from(packet.wire());
    }

    /// Returns the queue of packets with this label (RFC 8290, section 4.1), and puts it on a list if it is on none.
    #[inline(always)]
    fn list(&mut self, label: u32) -> u32 {
        let bucket = label % self.buckets;
        let id = match self.places.find(bucket) {
            Some(id) => id,
            None => self.add(bucket),
        };
        let queue = &mut self.queues[id as usize];
        if queue.next == NONE {
            queue.credit = self.quantum;
            self.new.push(&mut self.queues, id);
        }
        id
    }

    /// Makes the queue of a bucket, to which the first packet comes; returns its index.
    #[cold]
    #[inline(never)]
    fn add(&mut self, bucket: u32) -> u32 {
        let id = self.queues.len() as u32;
        self.queues.push(FlowQueue { line: Line::default(), codel: CoDel::default(), credit: 0, next: NONE, bucket });
        self.places.add(bucket, id);
        id
    }

    /// Returns about how much memory the queues hold, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&self.queues[..]) + size_of_val(&self.places.slots[..]) + self.lines.memory_bytes()
    }

    #[cold]
    fn make_room(&mut self, wire: WireSize, verdicts: &mut Verdicts) {
        let mut room = 0u32;
        while room < u32::from(wire) {
            let rank = |id: u32| {
                let queue = &self.queues[id as usize];
                (queue.line.bytes(), Reverse(queue.bucket))
            };
            let listed = self.new.iter(&self.queues).chain(self.old.iter(&self.queues));
            let longest = listed.max_by_key(|&id| rank(id)).expect("what has packets is listed");
            let line = &mut self.queues[longest as usize].line;
            let head = self.lines.pop(line).expect("the packet offered is there");
            room += u32::from(head.packet.wire());
            verdicts.dropped.push(head.packet);
        }
    }

    /// Dequeues the next packet (RFC 8290, section 4.2).
    #[inline(always)]
    pub(super) fn take(&mut self, now: Time, verdicts: &mut Verdicts) -> Option<QueuedPacket> {
        if self.lines.packets() == 0 {
            self.rest();
            return None;
        }
        loop {
            let (id, is_new) = match self.new.first(&self.queues) {
                Some(id) => (id, true),
                None => (self.old.first(&self.queues)?, false),
            };
            let queue = &mut self.queues[id as usize];
            if queue.credit <= 0 {
                queue.credit += self.quantum;
                self.send_back(id, is_new);
                continue;
            }
            let mut backlog = LineOf(&mut self.lines, &mut queue.line);
            let Some(taken) = queue.codel.take(now, &self.codel, &mut backlog, verdicts) else {
                self.retire(id, is_new);
                continue;
            };
            queue.credit -= i64::from(taken.packet.wire());
            self.prefetch(id);
            return Some(taken);
        }
    }

    /// Prefetches what the turns after this queue's turn will read.
    #[inline]
    fn prefetch(&self, id: u32) {
        self.lines.prefetch(&self.queues[id as usize].line);
        let Some(next) = self.queues.get(self.queues[id as usize].next as usize) else { return };
        self.lines.prefetch(&next.line);
        if let Some(over_next) = self.queues.get(next.next as usize) {
            prefetch(over_next);
        }
    }

    /// Moves the first queue of a list, which has had its turn, to the end of the old list.
    #[inline]
    fn send_back(&mut self, id: u32, is_new: bool) {
        if is_new {
            self.new.take_first(&mut self.queues, id);
            self.old.push(&mut self.queues, id);
        } else {
            self.old.last = id;
        }
    }

    /// Takes an empty queue off its list. A queue on the new list goes through the old list once instead, so that it
    /// cannot get ahead of others by sending little.
    fn retire(&mut self, id: u32, is_new: bool) {
        if is_new && self.old.first(&self.queues).is_some() {
            self.send_back(id, is_new);
        } else {
            let list = if is_new { &mut self.new } else { &mut self.old };
            list.take_first(&mut self.queues, id);
        }
    }

    /// Empties both lists: as all queues are empty, each would find that in its turn and leave its list.
    #[inline]
    fn rest(&mut self) {
        for is_new in [true, false] {
            let list = if is_new { &mut self.new } else { &mut self.old };
            while let Some(id) = list.first(&self.queues) {
                self.queues[id as usize].codel.note_empty();
                list.take_first(&mut self.queues, id);
            }
        }
    }
}

/// The indices of queues by bucket: a hash table with open addressing, at most half full. The buckets are the hashes.
#[derive(Clone, Debug, Default)]
struct Places {
    /// The slots; their number is a power of two.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The bucket; [`NONE`] if the slot is free.
    bucket: u32,
    id: u32,
}

impl Places {
    const LEAST: usize = 4;
    const FREE: Slot = Slot { bucket: NONE, id: NONE };

    #[inline(always)]
    fn find(&self, bucket: u32) -> Option<u32> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut place = bucket as usize;
        loop {
            let slot = self.slots.get(place & mask)?;
            if slot.bucket == bucket {
                return Some(slot.id);
            }
            if slot.bucket == NONE {
                return None;
            }
            place += 1;
        }
    }

    /// Adds a queue. Its index is the number of queues before it.
    fn add(&mut self, bucket: u32, id: u32) {
        if 2 * (id as usize + 1) > self.slots.len() {
            let more = vec![Places::FREE; (2 * self.slots.len()).max(Places::LEAST)];
            let known = std::mem::replace(&mut self.slots, more);
            known.into_iter().filter(|slot| slot.bucket != NONE).for_each(|slot| self.put(slot));
        }
        self.put(Slot { bucket, id });
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut place = slot.bucket as usize & mask;
        while self.slots[place].bucket != NONE {
            place = (place + 1) & mask;
        }
        self.slots[place] = slot;
    }
}

/// A circular list of queues: the last queue links to the first.
#[derive(Clone, Copy, Debug)]
struct TurnRing {
    last: u32,
}

impl TurnRing {
    const EMPTY: TurnRing = TurnRing { last: NONE };

    #[inline]
    fn first(self, queues: &[FlowQueue]) -> Option<u32> {
        (self.last != NONE).then(|| queues[self.last as usize].next)
    }

    #[inline]
    fn push(&mut self, queues: &mut [FlowQueue], id: u32) {
        let first = self.first(queues).unwrap_or(id);
        queues[id as usize].next = first;
        if self.last != NONE {
            queues[self.last as usize].next = id;
        }
        self.last = id;
    }

    #[inline]
    fn take_first(&mut self, queues: &mut [FlowQueue], first: u32) {
        let second = std::mem::replace(&mut queues[first as usize].next, NONE);
        if first == self.last {
            self.last = NONE;
        } else {
            queues[self.last as usize].next = second;
        }
    }

    fn iter(self, queues: &[FlowQueue]) -> impl Iterator<Item = u32> {
        let next = move |id: u32| queues[id as usize].next;
        std::iter::successors(self.first(queues), move |id| (*id != self.last).then(|| next(*id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;
    use proptest::prelude::*;
    use vegas_core::units::Span;

    /// What happens to two queues that should behave alike.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Offer,
        Take,
        /// A packet comes to a free transmitter, if nothing waits. It passes one queue; the other one stores it for a
        /// moment.
        Pass,
    }

    fn steps() -> impl Strategy<Value = Vec<(Step, u32, u16, u64)>> {
        let step = prop::sample::select(vec![Step::Offer, Step::Offer, Step::Take, Step::Take, Step::Pass]);
        prop::collection::vec((step, 0..6u32, prop::sample::select(vec![40u16, 1000, 1500]), 0..40u64), 1..400)
    }

    fn codel() -> CoDelSpec {
        let (target, interval) = (Span::from_millis(5), Span::from_millis(100));
        CoDelSpec { target, interval, ecn: false, ce_threshold: Span::MAX }
    }

    /// Queues take memory only once a packet has come to them.
    #[test]
    fn queues_are_made_when_they_are_needed() {
        let codel = codel();
        let mut all =
            FqCoDel::new(FqCoDelSpec { codel, queues: 65_536, quantum_bytes: 1514, isolation: Isolation::Flows });
        assert_eq!(all.memory_bytes(), 0);
        let mut verdicts = Verdicts::default();
        for flow in [0, 1, 0, 2, 1] {
            all.offer(
                Time::ZERO,
                Packet::new(PacketKind::Data, flow, 0, WireSize::new(1000)),
                flow,
                true,
                &mut verdicts,
            );
        }
        assert_eq!((all.queues.len(), all.len()), (3, 5));
        assert!(all.memory_bytes() < 2_000, "{}", all.memory_bytes());
    }

    /// Looks up buckets that share their last bits, and buckets that do not.
    #[test]
    fn places_are_those_of_a_map() {
        let mut all = FqCoDel::new(FqCoDelSpec {
            codel: codel(),
            queues: 65_536,
            quantum_bytes: 1514,
            isolation: Isolation::Flows,
        });
        let buckets = (0..500u32).map(|number| if number % 3 == 0 { 64 * number } else { 7 * number + 1 });
        let mut map = std::collections::BTreeMap::new();
        for bucket in buckets {
            let id = all.places.find(bucket);
            assert_eq!(id, map.get(&bucket).copied());
            if id.is_none() {
                map.insert(bucket, all.add(bucket));
            }
            assert!(2 * all.queues.len() <= all.places.slots.len());
        }
        for (bucket, id) in &map {
            assert_eq!(all.places.find(*bucket), Some(*id));
        }
    }

    /// Returns the packets dropped since the last call.
    fn dropped(verdicts: &mut Verdicts) -> Vec<u64> {
        verdicts.dropped.drain(..).map(|packet| packet.sequence).collect()
    }

    proptest! {
        #[test]
        fn to_pass_is_to_be_offered_and_taken(steps in steps()) {
            let codel = codel();
            let spec = FqCoDelSpec { codel, queues: 4, quantum_bytes: 700, isolation: Isolation::Flows };
            let (mut passed, mut taken) = (FqCoDel::new(spec), FqCoDel::new(spec));
            let (mut verdicts, mut now) = ([Verdicts::default(), Verdicts::default()], Time::ZERO);
            for (number, (step, flow, wire, wait_ms)) in steps.into_iter().enumerate() {
                let packet = Packet::new(PacketKind::Data, flow, number as u64, WireSize::new(wire));
                now = now + Span::from_millis(wait_ms);
                match step {
                    Step::Offer => {
                        passed.offer(now, packet, flow, number % 7 > 0, &mut verdicts[0]);
                        taken.offer(now, packet, flow, number % 7 > 0, &mut verdicts[1]);
                    }
                    Step::Pass if passed.len() == 0 => {
                        passed.pass(&packet, flow);
                        // the transmitter became free first, and asked this queue
                        prop_assert!(taken.take(now, &mut verdicts[1]).is_none());
                        taken.offer(now, packet, flow, true, &mut verdicts[1]);
                        prop_assert!(taken.take(now, &mut verdicts[1]).is_some());
                    }
                    Step::Take | Step::Pass => {
                        let one = passed.take(now, &mut verdicts[0]).map(|waiting| waiting.packet.sequence);
                        let other = taken.take(now, &mut verdicts[1]).map(|waiting| waiting.packet.sequence);
                        prop_assert_eq!(one, other);
                    }
                }
                prop_assert_eq!(dropped(&mut verdicts[0]), dropped(&mut verdicts[1]));
                prop_assert_eq!((passed.len(), passed.bytes()), (taken.len(), taken.bytes()));
            }
        }
    }
}
