//! Packets that the capture has twice, as it does on two interfaces of a host, or on a mirrored port.

use super::packet::{Packet, Transport};

const RING: usize = 128;
/// The longest time from a packet to its second sight on another interface, or at another hop, ns.
const APART_NS: i64 = 1_000_000_000;
/// The longest time on the same interface: a host retransmits no segment within it.
const APART_ON_ONE_NS: i64 = 500_000;

/// The packets seen last.
#[derive(Clone, Debug)]
pub(crate) struct Twice {
    seen: [Seen; RING],
    next: usize,
    /// Packets that were seen before.
    pub(crate) packets: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    digest: u64,
    at: i64,
    interface: u32,
    hops: u8,
}

impl Default for Twice {
    fn default() -> Self {
        Twice { seen: [Seen::default(); RING], next: 0, packets: 0 }
    }
}

impl Twice {
    /// Returns whether the packet was seen before.
    pub(crate) fn has(&mut self, packet: &Packet<'_>) -> bool {
        let Some(digest) = digest(packet) else { return false };
        let now = Seen { digest, at: packet.at, interface: packet.interface, hops: packet.hops };
        let same = |before: &&Seen| before.digest == digest && before.is_the_same_as(&now, packet.ip_id != 0);
        if self.seen.iter().any(|before| same(&before)) {
            self.packets += 1;
            return true;
        }
        self.seen[self.next] = now;
        self.next = (self.next + 1) % RING;
        false
    }
}

impl Seen {
    /// Whether two packets of equal headers are one. On one interface only the IP identification tells two equal
    /// acknowledgements apart.
    fn is_the_same_as(&self, now: &Seen, has_id: bool) -> bool {
        let apart = now.at.saturating_sub(self.at);
        let elsewhere = self.interface != now.interface || self.hops != now.hops;
        if elsewhere { apart <= APART_NS } else { has_id && apart <= APART_ON_ONE_NS }
    }
}

/// Returns a digest of what is equal at each place where a segment is seen; datagrams may be equal without being one.
fn digest(packet: &Packet<'_>) -> Option<u64> {
    let Transport::Tcp(tcp) = packet.transport else { return None };
    let (stamp, echo) = tcp.options.stamps.unwrap_or_default();
    let (block_from, block_to) = tcp.options.blocks().first().copied().unwrap_or_default();
    let flags = [tcp.flags.fin, tcp.flags.syn, tcp.flags.rst, tcp.flags.ack];
    let flags = flags.into_iter().fold(0, |bits, flag| bits << 1 | u32::from(flag));
    let ports = u32::from(packet.from.port()) << 16 | u32::from(packet.to.port());
    let small = u32::from(tcp.window) << 16 | u32::from(packet.ip_id);
    let words =
        [tcp.sequence, tcp.acknowledgement, tcp.payload, flags, ports, small, stamp, echo, block_from, block_to];
    // FNV-1a, a word at a time, with a rotation that carries high bits down
    let mix = |digest: u64, word: u32| (digest ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    Some(words.into_iter().fold(0xcbf2_9ce4_8422_2325, mix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::packet::{Flags, Tcp};

    fn acknowledgement(at: i64, interface: u32, hops: u8, ip_id: u16) -> Packet<'static> {
        let flags = Flags { ack: true, ..Flags::default() };
        let tcp = Tcp { acknowledgement: 7, flags, ..Tcp::default() };
        let [from, to] = [1, 2].map(|port| ([10, 0, 0, 1], port).into());
        Packet { at, interface, from, to, ip_bytes: 40, ip_id, hops, ecn: 0, transport: Transport::Tcp(tcp) }
    }

    #[test]
    fn what_is_one_packet() {
        let mut twice = Twice::default();
        assert!(!twice.has(&acknowledgement(0, 0, 64, 9)));
        // on another interface, or a hop later, or doubled at once
        assert!(twice.has(&acknowledgement(900_000_000, 1, 64, 9)));
        assert!(twice.has(&acknowledgement(40_000, 0, 63, 9)));
        assert!(twice.has(&acknowledgement(40_000, 0, 64, 9)));
        // a second acknowledgement of the host; and one a second later
        assert!(!twice.has(&acknowledgement(40_000, 0, 64, 10)));
        assert!(!twice.has(&acknowledgement(1_100_000_000, 1, 64, 9)));
        assert_eq!(twice.packets, 3);
    }

    #[test]
    fn equal_acknowledgements_without_identification_are_two() {
        let mut twice = Twice::default();
        assert!(!twice.has(&acknowledgement(0, 0, 64, 0)));
        assert!(!twice.has(&acknowledgement(1_000, 0, 64, 0)));
    }
}
