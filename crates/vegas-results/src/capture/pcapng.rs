//! Captures in the pcapng format (IETF draft-ietf-opsawg-pcapng), as Wireshark and tshark read them.
//!
//! Sender and receiver have separate files: in a common file, Wireshark's sequence analysis would take the second
//! appearance of every packet for a retransmission.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use vegas_core::units::Time;
use vegas_sim::outcome::{CapturePoint, CapturedPacket, Frame, Outcome};
use vegas_sim::scenario::{FlowSpec, NodeId, Scenario};
use vegas_sim::{ENGINE_VERSION, Watch};

use crate::capture::packet::{Headers, headers};
use crate::error::ResultsError;

/// The end of the connections at which a capture sees packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// Packets that left or reached the senders.
    Sender,
    /// Packets that reached or left the receivers.
    Receiver,
}

impl View {
    pub(crate) const ALL: [View; 2] = [View::Sender, View::Receiver];

    pub(crate) fn file_name(self) -> &'static str {
        match self {
            View::Sender => "capture.pcapng",
            View::Receiver => "capture-receiver.pcapng",
        }
    }

    fn shows(self, point: CapturePoint) -> bool {
        let at_sender = matches!(point, CapturePoint::SenderOut | CapturePoint::SenderIn);
        at_sender == (self == View::Sender)
    }

    /// The node at which the view sees a flow's packets.
    fn node(self, scenario: &Scenario, flow: &FlowSpec) -> Option<NodeId> {
        match self {
            View::Sender => flow.path.first().map(|&link| scenario.links[link].from),
            View::Receiver => flow.path.last().map(|&link| scenario.links[link].to),
        }
    }
}

/// Block types and option codes: sections 4.1 to 4.3 of the draft.
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const END_OF_OPTIONS: u16 = 0;
const USER_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_DESCRIPTION_TEXT: u16 = 3;
const TIME_RESOLUTION: u16 = 9;

const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const UNKNOWN_LENGTH: i64 = -1;
/// LINKTYPE_RAW: a packet begins with its IP header.
const RAW_IP: u16 = 101;
/// The resolution of timestamps: units of 10^-9 s.
const NANOSECONDS: u8 = 9;
/// A length above that of any of the simulator's headers: 28 bytes of IPv4 with RoVegas's option, and 48 of TCP with
/// three SACK blocks. Of a datagram 28 bytes and [`vegas_sim::outcome::DatagramHead`] are fewer.
const SNAP_BYTES: u32 = 80;

/// A packet of the capture file.
enum Seen<'a> {
    Simulated(&'a CapturedPacket),
    Real(&'a Frame),
}

impl Seen<'_> {
    fn at(&self) -> Time {
        match self {
            Seen::Simulated(packet) => packet.at,
            Seen::Real(frame) => frame.at,
        }
    }

    fn flow(&self) -> u32 {
        match self {
            Seen::Simulated(packet) => packet.flow,
            Seen::Real(frame) => frame.flow,
        }
    }

    fn headers(&self, scenario: &Scenario) -> Result<Headers, ResultsError> {
        match self {
            Seen::Simulated(packet) => headers(scenario, packet),
            Seen::Real(frame) => Ok(Headers { bytes: frame.head().to_vec(), wire_bytes: frame.wire.into() }),
        }
    }
}

/// Writes one view of a run's packets, in order of time, with one interface for each node where packets were seen.
///
/// # Errors
/// The file cannot be written, or a packet is larger than IPv4 allows.
pub(crate) fn write_file(
    path: &Path,
    view: View,
    scenario: &Scenario,
    outcome: &Outcome,
    watch: &mut Watch<'_>,
) -> Result<(), ResultsError> {
    let refused = ResultsError::io(path, "write");
    let mut out = BufWriter::new(File::create(path).map_err(ResultsError::io(path, "create"))?);
    let interfaces = interfaces(view, scenario);
    let snap_bytes = if outcome.frames.is_empty() { SNAP_BYTES } else { Frame::HEAD_BYTES_MAX as u32 };
    write_section_header(&mut out).map_err(&refused)?;
    for &node in &interfaces {
        write_interface(&mut out, view, &scenario.nodes[node], snap_bytes).map_err(&refused)?;
    }
    for packet in seen(view, outcome) {
        watch.step()?;
        let node = view.node(scenario, &scenario.flows[packet.flow() as usize]);
        let interface = node.and_then(|node| interfaces.binary_search(&node).ok()).unwrap_or(0);
        write_packet(&mut out, interface as u32, packet.at(), &packet.headers(scenario)?).map_err(&refused)?;
    }
    out.flush().map_err(&refused)
}

/// The packets that the view shows, in the order of time.
fn seen(view: View, outcome: &Outcome) -> Vec<Seen<'_>> {
    let simulated = outcome.capture.iter().filter(|packet| view.shows(packet.point)).map(Seen::Simulated);
    let real = outcome.frames.iter().filter(|frame| view.shows(frame.point)).map(Seen::Real);
    let mut seen: Vec<Seen<'_>> = simulated.chain(real).collect();
    seen.sort_by_key(Seen::at);
    seen
}

/// The nodes that are interfaces of the file, in the scenario's order.
fn interfaces(view: View, scenario: &Scenario) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = scenario.flows.iter().filter_map(|flow| view.node(scenario, flow)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

fn write_section_header(out: &mut impl Write) -> io::Result<()> {
    let mut body = Vec::new();
    body.extend(BYTE_ORDER_MAGIC.to_le_bytes());
    body.extend([1_u16, 0].map(u16::to_le_bytes).concat());
    body.extend(UNKNOWN_LENGTH.to_le_bytes());
    push_option(&mut body, USER_APPLICATION, format!("vegaslab {ENGINE_VERSION}").as_bytes());
    push_option(&mut body, END_OF_OPTIONS, &[]);
    write_block(out, SECTION_HEADER, &body)
}

fn write_interface(out: &mut impl Write, view: View, node: &str, snap_bytes: u32) -> io::Result<()> {
    let description = match view {
        View::Sender => "as seen by the sender",
        View::Receiver => "as seen by the receiver",
    };
    let mut body = Vec::new();
    body.extend([RAW_IP, 0].map(u16::to_le_bytes).concat());
    body.extend(snap_bytes.to_le_bytes());
    push_option(&mut body, INTERFACE_NAME, node.as_bytes());
    push_option(&mut body, INTERFACE_DESCRIPTION_TEXT, description.as_bytes());
    push_option(&mut body, TIME_RESOLUTION, &[NANOSECONDS]);
    push_option(&mut body, END_OF_OPTIONS, &[]);
    write_block(out, INTERFACE_DESCRIPTION, &body)
}

fn write_packet(out: &mut impl Write, interface: u32, at: Time, headers: &Headers) -> io::Result<()> {
    let time_ns = at.as_nanos();
    let (time_high, time_low) = ((time_ns >> 32) as u32, time_ns as u32);
    let captured = headers.bytes.len() as u32;
    let mut body = [interface, time_high, time_low, captured, headers.wire_bytes].map(u32::to_le_bytes).concat();
    body.extend(&headers.bytes);
    write_block(out, ENHANCED_PACKET, &body)
}

fn push_option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body);
}

/// Writes a block: type, length, body, and the length again.
fn write_block(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    const FRAME_BYTES: usize = 12;
    let mut body = body.to_vec();
    pad(&mut body);
    let length = ((FRAME_BYTES + body.len()) as u32).to_le_bytes();
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&length)?;
    out.write_all(&body)?;
    out.write_all(&length)
}

/// Pads to a multiple of 32 bits, on which blocks and options end.
fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}
