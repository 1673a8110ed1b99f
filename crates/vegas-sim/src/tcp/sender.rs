//! The sending end of a flow: what an acknowledgement or a timeout means. What leaves is in [`super::sending`], how losses
//! are repaired in [`super::recovery`], what the congestion control hears in [`super::control`], and how large the window
//! is in vegas-core.
//!
//! Functions that end in `_here` are parts of their callers, on the way of nearly every acknowledgement.

use std::sync::Arc;

use vegas_core::units::{Segments, Span, Time, Window};
use vegas_core::{CongestionControl, Controller, Detection, LossKind, Phase, Recovery, RouterFeedback, Status};

use super::Outbox;
use super::control::{AckContext, Control, Detail, control};
use super::ecn::EcnSender;
use super::layout::Layout;
use super::linux::Linux;
use super::recovery::Repair;
use super::scoreboard::{Entry, Scoreboard};
use super::sending::UNLIMITED;
use super::sending::application::{Application, ENDLESS, Given};
use super::stats::SenderStats;
use crate::measure::outcome::IncidentKind;
use crate::packet::{Packet, SackBlocks};
use crate::scenario::{FlowSpec, Handshake, HostKind, HostSpec};
use crate::tcp::timers::SenderTimers;

/// The sending end of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    pub(super) flow: u32,
    pub(super) control: Control,
    /// What the control hears beyond the usual, if it asks.
    pub(super) detail: Option<Box<Detail>>,
    pub(super) rules: Rules,
    pub(super) board: Scoreboard,
    /// The next segment to send; after a timeout it goes back to the oldest that is not acknowledged.
    pub(super) next: u64,
    pub(super) given: Given,
    /// Data may leave.
    established: bool,
    pub(super) repair: Repair,
    pub(super) timers: SenderTimers,
    /// Recovery as on Linux, where the host is one.
    pub(super) linux: Option<Box<Linux>>,
    pub(super) ecn: EcnSender,
    started: bool,
    pub(crate) stats: SenderStats,
}

/// What stays as it is from the start on.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) host: Arc<HostSpec>,
    pub(super) layout: Arc<Layout>,
    pub(super) detection: Detection,
    /// Mechanism H.
    pub(super) burst: Segments,
    pub(super) receive_window: Segments,
    /// Neither a Linux host, nor ECN, nor routers that stamp, nor a control that asks for more: an acknowledgement tells
    /// what was received, and no more. What nearly every acknowledgement goes through is compiled once more for these,
    /// without what the others ask (`PLAIN`).
    is_plain: bool,
    /// The control asks whether the window is what holds it back.
    pub(super) asks_what_limits: bool,
}

impl Sender {
    /// What it holds beside itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let linux = self.linux.as_ref().map_or(0, |linux| size_of::<Linux>() + linux.rack.memory_bytes());
        let detail = self.detail.as_ref().map_or(0, |detail| detail.memory_bytes());
        let control = if let Controller::Standalone(special) = &self.control { special.memory_bytes() } else { 0 };
        let application =
            self.given.application.as_ref().map_or(0, |given| size_of::<Application>() + given.memory_bytes());
        self.board.memory_bytes() + linux + detail + control + application
    }

    /// `seed` is the run's.
    pub(crate) fn new(flow: u32, spec: &FlowSpec, seed: u64) -> Self {
        let control = control(flow, spec, seed);
        let needs = control.needs();
        let detail = Detail::new(needs);
        let layout = Arc::new(Layout::new(spec));
        let total = layout.segments().unwrap_or(ENDLESS);
        let application = Application::of_phases(&spec.application, layout.full_payload(), spec.start);
        let rules = Rules {
            detection: spec.composition.detection,
            burst: spec.composition.limits.burst.unwrap_or(UNLIMITED),
            receive_window: spec.host.receive_window,
            asks_what_limits: needs.window_limited,
            is_plain: spec.host.kind == HostKind::Bsd
                && !spec.ecn
                && !layout.asks_routers()
                && detail.is_none()
                && !needs.window_limited,
            layout,
            host: Arc::new(spec.host.clone()),
        };
        let mut board = Scoreboard::new(spec.host.dupack_threshold);
        if needs.each_loss {
            board.keep_lost();
        }
        Sender {
            flow,
            control,
            detail,
            rules,
            board,
            next: 0,
            given: Given::new(total, application),
            established: spec.host.handshake == Handshake::None,
            repair: Repair::default(),
            timers: SenderTimers::new(&spec.host),
            linux: (spec.host.kind == HostKind::Linux).then(|| Box::new(Linux::new(spec.host.sack))),
            ecn: EcnSender::new(spec.ecn),
            started: false,
            stats: SenderStats::new(),
        }
    }

    /// Keeps what never changes in one place with another flow, as far as it is the same.
    pub(crate) fn share_with(&mut self, other: &Sender) {
        if let (Some(mine), Some(algorithm)) = (self.control.algorithm_mut(), other.control.algorithm()) {
            share(mine, algorithm);
        }
        share(&mut self.rules.host, &other.rules.host);
        share(&mut self.rules.layout, &other.rules.layout);
    }

    /// Whether its control asks for one-way delays.
    pub(crate) fn measures_delays(&self) -> bool {
        self.detail.as_ref().is_some_and(|detail| detail.needs.one_way_delay)
    }

    /// How its payload is cut into segments.
    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.rules.layout
    }

    /// Before the start: the application gives segments that end at these bytes, each at its time; both ascending and
    /// of one length.
    pub(crate) fn set_writes(&mut self, times: Vec<Time>, ends: Vec<u64>) {
        self.given = Given::new(ends.len() as u64, Some(Application::Scripted(times.into())));
        Arc::make_mut(&mut self.rules.layout).set_ends(ends.into());
    }

    /// Whether the application gives segments over time, so that their end is no measure of the network.
    pub(crate) fn has_writes(&self) -> bool {
        self.given.application.is_some()
    }

    /// When the application acts next by itself.
    #[inline]
    pub(crate) fn next_write(&self) -> Option<Time> {
        let application = self.given.application.as_ref()?;
        application.next(self.given.limit).filter(|_| self.stats.completed.is_none())
    }

    /// The application gives what is due, or withdraws what has not left.
    pub(crate) fn write(&mut self, now: Time, out: &mut Outbox) {
        let Some(application) = &mut self.given.application else { return };
        let before = self.given.limit;
        let supply = application.act(now, before, self.board.max());
        self.given.limit = supply.given.min(self.given.total);
        self.given.awaited = if supply.awaits { self.given.limit } else { self.given.total };
        if !self.established {
            return;
        }
        if self.given.limit > before && self.outstanding() == 0 && self.board.max() > 0 {
            self.tell_restart(now);
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
        match self.rules.host.handshake {
            Handshake::None => self.send(now, UNLIMITED, out),
            Handshake::Full => self.send_syn(now, out),
        }
    }

    /// The application gives no more data; what was sent is still repaired.
    pub(crate) fn stop(&mut self, now: Time) {
        self.given.limit = self.given.limit.min(self.board.max());
        self.given.total = self.given.limit;
        self.given.awaited = self.given.total;
        self.given.application = None;
        self.note_completion(now);
    }

    /// The SYN's acknowledgement: data may leave. It gives no round-trip sample: its packets are short, and a base
    /// RTT from them would be below what any data segment can reach.
    pub(crate) fn on_syn_ack(&mut self, now: Time, out: &mut Outbox) {
        if self.board.max() == 0 {
            self.established = true;
            self.timers.retransmission = Time::NEVER;
            self.timers.rto.on_handshake();
            if let Some(sent) = self.linux.as_ref().and_then(|linux| linux.syn_sent) {
                self.timers.rto.sample_linux(now.since(sent), 0, 0);
                self.control.on_handshake(now, now.since(sent));
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
        let una = self.rules.layout.segment_at(ack.sequence);
        if self.rules.is_plain && una > self.board.una() {
            self.on_new_ack_here::<true>(now, una, out);
        } else {
            self.on_special_ack(now, una, ack, &SackBlocks::NONE, out);
        }
    }

    /// An acknowledgement arrives with SACK blocks, or stamps of the way there.
    #[inline(never)]
    pub(crate) fn on_ack_with(&mut self, now: Time, ack: Packet, sack: &SackBlocks, out: &mut Outbox) {
        let una = self.rules.layout.segment_at(ack.sequence);
        self.on_special_ack(now, una, ack, sack, out);
    }

    /// One that tells of more than new data in order, or might.
    #[inline(never)]
    fn on_special_ack(&mut self, now: Time, una: u64, ack: Packet, sack: &SackBlocks, out: &mut Outbox) {
        if self.rules.layout.asks_routers() {
            let feedback = RouterFeedback { forward: sack.echo.into(), backward: ack.aqt().into() };
            if let Some(detail) = &mut self.detail {
                detail.feedback = Some(feedback);
            }
        }
        if let Some(detail) = &mut self.detail {
            detail.arrived = sack.arrived;
        }
        self.note_echo(una, ack.ecn());
        if self.linux.is_some() {
            self.on_linux_ack(now, una, sack, out);
            return;
        }
        if self.hears_mark(una) && !self.repair.in_recovery() {
            self.answer_mark(now, out);
        }
        let news = self.rules.detection.recovery == Recovery::Sack && self.take_sack(now, sack);
        if una > self.board.una() {
            self.on_new_ack(now, una, out);
        } else if una == self.board.una() && self.outstanding() > 0 {
            self.tell_duplicate(now, out);
            self.on_duplicate_ack(now, news, out);
        }
    }

    /// A timer ran out, if it is due.
    pub(crate) fn on_timer(&mut self, now: Time, out: &mut Outbox) {
        if self.linux.as_ref().and_then(|linux| linux.due()).is_some_and(|due| due <= now) {
            self.on_linux_timer(now, out);
        }
        if self.timers.retransmission > now {
            return;
        }
        self.stats.timeouts += 1;
        self.timers.rto.on_timeout();
        let una = self.board.una();
        out.incidents.push((IncidentKind::Timeout, self.rules.layout.first_byte(una)));
        if self.board.max() == 0 {
            self.send_syn(now, out);
            return;
        }
        if self.rules.detection.recovery != Recovery::Sack {
            self.next = una;
        }
        let news = self.linux.is_none() || self.on_linux_timeout();
        if news {
            self.tell_loss(now, LossKind::Timeout, una, out);
        }
        self.repair.on_timeout(self.board.max());
        match self.rules.detection.recovery {
            Recovery::Sack => self.board.on_timeout(),
            Recovery::Reno | Recovery::NewReno => self.board.clear(),
        }
        self.tell_lost_segments();
        self.timers.retransmission = Time::NEVER;
        self.send(now, UNLIMITED, out);
    }

    /// When the next timer runs out; [`Time::NEVER`] for none.
    #[inline]
    pub(crate) fn timer(&self) -> Time {
        match &self.linux {
            None => self.timers.retransmission,
            Some(linux) => linux.due().map_or(self.timers.retransmission, |due| self.timers.retransmission.min(due)),
        }
    }

    /// When the retransmission timer runs out.
    pub(super) fn retransmission_due(&self) -> Option<Time> {
        (self.timers.retransmission != Time::NEVER).then_some(self.timers.retransmission)
    }

    /// Window, threshold and what else tables show of the control.
    pub(crate) fn status(&self) -> Status {
        self.control.status()
    }

    #[inline(always)]
    pub(super) fn window_and_phase(&self) -> (Window, Phase) {
        let status = self.control.status();
        (status.window, status.phase)
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
        let count = match self.rules.detection.recovery {
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
        let whole = self.rules.layout.segments().is_some_and(|segments| self.board.una() >= segments);
        self.stats.completed.filter(|_| whole)
    }

    /// Payload bytes acknowledged.
    pub(crate) fn acked_bytes(&self) -> u64 {
        self.rules.layout.first_byte(self.board.una())
    }

    pub(super) fn outstanding(&self) -> u64 {
        self.board.max() - self.board.una()
    }

    fn take_sack(&mut self, now: Time, sack: &SackBlocks) -> bool {
        if sack.count == 0 {
            return false;
        }
        let layout = &self.rules.layout;
        let blocks = sack.blocks.map(|(from, to)| (layout.segment_at(from), layout.segment_at(to)));
        match &mut self.detail {
            None => self.board.on_sack(blocks),
            Some(detail) => self
                .board
                .on_sack_with(blocks, &mut |segment, entry: Entry| detail.on_delivered(segment, now, entry.sent())),
        }
    }

    /// Takes in what is acknowledged in order.
    #[inline(always)]
    fn take_in_order<const PLAIN: bool>(&mut self, now: Time, una: u64) -> Option<Entry> {
        match &mut self.detail {
            Some(detail) if !PLAIN => {
                let seen = |segment, entry: Entry| detail.on_delivered(segment, now, entry.sent());
                let newest = self.board.on_ack_with(una, seen);
                detail.on_ack(una);
                newest
            }
            _ => self.board.on_ack(una),
        }
    }

    #[inline(never)]
    fn on_new_ack(&mut self, now: Time, una: u64, out: &mut Outbox) {
        self.on_new_ack_here::<false>(now, una, out);
    }

    /// `on_new_ack`, inlined: what nearly every acknowledgement goes through. `PLAIN` if the sender is known
    /// to be.
    #[inline(always)]
    fn on_new_ack_here<const PLAIN: bool>(&mut self, now: Time, una: u64, out: &mut Outbox) {
        let before = self.ack_context::<PLAIN>();
        let acked = Segments((una - self.board.una()) as u32);
        let newest = self.take_in_order::<PLAIN>(now, una);
        if self.next < una {
            self.next = una;
        }
        self.timers.rto.on_ack(una, now);
        let was_in_recovery = self.repair.in_recovery();
        self.repair_on_new_ack(now, acked, out);
        let rtt = newest.and_then(|entry| rtt_sample(entry, now));
        self.note_rtt(rtt);
        let in_recovery = self.repair.in_recovery();
        if !in_recovery || !PLAIN && self.detail.is_some() {
            if !PLAIN && was_in_recovery && !in_recovery {
                self.tell_recovered(now, out);
            }
            self.tell_ack::<PLAIN>(now, acked, rtt, AckContext { in_recovery, ..before }, out);
        }
        if let Some(rtt) = rtt
            && self.uses_fine_timeout()
        {
            self.timers.fine.sample(rtt);
        }
        self.recheck(now, out);
        self.note_completion(now);
        let burst = self.burst();
        self.send_here::<PLAIN>(now, burst, out);
        if !PLAIN {
            self.note_application_limit();
        }
    }

    #[inline]
    pub(super) fn note_completion(&mut self, now: Time) {
        if self.board.una() >= self.given.awaited && self.stats.completed.is_none() {
            self.on_awaited(now);
        }
    }

    #[cold]
    fn on_awaited(&mut self, now: Time) {
        if self.board.una() < self.given.total {
            self.given.awaited = self.given.total;
            if let Some(application) = &mut self.given.application {
                application.on_delivered(now);
            }
        } else {
            self.stats.completed = Some(now);
            self.timers.retransmission = Time::NEVER;
            self.timers.pacer.cancel();
            if let Some(linux) = &mut self.linux {
                linux.probe.cancel();
                linux.rack.cancel();
            }
        }
    }

    /// RFC 6298, section 5.3: new data was acknowledged.
    pub(super) fn restart_timer(&mut self, now: Time) {
        self.timers.retransmission = if self.outstanding() > 0 { now + self.timers.rto.timeout() } else { Time::NEVER };
    }
}

fn share<T: PartialEq>(mine: &mut Arc<T>, other: &Arc<T>) {
    if **mine == **other {
        *mine = Arc::clone(other);
    }
}

/// A segment that was sent once gives a sample (Karn's rule).
pub(super) fn rtt_sample(entry: Entry, now: Time) -> Option<Span> {
    (!entry.is_repeated()).then(|| now.since(entry.sent()))
}
