//! A connection: both ends, and the packets that pass between them and the engine.

use std::sync::Arc;

use vegas_core::aqt::{Aqt, Stamps};
use vegas_core::ticks::Clock;
use vegas_core::units::Time;

use super::external::Connection;
use super::misbehaving::Misbehaving;
use crate::measure::outcome::{CapturePoint, CapturedPacket, CapturedStamps, MediaFrame, TcpFlags};
use crate::measure::sampling::{SamplingInstants, Snapshots};
use crate::measure::totals::{FlowCounts, FlowTotals};
use crate::packet::{Ecn, Packet, PacketKind, SackBlocks, SackPool, Tick};
use crate::scenario::{DelayedAck, EcnVersion, FlowSpec, HostKind, ReceiveWindow};
use crate::tcp::{AckTiming, Acks, GrowingWindow, Layout, LinuxAcks, Merged, Receiver, Sender};

/// A connection: both ends, and the state that the engine keeps for them.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    /// The bytes that the receiver had received at sampling instants to come, if it answers ahead of time.
    pub(crate) received: Snapshots<u64>,
    /// Both ends of an external transport; sender and receiver then stay idle.
    pub(crate) external: Option<Box<dyn Connection>>,
    /// When the event of the sender's timers is pending; [`Time::NEVER`] while none is.
    pub(crate) timer_event: Time,
    pub(crate) layout: Arc<Layout>,
    pub(crate) ecn: EcnVersions,
    /// The state of a receiver that breaks a rule.
    pub(crate) misbehaving: Option<Box<Misbehaving>>,
    /// Whether the flow uses ECN or time stamps, asks routers for their stamps, measures one-way delays, has a receiver
    /// that misbehaves, or sends media.
    pub(crate) is_special: bool,
    pub(crate) echo: Echo,
    /// When the newest data packet arrived, if the sender measures one-way delays; else [`Time::ZERO`].
    pub(crate) arrived: Time,
    pub(crate) start: Time,
    /// [`Time::NEVER`] for a flow without an end.
    pub(crate) stop: Time,
    /// The source of traffic that opened the connection; `None` for a flow of the scenario, and after the connection is
    /// over.
    pub(crate) source: Option<u32>,
    /// The packets in flight of a source's connection. The connection is over when it is complete and these are gone,
    /// so that no packet of an earlier connection meets a later one in its place.
    pub(crate) on_their_way: u32,
}

/// What the receiver echoes of RoVegas's option.
#[derive(Debug)]
pub(crate) struct Echo {
    /// The stamp of the newest data packet that had the option.
    stamp: Aqt,
    /// Whether that packet has not been acknowledged.
    is_owed: bool,
}

/// The versions of ECN of a connection.
#[derive(Debug)]
pub(crate) struct EcnVersions {
    /// What the sender asks for.
    asked: EcnVersion,
    /// What the ends agree on where the SYN's flags arrive.
    agreed: EcnVersion,
    /// What the receiver has agreed on.
    taken: EcnVersion,
}

impl EcnVersions {
    fn of(spec: &FlowSpec) -> Self {
        EcnVersions { asked: spec.asked_ecn(), agreed: spec.agreed_ecn(), taken: spec.agreed_ecn() }
    }
}

/// The greatest size of a connection without its segments in flight, bytes.
const _: () = assert!(size_of::<Flow>() <= 1008);

/// Returns the receiver of a flow. Its application `reads_as_data_come`, or at intervals that are its own.
pub(super) fn receiver(spec: &FlowSpec, sends_sack: bool, reads_as_data_come: bool) -> Receiver {
    let acks = match spec.host.delayed_ack {
        DelayedAck::None => Acks::AtOnce,
        DelayedAck::After(delay) => Acks::Delayed(delay),
        DelayedAck::Linux => {
            let clock = Clock::new(spec.parameters.ticks_per_second);
            Acks::Linux(Box::new(LinuxAcks::new(spec.host.rto.min, clock, reads_as_data_come)))
        }
    };
    let receiver =
        Receiver::new(sends_sack, acks).reporting_duplicates(sends_sack && spec.host.kind == HostKind::Linux);
    let receiver = if spec.host.options.timestamps { receiver.echoing() } else { receiver };
    match (spec.host.receive_window, spec.host.delayed_ack) {
        (ReceiveWindow::Constant(_), DelayedAck::None | DelayedAck::After(_)) => receiver,
        (window, _) => receiver.growing(GrowingWindow::new(
            &window,
            spec.packet.get() - spec.header.get(),
            spec.host.receiving.reads_after,
        )),
    }
}

impl Flow {
    pub(crate) fn new(id: u32, spec: &FlowSpec, seed: impl FnOnce() -> u64) -> Self {
        let sends_sack = spec.composition.detection.recovery == vegas_core::Recovery::Sack && spec.host.options.sack;
        let sender = Sender::new(id, spec, seed);
        let asks_routers = sender.layout().asks_routers();
        let misbehaving = spec.host.misbehaves.map(|rule| Box::new(Misbehaving::new(rule)));
        // a receiver that conceals losses reports no holes
        let sends_sack = sends_sack && !misbehaving.as_ref().is_some_and(|receiver| receiver.is_optimistic());
        // packets with an option of IP are not merged (`inet_gro_receive`)
        let merges_for = spec.host.receiving.merges_for.filter(|_| !asks_routers);
        let reads_as_data_come = matches!(spec.host.receive_window, ReceiveWindow::Linux { .. });
        Flow {
            layout: Arc::clone(sender.layout()),
            receiver: receiver(spec, sends_sack, reads_as_data_come).merging_for(merges_for),
            received: Snapshots::new(SamplingInstants::none()),
            external: None,
            timer_event: Time::NEVER,
            ecn: EcnVersions::of(spec),
            is_special: spec.ecn
                || spec.host.options.timestamps
                || asks_routers
                || sender.measures_delays()
                || misbehaving.is_some()
                || spec.sends_media(),
            misbehaving,
            echo: Echo { stamp: Aqt::ZERO, is_owed: false },
            arrived: Time::ZERO,
            start: spec.start,
            stop: spec.stop.unwrap_or(Time::NEVER),
            source: None,
            on_their_way: 0,
            sender,
        }
    }

    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let external = self.external.as_ref().map_or(0, |connection| connection.memory_bytes());
        let misbehaving = self.misbehaving.as_ref().map_or(0, |_| size_of::<Misbehaving>());
        external
            + misbehaving
            + self.sender.memory_bytes()
            + self.receiver.memory_bytes()
            + self.received.memory_bytes()
    }

    /// Shares with another flow the settings that never change, as far as they are equal.
    pub(crate) fn share_with(&mut self, other: &Flow) {
        self.sender.share_with(&other.sender);
        self.layout = Arc::clone(self.sender.layout());
    }

    /// Takes in a data packet that arrives at `at`; returns when it is acknowledged.
    #[inline(always)]
    pub(crate) fn receive(&mut self, at: Time, packet: &Packet) -> AckTiming {
        let (from, to) = self.bytes_of(packet);
        self.receiver.count(packet.wire());
        if self.is_special {
            return self.receive_specially(at, packet, (from, to), to - from);
        }
        self.receiver.on_data(at, (from, to), to - from, packet.is_pushed())
    }

    /// Takes in segments that the interface has merged; returns when they are acknowledged.
    pub(crate) fn receive_merged(&mut self, at: Time, merged: &Merged) -> AckTiming {
        self.receive_specially(at, &merged.first, (merged.first.number(), merged.to), merged.segment)
    }

    /// Takes in a data packet, or what begins with it, of a flow that may be special: the bytes `[from, to)` of
    /// segments of `segment` bytes.
    #[inline(never)]
    fn receive_specially(&mut self, at: Time, packet: &Packet, (from, to): (u64, u64), segment: u64) -> AckTiming {
        self.note_header(at, packet, (from, to), (to - from).div_ceil(segment));
        let before = self.receiver.received();
        let timing = self.receiver.on_data(at, (from, to), segment, packet.is_pushed());
        if let Some(receiver) = &mut self.misbehaving {
            receiver.on_data(at, to, self.receiver.received() > before);
        }
        self.note_delivery(at);
        timing
    }

    /// Takes in a data packet that arrives at `at`, and returns its acknowledgement. The receiver is one that
    /// acknowledges each segment at once.
    #[inline(always)]
    pub(crate) fn answer(&mut self, at: Time, id: u32, packet: &Packet, sacks: &mut SackPool) -> Packet {
        let (from, to) = self.bytes_of(packet);
        self.note_header(at, packet, (from, to), 1);
        self.receiver.count(packet.wire());
        self.receiver.take_in(at, from, to, to - from);
        if self.is_special {
            self.note_delivery(at);
        }
        self.make_ack(at, self.receiver.next_expected(), id, sacks)
    }

    /// The bytes `[from, to)` of a data packet.
    #[inline(always)]
    fn bytes_of(&self, packet: &Packet) -> (u64, u64) {
        let from = packet.number();
        (from, from + self.layout.payload_of(packet))
    }

    /// Notes what a data packet says beside its data, the bytes `[from, to)`, or the first of `segments` that were
    /// merged, as all of them have equal marks and time stamps.
    #[inline(always)]
    fn note_header(&mut self, at: Time, packet: &Packet, (from, to): (u64, u64), segments: u64) {
        if self.is_special {
            if !packet.lacks_option() {
                self.echo = Echo { stamp: packet.aqt(), is_owed: true };
            }
            self.receiver.note_time_stamps(at, (from, to), packet.time_stamps(at));
            if self.sender.measures_delays() {
                self.arrived = at;
            }
            if self.ecn.taken != EcnVersion::None {
                let reported = self.misbehaving.as_ref().map(|receiver| receiver.reported(packet.ecn()));
                self.receiver.note_ecn(to, reported.unwrap_or(packet.ecn()), segments);
            }
        }
    }

    fn note_delivery(&mut self, at: Time) {
        if let Some(media) = self.sender.media_mut() {
            media.note_delivery(at, self.receiver.next_expected());
        }
    }

    /// Returns the frames of media that flow `id` has made by `now`.
    pub(crate) fn media(&self, id: u32, now: Time) -> Vec<MediaFrame> {
        match &self.external {
            Some(connection) => connection.media(id, now),
            None => self.sender.media(id, now),
        }
    }

    /// Returns the numbers that a receiver which breaks a rule acknowledges when an acknowledgement is due; `None` for
    /// a receiver that keeps the rules.
    #[inline(always)]
    pub(crate) fn wrong_numbers(&mut self) -> Option<Vec<u64>> {
        let receiver = self.misbehaving.as_mut()?;
        Some(receiver.numbers(self.receiver.next_expected(), self.layout.full_payload().get()))
    }

    /// Creates the acknowledgement that is due, with this number instead of its own if one is given; its SACK blocks go
    /// into the pool.
    pub(crate) fn acknowledge(&mut self, now: Time, number: Option<u64>, id: u32, sacks: &mut SackPool) -> Packet {
        self.receiver.acknowledged();
        self.make_ack(now, number.unwrap_or(self.receiver.next_expected()), id, sacks)
    }

    #[inline(always)]
    fn make_ack(&mut self, now: Time, number: u64, id: u32, sacks: &mut SackPool) -> Packet {
        let lacks_option = self.layout.is_sparse() && !std::mem::take(&mut self.echo.is_owed);
        let wire = self.layout.ack_wire(lacks_option);
        let ack = Packet::new(PacketKind::Ack, id, number, wire).offering(self.receiver.offer());
        if !self.is_special && !self.receiver.has_blocks() {
            return ack;
        }
        let time_stamps = self.receiver.time_stamps(now);
        let sack = SackBlocks {
            echo: self.echo.stamp,
            lacks_option,
            arrived: self.arrived,
            time_stamps,
            ..self.receiver.sack_blocks()
        };
        // no IPv4 packet is longer than 65535 bytes
        let wire = wire.plus(sack.wire_bytes());
        let ack = Packet::new(PacketKind::Ack, id, ack.sequence, wire).with_sack(sacks.store(sack));
        match self.ecn.taken {
            EcnVersion::None => ack,
            EcnVersion::Classic => ack.with_ecn(self.receiver.ack_ecn()),
            EcnVersion::Accurate => ack.with_ace(self.receiver.marked()),
        }
    }

    /// Creates the answer to a SYN that arrives at `at`.
    pub(crate) fn answer_syn(&mut self, at: Time, syn: &Packet) -> Packet {
        self.receiver.note_time_stamps(at, (0, 0), syn.time_stamps(at));
        self.receiver.on_syn(at);
        let answer = Packet::new(PacketKind::SynAck, syn.flow(), 0, self.layout.plain_wire);
        let asks = syn.ecn().has(Ecn::ECHO.and(Ecn::REDUCED));
        self.ecn.taken = if asks { self.ecn.agreed } else { EcnVersion::None };
        let agrees = match self.ecn.taken {
            EcnVersion::None => Ecn::NONE,
            EcnVersion::Classic => Ecn::ECHO,
            // to a SYN that was not ECN-capable (RFC 9768, table 2)
            EcnVersion::Accurate => Ecn::REDUCED,
        };
        answer.with_ecn(agrees).with_time_stamps(self.receiver.time_stamps(at))
    }

    /// Takes the snapshots of the received bytes at the sampling instants before `at`, when a packet arrives.
    #[inline]
    pub(crate) fn note_received(&mut self, at: Time) {
        if self.received.is_due(at) {
            let bytes = self.receiver.wire_bytes;
            self.received.take_before(at, |_| bytes);
        }
    }

    pub(crate) fn is_complete(&self, now: Time) -> bool {
        match &self.external {
            None => self.sender.stats.completed().is_some() && !self.lacks_data(),
            Some(_) => self.is_over(now),
        }
    }

    /// Returns whether the sender has nothing more to do, whatever the receiver has.
    pub(crate) fn is_over(&self, now: Time) -> bool {
        match &self.external {
            None => self.sender.stats.completed().is_some(),
            Some(connection) => connection.totals(now).over.is_some(),
        }
    }

    /// The payload that the receiver has. Only a receiver that acknowledges what has not arrived takes data with holes.
    pub(crate) fn delivered_bytes(&self) -> u64 {
        match &self.misbehaving {
            Some(receiver) if receiver.is_optimistic() => self.receiver.received(),
            _ => self.receiver.next_expected(),
        }
    }

    /// Returns whether data are acknowledged that the receiver does not have.
    pub(crate) fn lacks_data(&self) -> bool {
        self.misbehaving.is_some() && self.delivered_bytes() < self.sender.acked_bytes()
    }

    /// When the connection was over: the sender knows that all is acknowledged, and the newest data have arrived, which
    /// are later only if they were acknowledged before.
    fn over(&self) -> Option<Time> {
        let completed = self.sender.stats.completed()?;
        Some(self.misbehaving.as_ref().map_or(completed, |receiver| completed.max(receiver.grown)))
    }

    /// When the connection was over, if the receiver then had everything.
    pub(crate) fn completed(&self) -> Option<Time> {
        self.over().filter(|_| !self.lacks_data())
    }

    /// Returns the number of payload bytes delivered in order, and when the flow was complete; a connection that is
    /// lost is not.
    pub(crate) fn ending(&self, now: Time) -> (u64, Option<Time>) {
        match &self.external {
            None => (self.delivered_bytes(), self.completed()),
            Some(connection) => {
                let totals = connection.totals(now);
                (totals.counts.delivered_bytes, totals.over.filter(|_| !totals.lost))
            }
        }
    }

    /// Returns whether one of the flow's packets carries the option that routers stamp.
    fn has_option(&self, packet: &Packet, sack: &SackBlocks) -> bool {
        let lacks = match packet.kind() {
            PacketKind::Data => packet.lacks_option(),
            PacketKind::Ack => sack.lacks_option,
            _ => self.layout.is_sparse(),
        };
        self.layout.asks_routers() && !lacks
    }

    pub(crate) fn payload_of(&self, packet: &Packet) -> u64 {
        match packet.kind() {
            PacketKind::Data => self.layout.payload_of(packet),
            _ => 0,
        }
    }

    /// Returns the counters and measurements of the flow until `now`.
    pub(crate) fn totals(&self, now: Time) -> FlowTotals {
        if let Some(connection) = &self.external {
            return connection.totals(now);
        }
        let (sender, stats) = (&self.sender, &self.sender.stats);
        FlowTotals {
            status: sender.status(),
            active: sender.is_active(),
            in_recovery: sender.in_recovery(),
            in_flight: sender.in_flight(),
            counts: FlowCounts {
                wire_bytes: self.receiver.wire_bytes,
                delivered_bytes: self.delivered_bytes(),
                acked_bytes: sender.acked_bytes(),
                segments_sent: stats.segments_sent,
                segments_retransmitted: stats.retransmitted,
                timeouts: stats.timeouts.into(),
                ecn_reductions: stats.ecn_reductions.into(),
            },
            rtt: sender.rtt(),
            slow_start_exit: sender.slow_start_exit(),
            over: self.over(),
            lost: false,
            transferred: self.completed().filter(|_| sender.is_whole()),
            mean_window_segments: sender.mean_window(self.start, stats.completed().unwrap_or(now)),
        }
    }

    /// Returns PSH and the ECN flags of one of the flow's packets. With Accurate ECN the SYN's acknowledgement tells
    /// that this came without ECT, and the sender's count of the receiver's marked packets stays at its beginning, 5.
    fn flags(&self, packet: &Packet) -> TcpFlags {
        let flags = u8::from(packet.ecn().has(Ecn::ECHO)) | u8::from(packet.ecn().has(Ecn::REDUCED)) << 1;
        let ace = match (packet.kind(), self.ecn.taken) {
            (PacketKind::Syn, _) if flags == 3 && self.ecn.asked == EcnVersion::Accurate => 7,
            (PacketKind::HandshakeAck, EcnVersion::Accurate) => 2,
            (PacketKind::Data, EcnVersion::Accurate) => 5,
            (PacketKind::Ack, EcnVersion::Accurate) => packet.ace(),
            _ => flags,
        };
        TcpFlags { psh: packet.is_pushed(), ece: ace & 1 != 0, cwr: ace & 2 != 0, ae: ace & 4 != 0 }
    }

    /// Describes one of the flow's packets for the capture file.
    pub(crate) fn captured(
        &self,
        now: Time,
        point: CapturePoint,
        packet: &Packet,
        sack: &SackBlocks,
    ) -> CapturedPacket {
        let is_data = packet.kind() == PacketKind::Data;
        let stamps = if packet.kind() == PacketKind::Ack { sack.time_stamps } else { packet.time_stamps(now) };
        let has_stamps = stamps.value != Tick::NONE;
        CapturedPacket {
            at: now,
            flow: packet.flow(),
            point,
            sequence: if is_data { packet.number() } else { 0 },
            acknowledgement: if is_data { 0 } else { packet.number() },
            payload: self.payload_of(packet) as u32,
            wire: packet.wire(),
            sack: sack.blocks,
            sack_blocks: sack.count,
            window: if packet.kind() == PacketKind::Ack { packet.take_offer().1 } else { 0 },
            syn: matches!(packet.kind(), PacketKind::Syn | PacketKind::SynAck),
            codepoint: packet.ecn().codepoint(),
            flags: self.flags(packet),
            stamps: CapturedStamps {
                aqt: self.has_option(packet, sack).then_some(Stamps { aqt: packet.aqt(), echo: sack.echo }),
                time: has_stamps.then(|| (stamps.value.in_header(), stamps.echo.in_header())),
            },
            datagram: None,
        }
    }
}
