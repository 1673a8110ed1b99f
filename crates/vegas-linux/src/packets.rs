//! The packets that are under way, and what the network has to know of each.

use vegas_sim::{Carried, Direction};

use crate::addresses::flow_to;

/// Packets under way, each in the slot of its number; a slot's room is used again.
pub(crate) struct Packets {
    slots: Vec<Vec<u8>>,
    next: u64,
    incoming: Vec<u8>,
}

/// More than any queue and path that a machine carries in real time hold.
const SLOTS: u64 = 1 << 15;
/// The largest IPv4 packet.
const LARGEST: usize = 65_535;

impl Packets {
    /// Room for packets that are seldom larger than this; all of it is there before the first comes.
    pub(crate) fn new(usual: usize) -> Self {
        Packets { slots: (0..SLOTS).map(|_| Vec::with_capacity(usual)).collect(), next: 0, incoming: vec![0; LARGEST] }
    }

    /// Where to read the next packet to.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        &mut self.incoming
    }

    /// Keeps what was read, and gives it its number.
    pub(crate) fn keep(&mut self, length: usize) -> (u64, &[u8]) {
        let number = self.next;
        self.next += 1;
        let slot = &mut self.slots[(number % SLOTS) as usize];
        slot.clear();
        slot.extend_from_slice(&self.incoming[..length]);
        (number, slot)
    }

    /// The packet of a number; none if so many have come since that its slot is another's.
    pub(crate) fn get(&mut self, number: u64) -> Option<&mut [u8]> {
        (self.next - number <= SLOTS).then(|| self.slots[(number % SLOTS) as usize].as_mut_slice())
    }
}

/// What the network has to know of an IPv4 packet; none of another kind, or for somebody else.
pub(crate) fn parse(bytes: &[u8], number: u64) -> Option<Carried> {
    const TCP: u8 = 6;
    const UDP: u8 = 17;
    let (first, protocol) = (*bytes.first()?, *bytes.get(9)?);
    let header = usize::from(first & 0xf) * 4;
    let destination = bytes.get(16..20)?.try_into().ok()?;
    let (flow, direction) = flow_to(destination).filter(|_| first >> 4 == 4)?;
    let is_data = match protocol {
        TCP => bytes.len() > header + usize::from(bytes.get(header + 12)? >> 4) * 4,
        // what a QUIC packet holds is encrypted
        UDP => direction == Direction::Forward,
        _ => false,
    };
    Some(Carried { flow: flow as u32, direction, is_data, wire: bytes.len().try_into().ok()?, number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_that_are_not_ours_are_left() {
        let mut packet = vec![0u8; 60];
        (packet[0], packet[9], packet[32]) = (0x45, 6, 0x50);
        packet[16..20].copy_from_slice(&[10, 82, 0, 3]);
        let carried = parse(&packet, 7).expect("ours");
        assert_eq!((carried.flow, carried.is_data, carried.wire, carried.number), (2, true, 60, 7));
        assert!(!parse(&packet[..40], 7).expect("ours").is_data);
        packet[16] = 224;
        assert_eq!(parse(&packet, 7), None);
        assert!((0..20).all(|length| parse(&packet[..length], 0).is_none()));
        packet[0] = 0x60;
        assert_eq!(parse(&packet, 7), None);
    }
}
