//! Who stays on a link one by one: where packets of different sizes meet in its queue, until that is empty, and always where
//! times may change.

use vegas_core::units::{Span, Time};

use super::Staying;
use crate::ring::Ring;
use crate::scenario::QueueLimit;
use crate::transmitter::Transmitter;
use crate::waiting::WaitingTimes;

/// Those who stay.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// In the order of their departures.
    ring: Ring<Stay>,
    bytes: u64,
    /// They always are; then how long they wait may change, and is counted as they leave.
    pub(super) always: bool,
    /// When the last one left that is not here any more.
    free_since: Time,
}

/// One packet's stay.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stay {
    /// Means nothing unless they always are listed.
    pub(super) offered: Time,
    pub(super) departure: Time,
    pub(super) wire: u16,
}

impl Listed {
    /// They always are.
    pub(super) fn always() -> Self {
        Listed { ring: Ring::default(), bytes: 0, always: true, free_since: Time::ZERO }
    }

    /// Packets of one size that leave then, until all have left; how long they wait is counted.
    pub(super) fn until_empty(departures: impl Iterator<Item = Time>, wire: u16) -> Self {
        let mut listed = Listed { always: false, ..Listed::always() };
        departures.for_each(|departure| listed.add(Stay { offered: Time::ZERO, departure, wire }));
        listed
    }

    /// Fewer than 2^32 packets fit the memory.
    pub(super) fn len(&self) -> u32 {
        self.ring.len() as u32
    }

    pub(super) fn add(&mut self, stay: Stay) {
        self.ring.push_back(stay);
        self.bytes += u64::from(stay.wire);
    }

    pub(super) fn has_room(&self, wire: u16, limit: &QueueLimit) -> bool {
        match limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(packets) => self.ring.len() < *packets as usize,
            QueueLimit::Bytes(bytes) => self.bytes + u64::from(wire) <= bytes.get(),
        }
    }

    /// Those leave whose departure is by then.
    pub(super) fn leave(&mut self, by: Time, waits: &mut WaitingTimes) {
        while let Some(&stay) = self.ring.front().filter(|stay| stay.departure <= by) {
            if self.always {
                waits.record(self.free_since.since(stay.offered));
            }
            self.free_since = stay.departure;
            self.bytes -= u64::from(stay.wire);
            self.ring.drop_front();
        }
    }

    /// How long each waits, from its coming to its turn.
    pub(super) fn waits(&self) -> impl Iterator<Item = Span> + '_ {
        let mut free_since = self.free_since;
        self.ring.iter().map(move |stay| {
            let waits = free_since.since(stay.offered);
            free_since = stay.departure;
            waits
        })
    }

    pub(super) fn staying(&self, now: Time) -> Staying {
        let turns = self.ring.iter().rev().skip(1).map(|before| before.departure);
        Staying {
            packets: self.ring.len() as u32,
            bytes: self.bytes,
            first_bytes: self.ring.front().map_or(0, |stay| stay.wire.into()),
            waiting_ns: turns.map(|turn| u128::from(turn.since(now).as_nanos())).sum(),
        }
    }

    /// When they leave.
    pub(super) fn departures(&self) -> impl DoubleEndedIterator<Item = Time> + '_ {
        self.ring.iter().map(|stay| stay.departure)
    }

    /// All but the one being sent leave at other times: when the last one does.
    pub(super) fn reschedule(&mut self, transmitter: &mut Transmitter) -> Option<Time> {
        let mut begins = self.ring.front()?.departure;
        for stay in self.ring.iter_mut().skip(1) {
            stay.departure = transmitter.finish(begins, begins, stay.wire);
            begins = stay.departure;
        }
        Some(begins)
    }
}
