//! The accumulated queueing time (AQT) that routers stamp for RoVegas, and the IPv4 option that carries it.
//!
//! The simulator, its captures, the real-time router and the kernel's programs all read and write the option here.
//! Packets are untrusted input: no content makes this module panic or read past the end, and a malformed option is left
//! unchanged.

use crate::units::Span;

/// Kind of the option: experimental, copied into fragments, class of measurements (RFC 791, section 3.1; RFC 4727,
/// section 4).
pub const OPTION_KIND: u8 = 0x9e;
/// Bytes of the option: kind, length, AQT, AQT-Echo.
pub const OPTION_BYTES: usize = 8;
/// An IPv4 header without options.
pub const PLAIN_HEADER_BYTES: usize = 20;
/// That header and the option.
pub const HEADER_WITH_OPTION_BYTES: usize = PLAIN_HEADER_BYTES + OPTION_BYTES;
/// The longest IPv4 header and TCP's without options.
pub const HEAD_BYTES: usize = 80;

/// Accumulated queueing time: microseconds in 24 bits, saturating ("RoVegas", section 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aqt(u32);

impl Aqt {
    /// The value of a packet that leaves its host.
    pub const ZERO: Aqt = Aqt(0);
    /// The greatest value: 16.777215 s.
    pub const MAX: Aqt = Aqt(0xff_ffff);

    /// From microseconds; saturates.
    #[inline]
    pub const fn from_micros(micros: u32) -> Aqt {
        if micros > Aqt::MAX.0 { Aqt::MAX } else { Aqt(micros) }
    }

    /// Microseconds.
    #[inline]
    pub const fn micros(self) -> u32 {
        self.0
    }

    /// The three bytes in the option.
    const fn to_wire(self) -> [u8; 3] {
        let [_, upper, middle, low] = self.0.to_be_bytes();
        [upper, middle, low]
    }

    /// With a router's queueing time added, in whole microseconds.
    #[inline]
    pub fn plus(self, waited: Span) -> Aqt {
        let micros = u32::try_from(waited.as_nanos() / 1_000).unwrap_or(u32::MAX);
        Aqt::from_micros(self.micros().saturating_add(micros))
    }
}

impl From<Aqt> for Span {
    fn from(aqt: Aqt) -> Span {
        Span::from_micros(aqt.micros().into())
    }
}

/// The contents of the option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    /// The queueing time of this packet so far.
    pub aqt: Aqt,
    /// In an acknowledgement, the stamp of the newest data packet.
    pub echo: Aqt,
}

impl Stamps {
    /// The option as it is on the wire.
    pub const fn to_bytes(self) -> [u8; OPTION_BYTES] {
        let ([a, b, c], [d, e, f]) = (self.aqt.to_wire(), self.echo.to_wire());
        [OPTION_KIND, OPTION_BYTES as u8, a, b, c, d, e, f]
    }
}

/// The list of IPv4 options is malformed: an option runs past the end, or the AQT option has a wrong length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The beginning of a packet, up to TCP's options, copied so that the kernel's programs can have it too.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Head {
    bytes: [u8; HEAD_BYTES],
    /// The length of the whole packet, bytes.
    packet_bytes: u32,
}

/// The fields of a TCP segment that hosts need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Source and destination address, as on the wire.
    pub addresses: [[u8; 4]; 2],
    /// Source and destination port.
    pub ports: [u16; 2],
    /// Acknowledgement number; none without the flag.
    pub acknowledgement: Option<u32>,
    /// Bytes of both headers.
    pub headers: usize,
    /// Bytes of data.
    pub payload: usize,
}

impl Head {
    /// The beginning of a packet that begins with its IPv4 header.
    pub fn of(packet: &[u8]) -> Head {
        let mut bytes = [0; HEAD_BYTES];
        bytes.iter_mut().zip(packet).for_each(|(to, from)| *to = *from);
        Head { bytes, packet_bytes: u32::try_from(packet.len()).unwrap_or(u32::MAX) }
    }

    /// Reads the option; none if there is none, or no complete IPv4 header.
    pub fn stamps(&self) -> Result<Option<Stamps>, Malformed> {
        Ok(self.option()?.map(|at| Stamps { aqt: self.aqt(at + AQT_AT), echo: self.aqt(at + ECHO_AT) }))
    }

    /// Where the option begins. If there are several, the first counts.
    fn option(&self) -> Result<Option<usize>, Malformed> {
        let end = self.header_bytes().unwrap_or_default();
        let mut at = PLAIN_HEADER_BYTES;
        // each step takes a byte at least
        for _ in PLAIN_HEADER_BYTES..HEADER_BYTES_MAX {
            if at >= end || self.byte(at) == END_OF_OPTIONS {
                return Ok(None);
            }
            if self.byte(at) == NO_OPERATION {
                at += 1;
                continue;
            }
            let length = usize::from(self.byte(at + 1));
            if length < LENGTH_MIN || at + length > end {
                return Err(Malformed);
            }
            if self.byte(at) == OPTION_KIND {
                return if length == OPTION_BYTES { Ok(Some(at)) } else { Err(Malformed) };
            }
            at += length;
        }
        Ok(None)
    }

    /// Reads the TCP segment; none for a fragment, for another protocol, and for an incomplete header.
    pub fn segment(&self) -> Option<Segment> {
        let header = self.header_bytes().filter(|_| self.byte(9) == PROTOCOL_TCP)?;
        let fragment = self.word(6) & (MORE_FRAGMENTS | FRAGMENT_OFFSET);
        let tcp = usize::from(self.byte(header + 12) >> 4) * 4;
        let total = usize::from(self.word(2));
        if fragment != 0 || tcp < TCP_HEADER_BYTES_MIN || header + tcp > total {
            return None;
        }
        let acknowledges = self.byte(header + 13) & TCP_ACK != 0;
        Some(Segment {
            addresses: [self.four(12), self.four(16)],
            ports: [self.word(header), self.word(header + 2)],
            acknowledgement: acknowledges.then(|| u32::from_be_bytes(self.four(header + 8))),
            headers: header + tcp,
            payload: total - header - tcp,
        })
    }

    /// The header with an added option that holds `stamps`; a right length and checksum stay right. None if the header
    /// has options already, or if the packet would become too long.
    pub fn with_option(&self, stamps: Stamps) -> Option<[u8; HEADER_WITH_OPTION_BYTES]> {
        let header = self.header_bytes().filter(|bytes| *bytes == PLAIN_HEADER_BYTES)?;
        let total = self.word(2).checked_add(OPTION_BYTES as u16)?.to_be_bytes();
        let mut longer = [0; HEADER_WITH_OPTION_BYTES];
        longer.iter_mut().zip(self.bytes).take(header).for_each(|(to, from)| *to = from);
        replace_byte(&mut longer, 0, VERSION_4 << 4 | (HEADER_WITH_OPTION_BYTES / 4) as u8);
        replace_byte(&mut longer, 2, total[0]);
        replace_byte(&mut longer, 3, total[1]);
        for (at, byte) in stamps.to_bytes().into_iter().enumerate() {
            replace_byte(&mut longer, PLAIN_HEADER_BYTES + at, byte);
        }
        Some(longer)
    }

    /// The length of the IPv4 header; none if the header is incomplete, or the packet is shorter than the header
    /// claims.
    pub fn header_bytes(&self) -> Option<usize> {
        let (version, header) = (self.byte(0) >> 4, usize::from(self.byte(0) & 0xf) * 4);
        let total = self.word(2);
        let whole = version == VERSION_4
            && header >= PLAIN_HEADER_BYTES
            && header <= usize::from(total)
            && u32::from(total) <= self.packet_bytes;
        whole.then_some(header)
    }

    fn aqt(&self, at: usize) -> Aqt {
        Aqt(u32::from_be_bytes([0, self.byte(at), self.byte(at + 1), self.byte(at + 2)]))
    }

    fn four(&self, at: usize) -> [u8; 4] {
        [self.byte(at), self.byte(at + 1), self.byte(at + 2), self.byte(at + 3)]
    }

    fn word(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.byte(at), self.byte(at + 1)])
    }

    /// 0 past the end.
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or_default()
    }
}

/// Adds a router's queueing time to a packet's option and updates the header's checksum. A packet without the option,
/// or with a malformed one, stays unchanged. Returns whether the packet had the option.
pub fn stamp(packet: &mut [u8], waited: Span) -> bool {
    let head = Head::of(packet);
    let Ok(Some(at)) = head.option() else { return false };
    let bytes = head.aqt(at + AQT_AT).plus(waited).to_wire();
    for (offset, byte) in bytes.into_iter().enumerate() {
        replace_byte(packet, at + AQT_AT + offset, byte);
    }
    true
}

/// Replaces a byte of an IPv4 header and updates the checksum (RFC 1624, equation 3); a wrong checksum stays wrong.
/// Past the end it does nothing.
pub fn replace_byte(header: &mut [u8], at: usize, byte: u8) {
    let Some(place) = header.get_mut(at) else { return };
    let weight = if at.is_multiple_of(2) { 8 } else { 0 };
    let (old, new) = (u16::from(*place) << weight, u16::from(byte) << weight);
    *place = byte;
    let Some([high, low]) = header.get_mut(CHECKSUM_AT..CHECKSUM_AT + 2) else { return };
    let sum = u32::from(!u16::from_be_bytes([*high, *low])) + u32::from(!old) + u32::from(new);
    // the sum of three words has at most two carries
    let sum = (sum & 0xffff) + (sum >> 16);
    let sum = (sum & 0xffff) + (sum >> 16);
    [*high, *low] = (!(sum as u16)).to_be_bytes();
}

const VERSION_4: u8 = 4;
const HEADER_BYTES_MAX: usize = 60;
const CHECKSUM_AT: usize = 10;
const MORE_FRAGMENTS: u16 = 0x2000;
const FRAGMENT_OFFSET: u16 = 0x1fff;
const PROTOCOL_TCP: u8 = 6;
const END_OF_OPTIONS: u8 = 0;
const NO_OPERATION: u8 = 1;
/// The option's kind and length.
const LENGTH_MIN: usize = 2;
/// An offset within the option.
const AQT_AT: usize = 2;
const ECHO_AT: usize = 5;
const TCP_HEADER_BYTES_MIN: usize = 20;
const TCP_ACK: u8 = 0x10;
