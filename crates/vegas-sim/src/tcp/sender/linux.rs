//! What is different in the sender of a Linux host: its acknowledgements, and the two timers beside the retransmission
//! timer.

use vegas_core::units::{Segments, Span, Time};
use vegas_core::{Controller, Phase, Status};

use super::{Sender, UNLIMITED};
use crate::packet::TimeStamps;
use crate::tcp::Outbox;
use crate::tcp::recovery::Recovery;
use crate::tcp::recovery::linux::{Acknowledgement, Consequences, Cut, Delivered, Found, Use};
use crate::tcp::recovery::scoreboard::{Blocks, Entry};

impl Sender {
    /// Handles an acknowledgement of everything before segment `una`, with these blocks and time stamps.
    #[inline(never)]
    pub(super) fn on_linux_ack(
        &mut self,
        now: Time,
        una: u64,
        (blocks, stamps): (Option<Blocks>, TimeStamps),
        out: &mut Outbox,
    ) {
        if una < self.board.una() {
            self.on_overtaken_ack(now, una, (blocks, stamps), out);
            return;
        }
        let before = self.before_ack::<false>();
        self.note_time_stamps(stamps);
        let oldest = self.board.una();
        let advanced = una > oldest;
        let delivered = self.deliver(now, una, blocks);
        self.keep_offered_edge(oldest);
        let Some((delivered, (of_probe, duplicates))) = delivered else { return };
        let age = stamps.echo.age(now).filter(|_| advanced);
        let rtt = self.rtt.on_acked_times(&delivered.times, age, una, self.board.next());
        rtt.into_iter().for_each(|rtt| self.take_in_rtt(rtt));
        if advanced || self.shows_head_may_arrive(now, &delivered) {
            self.restart_timer(now);
        }
        let ack = Acknowledgement { una, advanced, of_probe, has_new: self.new_segment().is_some() };
        let Recovery::Linux(linux) = &mut self.recovery else { return };
        let consequences = linux.on_ack(&mut self.board, ack, &delivered);
        self.carry_out(now, consequences, out);
        let found = self.find_losses(now, advanced);
        if matches!(&self.recovery, Recovery::Linux(linux) if linux.begins(&self.board, found)) {
            self.begin_recovery(now, out);
        }
        self.answer_mark_on_linux(now, una, out);
        let Recovery::Linux(linux) = &self.recovery else { return };
        let in_recovery = linux.is_active() || linux.is_in_cwr();
        let by_reports = delivered.count > 0 && linux.grows_by_reports() && !self.congestion.owns_recovery();
        // a duplicate that may be of a retransmission counts as delivered, too (`tcp_dsack_seen`)
        let arrived = delivered.count + duplicates;
        let acked = if advanced || by_reports { Segments(arrived.max(1) as u32) } else { Segments(0) };
        let heard = self.rtt.heard(rtt, &delivered.times);
        self.report_ack::<false>(now, acked, heard, (before, in_recovery), out);
        let Recovery::Linux(linux) = &mut self.recovery else { return };
        linux.reduce(&self.board, arrived, advanced, found);
        self.note_completion(now);
        let sent = self.stats.segments_sent;
        self.send(now, UNLIMITED, out);
        self.queue.give(self.board.next(), self.board.una());
        if let Recovery::Linux(linux) = &mut self.recovery {
            linux.on_answered();
        }
        if advanced || self.stats.segments_sent > sent {
            self.arm_probe(now);
        }
    }

    /// Handles an acknowledgement that another one has overtaken: its blocks tell what has arrived, and that is all
    /// (`old_ack` in `tcp_ack`). With an older time stamp it is dropped (PAWS; `tcp_disordered_ack`).
    fn on_overtaken_ack(
        &mut self,
        now: Time,
        una: u64,
        (blocks, stamps): (Option<Blocks>, TimeStamps),
        out: &mut Outbox,
    ) {
        if matches!(&self.recovery, Recovery::Linux(linux) if linux.has_heard_since(stamps)) {
            return;
        }
        let delivered = blocks.and_then(|_| self.deliver(now, una, blocks));
        if delivered.is_none_or(|(delivered, _)| delivered.count == 0) {
            return;
        }
        let found = self.find_losses(now, false);
        if matches!(&self.recovery, Recovery::Linux(linux) if linux.begins(&self.board, found)) {
            self.begin_recovery(now, out);
        }
        self.send(now, UNLIMITED, out);
        self.queue.give(self.board.next(), self.board.una());
    }

    pub(super) fn note_time_stamps(&mut self, stamps: TimeStamps) {
        if let Recovery::Linux(linux) = &mut self.recovery {
            linux.on_time_stamps(stamps);
        }
    }

    /// Takes the acknowledgement into the scoreboard. Returns what it delivers, whether it reports the duplicate of a
    /// probe, and how many duplicates may be of retransmissions; `None` if nothing is outstanding.
    fn deliver(&mut self, now: Time, una: u64, blocks: Option<Blocks>) -> Option<(Delivered, (bool, u64))> {
        let Sender { recovery: Recovery::Linux(linux), board, congestion, .. } = self else { return None };
        let duplicates = linux.on_blocks(board, una, blocks);
        let una = una.max(board.una());
        if board.outstanding() == 0 {
            linux.on_ack_of_nothing(una);
            return None;
        }
        let mut acked = 0;
        let seen = |segment, entry: Entry| {
            acked += 1;
            congestion.on_delivered(segment, now, entry.sent());
        };
        let delivered = linux.deliver(board, now, una, blocks, seen);
        if !self.rules.host.options.sack {
            congestion.on_arrivals(now, acked, delivered.count);
            congestion.on_returned(delivered.returned);
        }
        congestion.on_acknowledged(una);
        Some((delivered, duplicates))
    }

    /// Returns whether a block reports a segment that left before the newest copy of the oldest outstanding one, which
    /// may then still arrive: the timer restarts, but does not go on for ever in recovery (`tcp_clean_rtx_queue`).
    fn shows_head_may_arrive(&self, now: Time, delivered: &Delivered) -> bool {
        let head = || self.board.entry(self.board.una());
        delivered.times.longest_sacked().is_some_and(|rtt| head().is_some_and(|head| rtt > now.since(head.sent())))
    }

    /// Lets RACK know a round-trip sample, on a Linux host.
    pub(super) fn take_in_rtt(&mut self, rtt: Span) {
        if let Recovery::Linux(linux) = &mut self.recovery {
            linux.on_rtt(rtt);
        }
    }

    /// Looks for losses; `advanced` if an acknowledgement has just acknowledged new data.
    fn find_losses(&mut self, now: Time, advanced: bool) -> Found {
        match &mut self.recovery {
            Recovery::Linux(linux) => linux.find_losses(&mut self.board, now, self.rtt.smoothed_linux(), advanced),
            Recovery::Bsd(_) => Found::default(),
        }
    }

    fn carry_out(&mut self, now: Time, consequences: Consequences<Controller>, out: &mut Outbox) {
        let Consequences { repaired, spurious, needless, recovered } = consequences;
        if let Some(sent) = repaired {
            self.report_repaired(now, sent, out);
        }
        if let Some(saved) = spurious {
            self.restore(now, &saved, out);
        }
        if let Some(saved) = needless
            && saved.output().window > self.congestion.output().window
        {
            self.restore(now, &saved, out);
        }
        if recovered {
            self.report_recovered(now, out);
            self.note_window(now);
        }
    }

    fn begin_recovery(&mut self, now: Time, out: &mut Outbox) {
        let saved = self.congestion.saved();
        let Recovery::Linux(linux) = &self.recovery else { return };
        let cut = linux.cuts().then(|| {
            let lost = self.board.oldest_lost().unwrap_or(self.board.una());
            self.cut(|sender| {
                sender.report_loss(now, lost, out);
            })
        });
        if let Recovery::Linux(linux) = &mut self.recovery {
            linux.begin(&self.board, saved, cut);
        }
    }

    fn answer_mark_on_linux(&mut self, now: Time, una: u64, out: &mut Outbox) {
        let is_open = matches!(&self.recovery, Recovery::Linux(linux) if linux.is_open());
        if !is_open || !self.ecn.hears_mark(una) {
            return;
        }
        let cut = self.cut(|sender| sender.report_mark(now, out));
        if let Recovery::Linux(linux) = &mut self.recovery {
            linux.begin_cwr(&self.board, cut);
        }
    }

    /// Lets the algorithm cut the window.
    fn cut(&mut self, cut: impl FnOnce(&mut Self)) -> Cut {
        let before = self.congestion.output().window.floor().as_u64();
        cut(self);
        Cut { before, after: self.congestion.output().window.floor().as_u64() }
    }

    /// Handles the two timers beside the retransmission timer, as far as they are due.
    pub(super) fn on_linux_timer(&mut self, now: Time, out: &mut Outbox) {
        if matches!(&self.recovery, Recovery::Linux(linux) if linux.is_reordering_due(now)) {
            self.on_reordering_timer(now, out);
        }
        self.send_probe(now, out);
    }

    /// RFC 8985, section 6.3: segments are lost once their time for reordering has passed.
    fn on_reordering_timer(&mut self, now: Time, out: &mut Outbox) {
        let found = self.find_losses(now, false);
        if !found.any {
            return;
        }
        if matches!(&self.recovery, Recovery::Linux(linux) if linux.is_recovering()) {
            self.congestion.report_lost(&mut self.board);
        } else {
            self.begin_recovery(now, out);
            if let Recovery::Linux(linux) = &mut self.recovery {
                linux.reduce(&self.board, 1, false, found);
            }
        }
        self.send(now, UNLIMITED, out);
    }

    /// Sends a tail loss probe, if it is due.
    fn send_probe(&mut self, now: Time, out: &mut Outbox) {
        let new = self.new_segment();
        let Recovery::Linux(linux) = &mut self.recovery else { return };
        if let Some(segment) = linux.take_probe(&self.board, now, new) {
            let next = self.board.next();
            self.transmit(now, segment, out);
            self.note_use(now, next, false);
            self.restart_timer(now);
        }
    }

    /// Records the use of the window (`tcp_write_xmit`), if a new segment has left since `next` was the next one, or if
    /// the window holds one back; `waits` if there was one.
    pub(super) fn note_use(&mut self, now: Time, next: u64, waits: bool) {
        let limited = self.is_window_full();
        let (una, outstanding, newest) = (self.board.una(), self.board.unacknowledged(), self.board.next());
        let Recovery::Linux(linux) = &mut self.recovery else { return };
        if newest == next && !(waits && limited) {
            return;
        }
        linux.usage.note(Use { limited, outstanding, una, next: newest });
        if self.is_window_limited_on_linux() {
            self.note_window(now);
        } else if self.restarts_slowly() {
            self.shrink_unused(now, outstanding);
        }
    }

    /// Shrinks the window of an application that has long had less to send; not while it has more than the receiver
    /// takes, nor in recovery.
    fn shrink_unused(&mut self, now: Time, outstanding: Segments) {
        let windows = (self.congestion.output().window.floor(), self.rules.initial_window);
        let timeout = self.rtt.timeout();
        let is_calm = self.board.sacked() == 0 && self.board.next() >= self.queue.written();
        let Recovery::Linux(linux) = &mut self.recovery else { return };
        let is_calm = is_calm && linux.is_open();
        let most = linux.usage.unused((now, timeout), outstanding, windows);
        if let Some(most) = most.filter(|_| is_calm) {
            self.congestion.on_unused(now, most);
        }
    }

    /// The window is in use, or another one.
    pub(super) fn note_window(&mut self, now: Time) {
        if let Recovery::Linux(linux) = &mut self.recovery {
            linux.usage.begin(now);
        }
    }

    /// Returns whether the kernel lets the window grow. A control that decides on recovery has no slow start that the
    /// kernel knows (`cong_control`).
    pub(super) fn is_window_limited_on_linux(&self) -> bool {
        let Recovery::Linux(linux) = &self.recovery else { return false };
        let Status { window, phase, .. } = self.congestion.status();
        let opens = phase == Phase::SlowStart && !self.congestion.owns_recovery();
        linux.usage.lets_grow(opens.then(|| window.floor()))
    }

    /// Sets the timer of the tail loss probe, on a Linux host.
    pub(super) fn arm_probe(&mut self, now: Time) {
        if let Recovery::Linux(linux) = &mut self.recovery {
            linux.arm_probe(&self.board, now, self.rtt.smoothed_linux(), self.timer.due());
        }
    }

    /// The next segment that was never sent, if the application and the receive window allow it.
    pub(super) fn new_segment(&self) -> Option<u64> {
        self.next_new(self.receive_window())
    }
}
