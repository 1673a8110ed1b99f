//! BBR version 1 (Cardwell, Cheng, Gunn, Hassas Yeganeh and Jacobson 2016, 2017;
//! draft-cardwell-iccrg-bbr-congestion-control-00; Linux, `net/ipv4/tcp_bbr.c`): the pace follows the greatest delivery
//! rate of ten round trips, and the window twice what that rate and the least RTT of ten seconds put on the path.
//!
//! STARTUP doubles the rate each round trip until it grows by less than a quarter in three; DRAIN takes the queue away.
//! PROBE_BW goes round eight phases of one least RTT: faster by a quarter, slower by a quarter, six at the rate.
//! PROBE_RTT keeps four segments in flight for 200 ms when the least RTT is ten seconds old. A loss takes no part of
//! the window: in the first round of a recovery what arrives is what may leave, then the window is what it was. Where
//! two stretches of four rounds or more lose a fifth at nearly one rate, a policer is assumed, and its rate is kept to
//! ([`policer`]).

mod policer;

use super::shared::{
    Aggregation, Bandwidth, Episode, Flight, Greatest, HeldBack, ONE, Pacing, Repair, Rounds, UNKNOWN_US, WINDOW_MIN,
};
use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Restart, Sent, Status};
use crate::standalone::random::Random;
use crate::standalone::reno::reno_window::micros;
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Bytes, Segments, SendIndex, Span, Time, Window};
use policer::Policer;

pub(crate) const PRESET: Preset = Preset {
    name: "bbr1",
    summary: "paces at the greatest delivery rate, twice the bandwidth-delay product in flight at most; takes no loss for congestion",
    source: "Cardwell et al.: BBR, ACM Queue 2016; Linux, net/ipv4/tcp_bbr.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// 2 / ln 2: the least gain that doubles the rate each round trip (`bbr_high_gain`), and its inverse.
const STARTUP_GAIN: u32 = ONE * 2885 / 1000 + 1;
const DRAIN_GAIN: u32 = ONE * 1000 / 2885;
/// `bbr_cwnd_gain`.
const WINDOW_GAIN: u32 = 2 * ONE;
/// `bbr_pacing_gain`: the eight phases of PROBE_BW.
const CYCLE: [u32; 8] = [ONE * 5 / 4, ONE * 3 / 4, ONE, ONE, ONE, ONE, ONE, ONE];
/// `bbr_bw_rtts`.
const RATE_ROUNDS: u32 = 10;
/// A rate that grows by less than a quarter in three round trips is that of a full pipe (`bbr_full_bw_thresh`,
/// `bbr_full_bw_cnt`).
const GROWS: u32 = ONE * 5 / 4;
const FULL_ROUNDS: u8 = 3;
/// `bbr_min_rtt_win_sec`, `bbr_probe_rtt_mode_ms`.
const LEAST_RTT_WINDOW: Span = Span::from_secs(10);
const PROBE_RTT_TIME: Span = Span::from_millis(200);
/// `TCP_INIT_CWND`, less the SYN, which Linux counts as delivered (`tcp_ack`, `tcp_rcv_state_process`).
const DELIVERED_FIRST: u32 = 9;
/// A burst is a millisecond's worth, 127 segments and 65,215 bytes at most (`bbr_tso_segs_goal`); three may wait in the
/// hosts.
const BURST_PART_OF_SECOND: u64 = 1024;
const BURSTS: u32 = 3;
const BURST_MAX: u32 = 127;
const BURST_BYTES_MAX: u64 = 65_215;
/// From 1.2 Mb/s on a burst has two segments at least (`bbr_min_tso_rate`).
const TWO_FROM_BYTES_PER_SECOND: u64 = 1_200_000 / 8;
/// What a segment carries on Ethernet with time stamps, until the host says otherwise.
const SEGMENT: Bytes = Bytes::new(1_448);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRtt,
}

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bbr1 {
    window: Windows,
    mode: Mode,
    cycle: Cycle,
    full: FullPipe,
    rates: Greatest,
    pacing: Pacing,
    bursts: Bursts,
    rounds: Rounds,
    least: LeastRtt,
    flight: Flight,
    episode: Episode,
    held_back: HeldBack,
    policer: Policer,
    aggregation: Aggregation,
    random: Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Windows {
    now: u32,
    /// The window before a recovery or PROBE_RTT.
    prior: u32,
    most: u32,
    initial: u32,
    /// In the first round trip of a recovery what arrives is what may leave.
    conserves: bool,
}

/// The bounds of a burst in segments, by their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bursts {
    /// The pace from which there are two at least ([`Pacing::product_of`]).
    two_from: u64,
    most: u32,
}

/// The phase of PROBE_BW.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cycle {
    index: u8,
    began: Time,
}

/// Whether the rate still grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FullPipe {
    rate: Bandwidth,
    rounds: u8,
    reached: bool,
}

/// The least RTT, and PROBE_RTT, which renews it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LeastRtt {
    us: u32,
    at: Time,
    /// When PROBE_RTT may end; never before little enough is in flight.
    done: Time,
    round_done: bool,
    /// Nothing was in flight, and nothing has arrived since.
    restarts: bool,
}

impl Windows {
    /// Takes a window for the last good one (`bbr_save_cwnd`).
    fn save(&mut self, is_good: bool) {
        self.prior = if is_good { self.now } else { self.prior.max(self.now) };
    }

    fn restore(&mut self) {
        self.now = self.now.max(self.prior).min(self.most);
    }
}

impl Bursts {
    fn of(segment: Bytes) -> Self {
        let most = BURST_BYTES_MAX / segment.get().max(1);
        Bursts {
            two_from: Pacing::product_of(TWO_FROM_BYTES_PER_SECOND, segment),
            most: u32::try_from(most).unwrap_or(BURST_MAX).clamp(2, BURST_MAX),
        }
    }
}

impl FullPipe {
    const NONE: FullPipe = FullPipe { rate: Bandwidth::NONE, rounds: 0, reached: false };

    fn forget(&mut self) {
        *self = FullPipe { reached: self.reached, ..FullPipe::NONE };
    }

    /// Once a round trip, unless what was sent was held back (`bbr_check_full_bw_reached`).
    fn on_round(&mut self, rate: Bandwidth) {
        if rate >= self.rate.part(GROWS) {
            self.rate = rate;
            self.rounds = 0;
            return;
        }
        self.rounds += 1;
        self.reached = self.rounds >= FULL_ROUNDS;
    }
}

impl Bbr1 {
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld::MICROS;
    pub(crate) const NEEDS: Needs =
        Needs { rate: true, every_ack: true, sent: true, pace_kept: true, own_recovery: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, seed: u64) -> Self {
        let (initial, most) = (parameters.initial_window.0, parameters.max_window.0);
        Bbr1::new(Windows { now: initial, prior: 0, most, initial, conserves: false }, Random::new(seed))
    }

    fn new(window: Windows, random: Random) -> Self {
        Bbr1 {
            window,
            mode: Mode::Startup,
            cycle: Cycle { index: 0, began: Time::ZERO },
            full: FullPipe::NONE,
            rates: Greatest::NONE,
            pacing: Pacing::new(window.now, STARTUP_GAIN),
            bursts: Bursts::of(SEGMENT),
            rounds: Rounds::default(),
            least: LeastRtt { us: UNKNOWN_US, at: Time::ZERO, done: Time::NEVER, round_done: false, restarts: false },
            flight: Flight::NONE,
            episode: Episode::NONE,
            held_back: HeldBack::default(),
            policer: Policer::NONE,
            aggregation: Aggregation::NONE,
            random,
        }
    }

    fn pacing_gain(&self) -> u32 {
        match self.mode {
            Mode::Startup => STARTUP_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBandwidth if self.policer.rate().is_some() => ONE,
            Mode::ProbeBandwidth => CYCLE[usize::from(self.cycle.index) % CYCLE.len()],
            Mode::ProbeRtt => ONE,
        }
    }

    fn window_gain(&self) -> u32 {
        match self.mode {
            Mode::Startup | Mode::Drain => STARTUP_GAIN,
            Mode::ProbeBandwidth => WINDOW_GAIN,
            Mode::ProbeRtt => ONE,
        }
    }

    /// The rate that the pace follows: the policer's if a policer is assumed.
    fn bandwidth(&self) -> Bandwidth {
        self.policer.rate().unwrap_or(self.rates.get())
    }

    /// Segments that may leave together (`bbr_tso_segs_goal`).
    fn burst(&self) -> u32 {
        let least = if self.pacing.is_below(self.bursts.two_from) { 1 } else { 2 };
        self.pacing.segments_in_second_part(BURST_PART_OF_SECOND).clamp(least, self.bursts.most)
    }

    /// Rate times least RTT times `gain` (`bbr_bdp`).
    fn product(&self, bandwidth: Bandwidth, gain: u32) -> u32 {
        if self.least.us == UNKNOWN_US { self.window.initial } else { bandwidth.product(self.least.us, gain) }
    }

    /// With what the hosts hold back, an even number; the phase that probes gets two more, so that a small product
    /// grows (`bbr_quantization_budget`).
    fn with_budget(&self, segments: u32) -> u32 {
        let even = segments.saturating_add(BURSTS * self.burst()).saturating_add(1) & !1;
        let probes = self.mode == Mode::ProbeBandwidth && self.cycle.index == 0;
        even.saturating_add(if probes { 2 } else { 0 })
    }

    /// What the path holds at `gain` times the greatest rate.
    fn path_holds(&self, gain: u32) -> u32 {
        self.with_budget(self.product(self.rates.get(), gain))
    }

    fn at_departure(&self, in_flight: u32, now: Time) -> u32 {
        let more = if self.pacing_gain() > ONE { self.burst() } else { 0 };
        self.flight.at_departure(in_flight, now, self.bandwidth(), more)
    }

    /// `bbr_save_cwnd`.
    fn save_window(&mut self) {
        self.window.save(self.episode.before == Repair::Open && self.mode != Mode::ProbeRtt);
    }

    /// `bbr_update_bw`.
    fn take_rate(&mut self, ack: &Ack, lost: u32, held_back: bool) {
        let Some(sample) = ack.rate else { return };
        if self.rounds.starts {
            self.window.conserves = false;
        }
        let steers = self.mode == Mode::ProbeBandwidth;
        if self.policer.on_ack(&self.rounds, lost, held_back, steers) {
            self.probe_bandwidth();
        }
        let rate = Bandwidth::of_sample(&sample, false);
        if !held_back || rate >= self.rates.get() {
            self.rates.sample(RATE_ROUNDS, self.rounds.count, rate);
        }
    }

    /// `bbr_update_cycle_phase`.
    fn turn_cycle(&mut self, now: Time, lost: u32) {
        if self.mode == Mode::ProbeBandwidth && self.is_phase_over(now, lost) {
            self.next_phase();
        }
    }

    /// A phase lasts a least RTT: the fast one until its target is in flight, or a segment is lost; the slow one at
    /// most until the queue is empty (`bbr_is_next_cycle_phase`).
    fn is_phase_over(&self, now: Time, lost: u32) -> bool {
        let least = Span::from_micros(self.least.us.into());
        let is_long = self.rounds.delivered_at.since(self.cycle.began) > least;
        let gain = self.pacing_gain();
        if gain == ONE {
            return is_long;
        }
        let in_flight = self.at_departure(self.flight.before, now);
        match gain > ONE {
            true => is_long && (lost > 0 || in_flight >= self.path_holds(gain)),
            false => is_long || in_flight <= self.path_holds(ONE),
        }
    }

    fn next_phase(&mut self) {
        self.cycle = Cycle { index: (self.cycle.index + 1) % 8, began: self.rounds.delivered_at };
    }

    /// Begins with any phase but the slow one (`bbr_reset_probe_bw_mode`).
    fn probe_bandwidth(&mut self) {
        self.mode = Mode::ProbeBandwidth;
        let draw = (u64::from(self.random.word()) * 7) >> 32;
        self.cycle.index = 7 - draw as u8;
        self.next_phase();
    }

    /// `bbr_check_full_bw_reached`, `bbr_check_drain`.
    fn drain_if_full(&mut self, now: Time, held_back: bool) {
        if !self.full.reached && self.rounds.starts && !held_back {
            self.full.on_round(self.rates.get());
        }
        if self.mode == Mode::Startup && self.full.reached {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && self.at_departure(self.flight.now, now) <= self.path_holds(ONE) {
            self.probe_bandwidth();
        }
    }

    /// `bbr_update_min_rtt`.
    fn take_rtt(&mut self, ack: &Ack) {
        let is_old = self.least.us != UNKNOWN_US && ack.now.since(self.least.at) > LEAST_RTT_WINDOW;
        if let Some(rtt_us) = ack.rtt.map(micros)
            && (rtt_us < self.least.us || is_old)
        {
            self.least.us = rtt_us;
            self.least.at = ack.now;
        }
        if is_old && !self.least.restarts && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_window();
            self.least.done = Time::NEVER;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(ack.now);
        }
        self.least.restarts &= ack.rate.is_none();
    }

    /// Four segments or fewer for 200 ms and a round trip.
    fn probe_rtt(&mut self, now: Time) {
        self.held_back.extend(self.rounds.delivered, self.flight.now);
        if self.least.done == Time::NEVER {
            if self.flight.now <= WINDOW_MIN {
                self.least.done = now + PROBE_RTT_TIME;
                self.least.round_done = false;
                self.rounds.restart();
            }
            return;
        }
        self.least.round_done |= self.rounds.starts;
        if self.least.round_done {
            self.end_probe_rtt_if_due(now);
        }
    }

    /// `bbr_check_probe_rtt_done`.
    fn end_probe_rtt_if_due(&mut self, now: Time) {
        if self.least.done == Time::NEVER || now <= self.least.done {
            return;
        }
        self.least.at = now;
        self.window.restore();
        if self.full.reached {
            self.probe_bandwidth();
        } else {
            self.mode = Mode::Startup;
        }
    }

    fn set_pace(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.pacing.begin(self.window.now, micros(rtt), STARTUP_GAIN);
        }
        self.pacing.set(self.bandwidth(), self.pacing_gain(), self.full.reached);
    }

    /// `bbr_set_cwnd`.
    fn set_window(&mut self, ack: &Ack, lost: u32) {
        let acked = ack.delivered.0;
        if acked > 0 && !self.recover_or_restore(acked, lost) {
            let target = self.product(self.bandwidth(), self.window_gain());
            let more = if self.full.reached { self.aggregation.allowance(self.bandwidth()) } else { 0 };
            let target = self.with_budget(target.saturating_add(more));
            let grown = self.window.now.saturating_add(acked);
            if self.full.reached {
                self.window.now = grown.min(target);
            } else if self.window.now < target || self.rounds.delivered < DELIVERED_FIRST {
                self.window.now = grown;
            }
            self.window.now = self.window.now.max(WINDOW_MIN);
        }
        if self.mode == Mode::ProbeRtt {
            self.window.now = self.window.now.min(WINDOW_MIN);
        }
        self.window.now = self.window.now.clamp(1, self.window.most);
    }

    /// Whether a recovery decides: in its first round trip what arrives is what may leave
    /// (`bbr_set_cwnd_to_recover_or_restore`).
    fn recover_or_restore(&mut self, acked: u32, lost: u32) -> bool {
        let (before, state) = (self.episode.before, self.episode.state);
        self.episode.before = state;
        let arrives = self.flight.now.saturating_add(acked);
        self.window.now = self.window.now.saturating_sub(lost).max(1);
        if state == Repair::Recovery && before != Repair::Recovery {
            self.window.conserves = true;
            self.rounds.restart();
            self.window.now = arrives;
        } else if before != Repair::Open && state == Repair::Open {
            self.window.restore();
            self.window.conserves = false;
        }
        if self.window.conserves {
            self.window.now = self.window.now.max(arrives);
        }
        self.window.conserves
    }
}

impl CongestionControl for Bbr1 {
    fn on_segment_size(&mut self, size: Bytes) {
        self.bursts = Bursts::of(size);
    }

    /// The handshake gives an RTT sample (`bbr_init`).
    fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.least.us = micros(rtt);
        self.least.at = now;
        self.pacing.begin(self.window.now, micros(rtt), STARTUP_GAIN);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.flight.on_sent(sent, self.pacing.pace());
    }

    fn on_returned(&mut self, segments: Segments) {
        self.flight.on_returned(segments);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let lost = self.flight.on_ack(ack);
        self.episode.on_ack(ack);
        self.rounds.on_ack(ack);
        self.policer.count(lost, ack.delivered.0);
        let held_back = ack.rate.is_some_and(|sample| self.held_back.limits(&sample));
        self.take_rate(ack, lost, held_back);
        if ack.rate.is_some() {
            let bandwidth = self.bandwidth();
            self.aggregation.on_ack(ack.now, ack.delivered.0, &self.rounds, bandwidth, self.window.now, false);
        }
        self.turn_cycle(ack.now, lost);
        self.drain_if_full(ack.now, held_back);
        self.take_rtt(ack);
        self.set_pace(ack);
        self.set_window(ack, lost);
    }

    /// A loss is noted (`bbr_ssthresh`); a timeout begins with a segment, and may show a policer (`bbr_set_state`). A
    /// mark says nothing to version 1.
    fn on_loss(&mut self, loss: &Loss) {
        if loss.kind == LossKind::Ecn {
            return;
        }
        let in_flight = self.flight.now;
        self.flight.on_loss(loss);
        self.save_window();
        self.episode.on_loss(loss);
        if loss.kind == LossKind::Timeout {
            self.window.now = 1;
            self.full.rate = Bandwidth::NONE;
            self.policer.count(in_flight, 0);
            let mut rounds = self.rounds;
            rounds.starts = true;
            if self.policer.on_ack(&rounds, 1, false, self.mode == Mode::ProbeBandwidth) {
                self.probe_bandwidth();
            }
        }
    }

    fn on_recovered(&mut self, _now: Time) {
        self.episode.end();
    }

    /// `bbr_undo_cwnd`.
    fn on_spurious(&mut self, before: &Self) {
        self.window.now = self.window.now.max(before.window.now);
        self.full.forget();
        self.policer.forget(&self.rounds);
        self.episode.end();
    }

    /// `bbr_cwnd_event`: the application sends again, at the rate and not faster.
    fn on_restart(&mut self, restart: &Restart) {
        self.least.restarts = true;
        self.aggregation.restart(restart.now);
        match self.mode {
            Mode::ProbeBandwidth => self.pacing.set(self.bandwidth(), ONE, self.full.reached),
            Mode::ProbeRtt => self.end_probe_rtt_if_due(restart.now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    /// Another path has another rate and RTT; what is in flight stays.
    fn on_path_change(&mut self, _next: SendIndex, _now: Time) {
        let window = Windows { now: self.window.now.min(self.window.initial), prior: 0, ..self.window };
        let (flight, rounds, bursts) = (self.flight, self.rounds, self.bursts);
        *self = Bbr1 { flight, rounds, bursts, ..Bbr1::new(window, self.random) };
    }

    fn output(&self) -> Output {
        let pace = Some(self.pacing.pace());
        Output { window: Window::whole(Segments(self.window.now)), pace, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        Status {
            window: Window::whole(Segments(self.window.now)),
            ssthresh: None,
            base_rtt: (self.least.us != UNKNOWN_US).then(|| Span::from_micros(self.least.us.into())),
            diff: None,
            // PROBE_RTT interrupts STARTUP, and does not end it
            phase: if self.full.reached { Phase::Avoidance } else { Phase::SlowStart },
        }
    }

    fn state_name(&self) -> Option<&'static str> {
        Some(match self.mode {
            Mode::Startup => "STARTUP",
            Mode::Drain => "DRAIN",
            Mode::ProbeBandwidth => "PROBE_BW",
            Mode::ProbeRtt => "PROBE_RTT",
        })
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("mode", self.mode as i64);
        out("cycle_index", self.cycle.index.into());
        out("pacing_gain_256ths", self.pacing_gain().into());
        out("window_gain_256ths", self.window_gain().into());
        out("rate_per_second", self.rates.get().per_second());
        out("rate_per_1000_s", self.rates.get().per_1000_s());
        out("policer_per_second", self.policer.rate().map_or(-1, Bandwidth::per_second));
        out("least_rtt_us", if self.least.us == UNKNOWN_US { -1 } else { self.least.us.into() });
        out("rounds", self.rounds.count.into());
        out("full_rounds", self.full.rounds.into());
        out("full", self.full.reached.into());
        out("conserves", self.window.conserves.into());
        out("prior_window", self.window.prior.into());
        out("extra_acked_segments", self.aggregation.get().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burst(segment_bytes: u64, per_second: u32) -> u32 {
        let mut control = Bbr1::start(&PRESET.parameters, 1);
        control.on_segment_size(Bytes::new(segment_bytes));
        control.pacing.set(Bandwidth::of(per_second, 1_000_000), ONE, true);
        control.burst()
    }

    /// By hand, with 99 % of each rate: 150,000 bytes a second are 581.4 segments of 258 bytes, and 103.6 of 1448. A
    /// millisecond's worth of 100,000 segments is 96, and 65,215 bytes are 45 segments of 1448.
    #[test]
    fn a_burst_is_bounded_in_bytes() {
        assert_eq!([burst(258, 586), burst(258, 588)], [1, 2]);
        assert_eq!([burst(1_448, 104), burst(1_448, 106)], [1, 2]);
        assert_eq!([burst(258, 100_000), burst(1_448, 100_000)], [96, 45]);
    }
}
