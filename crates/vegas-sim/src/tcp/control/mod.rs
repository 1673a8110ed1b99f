//! What a sender tells its congestion control. How losses are found is in [`super::recovery`] and [`super::linux`], what
//! is told only to controls that ask in [`detail`], which controls there are beside compositions in [`special`].

mod detail;
mod special;

use std::sync::Arc;

use vegas_core::units::{Segments, SendIndex, Span, Time, Window};
use vegas_core::{Ack, Algorithm, CongestionControl, Controller, Loss, LossKind, Phase, Restart};

use super::Outbox;
use super::scoreboard::Entry;
use super::sender::Sender;
pub(super) use detail::Detail;
use detail::News;
pub(super) use special::Special;

use crate::scenario::FlowSpec;
use crate::util::random::Stream;

/// The congestion control of a flow.
pub(super) type Control = Controller<Arc<Algorithm>, Box<Special>>;

/// The flow's control, with random numbers of its own if it is one that may draw them.
pub(super) fn control(flow: u32, spec: &FlowSpec, seed: u64) -> Control {
    let algorithm = Algorithm::new(spec.composition, spec.parameters).expect("validation checked the parts");
    let seed = || Stream::named(seed, &format!("control {flow}")).below(u64::MAX);
    match &spec.own {
        Some(own) => Controller::Standalone(Box::new(Special::Own(own.program().start(&spec.parameters, seed())))),
        None => Controller::start(Arc::new(algorithm), spec.standalone, spec.standalone.map_or(0, |_| seed())),
    }
}

/// What an acknowledgement found before it was counted, and whether the host repairs losses after it.
#[derive(Clone, Copy)]
pub(super) struct AckContext {
    pub(super) in_recovery: bool,
    pub(super) in_flight: Segments,
    pub(super) next: SendIndex,
    pub(super) window_limited: bool,
}

/// What an event has done to the window.
#[derive(Clone, Copy)]
pub(super) struct WindowChange {
    pub(super) before: Window,
    pub(super) after: Window,
    pub(super) left_slow_start: bool,
}

impl WindowChange {
    /// Since the control had this window in this phase.
    #[inline(always)]
    pub(super) fn since((before, phase): (Window, Phase), control: &impl CongestionControl) -> Self {
        let left_slow_start = phase == Phase::SlowStart && control.status().phase == Phase::Avoidance;
        WindowChange { before, after: control.output().window, left_slow_start }
    }
}

/// Tells an acknowledgement.
#[inline(always)]
fn tell_to(control: &mut impl CongestionControl, ack: &Ack) -> WindowChange {
    let status = control.status();
    control.on_ack(ack);
    WindowChange::since((status.window, status.phase), control)
}

impl Sender {
    #[inline(always)]
    pub(super) fn ack_context<const PLAIN: bool>(&self) -> AckContext {
        AckContext {
            in_recovery: false,
            in_flight: self.unacknowledged(),
            next: SendIndex(self.next),
            window_limited: !PLAIN && self.rules.asks_what_limits && self.is_window_limited(),
        }
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
        let News { delivered, lost, rate, feedback, one_way_delay } =
            if PLAIN { News::default() } else { self.take_news(now, rtt) };
        let is_usual = !before.in_recovery && acked > Segments(0);
        if !PLAIN && !is_usual && !self.hears_all() {
            return;
        }
        let newest = SendIndex(self.board.una().saturating_sub(1));
        let ce_marked = if !PLAIN && self.ecn.echoed() { acked.0 } else { 0 };
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
            in_recovery: !PLAIN && before.in_recovery,
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

    /// By value, so that a composition's acknowledgement need not lie in memory.
    #[cold]
    #[inline(never)]
    fn tell_standalone(&mut self, ack: Ack, out: &mut Outbox) {
        let change = tell_to(&mut self.control, &ack);
        self.note_window(ack.now, change, out);
    }

    /// A duplicate acknowledgement, for a control that hears all.
    pub(super) fn tell_duplicate(&mut self, now: Time, out: &mut Outbox) {
        if self.hears_all() {
            let in_recovery = self.repair.in_recovery();
            self.tell_ack::<false>(
                now,
                Segments(0),
                None,
                AckContext { in_recovery, ..self.ack_context::<false>() },
                out,
            );
        }
    }

    /// Whether the control hears acknowledgements in recovery and duplicate ones.
    #[inline]
    pub(super) fn hears_all(&self) -> bool {
        self.detail.as_ref().is_some_and(|detail| detail.needs.every_ack)
    }

    /// What the acknowledgement under way tells besides.
    fn take_news(&mut self, now: Time, rtt: Option<Span>) -> News {
        self.tell_lost_segments();
        let lost = self.board.found_lost();
        let Some(detail) = &mut self.detail else { return News::default() };
        if let Some(rtt) = rtt {
            detail.on_rtt(rtt);
        }
        detail.take_news(now, rtt, lost)
    }

    /// Recovery is over.
    pub(super) fn tell_recovered(&mut self, now: Time, out: &mut Outbox) {
        if self.hears_all() {
            let before = self.window_and_phase();
            self.control.on_recovered(now);
            self.note_change(now, before, out);
        }
    }

    #[inline(never)]
    pub(super) fn tell_restart(&mut self, now: Time) {
        let idle = self.timers.pacer.since_last(now);
        self.control.on_restart(&Restart { now, next: SendIndex(self.next), idle });
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
            lost: self.newly_lost(),
        };
        self.tell(&loss, out)
    }

    /// Reports a loss to the algorithm; whether it cut the window.
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

    /// Tells which segments were found lost since the last call, if the control asks.
    pub(super) fn tell_lost_segments(&mut self) {
        let Some(detail) = self.detail.as_mut().filter(|detail| detail.needs.each_loss) else { return };
        for segment in self.board.take_lost() {
            if let Some(lost) = detail.on_lost(segment) {
                self.control.on_segment_lost(&lost);
            }
        }
    }

    /// Segments found lost since the control heard last, 1 at least; counted only for controls that ask.
    pub(super) fn newly_lost(&mut self) -> Segments {
        self.tell_lost_segments();
        let lost = self.board.found_lost();
        let new = self.detail.as_mut().map_or(Segments(1), |detail| detail.newly_lost(lost));
        new.max(Segments(1))
    }

    /// The newest loss was none: `saved` is the control before it.
    pub(super) fn restore(&mut self, now: Time, saved: &Control, out: &mut Outbox) {
        let before = self.window_and_phase();
        self.control.on_spurious(saved);
        self.note_change(now, before, out);
    }
}
