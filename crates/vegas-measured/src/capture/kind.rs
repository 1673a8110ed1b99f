//! What kind a capture file is, by its first bytes.

/// The magic number of a pcapng file's first block.
const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
/// The magic numbers of pcap files, in the order of bytes of a little-endian host; the other order is theirs reversed.
const PCAP: [u32; 3] = [0xa1b2_c3d4, 0xa1b2_3c4d, 0xa1b2_cd34];

/// The kinds of capture files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaptureKind {
    Pcap,
    PcapNg,
}

impl CaptureKind {
    /// Returns the kind of a file by its first bytes.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        let magic: [u8; 4] = head.get(..4)?.try_into().ok()?;
        let number = u32::from_le_bytes(magic);
        if magic == PCAPNG {
            return Some(CaptureKind::PcapNg);
        }
        PCAP.iter().any(|known| number == *known || number == known.swap_bytes()).then_some(CaptureKind::Pcap)
    }
}
