//! BBR version 3 (draft-ietf-ccwg-bbr; sections are named beside the functions): a model of the path with a rate, and
//! bounds on the rate and on what is in flight, for the long term (what probing found safe) and for the short term
//! (what the newest losses ask). PROBE_BW goes DOWN, CRUISE, REFILL, UP; PROBE_RTT halves the flight every five
//! seconds.
//!
//! One type has two dialects, as the draft and its authors' code for Linux differ: [`Bbr::LINUX`]. The code's names are
//! given where they are others. `bbr3` is the draft's, [`super::bbr3_linux`] the code's.
//!
//! [`signals`] has what acknowledgements and losses tell, [`bounds`] the long and the short term, [`cycle`] PROBE_BW,
//! [`startup`] STARTUP and DRAIN, [`probe_rtt`] PROBE_RTT and the least RTT, [`control`] pace and window.

mod bounds;
mod control;
mod cycle;
mod probe_rtt;
mod signals;
mod startup;

use super::shared::{Aggregation, Bandwidth, Episode, Flight, HeldBack, ONE, Pacing, Rounds, UNKNOWN_US};
use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::composition::parts::part::anew;
use crate::contract::parameters::Parameters;
use crate::contract::{
    Ack, CongestionControl, Loss, LossKind, LostSegment, Needs, Output, Phase, Restart, Sent, Status,
};
use crate::standalone::random::Random;
use crate::standalone::reno::reno_window::micros;
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, SendIndex, Span, Time, Window};
use bounds::Bounds;
use control::Windows;
use cycle::Probe;
use probe_rtt::LeastRtt;
use signals::{Latest, Sample};
use startup::FullPipe;

pub(crate) const PRESET: Preset = Preset {
    name: "bbr3",
    summary: "paces at the delivery rate within bounds that losses above 2 % set; probes every two to three seconds",
    source: "Cardwell, Swett and Beshay: draft-ietf-ccwg-bbr",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// The draft's dialect.
pub(crate) type Bbr3 = Bbr<false>;

/// Section "Startup": 4 ln 2 (BBR.StartupPacingGain).
const STARTUP_GAIN: u32 = ONE * 277 / 100 + 1;
/// BBR.DefaultCwndGain; in UP more.
const WINDOW_GAIN: u32 = 2 * ONE;
const UP_WINDOW_GAIN: u32 = 2 * ONE + ONE / 4;
const UP_GAIN: u32 = ONE * 5 / 4;

/// BBR.state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl Mode {
    /// IsInAProbeBWState.
    fn probes_rate(self) -> bool {
        matches!(self, Mode::Down | Mode::Cruise | Mode::Refill | Mode::Up)
    }

    /// As the draft calls it.
    fn name(self) -> &'static str {
        match self {
            Mode::Startup => "STARTUP",
            Mode::Drain => "DRAIN",
            Mode::Down => "PROBE_DOWN",
            Mode::Cruise => "PROBE_CRUISE",
            Mode::Refill => "PROBE_REFILL",
            Mode::Up => "PROBE_UP",
            Mode::ProbeRtt => "PROBE_RTT",
        }
    }

    /// IsProbingBW: what is in flight is being raised.
    fn accelerates(self) -> bool {
        matches!(self, Mode::Startup | Mode::Refill | Mode::Up)
    }
}

/// Of one connection, in the draft's dialect or in that of its authors' code for Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bbr<const LINUX: bool> {
    mode: Mode,
    window: Windows,
    pacing: Pacing,
    rounds: Rounds,
    bounds: Bounds,
    latest: Latest,
    full: FullPipe,
    probe: Probe,
    least: LeastRtt,
    flight: Flight,
    episode: Episode,
    held_back: HeldBack,
    aggregation: Aggregation,
    random: Random,
    /// The state that a loss has ended (BBR.undo_state).
    ended_by_loss: Option<Mode>,
    /// The newest (RS).
    sample: Sample,
}

impl<const LINUX: bool> Bbr<LINUX> {
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld::MICROS;
    pub(crate) const NEEDS: Needs = Needs {
        rate: true,
        every_ack: true,
        window_limited: true,
        sent: true,
        pace_kept: true,
        own_recovery: true,
        each_loss: true,
        ..Needs::NONE
    };
    /// BBR.DrainPacingGain: 0.5; the code's is 1 / 2.885.
    const DRAIN_GAIN: u32 = if LINUX { ONE * 1000 / 2885 } else { ONE / 2 };
    /// 0.90; the code's is 0.91.
    const DOWN_GAIN: u32 = ONE * if LINUX { 91 } else { 90 } / 100;

    /// Section "Initialization".
    pub(crate) fn start(parameters: &Parameters, seed: u64) -> Self {
        Self::new(Windows::new(parameters), Random::new(seed))
    }

    fn new(window: Windows, random: Random) -> Self {
        Bbr {
            mode: Mode::Startup,
            pacing: Pacing::new(window.now, STARTUP_GAIN),
            window,
            rounds: Rounds::default(),
            bounds: Bounds::NONE,
            latest: Latest::NONE,
            full: FullPipe::NONE,
            probe: Probe::NONE,
            least: LeastRtt::NONE,
            flight: Flight::NONE,
            episode: Episode::NONE,
            held_back: HeldBack::default(),
            aggregation: Aggregation::NONE,
            random,
            ended_by_loss: None,
            sample: Sample::NONE,
        }
    }

    /// Section "Per-ACK Steps": UpdateModelAndState, UpdateControlParameters.
    fn update(&mut self) {
        self.step(Self::take_latest);
        self.step(Self::take_signals);
        self.step(Self::take_aggregation);
        self.step(Self::leave_startup_on_loss);
        self.step(Self::look_for_full_pipe);
        self.step(Self::drain);
        self.step(Self::turn_cycle);
        self.step(Self::take_rtt);
        self.step(Self::set_pace);
        self.step(Self::set_window);
        self.step(Self::advance_latest);
    }

    /// One of these steps. It has all that it reads from the state.
    fn step(&mut self, step: impl FnOnce(&mut Self, &Sample)) {
        let control = anew(self);
        let sample = control.sample;
        step(control, &sample);
    }

    fn take_aggregation(&mut self, sample: &Sample) {
        if sample.rate.is_some() {
            let (short, bandwidth) = (!self.full.reached, self.bandwidth());
            self.aggregation.on_ack(sample.now, sample.acked, &self.rounds, bandwidth, self.window.now, short);
        }
    }
}

impl<const LINUX: bool> CongestionControl for Bbr<LINUX> {
    /// The handshake gives an RTT sample.
    fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.least.begin(now, micros(rtt));
        self.pacing.begin(self.window.now, micros(rtt), STARTUP_GAIN);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.flight.on_sent(sent, self.pacing.pace());
    }

    fn on_segment_lost(&mut self, lost: &LostSegment) {
        self.note_loss();
        self.judge_lost(lost);
    }

    fn on_returned(&mut self, segments: Segments) {
        self.flight.on_returned(segments);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let lost = self.flight.on_ack(ack);
        self.probe.ended_since_ack = false;
        self.episode.on_ack(ack);
        self.rounds.on_ack(ack);
        if self.rounds.starts {
            self.probe.rounds_since = self.probe.rounds_since.saturating_add(1);
        }
        let held_back = ack.rate.is_some_and(|sample| self.held_back.limits(&sample));
        if ack.window_limited {
            self.probe.limited_until = self.rounds.delivered.wrapping_add(self.flight.now);
        }
        self.restore_after_timeout();
        self.sample = Sample::of(ack, lost, held_back);
        self.update();
    }

    /// Sections "Modulating cwnd in Loss Recovery" and "When not Probing for Bandwidth". A mark counts as a loss of its
    /// round: the draft leaves ECN open.
    fn on_loss(&mut self, loss: &Loss) {
        self.note_loss();
        if loss.kind == LossKind::Ecn {
            return;
        }
        self.flight.on_loss(loss);
        self.save_window();
        // what this loss itself has ended was reported with its segments
        self.ended_by_loss = self.ended_by_loss.filter(|_| self.probe.ended_since_ack);
        self.episode.on_loss(loss);
        if loss.kind == LossKind::Timeout {
            self.enter_timeout();
        }
    }

    fn on_recovered(&mut self, _now: Time) {
        self.episode.end();
    }

    /// Section "Handling a Spurious Loss Recovery". The code's stays in the state that the loss led to.
    fn on_spurious(&mut self, before: &Self) {
        self.window.prior = self.window.prior.max(before.window.now);
        self.window.restore();
        self.latest.loss_in_round = false;
        self.full.forget();
        self.bounds.raise_to(&before.bounds);
        self.episode.end();
        let ended = self.ended_by_loss.take();
        if LINUX || self.mode == Mode::ProbeRtt {
            return;
        }
        match ended {
            Some(Mode::Startup) => {
                self.full.reached = false;
                self.mode = Mode::Startup;
            }
            Some(_) if self.mode != Mode::Up => self.begin_refill(),
            _ => {}
        }
    }

    /// Section "Restarting From Idle".
    fn on_restart(&mut self, restart: &Restart) {
        self.least.restarts = true;
        self.aggregation.restart(restart.now);
        if self.mode.probes_rate() {
            self.pacing.set(self.bandwidth(), ONE, self.full.reached);
        } else if self.mode == Mode::ProbeRtt {
            self.end_probe_rtt_if_due(restart.now);
        }
    }

    /// Another path has another rate and RTT; what is in flight stays.
    fn on_path_change(&mut self, _next: SendIndex, _now: Time) {
        let (flight, mut rounds) = (self.flight, self.rounds);
        rounds.restart();
        *self = Bbr { flight, rounds, ..Self::new(self.window.begun_anew(), self.random) };
    }

    fn output(&self) -> Output {
        let pace = Some(self.pacing.pace());
        Output { window: Window::whole(Segments(self.window.now)), pace, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        let known = self.least.us != UNKNOWN_US;
        Status {
            window: Window::whole(Segments(self.window.now)),
            ssthresh: None,
            base_rtt: known.then(|| Span::from_micros(self.least.us.into())),
            diff: None,
            // PROBE_RTT interrupts STARTUP, and does not end it
            phase: if self.full.reached { Phase::Avoidance } else { Phase::SlowStart },
        }
    }

    fn state_name(&self) -> Option<&'static str> {
        Some(self.mode.name())
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        let bound = |segments: u32| if segments == u32::MAX { -1 } else { i64::from(segments) };
        let rate = |rate: Bandwidth| if rate == Bandwidth::MAX { -1 } else { rate.per_second() };
        let fine = |rate: Bandwidth| if rate == Bandwidth::MAX { -1 } else { rate.per_1000_s() };
        out("mode", self.mode as i64);
        out("pacing_gain_256ths", self.pacing_gain().into());
        out("window_gain_256ths", self.window_gain().into());
        out("rate_per_second", self.bounds.rate_long().per_second());
        out("rate_short_per_second", rate(self.bounds.rate_short));
        out("rate_per_1000_s", fine(self.bounds.rate_long()));
        out("rate_short_per_1000_s", fine(self.bounds.rate_short));
        out("in_flight_long_segments", bound(self.bounds.in_flight_long));
        out("in_flight_short_segments", bound(self.bounds.in_flight_short));
        out("least_rtt_us", bound(self.least.us));
        out("rounds", self.rounds.count.into());
        out("full_rounds", self.full.rounds.into());
        out("full", self.full.reached.into());
        out("full_now", self.full.now.into());
        out("restarts_from_idle", self.least.restarts.into());
        out("probe_wait_us", self.probe.wait_us.into());
        out("rounds_since_probe", self.probe.rounds_since.into());
        out("probe_too_high", self.probe.was_too_high.into());
        out("extra_acked_segments", self.aggregation.get().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_startup<const LINUX: bool>() -> Bbr<LINUX> {
        Bbr::start(&PRESET.parameters, 1)
    }

    fn loss() -> Loss {
        Loss {
            now: Time::ZERO,
            kind: LossKind::DuplicateAcks,
            sent: Time::ZERO,
            retransmission: false,
            in_flight: Segments(100),
            next: SendIndex(100),
            lost: Segments(1),
            threshold_holds: false,
        }
    }

    /// Section "Handling a Spurious Loss Recovery": a loss that was none and ended STARTUP gives it back, and the
    /// bounds are those before. The code stays where the loss led to.
    #[test]
    fn a_loss_that_was_none_gives_startup_back() {
        fn undone<const LINUX: bool>() -> Bbr<LINUX> {
            let before = in_startup::<LINUX>();
            let mut control = before;
            control.on_loss(&loss());
            control.full.reached = true;
            control.mode = Mode::Drain;
            control.ended_by_loss = Some(Mode::Startup);
            control.bounds.in_flight_long = 50;
            control.on_spurious(&before);
            assert_eq!((control.bounds.in_flight_long, control.latest.loss_in_round), (u32::MAX, false));
            control
        }
        assert_eq!(undone::<false>().mode, Mode::Startup);
        assert_eq!(undone::<true>().mode, Mode::Drain);
    }

    /// A probe that it ended begins again with REFILL.
    #[test]
    fn a_loss_that_was_none_gives_the_probe_back() {
        let mut control = in_startup::<false>();
        control.full.reached = true;
        control.mode = Mode::Up;
        control.probe.samples = true;
        let before = control;
        control.on_segment_lost(&LostSegment { in_flight: Segments(100), lost: Segments(3), app_limited: false });
        control.on_loss(&loss());
        assert_eq!(control.mode, Mode::Down);
        let mut later = control;
        later.on_ack(&Ack::default());
        later.on_loss(&loss());
        later.on_spurious(&control);
        assert_ne!(later.mode, Mode::Refill, "it was an earlier loss");
        control.on_spurious(&before);
        assert_eq!((control.mode, control.bounds.in_flight_long), (Mode::Refill, u32::MAX));
    }

    /// In 256ths 2 % of 100 are one, so that two are too many: of the 99 before, two may be lost (rounded up), one was,
    /// and one more may be (256 / 251). What the application held back does not bound the flight.
    #[test]
    fn a_probe_went_too_far_above_two_per_cent() {
        let judged = |lost, app_limited| {
            let mut control = in_startup::<false>();
            control.probe.samples = true;
            control.on_segment_lost(&LostSegment { in_flight: Segments(100), lost: Segments(lost), app_limited });
            (control.probe.was_too_high, control.bounds.in_flight_long)
        };
        assert_eq!(judged(1, false), (false, u32::MAX));
        assert_eq!(judged(2, false), (true, 100));
        assert_eq!(judged(2, true), (true, u32::MAX));
    }
}
