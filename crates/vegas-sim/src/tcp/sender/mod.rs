//! The sending end of a flow: what happens at an acknowledgement and at a timeout, and when something may be sent.
//!
//! The sender is composed of pieces, each with a state of its own: [`Scoreboard`], [`Recovery`], [`Rtt`],
//! [`RetransmissionTimer`], [`Pacer`], [`SendQueue`], [`EcnSender`], and [`Congestion`], which sets the window. They
//! decide, and the sender carries out: it sends, and hands one piece's result to another. [`linux`] has what is
//! different on a Linux host, [`events`] the reports to the congestion control, [`life`] start, end and application,
//! [`part`] acknowledgements of a part of a segment, and [`stream`] what the owner of an end without a network does.
//!
//! Nearly every acknowledgement is usual, and is handled by [`Sender::on_usual_ack`] with the functions that are
//! inlined there, compiled for that case alone (`USUAL`). The rest is not inlined, so that it takes no registers there.

mod events;
mod life;
mod linux;
mod part;
mod stats;
pub(super) mod stream;
mod views;

use std::sync::Arc;

use vegas_core::units::{Pace, Segments, Time, Window};
use vegas_core::{Controller, Output, RouterFeedback};

use super::control::Congestion;
use super::ecn::EcnSender;
use super::layout::Layout;
use super::pacing::{PACED_AFTER_SEGMENTS, Pacer};
use super::recovery::Recovery;
use super::recovery::acked::AckedTimes;
use super::recovery::bsd::{Beginning, OnDuplicate, OnNewAck};
use super::recovery::scoreboard::{Blocks, Entry, Scoreboard};
use super::rtt::Rtt;
use super::sending::SendQueue;
use super::timer::RetransmissionTimer;
use super::{Noted, Outbox};
use crate::measure::outcome::{IncidentKind, Retransmission};
use crate::packet::{Packet, PacketKind, SackBlocks};
use crate::scenario::HostSpec;
use stats::SenderStats;

/// A number of segments above that of any window.
const UNLIMITED: Segments = Segments(u32::MAX);

/// The sending end of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    flow: u32,
    congestion: Congestion,
    rules: Rules,
    board: Scoreboard,
    recovery: Recovery<Controller>,
    rtt: Rtt,
    timer: RetransmissionTimer,
    pacer: Pacer,
    queue: SendQueue,
    ecn: EcnSender,
    started: bool,
    /// Whether data may leave.
    established: bool,
    /// The newest acknowledgement number that was within a segment; 0 before the first.
    acked_part: u64,
    pub(crate) stats: SenderStats,
}

/// The settings that stay constant from the start on.
#[derive(Clone, Debug)]
struct Rules {
    host: Arc<HostSpec>,
    layout: Arc<Layout>,
    /// The most segments that one acknowledgement may release (mechanism H).
    burst: Segments,
    /// The segments from the oldest outstanding one on that the receiver's window allows.
    receive_window: Segments,
    /// The window to which silence takes the congestion window back (RFC 5681, section 4.1).
    initial_window: Segments,
    /// Whether the number of segments in flight is SACK's estimate.
    by_pipe: bool,
    /// Whether the sender is plain: neither a Linux host, nor ECN, nor routers that stamp, nor a control that asks for
    /// more than the usual events. An acknowledgement then reports only what was received.
    is_plain: bool,
    /// Whether acknowledgements say if the window is what limits the sender.
    asks_what_limits: bool,
    /// How often the SYN is repeated without a longer timeout each time (Linux: `tcp_syn_linear_timeouts`).
    linear_syns: u8,
}

/// Acknowledgements.
impl Sender {
    /// Handles an acknowledgement without SACK blocks, if it is usual: the sender is plain and recovery idle, and one
    /// full segment is acknowledged, which was sent once. Else the function does nothing and returns false. What it
    /// does is what [`Sender::on_new_ack`] does in this case.
    #[inline(always)]
    pub(crate) fn on_usual_ack(&mut self, now: Time, ack: Packet, out: &mut Outbox) -> bool {
        let una = self.board.una() + 1;
        if !self.rules.is_plain || !self.is_recovery_idle() || !self.rules.layout.is_full_up_to(una, ack.sequence) {
            return false;
        }
        let before = self.before_ack::<true>();
        let Some(sent) = self.board.take_oldest_if_plain() else { return false };
        let rtt = Some(self.rtt.on_usual_ack(una, sent, now));
        self.restart_timer(now);
        self.report_ack::<true>(now, Segments(1), rtt, (before, false), out);
        self.note_completion(now);
        self.send_here::<true>(now, self.rules.burst, out);
        true
    }

    fn is_recovery_idle(&self) -> bool {
        matches!(&self.recovery, Recovery::Bsd(bsd) if bsd.is_idle())
    }

    /// Handles an acknowledgement: everything before its sequence number was received, and what `sack` reports.
    pub(crate) fn on_ack(&mut self, now: Time, ack: Packet, sack: &SackBlocks, out: &mut Outbox) {
        let ack = self.note_offer(ack);
        let una = self.rules.layout.segment_at(ack.sequence);
        if una <= self.board.max() && self.rules.layout.is_full_up_to(una, ack.sequence) {
            self.on_whole_ack(now, una, ack, sack, out);
        } else {
            self.on_odd_ack(now, ack, sack, out);
        }
    }

    /// Notes the window that an acknowledgement offers; returns the acknowledgement without it.
    #[inline(always)]
    fn note_offer(&mut self, ack: Packet) -> Packet {
        let Some(pushes) = &mut self.queue.pushes else { return ack };
        let (ack, window) = ack.take_offer();
        let window = pushes.on_offer(window);
        // no edge is before those of older acknowledgements
        let end = self.rules.layout.segments_until(ack.sequence + window);
        let window = u32::try_from(end.saturating_sub(self.board.una())).unwrap_or(u32::MAX);
        self.rules.receive_window = self.rules.receive_window.max(Segments(window));
        ack
    }

    /// The byte up to which the receiver's window lets segments leave; `None` where it is constant.
    fn offered_edge(&self) -> Option<u64> {
        let end = self.board.una() + self.receive_window();
        self.queue.pushes.is_some().then(|| self.rules.layout.first_byte(end))
    }

    /// Keeps the edge of the window at this byte, after what waits was divided into segments again: a short one may
    /// have been filled up beyond it.
    fn keep_within(&mut self, edge: Option<u64>) {
        let Some(edge) = edge.filter(|edge| self.offered_edge().is_some_and(|now| now > *edge)) else { return };
        let end = self.rules.layout.segments_until(edge).max(self.board.max());
        self.rules.receive_window = Segments((end - self.board.una()) as u32);
    }

    /// Keeps the edge of the window where it is while the oldest outstanding segment advances from segment `before`.
    fn keep_offered_edge(&mut self, before: u64) {
        if self.queue.pushes.is_some() {
            let advanced = (self.board.una() - before) as u32;
            self.rules.receive_window = Segments(self.rules.receive_window.0.saturating_sub(advanced));
        }
    }

    /// Handles an acknowledgement of all segments before `una`, and no part of it.
    #[inline(always)]
    fn on_whole_ack(&mut self, now: Time, una: u64, ack: Packet, sack: &SackBlocks, out: &mut Outbox) {
        if self.rules.is_plain && sack.count == 0 && una > self.board.una() {
            self.on_new_ack(now, una, out);
        } else {
            self.on_special_ack(now, una, ack, sack, out);
        }
    }

    /// Handles an acknowledgement that reports, or may report, more than new data in order.
    fn on_special_ack(&mut self, now: Time, una: u64, ack: Packet, sack: &SackBlocks, out: &mut Outbox) {
        let feedback = || RouterFeedback { forward: sack.echo.into(), backward: ack.aqt().into() };
        let answered = self.rules.layout.asks_routers() && !sack.lacks_option;
        self.congestion.on_header(answered.then(feedback), sack.arrived);
        let newest = || una.checked_sub(1).and_then(|newest| self.board.entry(newest));
        self.ecn.on_ack(&ack, una < self.board.una(), || newest().map(Entry::sent));
        let blocks = self.rules.layout.blocks(sack);
        match &self.recovery {
            Recovery::Linux(_) => self.on_linux_ack(now, una, (blocks, sack.time_stamps), out),
            Recovery::Bsd(_) => self.on_bsd_ack(now, una, ack.sequence, blocks, out),
        }
    }

    /// Handles an acknowledgement, on a BSD host, up to byte `sequence`, the beginning of segment `una`.
    fn on_bsd_ack(&mut self, now: Time, una: u64, sequence: u64, blocks: Option<Blocks>, out: &mut Outbox) {
        if self.ecn.hears_mark(una) && !self.in_recovery() {
            self.report_mark(now, out);
        }
        let news = blocks.is_some_and(|blocks| self.rules.by_pipe && self.take_blocks(now, blocks));
        if una > self.board.una() {
            self.on_new_ack(now, una, out);
        } else if una == self.board.una() && self.board.outstanding() > 0 && sequence >= self.acked_part {
            self.report_duplicate(now, out);
            self.on_duplicate_ack(now, news, out);
        }
    }

    /// Takes in SACK blocks; returns whether they report anything for the first time.
    fn take_blocks(&mut self, now: Time, blocks: Blocks) -> bool {
        let Sender { board, congestion, .. } = self;
        match congestion.measures() {
            true => board.on_sack(blocks, &mut |segment, entry| congestion.on_delivered(segment, now, entry.sent())),
            false => board.on_sack(blocks, &mut |_, _| {}),
        }
    }

    /// Takes in the segments acknowledged in order; returns their round-trip times.
    fn take_in_order(&mut self, now: Time, una: u64) -> AckedTimes {
        let Sender { board, congestion, .. } = self;
        let mut times = AckedTimes::default();
        board.on_ack(una, |segment, entry| {
            if !entry.is_sacked() {
                congestion.on_delivered(segment, now, entry.sent());
            }
            times.on_acked(entry, now);
        });
        congestion.on_acknowledged(una);
        times
    }

    /// Handles an acknowledgement of new data on a BSD host.
    #[inline(never)]
    fn on_new_ack(&mut self, now: Time, una: u64, out: &mut Outbox) {
        let before = self.before_ack::<false>();
        let acked = Segments((una - self.board.una()) as u32);
        let waited = matches!(&self.recovery, Recovery::Bsd(bsd) if bsd.may_wait(self.board.una()));
        let times = self.take_in_order(now, una);
        let rtt = self.rtt.on_acked(&times, waited, una, now);
        let was_in_recovery = self.in_recovery();
        self.go_on_with_recovery(now, acked, out);
        let in_recovery = self.in_recovery();
        if was_in_recovery && !in_recovery {
            self.report_recovered(now, out);
        }
        if !in_recovery || self.congestion.measures() {
            self.report_ack::<false>(now, acked, rtt, (before, in_recovery), out);
        }
        self.recheck(now, out);
        self.note_completion(now);
        let burst = self.burst();
        self.send(now, burst, out);
    }

    fn go_on_with_recovery(&mut self, now: Time, acked: Segments, out: &mut Outbox) {
        let Recovery::Bsd(bsd) = &mut self.recovery else { return };
        match bsd.on_new_ack(&self.board, acked) {
            OnNewAck::Open => self.restart_timer(now),
            OnNewAck::FindLosses => {
                self.board.judge();
                self.restart_timer(now);
            }
            OnNewAck::Retransmit { restarts_timer } => {
                if restarts_timer {
                    self.restart_timer(now);
                }
                self.transmit(now, self.board.una(), out);
            }
        }
    }

    /// Mechanism D: checks the next segment at the first two new acknowledgements after a retransmission.
    fn recheck(&mut self, now: Time, out: &mut Outbox) {
        let Recovery::Bsd(bsd) = &mut self.recovery else { return };
        if !bsd.rechecks() {
            return;
        }
        let oldest = self.board.una();
        let is_overdue = self.board.entry(oldest).is_some_and(|entry| self.rtt.is_overdue(entry.sent(), now));
        bsd.on_recheck(is_overdue);
        if is_overdue {
            self.transmit(now, oldest, out);
        }
    }

    /// Handles a duplicate acknowledgement on a BSD host; `news` if it reported segments as received for the first
    /// time.
    fn on_duplicate_ack(&mut self, now: Time, news: bool, out: &mut Outbox) {
        let Recovery::Bsd(bsd) = &mut self.recovery else { return };
        let is_lost = self.rules.by_pipe && self.board.judge();
        let oldest = self.board.entry(self.board.una());
        let is_overdue = || oldest.is_some_and(|oldest| self.rtt.is_overdue(oldest.sent(), now));
        match bsd.on_duplicate(&self.board, news, is_lost, is_overdue) {
            OnDuplicate::Nothing => {}
            OnDuplicate::Retransmit => self.fast_retransmit(now, out),
            OnDuplicate::SendNew(beyond) => self.send_limited(now, beyond, out),
        }
        if matches!(&self.recovery, Recovery::Bsd(bsd) if bsd.releases()) {
            let burst = self.duplicate_burst();
            self.send(now, burst, out);
        }
    }

    /// Retransmits the oldest segment, which is lost. The loss is reported to the algorithm, unless the window was cut
    /// for a mark of the same window of data.
    fn fast_retransmit(&mut self, now: Time, out: &mut Outbox) {
        let oldest = self.board.una();
        let repeated = self.board.entry(oldest).is_some_and(Entry::is_repeated);
        let is_answered = !repeated && self.ecn.covers(oldest);
        let cut = is_answered || self.report_loss(now, oldest, out);
        if let Recovery::Bsd(bsd) = &mut self.recovery {
            bsd.begin(&mut self.board, Beginning { repeated, cut });
        }
        self.rtt.on_fast_retransmission(repeated);
        self.transmit(now, oldest, out);
        self.restart_timer(now);
    }

    fn note_completion(&mut self, now: Time) {
        if self.queue.is_awaited(self.board.una()) {
            self.on_awaited(now);
        }
    }

    /// Handles the acknowledgement of what the application waits for; after the end of the transfer nothing changes.
    #[cold]
    fn on_awaited(&mut self, now: Time) {
        if self.stats.completed().is_none() && self.queue.on_awaited(self.board.una(), now) {
            self.stats.completed = now;
            self.timer.stop();
            self.pacer.cancel();
            self.recovery.cancel_timers();
        }
    }
}

/// Timers.
impl Sender {
    /// Handles the timers that are due, but for the pacing timer.
    pub(crate) fn on_timer(&mut self, now: Time, out: &mut Outbox) {
        if self.recovery.due().is_some_and(|due| due <= now) {
            self.on_linux_timer(now, out);
        }
        if self.timer.due() <= now {
            self.on_timeout(now, out);
        }
    }

    /// Handles the retransmission timeout.
    fn on_timeout(&mut self, now: Time, out: &mut Outbox) {
        self.stats.timeouts += 1;
        match self.board.max() == 0 && self.stats.timeouts <= self.rules.linear_syns.into() {
            true => self.rtt.on_linear_timeout(),
            false => self.rtt.on_timeout(),
        }
        let oldest = self.board.una();
        self.note(IncidentKind::Timeout, oldest, out);
        if self.board.max() == 0 {
            self.send_syn(now, out);
            return;
        }
        if !self.rules.by_pipe {
            self.board.rewind();
        }
        if let Some(threshold) = self.recovery.on_timeout(&self.board, || self.congestion.saved()) {
            self.report_timeout(now, threshold, out);
        }
        self.recovery.begin_after_timeout(&mut self.board);
        self.note_window(now);
        self.congestion.report_lost(&mut self.board);
        self.timer.stop();
        self.send(now, UNLIMITED, out);
    }

    /// Handles the pacing timer, if it is due.
    pub(crate) fn on_pacing_timer(&mut self, now: Time, out: &mut Outbox) {
        if self.pacer.due().is_none_or(|due| due > now) {
            return;
        }
        self.pacer.cancel();
        let burst = self.burst();
        self.send(now, burst, out);
        self.arm_probe(now);
    }

    /// Restarts the retransmission timer, because new data were acknowledged, or the oldest segment was retransmitted.
    fn restart_timer(&mut self, now: Time) {
        self.timer.restart(|| self.recovery.expiry(now, self.rtt.timeout()), self.board.outstanding() > 0);
    }
}

/// Sending.
impl Sender {
    /// Sends what the window allows, at most `burst` segments, and no faster than the algorithm's pace.
    #[inline(never)]
    fn send(&mut self, now: Time, burst: Segments, out: &mut Outbox) {
        let (next, waits) = (self.board.next(), self.board.next() < self.queue.written());
        self.send_here::<false>(now, burst, out);
        if let Recovery::Linux(_) = self.recovery {
            self.note_use(now, next, waits);
        }
        self.note_application_limit();
    }

    /// Does what `send` does, inlined; `USUAL` if the sender is plain and recovery idle.
    #[inline(always)]
    fn send_here<const USUAL: bool>(&mut self, now: Time, burst: Segments, out: &mut Outbox) {
        let Output { window, pace, .. } = self.congestion.output();
        if let Some(pace) = pace {
            self.send_paced(now, pace, burst, out);
            return;
        }
        let window = if USUAL { inflated(window, 0).min(self.receive_window()) } else { self.usable_window() };
        if !self.rules.by_pipe {
            // sending does not move the window's end
            let end = self.end_of_new(window).min(self.board.next() + burst.as_u64());
            if self.board.next() < end {
                self.send_until::<USUAL>(now, end, out);
            }
            return;
        }
        for _ in 0..burst.0 {
            let Some(segment) = self.next_by_pipe::<USUAL>(window) else { break };
            self.transmit_here::<USUAL>(now, segment, out);
        }
    }

    /// Sends the segments from the next one up to `end`, which is later; most of them are sent for the first time.
    #[inline(always)]
    fn send_until<const USUAL: bool>(&mut self, now: Time, end: u64, out: &mut Outbox) {
        // after a timeout some of these segments were sent before
        while self.board.next() < end.min(self.board.max()) {
            self.transmit(now, self.board.next(), out);
        }
        for segment in self.board.next()..end {
            self.transmit_new::<USUAL>(now, segment, out);
        }
        self.board.advance(end);
    }

    /// Sends what the window and the pace allow, and sets the timer for the rest.
    #[inline(never)]
    fn send_paced(&mut self, now: Time, pace: Pace, burst: Segments, out: &mut Outbox) {
        self.pacer.cancel();
        for _ in 0..burst.0 {
            let Some(segment) = self.next_segment() else { return };
            if !self.pacer_releases(now, pace) {
                return;
            }
            self.transmit(now, segment, out);
        }
    }

    /// Returns whether the next segment may leave now; if not, the timer is set to when it may.
    fn pacer_releases(&mut self, now: Time, pace: Pace) -> bool {
        match self.recovery {
            Recovery::Bsd(_) => self.pacer.releases(now, pace, self.rtt.timeout()),
            Recovery::Linux(_) => self.pacer.releases_fixed(now),
        }
    }

    /// RFC 3042: sends a new segment on each of the first duplicate acknowledgements, `beyond` the window by their
    /// number.
    fn send_limited(&mut self, now: Time, beyond: u32, out: &mut Outbox) {
        let window = self.usable_window() + u64::from(beyond);
        if let Some(segment) = self.next_new(window.min(self.receive_window())) {
            self.transmit(now, segment, out);
        }
    }

    /// The next segment that may be sent.
    fn next_segment(&mut self) -> Option<u64> {
        let window = self.usable_window();
        if self.rules.by_pipe { self.next_by_pipe::<false>(window) } else { self.next_new(window) }
    }

    /// With SACK recovery chooses the segment, while the pipe has room.
    #[inline(always)]
    fn next_by_pipe<const USUAL: bool>(&mut self, window: u64) -> Option<u64> {
        if self.board.pipe() >= window {
            return None;
        }
        let new = self.next_new(self.receive_window());
        match USUAL {
            true => self.board.next_retransmission().or(new),
            false => self.recovery.next_by_pipe(&mut self.board, new),
        }
    }

    /// The next segment, if this window and the application allow it.
    fn next_new(&self, window: u64) -> Option<u64> {
        (self.board.next() < self.end_of_new(window)).then(|| self.board.next())
    }

    /// One past the newest segment that this window and the application allow to leave.
    fn end_of_new(&self, window: u64) -> u64 {
        (self.board.una() + window).min(self.queue.written())
    }

    /// The window in whole segments, as recovery changes it, and bounded by the receive window.
    fn usable_window(&self) -> u64 {
        self.congestion_window().min(self.receive_window())
    }

    /// The congestion window in whole segments, as recovery changes it.
    fn congestion_window(&self) -> u64 {
        match self.recovery.window() {
            Some(window) if !self.congestion.owns_recovery() => window,
            _ => inflated(self.congestion.output().window, self.recovery.inflation()),
        }
    }

    fn receive_window(&self) -> u64 {
        u64::from(self.rules.receive_window.0)
    }

    fn is_window_full(&self) -> bool {
        u64::from(self.in_flight().0) >= self.congestion_window()
    }

    /// Returns whether the congestion control limits the sender, and so may let its window grow. On a BSD host the
    /// window is full, or holds back, with pace and burst limit, what the application has written and the receiver
    /// takes.
    fn is_window_limited(&self) -> bool {
        match self.recovery {
            Recovery::Linux(_) => self.is_window_limited_on_linux(),
            Recovery::Bsd(_) => self.is_window_full() || self.new_segment().is_some(),
        }
    }

    /// Records that the application limits the sender: if it has no more data and the window has room, rate samples of
    /// what leaves now do not measure the path.
    fn note_application_limit(&mut self) {
        let has_room = || u64::from(self.in_flight().0) < self.usable_window();
        if self.congestion.measures() && self.board.next() >= self.queue.written() && has_room() {
            self.congestion.on_app_limited(self.in_flight());
        }
    }

    /// The most segments that one acknowledgement may release: mechanism H, or the host's limit during recovery.
    fn burst(&self) -> Segments {
        match self.in_recovery() {
            true => self.rules.burst.min(self.recovery_burst()),
            false => self.rules.burst,
        }
    }

    /// The most segments that a duplicate acknowledgement may release: mechanism H, else the host's limit during
    /// recovery.
    fn duplicate_burst(&self) -> Segments {
        match self.rules.burst {
            UNLIMITED if self.in_recovery() => self.recovery_burst(),
            burst => burst,
        }
    }

    fn recovery_burst(&self) -> Segments {
        self.rules.host.recovery_burst.unwrap_or(UNLIMITED)
    }

    /// Sends a segment, for the first time or again.
    #[inline(never)]
    fn transmit(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        self.transmit_here::<false>(now, segment, out);
    }

    /// Does what `transmit` does, inlined.
    #[inline(always)]
    fn transmit_here<const USUAL: bool>(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        if segment == self.board.max() {
            self.transmit_new::<USUAL>(now, segment, out);
            self.board.advance(segment + 1);
        } else {
            self.transmit_again(now, segment, out);
        }
    }

    /// Sends the segment after the newest one.
    #[inline(always)]
    fn transmit_new<const USUAL: bool>(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        if !USUAL {
            self.note_departure(now, segment, false);
        }
        self.board.on_first_transmission(now);
        self.rtt.on_first_transmission(segment, now);
        self.leave::<USUAL>(now, segment, true, out);
    }

    #[inline(never)]
    fn transmit_again(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        let is_linux = matches!(self.recovery, Recovery::Linux(_));
        if is_linux && self.board.pipe() == 0 {
            self.congestion.on_lone_retransmission(now, self.board.max());
        }
        self.note_departure(now, segment, true);
        self.board.on_retransmission(segment, now);
        self.stats.retransmitted += 1;
        let retransmission = Some(self.reason_to_retransmit(out));
        let sequence = self.rules.layout.first_byte(segment);
        out.incidents.push(Noted { kind: IncidentKind::Retransmit, sequence, retransmission });
        self.leave::<false>(now, segment, false, out);
        // as Linux does with the oldest segment (`tcp_xmit_retransmit_queue`)
        if segment == self.board.una() && is_linux {
            self.restart_timer(now);
        }
    }

    fn reason_to_retransmit(&self, out: &Outbox) -> Retransmission {
        let has_expired = out.incidents.last().is_some_and(|newest| newest.kind == IncidentKind::Timeout);
        match &self.recovery {
            _ if has_expired => Retransmission::Timeout,
            recovery if recovery.repairs_timeout(self.board.una()) => Retransmission::AfterTimeout,
            Recovery::Linux(linux) if !linux.is_active() => Retransmission::Probe,
            _ => Retransmission::Fast,
        }
    }

    /// Notes an incident that concerns this segment.
    fn note(&self, kind: IncidentKind, segment: u64, out: &mut Outbox) {
        out.incidents.push(Noted { kind, sequence: self.rules.layout.first_byte(segment), retransmission: None });
    }

    /// Reports a segment that is about to leave to a control that asks for it.
    fn note_departure(&mut self, now: Time, segment: u64, retransmission: bool) {
        if self.congestion.measures() {
            let beside = (self.board.outstanding(), self.in_flight());
            self.congestion.on_send(segment, now, beside, retransmission);
        }
    }

    /// Makes the packet of a segment that leaves.
    #[inline(always)]
    fn leave<const USUAL: bool>(&mut self, now: Time, segment: u64, is_first: bool, out: &mut Outbox) {
        debug_assert!(segment < self.queue.written(), "beyond what the application gave");
        debug_assert!(segment < self.board.una() + self.receive_window(), "beyond the receiver's window");
        self.stats.segments_sent += 1;
        match self.recovery {
            Recovery::Linux(_) if !USUAL => {
                let is_paced = self.stats.segments_sent > PACED_AFTER_SEGMENTS;
                let pace = self.congestion.output().pace.filter(|_| is_paced);
                self.pacer.on_send_fixed(now, pace, self.rtt.timeout());
            }
            _ => self.pacer.on_send(now),
        }
        let (first_byte, wire) = self.rules.layout.first_byte_and_wire(segment);
        let mut packet = Packet::new(PacketKind::Data, self.flow, first_byte, wire);
        if !USUAL {
            self.recovery.on_send(segment, now, !is_first);
            let ecn = self.ecn.of_data(is_first);
            if self.rules.layout.leaves_out_option(self.stats.segments_sent - 1) {
                packet = packet.without_option();
            }
            if self.queue.pushes(segment) {
                packet = packet.pushed();
            }
            packet = self.stamped(now, packet.with_ecn(ecn));
        }
        out.packets.push(packet);
        self.timer.start(|| self.recovery.expiry(now, self.rtt.timeout()));
    }

    /// Sends the SYN.
    fn send_syn(&mut self, now: Time, out: &mut Outbox) {
        let packet = Packet::new(PacketKind::Syn, self.flow, 0, self.rules.layout.plain_wire);
        out.packets.push(self.stamped(now, packet.with_ecn(self.ecn.of_syn(self.stats.timeouts))));
        self.timer.restart(|| self.recovery.expiry(now, self.rtt.timeout()), true);
        self.rtt.on_syn(now, self.stats.timeouts == 0);
    }

    /// Returns a packet that leaves now with its time stamps, if the host has them.
    fn stamped(&self, now: Time, packet: Packet) -> Packet {
        match &self.recovery {
            Recovery::Linux(linux) if self.rules.host.options.timestamps => {
                packet.with_time_stamps(linux.time_stamps(now))
            }
            _ => packet,
        }
    }
}

/// A window in whole segments, which recovery widens by `inflation`.
#[inline(always)]
fn inflated(window: Window, inflation: i64) -> u64 {
    // a window is 2^24 segments at most
    ((window.as_raw() >> Window::FRACTION_BITS) as i64 + inflation).max(1) as u64
}

#[cfg(test)]
mod linux_tests;
