//! The algorithm: a checked composition that turns events into a window, and the state of one connection.

use crate::avoidance::Cubic;
use crate::composition::{Composition, Parameters, Refusal};
use crate::contract::{Ack, Loss, LossKind};
use crate::loss_response::SlowStartEnds;
use crate::signal::{InTransit, Round, Signal, in_flight};
use crate::units::{Rate, Segments, Span, Time, Window};

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
    round: Round,
    /// When the window was last cut, for mechanism E; means nothing unless `was_cut`.
    last_cut: Time,
    was_cut: bool,
    /// The next acknowledgement ends slow start: a cut was made that waits for it.
    slow_start_ends: bool,
    /// The newest backlog, for display; [`NO_DIFF`] before the first.
    diff: i32,
}

/// The window and what steers it: all that slow start and congestion avoidance may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Control {
    pub(crate) window: Window,
    /// Slow start lasts while the window is below this.
    pub(crate) ssthresh: Segments,
    /// Growth per acknowledgement, decided once a round or once an acknowledgement.
    pub(crate) growth: Window,
    /// Vegas's slow start grows in every second round.
    pub(crate) grows_this_round: bool,
    /// What one part remembers besides.
    pub(crate) memory: Memory,
}

/// What a part remembers for itself. One part at a time does, so that the state stays small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    None,
    Cubic(Cubic),
}

/// Which rule steers the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The window is below the slow-start threshold.
    SlowStart,
    /// It is not.
    Avoidance,
}

/// No backlog was measured yet. The signal never gives it.
const NO_DIFF: i32 = i32::MIN;
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
        let mut control = Control {
            window: Window::whole(self.parameters.initial_window),
            ssthresh: UNBOUNDED,
            growth: Window::default(),
            grows_this_round: false,
            memory: Memory::None,
        };
        self.composition.slow_start.start(&mut control);
        State {
            control,
            round: Round::NEW,
            last_cut: Time::ZERO,
            was_cut: false,
            slow_start_ends: false,
            diff: NO_DIFF,
        }
    }

    /// Handles an acknowledgement of new data.
    pub fn on_ack(&self, state: &mut State, ack: &Ack) {
        if state.slow_start_ends {
            self.end_slow_start(state);
        }
        if state.round.ended_by(ack) {
            let diff = state.round.close(&self.composition.signal, ack);
            self.on_round(state, diff);
        }
        if state.phase() == Phase::Avoidance {
            self.composition.avoidance.on_ack(&mut state.control, ack, state.round.base_rtt());
        }
        self.grow(&mut state.control, ack);
        state.round.sample(ack);
    }

    /// Handles a loss or a mark.
    pub fn on_loss(&self, state: &mut State, loss: &Loss) {
        match loss.kind {
            LossKind::Timeout => self.on_timeout(state, loss),
            LossKind::DuplicateAcks | LossKind::Ecn => self.cut(state, loss),
        }
    }

    fn on_round(&self, state: &mut State, diff: Option<i32>) {
        state.diff = diff.unwrap_or(state.diff);
        // before the first sample nothing can be backlog
        let diff = diff.unwrap_or(0);
        match state.phase() {
            Phase::SlowStart => self.composition.slow_start.on_round(&mut state.control, diff, self.parameters.gamma),
            Phase::Avoidance => self.composition.avoidance.on_round(&mut state.control, diff, &self.parameters),
        }
    }

    fn grow(&self, control: &mut Control, ack: &Ack) {
        // a slow start that reached its threshold within the round stops there
        let decided_before = !self.composition.avoidance.decides_each_ack();
        if decided_before && control.growth == Window::ONE && !control.in_slow_start() {
            control.growth = Window::default();
        }
        if self.composition.limits.keep_up && !self.keeps_up(control, ack) {
            return;
        }
        control.window = control.window.plus(control.growth).min(Window::whole(self.parameters.max_window));
    }

    /// Mechanism I of "Revisited": whether the window is at most two segments above what is in flight.
    fn keeps_up(&self, control: &Control, ack: &Ack) -> bool {
        let in_transit = match self.composition.signal {
            Signal::EndToEnd { in_transit, .. } => in_transit,
            Signal::None => InTransit::BeforeAck,
        };
        control.window <= Window::whole(in_flight(in_transit, ack)).plus(Window::whole(Segments(2)))
    }

    fn cut(&self, state: &mut State, loss: &Loss) {
        if state.was_cut && !self.composition.loss.cuts(loss, state.last_cut) {
            return;
        }
        let before = state.control.window;
        // the least window after a cut, 2, must not raise a window of 1
        state.control.window = self.composition.loss.window_after(before, loss).min(before);
        self.composition.avoidance.on_cut(&mut state.control, before);
        state.last_cut = loss.now;
        state.was_cut = true;
        match self.composition.loss.slow_start_ends {
            SlowStartEnds::AtCut => self.end_slow_start(state),
            SlowStartEnds::AtNextAck => state.slow_start_ends = true,
        }
    }

    fn end_slow_start(&self, state: &mut State) {
        state.control.ssthresh = match self.composition.avoidance.shrinks_by_itself() {
            true => LEFT,
            false => state.control.window.floor().max(LEFT),
        };
        state.slow_start_ends = false;
    }

    fn on_timeout(&self, state: &mut State, loss: &Loss) {
        let before = state.control.window;
        state.control.ssthresh = self.composition.loss.ssthresh_after_timeout(before);
        state.control.window = Window::whole(self.parameters.restart_window).min(before);
        state.last_cut = loss.now;
        state.was_cut = true;
        state.slow_start_ends = false;
        self.composition.avoidance.on_timeout(&mut state.control, before);
        self.composition.slow_start.on_timeout(&mut state.control);
        if self.restarts_rounds() {
            state.round.restart(loss.next, loss.now);
        }
    }

    /// "Revisited", section VII.C: segments sent before a timeout must not count in the rounds after it.
    fn restarts_rounds(&self) -> bool {
        match self.composition.signal {
            Signal::EndToEnd { in_transit, .. } => in_transit == InTransit::BeforeAck,
            Signal::None => true,
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

    /// The rate to send at; none for an algorithm that does not pace.
    pub fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// The base RTT; none before the first sample.
    pub fn base_rtt(&self) -> Option<Span> {
        self.round.base_rtt()
    }

    /// The newest backlog in segments; none before the first measurement.
    pub fn diff(&self) -> Option<i32> {
        (self.diff != NO_DIFF).then_some(self.diff)
    }

    /// Which rule steers the window.
    pub fn phase(&self) -> Phase {
        if self.control.in_slow_start() { Phase::SlowStart } else { Phase::Avoidance }
    }
}

impl Memory {
    pub(crate) fn cubic(self) -> Cubic {
        match self {
            Memory::Cubic(cubic) => cubic,
            Memory::None => Cubic::default(),
        }
    }
}

impl Control {
    pub(crate) fn in_slow_start(&self) -> bool {
        self.window < Window::whole(self.ssthresh)
    }

    /// Ends slow start for good: only a timeout begins another.
    pub(crate) fn leave_slow_start(&mut self) {
        self.ssthresh = LEFT;
    }

    /// Lowers the window, to two segments at least; a window of one stays (design section 4.1).
    pub(crate) fn shrink_to(&mut self, window: Window) {
        self.window = window.max(Window::whole(LEFT)).min(self.window);
    }
}
