//! Capture files, pcap and pcapng, as frames with their times; `pcap-parser` reads the records, through a buffer of
//! bounded size.

use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{Block, LegacyPcapReader, PcapBlockOwned, PcapError, PcapNGOption, PcapNGReader};

use crate::capture::damage;
use crate::capture::kind::CaptureKind;
use crate::error::{MeasuredError, Read};
use crate::source::{Attend, Source, TIME_MAX};

/// A captured frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    /// When it was seen, ns since 1970.
    pub(crate) at: i64,
    /// The number of the interface.
    pub(crate) interface: u32,
    /// The type of its link layer, a number of tcpdump.org's list.
    pub(crate) link_type: i32,
    /// Its length on the wire, of which `data` may be the beginning.
    pub(crate) length: u32,
    /// What was kept of it.
    pub(crate) data: &'a [u8],
}

/// What the file itself says about what it lacks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps {
    /// Packets that the capturing host dropped, by the file's own counters.
    pub(crate) dropped: u64,
    /// Packets without a time, which were not used.
    pub(crate) without_time: u64,
    /// The byte at which the file ends inside a record.
    pub(crate) cut_at: Option<u64>,
}

const BUFFER_BYTES: usize = 1 << 20;
/// The longest record: a frame has 262,144 bytes at most in pcap files, and options of pcapng are short.
const RECORD_BYTES_MAX: usize = 1 << 24;
/// The most interfaces of a section.
const INTERFACES_MAX: usize = 1 << 12;
const NANOS: u64 = 1_000_000_000;

/// Reads a capture file, and calls `take` with each frame.
pub(crate) fn read_frames(
    source: &Source,
    kind: CaptureKind,
    attend: Attend<'_>,
    take: impl FnMut(Frame<'_>) -> Read<()>,
) -> Read<Gaps> {
    let bytes = source.bytes(attend)?;
    match kind {
        CaptureKind::Pcap => Records::of(
            source,
            kind,
            LegacyPcapReader::new(BUFFER_BYTES, bytes).map_err(|error| first(source, &error))?,
        )
        .read(take),
        CaptureKind::PcapNg => {
            Records::of(source, kind, PcapNGReader::new(BUFFER_BYTES, bytes).map_err(|error| first(source, &error))?)
                .read(take)
        }
    }
}

fn first(source: &Source, error: &PcapError<&[u8]>) -> MeasuredError {
    match error {
        PcapError::ReadError => source.failed("cannot be read"),
        _ => MeasuredError::at_byte(&source.name, 0, "the file's header is damaged or cut"),
    }
}

/// An interface of the section that is being read.
#[derive(Clone, Copy, Debug)]
struct Interface {
    link_type: i32,
    /// Units of time a second.
    resolution: u64,
    offset_s: i64,
}

/// The records of a file.
struct Records<'s, R> {
    source: &'s Source,
    kind: CaptureKind,
    reader: R,
    section: Section,
    gaps: Gaps,
}

/// The section that is being read; a pcap file is one.
#[derive(Debug, Default)]
struct Section {
    is_big_endian: bool,
    interfaces: Vec<Interface>,
    /// The number of the section's first interface: sections are captures of their own.
    first_interface: u32,
}

impl<'s, R: PcapReaderIterator> Records<'s, R> {
    fn of(source: &'s Source, kind: CaptureKind, reader: R) -> Self {
        Records { source, kind, reader, section: Section::default(), gaps: Gaps::default() }
    }

    fn read(mut self, mut take: impl FnMut(Frame<'_>) -> Read<()>) -> Read<Gaps> {
        let mut capacity = BUFFER_BYTES;
        let mut begun = 0u64;
        loop {
            match self.reader.next() {
                Ok((length, block)) => {
                    let frame = of_block(block, &mut self.section, &mut self.gaps);
                    if let Some(frame) = frame.map_err(|what| damaged(self.source, begun, &what))? {
                        take(frame)?;
                    }
                    self.reader.consume(length);
                    begun += length as u64;
                }
                Err(PcapError::Eof) => return Ok(self.gaps),
                Err(PcapError::UnexpectedEof) => {
                    let wrong = damage::of_the_end(self.reader.data(), self.kind, self.section.is_big_endian);
                    if let Some(what) = wrong {
                        return Err(damaged(self.source, begun, &what));
                    }
                    self.gaps.cut_at = Some(begun);
                    return Ok(self.gaps);
                }
                Err(PcapError::Incomplete(_)) => {
                    if let Err(PcapError::ReadError) = self.reader.refill() {
                        return Err(self.source.failed("cannot be read"));
                    }
                }
                Err(PcapError::BufferTooSmall) if capacity < RECORD_BYTES_MAX => {
                    capacity *= 4;
                    self.reader.grow(capacity);
                    if let Err(PcapError::ReadError) = self.reader.refill() {
                        return Err(self.source.failed("cannot be read"));
                    }
                }
                Err(PcapError::BufferTooSmall) => {
                    return Err(damaged(
                        self.source,
                        begun,
                        &format!("a record of more than {RECORD_BYTES_MAX} bytes"),
                    ));
                }
                Err(PcapError::ReadError) => return Err(self.source.failed("cannot be read")),
                Err(_) => return Err(damaged(self.source, begun, "no record")),
            }
        }
    }
}

/// Returns the error of a file that goes on at a byte with something else than a record.
fn damaged(source: &Source, byte: u64, what: &str) -> MeasuredError {
    let remedy = format!("head -c {byte} has what is before");
    MeasuredError::at_byte(&source.name, byte, format!("{what}; the file is damaged here ({remedy})"))
}

/// Returns the frame of a block, if it has one.
fn of_block<'a>(
    block: PcapBlockOwned<'a>,
    section: &mut Section,
    gaps: &mut Gaps,
) -> Result<Option<Frame<'a>>, String> {
    match block {
        PcapBlockOwned::LegacyHeader(header) => {
            let resolution = if header.is_nanosecond_precision() { NANOS } else { 1_000_000 };
            section.is_big_endian = header.is_bigendian();
            // the upper bits say how long the frame check sequence is
            section.interfaces.push(Interface { link_type: header.network.0 & 0x03ff_ffff, resolution, offset_s: 0 });
            Ok(None)
        }
        PcapBlockOwned::Legacy(packet) => {
            let interface = section.interfaces.first().ok_or("a packet before the file's header")?;
            damage::of_packet(packet.caplen, packet.origlen).map_or(Ok(()), Err)?;
            let fraction = u64::from(packet.ts_usec) * (NANOS / interface.resolution);
            let at = i64::from(packet.ts_sec) * NANOS as i64 + fraction as i64;
            let link_type = interface.link_type;
            Ok(Some(Frame { at, interface: 0, link_type, length: packet.origlen, data: packet.data }))
        }
        PcapBlockOwned::NG(block) => of_ng_block(block, section, gaps),
    }
}

fn of_ng_block<'a>(block: Block<'a>, section: &mut Section, gaps: &mut Gaps) -> Result<Option<Frame<'a>>, String> {
    let Section { is_big_endian, interfaces, first_interface } = section;
    match block {
        Block::SectionHeader(header) => {
            *is_big_endian = header.big_endian();
            *first_interface = first_interface.saturating_add(interfaces.len() as u32);
            interfaces.clear();
        }
        Block::InterfaceDescription(given) => {
            if interfaces.len() == INTERFACES_MAX {
                return Err(format!("more than {INTERFACES_MAX} interfaces"));
            }
            let resolution = resolution(given.if_tsresol)
                .ok_or_else(|| format!("times of an interface have the unknown resolution {}", given.if_tsresol))?;
            let link_type = given.linktype.0;
            interfaces.push(Interface { link_type, resolution, offset_s: given.if_tsoffset });
        }
        Block::EnhancedPacket(packet) => {
            let interface = usize::try_from(packet.if_id).ok().and_then(|id| interfaces.get(id)).copied();
            let interface = interface.ok_or_else(|| format!("a packet of the unknown interface {}", packet.if_id))?;
            let units = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
            gaps.dropped = gaps.dropped.saturating_add(counter(&packet.options, EPB_DROPCOUNT));
            let kept = packet.data.get(..packet.caplen as usize).unwrap_or(packet.data);
            return Ok(Some(Frame {
                at: nanos(units, interface),
                interface: first_interface.saturating_add(packet.if_id),
                link_type: interface.link_type,
                length: packet.origlen,
                data: kept,
            }));
        }
        Block::SimplePacket(_) => gaps.without_time += 1,
        Block::InterfaceStatistics(statistics) => {
            let dropped = [ISB_IFDROP, ISB_OSDROP].map(|code| counter(&statistics.options, code));
            gaps.dropped = gaps.dropped.saturating_add(dropped[0]).saturating_add(dropped[1]);
        }
        _ => {}
    }
    Ok(None)
}

const EPB_DROPCOUNT: u16 = 4;
const ISB_IFDROP: u16 = 5;
const ISB_OSDROP: u16 = 7;

/// Returns a counter among the options of a block, 0 if it is not there. Its order of bytes is the file's; files of
/// big-endian hosts, in which counters would be huge numbers, are too rare for more.
fn counter(options: &[PcapNGOption<'_>], code: u16) -> u64 {
    let found = options.iter().find(|option| option.code.0 == code);
    let bytes = found.and_then(|option| option.value.get(..8)?.try_into().ok());
    bytes.map_or(0, u64::from_le_bytes).min(u64::from(u32::MAX))
}

/// Returns the units of time a second (draft-ietf-opsawg-pcapng, `if_tsresol`): a negative power of ten, or of two with
/// the upper bit.
fn resolution(given: u8) -> Option<u64> {
    let power = u32::from(given & 0x7f);
    match given & 0x80 {
        0 => 10u64.checked_pow(power),
        _ => 2u64.checked_pow(power),
    }
}

fn nanos(units: u64, interface: Interface) -> i64 {
    let scaled = u128::from(units) * u128::from(NANOS) / u128::from(interface.resolution);
    let offset = interface.offset_s.saturating_mul(NANOS as i64);
    i64::try_from(scaled).unwrap_or(i64::MAX).saturating_add(offset).clamp(0, TIME_MAX)
}
