//! What travels on links: 24 bytes a packet, selective acknowledgements kept aside.

use vegas_core::units::Span;

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// Data: first payload byte, from 0. Acknowledgement: the next byte expected.
    pub(crate) sequence: u64,
    /// The connection; of a datagram, the source.
    pub(crate) flow: u32,
    /// SACK blocks of an acknowledgement.
    pub(crate) sack: SackId,
    /// Queueing time that routers have stamped.
    pub(crate) aqt: Aqt,
    /// Bytes on the wire.
    pub(crate) wire: u16,
    /// Index into the flow's path of the link it is on: a parking-lot has a thousand.
    pub(crate) hop: u16,
    pub(crate) kind: PacketKind,
}

const _: () = assert!(size_of::<Packet>() == 24);

/// RoVegas's accumulated queueing time (section 3.1; design section 4.5): microseconds in 24 bits, saturating. Three
/// bytes, so that a packet keeps to 24; the flow knows whether its packets carry the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aqt([u8; 3]);

impl Aqt {
    /// As it leaves its host.
    pub(crate) const ZERO: Aqt = Aqt([0; 3]);
    /// Bytes of the IPv4 option: kind, length, AQT, AQT-Echo.
    pub(crate) const WIRE_BYTES: u64 = 8;
    const MAX: u32 = (1 << 24) - 1;

    /// With a router's queueing time added, in whole microseconds.
    pub(crate) fn plus(self, waited: Span) -> Aqt {
        let micros = u32::try_from(waited.as_nanos() / 1_000).unwrap_or(u32::MAX);
        let [low, middle, high, _] = self.micros().saturating_add(micros).min(Self::MAX).to_le_bytes();
        Aqt([low, middle, high])
    }

    /// Microseconds.
    pub(crate) fn micros(self) -> u32 {
        let [low, middle, high] = self.0;
        u32::from_le_bytes([low, middle, high, 0])
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketKind {
    Syn,
    SynAck,
    Data,
    Ack,
    /// Of a source of traffic, whose id is in `flow`.
    Datagram,
}

impl PacketKind {
    /// Whether it travels from sender to receiver.
    pub(crate) fn is_forward(self) -> bool {
        matches!(self, PacketKind::Syn | PacketKind::Data | PacketKind::Datagram)
    }
}

/// SACK blocks `[from, to)` in bytes, most recently changed first (RFC 2018, section 4); at most three fit beside a
/// timestamp option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SackBlocks {
    pub(crate) blocks: [(u64, u64); 3],
    pub(crate) count: u8,
    /// RoVegas's AQT-Echo: what the acknowledged data packet had been stamped with, in microseconds.
    pub(crate) echo_us: u32,
}

impl SackBlocks {
    /// The option with all three blocks.
    pub(crate) const WIRE_BYTES_MAX: u64 = 28;

    /// Bytes of the option in an acknowledgement: kind, length and blocks, padded to a multiple of four (RFC 2018,
    /// section 3).
    pub(crate) fn wire_bytes(&self) -> u16 {
        if self.count == 0 { 0 } else { 4 + 8 * u16::from(self.count) }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.blocks[..usize::from(self.count)].iter().copied()
    }
}

/// Where a packet's SACK blocks are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SackId(u32);

impl SackId {
    pub(crate) const NONE: SackId = SackId(u32::MAX);
}

/// SACK blocks of the packets in flight that carry any. Slots are reused, so nothing is allocated per packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct SackPool {
    slots: Vec<SackBlocks>,
    free: Vec<u32>,
}

impl SackPool {
    pub(crate) fn store(&mut self, blocks: SackBlocks) -> SackId {
        if blocks.count == 0 && blocks.echo_us == 0 {
            return SackId::NONE;
        }
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = blocks;
                SackId(slot)
            }
            None => {
                self.slots.push(blocks);
                SackId(self.slots.len() as u32 - 1)
            }
        }
    }

    pub(crate) fn get(&self, id: SackId) -> SackBlocks {
        match id {
            SackId::NONE => SackBlocks::default(),
            SackId(slot) => self.slots[slot as usize],
        }
    }

    /// A second packet with the same blocks.
    pub(crate) fn duplicate(&mut self, id: SackId) -> SackId {
        self.store(self.get(id))
    }

    /// The packet is gone.
    pub(crate) fn release(&mut self, id: SackId) {
        if id != SackId::NONE {
            self.free.push(id.0);
        }
    }

    /// How many packets hold blocks.
    pub(crate) fn in_use(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 1.5 + 2.9 us are 1 + 2 whole ones; 24 bits hold 16.777215 s, and no more.
    #[test]
    fn queueing_times_add_up_and_saturate() {
        let nanos = Span::from_nanos;
        assert_eq!(Aqt::ZERO.plus(nanos(1_500)).plus(nanos(2_900)).micros(), 3);
        assert_eq!(Aqt::ZERO.plus(Span::from_secs(10)).plus(Span::from_secs(10)).micros(), 16_777_215);
        assert_eq!(Aqt::ZERO.plus(Span::MAX).plus(Span::MAX).micros(), 16_777_215);
    }
}
