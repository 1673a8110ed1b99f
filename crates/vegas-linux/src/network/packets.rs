//! The packets in flight, and the fields of each that the network needs.

use vegas_core::aqt::{Head, replace_byte};
use vegas_sim::scenario::EcnField;
use vegas_sim::{Carried, Direction, WireSize};

use super::addresses::flow_between;

/// Packets in flight, each in the slot of its number; the memory of a slot is reused.
pub(crate) struct Packets {
    slots: Vec<Vec<u8>>,
    next: u64,
    incoming: Vec<u8>,
}

/// The number of slots: more packets than the queues and paths of a real-time run hold.
const SLOTS: u64 = 1 << 15;
/// The largest IPv4 packet, bytes.
const LARGEST: usize = 65_535;

impl Packets {
    /// Allocates all slots in advance, with `usual` bytes each; larger packets are rare.
    pub(crate) fn new(usual: usize) -> Self {
        Packets { slots: (0..SLOTS).map(|_| Vec::with_capacity(usual)).collect(), next: 0, incoming: vec![0; LARGEST] }
    }

    /// Returns the buffer for the next packet.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        &mut self.incoming
    }

    /// Stores the packet that was read into the buffer; returns its number.
    pub(crate) fn keep(&mut self, length: usize) -> (u64, &[u8]) {
        let number = self.next;
        self.next += 1;
        let slot = &mut self.slots[(number % SLOTS) as usize];
        slot.clear();
        slot.extend_from_slice(&self.incoming[..length]);
        (number, slot)
    }

    /// Returns the packet of this number; `None` once a later packet has taken its slot.
    pub(crate) fn get(&self, number: u64) -> Option<&[u8]> {
        (self.next - number <= SLOTS).then(|| self.slots[(number % SLOTS) as usize].as_slice())
    }
}

/// Reads the fields that the network needs, of a packet between the ends of a flow; `None` for any other packet, and
/// for one with malformed headers.
pub(crate) fn parse(bytes: &[u8], number: u64) -> Option<Carried> {
    const TCP: u8 = 6;
    const UDP: u8 = 17;
    let head = Head::of(bytes);
    head.header_bytes()?;
    let address = |at: usize| bytes.get(at..at + 4)?.try_into().ok();
    let (flow, direction) = flow_between(address(12)?, address(16)?)?;
    let is_data = match *bytes.get(9)? {
        TCP => head.segment()?.payload > 0,
        // the contents of a QUIC packet are encrypted, so direction alone tells data packets
        UDP => direction == Direction::Forward,
        _ => false,
    };
    let field = EcnField::of_header(*bytes.get(1)?);
    let wire = WireSize::new(bytes.len().try_into().ok()?);
    Some(Carried { flow: flow as u32, direction, is_data, field, wire, number })
}

/// Gives a packet this ECN field, the lower two bits of an IPv4 header's second byte (RFC 3168, section 5); a correct
/// header checksum stays correct.
pub(crate) fn set_ecn_field(packet: &mut [u8], field: EcnField) {
    if let Some(second) = packet.get(1).copied() {
        replace_byte(packet, 1, second & !0b11 | field as u8);
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
        assert_eq!((carried.direction, carried.field), (Direction::Forward, EcnField::Ect0));
        packet.extend([0; 20]);
        (packet[1], packet[3]) = (0, 60);
        let carried = parse(&packet, 7).expect("ours");
        assert_eq!((carried.is_data, carried.field), (true, EcnField::NotEct));
    }

    #[test]
    fn others_packets_and_broken_ones_are_none() {
        let whole = packet();
        assert!((0..whole.len()).all(|length| parse(&whole[..length], 0).is_none()));
        // version, header length, total length, TCP's data offset, source, destination
        for (at, byte) in [(0, 0x65), (0, 0x44), (0, 0x4f), (3, 41), (3, 19), (32, 0x40), (32, 0xf0), (15, 4), (19, 4)]
        {
            let mut packet = packet();
            packet[at] = byte;
            assert_eq!(parse(&packet, 0), None, "byte {at} is {byte:#x}");
        }
    }

    /// Worked out by hand: 0x4502 becomes 0x4503 in the sum, so its complement falls by one.
    #[test]
    fn a_changed_field_keeps_the_checksum_right() {
        let mut packet = packet();
        packet[10..12].copy_from_slice(&[0x12, 0x34]);
        set_ecn_field(&mut packet, EcnField::Ce);
        assert_eq!((packet[1], &packet[10..12]), (3, &[0x12, 0x33][..]));
        set_ecn_field(&mut packet, EcnField::Ect0);
        assert_eq!((packet[1], &packet[10..12]), (2, &[0x12, 0x34][..]));
        set_ecn_field(&mut [], EcnField::Ce);
    }
}
