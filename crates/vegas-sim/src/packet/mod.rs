//! The packets on links: 24 bytes each; selective acknowledgements are kept apart.

mod time_stamps;
mod wire_size;

use vegas_core::aqt::{Aqt, OPTION_BYTES};
use vegas_core::units::Time;

pub(crate) use time_stamps::{Tick, TimeStamps};
pub use wire_size::WireSize;

/// A packet on its way. It is three words, so that it is moved in three registers and is read in the parts in which it
/// was written; a processor waits for a read in other parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Of data the first payload byte, from 0; of an acknowledgement the next byte expected. Above
    /// [`Packet::NUMBER_BITS`] bits an acknowledgement has the window that it offers, and data the time stamp that they
    /// echo.
    pub(crate) sequence: u64,
    flow_and_flags: FlowAndFlags,
    header: PackedHeader,
}

const _: () = assert!(size_of::<Packet>() == 24);

impl Packet {
    /// The bits of an acknowledgement's number: 281 TB, more than four thousand million of the largest packets deliver.
    /// Above them there is room for a window of 16 bits, as in a TCP header.
    const NUMBER_BITS: u32 = 48;

    /// Returns a packet that leaves its host, without ECN, stamps or SACK blocks.
    #[inline]
    pub(crate) fn new(kind: PacketKind, flow: u32, sequence: u64, wire: WireSize) -> Self {
        Packet { sequence, flow_and_flags: FlowAndFlags::new(flow, Flags::NONE), header: PackedHeader::new(kind, wire) }
    }

    /// Returns the packet's words, which a function takes in registers: an argument of more than two words is passed in
    /// memory.
    #[inline]
    pub(crate) fn words(self) -> (u64, FlowAndFlags, PackedHeader) {
        (self.sequence, self.flow_and_flags, self.header)
    }

    /// Returns the packet of these words.
    #[inline]
    pub(crate) fn of_words(sequence: u64, flow_and_flags: FlowAndFlags, header: PackedHeader) -> Self {
        Packet { sequence, flow_and_flags, header }
    }

    /// Returns this acknowledgement with the window that it offers, in the receiver's unit.
    #[inline]
    pub(crate) fn offering(self, window: u16) -> Self {
        debug_assert!(self.sequence >> Self::NUMBER_BITS == 0, "fewer bytes are delivered than the number can count");
        Packet { sequence: self.sequence | u64::from(window) << Self::NUMBER_BITS, ..self }
    }

    /// Returns this acknowledgement without its window, and the window, which is 0 if it offers none. The
    /// acknowledgement is one of a simulated receiver.
    #[inline]
    pub(crate) fn take_offer(self) -> (Self, u16) {
        let window = (self.sequence >> Self::NUMBER_BITS) as u16;
        (Packet { sequence: self.number(), ..self }, window)
    }

    /// Returns the first payload byte of data, the next byte expected of an acknowledgement.
    #[inline]
    pub(crate) fn number(&self) -> u64 {
        self.sequence & ((1 << Self::NUMBER_BITS) - 1)
    }

    /// Returns whether the packet differs from the other at most by its sequence number.
    pub(crate) fn is_like(&self, other: &Packet) -> bool {
        (self.flow_and_flags, self.header) == (other.flow_and_flags, other.header)
    }

    /// Returns the packet's connection; of a datagram, its source.
    #[inline]
    pub(crate) fn flow(&self) -> u32 {
        self.flow_and_flags.flow()
    }

    /// Returns the packet's size on the wire.
    #[inline]
    pub(crate) fn wire(&self) -> WireSize {
        self.header.wire()
    }

    pub(crate) fn kind(&self) -> PacketKind {
        self.header.kind()
    }

    /// Returns the index into the flow's route of the step that the packet is at. A parking-lot has a thousand steps.
    #[inline]
    pub(crate) fn hop(&self) -> u16 {
        self.header.hop()
    }

    /// Returns this packet at another step.
    #[inline]
    pub(crate) fn at_hop(self, hop: u16) -> Self {
        Packet { header: self.header.with_hop(hop), ..self }
    }

    /// Returns this data packet without RoVegas's option, which all data packets of a flow have that asks routers,
    /// unless its host leaves it out of some.
    pub(crate) fn without_option(self) -> Self {
        debug_assert_eq!(self.kind(), PacketKind::Data);
        Packet { header: PackedHeader::data_without_option(self.wire().less(OPTION_BYTES as u16)), ..self }
    }

    /// Returns whether this is a data packet of which the host has left out RoVegas's option.
    #[inline]
    pub(crate) fn lacks_option(&self) -> bool {
        self.header.lacks_option()
    }

    /// Returns this data packet with the flag PSH.
    #[inline]
    pub(crate) fn pushed(self) -> Self {
        debug_assert_eq!(self.kind(), PacketKind::Data);
        Packet { header: self.header.pushed(), ..self }
    }

    /// Returns whether the packet has the flag PSH.
    #[inline]
    pub(crate) fn is_pushed(&self) -> bool {
        self.header.is_pushed()
    }

    /// Returns the queueing time that routers have stamped; the flow knows whether its packets carry the option.
    #[inline]
    pub(crate) fn aqt(&self) -> Aqt {
        self.header.aqt()
    }

    /// Returns this packet with `more` added to its stamp.
    pub(crate) fn stamped(self, more: Aqt) -> Self {
        Packet { header: self.header.with_aqt(self.aqt().plus(more.into())), ..self }
    }

    /// Returns this packet with `aqt` in place of its stamp.
    pub(crate) fn with_aqt(self, aqt: Aqt) -> Self {
        Packet { header: self.header.with_aqt(aqt), ..self }
    }

    /// Returns the packet's ECN bits.
    pub(crate) fn ecn(&self) -> Ecn {
        Ecn(self.flow_and_flags.flags().0 & Flags::ECN)
    }

    /// Returns the id of an acknowledgement's SACK blocks; other packets have none.
    pub(crate) fn sack(&self) -> SackId {
        if self.kind() == PacketKind::Ack { self.sack_of_ack() } else { SackId::NONE }
    }

    /// Returns the id of the SACK blocks of a packet that is an acknowledgement.
    #[inline]
    pub(crate) fn sack_of_ack(&self) -> SackId {
        debug_assert_eq!(self.kind(), PacketKind::Ack);
        SackId(self.flow_and_flags.flags().0 & Flags::SACK_ID)
    }

    /// Returns this packet with these ECN bits added.
    pub(crate) fn with_ecn(self, ecn: Ecn) -> Self {
        Packet { flow_and_flags: self.flow_and_flags.with(Flags(self.flow_and_flags.flags().0 | ecn.0)), ..self }
    }

    /// Returns this packet with these SACK blocks.
    pub(crate) fn with_sack(self, sack: SackId) -> Self {
        let flags = self.flow_and_flags.flags().0 & !Flags::SACK_ID | sack.0;
        Packet { flow_and_flags: self.flow_and_flags.with(Flags(flags)), ..self }
    }

    /// Returns this acknowledgement with the lower three bits of a count of marked packets: ACE, with which Accurate
    /// ECN uses the flags AE, CWR and ECE (RFC 9768, section 3.2.2).
    pub(crate) fn with_ace(self, marked: u8) -> Self {
        let bit = |at: u8, flag: u32| if marked >> at & 1 == 1 { flag } else { 0 };
        let ace = bit(0, Ecn::ECHO.0) | bit(1, Ecn::REDUCED.0) | bit(2, Flags::AE);
        let flags = self.flow_and_flags.flags().0 & !Flags::ACE | ace;
        Packet { flow_and_flags: self.flow_and_flags.with(Flags(flags)), ..self }
    }

    /// Returns the ACE field of this acknowledgement.
    pub(crate) fn ace(&self) -> u8 {
        debug_assert_eq!(self.kind(), PacketKind::Ack);
        let flags = self.flow_and_flags.flags().0;
        let bit = |at: u8, flag: u32| if flags & flag == 0 { 0 } else { 1 << at };
        bit(0, Ecn::ECHO.0) | bit(1, Ecn::REDUCED.0) | bit(2, Flags::AE)
    }

    /// Returns this packet with the ECN field that a link gives ECN-capable ones, if it does. A mark goes only where
    /// the field is bleached.
    pub(crate) fn with_field(self, field: Option<EcnField>) -> Self {
        let Some(field) = field else { return self };
        let changes = match self.ecn().field() {
            EcnField::NotEct => false,
            EcnField::Ce => field == EcnField::NotEct,
            EcnField::Ect0 | EcnField::Ect1 => true,
        };
        let flags = self.flow_and_flags.flags().0 & !Ecn::MARKED.0 | Ecn::of(field).0;
        if changes { Packet { flow_and_flags: self.flow_and_flags.with(Flags(flags)), ..self } } else { self }
    }

    /// Marks the packet if it is ECN-capable (RFC 3168, section 5); returns whether it is.
    pub(crate) fn mark(&mut self) -> bool {
        let capable = self.ecn().is_capable();
        if capable {
            *self = self.with_ecn(Ecn::MARKED);
        }
        capable
    }
}

/// The flow in the lower half. The upper half has the ECN bits, and the id of an acknowledgement's SACK blocks or the
/// time stamp of another packet; they are placed where they cost nothing for a packet without them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowAndFlags(u64);

impl FlowAndFlags {
    #[inline]
    fn new(flow: u32, flags: Flags) -> Self {
        FlowAndFlags(u64::from(flow) | u64::from(flags.0) << 32)
    }

    #[inline]
    fn flow(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    fn flags(self) -> Flags {
        Flags((self.0 >> 32) as u32)
    }

    #[inline]
    fn with(self, flags: Flags) -> Self {
        FlowAndFlags::new(self.flow(), flags)
    }
}

/// The header, from the lowest bit on: 16 bits of size, 16 of the hop, 24 of stamps in us, 4 of the kind, 4 of which
/// the lowest is PSH.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackedHeader(u64);

impl PackedHeader {
    const HOP: u32 = 16;
    const AQT: u32 = 32;
    const KIND: u32 = 56;
    const PUSHED: u64 = 1 << 60;
    const AQT_MASK: u64 = (1 << 24) - 1;
    const KIND_MASK: u64 = (1 << 4) - 1;
    /// A kind beside those of [`PacketKind`]: data, without RoVegas's option.
    const DATA_WITHOUT_OPTION: u64 = 8;

    #[inline]
    fn new(kind: PacketKind, wire: WireSize) -> Self {
        PackedHeader(u64::from(wire) | (kind as u64) << Self::KIND)
    }

    /// Returns the header of a data packet of which the host has left out RoVegas's option.
    fn data_without_option(wire: WireSize) -> Self {
        PackedHeader(u64::from(wire) | Self::DATA_WITHOUT_OPTION << Self::KIND)
    }

    #[inline]
    fn lacks_option(self) -> bool {
        self.number_of_kind() == Self::DATA_WITHOUT_OPTION
    }

    #[inline]
    fn number_of_kind(self) -> u64 {
        self.0 >> Self::KIND & Self::KIND_MASK
    }

    #[inline]
    fn pushed(self) -> Self {
        PackedHeader(self.0 | Self::PUSHED)
    }

    #[inline]
    fn is_pushed(self) -> bool {
        self.0 & Self::PUSHED != 0
    }

    #[inline]
    fn wire(self) -> WireSize {
        WireSize::new(self.0 as u16)
    }

    #[inline]
    fn hop(self) -> u16 {
        (self.0 >> Self::HOP) as u16
    }

    #[inline]
    fn with_hop(self, hop: u16) -> Self {
        PackedHeader(self.0 & !(0xffff << Self::HOP) | u64::from(hop) << Self::HOP)
    }

    #[inline]
    fn aqt(self) -> Aqt {
        Aqt::from_micros((self.0 >> Self::AQT & Self::AQT_MASK) as u32)
    }

    #[inline]
    fn with_aqt(self, aqt: Aqt) -> Self {
        PackedHeader(self.0 & !(Self::AQT_MASK << Self::AQT) | u64::from(aqt.micros()) << Self::AQT)
    }

    #[inline]
    fn kind(self) -> PacketKind {
        match self.number_of_kind() {
            0 => PacketKind::Syn,
            1 => PacketKind::SynAck,
            2 | Self::DATA_WITHOUT_OPTION => PacketKind::Data,
            3 => PacketKind::Ack,
            4 => PacketKind::Datagram,
            _ => PacketKind::HandshakeAck,
        }
    }
}

/// The ECN bits in the upper four bits, a time stamp in the lower 28; of an acknowledgement the flag AE (RFC 9768) and
/// a SACK id.
#[derive(Clone, Copy, Debug)]
struct Flags(u32);

impl Flags {
    const STAMP: u32 = (1 << 28) - 1;
    const SACK_ID: u32 = (1 << 27) - 1;
    const AE: u32 = 1 << 27;
    const ACE: u32 = Self::AE | Ecn::ECHO.0 | Ecn::REDUCED.0;
    const ECN: u32 = !Self::STAMP;
    const NONE: Flags = Flags(0);
}

/// The ECN field of an IP header (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnField {
    /// Not ECN-capable.
    #[default]
    NotEct = 0,
    /// ECT(1).
    Ect1,
    /// ECT(0).
    Ect0,
    /// Congestion was experienced.
    Ce,
}

impl EcnField {
    /// Returns the field of the lower two bits of an IP header's second byte.
    pub fn of_header(second: u8) -> EcnField {
        [EcnField::NotEct, EcnField::Ect1, EcnField::Ect0, EcnField::Ce][usize::from(second & 0b11)]
    }
}

/// The bits of explicit congestion notification (RFC 3168, sections 5 and 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ecn(u32);

impl Ecn {
    pub(crate) const NONE: Ecn = Ecn(0);
    /// ECT(0) in the IP header: the transport understands marks.
    pub(crate) const ECT0: Ecn = Ecn(1 << 28);
    /// ECT(1) in the IP header: the transport answers each mark (RFC 9331, section 4.1).
    pub(crate) const ECT1: Ecn = Ecn(1 << 29);
    /// CE in the IP header: congestion was experienced. It has the bits of both, as in a header.
    pub(crate) const MARKED: Ecn = Ecn(Ecn::ECT0.0 | Ecn::ECT1.0);
    /// ECE in the TCP header: the receiver echoes a mark.
    pub(crate) const ECHO: Ecn = Ecn(1 << 30);
    /// CWR in the TCP header: the sender has reduced its window.
    pub(crate) const REDUCED: Ecn = Ecn(1 << 31);

    pub(crate) fn has(self, bits: Ecn) -> bool {
        self.0 & bits.0 == bits.0
    }

    /// Returns whether the transport understands marks.
    pub(crate) fn is_capable(self) -> bool {
        self.0 & Ecn::MARKED.0 != 0
    }

    /// Returns the bits of an ECN field.
    pub(crate) fn of(field: EcnField) -> Ecn {
        match field {
            EcnField::NotEct => Ecn::NONE,
            EcnField::Ect0 => Ecn::ECT0,
            EcnField::Ect1 => Ecn::ECT1,
            EcnField::Ce => Ecn::MARKED,
        }
    }

    /// Returns the ECN field of the IP header.
    pub(crate) fn field(self) -> EcnField {
        match (self.has(Ecn::ECT0), self.has(Ecn::ECT1)) {
            (false, false) => EcnField::NotEct,
            (false, true) => EcnField::Ect1,
            (true, false) => EcnField::Ect0,
            (true, true) => EcnField::Ce,
        }
    }

    /// Returns the ECN field of the IP header as it is there.
    pub(crate) fn codepoint(self) -> u8 {
        self.field() as u8
    }

    pub(crate) fn and(self, other: Ecn) -> Ecn {
        Ecn(self.0 | other.0)
    }

    /// Returns these bits if `set`, else none.
    pub(crate) fn when(self, set: bool) -> Ecn {
        if set { self } else { Ecn::NONE }
    }
}

/// The kind of a packet. Kinds with even numbers travel from sender to receiver, the others back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketKind {
    Syn = 0,
    SynAck = 1,
    Data = 2,
    Ack = 3,
    /// A datagram of a source of traffic, with the source's id in `flow`.
    Datagram = 4,
    /// The acknowledgement of the SYN's, which ends a handshake and has no data.
    HandshakeAck = 6,
}

impl PacketKind {
    #[cfg(test)]
    const ALL: [PacketKind; 6] = [
        PacketKind::Syn,
        PacketKind::SynAck,
        PacketKind::Data,
        PacketKind::Ack,
        PacketKind::Datagram,
        PacketKind::HandshakeAck,
    ];

    /// Returns whether the packet travels from sender to receiver.
    #[inline]
    pub(crate) fn is_forward(self) -> bool {
        self as u8 & 1 == 0
    }
}

/// SACK blocks `[from, to)` in bytes, most recently changed first (RFC 2018, section 4); at most three fit beside a
/// timestamp option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SackBlocks {
    pub(crate) blocks: [(u64, u64); 3],
    pub(crate) count: u8,
    /// RoVegas's AQT-Echo: the stamp of the newest data packet that had the option.
    pub(crate) echo: Aqt,
    /// Whether RoVegas's option is left out, as none of the data that are acknowledged had it.
    pub(crate) lacks_option: bool,
    /// The arrival of the newest data packet, if the sender measures one-way delays; else [`Time::ZERO`].
    pub(crate) arrived: Time,
    pub(crate) time_stamps: TimeStamps,
}

impl SackBlocks {
    /// No blocks, no echo and no times.
    pub(crate) const NONE: SackBlocks = SackBlocks {
        blocks: [(0, 0); 3],
        count: 0,
        echo: Aqt::ZERO,
        lacks_option: false,
        arrived: Time::ZERO,
        time_stamps: TimeStamps::NONE,
    };
    /// The size of the option with all three blocks, bytes.
    pub(crate) const WIRE_BYTES_MAX: u64 = 28;

    /// Returns the size of the option in an acknowledgement, bytes: kind, length and blocks, padded to a multiple of
    /// four (RFC 2018, section 3).
    pub(crate) fn wire_bytes(&self) -> u16 {
        if self.count == 0 { 0 } else { 4 + 8 * u16::from(self.count) }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.blocks[..usize::from(self.count)].iter().copied()
    }
}

/// The id of a packet's SACK blocks: the slot plus one, so that a packet without blocks has zeros there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SackId(u32);

impl SackId {
    pub(crate) const NONE: SackId = SackId(0);
    const MAX: u32 = Flags::SACK_ID;

    /// Returns the slot; without blocks, a number above all slots.
    #[inline]
    fn slot(self) -> u32 {
        self.0.wrapping_sub(1)
    }
}

/// The SACK blocks of the packets in flight that carry any, so that nothing is allocated per packet. Blocks of packets
/// that leave one behind the other lie side by side, as they are read in about the same order. The slots are in groups,
/// which are reused when all packets of a group are gone.
#[derive(Clone, Debug, Default)]
pub(crate) struct SackPool {
    slots: Vec<SackBlocks>,
    /// The number of packets that hold slots of each group.
    held: Vec<u32>,
    /// The groups of which no packet holds a slot.
    free: Vec<u32>,
    /// The next slot of the group that is being filled. If it is the first of a group, no group is being filled.
    next: u32,
}

/// The number of slots of a group.
const GROUP: u32 = 64;

impl SackPool {
    /// Returns the memory that the pool takes, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&self.slots[..]) + size_of_val(&self.held[..]) + size_of_val(&self.free[..])
    }

    pub(crate) fn store(&mut self, blocks: SackBlocks) -> SackId {
        let SackBlocks { blocks: _, count, echo, lacks_option, arrived, time_stamps } = blocks;
        let is_empty = count == 0 && echo == Aqt::ZERO && !lacks_option;
        if is_empty && arrived == Time::ZERO && time_stamps == TimeStamps::NONE {
            return SackId::NONE;
        }
        if self.next.is_multiple_of(GROUP) {
            self.begin_group();
        }
        let slot = self.next;
        self.slots[slot as usize] = blocks;
        self.held[(slot / GROUP) as usize] += 1;
        self.next += 1;
        SackId(slot + 1)
    }

    #[cold]
    fn begin_group(&mut self) {
        let filled = (self.next / GROUP).checked_sub(1);
        if let Some(filled) = filled.filter(|filled| self.held[*filled as usize] == 0) {
            self.free.push(filled);
        }
        let group = self.free.pop().unwrap_or_else(|| {
            let group = self.held.len() as u32;
            self.held.push(0);
            self.slots.resize(self.slots.len() + GROUP as usize, SackBlocks::NONE);
            assert!(self.slots.len() < SackId::MAX as usize, "fewer than 2^27 acknowledgements are under way");
            group
        });
        self.next = group * GROUP;
    }

    #[inline]
    pub(crate) fn get(&self, id: SackId) -> &SackBlocks {
        match id {
            SackId::NONE => &SackBlocks::NONE,
            id => &self.slots[id.slot() as usize],
        }
    }

    /// Returns a second packet like this one, with blocks of its own.
    pub(crate) fn duplicate(&mut self, packet: &Packet) -> Packet {
        match packet.sack() {
            SackId::NONE => *packet,
            id => packet.with_sack(self.store(*self.get(id))),
        }
    }

    /// Frees the blocks of a packet that is gone.
    #[inline]
    pub(crate) fn release(&mut self, id: SackId) {
        if id != SackId::NONE {
            self.release_slot(id.slot());
        }
    }

    fn release_slot(&mut self, slot: u32) {
        let group = slot / GROUP;
        let held = &mut self.held[group as usize];
        *held -= 1;
        // the group that is being filled is freed when it is full
        let is_filling = self.next.wrapping_sub(1) / GROUP == group;
        if *held == 0 && !is_filling {
            self.free.push(group);
        }
    }

    /// Returns the number of packets that hold blocks.
    pub(crate) fn in_use(&self) -> usize {
        self.held.iter().map(|held| *held as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_a_window_stand_side_by_side() {
        let ack = Packet::new(PacketKind::Ack, 3, (1 << 48) - 1, WireSize::new(40));
        for window in [1, 512, u16::MAX] {
            let offering = ack.offering(window);
            assert_eq!((offering.take_offer(), offering.number()), ((ack, window), ack.sequence));
        }
    }

    #[test]
    fn ecn_and_blocks_stand_side_by_side() {
        for sack in [SackId(1), SackId(12_345), SackId::NONE] {
            let all = Ecn::MARKED.and(Ecn::ECHO).and(Ecn::REDUCED);
            let packet = Packet::new(PacketKind::Ack, 0, 0, WireSize::new(40)).with_sack(sack);
            assert_eq!((packet.sack(), packet.ecn()), (sack, Ecn::NONE));
            let packet = packet.with_ecn(all);
            assert_eq!((packet.sack(), packet.ecn()), (sack, all));
            let packet = packet.with_sack(SackId::NONE);
            assert_eq!((packet.sack(), packet.ecn()), (SackId::NONE, all));
        }
    }

    #[test]
    fn ace_and_blocks_stand_side_by_side() {
        for marked in 0..8 {
            let ack = Packet::new(PacketKind::Ack, 7, 1 << 40, WireSize::new(40)).with_sack(SackId(SackId::MAX));
            let counted = ack.with_ace(7).with_ace(marked);
            assert_eq!((counted.ace(), counted.sack(), counted.flow()), (marked, SackId(SackId::MAX), 7));
            assert_eq!(counted.with_sack(SackId(5)).ace(), marked);
            assert_eq!(counted.ecn().codepoint(), 0);
        }
    }

    #[test]
    fn small_fields_stand_side_by_side() {
        for kind in PacketKind::ALL {
            for (wire, hop, micros) in [(0, 0, 0), (1500, 7, 300), (u16::MAX, u16::MAX - 1, 0xff_ffff)] {
                let wire = WireSize::new(wire);
                let packet = Packet::new(kind, u32::MAX, 1, wire).at_hop(u16::MAX).at_hop(hop);
                let packet = packet.stamped(Aqt::from_micros(micros));
                assert_eq!((packet.kind(), packet.wire(), packet.hop()), (kind, wire, hop));
                assert_eq!((packet.aqt().micros(), packet.flow()), (micros, u32::MAX));
            }
        }
    }

    #[test]
    fn groups_of_slots_are_used_again() {
        let mut pool = SackPool::default();
        let blocks = |from| SackBlocks { blocks: [(from, from + 1); 3], count: 3, ..SackBlocks::NONE };
        let mut held = std::collections::VecDeque::new();
        for number in 0..10 * u64::from(GROUP) {
            held.push_back((number, pool.store(blocks(number))));
            if held.len() > 2 * GROUP as usize {
                let (number, id) = held.pop_front().expect("not empty");
                assert_eq!(pool.get(id), &blocks(number));
                pool.release(id);
            }
            assert_eq!(pool.in_use(), held.len());
        }
        assert!(pool.slots.len() <= 4 * GROUP as usize, "{}", pool.slots.len());
        for (_, id) in held {
            pool.release(id);
        }
        assert_eq!((pool.in_use(), pool.store(SackBlocks::NONE)), (0, SackId::NONE));
    }

    /// RFC 3168, section 5: 10 is ECT(0), 01 is ECT(1), and either becomes 11.
    #[test]
    fn only_capable_packets_are_marked() {
        let plain = Packet::new(PacketKind::Data, 0, 0, WireSize::new(1000));
        for (before, codepoint, after) in [(Ecn::NONE, 0b00, 0b00), (Ecn::ECT0, 0b10, 0b11), (Ecn::ECT1, 0b01, 0b11)] {
            let mut packet = plain.with_ecn(before);
            assert_eq!(packet.ecn().codepoint(), codepoint);
            assert_eq!(packet.mark(), codepoint != 0);
            assert_eq!((packet.ecn().codepoint(), packet.ecn().has(Ecn::MARKED)), (after, after == 0b11));
        }
    }
}
