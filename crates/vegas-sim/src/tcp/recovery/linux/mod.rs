//! Loss recovery as on Linux: RACK and TLP (RFC 8985) find losses, PRR (RFC 6937) paces recovery, F-RTO (RFC 5682),
//! DSACK (RFC 3708) and time stamps (RFC 3522) undo what was needless. Without selective acknowledgements [`no_sack`]
//! finds losses. [`LinuxRecovery`] decides; the sender carries out.

mod dsack;
mod eifel;
mod frto;
mod no_sack;
mod prr;
mod rack;
mod tlp;
mod usage;

use vegas_core::ticks::Clock;
use vegas_core::units::{Span, Time};

use super::Threshold;
use super::acked::AckedTimes;
use super::scoreboard::{Blocks, Entry, Scoreboard};
use crate::packet::{Tick, TimeStamps};
use crate::scenario::HostSpec;
use dsack::{Account, Undo, duplicate};
use eifel::Eifel;
use frto::{Answer, Verdict, judge};
use no_sack::{Arrivals, Assumed, Rule};
use prr::Prr;
use rack::Rack;
use tlp::Probe;
use usage::WindowUsage;

pub(in crate::tcp) use rack::Found;
pub(in crate::tcp) use usage::{Use, after_idleness};

/// What the timers of RACK and of the probe wait beyond their times (`TCP_TIMEOUT_MIN_US`).
const TIMER_MARGIN: Span = Span::from_millis(2);

/// By how many segments one may be late at most, for all that a sender learns (`tcp_max_reordering`).
const REORDERING_MAX: u64 = 300;

/// The state of recovery. `S` is the state of the congestion control that it may restore.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct LinuxRecovery<S> {
    rack: Rack,
    probe: Probe,
    /// What duplicates stand for, without selective acknowledgements.
    assumed: Option<Assumed>,
    dupack_threshold: u64,
    /// Whether the sender is in fast recovery.
    active: bool,
    /// One past the newest segment sent when the last recovery or timeout began; 0 before the first.
    recover: u64,
    /// The proportional reduction of the current recovery.
    prr: Option<Prr>,
    /// Present while the window answers a mark (state CWR): the acknowledgement of this segment, or of a later one,
    /// ends that state.
    cwr: Option<u64>,
    /// Present from a timeout until everything sent before the timeout is acknowledged.
    timeout: Option<AfterTimeout<S>>,
    account: Account,
    /// The undo of the newest recovery or timeout; `None` once it was undone.
    undo: Option<Undo<S>>,
    eifel: Eifel,
    /// The newest time stamp of an acknowledgement.
    heard: Tick,
    /// Whether the sender answers the current acknowledgement with new data only.
    new_only: bool,
    pub(in crate::tcp) usage: WindowUsage,
}

#[derive(Clone, Debug)]
struct AfterTimeout<S> {
    /// The congestion control before the timeout, while F-RTO tests whether the timeout was spurious.
    frto: Option<S>,
    /// The oldest unacknowledged segment when the timer expired.
    una: u64,
}

/// The segments that an acknowledgement reports as received for the first time.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Delivered {
    pub(in crate::tcp) count: u64,
    /// Segments that count as in flight again, without SACK.
    pub(in crate::tcp) returned: u64,
    pub(in crate::tcp) times: AckedTimes,
    /// Whether one of them was sent only once, before the last timeout.
    original: bool,
}

/// An acknowledgement, as far as recovery depends on it beside what it delivers.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Acknowledgement {
    /// Everything before this segment is acknowledged.
    pub(in crate::tcp) una: u64,
    /// Whether it acknowledges new data.
    pub(in crate::tcp) advanced: bool,
    /// Whether it reports the duplicate of a probe.
    pub(in crate::tcp) of_probe: bool,
    /// Whether the sender may send a segment that was never sent, but for the window.
    pub(in crate::tcp) has_new: bool,
}

/// What follows from an acknowledgement, in this order, before the losses that it reveals.
#[derive(Debug)]
pub(in crate::tcp) struct Consequences<S> {
    /// A probe has repaired the loss of a segment that had been sent then: the window answers that loss.
    pub(in crate::tcp) repaired: Option<Time>,
    /// The newest timeout was spurious: the congestion control becomes this again.
    pub(in crate::tcp) spurious: Option<S>,
    /// All retransmissions of the newest recovery or timeout were needless: the congestion control becomes this again,
    /// unless its window has meanwhile grown beyond that.
    pub(in crate::tcp) needless: Option<S>,
    /// A recovery, or the answer to a mark, is over.
    pub(in crate::tcp) recovered: bool,
}

/// A cut of the congestion control's window, segments.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Cut {
    pub(in crate::tcp) before: u64,
    pub(in crate::tcp) after: u64,
}

impl Cut {
    fn in_proportion(self) -> Prr {
        Prr::new(self.before, self.after)
    }
}

impl<S> LinuxRecovery<S> {
    pub(super) fn new(host: &HostSpec, clock: Clock) -> Self {
        LinuxRecovery {
            rack: Rack::new(host.dupack_threshold.into(), clock),
            probe: Probe::default(),
            assumed: (!host.options.sack).then(|| Assumed::new(host.dupack_threshold.into())),
            dupack_threshold: u64::from(host.dupack_threshold),
            active: false,
            recover: 0,
            prr: None,
            cwr: None,
            timeout: None,
            account: Account::default(),
            undo: None,
            eifel: Eifel::default(),
            heard: Tick::NONE,
            new_only: false,
            usage: WindowUsage::default(),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.rack.memory_bytes()
    }

    pub(in crate::tcp) fn is_active(&self) -> bool {
        self.active
    }

    /// Returns whether the window answers a mark (state CWR).
    pub(in crate::tcp) fn is_in_cwr(&self) -> bool {
        self.cwr.is_some()
    }

    /// Returns whether a timeout is being repaired.
    pub(in crate::tcp) fn is_after_timeout(&self) -> bool {
        self.timeout.is_some()
    }

    /// The number of segments that duplicates stand for.
    pub(super) fn assumed_received(&self) -> u64 {
        self.assumed.as_ref().map_or(0, Assumed::count)
    }

    /// By how many segments one may be late, as far as it is known, and without SACK the duplicates that show a loss.
    pub(in crate::tcp) fn reordering(&self) -> u64 {
        self.assumed.as_ref().map_or(self.rack.lateness(), Assumed::threshold)
    }

    /// Returns whether segments that blocks report let the window grow as acknowledged ones do: where segments arrive
    /// out of order, acknowledgements that advance come seldom (`tcp_may_raise_cwnd`).
    pub(in crate::tcp) fn grows_by_reports(&self) -> bool {
        let reduces = self.active || self.cwr.is_some();
        self.assumed.is_none() && !reduces && self.rack.lateness() > self.dupack_threshold
    }

    /// Returns whether a loss is being repaired.
    pub(in crate::tcp) fn is_recovering(&self) -> bool {
        self.active || self.timeout.is_some()
    }

    /// Returns whether neither a loss is being repaired nor a mark answered.
    pub(in crate::tcp) fn is_open(&self) -> bool {
        !self.is_recovering() && self.cwr.is_none()
    }

    /// The number of segments that may be in flight, while the window is reduced in proportion.
    pub(super) fn window(&self) -> Option<u64> {
        self.prr.map(|prr| prr.window())
    }

    /// A lost segment, else the new one; after a timeout that may be spurious only that.
    pub(super) fn next_by_pipe(&self, board: &mut Scoreboard, new: Option<u64>) -> Option<u64> {
        if self.new_only { new } else { board.next_retransmission().or(new) }
    }

    /// Records that a segment leaves; `again` if it was sent before.
    pub(super) fn on_send(&mut self, segment: u64, now: Time, again: bool) {
        if self.assumed.is_none() {
            self.rack.on_send(segment, now);
        }
        if again {
            self.account.on_retransmission();
            self.undo.iter_mut().for_each(Undo::on_retransmission);
        }
        if again && self.is_recovering() {
            self.eifel.on_retransmission(now);
        }
        if let Some(prr) = &mut self.prr {
            prr.on_send();
        }
    }

    /// Takes in a round-trip sample.
    pub(in crate::tcp) fn on_rtt(&mut self, rtt: Span) {
        self.rack.on_rtt(rtt);
    }

    /// The clock of the timers.
    pub(in crate::tcp) fn clock(&self) -> Clock {
        self.rack.clock()
    }

    /// Takes in the time stamps of an acknowledgement, before everything else that it reports.
    pub(in crate::tcp) fn on_time_stamps(&mut self, stamps: TimeStamps) {
        self.eifel.on_ack(stamps.echo);
        self.heard = self.heard.max(stamps.value);
    }

    /// Returns whether an acknowledgement with a newer time stamp has come.
    pub(in crate::tcp) fn has_heard_since(&self, stamps: TimeStamps) -> bool {
        stamps.value.is_before(self.heard)
    }

    /// The time stamps of a segment that leaves now.
    pub(in crate::tcp) fn time_stamps(&self, now: Time) -> TimeStamps {
        TimeStamps { value: Tick::at(now), echo: self.heard }
    }

    /// Takes in the report of a duplicate (RFC 2883), if the `blocks` of an acknowledgement of everything before `una`
    /// have one. Returns whether the duplicate is a probe's, which is evidence of nothing else (Linux's
    /// `FLAG_DSACK_TLP`), and how many segments were delivered twice.
    pub(in crate::tcp) fn on_blocks(&mut self, board: &Scoreboard, una: u64, blocks: Option<Blocks>) -> (bool, u64) {
        let Some(range) = blocks.and_then(|blocks| duplicate(una, blocks)) else { return (false, 0) };
        let of_probe = self.probe.is_repeated_by(range);
        if !self.account.admits(range) {
            return (of_probe, 0);
        }
        if !of_probe {
            self.rack.on_duplicate(una, board.next());
        }
        if let Some(undo) = &mut self.undo {
            undo.on_duplicate(board, range);
        }
        (of_probe, range.1 - range.0)
    }

    /// Takes in an acknowledgement while nothing is outstanding: probe and original have arrived.
    pub(in crate::tcp) fn on_ack_of_nothing(&mut self, una: u64) {
        self.probe.on_ack(una, true);
    }

    /// Takes an acknowledgement of everything before `una` into the scoreboard, with these blocks; `seen` is called
    /// with each segment that is reported as received for the first time.
    pub(in crate::tcp) fn deliver(
        &mut self,
        board: &mut Scoreboard,
        now: Time,
        una: u64,
        blocks: Option<Blocks>,
        seen: impl FnMut(u64, Entry),
    ) -> Delivered {
        let (recover, eifel) = (self.recover, self.eifel);
        let Some(assumed) = &mut self.assumed else {
            return take_in(board, (&mut self.rack, eifel, recover), now, una, blocks, seen);
        };
        let acked = una - board.una();
        let rule = match &self.timeout {
            Some(_) => Rule { adds: una < recover && board.max() > recover, lasts: una == recover },
            None if self.active => Rule { adds: una < recover, lasts: una < recover },
            None => Rule { adds: true, lasts: false },
        };
        let rack = &mut self.rack;
        let (delivered, Arrivals { count, returned }) =
            assumed.on_ack(board, acked, rule, |board| take_in(board, (rack, eifel, recover), now, una, None, seen));
        let original = delivered.original && !delivered.times.is_repeated();
        Delivered { count, returned, original, ..delivered }
    }

    /// Looks for losses, after an acknowledgement that has `advanced` or not, or when the timer for reordering has
    /// expired; `srtt` is the smoothed round-trip time.
    pub(in crate::tcp) fn find_losses(
        &mut self,
        board: &mut Scoreboard,
        now: Time,
        srtt: Option<Span>,
        advanced: bool,
    ) -> Found {
        if advanced && self.is_answered_late(board) {
            return Found::default();
        }
        if let Some(assumed) = &self.assumed {
            return self.find_loss_without_sack(board, assumed.shows_loss(), advanced);
        }
        let enough = self.is_recovering() || board.sacked() >= self.dupack_threshold;
        let window = self.rack.reordering_window(enough, srtt.unwrap_or_default());
        self.rack.detect(board, window, now)
    }

    /// Finds the oldest segment lost: by `enough` duplicates, or in recovery by an acknowledgement that advances
    /// (`tcp_newreno_mark_lost`).
    fn find_loss_without_sack(&self, board: &mut Scoreboard, enough: bool, advanced: bool) -> Found {
        let una = board.una();
        let is_lost = match self.active {
            true => advanced && una < self.recover,
            false => self.timeout.is_none() && enough,
        };
        let any = is_lost && una < board.max() && board.oldest_lost() != Some(una);
        if any {
            board.mark_lost(una);
        }
        Found { any, retransmission: false }
    }

    /// Decides what follows from an acknowledgement, once it is in the scoreboard. What is undone or over is so before
    /// the losses that it reveals are found (`tcp_fastretrans_alert`).
    pub(in crate::tcp) fn on_ack(
        &mut self,
        board: &mut Scoreboard,
        ack: Acknowledgement,
        delivered: &Delivered,
    ) -> Consequences<S> {
        let Acknowledgement { una, advanced, of_probe, .. } = ack;
        let is_open = self.is_open();
        let plain = of_probe || !advanced && delivered.count == 0;
        let repaired = self.probe.on_ack(una, plain).filter(|_| is_open);
        self.new_only = advanced && self.is_answered_late(board);
        let needless = self.undo_if_needless(board, ack);
        let spurious = self.on_ack_after_timeout(board, ack, delivered);
        let answered = self.cwr.take_if(|max| una > *max).is_some();
        if answered {
            self.prr = None;
        }
        let recovered = self.end_if_repaired(una);
        Consequences { repaired, spurious, needless, recovered: answered || recovered }
    }

    /// Applies F-RTO, and ends the repair after a timeout. Returns what the congestion control becomes again if the
    /// timeout was spurious.
    fn on_ack_after_timeout(
        &mut self,
        board: &mut Scoreboard,
        ack: Acknowledgement,
        delivered: &Delivered,
    ) -> Option<S> {
        let is_over = ack.una >= self.recover;
        let answer = Answer {
            original: delivered.original,
            partial: ack.advanced && !is_over,
            new_sent: board.max() > self.recover,
            new_ready: ack.has_new,
            duplicate: !ack.advanced || board.sacked() > 0 && delivered.times.has_sacked(),
        };
        let after = self.timeout.as_mut()?;
        if after.frto.is_some() {
            match judge(answer) {
                Verdict::Spurious => {
                    let saved = after.frto.take();
                    self.undo = None;
                    if let Some(assumed) = &mut self.assumed {
                        assumed.forget();
                    }
                    self.unmark_lost(board);
                    self.end_after_timeout();
                    return saved;
                }
                Verdict::SendNew => {
                    self.new_only = true;
                    self.recover = board.max();
                }
                Verdict::Lost => after.frto = None,
                Verdict::Open => {}
            }
        }
        if is_over && !self.new_only && !self.holds(ack.una) {
            self.end_after_timeout();
        }
        None
    }

    /// Takes back that a timeout counted everything as lost. RACK then finds what is lost all the same.
    fn unmark_lost(&mut self, board: &mut Scoreboard) {
        board.none_lost();
        match &mut self.assumed {
            Some(assumed) => assumed.make_again(board),
            None => self.rack.wait_for_all(board),
        }
    }

    fn end_after_timeout(&mut self) {
        self.timeout = None;
        self.rack.on_recovered();
    }

    /// Returns whether a hole of the recovery was filled by a late original, and not by a retransmission: then nothing
    /// more is lost or retransmitted for the time being (`tcp_try_undo_partial`).
    fn is_answered_late(&self, board: &Scoreboard) -> bool {
        self.active && board.una() < self.recover && self.undo.is_some() && self.eifel.is_delayed()
    }

    /// Returns whether an acknowledgement of new data shows by its time stamp that the newest recovery or timeout was
    /// needless. Within a recovery the retransmissions in flight are awaited (`tcp_may_undo`, `tcp_try_undo_partial`).
    fn is_needless_by_stamps(&self, board: &Scoreboard, ack: Acknowledgement) -> bool {
        let is_late = ack.advanced && self.eifel.is_delayed();
        let is_over = self.timeout.is_some() || self.active && ack.una >= self.recover;
        is_late && (is_over || self.active && board.lost_and_retransmitted().1 == 0)
    }

    /// Undoes the newest recovery or timeout if all its retransmissions have arrived as duplicates, or if time stamps
    /// show that the originals have arrived. Returns what the congestion control was before it.
    fn undo_if_needless(&mut self, board: &mut Scoreboard, ack: Acknowledgement) -> Option<S> {
        let by_stamps = self.undo.is_some() && self.is_needless_by_stamps(board, ack);
        let undo = self.undo.take_if(|undo| by_stamps || undo.is_due())?;
        // without SACK, duplicates of what was sent twice must begin no new recovery (RFC 6582, section 3.2)
        let goes_on = self.assumed.is_some() && (self.timeout.is_some() || ack.una == self.recover);
        if by_stamps || self.timeout.is_some() {
            self.unmark_lost(board);
        }
        self.prr = None;
        if !goes_on {
            self.timeout = None;
            self.active = false;
        } else if let Some(after) = &mut self.timeout {
            after.frto = None;
        }
        Some(undo.into_saved())
    }

    /// Ends recovery when everything sent before its beginning is acknowledged; returns whether it is over.
    fn end_if_repaired(&mut self, una: u64) -> bool {
        if !self.active || una < self.recover {
            return false;
        }
        if self.holds(una) {
            return false;
        }
        self.active = false;
        self.prr = None;
        self.rack.on_recovered();
        true
    }

    /// Returns whether the repair lasts until its end is passed, as without SACK: until then duplicates may come from
    /// segments that were sent twice, and begin no new recovery (RFC 6582, section 3.2;
    /// `tcp_is_non_sack_preventing_reopen`).
    fn holds(&self, una: u64) -> bool {
        self.assumed.is_some() && una == self.recover
    }

    /// Returns whether the losses `found` begin a recovery, or those of a recovery that is over; after a timeout only
    /// the loss of a retransmission begins one.
    pub(in crate::tcp) fn begins(&self, board: &Scoreboard, found: Found) -> bool {
        match self.timeout {
            Some(_) => found.retransmission,
            None => !self.active && (found.any || board.oldest_lost().is_some()),
        }
    }

    /// Returns whether the loss that begins a recovery cuts the window; if the window is already answering a mark its
    /// proportional reduction continues.
    pub(in crate::tcp) fn cuts(&self) -> bool {
        self.cwr.is_none()
    }

    /// Begins a recovery; `saved` is the congestion control before it, `cut` its answer if the loss cuts.
    pub(in crate::tcp) fn begin(&mut self, board: &Scoreboard, saved: S, cut: Option<Cut>) {
        let in_flight = board.repairs_in_flight() + u64::from(self.probe.is_repeating());
        self.cwr = None;
        self.prr = cut.map(Cut::in_proportion).or(self.prr);
        self.active = true;
        self.recover = board.max();
        self.probe.cancel();
        self.timeout = None;
        self.undo = Some(Undo::new(saved, board.una(), in_flight));
        self.eifel.begin(board);
    }

    /// Enters Linux's state CWR: the window answers a mark as it answers a loss, in proportion to what arrives.
    pub(in crate::tcp) fn begin_cwr(&mut self, board: &Scoreboard, cut: Cut) {
        self.prr = Some(cut.in_proportion());
        self.cwr = Some(board.max());
        // an undo would also take back this answer
        self.undo = None;
    }

    /// Lets the proportional reduction count `delivered` segments, after an acknowledgement that has `advanced` or not,
    /// or when the timer for reordering has expired.
    pub(in crate::tcp) fn reduce(&mut self, board: &Scoreboard, delivered: u64, advanced: bool, found: Found) {
        if let Some(prr) = &mut self.prr {
            prr.on_ack(delivered, board.pipe(), advanced && !found.any);
        }
    }

    /// Records that the sender has answered an acknowledgement.
    pub(in crate::tcp) fn on_answered(&mut self) {
        self.new_only = false;
    }

    /// Handles the retransmission timeout; returns whether the algorithm is to receive it, and what becomes of its
    /// threshold. A second timeout without progress in between is not reported (RFC 5681, section 3.1: ssthresh is
    /// held). `saved` is the congestion control before it.
    pub(super) fn on_timeout(&mut self, board: &Scoreboard, saved: S) -> Option<Threshold>
    where
        S: Clone,
    {
        let (una, probes) = (board.una(), self.probe.is_repeating());
        let holds = self.active && una < self.recover || self.cwr.is_some_and(|end| una < end);
        if self.is_open() && board.sacked() >= self.dupack_threshold {
            self.rack.limit_lateness(self.dupack_threshold);
        }
        self.cancel_timers();
        self.eifel.begin(board);
        self.prr = None;
        self.cwr = None;
        if let Some(assumed) = &mut self.assumed {
            assumed.forget();
        }
        let again = self.timeout.take();
        let is_new = again.as_ref().is_none_or(|after| after.una < una);
        if is_new && !holds {
            // the retransmissions in flight count as lost
            self.undo = Some(Undo::new(saved.clone(), una, u64::from(probes)));
        }
        let frto = match again {
            Some(after) => after.frto,
            None => (!self.active).then_some(saved),
        };
        self.timeout = Some(AfterTimeout { frto, una });
        self.active = false;
        self.recover = board.max();
        is_new.then_some(if holds { Threshold::Holds } else { Threshold::Falls })
    }

    /// The earlier of the due times of the two timers beside the retransmission timer.
    pub(super) fn due(&self) -> Option<Time> {
        [self.rack.due(), self.probe.due()].into_iter().flatten().min()
    }

    /// Returns whether the time that reordering may take has passed for a segment.
    pub(in crate::tcp) fn is_reordering_due(&self, now: Time) -> bool {
        self.rack.due().is_some_and(|due| due <= now)
    }

    pub(super) fn cancel_timers(&mut self) {
        self.rack.cancel();
        self.probe.cancel();
    }

    /// RFC 8985, section 7.2: schedules a probe, but only while no segment is known to be missing. It is sent at the
    /// latest when the retransmission timer expires, at `timer`. Linux has one timer, and new data leave RACK's none
    /// (`tcp_write_xmit`).
    pub(in crate::tcp) fn arm_probe(&mut self, board: &Scoreboard, now: Time, srtt: Option<Span>, timer: Time) {
        let quiet = self.assumed.is_none() && !self.is_recovering() && board.sacked() == 0 && board.outstanding() > 0;
        let srtt = srtt.filter(|_| quiet && timer != Time::NEVER);
        let due = |srtt| self.clock().expiry(now, tlp::timeout(srtt, board.outstanding() == 1));
        let due = srtt.map(|srtt| timer.min(due(srtt)));
        if due.is_some() && self.rack.sent_last() == Some((now, board.max() - 1)) {
            self.rack.cancel();
        }
        self.probe.arm(due);
    }

    /// RFC 8985, section 7.3: returns the probe to send now, if it is due: the `new` segment if there is one, whatever
    /// the window, else the newest one again.
    pub(in crate::tcp) fn take_probe(&mut self, board: &Scoreboard, now: Time, new: Option<u64>) -> Option<u64> {
        self.probe.take(board, now, new)
    }
}

/// Takes an acknowledgement into the scoreboard, and its deliveries into RACK: first those that blocks report
/// (`tcp_ack`), so that RACK's round-trip time is that of the newest segment acknowledged in order, if there is one.
/// Segments before `recover` were sent before the last timeout.
fn take_in(
    board: &mut Scoreboard,
    (rack, eifel, recover): (&mut Rack, Eifel, u64),
    now: Time,
    una: u64,
    blocks: Option<Blocks>,
    mut seen: impl FnMut(u64, Entry),
) -> Delivered {
    let (mut count, mut original, mut times) = (0, false, AckedTimes::default());
    let (highest, mut late) = (rack.highest(), u64::MAX);
    let mut note = |segment: u64, entry: Entry| {
        if !eifel.is_original(entry) {
            rack.on_delivered(segment, entry, now);
        }
        if !entry.is_repeated() && segment < highest {
            late = late.min(segment);
        }
        seen(segment, entry);
        count += 1;
        original |= !entry.is_repeated() && segment < recover;
    };
    if let Some(blocks) = blocks {
        board.on_sack(blocks, &mut |segment, entry| {
            note(segment, entry);
            times.on_sacked(entry, now);
        });
    }
    board.on_ack(una, |segment, entry| {
        if !entry.is_sacked() {
            note(segment, entry);
        }
        times.on_acked(entry, now);
    });
    rack.note_lateness(late);
    Delivered { count, returned: 0, original, times }
}

#[cfg(test)]
mod tests;
