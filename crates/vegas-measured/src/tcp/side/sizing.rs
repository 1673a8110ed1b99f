//! How long a full segment is.

/// The segments by which that is learnt.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizing {
    largest: i64,
    segments: u32,
}

/// The number of segments shorter than the handshake allows after which the longest counts as a full one.
const SEGMENTS: u32 = 64;
/// The longest payload of an Ethernet frame without jumbo frames: a longer one may consist of several.
const ETHERNET_PAYLOAD: i64 = 1460;

impl Sizing {
    /// Returns the payload of a full segment, which was taken to be `full`, after one of `payload`. Without the
    /// handshake a longer segment shows that it is longer.
    pub(super) fn learn(&mut self, full: i64, payload: i64, is_agreed: bool) -> i64 {
        if full == 0 {
            return if payload > ETHERNET_PAYLOAD { ETHERNET_PAYLOAD - 12 } else { payload };
        }
        if !is_agreed {
            return if payload <= ETHERNET_PAYLOAD { full.max(payload) } else { full };
        }
        if self.segments >= SEGMENTS {
            return full;
        }
        self.largest = self.largest.max(payload);
        self.segments += 1;
        if self.segments == SEGMENTS { full.min(self.largest) } else { full }
    }
}
