//! Datagrams in flight: the network carries their numbers, and this module keeps their bytes.

use std::collections::VecDeque;

use bytes::BytesMut;
use vegas_sim::external::DatagramId;

/// The datagrams of a connection.
#[derive(Debug, Default)]
pub(crate) struct Datagrams {
    forward: OneWay,
    backward: OneWay,
    /// The bytes of all datagrams in flight.
    bytes: usize,
}

/// The datagrams of one end, in the order of their numbers.
#[derive(Debug, Default)]
struct OneWay {
    /// The datagrams from the oldest one in flight on; `None` for a later one that is no longer in flight.
    waiting: VecDeque<Option<Waiting>>,
    /// The number of datagrams before these.
    over: u64,
}

/// A datagram, and the number of its copies in the network.
#[derive(Debug)]
struct Waiting {
    bytes: BytesMut,
    copies: u32,
}

impl Datagrams {
    pub(crate) fn store(&mut self, bytes: BytesMut, forward: bool) -> DatagramId {
        self.bytes += bytes.capacity();
        let way = self.way(forward);
        let number = way.over + way.waiting.len() as u64;
        way.waiting.push_back(Some(Waiting { bytes, copies: 1 }));
        DatagramId { forward, number }
    }

    /// Returns whether no datagram is in flight.
    pub(crate) fn is_empty(&self) -> bool {
        self.forward.waiting.is_empty() && self.backward.waiting.is_empty()
    }

    /// Returns about how much memory the datagrams take, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let places = self.forward.waiting.len() + self.backward.waiting.len();
        self.bytes + places * size_of::<Option<Waiting>>()
    }

    pub(crate) fn duplicate(&mut self, id: DatagramId) {
        let place = self.way(id.forward).place(id.number);
        place.as_mut().expect("it is on its way").copies += 1;
    }

    /// Returns the bytes of a datagram in flight.
    pub(crate) fn get(&self, id: DatagramId) -> &[u8] {
        let way = if id.forward { &self.forward } else { &self.backward };
        let waiting = &way.waiting[(id.number - way.over) as usize];
        &waiting.as_ref().expect("it is on its way").bytes
    }

    /// Takes a copy that leaves the network; returns its bytes.
    pub(crate) fn take(&mut self, id: DatagramId) -> BytesMut {
        let way = self.way(id.forward);
        let place = way.place(id.number);
        let waiting = place.as_mut().expect("it is on its way");
        if waiting.copies > 1 {
            waiting.copies -= 1;
            return waiting.bytes.clone();
        }
        let bytes = std::mem::take(&mut waiting.bytes);
        *place = None;
        way.forget();
        self.bytes -= bytes.capacity();
        bytes
    }

    fn way(&mut self, forward: bool) -> &mut OneWay {
        if forward { &mut self.forward } else { &mut self.backward }
    }
}

impl OneWay {
    fn place(&mut self, number: u64) -> &mut Option<Waiting> {
        &mut self.waiting[(number - self.over) as usize]
    }

    /// Removes the oldest datagrams that are no longer in flight.
    fn forget(&mut self) {
        while let Some(None) = self.waiting.front() {
            self.waiting.pop_front();
            self.over += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_of_one_datagram() {
        let mut datagrams = Datagrams::default();
        let first = datagrams.store(BytesMut::from("one"), true);
        datagrams.duplicate(first);
        assert_eq!(datagrams.get(first), b"one");
        let second = datagrams.store(BytesMut::from("two"), false);
        assert_eq!(datagrams.take(first), "one");
        assert_eq!(datagrams.take(second), "two");
        assert_eq!(datagrams.take(first), "one");
    }

    #[test]
    fn each_end_counts_its_own_and_no_number_comes_again() {
        let mut datagrams = Datagrams::default();
        let mut sent = |forward| datagrams.store(BytesMut::from("any"), forward);
        let [first, second, back, third] = [sent(true), sent(true), sent(false), sent(true)];
        assert_eq!([first, second, back, third].map(|id| id.number), [0, 1, 0, 2]);
        for id in [second, first, back, third] {
            datagrams.take(id);
        }
        assert!(datagrams.forward.waiting.is_empty());
        assert_eq!(datagrams.store(BytesMut::from("any"), true), DatagramId { forward: true, number: 3 });
    }
}
