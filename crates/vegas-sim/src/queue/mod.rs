//! Queues that decide which packets to drop or to mark before they are full: one discipline a file.
//!
//! They look at a packet again when its turn comes; a drop-tail link knows all departures in advance, and does without
//! ([`crate::link`]).

mod codel;
mod fq_codel;
mod lines;
mod pie;
mod red;

use std::collections::VecDeque;

use vegas_core::units::Time;

use crate::packet::Packet;
use crate::rng::Stream;
use crate::scenario::{CoDelSpec, Discipline, LinkKind};

use codel::CoDel;
use fq_codel::FqCoDel;
use pie::Pie;
use red::Red;

/// A managed queue.
#[derive(Clone, Debug)]
pub(crate) enum Queue {
    Red(Fifo, Red),
    CoDel(Fifo, CoDelSpec, CoDel),
    Pie(Fifo, Pie),
    FqCoDel(FqCoDel),
}

impl Queue {
    /// The queue of a link; none if it is drop-tail.
    pub(crate) fn new(spec: &LinkKind, stream: impl FnOnce() -> Stream) -> Option<Self> {
        match spec.discipline {
            Discipline::DropTail => None,
            Discipline::Red(red) => Some(Queue::Red(Fifo::default(), Red::new(red, spec.rate, stream()))),
            Discipline::CoDel(codel) => Some(Queue::CoDel(Fifo::default(), codel, CoDel::default())),
            Discipline::Pie(pie) => Some(Queue::Pie(Fifo::default(), Pie::new(pie, stream()))),
            Discipline::FqCoDel(fq_codel) => Some(Queue::FqCoDel(FqCoDel::new(fq_codel))),
        }
    }

    /// Whether a packet passes that comes while nothing waits and the transmitter is free, so that its turn has come: none
    /// of those that may pick it out.
    #[inline]
    pub(crate) fn pass(&mut self, packet: &Packet) -> bool {
        match self {
            Queue::Red(..) | Queue::CoDel(..) | Queue::Pie(..) => false,
            Queue::FqCoDel(queues) => {
                queues.pass(packet);
                true
            }
        }
    }

    /// Takes in a packet; what is dropped instead, be it another one, goes to `chosen`, and so does what is marked.
    #[inline]
    pub(crate) fn offer(&mut self, now: Time, mut packet: Packet, has_room: bool, chosen: &mut Chosen) {
        let verdict = match self {
            Queue::Red(fifo, red) => red.judge(now, fifo, &packet),
            Queue::CoDel(..) => Verdict::Accept,
            Queue::Pie(fifo, pie) => pie.judge(now, fifo),
            Queue::FqCoDel(queues) => return queues.offer(now, packet, has_room, chosen),
        };
        let accepts = match verdict {
            Verdict::Accept => has_room,
            Verdict::MarkOrDrop => has_room && chosen.marks(&mut packet),
            Verdict::Drop => false,
        };
        match self {
            Queue::Red(fifo, _) | Queue::CoDel(fifo, ..) | Queue::Pie(fifo, _) if accepts => {
                fifo.push(Waiting { packet, since: now });
            }
            _ => chosen.dropped.push(packet),
        }
    }

    /// The packet whose turn it is; what is dropped on the way there goes to `chosen`, and it too if it is marked.
    #[inline]
    pub(crate) fn take(&mut self, now: Time, chosen: &mut Chosen) -> Option<Waiting> {
        match self {
            Queue::Red(fifo, red) => {
                let taken = fifo.pop();
                red.note_taken(now, fifo);
                taken
            }
            Queue::CoDel(fifo, spec, codel) => codel.take(now, spec, fifo, chosen),
            Queue::Pie(fifo, pie) => pie.take(now, fifo),
            Queue::FqCoDel(queues) => queues.take(now, chosen),
        }
    }

    /// Packets that wait.
    pub(crate) fn len(&self) -> usize {
        match self {
            Queue::Red(fifo, _) | Queue::CoDel(fifo, ..) | Queue::Pie(fifo, _) => fifo.packets.len(),
            Queue::FqCoDel(queues) => queues.len(),
        }
    }

    /// Bytes that wait.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Queue::Red(fifo, _) | Queue::CoDel(fifo, ..) | Queue::Pie(fifo, _) => fifo.bytes,
            Queue::FqCoDel(queues) => queues.bytes(),
        }
    }
}

/// What is to become of a packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Accept,
    /// Marked if it can be, else dropped.
    MarkOrDrop,
    Drop,
}

/// The packets that a queue has picked out, for whoever writes that down.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) dropped: Vec<Packet>,
    /// Copies: the packets themselves go on.
    pub(crate) marked: Vec<Packet>,
}

impl Chosen {
    pub(crate) fn is_empty(&self) -> bool {
        self.dropped.is_empty() && self.marked.is_empty()
    }

    /// Marks a packet, if it can be.
    fn marks(&mut self, packet: &mut Packet) -> bool {
        let marked = packet.mark();
        if marked {
            self.marked.push(*packet);
        }
        marked
    }
}

/// A packet that waits, and since when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) packet: Packet,
    pub(crate) since: Time,
}

/// Packets that are taken from the front.
trait Backlog {
    fn front(&self) -> Option<&Waiting>;

    fn pop(&mut self) -> Option<Waiting>;

    /// Bytes that wait.
    fn bytes(&self) -> u64;
}

/// Packets in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fifo {
    packets: VecDeque<Waiting>,
    bytes: u64,
}

impl Fifo {
    fn push(&mut self, waiting: Waiting) {
        self.bytes += u64::from(waiting.packet.wire());
        self.packets.push_back(waiting);
    }
}

impl Backlog for Fifo {
    fn front(&self) -> Option<&Waiting> {
        self.packets.front()
    }

    fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.packets.pop_front()?;
        self.bytes -= u64::from(waiting.packet.wire());
        Some(waiting)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
