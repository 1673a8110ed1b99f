//! Link layers: where in a frame the IP packet begins.

use etherparse::{Ethernet2HeaderSlice, LinuxSllHeaderSlice, SingleVlanHeaderSlice};

/// Ethernet types (IEEE 802).
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];
const PPPOE: u16 = 0x8864;
/// The most VLAN tags of a frame.
const TAGS_MAX: usize = 4;
/// Link types of tcpdump.org's list that are read.
pub(crate) mod link_type {
    pub(crate) const NULL: i32 = 0;
    pub(crate) const ETHERNET: i32 = 1;
    pub(crate) const RAW_BSD: [i32; 2] = [12, 14];
    pub(crate) const RAW: i32 = 101;
    pub(crate) const LOOP: i32 = 108;
    pub(crate) const LINUX_SLL: i32 = 113;
    pub(crate) const IPV4: i32 = 228;
    pub(crate) const IPV6: i32 = 229;
    pub(crate) const LINUX_SLL2: i32 = 276;
}

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held<'a> {
    /// The beginning of an IP packet, and the bytes before it.
    Ip(&'a [u8], u32),
    /// Another protocol, such as ARP.
    Other,
    /// The frame was cut before the IP header.
    Cut,
    /// A link type that is not read.
    UnknownLink,
}

/// Returns what a frame holds.
pub(crate) fn held(link_type: i32, data: &[u8]) -> Held<'_> {
    use self::link_type as known;
    match link_type {
        known::ETHERNET => ethernet(data),
        known::RAW | known::IPV4 | known::IPV6 => Held::Ip(data, 0),
        raw if known::RAW_BSD.contains(&raw) => Held::Ip(data, 0),
        known::NULL | known::LOOP => behind(data, 4, family),
        known::LINUX_SLL => match LinuxSllHeaderSlice::from_slice(data) {
            Ok(header) => typed(u16::from(header.protocol_type()), data, 16),
            Err(_) => if_cut(data, 16),
        },
        // etherparse has no reader of the second version; its first field is the Ethernet type
        known::LINUX_SLL2 => match data.first_chunk::<20>() {
            Some(header) => typed(u16::from_be_bytes([header[0], header[1]]), data, 20),
            None => Held::Cut,
        },
        _ => Held::UnknownLink,
    }
}

fn if_cut(data: &[u8], header: usize) -> Held<'_> {
    if data.len() < header { Held::Cut } else { Held::Other }
}

fn ethernet(data: &[u8]) -> Held<'_> {
    match Ethernet2HeaderSlice::from_slice(data) {
        Ok(header) => typed(header.ether_type().0, data, 14),
        Err(_) => Held::Cut,
    }
}

/// Returns what is behind a header of `length` bytes that names an Ethernet type, and behind its VLAN tags.
fn typed(ether_type: u16, data: &[u8], length: usize) -> Held<'_> {
    let (mut ether_type, mut length) = (ether_type, length);
    for _ in 0..TAGS_MAX {
        if !VLAN.contains(&ether_type) {
            break;
        }
        let Some(Ok(tag)) = data.get(length..).map(SingleVlanHeaderSlice::from_slice) else { return Held::Cut };
        (ether_type, length) = (tag.ether_type().0, length + 4);
    }
    match ether_type {
        IPV4 | IPV6 => behind(data, length, |_| true),
        // six bytes of PPPoE, and PPP's protocol: 0x21 is IPv4, 0x57 IPv6 (RFC 2516)
        PPPOE => match data.get(length + 6..length + 8) {
            Some([0, 0x21 | 0x57]) => behind(data, length + 8, |_| true),
            Some(_) => Held::Other,
            None => Held::Cut,
        },
        _ => Held::Other,
    }
}

fn behind(data: &[u8], length: usize, is_ip: impl Fn(&[u8]) -> bool) -> Held<'_> {
    match data.split_at_checked(length) {
        Some((_, [])) | None => Held::Cut,
        Some((header, packet)) if is_ip(header) => Held::Ip(packet, length as u32),
        Some(_) => Held::Other,
    }
}

/// Whether the address family of BSD's loopback is one of IP; in either order of bytes, as it is the host's. IPv6 has
/// another number on each system.
fn family(header: &[u8]) -> bool {
    let number = header.iter().copied().find(|byte| *byte != 0);
    matches!(number, Some(2 | 24 | 28 | 30))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: [u8; 2] = [0x45, 0];

    fn frame(header: &[u8]) -> Vec<u8> {
        [header, &PACKET].concat()
    }

    #[test]
    fn headers_of_each_link() {
        let addresses = [0u8; 12];
        let cases: [(i32, Vec<u8>); 10] = [
            (link_type::ETHERNET, [&addresses[..], &[8, 0]].concat()),
            (link_type::ETHERNET, [&addresses[..], &[0x81, 0, 0, 7, 0x86, 0xdd]].concat()),
            (link_type::ETHERNET, [&addresses[..], &[0x88, 0xa8, 0, 7, 0x81, 0, 0, 9, 8, 0]].concat()),
            (link_type::ETHERNET, [&addresses[..], &[0x88, 0x64, 0x11, 0, 0, 1, 0, 2, 0, 0x21]].concat()),
            (link_type::RAW, vec![]),
            (link_type::NULL, vec![2, 0, 0, 0]),
            (link_type::NULL, vec![0, 0, 0, 30]),
            (link_type::LOOP, vec![0, 0, 0, 24]),
            (link_type::LINUX_SLL, vec![0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0]),
            (link_type::LINUX_SLL2, [&[0x86, 0xdd][..], &[0; 18]].concat()),
        ];
        for (link, header) in cases {
            let data = frame(&header);
            assert_eq!(held(link, &data), Held::Ip(&PACKET, header.len() as u32), "{link}: {header:?}");
            for cut in 0..header.len() {
                assert_eq!(held(link, &data[..cut]), Held::Cut, "{link}: cut at {cut}");
            }
        }
    }

    #[test]
    fn what_is_no_ip() {
        let arp = [&[0u8; 12][..], &[8, 6, 0, 1]].concat();
        assert_eq!(held(link_type::ETHERNET, &arp), Held::Other);
        assert_eq!(held(link_type::NULL, &[7, 0, 0, 0, 1]), Held::Other);
        assert_eq!(held(127, &[0; 60]), Held::UnknownLink);
    }
}
