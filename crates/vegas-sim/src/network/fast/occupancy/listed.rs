//! A list of the packets in a queue: where packets of different sizes meet in it, until the queue is empty; and always
//! where times may change.

use vegas_core::aqt::Aqt;
use vegas_core::units::{Span, Time};

use super::Occupied;
use crate::measure::delay_histogram::WaitingTimes;
use crate::network::fast::transmitter::Transmitter;
use crate::packet::WireSize;
use crate::scenario::QueueLimit;
use crate::util::ring::Ring;

/// The packets in a queue and its transmitter.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// The packets, in the order of their departures.
    ring: Ring<Occupant>,
    bytes: u64,
    /// The sum of the packets' departures, ns.
    departures_ns: u128,
    /// The sum of the packets' waiting times, ns; only meaningful if packets always are listed.
    waits_ns: u128,
    /// Whether the packets of this queue always are listed. Then their waiting times may change, and are counted as
    /// they leave.
    pub(super) always: bool,
    /// The departure of the last packet that has left.
    free_since: Time,
}

/// One packet in the queue or the transmitter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Occupant {
    /// When the packet came; not used unless packets always are listed.
    pub(super) offered: Time,
    pub(super) departure: Time,
    pub(super) wire: WireSize,
    /// The packet's stamp from before it came.
    pub(super) stamped: Aqt,
}

impl Listed {
    /// Returns the list of a queue of which packets always are listed.
    pub(super) fn always() -> Self {
        Listed { ring: Ring::default(), bytes: 0, departures_ns: 0, waits_ns: 0, always: true, free_since: Time::ZERO }
    }

    /// Returns the list of packets of one size with these departures; it is kept until all have left. Their waiting
    /// times have been counted.
    pub(super) fn until_empty(departures: impl Iterator<Item = Time>, wire: WireSize) -> Self {
        let mut listed = Listed { always: false, ..Listed::always() };
        departures.for_each(|departure| listed.add(Occupant { departure, wire, ..Occupant::default() }));
        listed
    }

    /// Returns the memory that the list takes, itself included, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Listed>() + self.ring.memory_bytes()
    }

    /// Returns the number of packets; fewer than 2^32 fit the memory.
    pub(super) fn len(&self) -> u32 {
        self.ring.len() as u32
    }

    pub(super) fn add(&mut self, occupant: Occupant) {
        let turn = self.ring.back().map_or(self.free_since, |before| before.departure);
        self.waits_ns += u128::from(turn.since(occupant.offered).as_nanos());
        self.departures_ns += u128::from(occupant.departure.as_nanos());
        self.ring.push_back(occupant);
        self.bytes += u64::from(occupant.wire);
    }

    pub(super) fn has_room(&self, wire: WireSize, limit: &QueueLimit) -> bool {
        match limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(packets) => self.ring.len() < *packets as usize,
            QueueLimit::Bytes(bytes) => self.bytes + u64::from(wire) <= bytes.get(),
        }
    }

    /// Removes the packets that depart by `by`.
    pub(super) fn leave(&mut self, by: Time, waits: &mut WaitingTimes) {
        while let Some(&occupant) = self.ring.front().filter(|occupant| occupant.departure <= by) {
            let waited = self.free_since.since(occupant.offered);
            if self.always {
                waits.record(waited);
            }
            self.waits_ns -= u128::from(waited.as_nanos());
            self.departures_ns -= u128::from(occupant.departure.as_nanos());
            self.free_since = occupant.departure;
            self.bytes -= u64::from(occupant.wire);
            self.ring.drop_front();
        }
    }

    /// Notes the stamp that the newest packet had before it came.
    pub(super) fn note_stamp(&mut self, stamped: Aqt) {
        if let Some(newest) = self.ring.back_mut() {
            newest.stamped = stamped;
        }
    }

    /// Returns the stamp that each packet had before it came, and how long the packet waits.
    pub(super) fn stamps_and_waits(&self) -> impl Iterator<Item = (Aqt, Span)> + '_ {
        self.ring.iter().map(|stay| stay.stamped).zip(self.waits())
    }

    /// Returns how long each packet waits, from its arrival until its transmission begins.
    pub(super) fn waits(&self) -> impl Iterator<Item = Span> + '_ {
        let mut free_since = self.free_since;
        self.ring.iter().map(move |occupant| {
            let waits = free_since.since(occupant.offered);
            free_since = occupant.departure;
            waits
        })
    }

    /// Returns the sum of the packets' waiting times, ns.
    pub(super) fn waits_ns(&self) -> u128 {
        self.waits_ns
    }

    /// Returns the occupancy at `now`, by which no listed packet has left.
    pub(super) fn occupied(&self, now: Time) -> Occupied {
        debug_assert!(self.ring.front().is_none_or(|first| first.departure > now));
        // each packet but the first waits until the departure before its own
        let last_ns = self.ring.back().map_or(0, |last| u128::from(last.departure.as_nanos()));
        let waiting = self.ring.len().saturating_sub(1) as u128;
        Occupied {
            packets: self.ring.len() as u32,
            bytes: self.bytes,
            first_bytes: self.ring.front().map_or(0, |occupant| occupant.wire.into()),
            waiting_ns: self.departures_ns - last_ns - waiting * u128::from(now.as_nanos()),
        }
    }

    /// Returns the packets' departures.
    pub(super) fn departures(&self) -> impl DoubleEndedIterator<Item = Time> + '_ {
        self.ring.iter().map(|occupant| occupant.departure)
    }

    /// Computes new departures for all packets but the one being sent; returns the last one.
    pub(super) fn reschedule(&mut self, transmitter: &mut Transmitter) -> Option<Time> {
        let mut begins = self.ring.front()?.departure;
        self.departures_ns = begins.as_nanos().into();
        for occupant in self.ring.iter_mut().skip(1) {
            occupant.departure = transmitter.finish(begins, begins, occupant.wire);
            begins = occupant.departure;
            self.departures_ns += u128::from(begins.as_nanos());
        }
        self.waits_ns = self.waits().map(|wait| u128::from(wait.as_nanos())).sum();
        Some(begins)
    }
}
