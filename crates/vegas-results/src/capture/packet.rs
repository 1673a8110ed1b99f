//! A captured packet's IPv4 header, and that of TCP or UDP.
//!
//! The simulator counts bytes from 0 and has no addresses; this module translates both to what a capture at a host
//! shows.

use etherparse::err::ValueTooBigError;
use etherparse::{IpEcn, IpNumber, Ipv4Header, Ipv4Options, TcpHeader, TcpOptionElement, UdpHeader};
use vegas_core::Recovery;
use vegas_core::units::Bytes;
use vegas_sim::outcome::{CapturePoint, CapturedPacket, TcpFlags};
use vegas_sim::scenario::{FlowSpec, Scenario};

use crate::error::ResultsError;

/// The port of every receiver.
pub const RECEIVER_PORT: u16 = 5001;
const FIRST_SENDER_PORT: u16 = 40_000;
const TIME_TO_LIVE: u8 = 64;
/// The initial sequence number of both ends. The SYN takes it, whether or not one is simulated, so that the first
/// payload byte is number 1, as Wireshark shows it.
const INITIAL_SEQUENCE: u32 = 0;
/// The greatest shift of the window field (RFC 7323, section 2.3).
const WINDOW_SHIFT_MAX: u8 = 14;
/// The payload, which is all zero and not stored in captures; the checksum still covers it.
static ZEROS: [u8; u16::MAX as usize] = [0; u16::MAX as usize];

/// The headers of a captured packet.
pub(crate) struct Headers {
    /// The IPv4 and TCP headers with valid checksums; or those of IPv4 and UDP, and the beginning of the datagram.
    pub(crate) bytes: Vec<u8>,
    /// The size of the whole packet: that of the simulation, or that of the headers and the payload if it is greater.
    pub(crate) wire_bytes: u32,
}

/// The addresses of a flow's sender and receiver: 10.0.F.1 and 10.1.F.2 for flow F below 256; every further 256 flows
/// increase the second byte by two. After 32,768 flows the addresses repeat, with other ports.
pub fn addresses(flow: u32) -> ([u8; 4], [u8; 4]) {
    let [_, _, high, low] = (flow % (1 << 15)).to_be_bytes();
    ([10, 2 * high, low, 1], [10, 2 * high + 1, low, 2])
}

/// The port of a flow's sender: 40000 + F, starting again at 40000 after 65535.
pub fn sender_port(flow: u32) -> u16 {
    let ports = u32::from(u16::MAX - FIRST_SENDER_PORT) + 1;
    FIRST_SENDER_PORT + (flow % ports) as u16
}

/// Creates the headers of `packet`.
///
/// # Errors
/// The packet is larger than IPv4 allows, 65,535 bytes.
pub(crate) fn headers(scenario: &Scenario, packet: &CapturedPacket) -> Result<Headers, ResultsError> {
    let (sender, receiver) = addresses(packet.flow);
    let (source, destination) = if from_receiver(packet) { (receiver, sender) } else { (sender, receiver) };
    let too_large = || ResultsError::PacketTooLarge { flow: packet.flow, bytes: packet.wire.into() };
    let protocol = if packet.datagram.is_some() { IpNumber::UDP } else { IpNumber::TCP };
    let mut ip = Ipv4Header::new(0, TIME_TO_LIVE, protocol, source, destination).expect("0 bytes fit");
    ip.ecn = IpEcn::try_new(packet.codepoint).expect("a codepoint of two bits");
    ip.options = packet.stamps.aqt.map_or_else(Ipv4Options::new, |stamps| stamps.to_bytes().into());
    if let Some(datagram) = packet.datagram {
        return with_datagram(ip, packet, datagram.bytes()).map_err(|_| too_large());
    }
    let payload = ZEROS.get(..packet.payload as usize).ok_or_else(too_large)?;
    let tcp = tcp_header(&scenario.flows[packet.flow as usize], packet);
    with_checksums(ip, tcp, payload)
        .map(|(bytes, total)| Headers { bytes, wire_bytes: u32::from(packet.wire).max(total) })
        .map_err(|_| too_large())
}

/// Returns both headers, and the packet's total length in bytes.
fn with_checksums(
    mut ip: Ipv4Header,
    mut tcp: TcpHeader,
    payload: &[u8],
) -> Result<(Vec<u8>, u32), ValueTooBigError<usize>> {
    ip.set_payload_len(tcp.header_len() + payload.len())?;
    ip.header_checksum = ip.calc_header_checksum();
    tcp.checksum = tcp.calc_checksum_ipv4(&ip, payload)?;
    Ok(([&ip.to_bytes()[..], &tcp.to_bytes()[..]].concat(), u32::from(ip.total_len)))
}

/// Returns the headers and the beginning of a datagram. UDP's checksum is 0, "none" (RFC 768): the rest of the datagram
/// is not kept.
fn with_datagram(
    mut ip: Ipv4Header,
    packet: &CapturedPacket,
    beginning: &[u8],
) -> Result<Headers, ValueTooBigError<usize>> {
    let (source_port, destination_port) = ports(packet);
    let wire_bytes = u32::from(packet.wire);
    let length = (wire_bytes as usize).saturating_sub(ip.header_len()).max(UdpHeader::LEN);
    ip.set_payload_len(length)?;
    ip.header_checksum = ip.calc_header_checksum();
    let udp = UdpHeader { source_port, destination_port, length: length as u16, checksum: 0 };
    Ok(Headers { bytes: [&ip.to_bytes()[..], &udp.to_bytes()[..], beginning].concat(), wire_bytes })
}

/// Returns the ports of the packet's source and of its destination.
fn ports(packet: &CapturedPacket) -> (u16, u16) {
    let (sender, receiver) = (sender_port(packet.flow), RECEIVER_PORT);
    if from_receiver(packet) { (receiver, sender) } else { (sender, receiver) }
}

/// Returns whether the packet comes from the receiver, as only acknowledgements do.
fn from_receiver(packet: &CapturedPacket) -> bool {
    matches!(packet.point, CapturePoint::SenderIn | CapturePoint::ReceiverOut)
}

fn tcp_header(flow: &FlowSpec, packet: &CapturedPacket) -> TcpHeader {
    let TcpFlags { psh, ece, cwr, ae } = packet.flags;
    // AE has the place of the flag NS, which was withdrawn (RFC 8311, section 3)
    let mut tcp = TcpHeader { syn: packet.syn, psh, ece, cwr, ns: ae, ..TcpHeader::default() };
    (tcp.source_port, tcp.destination_port) = ports(packet);
    if from_receiver(packet) {
        // the receiver sends no payload, so its sequence number stays constant after its SYN
        tcp.sequence_number = if packet.syn { INITIAL_SEQUENCE } else { on_wire(0) };
        tcp.acknowledgment_number = on_wire(packet.acknowledgement);
        tcp.ack = true;
    } else {
        tcp.sequence_number = if packet.syn { INITIAL_SEQUENCE } else { on_wire(packet.sequence) };
        tcp.ack = !packet.syn;
        tcp.acknowledgment_number = if tcp.ack { on_wire(0) } else { 0 };
    }
    let shift = window_shift(flow);
    tcp.window_size = match packet.window {
        0 => constant_window(flow, if packet.syn { 0 } else { shift }),
        window => window,
    };
    let mut options = stamps_option(packet);
    options.extend(if packet.syn { syn_options(flow, shift) } else { sack_option(packet) });
    tcp.set_options(&options).expect("time stamps and SYN options take 12 bytes, three SACK blocks 28, and 40 fit");
    tcp
}

/// Converts to a sequence number, which is 32 bits wide and wraps (RFC 9293, section 3.4).
fn on_wire(byte: u64) -> u32 {
    (byte as u32).wrapping_add(INITIAL_SEQUENCE).wrapping_add(1)
}

fn payload_bytes(flow: &FlowSpec) -> u64 {
    flow.packet.get().saturating_sub(flow.header.get())
}

/// The window of packets that offer none of their own.
fn window_bytes(flow: &FlowSpec) -> u64 {
    flow.host.receive_window.first(Bytes::new(payload_bytes(flow))).get()
}

/// The receiver's shift of the window field, or the least with which a constant window fits.
fn window_shift(flow: &FlowSpec) -> u8 {
    let fits = |shift: &u8| window_bytes(flow) >> shift <= u64::from(u16::MAX);
    let least = || (0..WINDOW_SHIFT_MAX).find(fits).unwrap_or(WINDOW_SHIFT_MAX);
    flow.host.receive_window.shift().unwrap_or_else(least)
}

fn constant_window(flow: &FlowSpec, shift: u8) -> u16 {
    u16::try_from(window_bytes(flow) >> shift).unwrap_or(u16::MAX)
}

fn syn_options(flow: &FlowSpec, shift: u8) -> Vec<TcpOptionElement> {
    // the option does not count what other options take of a segment (RFC 6691)
    let stamps = if flow.host.options.timestamps { STAMPS_BYTES } else { 0 };
    let segment = u16::try_from(payload_bytes(flow) + stamps).unwrap_or(u16::MAX);
    let mut options = vec![
        TcpOptionElement::MaximumSegmentSize(segment),
        TcpOptionElement::Noop,
        TcpOptionElement::WindowScale(shift),
    ];
    if flow.composition.detection.recovery == Recovery::Sack {
        let alignment = TcpOptionElement::Noop;
        options.extend([alignment.clone(), alignment, TcpOptionElement::SelectiveAcknowledgementPermitted]);
    }
    options
}

/// The bytes of time stamps with what aligns them.
const STAMPS_BYTES: u64 = 12;

/// The time stamps (RFC 7323, appendix A), after two no-operations that align them.
fn stamps_option(packet: &CapturedPacket) -> Vec<TcpOptionElement> {
    let option =
        |(value, echo)| vec![TcpOptionElement::Noop, TcpOptionElement::Noop, TcpOptionElement::Timestamp(value, echo)];
    packet.stamps.time.map_or_else(Vec::new, option)
}

/// The SACK option (RFC 2018, section 3), after two no-operations that align the edges.
fn sack_option(packet: &CapturedPacket) -> Vec<TcpOptionElement> {
    let blocks = &packet.sack[..usize::from(packet.sack_blocks)];
    let edges = |block: &(u64, u64)| (on_wire(block.0), on_wire(block.1));
    let Some((first, rest)) = blocks.split_first() else {
        return Vec::new();
    };
    let mut more = [None; 3];
    for (slot, block) in more.iter_mut().zip(rest) {
        *slot = Some(edges(block));
    }
    let option = TcpOptionElement::SelectiveAcknowledgement(edges(first), more);
    vec![TcpOptionElement::Noop, TcpOptionElement::Noop, option]
}
