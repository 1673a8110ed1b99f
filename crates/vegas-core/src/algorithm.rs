//! The algorithm: a checked composition that turns events into a window, and the state of one connection.

use crate::avoidance::Cubic;
use crate::composition::{Composition, Parameters, Refusal};
use crate::contract::{Ack, Loss, LossKind};
use crate::loss_response::SlowStartEnds;
use crate::signal::{Dialect, Measured, Round};
use crate::slow_start::Opening;
use crate::units::{Pace, Segments, SendIndex, Span, Time, Window};

/// The kernel's private area of a socket (`ICSK_CA_PRIV_SIZE`), bytes.
pub const STATE_BYTES_MAX: usize = 104;

const _: () = assert!(size_of::<State>() <= STATE_BYTES_MAX);

/// A composition with its numbers, checked: shared by any number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithm {
    composition: Composition,
    parameters: Parameters,
}

/// What one connection remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    control: Control,
    opening: Opening,
    round: Round,
    /// When the window was last cut, for mechanism E; means nothing unless it was cut.
    last_cut: Time,
}

/// The window and what steers it: all that slow start and congestion avoidance may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Control {
    pub(crate) window: Window,
    /// Slow start lasts while the window is below this.
    pub(crate) ssthresh: Segments,
    /// Growth per acknowledgement, decided once a round or once an acknowledgement; raw, one segment at most.
    growth: u32,
    /// The growth was decided in slow start and ends with it.
    pub(crate) growth_opens: bool,
    /// The first round in congestion avoidance changes nothing.
    pub(crate) skips_round: bool,
    was_cut: bool,
    /// Slow start is over: its own test has ended it, or a cut was made that waits for the next acknowledgement.
    pub(crate) slow_start_ends: bool,
    /// What CUBIC remembers; also while slow start lasts.
    pub(crate) cubic: Cubic,
    /// What slow start paces by.
    pub(crate) pace: Option<Pace>,
    /// Mechanism J: the most that may leave.
    spike_limit: Option<Pace>,
}

/// What slow start hears when a round ends.
pub(crate) struct RoundEnd<'a> {
    /// The acknowledgement that ended it.
    pub(crate) ack: &'a Ack,
    /// What it measured; none while nothing was.
    pub(crate) measured: Option<Measured>,
}

/// Which rule steers the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The window is below the slow-start threshold.
    SlowStart,
    /// It is not.
    Avoidance,
}

/// No slow-start threshold yet.
const UNBOUNDED: Segments = Segments(u32::MAX);
/// The threshold of a sender that left slow start for good, and the least there is (RFC 5681, equation 4).
const LEFT: Segments = Segments(2);

impl Algorithm {
    /// Checks that the parts go together and the numbers make sense.
    pub fn new(composition: Composition, parameters: Parameters) -> Result<Self, Refusal> {
        composition.check(&parameters)?;
        Ok(Algorithm { composition, parameters })
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
        let mut control = Control {
            window: Window::whole(self.parameters.initial_window),
            ssthresh: self.parameters.ssthresh.unwrap_or(UNBOUNDED),
            growth: 0,
            growth_opens: true,
            skips_round: false,
            was_cut: false,
            slow_start_ends: false,
            cubic: Cubic::default(),
            pace: None,
            spike_limit: None,
        };
        control.grow_by(slow_start.first_growth());
        let opening = slow_start.opening(control.window);
        State { control, opening, round: Round::NEW, last_cut: Time::ZERO }
    }

    /// Handles an acknowledgement of new data.
    #[inline(always)]
    pub fn on_ack(&self, state: &mut State, ack: &Ack) {
        self.end_slow_start_if_over(state);
        let mut opens = state.control.in_slow_start();
        if !opens {
            state.control.end_opening_growth();
            self.composition.avoidance.before_ack(&mut state.control);
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
            self.composition.avoidance.on_ack(&mut state.control, ack, &state.round);
            growth = state.control.growth();
        }
        self.grow(&mut state.control, ack, growth);
        if !is_linux {
            state.round.sample(&self.composition.signal, ack);
        }
    }

    /// Handles a loss or a mark.
    pub fn on_loss(&self, state: &mut State, loss: &Loss) {
        match loss.kind {
            LossKind::Timeout => self.on_timeout(state, loss),
            LossKind::DuplicateAcks | LossKind::Ecn => self.cut(state, loss),
        }
    }

    /// Once a round, so that the acknowledgements in between need not carry it along.
    #[inline(never)]
    fn end_round(&self, state: &mut State, ack: Ack) {
        let measured = state.round.close(&self.composition.signal, &ack, state.control.window);
        self.on_round(state, &RoundEnd { ack: &ack, measured });
    }

    fn on_round(&self, state: &mut State, end: &RoundEnd<'_>) {
        let diff = end.measured.map(|measured| measured.diff);
        let State { control, opening, .. } = state;
        if self.composition.limits.suppress_spikes {
            control.limit_spikes(end.ack);
        }
        if control.in_slow_start() {
            control.growth_opens = true;
            let may_grow = !self.composition.limits.keep_up || self.keeps_up(control, end.ack);
            opening.on_round(control, end, may_grow, &self.parameters);
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
            self.composition.avoidance.on_round(control, diff, &self.parameters);
        }
    }

    /// After a timeout the threshold is half the window; a window that then shrinks by itself would fall below it and
    /// be taken for a new slow start. The released versions have it so.
    fn leaves_slow_start_for_good(&self) -> bool {
        self.composition.avoidance.shrinks_by_itself() && self.composition.signal.dialect() == Dialect::Corrected
    }

    #[inline]
    fn grow(&self, control: &mut Control, ack: &Ack, growth: Window) {
        // a window that grows is the only one that could become too large
        if growth == Window::default() {
            return;
        }
        let holds = self.composition.limits.keep_up && !self.keeps_up(control, ack);
        // RFC 3168, section 6.1.2: no growth in answer to an echo
        if holds || ack.ce_marked > 0 {
            return;
        }
        // a window is 2^52 at most, and a growth 2^60
        let grown = Window::from_raw(control.window.as_raw() + growth.as_raw());
        control.window = grown.min(Window::whole(self.parameters.max_window));
    }

    /// Mechanism I of "Revisited": whether the window is at most two segments above what is in flight.
    #[inline]
    fn keeps_up(&self, control: &Control, ack: &Ack) -> bool {
        let outstanding = self.composition.signal.outstanding(ack);
        control.window <= Window::whole(Segments(outstanding.0.saturating_add(2)))
    }

    fn cut(&self, state: &mut State, loss: &Loss) {
        if state.control.was_cut && !self.composition.loss.cuts(loss, state.last_cut) {
            return;
        }
        let before = state.control.window;
        // the least window after a cut, 2, must not raise a window of 1
        state.control.window = self.composition.loss.window_after(before, state.control.ssthresh, loss).min(before);
        self.composition.avoidance.on_cut(&mut state.control, before);
        state.control.pace = None;
        state.last_cut = loss.now;
        state.control.was_cut = true;
        if self.composition.signal.dialect().is_linux() {
            state.round.restart(loss.next, loss.now);
        }
        match self.composition.loss.slow_start_ends {
            SlowStartEnds::AtCut => self.end_slow_start(state),
            SlowStartEnds::AtNextAck => state.control.slow_start_ends = true,
        }
    }

    #[inline]
    fn end_slow_start_if_over(&self, state: &mut State) {
        if state.control.slow_start_ends {
            self.end_slow_start(state);
            state.control.end_opening_growth();
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
        state.control.ssthresh = self.composition.loss.ssthresh_after_timeout(before, state.control.ssthresh);
        state.control.window = Window::whole(self.parameters.restart_window).min(before);
        state.last_cut = loss.now;
        state.control.was_cut = true;
        state.control.slow_start_ends = false;
        self.composition.avoidance.on_timeout(&mut state.control, before);
        state.control.skips_round = false;
        let slow_start = self.composition.slow_start;
        state.control.pace = None;
        if slow_start.restarts_after_timeout() {
            state.opening = slow_start.reopening(state.control.window);
            state.control.grow_by(slow_start.first_growth());
            state.control.growth_opens = true;
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
        self.control.pace.max(self.control.spike_limit)
    }

    /// The base RTT; none before the first sample.
    pub fn base_rtt(&self) -> Option<Span> {
        self.round.base_rtt()
    }

    /// The newest backlog in segments; none before the first measurement.
    pub fn diff(&self) -> Option<i32> {
        self.round.diff()
    }

    /// The connection has moved to another path: base RTT and the round under way are forgotten, and the next round ends
    /// when `next` is acknowledged. The window stays: a host that must not keep it (RFC 9000, section 9.4) starts anew.
    pub fn on_path_change(&mut self, next: SendIndex, now: Time) {
        self.round.forget_path(next, now);
    }

    /// Takes back what the window has grown beyond `most`: for hosts that let it grow only while it limits what is sent
    /// (RFC 9002, section 7.8).
    pub fn hold_to(&mut self, most: Window) {
        self.control.window = self.control.window.min(most);
    }

    /// Which rule steers the window.
    pub fn phase(&self) -> Phase {
        if self.control.in_slow_start() { Phase::SlowStart } else { Phase::Avoidance }
    }
}

impl Control {
    pub(crate) fn in_slow_start(&self) -> bool {
        self.window < Window::whole(self.ssthresh)
    }

    /// Ends slow start for good: only a timeout begins another.
    pub(crate) fn leave_slow_start(&mut self) {
        self.ssthresh = LEFT;
        self.growth_opens = false;
        self.pace = None;
    }

    pub(crate) fn growth(&self) -> Window {
        Window::from_raw(self.growth.into())
    }

    /// Sets the growth per acknowledgement: one segment at most.
    pub(crate) fn grow_by(&mut self, growth: Window) {
        self.growth = growth.min(Window::ONE).as_raw() as u32;
    }

    /// Mechanism J of "Revisited": at most twice the current rate. What is in flight left within the newest round trip.
    fn limit_spikes(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.spike_limit = Some(Pace::of(2 * ack.in_flight.as_u64(), rtt));
        }
    }

    /// The slow-start threshold, or the largest window before there is one.
    pub(crate) fn threshold(&self, parameters: &Parameters) -> Segments {
        self.ssthresh.min(parameters.max_window)
    }

    /// A slow start that reached its threshold within the round stops there.
    fn end_opening_growth(&mut self) {
        if self.growth_opens {
            self.growth = 0;
            self.growth_opens = false;
        }
    }

    /// Linux's `tcp_vegas_ssthresh`: a window that was lowered is not below the threshold.
    pub(crate) fn lower_threshold_below_window(&mut self) {
        let below = Segments(self.window.floor().0.saturating_sub(1));
        self.ssthresh = self.ssthresh.min(below).max(LEFT);
    }

    /// The threshold is this at least.
    pub(crate) fn raise_threshold(&mut self, least: Segments) {
        self.ssthresh = self.ssthresh.max(least);
    }

    /// Lowers the window, to two segments at least; a window of one stays (design section 4.1).
    pub(crate) fn shrink_to(&mut self, window: Window) {
        self.window = window.max(Window::whole(LEFT)).min(self.window);
    }
}
