//! Captures: files to packets, in the order of time, each once.

mod clock;
mod damage;
mod file;
mod kind;
mod link;
pub(crate) mod packet;
mod twice;

use std::collections::BTreeSet;

pub(crate) use kind::CaptureKind;

use crate::capture::clock::Clock;
use crate::capture::file::{Frame, Gaps, read_frames};
use crate::capture::link::{Held, held, link_type};
use crate::capture::packet::{Packet, Unused, read};
use crate::capture::twice::Twice;
use crate::error::Read;
use crate::source::{Attend, Source};

/// What a capture holds and lacks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    pub(crate) gaps: Gaps,
    pub(crate) clock: Clock,
    pub(crate) twice: Twice,
    /// Frames in the file.
    pub(crate) frames: u64,
    /// Bytes that the frames had on the wire.
    pub(crate) wire_bytes: u64,
    /// Frames of which the capture has only the beginning.
    pub(crate) short_frames: u64,
    /// Frames with too little of the headers to be used.
    pub(crate) cut: u64,
    pub(crate) fragments: u64,
    /// Frames of other protocols, such as ARP and ICMP.
    pub(crate) other_protocols: u64,
    /// Frames of link layers that are not read, and their types.
    pub(crate) unknown_links: u64,
    pub(crate) unknown_link_types: BTreeSet<i32>,
    pub(crate) link_types: BTreeSet<i32>,
    /// When the first and the last frame were seen, ns since 1970.
    pub(crate) first: Option<i64>,
    pub(crate) last: i64,
}

/// Reads a capture, and calls `take` with each packet of TCP and UDP.
pub(crate) fn read_packets(
    source: &Source,
    kind: CaptureKind,
    attend: Attend<'_>,
    mut take: impl FnMut(&Packet<'_>) -> Read<()>,
) -> Read<Contents> {
    let mut contents = Contents::default();
    let gaps = read_frames(source, kind, attend, |frame| match contents.packet(&frame) {
        Some(packet) if !contents.twice.has(&packet) => take(&packet),
        _ => Ok(()),
    })?;
    Ok(Contents { gaps, ..contents })
}

impl Contents {
    fn packet<'a>(&mut self, frame: &Frame<'a>) -> Option<Packet<'a>> {
        let at = self.clock.ascending(frame.at);
        self.first.get_or_insert(at);
        self.last = at;
        self.frames += 1;
        self.wire_bytes += u64::from(frame.length);
        self.short_frames += u64::from(frame.data.len() < frame.length as usize);
        let counter = match held(frame.link_type, frame.data) {
            Held::Ip(ip, header) => {
                self.link_types.insert(frame.link_type);
                let length = frame.length.saturating_sub(header);
                match read(at, interface(frame), length, ip) {
                    Ok(packet) => return Some(packet),
                    Err(Unused::Cut) => &mut self.cut,
                    Err(Unused::Fragment) => &mut self.fragments,
                    Err(Unused::OtherProtocol) => &mut self.other_protocols,
                }
            }
            Held::Other => &mut self.other_protocols,
            Held::Cut => &mut self.cut,
            Held::UnknownLink => {
                self.unknown_link_types.insert(frame.link_type);
                &mut self.unknown_links
            }
        };
        *counter += 1;
        None
    }
}

/// Returns the number of a frame's interface: in the second version of Linux's cooked captures, the one that the header
/// names.
fn interface(frame: &Frame<'_>) -> u32 {
    match (frame.link_type, frame.data.get(4..8)) {
        (link_type::LINUX_SLL2, Some(&[a, b, c, d])) => u32::from_be_bytes([a, b, c, d]),
        _ => frame.interface,
    }
}

/// The name of a link type, for messages.
pub(crate) fn link_name(number: i32) -> String {
    use self::link::link_type as known;
    match number {
        known::ETHERNET => "Ethernet".into(),
        known::NULL | known::LOOP => "loopback".into(),
        known::LINUX_SLL => "Linux cooked".into(),
        known::LINUX_SLL2 => "Linux cooked v2".into(),
        known::RAW | known::IPV4 | known::IPV6 => "raw IP".into(),
        raw if known::RAW_BSD.contains(&raw) => "raw IP".into(),
        other => format!("link type {other}"),
    }
}
