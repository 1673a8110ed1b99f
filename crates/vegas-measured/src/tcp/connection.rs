//! A connection, packet by packet.

use super::handshake::{Ecn, Handshake};
use super::sender::log::Log;
use super::sender::{Ack, Data};
use super::side::Side;
use super::stamps::{self, Stamps};
use crate::capture::packet::{Packet, Tcp};
use crate::error::Read;
use crate::tables::Recorder;
use crate::tables::rows::IncidentKind;

/// A TCP connection.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// The hosts; the first one sent the first packet that was seen.
    pub(crate) sides: [Side; 2],
    pub(crate) handshake: Handshake,
    /// Which of the hosts is the client: the one with a SYN that acknowledges nothing.
    client: usize,
    stamps: [Stamps; 2],
    /// The counter of marks that the newest acknowledgement had (RFC 9768).
    counters: [Option<u8>; 2],
    is_reset: bool,
    /// Segments with options that were cut.
    pub(crate) cut_options: u64,
    /// Steps of the capture's clock: when, and how far, ns.
    pub(crate) clock_steps: Vec<(i64, i64)>,
}

impl Connection {
    pub(crate) fn new(packet: &Packet<'_>) -> Self {
        Connection {
            sides: [packet.from, packet.to].map(Side::new),
            handshake: Handshake::default(),
            client: 0,
            stamps: Default::default(),
            counters: [None; 2],
            is_reset: false,
            cut_options: 0,
            clock_steps: Vec::new(),
        }
    }

    /// Keeps every departure and acknowledgement from now on.
    pub(crate) fn log(&mut self) {
        self.sides.iter_mut().for_each(|side| side.sender.log = Some(Log::default()));
    }

    pub(crate) fn side_of(&self, packet: &Packet<'_>) -> usize {
        usize::from(packet.from != self.sides[0].end)
    }

    /// Whether a SYN begins another connection between the same ports.
    pub(crate) fn is_over_by(&self, tcp: &Tcp) -> bool {
        let is_first = tcp.flags.syn && !tcp.flags.ack;
        is_first && self.handshake.client.map_or(self.has_data(), |syn| syn.sequence != tcp.sequence)
    }

    fn has_data(&self) -> bool {
        self.sides.iter().any(|side| side.sender.has_sent())
    }

    /// Whether nothing more is expected.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_reset || self.sides.iter().all(|side| side.sender.is_finished())
    }

    pub(crate) fn last_at(&self) -> i64 {
        self.sides[0].last_at()
    }

    /// How many segments are remembered.
    pub(crate) fn remembered(&self) -> usize {
        self.sides.iter().map(|side| side.sender.remembered()).sum()
    }

    pub(crate) fn is_client(&self, side: usize) -> bool {
        self.client == side
    }

    /// Takes the next packet.
    pub(crate) fn take(&mut self, packet: &Packet<'_>, tcp: &Tcp, recorder: &mut Recorder) -> Read<()> {
        let (from, at) = (self.side_of(packet), packet.at);
        self.cut_options += u64::from(tcp.options.cut);
        self.is_reset |= tcp.flags.rst;
        for side in 0..2 {
            self.sides[side].reach(at, recorder)?;
        }
        self.shake_hands(at, from, tcp);
        self.watch_clock(at, from, tcp, recorder)?;
        if tcp.flags.ack && !tcp.flags.rst {
            self.acknowledge(packet, from, tcp, recorder)?;
        }
        let length = i64::from(tcp.payload);
        if tcp.flags.fin {
            let fin = self.sides[from].place(tcp.sequence) + length;
            self.sides[from].sender.finishes(fin);
        }
        if length > 0 && !tcp.flags.rst {
            self.send(packet, from, tcp, recorder)?;
        }
        Ok(())
    }

    fn shake_hands(&mut self, at: i64, from: usize, tcp: &Tcp) {
        let to = 1 - from;
        if tcp.flags.syn {
            self.client = if tcp.flags.ack { to } else { from };
            self.handshake.on_syn(at, tcp);
            self.sides[from].begin(tcp.sequence.wrapping_add(1));
            if self.handshake.is_whole() {
                self.agree();
            }
        } else {
            if from == self.client {
                self.handshake.on_client_ack(at);
            }
            self.sides[from].begin(tcp.sequence);
        }
        if tcp.flags.ack {
            self.sides[to].begin(tcp.acknowledgement);
        }
    }

    /// Sets what both SYNs say together.
    fn agree(&mut self) {
        for side in 0..2 {
            let is_client = self.is_client(side);
            if let Some(scales) = self.handshake.scales() {
                self.sides[side].windows.scale = Some(scales[usize::from(!is_client)]);
            }
            let own = self.handshake.segment(!is_client).unwrap_or(0);
            let allowed = self.handshake.segment(is_client).unwrap_or(0);
            self.sides[side].sender.mss = own.min(allowed).max(1);
        }
    }

    fn watch_clock(&mut self, at: i64, from: usize, tcp: &Tcp, recorder: &mut Recorder) -> Read<()> {
        const STEPS_MAX: usize = 16;
        let Some((stamp, _)) = tcp.options.stamps else { return Ok(()) };
        self.stamps[from].on_stamp(at, stamp);
        let Some((at, step)) = stamps::step(&mut self.stamps) else { return Ok(()) };
        if self.clock_steps.len() < STEPS_MAX {
            self.clock_steps.push((at, step));
        }
        let flow = self.sides[0].flow.or(self.sides[1].flow).unwrap_or(0);
        recorder.of_flow(at, IncidentKind::ClockStep, flow, 0)
    }

    fn acknowledge(&mut self, packet: &Packet<'_>, from: usize, tcp: &Tcp, recorder: &mut Recorder) -> Read<()> {
        let (at, ip_bytes, to) = (packet.at, packet.ip_bytes, 1 - from);
        let window = self.sides[from].windows.take(tcp);
        if let (true, Some(flow)) = (self.sides[from].windows.has_closed(tcp), self.sides[to].flow) {
            recorder.of_flow(at, IncidentKind::ZeroWindow, flow, self.sides[to].sender.next())?;
        }
        self.count_echo(from, tcp);
        if let Some((stamp, _)) = tcp.options.stamps {
            self.sides[to].trips.halves.on_stamp(at, stamp);
        }
        let side = &mut self.sides[to];
        let mut blocks = [(0, 0); 4];
        let given = tcp.options.blocks();
        for (block, (begin, end)) in blocks.iter_mut().zip(given) {
            *block = (side.place(*begin), side.place(*end));
        }
        let edge = side.place(tcp.acknowledgement);
        let is_pure = tcp.payload == 0 && !tcp.flags.syn && !tcp.flags.fin;
        let blocks = &blocks[..given.len()];
        let news = side.sender.on_ack(&Ack { at, edge, blocks, window, is_pure, ip_bytes });
        side.note_end(at);
        let upstream = side.upstream(&self.handshake, self.client == to).unwrap_or(0);
        match news.rtt {
            Some(rtt) => self.sides[to].on_downstream(at, rtt, news.sequence, upstream, recorder),
            None => Ok(()),
        }
    }

    /// Counts echoes of marks: ECN-Echo, or with accurate ECN what its counter grew by.
    fn count_echo(&mut self, from: usize, tcp: &Tcp) {
        if tcp.flags.syn {
            return;
        }
        let side = &mut self.sides[1 - from];
        match self.handshake.ecn() {
            Some(Ecn::Accurate) => {
                let counter = u8::from(tcp.flags.ae) << 2 | u8::from(tcp.flags.cwr) << 1 | u8::from(tcp.flags.ece);
                let before = self.counters[from].replace(counter).unwrap_or(counter);
                side.marks.echoes += u64::from(counter.wrapping_sub(before) & 7);
            }
            _ => side.marks.echoes += u64::from(tcp.flags.ece),
        }
    }

    fn send(&mut self, packet: &Packet<'_>, from: usize, tcp: &Tcp, recorder: &mut Recorder) -> Read<()> {
        let (at, length) = (packet.at, i64::from(tcp.payload));
        let is_agreed = self.handshake.is_whole();
        let upstream = self.sides[from].upstream(&self.handshake, self.client == from);
        let side = &mut self.sides[from];
        if side.first_at.is_none() {
            side.first_at = Some(at);
            side.flow = recorder.new_flow();
            side.reach(at, recorder)?;
        }
        side.size(length, is_agreed);
        // data of a SYN is behind the SYN's own number
        let place = side.place(tcp.sequence.wrapping_add(u32::from(tcp.flags.syn)));
        let (ip_bytes, ip_id, stamp) = (packet.ip_bytes, packet.ip_id, tcp.options.stamps.map(|(stamp, _)| stamp));
        let is_new = place >= side.sender.next();
        let nature = side
            .sender
            .on_data(Data { at, from: place, to: place + length, ip_bytes, ip_id, stamp }, upstream.unwrap_or(0));
        let echo = tcp.options.stamps.filter(|_| is_new).map(|(_, echo)| echo);
        if let Some(sample) = echo.and_then(|echo| side.trips.halves.on_echo(at, echo)) {
            side.on_upstream(at, sample, place, recorder)?;
        }
        if tcp.flags.cwr && !tcp.flags.syn && self.handshake.ecn() != Some(Ecn::Accurate) {
            side.marks.reductions += 1;
        }
        // CE: congestion experienced (RFC 3168, section 5)
        if packet.ecn == 3 {
            side.marks.segments += 1;
            if let Some(flow) = side.flow {
                recorder.of_flow(at, IncidentKind::Mark, flow, place)?;
            }
        }
        side.record(at, place, nature, recorder)
    }

    /// Ends the connection: the last rows of its flows.
    pub(crate) fn end(mut self, recorder: &mut Recorder) -> Read<Connection> {
        for side in 0..2 {
            self.sides[side].end(recorder)?;
            if let Some(id) = self.sides[side].flow {
                let is_client = self.is_client(side);
                let flow = self.sides[side].flow(id, &self.sides[1 - side], &self.handshake, is_client, recorder);
                recorder.flows.push(flow);
            }
        }
        Ok(self)
    }
}
