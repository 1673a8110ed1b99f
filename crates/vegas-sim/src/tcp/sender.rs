//! The sending end of a flow: what an acknowledgement or a timeout means. What leaves is in [`super::sending`], how losses
//! are repaired in [`super::recovery`], and how large the window is in vegas-core.
//!
//! Functions that end in `_here` are parts of their callers, on the way of nearly every acknowledgement.

use std::sync::Arc;

use vegas_core::units::{Segments, SendIndex, Span, Time};
use vegas_core::{Ack, Algorithm, Detection, Loss, LossKind, Recovery, RouterFeedback, State};

use super::Outbox;
use super::ecn::EcnSender;
use super::fine_timeout::FineTimeout;
use super::layout::Layout;
use super::linux::Linux;
use super::pacer::Pacer;
use super::recovery::Repair;
use super::rto::Rto;
use super::scoreboard::{Entry, Scoreboard};
use super::sending::UNLIMITED;
use super::stats::SenderStats;
use crate::outcome::IncidentKind;
use crate::packet::{Packet, SackBlocks};
use crate::scenario::{FlowSpec, Handshake, HostKind, HostSpec};

/// The sending end of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    pub(super) flow: u32,
    pub(super) algorithm: Arc<Algorithm>,
    pub(super) state: State,
    pub(super) host: Arc<HostSpec>,
    pub(super) detection: Detection,
    /// Mechanism H.
    pub(super) burst: Segments,
    pub(super) receive_window: Segments,
    /// Neither a Linux host, nor ECN, nor routers that stamp: an acknowledgement tells what was received, and no more. What
    /// nearly every acknowledgement goes through is compiled once more for these, without what the others ask (`PLAIN`).
    is_plain: bool,
    /// The algorithm asks whether the window is what holds it back.
    asks_what_limits: bool,
    pub(super) layout: Arc<Layout>,
    pub(super) board: Scoreboard,
    /// The next segment to send; after a timeout it goes back to the oldest that is not acknowledged.
    pub(super) next: u64,
    /// Segments the application has given.
    pub(super) limit: u64,
    /// Segments it will have given in the end.
    total: u64,
    /// When it gives each segment, if not all at the start.
    write_times: Box<[Time]>,
    /// Data may leave.
    established: bool,
    pub(super) repair: Repair,
    pub(super) rto: Rto,
    pub(super) fine: FineTimeout,
    /// Recovery as on Linux, where the host is one.
    pub(super) linux: Option<Box<Linux>>,
    pub(super) ecn: EcnSender,
    pub(super) pacer: Pacer,
    /// What the routers stamped on the newest data packet acknowledged and on its acknowledgement.
    feedback: Option<Box<RouterFeedback>>,
    /// When the retransmission timer runs out; [`Time::NEVER`] while nothing is outstanding.
    pub(super) timer: Time,
    started: bool,
    pub(crate) stats: SenderStats,
}

impl Sender {
    pub(crate) fn new(flow: u32, spec: &FlowSpec) -> Self {
        let algorithm = Algorithm::new(spec.composition, spec.parameters).expect("validation checked the parts");
        let layout = Arc::new(Layout::new(spec));
        let total = layout.segments().unwrap_or(u64::MAX);
        Sender {
            flow,
            state: algorithm.start(),
            algorithm: Arc::new(algorithm),
            detection: spec.composition.detection,
            burst: spec.composition.limits.burst.unwrap_or(UNLIMITED),
            receive_window: spec.host.receive_window,
            asks_what_limits: spec.composition.avoidance.asks_what_limits(),
            is_plain: spec.host.kind == HostKind::Bsd && !spec.ecn && !layout.asks_routers(),
            layout,
            board: Scoreboard::new(spec.host.dupack_threshold),
            next: 0,
            limit: total,
            total,
            write_times: Box::default(),
            established: spec.host.handshake == Handshake::None,
            repair: Repair::default(),
            rto: Rto::new(&spec.host),
            fine: FineTimeout::default(),
            linux: (spec.host.kind == HostKind::Linux).then(|| Box::new(Linux::new())),
            ecn: EcnSender::new(spec.ecn),
            host: Arc::new(spec.host.clone()),
            pacer: Pacer::default(),
            feedback: None,
            timer: Time::NEVER,
            started: false,
            stats: SenderStats::new(),
        }
    }

    /// Keeps what never changes in one place with another flow, as far as it is the same.
    pub(crate) fn share_with(&mut self, other: &Sender) {
        share(&mut self.algorithm, &other.algorithm);
        share(&mut self.host, &other.host);
        share(&mut self.layout, &other.layout);
    }

    /// How its payload is cut into segments.
    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Before the start: the application gives segments that end at these bytes, each at its time; both ascending and
    /// of one length.
    pub(crate) fn set_writes(&mut self, times: Vec<Time>, ends: Vec<u64>) {
        self.limit = 0;
        self.total = ends.len() as u64;
        Arc::make_mut(&mut self.layout).set_ends(ends.into());
        self.write_times = times.into();
    }

    /// Whether the application gives segments over time, so that their end is no measure of the network.
    pub(crate) fn has_writes(&self) -> bool {
        !self.write_times.is_empty()
    }

    /// When the application gives the next segment.
    pub(crate) fn next_write(&self) -> Option<Time> {
        self.write_times.get(self.limit as usize).copied()
    }

    /// The application gives what is due.
    pub(crate) fn write(&mut self, now: Time, out: &mut Outbox) {
        while self.next_write().is_some_and(|time| time <= now) {
            self.limit += 1;
        }
        if !self.established {
            return;
        }
        self.send(now, UNLIMITED, out);
        if self.linux.is_some() {
            self.arm_probe(now);
        }
    }

    /// The flow begins.
    pub(crate) fn start(&mut self, now: Time, out: &mut Outbox) {
        self.started = true;
        self.stats.begin(now);
        match self.host.handshake {
            Handshake::None => self.send(now, UNLIMITED, out),
            Handshake::Full => self.send_syn(now, out),
        }
    }

    /// The application gives no more data; what was sent is still repaired.
    pub(crate) fn stop(&mut self, now: Time) {
        self.limit = self.limit.min(self.board.max());
        self.total = self.limit;
        self.note_completion(now);
    }

    /// The SYN's acknowledgement: data may leave. It gives no round-trip sample: its packets are short, and a base
    /// RTT from them would be below what any data segment can reach.
    pub(crate) fn on_syn_ack(&mut self, now: Time, out: &mut Outbox) {
        if self.board.max() == 0 {
            self.established = true;
            self.timer = Time::NEVER;
            self.rto.on_handshake();
            if let Some(sent) = self.linux.as_ref().and_then(|linux| linux.syn_sent) {
                self.rto.sample_linux(now.since(sent), 0, 0);
            }
            self.send(now, UNLIMITED, out);
            if self.linux.is_some() {
                self.arm_probe(now);
            }
        }
    }

    /// An acknowledgement arrives, without SACK blocks or stamps: everything before its sequence number was received.
    #[inline(always)]
    pub(crate) fn on_ack(&mut self, now: Time, ack: Packet, out: &mut Outbox) {
        let una = self.layout.segment_after(self.board.una(), ack.sequence);
        if self.is_plain && una > self.board.una() {
            self.on_new_ack_here::<true>(now, una, out);
        } else {
            self.on_special_ack(now, una, ack, &SackBlocks::NONE, out);
        }
    }

    /// The same with SACK blocks, or stamps of the way there.
    #[inline(never)]
    pub(crate) fn on_ack_with(&mut self, now: Time, ack: Packet, sack: &SackBlocks, out: &mut Outbox) {
        let una = self.layout.segment_after(self.board.una(), ack.sequence);
        self.on_special_ack(now, una, ack, sack, out);
    }

    /// One that tells of more than new data in order, or might.
    #[inline(never)]
    fn on_special_ack(&mut self, now: Time, una: u64, ack: Packet, sack: &SackBlocks, out: &mut Outbox) {
        if self.layout.asks_routers() {
            let feedback = RouterFeedback { forward: sack.echo.into(), backward: ack.aqt().into() };
            **self.feedback.get_or_insert_with(|| Box::new(feedback)) = feedback;
        }
        self.note_echo(una, ack.ecn());
        if self.linux.is_some() {
            self.on_linux_ack(now, una, sack, out);
            return;
        }
        if self.hears_mark(una) && !self.repair.in_recovery() {
            self.answer_mark(now, out);
        }
        let news = self.detection.recovery == Recovery::Sack && self.take_sack(sack);
        if una > self.board.una() {
            self.on_new_ack(now, una, out);
        } else if una == self.board.una() && self.outstanding() > 0 {
            self.on_duplicate_ack(now, news, out);
        }
    }

    /// A timer ran out, if it is due.
    pub(crate) fn on_timer(&mut self, now: Time, out: &mut Outbox) {
        if self.linux.as_ref().and_then(|linux| linux.due()).is_some_and(|due| due <= now) {
            self.on_linux_timer(now, out);
        }
        if self.timer > now {
            return;
        }
        self.stats.timeouts += 1;
        self.rto.on_timeout();
        if self.board.max() == 0 {
            self.send_syn(now, out);
            return;
        }
        let una = self.board.una();
        out.incidents.push((IncidentKind::Timeout, self.layout.first_byte(una)));
        if self.detection.recovery != Recovery::Sack {
            self.next = una;
        }
        let news = self.linux.is_none() || self.on_linux_timeout();
        if news {
            self.tell_loss(now, LossKind::Timeout, una, out);
        }
        self.repair.on_timeout(self.board.max());
        match self.detection.recovery {
            Recovery::Sack => self.board.on_timeout(),
            Recovery::Reno | Recovery::NewReno => self.board.clear(),
        }
        self.timer = Time::NEVER;
        self.send(now, UNLIMITED, out);
    }

    /// When the next timer runs out; [`Time::NEVER`] for none.
    #[inline]
    pub(crate) fn timer(&self) -> Time {
        match &self.linux {
            None => self.timer,
            Some(linux) => linux.due().map_or(self.timer, |due| self.timer.min(due)),
        }
    }

    /// When the retransmission timer runs out.
    pub(super) fn retransmission_due(&self) -> Option<Time> {
        (self.timer != Time::NEVER).then_some(self.timer)
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Whether the flow has begun and has something left to do.
    pub(crate) fn is_active(&self) -> bool {
        self.started && self.stats.completed.is_none()
    }

    pub(crate) fn in_recovery(&self) -> bool {
        self.repair.in_recovery()
    }

    /// Segments in flight: by the pipe estimate with SACK, else by sequence number.
    pub(crate) fn in_flight(&self) -> Segments {
        let count = match self.detection.recovery {
            Recovery::Sack => self.board.pipe(),
            Recovery::Reno | Recovery::NewReno => return self.unacknowledged(),
        };
        Segments(count as u32)
    }

    /// Segments sent and not acknowledged, whatever SACK says of them: what the algorithm's rounds count, so that a
    /// round's window and the segments sent in it are counts of one kind.
    pub(super) fn unacknowledged(&self) -> Segments {
        Segments(self.next.saturating_sub(self.board.una()) as u32)
    }

    /// When the last byte of a sized transfer was acknowledged; none for a flow that was stopped before.
    pub(crate) fn transferred(&self) -> Option<Time> {
        let whole = self.layout.segments().is_some_and(|segments| self.board.una() >= segments);
        self.stats.completed.filter(|_| whole)
    }

    /// Payload bytes acknowledged.
    pub(crate) fn acked_bytes(&self) -> u64 {
        self.layout.first_byte(self.board.una())
    }

    pub(super) fn outstanding(&self) -> u64 {
        self.board.max() - self.board.una()
    }

    fn take_sack(&mut self, sack: &SackBlocks) -> bool {
        if sack.count == 0 {
            return false;
        }
        let layout = &self.layout;
        let blocks = sack.blocks.map(|(from, to)| (layout.segment_at(from), layout.segment_at(to)));
        self.board.on_sack(blocks)
    }

    pub(super) fn ack_context(&self) -> AckContext {
        AckContext {
            in_flight: self.unacknowledged(),
            next: SendIndex(self.next),
            window_limited: self.asks_what_limits && self.is_window_limited(),
        }
    }

    #[inline(never)]
    fn on_new_ack(&mut self, now: Time, una: u64, out: &mut Outbox) {
        self.on_new_ack_here::<false>(now, una, out);
    }

    /// The same as a part of the caller: what nearly every acknowledgement goes through. `PLAIN` if the sender is known to be.
    #[inline(always)]
    fn on_new_ack_here<const PLAIN: bool>(&mut self, now: Time, una: u64, out: &mut Outbox) {
        let before = self.ack_context();
        let acked = Segments((una - self.board.una()) as u32);
        let newest = self.board.on_ack(una);
        if self.next < una {
            self.next = una;
        }
        self.rto.on_ack(una, now);
        self.repair_on_new_ack(now, acked, out);
        let rtt = newest.and_then(|entry| rtt_sample(entry, now));
        self.note_rtt(rtt);
        if !self.repair.in_recovery() {
            self.tell_ack::<PLAIN>(now, acked, rtt, before, out);
        }
        if let Some(rtt) = rtt
            && self.uses_fine_timeout()
        {
            self.fine.sample(rtt);
        }
        self.recheck(now, out);
        self.note_completion(now);
        let burst = self.burst();
        self.send_here::<PLAIN>(now, burst, out);
    }

    #[inline(always)]
    pub(super) fn tell_ack<const PLAIN: bool>(
        &mut self,
        now: Time,
        acked: Segments,
        rtt: Option<Span>,
        before: AckContext,
        out: &mut Outbox,
    ) {
        let ack = Ack {
            now,
            rtt,
            acked,
            in_flight: before.in_flight,
            newest: SendIndex(self.board.una() - 1),
            next: before.next,
            window_limited: before.window_limited,
            ce_marked: if !PLAIN && self.ecn.echoed() { acked.0 } else { 0 },
            feedback: if PLAIN { None } else { self.feedback.as_deref().copied() },
        };
        let before = (self.state.window(), self.state.phase());
        self.algorithm.on_ack(&mut self.state, &ack);
        self.note_change(now, before, out);
    }

    /// Reports the loss of `segment` to the algorithm; whether it cut the window.
    pub(super) fn tell_loss(&mut self, now: Time, kind: LossKind, segment: u64, out: &mut Outbox) -> bool {
        let entry = self.board.entry(segment);
        let loss = Loss {
            now,
            kind,
            sent: entry.map_or(Time::ZERO, Entry::sent),
            retransmission: entry.is_some_and(Entry::is_repeated),
            in_flight: self.unacknowledged(),
            next: SendIndex(self.next),
        };
        self.tell(&loss, out)
    }

    /// Reports a loss to the algorithm; whether it cut the window.
    pub(super) fn tell(&mut self, loss: &Loss, out: &mut Outbox) -> bool {
        let before = (self.state.window(), self.state.phase());
        self.algorithm.on_loss(&mut self.state, loss);
        self.note_change(loss.now, before, out);
        let reduced = self.state.window() != before.0;
        if reduced {
            self.ecn.on_reduction(self.board.max());
        }
        reduced
    }

    /// Takes back what the algorithm was told since it was in this state.
    pub(super) fn restore(&mut self, now: Time, saved: State, out: &mut Outbox) {
        let before = (self.state.window(), self.state.phase());
        self.state = saved;
        self.note_change(now, before, out);
    }

    #[inline]
    pub(super) fn note_completion(&mut self, now: Time) {
        if self.board.una() >= self.total && self.stats.completed.is_none() {
            self.stats.completed = Some(now);
            self.timer = Time::NEVER;
            self.pacer.cancel();
            if let Some(linux) = &mut self.linux {
                linux.probe.cancel();
                linux.rack.cancel();
            }
        }
    }

    /// RFC 6298, section 5.3: new data was acknowledged.
    pub(super) fn restart_timer(&mut self, now: Time) {
        self.timer = if self.outstanding() > 0 { now + self.rto.timeout() } else { Time::NEVER };
    }
}

fn share<T: PartialEq>(mine: &mut Arc<T>, other: &Arc<T>) {
    if **mine == **other {
        *mine = Arc::clone(other);
    }
}

/// What an acknowledgement found before it was counted.
#[derive(Clone, Copy)]
pub(super) struct AckContext {
    in_flight: Segments,
    next: SendIndex,
    window_limited: bool,
}

/// A segment that was sent once gives a sample (Karn's rule).
pub(super) fn rtt_sample(entry: Entry, now: Time) -> Option<Span> {
    (!entry.is_repeated()).then(|| now.since(entry.sent()))
}
