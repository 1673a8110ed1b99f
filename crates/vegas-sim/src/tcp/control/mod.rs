//! What a sender reports to its congestion control, and what that sets. [`detail`] measures what only some controls ask
//! for, and [`history`] records the window.

mod detail;
mod history;

use vegas_core::units::{Bytes, Segments, SendIndex, Span, Time, Window};
use vegas_core::{
    Ack, Algorithm, Composed, CongestionControl, Controller, Loss, Needs, Output, Restart, RouterFeedback, Sent, Status,
};

use super::ecn::Marks;
use super::recovery::scoreboard::Scoreboard;
use crate::scenario::{FlowSpec, HostKind};
use detail::{Detail, News};
use history::{Effect, WindowHistory};

/// A sender's congestion control, with the measurements that it asks for.
#[derive(Clone, Debug)]
pub(super) struct Congestion {
    control: Controller,
    /// The events beyond the usual ones, if the control asks for them.
    detail: Option<Box<Detail>>,
    history: WindowHistory,
}

/// An acknowledgement, as far as the sender knows it without the measurements of [`Detail`].
#[derive(Clone, Copy)]
pub(super) struct AckReport {
    pub(super) now: Time,
    pub(super) acked: Segments,
    pub(super) rtt: Option<Span>,
    pub(super) marks: Marks,
    pub(super) in_recovery: bool,
    /// The state before the acknowledgement was counted.
    pub(super) before: Before,
}

/// The sender's state before an acknowledgement is counted.
#[derive(Clone, Copy)]
pub(super) struct Before {
    pub(super) in_flight: Segments,
    pub(super) next: SendIndex,
    pub(super) window_limited: bool,
}

/// The flow's parts and numbers. On a Linux host a composition that is all there is of the control has the rule of the
/// kernel's Reno for a window that does not limit the sender, unless it brings one.
fn algorithm_of(spec: &FlowSpec) -> Algorithm {
    let algorithm = Algorithm::new(spec.composition, spec.parameters).expect("validation checked the parts");
    let is_whole = spec.standalone.is_none() && !spec.composition.drains();
    if spec.host.kind == HostKind::Linux && is_whole { algorithm.heeding_limit() } else { algorithm }
}

/// Passes an acknowledgement to a composition; returns whether that left slow start.
#[inline(always)]
fn report_to_composition(control: &mut Composed, history: &mut WindowHistory, ack: &Ack) -> bool {
    let before = control.status();
    control.on_ack(ack);
    history.note(ack.now, &before, control).left_slow_start
}

impl Congestion {
    /// Creates the flow's control, and returns what it asks for; `seed` is called if it may draw random numbers.
    pub(super) fn new(spec: &FlowSpec, seed: impl FnOnce() -> u64) -> (Self, Needs) {
        let needs = spec.needs();
        let control = match &spec.own {
            Some(own) => own.program().start(&spec.parameters, seed()),
            None => {
                let seed = spec.standalone.map_or(0, |_| seed());
                Controller::start(algorithm_of(spec), spec.standalone, seed)
            }
        };
        (Congestion { control, detail: Detail::new(needs), history: WindowHistory::new() }, needs)
    }

    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.detail.as_ref().map_or(0, |detail| detail.memory_bytes()) + self.control.memory_bytes()
    }

    /// The window, and the pace if the control has one.
    #[inline(always)]
    pub(super) fn output(&self) -> Output {
        self.control.output()
    }

    /// The window, the threshold and the control's other values for the tables.
    pub(super) fn status(&self) -> Status {
        self.control.status()
    }

    /// Begins the measurement of the window.
    pub(super) fn begin(&mut self, now: Time) {
        self.history.begin(now);
    }

    /// The mean of the window from `start`, at which the measurement began, to `end`, segments.
    pub(super) fn mean_window(&self, start: Time, end: Time) -> f64 {
        self.history.mean(start, end, self.output().window)
    }

    /// The time of the first exit from slow start, and the window before the cut.
    pub(super) fn slow_start_exit(&self) -> Option<(Time, Window)> {
        self.history.slow_start_exit()
    }

    /// The algorithm as it is now, for [`Self::restore`].
    pub(super) fn saved(&self) -> Controller {
        self.control.clone()
    }

    /// Returns whether anything is measured for the control.
    pub(super) fn measures(&self) -> bool {
        self.detail.is_some()
    }

    /// What the control asks for beyond the usual events.
    fn needs(&self) -> Needs {
        self.detail.as_ref().map_or(Needs::NONE, |detail| detail.needs)
    }

    /// Returns whether the control asks for one-way delays.
    pub(super) fn measures_delays(&self) -> bool {
        self.needs().one_way_delay
    }

    /// Returns whether the control also sets the window in recovery.
    pub(super) fn owns_recovery(&self) -> bool {
        self.needs().own_recovery
    }

    /// Returns whether the control asks for every acknowledgement, also in recovery and duplicate ones.
    pub(super) fn hears_all(&self) -> bool {
        self.needs().every_ack
    }
}

/// Events, for controls that ask for them: what the sender sends, and what the network says beside its
/// acknowledgements.
impl Congestion {
    /// Reports the payload of a full segment.
    pub(super) fn on_segment_size(&mut self, payload: Bytes) {
        self.control.on_segment_size(payload);
    }

    /// Reports the round-trip time of the handshake.
    pub(super) fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.control.on_handshake(now, rtt);
    }

    /// Records that a segment is about to leave, for the first time or again. Beside it the scoreboard's `outstanding`
    /// segments are not acknowledged, and `others` of them in flight.
    pub(super) fn on_send(
        &mut self,
        segment: u64,
        now: Time,
        (outstanding, others): (u64, Segments),
        retransmission: bool,
    ) {
        let Some(detail) = &mut self.detail else { return };
        detail.on_send(segment, now, others, outstanding == 0);
        if detail.needs.sent {
            let in_flight = Segments(others.0 + 1);
            self.control.on_sent(&Sent { now, index: SendIndex(segment), in_flight, retransmission });
        }
    }

    /// Records that the application limits the sender: the window has room, and there is nothing to send.
    pub(super) fn on_app_limited(&mut self, in_flight: Segments) {
        if let Some(detail) = &mut self.detail {
            detail.on_app_limited(in_flight);
        }
    }

    /// Reports that the application sends again after everything was acknowledged; `next` leaves next, `idle` after the
    /// last departure.
    pub(super) fn on_restart(&mut self, now: Time, next: u64, idle: Span) {
        self.control.on_restart(&Restart { now, next: SendIndex(next), idle });
    }

    /// Reports that a retransmission is about to leave while nothing is in flight; `next` is the next new segment.
    pub(super) fn on_lone_retransmission(&mut self, now: Time, next: u64) {
        self.control.on_lone_retransmission(SendIndex(next), now);
    }

    /// Reports that the window was not used: it becomes `most`, if it is larger.
    pub(super) fn on_unused(&mut self, now: Time, most: Segments) {
        self.report(now, |control| control.on_unused(Window::whole(most)));
    }

    /// Records, before an acknowledgement is counted, what its header says: the stamps of routers, if they were asked
    /// for, and when the newest data packet arrived.
    pub(super) fn on_header(&mut self, feedback: Option<RouterFeedback>, arrived: Time) {
        if let Some(detail) = &mut self.detail {
            detail.feedback = feedback;
            detail.arrived = arrived;
        }
    }

    /// Records that a segment was reported received for the first time; `sent` is its newest departure.
    pub(super) fn on_delivered(&mut self, segment: u64, now: Time, sent: Time) {
        if let Some(detail) = &mut self.detail {
            detail.on_delivered(segment, now, sent);
        }
    }

    /// Counts an acknowledgement of `acked` segments without SACK, which were recorded, as `arrivals`.
    pub(super) fn on_arrivals(&mut self, now: Time, acked: u64, arrivals: u64) {
        if let Some(detail) = &mut self.detail {
            detail.on_arrivals(now, acked, arrivals);
        }
    }

    /// Reports that segments count as in flight again.
    pub(super) fn on_returned(&mut self, segments: u64) {
        if segments > 0 {
            self.control.on_returned(Segments(u32::try_from(segments).unwrap_or(u32::MAX)));
        }
    }

    /// Records that everything before `una` is acknowledged.
    pub(super) fn on_acknowledged(&mut self, una: u64) {
        if let Some(detail) = &mut self.detail {
            detail.on_ack(una);
        }
    }
}

/// Events that may change the window.
impl Congestion {
    /// Reports an acknowledgement, if the control asks for it; `USUAL` if the sender is plain and recovery idle.
    /// Returns whether the control left slow start.
    #[inline(always)]
    pub(super) fn on_ack<const USUAL: bool>(&mut self, board: &mut Scoreboard, report: AckReport) -> bool {
        let AckReport { now, acked, rtt, marks, in_recovery, before } = report;
        let News { delivered, lost, rate, feedback, one_way_delay } =
            if USUAL { News::default() } else { self.take_news(board, now, rtt) };
        let is_usual = !in_recovery && acked > Segments(0);
        if !USUAL && !is_usual && !self.hears_all() {
            return false;
        }
        let newest = SendIndex(board.una().saturating_sub(1));
        let ack = || Ack {
            now,
            rtt,
            acked,
            in_flight: before.in_flight,
            newest,
            next: before.next,
            window_limited: before.window_limited,
            ce_marked: if USUAL { 0 } else { marks.count(acked.0, delivered.0) },
            feedback,
            in_recovery: !USUAL && in_recovery,
            delivered,
            lost,
            one_way_delay,
            rate,
        };
        match &mut self.control {
            Controller::Composed(control) => report_to_composition(control, &mut self.history, &ack()),
            Controller::Boxed(_) => self.report_boxed(ack()),
        }
    }

    /// Passes an acknowledgement to a control that is no composition. It takes `ack` by value, so that the
    /// acknowledgement of a composition need not lie in memory.
    #[cold]
    #[inline(never)]
    fn report_boxed(&mut self, ack: Ack) -> bool {
        self.report(ack.now, |control| control.on_ack(&ack)).left_slow_start
    }

    /// Takes the measurements of the current acknowledgement for a control that asks for them.
    fn take_news(&mut self, board: &mut Scoreboard, now: Time, rtt: Option<Span>) -> News {
        self.report_lost(board);
        let Some(detail) = &mut self.detail else { return News::default() };
        if let Some(rtt) = rtt {
            detail.on_rtt(rtt);
        }
        detail.take_news(now, rtt, board.found_lost())
    }

    /// Reports a loss, or a mark.
    pub(super) fn on_loss(&mut self, loss: &Loss) -> Effect {
        self.report(loss.now, |control| control.on_loss(loss))
    }

    /// Returns the number of segments found lost since the control's previous event, 1 at least; only controls that ask
    /// get more than 1.
    pub(super) fn newly_lost(&mut self, board: &mut Scoreboard) -> Segments {
        self.report_lost(board);
        let new = self.detail.as_mut().map_or(Segments(1), |detail| detail.newly_lost(board.found_lost()));
        new.max(Segments(1))
    }

    /// Reports each segment found lost since the last call, if the control asks for them.
    pub(super) fn report_lost(&mut self, board: &mut Scoreboard) {
        let Some(detail) = self.detail.as_mut().filter(|detail| detail.needs.each_loss) else { return };
        for segment in board.take_lost() {
            if let Some(lost) = detail.on_lost(segment) {
                self.control.on_segment_lost(&lost);
            }
        }
    }

    /// Reports the end of recovery, if the control asks for it; returns whether the control left slow start.
    pub(super) fn on_recovered(&mut self, now: Time) -> bool {
        self.hears_all() && self.report(now, |control| control.on_recovered(now)).left_slow_start
    }

    /// Undoes the newest reaction to a loss, because nothing was lost; `saved` is the control before the reaction.
    /// Returns whether the control left slow start.
    pub(super) fn restore(&mut self, now: Time, saved: &Controller) -> bool {
        self.report(now, |control| control.on_spurious(saved)).left_slow_start
    }

    /// Passes an event to the control.
    fn report(&mut self, now: Time, event: impl FnOnce(&mut Controller)) -> Effect {
        let before = self.control.status();
        event(&mut self.control);
        self.history.note(now, &before, &*self.control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    fn congestion(algorithm: &str) -> Congestion {
        let text = format!(
            "name = 'x'\nduration = '1s'\n[topology]\nkind = 'dumbbell'\naccess = {{ rate = '1gbit', delay = '1ms' }}\n\
             bottleneck = {{ rate = '1mbit', delay = '48ms', queue = '9p' }}\n[[flow]]\nalgorithm = '{algorithm}'\n"
        );
        let scenario = Scenario::from_toml(&text, "x", &[]).unwrap_or_else(|error| panic!("{error}"));
        Congestion::new(&scenario.flows[0], || 1).0
    }

    fn report(acked: u32, in_recovery: bool) -> AckReport {
        let before = Before { in_flight: Segments(1), next: SendIndex(1), window_limited: true };
        let rtt = Some(Span::from_millis(100));
        AckReport { now: ms(10), acked: Segments(acked), rtt, marks: Marks::None, in_recovery, before }
    }

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    fn board() -> Scoreboard {
        let mut board = Scoreboard::new(3);
        board.on_first_transmission(Time::ZERO);
        board.advance(1);
        board.on_ack(1, |_, _| {});
        board
    }

    /// Reno hears of acknowledgements of new data outside of recovery only. BBR asks for all, and changes with them.
    #[test]
    fn a_control_hears_what_it_asks_for() {
        for (algorithm, hears_all) in [("reno", false), ("bbr1", true)] {
            let (mut congestion, mut board) = (congestion(algorithm), board());
            assert_eq!((congestion.measures(), congestion.hears_all()), (hears_all, hears_all));
            let before = format!("{:?}", congestion.saved());
            congestion.on_ack::<false>(&mut board, report(0, false));
            congestion.on_ack::<false>(&mut board, report(1, true));
            congestion.on_recovered(ms(20));
            assert_eq!(format!("{:?}", congestion.saved()) != before, hears_all, "{algorithm}");
        }
    }

    /// By hand: the window is 1 until 10 ms, then 2, and after a timeout at 30 ms 1 again. The mean of 40 ms is
    /// (10 + 2 x 20 + 10) / 40.
    #[test]
    fn the_window_is_recorded_as_it_changes() {
        let mut reno = congestion("reno");
        reno.begin(Time::ZERO);
        assert!(!reno.on_ack::<false>(&mut board(), report(1, false)));
        assert_eq!(reno.output().window, Window::whole(Segments(2)));
        let timeout = Loss {
            now: ms(30),
            kind: vegas_core::LossKind::Timeout,
            sent: ms(0),
            retransmission: false,
            in_flight: Segments(2),
            next: SendIndex(2),
            lost: Segments(1),
            threshold_holds: false,
        };
        assert!(reno.on_loss(&timeout).changed);
        assert_eq!(reno.mean_window(Time::ZERO, ms(40)), 1.5);
        assert_eq!(reno.mean_window(Time::ZERO, Time::ZERO), 1.0);
    }
}
