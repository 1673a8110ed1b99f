//! What a file ends with, where that is no whole record: a record that was cut is left out, anything else is damage.

use super::kind::CaptureKind;

/// The most bytes of a frame in a pcap file (`MAXIMUM_SNAPLEN` of libpcap).
pub(super) const FRAME_BYTES_MAX: u32 = 262_144;
/// The least bytes of a block of pcapng: its type, and its length twice.
const BLOCK_BYTES_LEAST: u32 = 12;
/// The types of blocks that programs write (draft-ietf-opsawg-pcapng, 11.1): section, interface, packet (obsolete),
/// simple packet, names, statistics, enhanced packet, systemd's journal, secrets, custom (copied or not).
const BLOCK_TYPES: [u32; 11] = [0x0a0d_0d0a, 1, 2, 3, 4, 5, 6, 9, 10, 0x0bad, 0x4000_0bad];

/// Returns what is wrong with the last bytes of a file; none where a record begins with them.
pub(super) fn of_the_end(bytes: &[u8], kind: CaptureKind, is_big_endian: bool) -> Option<String> {
    let number = |at: usize| -> Option<u32> {
        let four = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(if is_big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) })
    };
    match kind {
        CaptureKind::Pcap => of_packet(number(8)?, number(12).unwrap_or(u32::MAX)),
        CaptureKind::PcapNg => of_block(number(0)?, number(4)?),
    }
}

/// Returns what is wrong with a packet of pcap with these numbers of bytes, kept and on the wire.
pub(super) fn of_packet(kept: u32, on_the_wire: u32) -> Option<String> {
    match () {
        () if kept > FRAME_BYTES_MAX => Some(format!("a packet of {kept} bytes, where {FRAME_BYTES_MAX} are the most")),
        () if on_the_wire == 0 => Some("a packet of 0 bytes".to_owned()),
        () => None,
    }
}

fn of_block(kind: u32, length: u32) -> Option<String> {
    match () {
        () if !BLOCK_TYPES.contains(&kind) => Some(format!("a block of the unknown type {kind:#x}")),
        () if length < BLOCK_BYTES_LEAST || !length.is_multiple_of(4) => Some(format!("a block of {length} bytes")),
        () => None,
    }
}
