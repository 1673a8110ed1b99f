//! A sender as on Linux: RACK and TLP (RFC 8985) find losses, PRR (RFC 6937) paces recovery, and F-RTO (RFC 5682)
//! undoes a spurious timeout. Without selective acknowledgements [`no_sack`] finds losses.

mod acks;
mod no_sack;

mod dsack;
mod frto;
mod prr;
mod rack;
pub(super) mod rtt;
mod tlp;

use vegas_core::units::{Segments, Span, Time};
use vegas_core::{CongestionControl, Loss, LossKind};

use super::Outbox;
use super::control::AckContext;
use super::scoreboard::Entry;
use super::sender::{Sender, rtt_sample};
use super::sending::UNLIMITED;
use crate::packet::SackBlocks;
use dsack::{Undo, duplicate};
use frto::{Answer, FRto, Verdict, judge};
use prr::Prr;
use rack::{Found, Rack};
use tlp::{Pending, Probe};

pub(crate) use acks::LinuxAcks;

/// The state that a sender adds for recovery as on Linux.
#[derive(Clone, Debug)]
pub(super) struct Linux {
    pub(super) rack: Rack,
    pub(super) probe: Probe,
    /// The proportional reduction of the current recovery.
    pub(super) prr: Option<Prr>,
    /// Present while the window answers a mark (state CWR): the acknowledgement of this segment, or of a later one, ends
    /// that state.
    cwr: Option<u64>,
    /// Present from a timeout until everything sent before the timeout is acknowledged.
    timeout: Option<AfterTimeout>,
    /// The undo of the newest recovery or timeout; `None` once it was undone.
    undo: Option<Undo>,
    /// Whether the sender answers the current acknowledgement with new data only.
    new_only: bool,
    /// When the SYN was sent; `None` if it was sent more than once.
    pub(super) syn_sent: Option<Time>,
    /// Whether acknowledgements are selective.
    sack: bool,
    /// Without selective acknowledgements: the number of outstanding segments assumed received, by the number of
    /// duplicates.
    assumed: u64,
}

#[derive(Clone, Debug)]
struct AfterTimeout {
    frto: Option<FRto>,
    /// The oldest unacknowledged segment when the timer ran out.
    una: u64,
}

/// The segments that an acknowledgement reports as received for the first time.
#[derive(Clone, Copy, Debug, Default)]
struct Delivered {
    count: u64,
    /// Whether one of them was sent only once, before the last timeout.
    original: bool,
    /// Whether one of those acknowledged in order had been retransmitted (Karn's rule).
    repeated: bool,
    /// The round-trip samples of the oldest and the newest segment acknowledged in order, and of the newest one in a
    /// block.
    oldest: Option<Span>,
    newest: Option<Span>,
    sacked: Option<Span>,
}

impl Delivered {
    /// Returns two round-trip samples: of the oldest segment acknowledged, for Linux's estimator, and of the newest,
    /// for the congestion control.
    fn samples(&self) -> Option<(Span, Span)> {
        match (self.oldest, self.newest) {
            _ if self.repeated => None,
            (Some(oldest), Some(newest)) => Some((oldest, newest)),
            _ => self.sacked.map(|sample| (sample, sample)),
        }
    }
}

impl Linux {
    pub(super) fn new(sack: bool) -> Self {
        Linux {
            rack: Rack::new(),
            probe: Probe::default(),
            prr: None,
            cwr: None,
            timeout: None,
            undo: None,
            new_only: false,
            syn_sent: None,
            sack,
            assumed: 0,
        }
    }

    /// Returns whether the sender still repairs what was sent before a timeout.
    fn is_after_timeout(&self) -> bool {
        self.timeout.is_some()
    }

    /// Ends the assumption that segments have arrived; returns how many were assumed received.
    fn forget_assumed(&mut self) -> u64 {
        std::mem::take(&mut self.assumed)
    }

    /// Returns the earlier of the due times of the two timers beside the retransmission timer.
    pub(super) fn due(&self) -> Option<Time> {
        [self.rack.due(), self.probe.due].into_iter().flatten().min()
    }

    pub(super) fn sends_only_new(&self) -> bool {
        self.new_only
    }

    /// Records that a segment leaves; `again` if it was sent before.
    pub(super) fn on_send(&mut self, segment: u64, now: Time, again: bool) {
        if self.sack {
            self.rack.on_send(segment, now);
        }
        let repairs = self.prr.is_some() || self.timeout.is_some();
        if let Some(undo) = self.undo.as_mut().filter(|_| again && repairs) {
            undo.on_retransmission();
        }
        if let Some(prr) = &mut self.prr {
            prr.on_send();
        }
    }
}

impl Sender {
    /// Processes an acknowledgement of everything before segment `una`, with these blocks.
    #[inline(never)]
    pub(super) fn on_linux_ack(&mut self, now: Time, una: u64, sack: &SackBlocks, out: &mut Outbox) {
        let before = self.ack_context::<false>();
        let old_una = self.board.una();
        if una < old_una {
            return;
        }
        let spurious_probe = self.note_duplicate(una, sack);
        if self.outstanding() == 0 {
            self.linux().probe.on_ack(una, true);
            return;
        }
        let advanced = una > old_una;
        let delivered = match self.rules.host.sack {
            true => self.deliver(now, una, sack),
            false => self.deliver_without_sack(now, una, una - old_una),
        };
        if let Some(detail) = &mut self.detail {
            detail.on_ack(una);
        }
        self.next = self.next.max(una);
        let samples = delivered.samples();
        if let Some((oldest, newest)) = samples {
            self.timers.rto.sample_linux(oldest, una, self.next);
            self.note_rtt(newest);
        }
        if advanced {
            self.restart_timer(now);
        }
        let found = self.find_losses(now, advanced);
        self.settle_probe(now, una, spurious_probe || !advanced && delivered.count == 0, out);
        self.after_timeout(now, una, advanced, &delivered, out);
        self.undo_if_needless(now, out);
        self.end_cwr(now, una, out);
        self.advance_recovery(now, una, found, out);
        if self.is_open() && self.hears_mark(una) {
            self.begin_cwr(now, out);
        }
        let in_recovery = self.repair.in_recovery() || self.linux().cwr.is_some();
        if advanced && !in_recovery || self.detail.is_some() {
            let acked = if advanced { Segments(delivered.count.max(1) as u32) } else { Segments(0) };
            let rtt = samples.map(|(_, newest)| newest).filter(|_| !delivered.repeated);
            self.tell_ack::<false>(now, acked, rtt, AckContext { in_recovery, ..before }, out);
        }
        let pipe = self.board.pipe();
        // without SACK each partial acknowledgement finds a loss, and Linux still keeps the pipe full (reference
        // S3_reno_nosack)
        let repairs = advanced && !(self.rules.host.sack && found.any);
        if let Some(prr) = self.linux().prr.as_mut() {
            prr.on_ack(delivered.count, pipe, repairs);
        }
        self.note_completion(now);
        let sent = self.stats.segments_sent;
        self.send(now, UNLIMITED, out);
        self.linux().new_only = false;
        if advanced || self.stats.segments_sent > sent {
            self.arm_probe(now);
        }
    }

    /// Takes the acknowledgement into the scoreboard, and reports the delivered segments to RACK.
    fn deliver(&mut self, now: Time, una: u64, sack: &SackBlocks) -> Delivered {
        let mut delivered = Delivered::default();
        let layout = &self.rules.layout;
        let recover = self.repair.recover().unwrap_or(0);
        let rack = &mut self.linux.as_mut().expect("a Linux host").rack;
        let detail = &mut self.detail;
        let mut note = |segment: u64, entry: Entry| {
            rack.on_delivered(segment, entry, now);
            if let Some(detail) = detail {
                detail.on_delivered(segment, now, entry.sent());
            }
            delivered.count += 1;
            delivered.original |= !entry.is_repeated() && segment < recover;
            rtt_sample(entry, now)
        };
        let (mut repeated, mut oldest, mut newest, mut sacked) = (false, None, None, None);
        self.board.on_ack_with(una, |segment, entry| {
            let sample = note(segment, entry);
            repeated |= sample.is_none();
            oldest = oldest.or(sample);
            newest = sample.or(newest);
        });
        if sack.count > 0 {
            let blocks = sack.blocks.map(|(from, to)| (layout.segment_at(from), layout.segment_at(to)));
            self.board.on_sack_with(blocks, &mut |segment, entry| sacked = note(segment, entry).or(sacked));
        }
        Delivered { repeated, oldest, newest, sacked, ..delivered }
    }

    /// Takes in the report of a duplicate (RFC 2883). Returns whether the duplicate is a probe's, which is evidence of
    /// nothing else (Linux's `FLAG_DSACK_TLP`).
    fn note_duplicate(&mut self, una: u64, sack: &SackBlocks) -> bool {
        let Some(range) = duplicate(&self.rules.layout, una, sack) else { return false };
        let next = self.next;
        let linux = self.linux();
        let of_probe = linux.probe.pending.is_some_and(|probe| probe.repeats.is_some() && probe.end == range.1);
        if !of_probe {
            linux.rack.on_duplicate(una, next);
        }
        if let Some(undo) = &mut linux.undo {
            undo.on_duplicate(range);
        }
        of_probe
    }

    /// Undoes the newest recovery or timeout if all its retransmissions have arrived as duplicates: the window returns
    /// to its earlier size, unless it has meanwhile grown beyond that.
    fn undo_if_needless(&mut self, now: Time, out: &mut Outbox) {
        let Some(undo) = self.linux().undo.take_if(|undo| undo.is_due()) else { return };
        if self.linux().timeout.take().is_some() {
            self.board.none_lost();
        }
        if undo.saved.output().window > self.control.output().window {
            self.restore(now, &undo.saved, out);
        }
        if self.repair.in_recovery() {
            self.repair.finish();
            self.linux().prr = None;
        }
    }

    /// Looks for losses; `advanced` if an acknowledgement has just advanced.
    fn find_losses(&mut self, now: Time, advanced: bool) -> Found {
        if !self.rules.host.sack {
            return self.find_loss_without_sack(advanced);
        }
        let enough = self.repair.in_recovery()
            || self.linux().timeout.is_some()
            || self.board.sacked() >= u64::from(self.rules.host.dupack_threshold);
        let srtt = self.timers.rto.srtt_linux().unwrap_or_default();
        let linux = self.linux.as_mut().expect("a Linux host");
        let window = linux.rack.reordering_window(enough, srtt);
        linux.rack.detect(&mut self.board, window, now)
    }

    /// Lets the window answer a loss that was found only because a probe has repaired it (RFC 8985, section 7.4.2).
    fn settle_probe(&mut self, now: Time, una: u64, plain: bool, out: &mut Outbox) {
        let Some(sent) = self.linux().probe.on_ack(una, plain) else { return };
        if self.is_open() {
            let kind = LossKind::DuplicateAcks;
            let in_flight = self.unacknowledged();
            let next = vegas_core::units::SendIndex(self.next);
            let lost = self.newly_lost();
            self.tell(&Loss { now, kind, sent, retransmission: false, in_flight, next, lost }, out);
        }
    }

    /// Applies F-RTO, and ends the repair after a timeout.
    fn after_timeout(&mut self, now: Time, una: u64, advanced: bool, delivered: &Delivered, out: &mut Outbox) {
        let recover = self.repair.recover().unwrap_or(0);
        let answer = Answer {
            original: delivered.original,
            partial: advanced && una < recover,
            new_sent: self.board.max() > recover,
            new_ready: self.has_new_segment(),
            duplicate: !advanced || self.board.sacked() > 0 && delivered.sacked.is_some(),
        };
        let Some(after) = self.linux().timeout.as_mut() else { return };
        let Some(frto) = after.frto.as_ref() else {
            self.end_after_timeout(una >= recover);
            return;
        };
        match judge(answer) {
            Verdict::Spurious => {
                let saved = frto.saved.clone();
                self.linux().undo = None;
                self.linux().forget_assumed();
                self.board.none_lost();
                self.restore(now, &saved, out);
                self.end_after_timeout(true);
            }
            Verdict::SendNew => {
                self.linux().new_only = true;
                let max = self.board.max();
                self.repair.set_recover(max);
            }
            Verdict::Lost => after.frto = None,
            Verdict::Open => {}
        }
        let over = una >= recover && !self.linux().new_only;
        self.end_after_timeout(over);
    }

    fn end_after_timeout(&mut self, over: bool) {
        if over && self.linux().timeout.take().is_some() {
            self.linux().rack.on_recovered();
        }
    }

    /// Ends recovery when everything sent before its beginning is acknowledged, and begins one with a loss; after a
    /// timeout only the loss of a retransmission begins one.
    fn advance_recovery(&mut self, now: Time, una: u64, found: Found, out: &mut Outbox) {
        let mut begins = if self.linux().timeout.is_some() { found.retransmission } else { found.any };
        if self.repair.in_recovery() {
            if self.repair.recover().is_some_and(|recover| una < recover) || self.holds_recovery(una) {
                return;
            }
            self.repair.finish();
            self.linux().prr = None;
            self.linux().rack.on_recovered();
            self.tell_recovered(now, out);
            begins |= self.board.oldest_lost().is_some();
        }
        if begins {
            self.begin_linux_recovery(now, out);
        }
    }

    /// Begins recovery. If the window is already answering a mark it is not cut again: its proportional reduction
    /// continues.
    fn begin_linux_recovery(&mut self, now: Time, out: &mut Outbox) {
        let undo = Undo::new(self.control.clone(), self.board.una());
        if self.linux().cwr.take().is_none() {
            let lost = self.board.oldest_lost().unwrap_or(self.board.una());
            self.reduce(|sender| {
                sender.tell_loss(now, LossKind::DuplicateAcks, lost, out);
            });
        }
        self.repair.begin(self.board.max());
        let linux = self.linux();
        linux.probe.cancel();
        linux.timeout = None;
        linux.undo = Some(undo);
        self.restart_timer(now);
    }

    /// Enters Linux's state CWR: the window answers a mark as it answers a loss, in proportion to what arrives.
    fn begin_cwr(&mut self, now: Time, out: &mut Outbox) {
        self.reduce(|sender| sender.answer_mark(now, out));
        let max = self.board.max();
        let linux = self.linux();
        linux.cwr = Some(max);
        // an undo would also take back this answer
        linux.undo = None;
    }

    fn end_cwr(&mut self, now: Time, una: u64, out: &mut Outbox) {
        let linux = self.linux();
        if linux.cwr.is_some_and(|max| una > max) {
            linux.cwr = None;
            linux.prr = None;
            self.tell_recovered(now, out);
        }
    }

    /// Lets the algorithm cut the window, and begins to reduce the pipe to it in proportion.
    fn reduce(&mut self, cut: impl FnOnce(&mut Self)) {
        let prior = self.control.output().window.floor().as_u64();
        cut(self);
        let ssthresh = self.control.output().window.floor().as_u64();
        self.linux().prr = Some(Prr::new(prior, ssthresh));
    }

    /// Handles the two timers beside the retransmission timer, as far as they are due.
    pub(super) fn on_linux_timer(&mut self, now: Time, out: &mut Outbox) {
        if self.linux().rack.due().is_some_and(|due| due <= now) {
            self.on_reordering_timer(now, out);
        }
        if self.linux().probe.due.is_some_and(|due| due <= now) {
            self.send_probe(now, out);
        }
    }

    /// RFC 8985, section 6.3: segments are lost once their time for reordering has passed.
    fn on_reordering_timer(&mut self, now: Time, out: &mut Outbox) {
        if !self.find_losses(now, false).any {
            return;
        }
        if self.is_recovering() {
            self.tell_lost_segments();
            self.send(now, UNLIMITED, out);
            return;
        }
        self.begin_linux_recovery(now, out);
        let pipe = self.board.pipe();
        if let Some(prr) = self.linux().prr.as_mut() {
            prr.on_ack(1, pipe, false);
        }
        self.send(now, UNLIMITED, out);
    }

    /// RFC 8985, section 7.3: sends new data if there are any, whatever the window, else the newest segment again.
    fn send_probe(&mut self, now: Time, out: &mut Outbox) {
        self.linux().probe.due = None;
        if self.outstanding() == 0 || self.linux().probe.pending.is_some() {
            return;
        }
        let newest = self.board.max() - 1;
        let repeats = match self.has_new_segment() {
            true => None,
            false => self.board.entry(newest).map(Entry::sent),
        };
        let segment = if repeats.is_some() { newest } else { self.next };
        self.transmit(now, segment, out);
        self.linux().probe.pending = Some(Pending { end: self.board.max(), repeats });
        self.restart_timer(now);
    }

    /// RFC 8985, section 7.2: schedules a probe, but only while no segment is known to be missing.
    pub(super) fn arm_probe(&mut self, now: Time) {
        let quiet = self.rules.host.sack && !self.is_recovering() && self.board.sacked() == 0 && self.outstanding() > 0;
        let retransmission_due = self.retransmission_due();
        let due = match self.timers.rto.srtt_linux() {
            Some(srtt) if quiet && self.linux().probe.pending.is_none() => {
                let due = now + tlp::timeout(srtt, self.outstanding() == 1);
                retransmission_due.map(|timer| timer.min(due))
            }
            _ => None,
        };
        self.linux().probe.due = due;
    }

    /// Handles the retransmission timeout; returns whether the algorithm is to receive it. A second timeout without
    /// progress in between is not reported (RFC 5681, section 3.1: ssthresh is held).
    pub(super) fn on_linux_timeout(&mut self) -> bool {
        let una = self.board.una();
        let saved = self.control.clone();
        let in_recovery = self.repair.in_recovery();
        let linux = self.linux();
        linux.rack.cancel();
        linux.probe.cancel();
        linux.prr = None;
        linux.cwr = None;
        linux.assumed = 0;
        let again = linux.timeout.take();
        let news = again.as_ref().is_none_or(|after| after.una < una);
        if news {
            linux.undo = Some(Undo::new(saved.clone(), una));
        }
        let frto = match again {
            Some(after) => after.frto,
            None => (!in_recovery).then_some(FRto { saved }),
        };
        linux.timeout = Some(AfterTimeout { frto, una });
        news
    }

    fn linux(&mut self) -> &mut Linux {
        self.linux.as_mut().expect("a Linux host")
    }

    fn is_recovering(&mut self) -> bool {
        self.repair.in_recovery() || self.linux().timeout.is_some()
    }

    fn is_open(&mut self) -> bool {
        !self.is_recovering() && self.linux().cwr.is_none()
    }
}

#[cfg(test)]
mod tests;
