//! Copa as mvfst has it (Meta's QUIC, `quic/congestion_control/Copa.cpp`): [`super::copa`] without its mode switch, and
//! with other numbers. Delta is 0.05; the queueing delay is the newest RTT less the least one; slow start doubles the
//! window once a smoothed RTT, at once; rounds are timed by the smoothed RTT; a velocity above 1 that meets the other
//! direction begins again at once; the pace is twice the window a smoothed RTT.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Status};
use crate::standalone::Preset;
use crate::standalone::delay::copa::{
    Delays, Direction, Velocity, halved, is_below_target, may_grow, output, path_rtt, shrunk, status, step,
};
use crate::units::{Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "copa-mvfst",
    summary: "Copa as Meta's QUIC has it: 20 packets a flow, no competitive mode, the newest RTT instead of the standing one",
    source: "mvfst, quic/congestion_control/Copa.cpp",
    host: Host::Bsd,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), restart_window: Segments(2), ..RENO_PARAMETERS },
    standalone: None,
};

/// `deltaParam_` is 0.05.
const INVERSE_DELTA: u32 = 20;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CopaMvfst {
    window: Window,
    max_window: Window,
    restart_window: Window,
    delays: Delays,
    newest: Span,
    in_slow_start: bool,
    /// When slow start doubled the window last; never before the first acknowledgement.
    doubled: Time,
    velocity: Velocity,
    /// When the round began, and with what; never before the first.
    round_began: Time,
    window_at_round_start: Window,
}

impl CopaMvfst {
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, spread: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        let window = Window::whole(parameters.initial_window);
        CopaMvfst {
            window,
            max_window: Window::whole(parameters.max_window),
            restart_window: Window::whole(parameters.restart_window),
            delays: Delays::NONE,
            newest: Span::ZERO,
            in_slow_start: true,
            doubled: Time::NEVER,
            velocity: Velocity::NONE,
            round_began: Time::NEVER,
            window_at_round_start: window,
        }
    }

    fn queueing(&self) -> Span {
        self.newest.less(self.delays.least.get())
    }

    fn end_round_if_over(&mut self, now: Time) {
        if self.round_began == Time::NEVER {
            self.begin_round(now);
        } else if now.since(self.round_began) >= self.delays.smoothed {
            self.velocity.end_round(Direction::of(self.window_at_round_start, self.window));
            self.begin_round(now);
        }
    }

    fn begin_round(&mut self, now: Time) {
        self.round_began = now;
        self.window_at_round_start = self.window;
    }

    fn head(&mut self, direction: Direction, now: Time) {
        if self.velocity.direction != direction && self.velocity.value > 1 {
            self.velocity.turn(direction);
            self.begin_round(now);
        }
    }

    fn open(&mut self, now: Time) {
        if self.doubled == Time::NEVER {
            self.doubled = now;
        } else if now.since(self.doubled) > self.delays.smoothed {
            self.window = self.window.plus(self.window).min(self.max_window);
            self.doubled = now;
        }
    }

    fn steer(&mut self, ack: &Ack) {
        let grows = is_below_target(self.window, self.delays.standing.get(), self.queueing(), INVERSE_DELTA);
        if !(grows && self.in_slow_start) {
            self.end_round_if_over(ack.now);
        }
        if !grows {
            self.head(Direction::Down, ack.now);
            self.window = shrunk(self.window, ack.delivered, self.velocity.value, INVERSE_DELTA);
            self.in_slow_start = false;
            return;
        }
        if !may_grow(self.window, ack) {
            return;
        }
        if self.in_slow_start {
            self.open(ack.now);
        } else {
            self.head(Direction::Up, ack.now);
            let more = step(self.window, ack.delivered, self.velocity.value, INVERSE_DELTA);
            self.window = self.window.plus(more).min(self.max_window);
        }
    }
}

impl CongestionControl for CopaMvfst {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = path_rtt(ack) {
            self.newest = rtt;
            self.delays.sample(ack.now, rtt);
        }
        if ack.delivered > Segments(0) && self.delays.known() {
            self.steer(ack);
        }
    }

    /// Only a loss of everything (persistent congestion) shrinks the window.
    fn on_loss(&mut self, loss: &Loss) {
        match loss.kind {
            LossKind::DuplicateAcks => {}
            LossKind::Ecn => {
                self.window = halved(self.window);
                self.in_slow_start = false;
            }
            LossKind::Timeout => self.window = self.window.min(self.restart_window),
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window = self.window.max(before.window);
        self.in_slow_start = before.in_slow_start;
    }

    fn on_path_change(&mut self, _next: SendIndex, _now: Time) {
        self.delays = Delays::NONE;
        self.round_began = Time::NEVER;
    }

    fn output(&self) -> Output {
        output(self.window, &self.delays, self.delays.smoothed)
    }

    fn status(&self) -> Status {
        status(self.window, &self.delays, self.in_slow_start)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("velocity", self.velocity.value.into());
        out("queueing_us", (self.queueing().as_nanos() / 1_000) as i64);
        out("smoothed_rtt_us", (self.delays.smoothed.as_nanos() / 1_000) as i64);
    }
}
