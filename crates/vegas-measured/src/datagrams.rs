//! Datagrams of a capture: QUIC connections by what their headers show (RFC 9000, 17), and long exchanges of any other
//! protocol over UDP.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use crate::capture::packet::{Packet, Udp};
use crate::error::Read;
use crate::tables::rows::{Flow, FlowSample, Half, IncidentKind, RttSample};
use crate::tables::{Histogram, Recorder, Step};

/// Datagrams from which on an exchange that is not QUIC has a flow.
const UDP_DATAGRAMS: u64 = 100;
/// The most exchanges that are followed; others are counted.
const EXCHANGES_MAX: usize = 1 << 15;
/// The part of the handshake's RTT from which on a time between two turns of the spin bit is a sample: reordered
/// packets turn it back.
const SPIN_PART: f64 = 0.8;

/// The exchanges of datagrams between two ports.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    live: BTreeMap<(SocketAddr, SocketAddr), Exchange>,
    /// Datagrams of exchanges that were not followed.
    pub(crate) not_followed: u64,
}

#[derive(Debug)]
struct Exchange {
    is_quic: bool,
    /// The host of the first long header.
    client: Option<SocketAddr>,
    /// When the client's first packet was seen, the server's answer, and the client's next packet, ns.
    opened_at: [Option<i64>; 3],
    sides: [Side; 2],
}

/// What one end sends.
#[derive(Debug)]
struct Side {
    end: SocketAddr,
    flow: Option<u32>,
    first_at: i64,
    last_at: i64,
    datagrams: u64,
    ip_bytes: u64,
    sent_before: u64,
    marks: u64,
    spin: Option<bool>,
    turned_at: Option<i64>,
    rtt_ms: Option<f64>,
    rtts: Histogram,
    step: Step,
}

/// What the first byte of a QUIC packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    Long,
    Short { spin: bool },
    Other,
}

impl Header {
    fn of(data: &[u8]) -> Self {
        match data {
            // the fixed bit, and a version: those of RFC 9000 and 9369, of drafts, and 0 for negotiation
            [first, a, b, c, d, ..] if first & 0x80 != 0 => match u32::from_be_bytes([*a, *b, *c, *d]) {
                0 | 1 | 0x6b33_43cf | 0xff00_0000..=0xff00_00ff => Header::Long,
                _ => Header::Other,
            },
            [first, ..] if first & 0xc0 == 0x40 => Header::Short { spin: first & 0x20 != 0 },
            _ => Header::Other,
        }
    }
}

impl Exchanges {
    /// Takes the next datagram.
    pub(crate) fn take(&mut self, packet: &Packet<'_>, udp: &Udp<'_>, recorder: &mut Recorder) -> Read<()> {
        let ends = (packet.from.min(packet.to), packet.from.max(packet.to));
        if self.live.len() >= EXCHANGES_MAX && !self.live.contains_key(&ends) {
            self.not_followed += 1;
            return Ok(());
        }
        let exchange = self.live.entry(ends).or_insert_with(|| Exchange::new(packet));
        exchange.take(packet, udp, recorder)
    }

    /// Ends all exchanges. Returns how many datagrams belonged to none that has a flow.
    pub(crate) fn finish(self, recorder: &mut Recorder) -> Read<u64> {
        let mut without_flow = self.not_followed;
        for exchange in self.live.into_values() {
            without_flow += exchange.end(recorder)?;
        }
        Ok(without_flow)
    }
}

impl Exchange {
    fn new(packet: &Packet<'_>) -> Self {
        let sides = [packet.from, packet.to].map(|end| Side::new(end, packet.at));
        Exchange { is_quic: false, client: None, opened_at: [None; 3], sides }
    }

    fn take(&mut self, packet: &Packet<'_>, udp: &Udp<'_>, recorder: &mut Recorder) -> Read<()> {
        let from = usize::from(packet.from != self.sides[0].end);
        let header = Header::of(udp.data);
        if header == Header::Long {
            self.is_quic = true;
        }
        if self.is_quic {
            self.open(packet);
        }
        let handshake_ms = self.halves().map(|[server, client]| (server + client) as f64 / 1e6);
        let is_quic = self.is_quic;
        let side = &mut self.sides[from];
        side.send(packet, is_quic, recorder)?;
        match header {
            Header::Short { spin } if is_quic => side.spin(packet.at, spin, handshake_ms, recorder),
            _ => Ok(()),
        }
    }

    /// Notes the times of the handshake.
    fn open(&mut self, packet: &Packet<'_>) {
        let client = *self.client.get_or_insert(packet.from);
        let [first, answer, next] = &mut self.opened_at;
        match (packet.from == client, first.is_some(), answer.is_some()) {
            // the last one before the answer: it may have been retransmitted
            (true, _, false) => *first = Some(packet.at),
            (false, true, false) => *answer = Some(packet.at),
            (true, _, true) => *next = next.or(Some(packet.at)),
            _ => {}
        }
    }

    /// The halves of the handshake's RTT: from the capture to the server and back, and to the client and back, ns.
    fn halves(&self) -> Option<[i64; 2]> {
        let [first, answer, next] = self.opened_at;
        Some([answer? - first?, next? - answer?])
    }

    fn end(mut self, recorder: &mut Recorder) -> Read<u64> {
        let halves = self.halves();
        let mut without_flow = 0;
        for from in 0..2 {
            let Some(id) = self.sides[from].flow else {
                without_flow += self.sides[from].datagrams;
                continue;
            };
            let step = recorder.step_ns();
            self.sides[from].row(id, self.sides[from].last_at, step, recorder)?;
            let upstream = halves.map(|halves| halves[usize::from(self.client == Some(self.sides[from].end))]);
            let flow = self.sides[from].flow(id, self.sides[1 - from].end, self.is_quic, upstream, halves, recorder);
            recorder.flows.push(flow);
        }
        Ok(without_flow)
    }
}

impl Side {
    fn new(end: SocketAddr, at: i64) -> Self {
        Side {
            end,
            flow: None,
            first_at: at,
            last_at: at,
            datagrams: 0,
            ip_bytes: 0,
            sent_before: 0,
            marks: 0,
            spin: None,
            turned_at: None,
            rtt_ms: None,
            rtts: Histogram::default(),
            step: Step::default(),
        }
    }

    fn send(&mut self, packet: &Packet<'_>, is_quic: bool, recorder: &mut Recorder) -> Read<()> {
        let at = packet.at;
        if self.datagrams == 0 {
            self.first_at = at;
        }
        self.datagrams += 1;
        self.last_at = at;
        if self.flow.is_none() && (is_quic || self.datagrams >= UDP_DATAGRAMS) {
            self.flow = recorder.new_flow();
        }
        if let Some(flow) = self.flow {
            let origin = recorder.origin().unwrap_or(at);
            if let Some(ended) = self.step.reach(at, origin, recorder.step_ns()) {
                self.row(flow, ended.at, recorder.step_ns(), recorder)?;
                if let Some(until) = ended.idle_until {
                    self.row(flow, until, until - ended.at, recorder)?;
                }
            }
            if packet.ecn == 3 {
                recorder.of_flow(at, IncidentKind::Mark, flow, self.datagrams as i64)?;
            }
        }
        self.marks += u64::from(packet.ecn == 3);
        self.ip_bytes += u64::from(packet.ip_bytes);
        Ok(())
    }

    /// Takes the spin bit, which turns once a round trip (RFC 9000, 17.4), unless the hosts do without.
    fn spin(&mut self, at: i64, spin: bool, handshake_ms: Option<f64>, recorder: &mut Recorder) -> Read<()> {
        if self.spin.replace(spin).is_none_or(|before| before == spin) {
            return Ok(());
        }
        let Some(turned_at) = self.turned_at.replace(at) else { return Ok(()) };
        let rtt_ms = (at - turned_at) as f64 / 1e6;
        if handshake_ms.is_none_or(|handshake| rtt_ms < SPIN_PART * handshake) {
            return Ok(());
        }
        self.rtt_ms = Some(rtt_ms);
        self.rtts.add(rtt_ms);
        let Some(flow) = self.flow else { return Ok(()) };
        let (time_s, half, sequence) = (recorder.seconds(at), Half::Whole, self.datagrams);
        recorder.rtt(RttSample { time_s, flow, rtt_ms, half, sequence })
    }

    fn row(&mut self, flow: u32, at: i64, length: i64, recorder: &mut Recorder) -> Read<()> {
        let sent_mbps = (self.ip_bytes - self.sent_before) as f64 * 8e3 / length.max(1) as f64;
        self.sent_before = self.ip_bytes;
        recorder.sample(FlowSample {
            time_s: recorder.origin().map_or(0.0, |origin| (at - origin) as f64 / 1e9),
            flow,
            rtt_ms: self.rtt_ms,
            base_rtt_ms: self.rtts.least(),
            sent_mbps: Some(sent_mbps),
            marks: Some(self.marks),
            ..FlowSample::default()
        })
    }

    fn flow(
        &self,
        id: u32,
        other: SocketAddr,
        is_quic: bool,
        upstream: Option<i64>,
        halves: Option<[i64; 2]>,
        recorder: &mut Recorder,
    ) -> Flow {
        let active_s = (self.last_at - self.first_at) as f64 / 1e9;
        let shaken_ms = halves.map(|[server, client]| (server + client) as f64 / 1e6);
        Flow {
            id,
            connection: format!("{} -> {other}", self.end),
            transport: if is_quic { "quic" } else { "udp" },
            start_s: recorder.seconds(self.first_at),
            end_s: recorder.seconds(self.last_at),
            sent_mbps: (active_s > 0.0).then(|| self.ip_bytes as f64 * 8e-6 / active_s),
            segments_sent: Some(self.datagrams),
            marks: Some(self.marks),
            mean_rtt_ms: self.rtts.mean(),
            base_rtt_ms: self.rtts.least().or(shaken_ms),
            p50_rtt_ms: self.rtts.percentile(0.5),
            p95_rtt_ms: self.rtts.percentile(0.95),
            upstream_rtt_ms: upstream.map(|ns| ns as f64 / 1e6),
            ..Flow::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes() {
        let cases: [(&[u8], Header); 6] = [
            (&[0xc3, 0, 0, 0, 1, 8], Header::Long),
            (&[0xd0, 0x6b, 0x33, 0x43, 0xcf, 8], Header::Long),
            (&[0x80, 0x21, 0x12, 0xa4, 0x42], Header::Other),
            (&[0x60, 1], Header::Short { spin: true }),
            (&[0x41], Header::Short { spin: false }),
            (&[], Header::Other),
        ];
        for (data, header) in cases {
            assert_eq!(Header::of(data), header, "{data:?}");
        }
    }
}
