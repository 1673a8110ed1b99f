//! Datagrams on their way: the network carries numbers, the bytes stay here.

use bytes::BytesMut;
use vegas_sim::foreign::DatagramId;

/// A slot a datagram; slots are reused.
#[derive(Debug, Default)]
pub(crate) struct Datagrams {
    slots: Vec<Option<Waiting>>,
    free: Vec<usize>,
}

/// A datagram, and how many copies of it the network carries.
#[derive(Debug)]
struct Waiting {
    bytes: BytesMut,
    copies: u32,
    forward: bool,
}

impl Datagrams {
    pub(crate) fn store(&mut self, bytes: BytesMut, forward: bool) -> DatagramId {
        let waiting = Some(Waiting { bytes, copies: 1, forward });
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot] = waiting;
                slot
            }
            None => {
                self.slots.push(waiting);
                self.slots.len() - 1
            }
        };
        DatagramId(slot as u64)
    }

    pub(crate) fn duplicate(&mut self, id: DatagramId) {
        self.slots[id.0 as usize].as_mut().expect("it is on its way").copies += 1;
    }

    /// A copy leaves the network; its bytes, and whether it went forward.
    pub(crate) fn take(&mut self, id: DatagramId) -> (BytesMut, bool) {
        let slot = &mut self.slots[id.0 as usize];
        let waiting = slot.as_mut().expect("it is on its way");
        if waiting.copies > 1 {
            waiting.copies -= 1;
            return (waiting.bytes.clone(), waiting.forward);
        }
        self.free.push(id.0 as usize);
        let Waiting { bytes, forward, .. } = slot.take().expect("it is on its way");
        (bytes, forward)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_of_one_datagram_and_slots_are_reused() {
        let mut datagrams = Datagrams::default();
        let first = datagrams.store(BytesMut::from("one"), true);
        datagrams.duplicate(first);
        let second = datagrams.store(BytesMut::from("two"), false);
        assert_eq!(datagrams.take(first), (BytesMut::from("one"), true));
        assert_eq!(datagrams.take(second), (BytesMut::from("two"), false));
        assert_eq!(datagrams.take(first), (BytesMut::from("one"), true));
        assert_eq!(datagrams.store(BytesMut::from("three"), true), first, "the slot that was freed last");
    }
}
