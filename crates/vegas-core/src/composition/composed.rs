//! A composition of parts at work on one connection.

use core::borrow::{Borrow, BorrowMut};

use crate::composition::Composition;
use crate::composition::algorithm::Algorithm;
use crate::composition::parts::avoidance::AvoidanceState;
use crate::composition::parts::avoidance::vegas_linux::three_quarters;
use crate::composition::parts::beside::BaseRtt;
use crate::composition::parts::cut::alpha::Alpha;
use crate::composition::parts::limits::Spikes;
use crate::composition::parts::loss_response::SlowStartEnds;
use crate::composition::parts::signal::{Dialect, Round};
use crate::composition::parts::slow_start::SlowStartState;
use crate::composition::parts::window::{GrowthOf, LEFT, RoundEnd, UNBOUNDED, WindowControl};
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Output, Phase, Restart, STATE_BYTES_MAX, Status};
use crate::units::{Segments, SendIndex, Span, Time, Window};

/// A composition at work on one connection: parts and numbers, and what it remembers. It has both, or references to
/// both where they lie apart, as in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Composed<A = Algorithm, S = State> {
    algorithm: A,
    state: S,
}

/// What a composition remembers of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    control: WindowControl,
    slow_start: SlowStartState,
    avoidance: AvoidanceState,
    round: Round,
    /// Mechanism E: the loss of a segment sent before this time does not cut the window again. An instant after the
    /// last cut.
    uncut_since: Time,
    spikes: Spikes,
    /// The part of packets that were marked; counted where the cut asks for their number.
    alpha: Alpha,
}

const _: () = assert!(size_of::<Composed>() <= STATE_BYTES_MAX);

/// The first instant after a time.
fn just_after(now: Time) -> Time {
    Time::from_nanos(now.as_nanos().saturating_add(1))
}

impl Composed {
    /// The control of a new connection.
    pub fn new(algorithm: Algorithm) -> Self {
        Composed { state: State::new(&algorithm), algorithm }
    }

    /// Parts and numbers.
    pub fn algorithm(&self) -> &Algorithm {
        &self.algorithm
    }

    /// What it remembers.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Another control has set window and threshold.
    pub(crate) fn go_on_from(&mut self, window: Window, threshold: Option<Segments>) {
        let control = &mut self.state.control;
        control.window = window;
        control.ssthresh = threshold.unwrap_or(UNBOUNDED);
        control.slow_start_ends = false;
    }

    /// Another control has set the window; congestion avoidance goes on from it, and measures again.
    pub(crate) fn hold_from(&mut self, window: Window, next: SendIndex, now: Time) {
        self.go_on_from(window, Some(window.floor().max(LEFT)));
        let control = &mut self.state.control;
        control.grow_by(Window::default());
        control.growth_of = GrowthOf::Avoidance;
        control.pace = None;
        self.state.round.restart(next, now);
    }

    /// The base RTT is measured beside the rounds ([`crate::BaseRtt::Drains`]).
    pub(crate) fn set_base_rtt(&mut self, base: Span) {
        self.state.round.set_base_rtt(base);
    }
}

impl<'a> Composed<&'a Algorithm, &'a mut State> {
    /// Parts and state that lie apart, as one control.
    pub fn of(algorithm: &'a Algorithm, state: &'a mut State) -> Self {
        Composed { algorithm, state }
    }
}

impl State {
    /// Of a new connection.
    pub fn new(algorithm: &Algorithm) -> Self {
        let (composition, parameters) = (algorithm.composition(), algorithm.parameters());
        let slow_start = composition.slow_start;
        let first_window = slow_start.first_window().unwrap_or(parameters.initial_window);
        let mut control = WindowControl {
            window: Window::whole(first_window),
            ssthresh: algorithm.first_threshold().unwrap_or(UNBOUNDED),
            growth: 0,
            growth_of: GrowthOf::SlowStart,
            skips_round: false,
            slow_start_ends: false,
            pace: None,
        };
        control.grow_by(slow_start.first_growth());
        State {
            slow_start: slow_start.state(control.window),
            avoidance: composition.avoidance.state(),
            control,
            round: Round::NEW,
            uncut_since: Time::ZERO,
            spikes: Spikes::default(),
            alpha: Alpha::ONE,
        }
    }

    /// Every acknowledgement counts, also one in recovery.
    #[cold]
    #[inline(never)]
    fn count_marks(&mut self, ack: &Ack) {
        self.alpha.on_ack(ack);
    }

    /// Handles an acknowledgement of new data.
    #[inline(always)]
    fn on_new_data(&mut self, algorithm: &Algorithm, ack: &Ack) {
        if self.control.in_slow_start() {
            self.slow_start.before_ack(&mut self.control, ack);
        }
        self.end_slow_start_if_over(algorithm);
        let mut opens = self.control.in_slow_start();
        if !opens {
            self.control.end_old_growth();
        }
        let dialect = algorithm.composition().signal.dialect();
        let is_linux = dialect.is_linux();
        if is_linux {
            self.round.sample_least(ack);
            self.round.start_if_waiting(ack);
        }
        if self.round.ended_by(dialect, ack) {
            self.end_round(algorithm, *ack);
            opens = self.control.in_slow_start();
        }
        let mut growth = self.control.growth();
        if opens {
            let State { control, slow_start, round, .. } = self;
            growth = slow_start.on_ack(control, *ack, round.base_rtt());
            self.end_slow_start_if_over(algorithm);
            opens = self.control.in_slow_start();
        }
        if !opens {
            let State { control, avoidance, round, .. } = self;
            avoidance.on_ack(control, ack, round, algorithm.parameters());
            growth = control.growth();
        }
        self.grow(algorithm, ack, growth, opens);
        if !is_linux {
            self.round.sample(&algorithm.composition().signal, ack);
        }
    }

    /// Handles an acknowledgement in recovery, or a duplicate one. In the family's papers the window does not move
    /// then; only parts that ask for every acknowledgement may move it.
    #[cold]
    #[inline(never)]
    fn on_other_ack(&mut self, algorithm: &Algorithm, ack: Ack) {
        if algorithm.composition().signal.hears_recoveries() {
            self.round.sample_beside(&ack);
        }
        if ack.in_recovery {
            self.slow_start.on_recovery(&mut self.control, &ack);
        }
    }

    /// Once a round, so that the acknowledgements in between need not carry it along.
    #[cfg_attr(not(vegas_kernel), inline(never))]
    fn end_round(&mut self, algorithm: &Algorithm, ack: Ack) {
        let signal = &algorithm.composition().signal;
        let measured = self.round.close(signal, &ack, self.control.window);
        let may_grow = self.may_grow(algorithm, &ack);
        self.on_round(algorithm, &RoundEnd { ack: &ack, measured, may_grow });
    }

    fn on_round(&mut self, algorithm: &Algorithm, end: &RoundEnd<'_>) {
        let parameters = algorithm.parameters();
        let State { control, slow_start, avoidance, spikes, .. } = self;
        spikes.on_round(&algorithm.composition().limits, end.ack);
        if control.in_slow_start() {
            control.growth_of = GrowthOf::SlowStart;
            slow_start.on_round(control, end, parameters);
            self.end_slow_start_if_over(algorithm);
            return;
        }
        control.pace = None;
        if algorithm.leaves_slow_start_for_good() {
            control.leave_slow_start();
        }
        if control.skips_round {
            control.skips_round = false;
        } else {
            avoidance.on_round(control, end.measured.map(|measured| measured.diff), parameters);
            avoidance.on_round_end(control, end, parameters);
        }
    }

    /// Grows the window. It is inlined, so that a host need not store the acknowledgement in memory to pass it on.
    #[inline(always)]
    fn grow(&mut self, algorithm: &Algorithm, ack: &Ack, growth: Window, opens: bool) {
        // only a window that grows can exceed the largest window
        if growth == Window::default() {
            return;
        }
        // RFC 3168, section 6.1.2: no growth in answer to an echo
        if !self.may_grow(algorithm, ack) || ack.ce_marked > 0 {
            return;
        }
        // RFC 9438, section 5.8; Linux: tcp_is_cwnd_limited
        if !ack.window_limited && algorithm.heeds_limit(opens) {
            return;
        }
        let by_segments = algorithm.grows_by_segments();
        let growth = if by_segments { self.by_segments(algorithm, ack.acked, growth, opens) } else { growth };
        let control = &mut self.control;
        // a window is 2^52 at most, and a growth 2^60
        let grown = Window::from_raw(control.window.as_raw() + growth.as_raw());
        control.window = grown.min(Window::whole(algorithm.parameters().max_window));
    }

    /// Grows the window once for each segment that the acknowledgement covers; in slow start up to the threshold.
    #[cold]
    fn by_segments(&self, algorithm: &Algorithm, acked: Segments, growth: Window, opens: bool) -> Window {
        let (composition, control) = (algorithm.composition(), &self.control);
        let (slow_start, avoidance) = (composition.slow_start, composition.avoidance);
        let is_of_all = if opens { slow_start.counts_segments() } else { avoidance.counts_segments() };
        if is_of_all {
            return growth;
        }
        let whole = Window::from_raw(growth.as_raw().saturating_mul(acked.as_u64())).min(Window::MAX);
        let room = Window::whole(control.ssthresh).minus(control.window).max(growth);
        if opens { whole.min(room) } else { whole }
    }

    #[inline(always)]
    fn may_grow(&self, algorithm: &Algorithm, ack: &Ack) -> bool {
        let Composition { limits, signal, .. } = algorithm.composition();
        limits.let_grow(self.control.window, signal, ack)
    }

    fn cut(&mut self, algorithm: &Algorithm, loss: &Loss) {
        let composition = algorithm.composition();
        if composition.loss.once_per_window && loss.sent < self.uncut_since {
            return;
        }
        let State { control, slow_start, avoidance, round, uncut_since, alpha, .. } = self;
        let before = control.window;
        let opens = control.in_slow_start();
        // the least window after a cut, 2, must not raise a window of 1
        control.window = composition.loss.cut.window_after(before, control.ssthresh, loss, alpha).min(before);
        avoidance.on_cut(control, before);
        control.slow_start_ends = true;
        match opens {
            true => slow_start.on_cut(control, before, loss),
            false => slow_start.end_recovery(),
        }
        control.pace = None;
        *uncut_since = just_after(loss.now);
        if composition.signal.dialect().is_linux() {
            round.restart(loss.next, loss.now);
        }
        if composition.loss.slow_start_ends == SlowStartEnds::AtCut {
            self.end_slow_start(algorithm);
        }
    }

    #[inline(always)]
    fn end_slow_start_if_over(&mut self, algorithm: &Algorithm) {
        if self.control.slow_start_ends {
            self.end_slow_start(algorithm);
            self.control.end_old_growth();
        }
    }

    fn end_slow_start(&mut self, algorithm: &Algorithm) {
        let control = &mut self.control;
        control.ssthresh = match algorithm.composition().avoidance.shrinks_by_itself() {
            true => LEFT,
            false => control.window.floor().max(LEFT),
        };
        control.slow_start_ends = false;
    }

    fn on_timeout(&mut self, algorithm: &Algorithm, loss: &Loss) {
        let composition = algorithm.composition();
        let State { control, slow_start, avoidance, round, uncut_since, .. } = self;
        let before = control.window;
        if !loss.threshold_holds {
            control.ssthresh = composition.loss.cut.ssthresh_after_timeout(before, control.ssthresh);
        }
        control.window = Window::whole(algorithm.parameters().restart_window).min(before);
        *uncut_since = just_after(loss.now);
        control.slow_start_ends = false;
        avoidance.on_timeout(control, before);
        control.skips_round = false;
        control.pace = None;
        let part = composition.slow_start;
        if part.restarts_after_timeout() {
            *slow_start = part.state_after_timeout(control.window);
            control.grow_by(part.first_growth());
            control.growth_of = GrowthOf::SlowStart;
        }
        if composition.signal.dialect().restarts_rounds() {
            round.restart(loss.next, loss.now);
        }
    }

    /// Linux's Vegas measures from scratch whenever nothing was in flight (`tcp_vegas_cwnd_event`).
    fn forget_if_linux(&mut self, algorithm: &Algorithm, next: SendIndex, now: Time) {
        if algorithm.composition().signal.dialect() == Dialect::Linux {
            self.round.forget_path(next, now);
        }
    }

    fn on_restart(&mut self, algorithm: &Algorithm, restart: &Restart) {
        self.forget_if_linux(algorithm, restart.next, restart.now);
        self.avoidance.on_restart(restart);
    }

    /// The threshold is Linux's (`tcp_current_ssthresh`) and FreeBSD's (`newreno_cc_after_idle`).
    fn on_unused(&mut self, algorithm: &Algorithm, most: Window) {
        let State { control, slow_start, .. } = self;
        let opened = control.in_slow_start();
        control.raise_threshold(three_quarters(control.window));
        control.window = control.window.min(most);
        if !opened && control.in_slow_start() {
            let part = algorithm.composition().slow_start;
            *slow_start = part.state_after_timeout(control.window);
            control.grow_by(part.first_growth());
            control.growth_of = GrowthOf::SlowStart;
            control.pace = None;
        }
    }
}

impl Algorithm {
    /// After a timeout the threshold is half the window. A window that congestion avoidance then shrinks would fall
    /// below the threshold and begin another slow start, which the released versions do.
    fn leaves_slow_start_for_good(&self) -> bool {
        let Composition { avoidance, signal, .. } = self.composition();
        avoidance.shrinks_by_itself() && signal.dialect() == Dialect::Corrected
    }
}

impl<A: Borrow<Algorithm>, S: BorrowMut<State>> CongestionControl for Composed<A, S> {
    fn on_handshake(&mut self, _now: Time, rtt: Span) {
        if !cfg!(vegas_kernel) && self.algorithm.borrow().composition().base_rtt == BaseRtt::Handshake {
            self.state.borrow_mut().round.set_base_rtt(rtt);
        }
    }

    #[inline(always)]
    fn on_ack(&mut self, ack: &Ack) {
        let state = self.state.borrow_mut();
        if !cfg!(vegas_kernel) && self.algorithm.borrow().counts_marks() {
            state.count_marks(ack);
        }
        match !ack.in_recovery && ack.acked > Segments(0) {
            true => state.on_new_data(self.algorithm.borrow(), ack),
            false => state.on_other_ack(self.algorithm.borrow(), *ack),
        }
    }

    #[inline]
    fn on_loss(&mut self, loss: &Loss) {
        let (algorithm, state) = (self.algorithm.borrow(), self.state.borrow_mut());
        match loss.kind {
            LossKind::Timeout => state.on_timeout(algorithm, loss),
            LossKind::DuplicateAcks | LossKind::Ecn => state.cut(algorithm, loss),
        }
    }

    /// Linux's Vegas measures nothing in a recovery, and begins a round where it ends (`tcp_vegas_state`).
    fn on_recovered(&mut self, _now: Time) {
        let state = self.state.borrow_mut();
        state.slow_start.end_recovery();
        if self.algorithm.borrow().composition().signal.dialect().is_linux() {
            state.round.restart_after_next_ack();
        }
    }

    /// The kernel's copy leaves this and the next two out: BPF's 512 bytes of stack do not hold them beside a step.
    fn on_restart(&mut self, restart: &Restart) {
        if !cfg!(vegas_kernel) {
            self.state.borrow_mut().on_restart(self.algorithm.borrow(), restart);
        }
    }

    fn on_lone_retransmission(&mut self, next: SendIndex, now: Time) {
        if !cfg!(vegas_kernel) {
            self.state.borrow_mut().forget_if_linux(self.algorithm.borrow(), next, now);
        }
    }

    fn on_unused(&mut self, most: Window) {
        if !cfg!(vegas_kernel) {
            self.state.borrow_mut().on_unused(self.algorithm.borrow(), most);
        }
    }

    /// Base RTT and the round under way are forgotten, and the next round ends when `next` is acknowledged. The window
    /// stays: a host that must not keep it (RFC 9000, section 9.4) starts from scratch.
    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        let State { round, slow_start, .. } = self.state.borrow_mut();
        round.forget_path(next, now);
        slow_start.forget_path();
    }

    fn hold_to(&mut self, most: Window) {
        let control = &mut self.state.borrow_mut().control;
        control.window = control.window.min(most);
    }

    #[inline(always)]
    fn output(&self) -> Output {
        let State { control, spikes, .. } = self.state.borrow();
        Output { window: control.window, pace: spikes.limit(control.pace), quantum: Segments(1) }
    }

    #[inline(always)]
    fn status(&self) -> Status {
        let State { control, round, .. } = self.state.borrow();
        Status {
            window: control.window,
            ssthresh: (control.ssthresh != UNBOUNDED).then_some(control.ssthresh),
            base_rtt: round.base_rtt(),
            diff: round.diff(),
            phase: if control.in_slow_start() { Phase::SlowStart } else { Phase::Avoidance },
        }
    }
}
