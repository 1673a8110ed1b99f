//! Which segments of TCP flows pass the router: drops name them as the simulator does, by their first byte of payload,
//! and a retransmitted segment is an incident.

use vegas_core::aqt::Head;
use vegas_core::units::Time;
use vegas_sim::outcome::{Incident, IncidentKind};
use vegas_sim::{Carried, Direction};

/// The segments that hosts have sent.
#[derive(Default)]
pub(crate) struct Segments {
    /// The first and the next byte of each flow: the sequence number of its first byte, and the payload sent.
    flows: Vec<Option<Sent>>,
    /// The byte that each packet names, by the packet's number; this number for what is no segment.
    named: Vec<u64>,
    retransmitted: Vec<Incident>,
}

#[derive(Clone, Copy)]
struct Sent {
    first: u32,
    bytes: u64,
}

impl Sent {
    /// Returns how many bytes of payload come before this sequence number, which is near the last one sent.
    fn before(self, number: u32) -> u64 {
        let last = self.first.wrapping_add(self.bytes as u32);
        // a SYN's number is one before the first byte's
        self.bytes.saturating_add_signed(i64::from(number.wrapping_sub(last).cast_signed()))
    }
}

const SYN: u8 = 1 << 1;

impl Segments {
    pub(crate) fn new(flows: usize, packets: usize) -> Self {
        Segments { flows: vec![None; flows], named: Vec::with_capacity(packets), retransmitted: Vec::new() }
    }

    /// Notes a packet that a host has sent. Packets come in the order of their numbers.
    pub(crate) fn note(&mut self, at: Time, packet: &Carried, bytes: &[u8]) {
        let named = self.name(at, packet, bytes);
        self.named.resize(packet.number as usize, 0);
        self.named.push(named.unwrap_or(packet.number));
    }

    fn name(&mut self, at: Time, packet: &Carried, bytes: &[u8]) -> Option<u64> {
        let segment = Head::of(bytes).segment()?;
        let flow = self.flows.get_mut(packet.flow as usize)?;
        let tcp = bytes.get(usize::from(bytes.first()? & 0xf) * 4..)?;
        let number = u32::from_be_bytes(tcp.get(4..8)?.try_into().ok()?);
        if packet.direction == Direction::Backward {
            return Some((*flow)?.before(segment.acknowledgement?));
        }
        if tcp.get(13)? & SYN != 0 {
            *flow = Some(Sent { first: number.wrapping_add(1), bytes: 0 });
            return Some(0);
        }
        let sent = flow.as_mut()?;
        let before = sent.before(number);
        if segment.payload > 0 && before < sent.bytes {
            let kind = IncidentKind::Retransmit;
            let time_s = at.as_nanos() as f64 / 1e9;
            let (flow, sequence) = (packet.flow, before);
            self.retransmitted.push(Incident { time_s, kind, flow, link: None, sequence, retransmission: None });
        }
        sent.bytes = sent.bytes.max(before + segment.payload as u64);
        Some(before)
    }

    /// Names the segments in a run's incidents by their bytes, and adds the retransmitted ones until `end_s`.
    pub(crate) fn finish(self, incidents: &mut Vec<Incident>, end_s: f64) {
        for incident in incidents.iter_mut().filter(|incident| (incident.flow as usize) < self.flows.len()) {
            let named = self.named.get(incident.sequence as usize);
            incident.sequence = named.copied().unwrap_or(incident.sequence);
        }
        incidents.extend(self.retransmitted.into_iter().filter(|incident| incident.time_s <= end_s));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::packets::parse;

    /// A packet of flow 2 with this sequence number, flags and payload.
    fn packet(number: u32, flags: u8, payload: u8) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 40 + payload, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 81, 0, 3, 10, 82, 0, 3];
        packet.extend([0x27, 0x12, 0x13, 0x89]);
        packet.extend(number.to_be_bytes());
        packet.extend([0, 0, 0, 1, 0x50, flags, 0, 0, 0, 0, 0, 0]);
        packet.resize(40 + usize::from(payload), 0);
        packet
    }

    /// The numbers of the connection go beyond 2^32: payload begins at 2^32 - 15.
    #[test]
    fn segments_are_named_by_their_bytes_and_retransmissions_are_incidents() {
        let mut segments = Segments::new(3, 0);
        let first = u32::MAX - 15;
        let sent = [(first, SYN, 0), (first + 1, 16, 10), (first + 11, 16, 10), (first.wrapping_add(21), 16, 10)];
        for (id, (number, flags, payload)) in sent.into_iter().chain([sent[2]]).enumerate() {
            let bytes = packet(number, flags, payload);
            let carried = parse(&bytes, id as u64).expect("a packet of flow 2");
            segments.note(Time::from_nanos(id as u64 * 1_000_000_000), &carried, &bytes);
        }
        let dropped = |sequence| Incident {
            time_s: 2.0,
            kind: IncidentKind::QueueDrop,
            flow: 2,
            link: Some(0),
            sequence,
            retransmission: None,
        };
        let mut incidents = vec![dropped(0), dropped(2), dropped(3)];
        segments.finish(&mut incidents, 5.0);
        assert_eq!(incidents.iter().map(|incident| incident.sequence).collect::<Vec<_>>(), [0, 10, 20, 10]);
        assert_eq!((incidents[3].kind, incidents[3].time_s, incidents[3].link), (IncidentKind::Retransmit, 4.0, None));
    }
}
