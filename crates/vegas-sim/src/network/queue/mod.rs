//! Queues that decide which packets to drop or to mark before the queue is full: one discipline a file.
//!
//! These disciplines look at a packet again when its dequeue is due. A drop-tail link knows all departures in advance
//! and does not need this module ([`crate::network::fast::link`]).

mod codel;
mod dualpi2;
mod fq_codel;
mod lines;
mod pie;
mod red;

use std::collections::VecDeque;

use vegas_core::units::Time;

use crate::measure::outcome::QueueOutcome;
use crate::network::labels::Labels;
use crate::packet::Packet;
use crate::scenario::{CoDelSpec, Discipline, LinkKind, StepSpec};
use crate::util::random::Stream;

use codel::CoDel;
use dualpi2::DualPi2;
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
    Step(Fifo, StepSpec),
    DualPi2(DualPi2),
}

impl Queue {
    /// Returns the queue of a link; none if the link is drop-tail.
    pub(crate) fn new(spec: &LinkKind, stream: impl FnOnce() -> Stream) -> Option<Self> {
        match spec.discipline {
            Discipline::DropTail => None,
            Discipline::Red(red) => Some(Queue::Red(Fifo::default(), Red::new(red, spec.rate, stream()))),
            Discipline::CoDel(codel) => Some(Queue::CoDel(Fifo::default(), codel, CoDel::default())),
            Discipline::Pie(pie) => Some(Queue::Pie(Fifo::default(), Pie::new(pie, stream()))),
            Discipline::FqCoDel(fq_codel) => Some(Queue::FqCoDel(FqCoDel::new(fq_codel))),
            Discipline::Step(step) => Some(Queue::Step(Fifo::default(), step)),
            Discipline::DualPi2(dualpi2) => Some(Queue::DualPi2(DualPi2::new(dualpi2, stream()))),
        }
    }

    /// Offers a packet to an empty queue with a free transmitter, so that its dequeue is due at once. Returns whether
    /// the packet passes without entering the queue; disciplines that may drop or mark it return false.
    #[inline]
    pub(crate) fn pass(&mut self, packet: &Packet, labels: &Labels) -> bool {
        match self {
            Queue::Red(..) | Queue::CoDel(..) | Queue::Pie(..) | Queue::Step(..) | Queue::DualPi2(_) => false,
            Queue::FqCoDel(queues) => {
                queues.pass(packet, labels.of(packet, queues.isolation()));
                true
            }
        }
    }

    /// Offers a packet to the queue. Packets that are dropped instead, which may be others, go to `verdicts`, and so do
    /// marked ones.
    #[inline(always)]
    pub(crate) fn offer(
        &mut self,
        now: Time,
        mut packet: Packet,
        labels: &Labels,
        has_room: bool,
        verdicts: &mut Verdicts,
    ) {
        let (fifo, verdict) = match self {
            Queue::Red(fifo, red) => {
                let verdict = red.judge(now, fifo, &packet);
                (fifo, verdict)
            }
            Queue::CoDel(fifo, ..) => (fifo, Verdict::Accept),
            Queue::Pie(fifo, pie) => {
                let verdict = pie.judge(now, fifo);
                (fifo, verdict)
            }
            Queue::FqCoDel(queues) => {
                let label = labels.of(&packet, queues.isolation());
                return queues.offer(now, packet, label, has_room, verdicts);
            }
            Queue::Step(fifo, step) => {
                let is_above = fifo.packets.len() > step.threshold_packets as usize;
                (fifo, if is_above { Verdict::Mark } else { Verdict::Accept })
            }
            Queue::DualPi2(queues) => return queues.offer(now, packet, has_room, verdicts),
        };
        let accepts = match verdict {
            Verdict::Accept => has_room,
            Verdict::Mark => {
                if has_room {
                    verdicts.marks(&mut packet);
                }
                has_room
            }
            Verdict::MarkOrDrop => has_room && verdicts.marks(&mut packet),
            Verdict::Drop => false,
        };
        if accepts {
            fifo.push(QueuedPacket { packet, since: now });
        } else {
            verdicts.dropped.push(packet);
        }
    }

    /// Dequeues the next packet; a dequeue is due. Packets that are dropped before it go to `verdicts`, and so
    /// does the packet itself if it is marked.
    #[inline(always)]
    pub(crate) fn take(&mut self, now: Time, verdicts: &mut Verdicts) -> Option<QueuedPacket> {
        match self {
            Queue::Red(fifo, red) => {
                let taken = fifo.pop();
                red.note_taken(now, fifo);
                taken
            }
            Queue::CoDel(fifo, spec, codel) => codel.take(now, spec, fifo, verdicts),
            Queue::Pie(fifo, pie) => pie.take(now, fifo),
            Queue::FqCoDel(queues) => queues.take(now, verdicts),
            Queue::Step(fifo, _) => fifo.pop(),
            Queue::DualPi2(queues) => queues.take(now, verdicts),
        }
    }

    /// Returns the number of packets that wait.
    pub(crate) fn len(&self) -> usize {
        match self {
            Queue::Red(fifo, _) | Queue::CoDel(fifo, ..) | Queue::Pie(fifo, _) | Queue::Step(fifo, _) => {
                fifo.packets.len()
            }
            Queue::FqCoDel(queues) => queues.len(),
            Queue::DualPi2(queues) => queues.len(),
        }
    }

    /// Returns the totals of each queue of a discipline that has several with names.
    pub(crate) fn outcomes(&self) -> Vec<QueueOutcome> {
        match self {
            Queue::DualPi2(queues) => queues.outcomes(),
            _ => Vec::new(),
        }
    }

    /// Returns the memory that the queue holds beside itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Queue::Red(fifo, _) | Queue::CoDel(fifo, ..) | Queue::Pie(fifo, _) | Queue::Step(fifo, _) => {
                fifo.memory_bytes()
            }
            Queue::FqCoDel(queues) => queues.memory_bytes(),
            Queue::DualPi2(queues) => queues.memory_bytes(),
        }
    }

    /// Returns the number of bytes that wait.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Queue::Red(fifo, _) | Queue::CoDel(fifo, ..) | Queue::Pie(fifo, _) | Queue::Step(fifo, _) => fifo.bytes,
            Queue::FqCoDel(queues) => queues.bytes(),
            Queue::DualPi2(queues) => queues.bytes(),
        }
    }
}

/// What a discipline does with a packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Accept,
    /// The packet is marked if it is ECN-capable, and goes on in either case.
    Mark,
    /// The packet is marked if it is ECN-capable, else dropped.
    MarkOrDrop,
    Drop,
}

/// The packets that a queue discipline has dropped and marked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdicts {
    pub(crate) dropped: Vec<Packet>,
    /// Copies of the marked packets; the packets themselves go on.
    pub(crate) marked: Vec<Packet>,
}

impl Verdicts {
    pub(crate) fn is_empty(&self) -> bool {
        self.dropped.is_empty() && self.marked.is_empty()
    }

    /// Marks a packet if it is ECN-capable; returns whether it did.
    fn marks(&mut self, packet: &mut Packet) -> bool {
        let marked = packet.mark();
        if marked {
            self.marked.push(*packet);
        }
        marked
    }
}

/// A packet that waits, and the time at which it was enqueued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuedPacket {
    pub(crate) packet: Packet,
    pub(crate) since: Time,
}

/// A queue of packets that are dequeued from its front.
trait Backlog {
    fn front(&self) -> Option<&QueuedPacket>;

    fn pop(&mut self) -> Option<QueuedPacket>;

    /// Returns the number of bytes that wait.
    fn bytes(&self) -> u64;
}

/// Packets in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fifo {
    packets: VecDeque<QueuedPacket>,
    bytes: u64,
}

impl Fifo {
    fn memory_bytes(&self) -> usize {
        self.packets.capacity() * size_of::<QueuedPacket>()
    }

    fn push(&mut self, waiting: QueuedPacket) {
        self.bytes += u64::from(waiting.packet.wire());
        self.packets.push_back(waiting);
    }
}

impl Backlog for Fifo {
    fn front(&self) -> Option<&QueuedPacket> {
        self.packets.front()
    }

    fn pop(&mut self) -> Option<QueuedPacket> {
        let waiting = self.packets.pop_front()?;
        self.bytes -= u64::from(waiting.packet.wire());
        Some(waiting)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
