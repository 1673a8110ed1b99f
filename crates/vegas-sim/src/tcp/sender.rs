//! The sending end of a flow, and its reaction to acknowledgements and timeouts. [`super::sending`] chooses what
//! leaves, [`super::recovery`] repairs losses, [`super::control`] reports events to the congestion control, and
//! vegas-core sets the window.
//!
//! Nearly every acknowledgement is usual, and is handled by [`Sender::on_usual_ack`] with the functions that are inlined
//! there; functions with names that end in `_here` are inlined parts of other callers, too. The rest is not inlined, so
//! that it takes no registers there.

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
use super::sending::application::{Application, ENDLESS, Given, Replay, Supply};
use super::sending::media::Media;
use super::stats::SenderStats;
use crate::measure::outcome::{IncidentKind, MediaFrame};
use crate::packet::{Packet, SackBlocks};
use crate::scenario::{Epoch, FlowSpec, Handshake, HostKind, HostSpec};
use crate::tcp::timers::SenderTimers;

/// The sending end of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    pub(super) flow: u32,
    pub(super) control: Control,
    /// The events beyond the usual ones, if the control asks for them.
    pub(super) detail: Option<Box<Detail>>,
    pub(super) rules: Rules,
    pub(super) board: Scoreboard,
    /// The next segment to send; a timeout sets it back to the oldest unacknowledged segment.
    pub(super) next: u64,
    pub(super) given: Given,
    /// Whether data may leave.
    established: bool,
    pub(super) repair: Repair,
    pub(super) timers: SenderTimers,
    /// The state of recovery as on Linux, if the host is one.
    pub(super) linux: Option<Box<Linux>>,
    pub(super) ecn: EcnSender,
    started: bool,
    /// The newest acknowledgement number that was within a segment; 0 before the first.
    pub(super) acked_part: u64,
    pub(crate) stats: SenderStats,
}

/// The settings that stay constant from the start on.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) host: Arc<HostSpec>,
    pub(super) layout: Arc<Layout>,
    pub(super) detection: Detection,
    /// The most segments that one acknowledgement may release (mechanism H).
    pub(super) burst: Segments,
    pub(super) receive_window: Segments,
    /// Whether the sender is plain: neither a Linux host, nor ECN, nor routers that stamp, nor a control that asks for
    /// more than the usual events. An acknowledgement then reports only what was received. The code that nearly every
    /// acknowledgement passes is compiled separately for plain senders, without the other cases (`PLAIN`).
    is_plain: bool,
    /// Whether the control asks if the window is what limits the sender.
    pub(super) asks_what_limits: bool,
}

impl Sender {
    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let linux = self.linux.as_ref().map_or(0, |linux| size_of::<Linux>() + linux.rack.memory_bytes());
        let detail = self.detail.as_ref().map_or(0, |detail| detail.memory_bytes());
        let control = if let Controller::Standalone(special) = &self.control { special.memory_bytes() } else { 0 };
        let application =
            self.given.application.as_ref().map_or(0, |given| size_of::<Application>() + given.memory_bytes());
        self.board.memory_bytes() + linux + detail + control + application
    }

    /// Creates a sender; `seed` is called if the control may draw random numbers.
    pub(crate) fn new(flow: u32, spec: &FlowSpec, seed: impl FnOnce() -> u64) -> Self {
        let control = control(spec, seed);
        let needs = control.needs();
        let detail = Detail::new(needs);
        let layout = Arc::new(Layout::new(spec));
        let total = layout.segments().unwrap_or(ENDLESS);
        let application = Application::of(spec, layout.full_payload());
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
            acked_part: 0,
            stats: SenderStats::new(),
        }
    }

    /// Shares with another flow's sender the settings that never change, as far as they are equal.
    pub(crate) fn share_with(&mut self, other: &Sender) {
        if let (Some(mine), Some(algorithm)) = (self.control.algorithm_mut(), other.control.algorithm()) {
            share(mine, algorithm);
        }
        share(&mut self.rules.host, &other.rules.host);
        share(&mut self.rules.layout, &other.rules.layout);
    }

    /// Returns whether the control asks for one-way delays.
    pub(crate) fn measures_delays(&self) -> bool {
        self.detail.as_ref().is_some_and(|detail| detail.needs.one_way_delay)
    }

    /// The division of the payload into segments.
    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.rules.layout
    }

    /// Sets, before the start, the application's writes: segments that end at the bytes `ends`, each written at its
    /// time. Both are ascending and of equal length.
    pub(crate) fn set_writes(&mut self, times: Vec<Time>, ends: Vec<u64>) {
        let befores = [0].into_iter().chain(ends.iter().copied());
        Arc::make_mut(&mut self.rules.layout).set_writes(ends.iter().zip(befores).map(|(end, before)| end - before));
        self.given = Given::new(ends.len() as u64, Some(Application::Scripted(times.into())));
    }

    /// Sets, before the start at `start`, the epochs that the application writes, of which there is one at least.
    pub(crate) fn set_epochs(&mut self, start: Time, epochs: &Arc<[Epoch]>) {
        let layout = Arc::make_mut(&mut self.rules.layout);
        layout.set_writes(epochs.iter().map(|epoch| epoch.size.get()));
        let replay = Replay::new(start, layout.full_payload(), epochs);
        self.given = Given::new(layout.segments().unwrap_or(ENDLESS), Some(Application::Replay(replay)));
    }

    /// Returns how much of the time until the end of the transfer the application has waited by itself; `None` if it
    /// writes segments over time, so that the end does not measure the network.
    pub(crate) fn waited(&self) -> Option<Span> {
        match self.given.application.as_deref() {
            None => Some(Span::ZERO),
            Some(Application::Replay(replay)) => Some(replay.waited()),
            Some(Application::Scripted(_) | Application::Phased(_) | Application::Media(_)) => None,
        }
    }

    /// Returns the frames of media that the application of flow `id` has made by `now`.
    pub(crate) fn media(&self, id: u32, now: Time) -> Vec<MediaFrame> {
        let left = self.rules.layout.first_byte(self.board.max());
        match self.given.application.as_deref() {
            Some(Application::Media(media)) => media.frames(id, now, left),
            _ => Vec::new(),
        }
    }

    /// The application, if it sends media.
    pub(crate) fn media_mut(&mut self) -> Option<&mut Media> {
        match self.given.application.as_deref_mut() {
            Some(Application::Media(media)) => Some(media),
            _ => None,
        }
    }

    /// When the application next acts by itself.
    #[inline]
    pub(crate) fn next_write(&self) -> Option<Time> {
        let application = self.given.application.as_ref()?;
        application.next(self.given.limit).filter(|_| self.stats.completed().is_none())
    }

    /// Lets the application write what is due, or withdraw what has not left.
    pub(crate) fn write(&mut self, now: Time, out: &mut Outbox) {
        let Some(application) = &mut self.given.application else { return };
        let before = self.given.limit;
        let sent = self.board.max();
        let supply = match &mut **application {
            Application::Media(media) => {
                let layout = Arc::make_mut(&mut self.rules.layout);
                let waiting = media.act(now, layout.first_byte(sent));
                Supply { given: layout.rewrite_after(sent, waiting), awaits: false }
            }
            usual => usual.act(now, before, sent),
        };
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

    /// Begins the flow.
    pub(crate) fn start(&mut self, now: Time, out: &mut Outbox) {
        self.started = true;
        self.stats.begin(now);
        match self.rules.host.handshake {
            Handshake::None => self.send(now, UNLIMITED, out),
            Handshake::Full => self.send_syn(now, out),
        }
    }

    /// Ends the application's data; segments that were sent are still repaired.
    pub(crate) fn stop(&mut self, now: Time) {
        self.given.limit = self.given.limit.min(self.board.max());
        self.given.total = self.given.limit;
        self.given.awaited = self.given.total;
        let left = self.rules.layout.first_byte(self.board.max());
        match self.given.application.as_deref_mut() {
            // its frames are results
            Some(Application::Media(media)) => media.stop(left),
            _ => self.given.application = None,
        }
        self.note_completion(now);
    }

    /// Handles the SYN's acknowledgement, after which data may leave. It gives no round-trip sample: its packets are
    /// short, and a base RTT from them would be below that of any data segment.
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

    /// Handles an acknowledgement without SACK blocks, if it is usual: the sender is plain and repairs nothing, and
    /// one full segment is acknowledged, which was sent once. Else the function does nothing and returns false. What it
    /// does is what [`Sender::on_new_ack`] does in this case.
    #[inline(always)]
    pub(crate) fn on_usual_ack(&mut self, now: Time, ack: Packet, out: &mut Outbox) -> bool {
        let una = self.board.una() + 1;
        if !self.rules.is_plain || !self.repair.is_idle() || !self.rules.layout.is_full_up_to(una, ack.sequence) {
            return false;
        }
        let before = self.ack_context::<true>();
        let Some(sent) = self.board.take_oldest_if_plain() else { return false };
        if self.next < una {
            self.next = una;
        }
        self.timers.rto.on_ack(una, now);
        self.restart_timer(now);
        let rtt = now.since(sent);
        self.note_rtt(rtt);
        self.tell_ack::<true>(now, Segments(1), Some(rtt), before, out);
        if self.uses_fine_timeout() {
            self.timers.fine.sample(rtt);
        }
        self.note_completion(now);
        self.send_here::<true>(now, self.rules.burst, out);
        true
    }

    /// Handles an acknowledgement: everything before its sequence number was received, and what `sack` reports.
    pub(crate) fn on_ack(&mut self, now: Time, ack: Packet, sack: &SackBlocks, out: &mut Outbox) {
        let una = self.rules.layout.segment_at(ack.sequence);
        if una <= self.board.max() && self.rules.layout.is_full_up_to(una, ack.sequence) {
            self.on_whole_ack(now, una, ack, sack, out);
        } else {
            self.on_odd_ack(now, ack, sack, out);
        }
    }

    /// Handles an acknowledgement of all segments before `una`, and no part of it.
    #[inline(always)]
    pub(super) fn on_whole_ack(&mut self, now: Time, una: u64, ack: Packet, sack: &SackBlocks, out: &mut Outbox) {
        if self.rules.is_plain && sack.count == 0 && una > self.board.una() {
            self.on_new_ack::<true>(now, una, out);
        } else {
            self.on_special_ack(now, una, ack, sack, out);
        }
    }

    /// Handles an acknowledgement that reports, or may report, more than new data in order.
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
            self.on_new_ack::<false>(now, una, out);
        } else if una == self.board.una() && self.outstanding() > 0 && ack.sequence >= self.acked_part {
            self.tell_duplicate(now, out);
            self.on_duplicate_ack(now, news, out);
        }
    }

    /// Handles the timers that are due.
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

    /// When the next timer runs out; [`Time::NEVER`] if none runs.
    #[inline]
    pub(crate) fn timer(&self) -> Time {
        match &self.linux {
            None => self.timers.retransmission,
            Some(linux) => linux.due().map_or(self.timers.retransmission, |due| self.timers.retransmission.min(due)),
        }
    }

    /// As [`Sender::timer`], of a plain sender.
    #[inline]
    pub(crate) fn timer_of_plain(&self) -> Time {
        self.timers.retransmission
    }

    /// When the retransmission timer runs out.
    pub(super) fn retransmission_due(&self) -> Option<Time> {
        (self.timers.retransmission != Time::NEVER).then_some(self.timers.retransmission)
    }

    /// The window, the threshold and the control's other values for the tables.
    pub(crate) fn status(&self) -> Status {
        self.control.status()
    }

    #[inline(always)]
    pub(super) fn window_and_phase(&self) -> (Window, Phase) {
        let status = self.control.status();
        (status.window, status.phase)
    }

    /// Returns whether the flow has begun and is not complete.
    pub(crate) fn is_active(&self) -> bool {
        self.started && self.stats.completed().is_none()
    }

    pub(crate) fn in_recovery(&self) -> bool {
        self.repair.in_recovery()
    }

    /// The number of segments in flight: by the pipe estimate with SACK, else by sequence number.
    pub(crate) fn in_flight(&self) -> Segments {
        let count = match self.rules.detection.recovery {
            Recovery::Sack => self.board.pipe(),
            Recovery::Reno | Recovery::NewReno => return self.unacknowledged(),
        };
        Segments(count as u32)
    }

    /// The number of segments sent and not acknowledged, whatever SACK reports of them. The algorithm's rounds count
    /// these, so that a round's window and the segments sent in it are counts of one kind.
    pub(super) fn unacknowledged(&self) -> Segments {
        Segments(self.next.saturating_sub(self.board.una()) as u32)
    }

    /// Returns whether the last byte of a sized transfer was acknowledged.
    pub(crate) fn is_whole(&self) -> bool {
        self.rules.layout.segments().is_some_and(|segments| self.board.una() >= segments)
    }

    /// The number of payload bytes acknowledged.
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

    /// Takes in the segments acknowledged in order.
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

    /// Handles an acknowledgement of new data; `PLAIN` if the sender is known to be plain.
    #[inline(never)]
    fn on_new_ack<const PLAIN: bool>(&mut self, now: Time, una: u64, out: &mut Outbox) {
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
        if let Some(rtt) = rtt {
            self.note_rtt(rtt);
        }
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
        if self.board.una() >= self.given.awaited {
            self.on_awaited(now);
        }
    }

    /// Handles the acknowledgement of what the application waits for; after the end of the transfer nothing changes.
    #[cold]
    fn on_awaited(&mut self, now: Time) {
        if self.stats.completed().is_some() {
            return;
        }
        if self.board.una() < self.given.total {
            self.given.awaited = self.given.total;
            if let Some(application) = &mut self.given.application {
                application.on_delivered(now);
            }
        } else {
            self.stats.completed = now;
            self.timers.retransmission = Time::NEVER;
            self.timers.pacer.cancel();
            if let Some(linux) = &mut self.linux {
                linux.probe.cancel();
                linux.rack.cancel();
            }
        }
    }

    /// RFC 6298, section 5.3: restarts the timer, because new data were acknowledged.
    #[inline(always)]
    pub(super) fn restart_timer(&mut self, now: Time) {
        self.timers.retransmission = if self.outstanding() > 0 { now + self.timers.rto.timeout() } else { Time::NEVER };
    }
}

fn share<T: PartialEq>(mine: &mut Arc<T>, other: &Arc<T>) {
    if **mine == **other {
        *mine = Arc::clone(other);
    }
}

/// The round-trip sample of a segment, if it was sent only once (Karn's rule).
pub(super) fn rtt_sample(entry: Entry, now: Time) -> Option<Span> {
    (!entry.is_repeated()).then(|| now.since(entry.sent()))
}
