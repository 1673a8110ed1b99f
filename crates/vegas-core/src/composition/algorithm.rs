//! The algorithm: a checked composition that turns events into a window, and the state of one connection.

use crate::composition::parts::avoidance::Holding;
use crate::composition::parts::limits::Spikes;
use crate::composition::parts::loss_response::SlowStartEnds;
use crate::composition::parts::signal::{Dialect, Round};
use crate::composition::parts::slow_start::Opening;
use crate::composition::parts::window::{Control, GrowthOf, LEFT, RoundEnd, UNBOUNDED};
use crate::composition::{Composition, Refusal};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, Loss, LossKind, Phase};
use crate::units::{Pace, Segments, SendIndex, Span, Time, Window};

/// The kernel's private area of a socket (`ICSK_CA_PRIV_SIZE`), bytes.
pub const STATE_BYTES_MAX: usize = 104;

const _: () = assert!(size_of::<State>() <= STATE_BYTES_MAX);

/// A checked composition with its numbers; any number of connections may share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithm {
    composition: Composition,
    parameters: Parameters,
    /// The window grows for each acknowledged segment, not for each acknowledgement.
    grows_by_segments: bool,
}

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    control: Control,
    opening: Opening,
    holding: Holding,
    round: Round,
    /// Mechanism E: the loss of a segment sent before this time does not cut the window again. An instant after the
    /// last cut.
    uncut_since: Time,
    spikes: Spikes,
}

/// The first instant after a time.
fn just_after(now: Time) -> Time {
    Time::from_nanos(now.as_nanos().saturating_add(1))
}

impl Algorithm {
    /// Checks that the parts go together and the numbers make sense.
    pub fn new(composition: Composition, parameters: Parameters) -> Result<Self, Refusal> {
        composition.check(&parameters)?;
        Ok(Algorithm { composition, parameters, grows_by_segments: false })
    }

    /// This algorithm with growth for each segment acknowledged: QUIC's receivers choose how many packets they
    /// acknowledge at once, and its windows grow by what is acknowledged (RFC 9002, appendix B.5). Papers count
    /// acknowledgements.
    pub fn growing_by_segments(self) -> Self {
        Algorithm { grows_by_segments: true, ..self }
    }

    /// The parts.
    pub fn composition(&self) -> &Composition {
        &self.composition
    }

    /// The numbers.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The state of a new connection.
    pub fn start(&self) -> State {
        let slow_start = self.composition.slow_start;
        let first_window = slow_start.first_window().unwrap_or(self.parameters.initial_window);
        let mut control = Control {
            window: Window::whole(first_window),
            ssthresh: self.first_threshold().unwrap_or(UNBOUNDED),
            growth: 0,
            growth_of: GrowthOf::SlowStart,
            skips_round: false,
            slow_start_ends: false,
            pace: None,
        };
        control.grow_by(slow_start.first_growth());
        State {
            opening: slow_start.opening(control.window),
            holding: self.composition.avoidance.holding(),
            control,
            round: Round::NEW,
            uncut_since: Time::ZERO,
            spikes: Spikes::default(),
        }
    }

    fn first_threshold(&self) -> Option<Segments> {
        let default = self.composition.slow_start.first_threshold().map(|most| most.min(self.parameters.max_window));
        self.parameters.ssthresh.or(default)
    }

    /// Handles an acknowledgement of new data.
    #[inline(always)]
    pub fn on_ack(&self, state: &mut State, ack: &Ack) {
        self.end_slow_start_if_over(state);
        let mut opens = state.control.in_slow_start();
        if !opens {
            state.control.end_old_growth();
        }
        let dialect = self.composition.signal.dialect();
        let is_linux = dialect.is_linux();
        if is_linux {
            state.round.sample_least(ack);
        }
        if state.round.ended_by(dialect, ack) {
            self.end_round(state, *ack);
            opens = state.control.in_slow_start();
        }
        let mut growth = state.control.growth();
        if opens {
            growth = state.opening.on_ack(&mut state.control, *ack, state.round.base_rtt());
            self.end_slow_start_if_over(state);
            opens = state.control.in_slow_start();
        }
        if !opens {
            state.holding.on_ack(&mut state.control, ack, &state.round, &self.parameters);
            growth = state.control.growth();
        }
        self.grow(&mut state.control, ack, growth, opens);
        if !is_linux {
            state.round.sample(&self.composition.signal, ack);
        }
    }

    /// Handles an acknowledgement in recovery, or a duplicate one. In the family's papers the window does not move
    /// then; only parts that ask for every acknowledgement may move it.
    #[cold]
    #[inline(never)]
    pub fn on_other_ack(&self, state: &mut State, ack: Ack) {
        if ack.in_recovery {
            state.opening.on_recovery(&mut state.control, &ack);
        }
    }

    /// Everything that was in flight at the newest loss is acknowledged.
    pub fn on_recovered(&self, state: &mut State) {
        state.opening.end_recovery();
    }

    /// Handles a loss or a mark.
    pub fn on_loss(&self, state: &mut State, loss: &Loss) {
        match loss.kind {
            LossKind::Timeout => self.on_timeout(state, loss),
            LossKind::DuplicateAcks | LossKind::Ecn => self.cut(state, loss),
        }
    }

    /// Once a round, so that the acknowledgements in between need not carry it along.
    #[cfg_attr(not(vegas_kernel), inline(never))]
    fn end_round(&self, state: &mut State, ack: Ack) {
        let measured = state.round.close(&self.composition.signal, &ack, state.control.window);
        let may_grow = self.may_grow(&state.control, &ack);
        self.on_round(state, &RoundEnd { ack: &ack, measured, may_grow });
    }

    fn on_round(&self, state: &mut State, end: &RoundEnd<'_>) {
        state.spikes.on_round(&self.composition.limits, end.ack);
        let State { control, opening, holding, .. } = state;
        if control.in_slow_start() {
            control.growth_of = GrowthOf::SlowStart;
            opening.on_round(control, end, &self.parameters);
            self.end_slow_start_if_over(state);
            return;
        }
        control.pace = None;
        if self.leaves_slow_start_for_good() {
            control.leave_slow_start();
        }
        if control.skips_round {
            control.skips_round = false;
        } else {
            holding.on_round(control, end.measured.map(|measured| measured.diff), &self.parameters);
            holding.on_round_end(control, end, &self.parameters);
        }
    }

    /// After a timeout the threshold is half the window. A window that congestion avoidance then shrinks would fall
    /// below the threshold and begin another slow start, which the released versions do.
    fn leaves_slow_start_for_good(&self) -> bool {
        self.composition.avoidance.shrinks_by_itself() && self.composition.signal.dialect() == Dialect::Corrected
    }

    /// Grows the window. It is inlined, so that a host need not store the acknowledgement in memory to pass it on.
    #[inline(always)]
    fn grow(&self, control: &mut Control, ack: &Ack, growth: Window, opens: bool) {
        // only a window that grows can exceed the largest window
        if growth == Window::default() {
            return;
        }
        // RFC 3168, section 6.1.2: no growth in answer to an echo
        if !self.may_grow(control, ack) || ack.ce_marked > 0 {
            return;
        }
        let growth = if self.grows_by_segments { self.by_segments(control, ack.acked, growth, opens) } else { growth };
        // a window is 2^52 at most, and a growth 2^60
        let grown = Window::from_raw(control.window.as_raw() + growth.as_raw());
        control.window = grown.min(Window::whole(self.parameters.max_window));
    }

    /// Grows the window once for each segment that the acknowledgement covers; in slow start up to the threshold.
    #[cold]
    fn by_segments(&self, control: &Control, acked: Segments, growth: Window, opens: bool) -> Window {
        let (opening, holding) = (self.composition.slow_start, self.composition.avoidance);
        let is_of_all = if opens { opening.counts_segments() } else { holding.counts_segments() };
        if is_of_all {
            return growth;
        }
        let whole = Window::from_raw(growth.as_raw().saturating_mul(acked.as_u64())).min(Window::MAX);
        let room = Window::whole(control.ssthresh).minus(control.window).max(growth);
        if opens { whole.min(room) } else { whole }
    }

    #[inline(always)]
    fn may_grow(&self, control: &Control, ack: &Ack) -> bool {
        self.composition.limits.let_grow(control.window, &self.composition.signal, ack)
    }

    fn cut(&self, state: &mut State, loss: &Loss) {
        if self.composition.loss.once_per_window && loss.sent < state.uncut_since {
            return;
        }
        let before = state.control.window;
        let opens = state.control.in_slow_start();
        // the least window after a cut, 2, must not raise a window of 1
        state.control.window = self.composition.loss.cut.window_after(before, state.control.ssthresh, loss).min(before);
        state.holding.on_cut(&mut state.control, before);
        state.control.slow_start_ends = true;
        match opens {
            true => state.opening.on_cut(&mut state.control, before, loss),
            false => state.opening.end_recovery(),
        }
        state.control.pace = None;
        state.uncut_since = just_after(loss.now);
        if self.composition.signal.dialect().is_linux() {
            state.round.restart(loss.next, loss.now);
        }
        if self.composition.loss.slow_start_ends == SlowStartEnds::AtCut {
            self.end_slow_start(state);
        }
    }

    #[inline(always)]
    fn end_slow_start_if_over(&self, state: &mut State) {
        if state.control.slow_start_ends {
            self.end_slow_start(state);
            state.control.end_old_growth();
        }
    }

    fn end_slow_start(&self, state: &mut State) {
        state.control.ssthresh = match self.composition.avoidance.shrinks_by_itself() {
            true => LEFT,
            false => state.control.window.floor().max(LEFT),
        };
        state.control.slow_start_ends = false;
    }

    fn on_timeout(&self, state: &mut State, loss: &Loss) {
        let before = state.control.window;
        state.control.ssthresh = self.composition.loss.cut.ssthresh_after_timeout(before, state.control.ssthresh);
        state.control.window = Window::whole(self.parameters.restart_window).min(before);
        state.uncut_since = just_after(loss.now);
        state.control.slow_start_ends = false;
        state.holding.on_timeout(&mut state.control, before);
        state.control.skips_round = false;
        let slow_start = self.composition.slow_start;
        state.control.pace = None;
        if slow_start.restarts_after_timeout() {
            state.opening = slow_start.reopening(state.control.window);
            state.control.grow_by(slow_start.first_growth());
            state.control.growth_of = GrowthOf::SlowStart;
        }
        if self.composition.signal.dialect().restarts_rounds() {
            state.round.restart(loss.next, loss.now);
        }
    }
}

impl State {
    /// The congestion window.
    pub fn window(&self) -> Window {
        self.control.window
    }

    /// The slow-start threshold; none while it is unbounded.
    pub fn ssthresh(&self) -> Option<Segments> {
        (self.control.ssthresh != UNBOUNDED).then_some(self.control.ssthresh)
    }

    /// The most that may leave, as a rate in segments, which the host turns into departures: a segment may leave once
    /// that much time has passed since the one before it, and time that was not used gives no credit. None: whatever
    /// the window allows, at once. It may change with every event.
    #[inline]
    pub fn pacing_rate(&self) -> Option<Pace> {
        self.spikes.limit(self.control.pace)
    }

    /// The base RTT; none before the first sample.
    pub fn base_rtt(&self) -> Option<Span> {
        self.round.base_rtt()
    }

    /// The newest backlog in segments; none before the first measurement.
    pub fn diff(&self) -> Option<i32> {
        self.round.diff()
    }

    /// The connection has moved to another path: base RTT and the round under way are forgotten, and the next round
    /// ends when `next` is acknowledged. The window stays: a host that must not keep it (RFC 9000, section 9.4) starts
    /// from scratch.
    pub fn on_path_change(&mut self, next: SendIndex, now: Time) {
        self.round.forget_path(next, now);
    }

    /// Takes back what the window has grown beyond `most`: for hosts that let it grow only while it limits what is sent
    /// (RFC 9002, section 7.8).
    pub fn hold_to(&mut self, most: Window) {
        self.control.window = self.control.window.min(most);
    }

    pub(crate) fn go_on_from(&mut self, window: Window, threshold: Option<Segments>) {
        self.control.window = window;
        self.control.ssthresh = threshold.unwrap_or(UNBOUNDED);
        self.control.slow_start_ends = false;
    }

    pub(crate) fn end_slow_start(&mut self) {
        self.control.slow_start_ends = true;
    }

    /// The base RTT is measured beside the rounds ([`crate::BaseRtt::Drains`]).
    pub(crate) fn set_base_rtt(&mut self, base: Span) {
        self.round.set_base_rtt(base);
    }

    /// Another control has set the window; congestion avoidance goes on from it, and measures again.
    pub(crate) fn hold_from(&mut self, window: Window, next: SendIndex, now: Time) {
        self.go_on_from(window, Some(window.floor().max(LEFT)));
        self.control.grow_by(Window::default());
        self.control.growth_of = GrowthOf::Avoidance;
        self.control.pace = None;
        self.round.restart(next, now);
    }

    /// Which rule steers the window.
    pub fn phase(&self) -> Phase {
        if self.control.in_slow_start() { Phase::SlowStart } else { Phase::Avoidance }
    }
}
