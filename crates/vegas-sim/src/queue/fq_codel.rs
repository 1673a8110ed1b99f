//! FQ-CoDel (RFC 8290): flows are hashed to queues, which take turns by bytes, those that were empty first; CoDel
//! manages each.

use std::cmp::Reverse;

use vegas_core::units::Time;

use super::codel::CoDel;
use super::lines::{Line, LineOf, Lines};
use super::{Chosen, Waiting};
use crate::packet::{Packet, PacketKind};
use crate::prefetch::prefetch;
use crate::scenario::{CoDelSpec, FqCoDelSpec};

/// The queues, and whose turn it is (RFC 8290, section 4).
#[derive(Clone, Debug)]
pub(crate) struct FqCoDel {
    quantum: i64,
    codel: CoDelSpec,
    queues: Vec<FlowQueue>,
    lines: Lines,
    new: Ring,
    old: Ring,
}

/// One line of the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct FlowQueue {
    line: Line,
    codel: CoDel,
    /// Bytes that it may still send in its turn.
    credit: i64,
    /// The next on its list; [`NONE`] while it is on neither.
    next: u32,
}

const _: () = assert!(size_of::<FlowQueue>() == 64);

const NONE: u32 = u32::MAX;

impl FqCoDel {
    pub(super) fn new(spec: FqCoDelSpec) -> Self {
        let empty = FlowQueue { line: Line::default(), codel: CoDel::default(), credit: 0, next: NONE };
        FqCoDel {
            quantum: i64::from(spec.quantum_bytes),
            codel: spec.codel,
            queues: vec![empty; spec.queues as usize],
            lines: Lines::default(),
            new: Ring::EMPTY,
            old: Ring::EMPTY,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.lines.packets()
    }

    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.lines.bytes()
    }

    /// RFC 8290, section 4.1: where there is no room, the longest queue loses its head.
    #[inline]
    pub(super) fn offer(&mut self, now: Time, packet: Packet, has_room: bool, chosen: &mut Chosen) {
        let id = self.list(&packet);
        self.lines.push(&mut self.queues[id as usize].line, Waiting { packet, since: now });
        if !has_room {
            self.make_room(packet.wire(), chosen);
        }
    }

    /// What becomes of a packet whose turn comes as it is offered, as all queues are empty: it is on its queue, and taken.
    #[inline]
    pub(super) fn pass(&mut self, packet: &Packet) {
        self.rest();
        let id = self.list(packet);
        let queue = &mut self.queues[id as usize];
        queue.codel.note_passing(packet.wire());
        queue.credit -= i64::from(packet.wire());
    }

    /// The queue of a packet that comes, now on a list.
    #[inline]
    fn list(&mut self, packet: &Packet) -> u32 {
        let id = hash(packet) % self.queues.len() as u32;
        let queue = &mut self.queues[id as usize];
        if queue.next == NONE {
            queue.credit = self.quantum;
            self.new.push(&mut self.queues, id);
        }
        id
    }

    #[cold]
    fn make_room(&mut self, wire: u16, chosen: &mut Chosen) {
        let mut room = 0u32;
        while room < u32::from(wire) {
            let bytes = |id: u32| self.queues[id as usize].line.bytes();
            let listed = self.new.iter(&self.queues).chain(self.old.iter(&self.queues));
            let longest = listed.max_by_key(|&id| (bytes(id), Reverse(id))).expect("what has packets is listed");
            let line = &mut self.queues[longest as usize].line;
            let head = self.lines.pop(line).expect("the packet offered is there");
            room += u32::from(head.packet.wire());
            chosen.dropped.push(head.packet);
        }
    }

    /// RFC 8290, section 4.2.
    #[inline]
    pub(super) fn take(&mut self, now: Time, chosen: &mut Chosen) -> Option<Waiting> {
        if self.lines.packets() == 0 {
            self.rest();
            return None;
        }
        loop {
            let is_new = self.new.first(&self.queues).is_some();
            let list = if is_new { self.new } else { self.old };
            let id = list.first(&self.queues)?;
            let queue = &mut self.queues[id as usize];
            if queue.credit <= 0 {
                queue.credit += self.quantum;
                self.send_back(id, is_new);
                continue;
            }
            let mut backlog = LineOf(&mut self.lines, &mut queue.line);
            let Some(taken) = queue.codel.take(now, &self.codel, &mut backlog, chosen) else {
                self.retire(id, is_new);
                continue;
            };
            queue.credit -= i64::from(taken.packet.wire());
            self.prefetch(id);
            return Some(taken);
        }
    }

    /// Has the processor fetch what the turns after that of this queue will look at.
    #[inline]
    fn prefetch(&self, id: u32) {
        self.lines.prefetch(&self.queues[id as usize].line);
        let Some(next) = self.queues.get(self.queues[id as usize].next as usize) else { return };
        self.lines.prefetch(&next.line);
        if let Some(over_next) = self.queues.get(next.next as usize) {
            prefetch(over_next);
        }
    }

    /// The first queue has had its turn.
    #[inline]
    fn send_back(&mut self, id: u32, is_new: bool) {
        if is_new {
            self.new.take_first(&mut self.queues, id);
            self.old.push(&mut self.queues, id);
        } else {
            self.old.last = id;
        }
    }

    /// An empty queue: a new one passes over the old list once, so that it cannot jump the queue by sending little.
    fn retire(&mut self, id: u32, is_new: bool) {
        if is_new && self.old.first(&self.queues).is_some() {
            self.send_back(id, is_new);
        } else {
            let list = if is_new { &mut self.new } else { &mut self.old };
            list.take_first(&mut self.queues, id);
        }
    }

    /// All queues are empty: each finds that in its turn, and leaves its list.
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

/// A list of queues, the last of which knows the first.
#[derive(Clone, Copy, Debug)]
struct Ring {
    last: u32,
}

impl Ring {
    const EMPTY: Ring = Ring { last: NONE };

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

/// Each direction of a connection and each source of datagrams is a flow; Knuth's multiplicative hash spreads them.
fn hash(packet: &Packet) -> u32 {
    let kind = match packet.kind() {
        PacketKind::Datagram => 2,
        kind => u32::from(kind.is_forward()),
    };
    packet.flow().wrapping_mul(3).wrapping_add(kind).wrapping_mul(2_654_435_761) >> 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use vegas_core::units::Span;

    /// What happens to two queues that should be alike.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Offer,
        Take,
        /// A packet comes to a free transmitter, if nothing waits: one queue has it pass, the other has it for a moment.
        Pass,
    }

    fn steps() -> impl Strategy<Value = Vec<(Step, u32, u16, u64)>> {
        let step = prop::sample::select(vec![Step::Offer, Step::Offer, Step::Take, Step::Take, Step::Pass]);
        prop::collection::vec((step, 0..6u32, prop::sample::select(vec![40u16, 1000, 1500]), 0..40u64), 1..400)
    }

    /// The packets picked out since the last time.
    fn dropped(chosen: &mut Chosen) -> Vec<u64> {
        chosen.dropped.drain(..).map(|packet| packet.sequence).collect()
    }

    proptest! {
        #[test]
        fn to_pass_is_to_be_offered_and_taken(steps in steps()) {
            let codel = CoDelSpec { target: Span::from_millis(5), interval: Span::from_millis(100), ecn: false };
            let spec = FqCoDelSpec { codel, queues: 4, quantum_bytes: 700 };
            let (mut passed, mut taken) = (FqCoDel::new(spec), FqCoDel::new(spec));
            let (mut chosen, mut now) = ([Chosen::default(), Chosen::default()], Time::ZERO);
            for (number, (step, flow, wire, wait_ms)) in steps.into_iter().enumerate() {
                let packet = Packet::new(PacketKind::Data, flow, number as u64, wire);
                now = now + Span::from_millis(wait_ms);
                match step {
                    Step::Offer => {
                        passed.offer(now, packet, number % 7 > 0, &mut chosen[0]);
                        taken.offer(now, packet, number % 7 > 0, &mut chosen[1]);
                    }
                    Step::Pass if passed.len() == 0 => {
                        passed.pass(&packet);
                        // its transmitter became free first
                        prop_assert!(taken.take(now, &mut chosen[1]).is_none());
                        taken.offer(now, packet, true, &mut chosen[1]);
                        prop_assert!(taken.take(now, &mut chosen[1]).is_some());
                    }
                    Step::Take | Step::Pass => {
                        let one = passed.take(now, &mut chosen[0]).map(|waiting| waiting.packet.sequence);
                        let other = taken.take(now, &mut chosen[1]).map(|waiting| waiting.packet.sequence);
                        prop_assert_eq!(one, other);
                    }
                }
                prop_assert_eq!(dropped(&mut chosen[0]), dropped(&mut chosen[1]));
                prop_assert_eq!((passed.len(), passed.bytes()), (taken.len(), taken.bytes()));
            }
        }
    }
}
