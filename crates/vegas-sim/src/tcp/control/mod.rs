//! The events that a sender reports to its congestion control. [`detail`] has what only some controls ask for, and
//! [`special`] the controls that are no compositions.

mod detail;
mod special;

use std::sync::Arc;

use vegas_core::units::{Segments, SendIndex, Span, Time, Window};
use vegas_core::{Ack, Algorithm, CongestionControl, Controller, Loss, LossKind, Phase, Restart};

use super::Outbox;
use super::recovery::scoreboard::Entry;
use super::sender::Sender;
pub(super) use detail::Detail;
use detail::News;
pub(super) use special::Special;

use crate::scenario::FlowSpec;

/// The congestion control of a flow.
pub(super) type Control = Controller<Arc<Algorithm>, Box<Special>>;

/// Creates the flow's control; `seed` is called if the control may draw random numbers.
pub(super) fn control(spec: &FlowSpec, seed: impl FnOnce() -> u64) -> Control {
    let algorithm = Algorithm::new(spec.composition, spec.parameters).expect("validation checked the parts");
    match &spec.own {
        Some(own) => Controller::Standalone(Box::new(Special::Own(own.program().start(&spec.parameters, seed())))),
        None => Controller::start(Arc::new(algorithm), spec.standalone, spec.standalone.map_or(0, |_| seed())),
    }
}

/// The sender's state before an acknowledgement is counted; `in_recovery` is its state after that.
#[derive(Clone, Copy)]
pub(super) struct AckContext {
    pub(super) in_recovery: bool,
    pub(super) in_flight: Segments,
    pub(super) next: SendIndex,
    pub(super) window_limited: bool,
}

/// The effect of an event on the window.
#[derive(Clone, Copy)]
pub(super) struct WindowChange {
    pub(super) before: Window,
    pub(super) after: Window,
    pub(super) left_slow_start: bool,
}

impl WindowChange {
    /// Compares the control's window and phase with those before the event.
    #[inline(always)]
    pub(super) fn since((before, phase): (Window, Phase), control: &impl CongestionControl) -> Self {
        let left_slow_start = phase == Phase::SlowStart && control.status().phase == Phase::Avoidance;
        WindowChange { before, after: control.output().window, left_slow_start }
    }
}

/// Passes an acknowledgement to the control; returns its effect on the window.
#[inline(always)]
fn tell_to(control: &mut impl CongestionControl, ack: &Ack) -> WindowChange {
    let status = control.status();
    control.on_ack(ack);
    WindowChange::since((status.window, status.phase), control)
}

impl Sender {
    #[inline(always)]
    pub(super) fn ack_context<const USUAL: bool>(&self) -> AckContext {
        AckContext {
            in_recovery: false,
            in_flight: self.board.unacknowledged(),
            next: SendIndex(self.board.next()),
            window_limited: !USUAL && self.rules.asks_what_limits && self.is_window_limited(),
        }
    }

    #[inline(always)]
    pub(super) fn tell_ack<const USUAL: bool>(
        &mut self,
        now: Time,
        acked: Segments,
        rtt: Option<Span>,
        before: AckContext,
        out: &mut Outbox,
    ) {
        let News { delivered, lost, rate, feedback, one_way_delay } =
            if USUAL { News::default() } else { self.take_news(now, rtt) };
        let is_usual = !before.in_recovery && acked > Segments(0);
        if !USUAL && !is_usual && !self.hears_all() {
            return;
        }
        let newest = SendIndex(self.board.una().saturating_sub(1));
        let ce_marked = if !USUAL && self.ecn.echoed() { acked.0 } else { 0 };
        let ack = || Ack {
            now,
            rtt,
            acked,
            in_flight: before.in_flight,
            newest,
            next: before.next,
            window_limited: before.window_limited,
            ce_marked,
            feedback,
            in_recovery: !USUAL && before.in_recovery,
            delivered,
            lost,
            one_way_delay,
            rate,
        };
        match &mut self.control {
            Controller::Composed(composed) => {
                let change = tell_to(composed, &ack());
                self.note_window(now, change, out);
            }
            Controller::Standalone(_) => self.tell_standalone(ack(), out),
        }
    }

    /// Passes an acknowledgement to a standalone control. It takes `ack` by value, so that the acknowledgement of a
    /// composition need not lie in memory.
    #[cold]
    #[inline(never)]
    fn tell_standalone(&mut self, ack: Ack, out: &mut Outbox) {
        let change = tell_to(&mut self.control, &ack);
        self.note_window(ack.now, change, out);
    }

    /// Reports a duplicate acknowledgement to a control that asks for every acknowledgement.
    pub(super) fn tell_duplicate(&mut self, now: Time, out: &mut Outbox) {
        if self.hears_all() {
            let in_recovery = self.in_recovery();
            self.tell_ack::<false>(
                now,
                Segments(0),
                None,
                AckContext { in_recovery, ..self.ack_context::<false>() },
                out,
            );
        }
    }

    /// Returns whether the control asks for every acknowledgement, also in recovery and duplicate ones.
    #[inline]
    pub(super) fn hears_all(&self) -> bool {
        self.detail.as_ref().is_some_and(|detail| detail.needs.every_ack)
    }

    /// Takes the measurements of the current acknowledgement for a control that asks for them.
    fn take_news(&mut self, now: Time, rtt: Option<Span>) -> News {
        self.tell_lost_segments();
        let lost = self.board.found_lost();
        let Some(detail) = &mut self.detail else { return News::default() };
        if let Some(rtt) = rtt {
            detail.on_rtt(rtt);
        }
        detail.take_news(now, rtt, lost)
    }

    /// Reports the end of recovery to a control that asks for every acknowledgement.
    pub(super) fn tell_recovered(&mut self, now: Time, out: &mut Outbox) {
        if self.hears_all() {
            let before = self.window_and_phase();
            self.control.on_recovered(now);
            self.note_change(now, before, out);
        }
    }

    #[inline(never)]
    pub(super) fn tell_restart(&mut self, now: Time) {
        let idle = self.pacer.since_last(now);
        self.control.on_restart(&Restart { now, next: SendIndex(self.board.next()), idle });
    }

    /// Reports the loss of `segment` to the algorithm; returns whether the algorithm cut the window.
    pub(super) fn tell_loss(&mut self, now: Time, kind: LossKind, segment: u64, out: &mut Outbox) -> bool {
        let entry = self.board.entry(segment);
        let loss = Loss {
            now,
            kind,
            sent: entry.map_or(Time::ZERO, Entry::sent),
            retransmission: entry.is_some_and(Entry::is_repeated),
            in_flight: self.board.unacknowledged(),
            next: SendIndex(self.board.next()),
            lost: self.newly_lost(),
        };
        self.tell(&loss, out)
    }

    /// Reports a loss to the algorithm; returns whether the algorithm cut the window.
    pub(super) fn tell(&mut self, loss: &Loss, out: &mut Outbox) -> bool {
        let before = self.window_and_phase();
        self.control.on_loss(loss);
        self.note_change(loss.now, before, out);
        let reduced = self.control.output().window != before.0;
        if reduced {
            self.ecn.on_reduction(self.board.max());
        }
        reduced
    }

    /// Reports each segment found lost since the last call, if the control asks for them.
    pub(super) fn tell_lost_segments(&mut self) {
        let Some(detail) = self.detail.as_mut().filter(|detail| detail.needs.each_loss) else { return };
        for segment in self.board.take_lost() {
            if let Some(lost) = detail.on_lost(segment) {
                self.control.on_segment_lost(&lost);
            }
        }
    }

    /// Returns the number of segments found lost since the control's previous event, 1 at least; only controls that ask
    /// get more than 1.
    pub(super) fn newly_lost(&mut self) -> Segments {
        self.tell_lost_segments();
        let lost = self.board.found_lost();
        let new = self.detail.as_mut().map_or(Segments(1), |detail| detail.newly_lost(lost));
        new.max(Segments(1))
    }

    /// Undoes the newest reaction to a loss, because nothing was lost; `saved` is the control before the reaction.
    pub(super) fn restore(&mut self, now: Time, saved: &Control, out: &mut Outbox) {
        let before = self.window_and_phase();
        self.control.on_spurious(saved);
        self.note_change(now, before, out);
    }
}
