//! Which of `vegas-next`'s parts a connection has, and the composition that decides in the place of the others.
//!
//! A [`Guest`] is a composition inside of the machinery: its slow start, avoidance and response to loss steer the
//! window, with the base RTT that drains show, while the flow neither drains nor competes.

use core::fmt;

use super::{Stage, VegasNext};
use crate::composition::Composition;
use crate::composition::algorithm::Algorithm;
use crate::composition::composed::Composed;
use crate::composition::parts::avoidance::Avoidance;
use crate::composition::parts::beside::{BaseRtt, Rivals};
use crate::composition::parts::slow_start::SlowStart;
use crate::contract::{Ack, CongestionControl, Loss, Output, Phase, Status};
use crate::units::{SendIndex, Span, Time, Window};

/// Which parts a connection has: those of the preset, or those that a composition names.
pub(crate) trait Parts: Clone + fmt::Debug + PartialEq {
    fn selected(&self) -> Option<&Selected> {
        None
    }

    fn selected_mut(&mut self) -> Option<&mut Selected> {
        None
    }

    /// Whether drains show the base RTT.
    fn by_drains(&self) -> bool {
        self.selected().is_none_or(|parts| parts.base_rtt == BaseRtt::Drains)
    }

    fn competes(&self) -> bool {
        self.selected().is_none_or(|parts| parts.rivals == Rivals::Compete)
    }

    /// Whether the flow drains.
    fn drains(&self) -> bool {
        self.by_drains() || self.competes()
    }

    /// The composition that decides.
    fn guest(&self) -> Option<&Guest> {
        self.selected()?.guest.as_ref()
    }

    fn guest_mut(&mut self) -> Option<&mut Guest> {
        self.selected_mut()?.guest.as_mut()
    }

    /// Another slow start sets the window now ([`crate::held::joined`]).
    fn follows(&self) -> bool {
        self.selected().is_some_and(|parts| parts.follows)
    }

    fn set_follows(&mut self, follows: bool) {
        if let Some(parts) = self.selected_mut() {
            parts.follows = follows && parts.is_led;
        }
    }
}

/// The preset: all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct All;

impl Parts for All {}

/// Those that a composition names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selected {
    base_rtt: BaseRtt,
    rivals: Rivals,
    guest: Option<Guest>,
    follows: bool,
    /// Another slow start was given, which sets the window after a timeout, too.
    is_led: bool,
}

/// A composition, or its avoidance alone, inside of the machinery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guest {
    parts: Composed,
    /// Its slow start opens the window.
    opens: bool,
    /// Its cut answers losses.
    answers: bool,
    /// The window was set by others since its newest decision.
    is_paused: bool,
}

impl Selected {
    /// Whether this composition replaces parts of `vegas-next` itself.
    pub(crate) fn replaces(preset: &Composition, composition: &Composition) -> bool {
        let of = |parts: &Composition| (parts.base_rtt, parts.rivals, parts.avoidance, parts.slow_start);
        of(preset) != of(composition)
    }

    /// Whether the avoidance of `vegas-next` gives way to a composition's, with the composition's slow start.
    pub(crate) fn has_guest(composition: &Composition) -> bool {
        composition.avoidance != Avoidance::ByRate
    }

    /// The parts of a composition; `is_preset`: of `vegas-next` itself, which opens by its own start if none is given,
    /// and answers losses by its own rule.
    fn of(algorithm: &Algorithm, is_preset: bool) -> Self {
        let composition = algorithm.composition();
        let is_given = composition.slow_start != SlowStart::Reno;
        let has_guest = !is_preset || Selected::has_guest(composition);
        let guest = has_guest.then(|| Guest {
            parts: Composed::new(*algorithm),
            opens: !is_preset || is_given,
            answers: !is_preset,
            is_paused: false,
        });
        let is_led = is_given && !has_guest;
        Selected { base_rtt: composition.base_rtt, rivals: composition.rivals, guest, follows: is_led, is_led }
    }
}

impl Parts for Selected {
    fn selected(&self) -> Option<&Selected> {
        Some(self)
    }

    fn selected_mut(&mut self) -> Option<&mut Selected> {
        Some(self)
    }
}

impl Guest {
    fn window(&self) -> Window {
        self.parts.output().window
    }

    fn stage(&self) -> Stage {
        if self.parts.status().phase == Phase::SlowStart { Stage::Opening } else { Stage::Steady }
    }

    /// Goes on in congestion avoidance from a window that others have set.
    fn resume(&mut self, window: Window, next: SendIndex, now: Time) {
        self.parts.hold_from(window, next, now);
        self.is_paused = false;
    }

    fn tell(&mut self, ack: &Ack, base: Option<Span>) {
        let set_base = |parts: &mut Composed| {
            if let Some(base) = base {
                parts.set_base_rtt(base);
            }
        };
        set_base(&mut self.parts);
        self.parts.on_ack(ack);
        set_base(&mut self.parts);
    }
}

impl VegasNext<Selected> {
    /// The state of a new connection with the parts that the composition names.
    pub(crate) fn with_parts(algorithm: &Algorithm, is_preset: bool) -> Self {
        let mut control = VegasNext::beginning(algorithm.parameters(), Selected::of(algorithm, is_preset));
        if let Some(guest) = control.parts.guest.as_ref().filter(|guest| guest.opens) {
            (control.window, control.stage) = (guest.window(), guest.stage());
        }
        control
    }
}

impl<P: Parts> VegasNext<P> {
    /// Whether the composition decides now.
    #[inline(always)]
    pub(super) fn is_led(&self) -> bool {
        let Some(guest) = self.parts.guest() else { return false };
        let decides = match self.stage {
            Stage::Opening => guest.opens,
            Stage::Steady => self.settling == 0,
            Stage::Draining => false,
        };
        decides && !self.rival.competes
    }

    /// Lets the composition answer an acknowledgement, if it decides now. In congestion avoidance it gets the RTTs of
    /// groups while the window is in use: an application that sends little completes no group in a round. Its slow
    /// start gets RTTs as they are: the queue of its own bursts is what it measures.
    #[inline(always)]
    pub(super) fn lead(&mut self, ack: &Ack, rtt: Option<Span>, group: Option<Span>) -> bool {
        let is_led = self.is_led();
        let (window, by_drains) = (self.window, self.parts.by_drains());
        let base = (by_drains && self.base.is_known()).then(|| self.base.get());
        let in_groups = by_drains && self.stage == Stage::Steady && ack.is_used(window);
        let Some(guest) = self.parts.guest_mut() else { return false };
        match (is_led, guest.is_paused) {
            (false, _) => guest.is_paused = true,
            (true, true) => guest.resume(window, ack.next, ack.now),
            (true, false) => guest.tell(&Ack { rtt: if in_groups { group } else { rtt }, ..*ack }, base),
        }
        if is_led {
            (self.window, self.stage) = (guest.window(), guest.stage());
        }
        is_led
    }

    /// Lets the composition answer a loss or a mark by its own rule; not while the flow competes. Where the flow's own
    /// rule answers, the composition goes on from the window that it leaves.
    #[inline(always)]
    pub(super) fn answer(&mut self, loss: &Loss) -> bool {
        let drains = self.stage == Stage::Draining;
        let before = if drains { self.drain.resume } else { self.window };
        let competes = self.rival.competes;
        let Some(guest) = self.parts.guest_mut() else { return false };
        if !guest.answers || competes {
            guest.is_paused = true;
            return false;
        }
        if guest.is_paused || drains {
            guest.resume(before, loss.next, loss.now);
        }
        guest.parts.on_loss(loss);
        if drains {
            self.drain.resume = guest.window();
        } else {
            (self.window, self.stage) = (guest.window(), guest.stage());
        }
        true
    }

    /// A timeout has set window and threshold; the composition's slow start goes on from there, or from its own.
    #[inline(always)]
    pub(super) fn reopen(&mut self, loss: &Loss, before: Window) {
        let (window, threshold, competes) = (self.window, self.threshold.floor(), self.rival.competes);
        let Some(guest) = self.parts.guest_mut() else { return };
        let was_paused = core::mem::replace(&mut guest.is_paused, competes || !guest.opens);
        if guest.is_paused {
            return;
        }
        if was_paused {
            guest.parts.hold_from(before, loss.next, loss.now);
        }
        guest.parts.on_loss(loss);
        if !guest.answers {
            guest.parts.go_on_from(window, Some(threshold));
        }
        guest.parts.hold_to(window);
        (self.window, self.stage) = (guest.window(), guest.stage());
    }

    /// The newest congestion event was none: the composition goes on as before, from the window that is left.
    #[inline(always)]
    pub(super) fn undo(&mut self, before: &Self) {
        self.parts = before.parts.clone();
        let window = self.window;
        if let Some(guest) = self.parts.guest_mut() {
            guest.is_paused |= guest.window() != window || before.stage != Stage::Opening;
            if !guest.is_paused {
                self.stage = Stage::Opening;
            }
        }
    }

    #[inline(always)]
    pub(super) fn forget_path_of_guest(&mut self, next: SendIndex, now: Time) {
        let Some(guest) = self.parts.guest_mut() else { return };
        guest.parts.on_path_change(next, now);
        if guest.opens && !guest.is_paused {
            self.stage = guest.stage();
        } else if guest.opens {
            self.stage = Stage::Steady;
        }
    }

    /// What the composition's part asks for while it decides: its slow start alone sets a pace, or none.
    #[inline(always)]
    pub(super) fn pace_of_guest(&self, own: Output) -> Output {
        let Some(guest) = self.parts.guest().filter(|guest| self.is_led() && !guest.is_paused) else { return own };
        let pace = guest.parts.output().pace;
        Output { pace: if self.stage == Stage::Opening { pace } else { pace.or(own.pace) }, ..own }
    }

    #[inline(always)]
    pub(super) fn status_of_guest(&self, own: Status) -> Status {
        let threshold = self.threshold.floor();
        let follows = self.parts.follows() && self.stage == Stage::Opening && self.threshold < Window::MAX;
        let ssthresh = (follows && self.window < Window::whole(threshold)).then_some(threshold);
        let own = Status { ssthresh, ..own };
        match self.parts.guest().filter(|guest| self.is_led() && !guest.is_paused) {
            Some(guest) => {
                let Status { ssthresh, diff, phase, .. } = guest.parts.status();
                Status { ssthresh, diff, phase, ..own }
            }
            None => own,
        }
    }

    #[inline(always)]
    pub(super) fn hold_guest_to(&mut self, most: Window) {
        let is_led = self.is_led();
        if let Some(guest) = self.parts.guest_mut().filter(|guest| is_led && !guest.is_paused) {
            guest.parts.hold_to(most);
            self.window = guest.window();
        }
    }
}
