//! Packets: what the IP and TCP or UDP headers of a frame say. A header may be cut; what is missing of it counts as not
//! there.

use std::net::SocketAddr;

use etherparse::{IpNumber, LaxIpSlice, TcpHeaderSlice};

/// A packet of TCP or UDP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet<'a> {
    /// When it was seen, ns since 1970.
    pub(crate) at: i64,
    /// The number of the interface.
    pub(crate) interface: u32,
    pub(crate) from: SocketAddr,
    pub(crate) to: SocketAddr,
    /// The length of the IP packet.
    pub(crate) ip_bytes: u32,
    /// IPv4's identification; 0 for IPv6.
    pub(crate) ip_id: u16,
    /// The time to live, or the hop limit.
    pub(crate) hops: u8,
    /// The ECN field of the IP header.
    pub(crate) ecn: u8,
    pub(crate) transport: Transport<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Transport<'a> {
    Tcp(Tcp),
    Udp(Udp<'a>),
}

/// The header of a TCP segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tcp {
    pub(crate) sequence: u32,
    pub(crate) acknowledgement: u32,
    pub(crate) flags: Flags,
    /// The window as it is in the header.
    pub(crate) window: u16,
    /// The bytes of payload on the wire.
    pub(crate) payload: u32,
    pub(crate) options: Options,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) fin: bool,
    pub(crate) syn: bool,
    pub(crate) rst: bool,
    pub(crate) ack: bool,
    pub(crate) ece: bool,
    pub(crate) cwr: bool,
    /// The bit that was NS, and is AE of accurate ECN (RFC 9768).
    pub(crate) ae: bool,
}

/// The options of a segment that matter here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) mss: Option<u16>,
    pub(crate) window_scale: Option<u8>,
    pub(crate) sack_permitted: bool,
    /// The sender's time stamp, and the one that it echoes.
    pub(crate) stamps: Option<(u32, u32)>,
    pub(crate) sack: [(u32, u32); 4],
    /// The number of valid blocks in `sack`.
    pub(crate) sack_blocks: u8,
    /// Whether the capture has only a part of the options.
    pub(crate) cut: bool,
}

impl Options {
    pub(crate) fn blocks(&self) -> &[(u32, u32)] {
        &self.sack[..usize::from(self.sack_blocks)]
    }
}

/// A UDP datagram.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Udp<'a> {
    /// The captured part of the payload.
    pub(crate) data: &'a [u8],
}

/// Why a packet is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unused {
    /// Neither TCP nor UDP.
    OtherProtocol,
    /// A part of a packet that was divided on the way.
    Fragment,
    /// The capture has too little of its headers.
    Cut,
}

/// Reads the headers of an IP packet of which `data` is the beginning; `length` is its length on the wire by the
/// frame's.
pub(crate) fn read(at: i64, interface: u32, length: u32, data: &[u8]) -> Result<Packet<'_>, Unused> {
    let (ip, _) = LaxIpSlice::from_slice(data).map_err(|_| Unused::Cut)?;
    let (ip_id, hops, ecn, given) = match (ip.ipv4(), ip.ipv6()) {
        (Some(v4), _) => {
            let header = v4.header();
            (header.identification(), header.ttl(), header.ecn().value(), u32::from(header.total_len()))
        }
        (None, Some(v6)) => {
            let header = v6.header();
            let payload = u32::from(header.payload_length());
            (0, header.hop_limit(), header.traffic_class() & 3, if payload == 0 { 0 } else { payload + 40 })
        }
        (None, None) => return Err(Unused::OtherProtocol),
    };
    if ip.is_fragmenting_payload() {
        return Err(Unused::Fragment);
    }
    // a packet that the interface divides later, or that it has joined, may have no length of its own
    let ip_bytes = if given == 0 { length } else { given };
    let payload = ip.payload().payload;
    let headers = (payload.as_ptr() as usize).saturating_sub(data.as_ptr() as usize) as u32;
    let wire = ip_bytes.saturating_sub(headers);
    let (source, target) = (ip.source_addr(), ip.destination_addr());
    let (ports, transport) = match ip.payload_ip_number() {
        IpNumber::TCP => tcp(payload, wire)?,
        IpNumber::UDP => udp(payload)?,
        _ => return Err(Unused::OtherProtocol),
    };
    let (from, to) = (SocketAddr::new(source, ports.0), SocketAddr::new(target, ports.1));
    Ok(Packet { at, interface, from, to, ip_bytes, ip_id, hops, ecn, transport })
}

type Ports = (u16, u16);

const TCP_HEADER: usize = 20;
const TCP_HEADER_MAX: usize = 60;
const UDP_HEADER: usize = 8;

fn tcp(data: &[u8], wire: u32) -> Result<(Ports, Transport<'static>), Unused> {
    if data.len() < TCP_HEADER {
        return Err(Unused::Cut);
    }
    // options that were cut are replaced by zeros, which end the list
    let mut padded = [0; TCP_HEADER_MAX];
    let kept = data.len().min(TCP_HEADER_MAX);
    padded[..kept].copy_from_slice(&data[..kept]);
    let header = TcpHeaderSlice::from_slice(&padded).map_err(|_| Unused::OtherProtocol)?;
    let length = usize::from(header.data_offset()) * 4;
    let flags = Flags {
        fin: header.fin(),
        syn: header.syn(),
        rst: header.rst(),
        ack: header.ack(),
        ece: header.ece(),
        cwr: header.cwr(),
        ae: header.ns(),
    };
    let tcp = Tcp {
        sequence: header.sequence_number(),
        acknowledgement: header.acknowledgment_number(),
        flags,
        window: header.window_size(),
        payload: wire.saturating_sub(length as u32),
        options: Options { cut: kept < length, ..options(header.options()) },
    };
    Ok(((header.source_port(), header.destination_port()), Transport::Tcp(tcp)))
}

/// Reads options (RFC 9293, 3.1; RFC 7323; RFC 2018). etherparse's iterator ends at an option that it does not know.
fn options(bytes: &[u8]) -> Options {
    let mut found = Options::default();
    let mut rest = bytes;
    while let [kind, behind @ ..] = rest {
        if *kind == 0 {
            break;
        }
        if *kind == 1 {
            rest = behind;
            continue;
        }
        let Some(length) = behind.first().map(|length| usize::from(*length)).filter(|length| *length >= 2) else {
            break;
        };
        let Some((option, behind)) = rest.split_at_checked(length) else { break };
        set(&mut found, *kind, &option[2..]);
        rest = behind;
    }
    found
}

fn set(found: &mut Options, kind: u8, value: &[u8]) {
    let number = |at: usize| value.get(at..at + 4).and_then(|four| Some(u32::from_be_bytes(four.try_into().ok()?)));
    match (kind, value) {
        (2, [high, low]) => found.mss = Some(u16::from_be_bytes([*high, *low])),
        // RFC 7323, 2.3: more than 14 counts as 14
        (3, [scale]) => found.window_scale = Some((*scale).min(14)),
        (4, []) => found.sack_permitted = true,
        (5, _) => {
            for place in 0..found.sack.len() {
                let (Some(from), Some(to)) = (number(8 * place), number(8 * place + 4)) else { break };
                found.sack[place] = (from, to);
                found.sack_blocks = place as u8 + 1;
            }
        }
        (8, _) => found.stamps = number(0).zip(number(4)),
        _ => {}
    }
}

fn udp(data: &[u8]) -> Result<(Ports, Transport<'_>), Unused> {
    let Some((header, rest)) = data.split_first_chunk::<UDP_HEADER>() else { return Err(Unused::Cut) };
    let port = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    Ok(((port(0), port(2)), Transport::Udp(Udp { data: rest })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_behind_unknown_ones_and_damaged_ones() {
        // multipath TCP's kind 30 of 4 bytes, then time stamps, then a SACK option of two blocks
        let mut bytes = vec![30, 4, 0, 0, 1, 8, 10, 0, 0, 1, 0, 0, 0, 2, 0, 5, 18];
        bytes.extend([0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]);
        let found = options(&bytes);
        assert_eq!((found.stamps, found.blocks()), (Some((256, 512)), &[(1, 2), (3, 4)][..]));
        // a length of 0 or 1, or beyond the end, ends the list
        for damaged in [&[8u8, 0, 1][..], &[8, 1], &[8, 10, 0], &[8]] {
            assert_eq!(options(damaged), Options::default());
        }
    }
}
