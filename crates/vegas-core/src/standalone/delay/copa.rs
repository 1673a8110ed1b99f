//! Copa (Arun and Balakrishnan, NSDI 2018): the window moves towards the rate 1 / (delta x queueing delay), which is
//! the one that all flows of a bottleneck share once each keeps 1 / delta packets in its queue.
//!
//! - Section 2: the queueing delay is the least RTT of the last half of a smoothed RTT ("standing") less the least of
//!   ten seconds. Each acknowledgement moves the window by velocity / (delta x window). The velocity doubles once a
//!   round that keeps the direction, from the third on. What a direction is, and that the velocity is the window at
//!   most, is the authors' code's (genericCC, `markoviancc.cc`). Segments leave at twice the window an RTT.
//! - Section 2.2: 1 / delta is 2, as long as the queue is nearly empty once in five round trips. Otherwise a flow that
//!   fills the buffer is there, and 1 / delta grows by one each round trip and is halved at a loss.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Status};
use crate::standalone::Preset;
use crate::standalone::least::Least;
use crate::units::{Pace, Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "copa",
    summary: "moves towards the rate 1 / (delta x queueing delay); competes by AIMD on 1 / delta where the queue stays full",
    source: "Arun and Balakrishnan: Copa, NSDI 2018; genericCC",
    host: Host::Bsd,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), restart_window: Segments(2), ..RENO_PARAMETERS },
    standalone: None,
};

/// The default delta of 0.5 (section 2.1).
const INVERSE_DELTA: u32 = 2;
const INVERSE_DELTA_MAX: u32 = 1 << 16;
/// The least RTT is sought in this window of time (section 2.1).
const LEAST_RTT_WINDOW: Span = Span::from_secs(10);
/// Round trips in which a queue that only Copa fills empties (section 2.2).
const ROUNDS_TO_EMPTY: u8 = 5;
/// Round trips of which the greatest RTT counts, and the part of the range that is a nearly empty queue (section 2.2).
const GREATEST_RTT_ROUNDS: u64 = 4;
const NEARLY_EMPTY_PART: u64 = 10;
/// Rounds in one direction before the velocity doubles (section 2.1).
const ROUNDS_TO_DOUBLE: u8 = 3;
const VELOCITY_MAX: u32 = 1 << 16;
/// One segment cannot tell a queue; `kMinCwndInMss` of mvfst.
const WINDOW_MIN: Window = Window::whole(Segments(2));

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copa {
    window: Window,
    max_window: Window,
    restart_window: Window,
    delays: Delays,
    /// The greatest RTT of the last four round trips, as what is left of [`Span::MAX`].
    greatest: Least,
    in_slow_start: bool,
    velocity: Velocity,
    /// When the round began; never before the first.
    round_began: Time,
    votes: Votes,
    inverse_delta: u32,
    rounds_since_empty: u8,
    /// The round has had a loss.
    has_lost: bool,
}

/// The measurements of RTTs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delays {
    /// RFC 6298, section 2; zero before the first sample.
    pub(crate) smoothed: Span,
    /// Least RTT of the last half of a smoothed RTT.
    pub(crate) standing: Least,
    pub(crate) least: Least,
}

/// The velocity of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Velocity {
    pub(crate) value: u32,
    pub(crate) direction: Direction,
    /// Rounds that kept the direction.
    kept: u8,
}

/// Segments of a round that moved the window up and down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Votes {
    up: u32,
    down: u32,
}

impl Votes {
    /// Of more than two thirds (genericCC): a window that follows its target goes up and down in turn, and has none.
    fn direction(self) -> Option<Direction> {
        let (up, down) = (u64::from(self.up), u64::from(self.down));
        if up > 2 * down { Some(Direction::Up) } else { (down > 2 * up).then_some(Direction::Down) }
    }
}

/// The direction of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
}

/// Not where segments that had arrived long before waited for a hole to be filled.
pub(crate) fn path_rtt(ack: &Ack) -> Option<Span> {
    ack.rtt.filter(|_| ack.acked <= ack.delivered)
}

impl Delays {
    pub(crate) const NONE: Delays = Delays { smoothed: Span::ZERO, standing: Least::new(), least: Least::new() };

    pub(crate) fn sample(&mut self, now: Time, rtt: Span) {
        self.smoothed = match self.smoothed {
            Span::ZERO => rtt,
            smoothed => Span::from_nanos(smoothed.as_nanos() - smoothed.as_nanos() / 8 + rtt.as_nanos() / 8),
        };
        self.least.sample(now, rtt, LEAST_RTT_WINDOW);
        self.standing.sample(now, rtt, Span::from_nanos(self.smoothed.as_nanos() / 2));
    }

    pub(crate) fn known(&self) -> bool {
        self.smoothed > Span::ZERO
    }

    pub(crate) fn queueing(&self) -> Span {
        self.standing.get().less(self.least.get())
    }
}

/// Whether window / rtt is at most `inverse_delta` / `queueing`, the target (equation 1).
pub(crate) fn is_below_target(window: Window, rtt: Span, queueing: Span, inverse_delta: u32) -> bool {
    const BITS: u32 = 8;
    let parts = window.as_raw() >> (Window::FRACTION_BITS - BITS);
    queueing.times(parts) <= rtt.times(u64::from(inverse_delta) << BITS)
}

/// What the acknowledged segments move the window by: velocity / (delta x window) each, a segment at most.
pub(crate) fn step(window: Window, acked: Segments, velocity: u32, inverse_delta: u32) -> Window {
    let of_round = Window::whole(Segments(velocity.saturating_mul(inverse_delta)));
    Window::from_raw(window.spread(of_round).as_raw() * acked.as_u64())
}

/// The window less what [`step`] moves it by, rounded so that a window of acknowledgements takes no more than is meant.
pub(crate) fn shrunk(window: Window, acked: Segments, velocity: u32, inverse_delta: u32) -> Window {
    let less = step(window, acked, velocity, inverse_delta).minus(Window::from_raw(acked.as_u64()));
    window.minus(less).max(WINDOW_MIN.min(window))
}

/// The window halved for a mark, as RFC 3168 asks.
pub(crate) fn halved(window: Window) -> Window {
    window.half().max(WINDOW_MIN.min(window))
}

/// Whether the window may grow: where less than half of it is in use, the application has no more.
pub(crate) fn may_grow(window: Window, ack: &Ack) -> bool {
    ack.may_grow() && 2 * ack.in_flight.as_u64() >= window.floor().as_u64()
}

/// Twice the window leaves in `round`, once RTTs are known.
pub(crate) fn output(window: Window, delays: &Delays, round: Span) -> Output {
    let twice = 2 * window.floor().as_u64();
    Output { window, pace: delays.known().then(|| Pace::of(twice, round)), quantum: Segments(1) }
}

pub(crate) fn status(window: Window, delays: &Delays, in_slow_start: bool) -> Status {
    Status {
        window,
        ssthresh: None,
        base_rtt: delays.known().then(|| delays.least.get()),
        diff: backlog(window, delays),
        phase: if in_slow_start { Phase::SlowStart } else { Phase::Avoidance },
    }
}

/// Segments in the queue: window x queueing delay / RTT.
fn backlog(window: Window, delays: &Delays) -> Option<i32> {
    let standing = delays.standing.get().as_nanos().max(1);
    let queued = delays.queueing().times(window.floor().as_u64()).as_nanos() / standing;
    delays.known().then_some(i32::try_from(queued).unwrap_or(i32::MAX))
}

impl Velocity {
    pub(crate) const NONE: Velocity = Velocity { value: 1, direction: Direction::Up, kept: 0 };

    /// Restarts the velocity in this direction.
    pub(crate) fn turn(&mut self, direction: Direction) {
        *self = Velocity { direction, ..Velocity::NONE };
    }

    /// A round is over.
    pub(crate) fn end_round(&mut self, direction: Direction) {
        if direction != self.direction {
            self.turn(direction);
            return;
        }
        self.kept = self.kept.saturating_add(1);
        if self.kept >= ROUNDS_TO_DOUBLE {
            self.value = (2 * self.value).min(VELOCITY_MAX);
        }
    }
}

impl Direction {
    pub(crate) fn of(before: Window, now: Window) -> Self {
        if now > before { Direction::Up } else { Direction::Down }
    }
}

impl Copa {
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, spread: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        let window = Window::whole(parameters.initial_window);
        Copa {
            window,
            max_window: Window::whole(parameters.max_window),
            restart_window: Window::whole(parameters.restart_window),
            delays: Delays::NONE,
            greatest: Least::new(),
            in_slow_start: true,
            velocity: Velocity::NONE,
            round_began: Time::NEVER,
            votes: Votes::default(),
            inverse_delta: INVERSE_DELTA,
            rounds_since_empty: 0,
            has_lost: false,
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window = window;
        self.in_slow_start = threshold.is_none_or(|threshold| window < Window::whole(threshold));
    }

    fn sample(&mut self, now: Time, rtt: Span) {
        self.delays.sample(now, rtt);
        let of_rounds = self.delays.smoothed.times(GREATEST_RTT_ROUNDS);
        self.greatest.sample(now, Span::MAX.less(rtt), of_rounds);
        if self.is_nearly_empty() {
            self.rounds_since_empty = 0;
        }
    }

    /// A tenth of the range is half a packet where Copa's own 2.5 / delta packets are all of it, less than RTTs can
    /// show: a packet's time, RTT / window, is nearly empty as well, up to a tenth of an RTT.
    fn is_nearly_empty(&self) -> bool {
        let range = Span::MAX.less(self.greatest.get()).less(self.delays.least.get());
        let of_range = range.as_nanos() / NEARLY_EMPTY_PART;
        let packet = self.delays.standing.get().as_nanos() / self.window.floor().as_u64().max(NEARLY_EMPTY_PART);
        self.delays.queueing().as_nanos() <= of_range.max(packet)
    }

    fn competes(&self) -> bool {
        self.rounds_since_empty > ROUNDS_TO_EMPTY
    }

    /// Rounds are timed by the smoothed RTT: in a long recovery nothing is acknowledged in order.
    fn end_round_if_over(&mut self, now: Time) {
        if self.round_began == Time::NEVER {
            self.round_began = now;
        } else if now.since(self.round_began) >= self.delays.smoothed {
            self.round_began = now;
            self.end_round();
        }
    }

    fn end_round(&mut self) {
        self.rounds_since_empty = self.rounds_since_empty.saturating_add(1);
        self.inverse_delta = match self.competes() {
            false => INVERSE_DELTA,
            true => (self.inverse_delta + u32::from(!self.has_lost)).min(INVERSE_DELTA_MAX),
        };
        self.has_lost = false;
        match self.votes.direction() {
            Some(direction) => self.velocity.end_round(direction),
            None => self.velocity = Velocity { direction: self.velocity.direction, ..Velocity::NONE },
        }
        self.velocity.value = self.velocity.value.min(self.window.floor().0.max(1));
        self.votes = Votes::default();
    }

    fn steer(&mut self, ack: &Ack) {
        let (standing, queueing) = (self.delays.standing.get(), self.delays.queueing());
        let grows = is_below_target(self.window, standing, queueing, self.inverse_delta);
        if !grows {
            self.votes.down = self.votes.down.saturating_add(ack.delivered.0);
            self.window = shrunk(self.window, ack.delivered, self.velocity.value, self.inverse_delta);
            self.in_slow_start = false;
            return;
        }
        if !may_grow(self.window, ack) {
            return;
        }
        let more = if self.in_slow_start {
            Window::whole(ack.delivered)
        } else {
            self.votes.up = self.votes.up.saturating_add(ack.delivered.0);
            step(self.window, ack.delivered, self.velocity.value, self.inverse_delta)
        };
        self.window = self.window.plus(more).min(self.max_window);
    }
}

impl CongestionControl for Copa {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = path_rtt(ack) {
            self.sample(ack.now, rtt);
        }
        if ack.delivered > Segments(0) && self.delays.known() {
            self.end_round_if_over(ack.now);
            self.steer(ack);
        }
    }

    /// Section 2.2 for the competitive mode; in the default mode a loss only ends slow start.
    fn on_loss(&mut self, loss: &Loss) {
        self.inverse_delta = (self.inverse_delta / 2).max(INVERSE_DELTA);
        self.has_lost = true;
        self.in_slow_start = false;
        match loss.kind {
            LossKind::DuplicateAcks => {}
            LossKind::Ecn => self.window = halved(self.window),
            LossKind::Timeout => {
                self.window = self.window.min(self.restart_window);
                self.velocity = Velocity::NONE;
            }
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window = self.window.max(before.window);
        self.inverse_delta = self.inverse_delta.max(before.inverse_delta);
        self.in_slow_start = before.in_slow_start;
    }

    fn on_path_change(&mut self, _next: SendIndex, _now: Time) {
        self.delays = Delays::NONE;
        self.greatest = Least::new();
        self.round_began = Time::NEVER;
        self.rounds_since_empty = 0;
    }

    fn output(&self) -> Output {
        output(self.window, &self.delays, self.delays.standing.get())
    }

    fn status(&self) -> Status {
        status(self.window, &self.delays, self.in_slow_start)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("velocity", self.velocity.value.into());
        out("inverse_delta", self.inverse_delta.into());
        out("competes", self.competes().into());
        out("queueing_us", (self.delays.queueing().as_nanos() / 1_000) as i64);
        out("smoothed_rtt_us", (self.delays.smoothed.as_nanos() / 1_000) as i64);
    }
}
