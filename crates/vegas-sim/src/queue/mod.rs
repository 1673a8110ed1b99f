//! Queues that decide which packets to drop before they are full: one discipline a file.
//!
//! They look at a packet again when its turn comes, so a link with one of them needs an event at each departure;
//! a drop-tail link knows all its departures in advance and does without ([`crate::link`]).

mod codel;
mod fq_codel;
mod pie;
mod red;

use std::collections::VecDeque;

use vegas_core::units::Time;

use crate::packet::Packet;
use crate::rng::Stream;
use crate::scenario::{Discipline, LinkSpec};

use codel::CoDel;
use fq_codel::FqCoDel;
use pie::Pie;
use red::Red;

/// A managed queue.
#[derive(Clone, Debug)]
pub(crate) enum Queue {
    Red(Fifo, Red),
    CoDel(Fifo, CoDel),
    Pie(Fifo, Pie),
    FqCoDel(FqCoDel),
}

impl Queue {
    /// The queue of a link; none if it is drop-tail.
    pub(crate) fn new(spec: &LinkSpec, stream: Stream) -> Option<Self> {
        match spec.discipline {
            Discipline::DropTail => None,
            Discipline::Red(red) => Some(Queue::Red(Fifo::default(), Red::new(red, spec.rate, stream))),
            Discipline::CoDel(codel) => Some(Queue::CoDel(Fifo::default(), CoDel::new(codel))),
            Discipline::Pie(pie) => Some(Queue::Pie(Fifo::default(), Pie::new(pie, stream))),
            Discipline::FqCoDel(fq_codel) => Some(Queue::FqCoDel(FqCoDel::new(fq_codel))),
        }
    }

    /// Takes in a packet; what is dropped instead, be it another one, goes to `dropped`.
    pub(crate) fn offer(&mut self, now: Time, packet: Packet, has_room: bool, dropped: &mut Vec<Packet>) {
        let accepts = match self {
            Queue::Red(fifo, red) => !red.drops(now, fifo, &packet),
            Queue::CoDel(..) => true,
            Queue::Pie(fifo, pie) => !pie.drops(now, fifo),
            Queue::FqCoDel(queues) => return queues.offer(now, packet, has_room, dropped),
        };
        match self {
            Queue::Red(fifo, _) | Queue::CoDel(fifo, _) | Queue::Pie(fifo, _) if accepts && has_room => {
                fifo.push(Waiting { packet, since: now });
            }
            _ => dropped.push(packet),
        }
    }

    /// The packet whose turn it is; what is dropped on the way there goes to `dropped`.
    pub(crate) fn take(&mut self, now: Time, dropped: &mut Vec<Packet>) -> Option<Waiting> {
        match self {
            Queue::Red(fifo, red) => {
                let taken = fifo.pop();
                red.note_taken(now, fifo);
                taken
            }
            Queue::CoDel(fifo, codel) => codel.take(now, fifo, dropped),
            Queue::Pie(fifo, pie) => pie.take(now, fifo),
            Queue::FqCoDel(queues) => queues.take(now, dropped),
        }
    }

    /// Packets that wait.
    pub(crate) fn len(&self) -> usize {
        match self {
            Queue::Red(fifo, _) | Queue::CoDel(fifo, _) | Queue::Pie(fifo, _) => fifo.packets.len(),
            Queue::FqCoDel(queues) => queues.len(),
        }
    }

    /// Bytes that wait.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Queue::Red(fifo, _) | Queue::CoDel(fifo, _) | Queue::Pie(fifo, _) => fifo.bytes,
            Queue::FqCoDel(queues) => queues.bytes(),
        }
    }
}

/// A packet that waits, and since when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) packet: Packet,
    pub(crate) since: Time,
}

/// Packets in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fifo {
    packets: VecDeque<Waiting>,
    bytes: u64,
}

impl Fifo {
    fn push(&mut self, waiting: Waiting) {
        self.bytes += u64::from(waiting.packet.wire);
        self.packets.push_back(waiting);
    }

    fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.packets.pop_front()?;
        self.bytes -= u64::from(waiting.packet.wire);
        Some(waiting)
    }
}
