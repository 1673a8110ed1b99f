//! The packets that are under way, and what the network has to know of each.

use vegas_core::aqt::{Head, replace_byte};
use vegas_sim::{Carried, Direction, WireSize};

use crate::addresses::flow_between;

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

    /// The packet of a number; none once a later packet has taken its slot.
    pub(crate) fn get(&self, number: u64) -> Option<&[u8]> {
        (self.next - number <= SLOTS).then(|| self.slots[(number % SLOTS) as usize].as_slice())
    }
}

/// What the network has to know of a packet from one end of a flow to the other; none of any other packet, nor of one with
/// malformed headers.
pub(crate) fn parse(bytes: &[u8], number: u64) -> Option<Carried> {
    const TCP: u8 = 6;
    const UDP: u8 = 17;
    let head = Head::of(bytes);
    head.header_bytes()?;
    let address = |at: usize| bytes.get(at..at + 4)?.try_into().ok();
    let (flow, direction) = flow_between(address(12)?, address(16)?)?;
    let is_data = match *bytes.get(9)? {
        TCP => head.segment()?.payload > 0,
        // what a QUIC packet holds is encrypted
        UDP => direction == Direction::Forward,
        _ => false,
    };
    let ecn_capable = bytes.get(1)? & ECN_FIELD != 0;
    let wire = WireSize::new(bytes.len().try_into().ok()?);
    Some(Carried { flow: flow as u32, direction, is_data, ecn_capable, wire, number })
}

/// The two bits of ECN in an IPv4 header's second byte, both set where congestion was experienced (RFC 3168, section 5).
const ECN_FIELD: u8 = 0b11;

/// Tells a packet's receiver of congestion; the checksum of its header stays as right as it was.
pub(crate) fn mark(packet: &mut [u8]) {
    if let Some(second) = packet.get(1).copied() {
        replace_byte(packet, 1, second | ECN_FIELD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An acknowledgement of 40 bytes from the sender of flow 2, with ECT(0).
    fn packet() -> Vec<u8> {
        let mut packet = vec![0x45, 2, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 81, 0, 3, 10, 82, 0, 3];
        packet.extend([0x27, 0x12, 0x13, 0x89, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10, 0, 0, 0, 0, 0, 0]);
        packet
    }

    #[test]
    fn packets_of_flows_are_told_apart() {
        let mut packet = packet();
        let carried = parse(&packet, 7).expect("ours");
        assert_eq!((carried.flow, carried.is_data, carried.wire.get(), carried.number), (2, false, 40, 7));
        assert_eq!((carried.direction, carried.ecn_capable), (Direction::Forward, true));
        packet.extend([0; 20]);
        (packet[1], packet[3]) = (0, 60);
        let carried = parse(&packet, 7).expect("ours");
        assert_eq!((carried.is_data, carried.ecn_capable), (true, false));
    }

    #[test]
    fn others_packets_and_broken_ones_are_none() {
        let whole = packet();
        assert!((0..whole.len()).all(|length| parse(&whole[..length], 0).is_none()));
        // version, header's length, total length, protocol's own header, source, destination
        for (at, byte) in [(0, 0x65), (0, 0x44), (0, 0x4f), (3, 41), (3, 19), (32, 0x40), (32, 0xf0), (15, 4), (19, 4)]
        {
            let mut packet = packet();
            packet[at] = byte;
            assert_eq!(parse(&packet, 0), None, "byte {at} is {byte:#x}");
        }
    }

    /// By hand: 0x4502 becomes 0x4503 in the sum, so that its complement falls by one.
    #[test]
    fn a_mark_keeps_the_checksum_right() {
        let mut packet = packet();
        packet[10..12].copy_from_slice(&[0x12, 0x34]);
        mark(&mut packet);
        assert_eq!((packet[1], &packet[10..12]), (3, &[0x12, 0x33][..]));
        mark(&mut []);
    }
}
