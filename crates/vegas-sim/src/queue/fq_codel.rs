//! FQ-CoDel (RFC 8290): flows are hashed to queues, which take turns by bytes, those that were empty first; CoDel
//! manages each.

use std::cmp::Reverse;
use std::collections::VecDeque;

use vegas_core::units::Time;

use super::codel::CoDel;
use super::lines::{Line, LineOf, Lines};
use super::{Chosen, Waiting};
use crate::packet::{Packet, PacketKind};
use crate::scenario::{CoDelSpec, FqCoDelSpec};

/// The queues, and whose turn it is (RFC 8290, section 4).
#[derive(Clone, Debug)]
pub(crate) struct FqCoDel {
    quantum: i64,
    codel: CoDelSpec,
    queues: Vec<FlowQueue>,
    lines: Lines,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    packets: usize,
    bytes: u64,
}

/// One line of the cache.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct FlowQueue {
    line: Line,
    codel: CoDel,
    /// Bytes that it may still send in its turn.
    credit: i64,
    /// It is on one of the two lists.
    listed: bool,
}

impl FqCoDel {
    pub(super) fn new(spec: FqCoDelSpec) -> Self {
        FqCoDel {
            quantum: i64::from(spec.quantum_bytes),
            codel: spec.codel,
            queues: vec![FlowQueue::default(); spec.queues as usize],
            lines: Lines::default(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            packets: 0,
            bytes: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.packets
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// RFC 8290, section 4.1: where there is no room, the longest queue loses its head.
    pub(super) fn offer(&mut self, now: Time, packet: Packet, has_room: bool, chosen: &mut Chosen) {
        let id = hash(&packet) % self.queues.len() as u32;
        let queue = &mut self.queues[id as usize];
        self.lines.push(&mut queue.line, Waiting { packet, since: now });
        self.packets += 1;
        self.bytes += u64::from(packet.wire);
        if !std::mem::replace(&mut queue.listed, true) {
            queue.credit = self.quantum;
            self.new.push_back(id);
        }
        if !has_room {
            self.make_room(packet.wire, chosen);
        }
    }

    #[cold]
    fn make_room(&mut self, wire: u16, chosen: &mut Chosen) {
        let mut room = 0u32;
        while room < u32::from(wire) {
            let bytes = |id: u32| self.queues[id as usize].line.bytes();
            let listed = self.new.iter().chain(&self.old).copied();
            let longest = listed.max_by_key(|&id| (bytes(id), Reverse(id))).expect("what has packets is listed");
            let line = &mut self.queues[longest as usize].line;
            let head = self.lines.pop(line).expect("the packet offered is there");
            room += u32::from(head.packet.wire);
            self.count_out(head.packet);
            chosen.dropped.push(head.packet);
        }
    }

    /// RFC 8290, section 4.2.
    pub(super) fn take(&mut self, now: Time, chosen: &mut Chosen) -> Option<Waiting> {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let id = *list.front()?;
            let queue = &mut self.queues[id as usize];
            if queue.credit <= 0 {
                queue.credit += self.quantum;
                list.pop_front();
                self.old.push_back(id);
                continue;
            }
            let before = chosen.dropped.len();
            let mut backlog = LineOf(&mut self.lines, &mut queue.line);
            let taken = queue.codel.take(now, &self.codel, &mut backlog, chosen);
            for packet in &chosen.dropped[before..] {
                self.packets -= 1;
                self.bytes -= u64::from(packet.wire);
            }
            let Some(taken) = taken else {
                self.retire(id, from_new);
                continue;
            };
            self.queues[id as usize].credit -= i64::from(taken.packet.wire);
            self.count_out(taken.packet);
            return Some(taken);
        }
    }

    /// An empty queue: a new one passes over the old list once, so that it cannot jump the queue by sending little.
    fn retire(&mut self, id: u32, from_new: bool) {
        if from_new {
            self.new.pop_front();
        } else {
            self.old.pop_front();
        }
        if from_new && !self.old.is_empty() {
            self.old.push_back(id);
        } else {
            self.queues[id as usize].listed = false;
        }
    }

    fn count_out(&mut self, packet: Packet) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.wire);
    }
}

/// Each direction of a connection and each source of datagrams is a flow; Knuth's multiplicative hash spreads them.
fn hash(packet: &Packet) -> u32 {
    let kind = match packet.kind {
        PacketKind::Datagram => 2,
        kind => u32::from(kind.is_forward()),
    };
    packet.flow.wrapping_mul(3).wrapping_add(kind).wrapping_mul(2_654_435_761) >> 8
}
