//! Nimbus (Goyal et al., "Elasticity Detection: A Building Block for Internet Congestion Control", SIGCOMM 2022, arXiv
//! 1802.08730): delay control, but CUBIC's window while the rate of the cross traffic answers pulses of the own rate.
//!
//! The single flow of the paper, with the numbers of the authors' code (ccp-project/nimbus, `src/lib.rs`):
//!
//! - Cross traffic: z = mu S / R - S, with the rates S and R at which the segments of about a round trip left and
//!   arrived, and the greatest smoothed R for mu, the link's rate.
//! - Pulses at 5 Hz: a quarter of a period half a sine of mu / 4 above the rate, the rest half a sine of mu / 12 below.
//! - Elasticity: over 5 s of z, sampled each 10 ms, the amplitude at 5 Hz over the greatest from 6.6 to 9.4 Hz; from 2
//!   on the cross traffic is elastic. Goertzel's sums take the place of the Fourier transform.
//! - Delay mode: rate = S + 0.8 (mu - S - z) - 0.5 mu (RTT - 1.25 base RTT) / RTT. Competitive mode: CUBIC.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::composition::parts::avoidance::cubic::Cubic;
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Status};
use crate::standalone::Preset;
use crate::standalone::delay::copa::{may_grow, path_rtt};
use crate::units::{Pace, Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "nimbus",
    summary: "keeps the delay low, and is CUBIC while pulses of its rate show that cross traffic is elastic",
    source: "Goyal et al.: Nimbus, SIGCOMM 2022; ccp-project/nimbus",
    host: Host::Bsd,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), restart_window: Segments(2), ..RENO_PARAMETERS },
    standalone: None,
};

/// Shares of the link's rate are in parts of this.
const ONE: i32 = 1 << 10;
/// Rates are in 64ths of a segment a second.
const RATE_ONE: u64 = 64;
/// `measurement_interval`, and what an acknowledgement may be late; samples stay the same until the next one.
const SAMPLE: Span = Span::from_millis(10);
const SAMPLES_AT_ONCE: u32 = 16;
/// 5 s of samples (`duration_of_fft`), a whole number of periods of each frequency below.
const SAMPLES: u16 = 500;
/// No estimate before (`should_switch_flow_mode`).
const SETTLES: Span = Span::from_secs(10);
/// The pulses' period, and the part above the rate (`frequency`, `up_ratio`).
const PERIOD: u64 = 200_000_000;
const PULSE_UP: u64 = PERIOD / 4;
/// `pulse_size`.
const PULSE_HEIGHT: i32 = ONE / 4;
/// 2 cos(2 pi f x 10 ms) in 2^-14 of 5 Hz, and of each fifth of a hertz from 6.6 to 9.4.
const COSINES: [i32; FREQUENCIES] =
    [31164, 29991, 29822, 29649, 29472, 29289, 29102, 28911, 28715, 28514, 28309, 28099, 27885, 27667, 27444, 27217];
const COSINE_BITS: u32 = 14;
const FREQUENCIES: usize = 16;
/// The threshold of elasticity, squared.
const ELASTIC_SQUARED: u64 = 4;
/// Less cross traffic than this cannot take from the flow (`avg_zt`).
const CROSS_MIN: i32 = ONE / 10;
/// `alpha`, `beta`, `delay_threshold`, and its fall to that: 0.05 base RTTs each 100 ms.
const ALPHA_PERCENT: i64 = 80;
const BETA_PERCENT: i64 = 50;
const WANTED_RTT: u32 = ONE as u32 * 5 / 4;
const WANTED_RTT_STEP: u32 = ONE as u32 / 200;
/// The least rate, of the link's.
const RATE_MIN: i32 = ONE / 20;
const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nimbus {
    /// CUBIC's.
    window: Window,
    max_window: Segments,
    restart_window: Segments,
    cubic: Cubic,
    threshold: Segments,
    competes: bool,
    base_rtt: Span,
    rates: Rates,
    /// The rate of the delay mode, and what the pulse adds, as shares of the link's.
    rate: i32,
    pulse: i32,
    /// The RTT that the delay mode wants, in base RTTs.
    wanted_rtt: u32,
    began: Time,
    next_sample: Time,
    spectrum: Spectrum,
    /// Of the newest 5 s, in 256ths.
    elasticity: u32,
}

/// Rates of the segments of about a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rates {
    /// Newest first, a quarter of an RTT apart.
    marks: [Mark; 4],
    marked: u8,
    delivered: u32,
    /// The newest RTT; zero before.
    rtt: Span,
    /// S and R, in [`RATE_ONE`].
    sent: u32,
    received: u32,
    smoothed: u32,
    /// mu.
    link: u32,
    /// z.
    cross: i32,
}

/// An acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    at_us: u32,
    rtt_us: u32,
    delivered: u32,
}

/// Goertzel's sums of the samples of z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spectrum {
    sums: [[i32; 2]; FREQUENCIES],
    samples: u16,
    total: i32,
    /// The smoothed R at the first sample.
    received: u32,
}

impl Rates {
    const NONE: Rates = Rates {
        marks: [Mark { at_us: 0, rtt_us: 0, delivered: 0 }; 4],
        marked: 0,
        delivered: 0,
        rtt: Span::ZERO,
        sent: 0,
        received: 0,
        smoothed: 0,
        link: 0,
        cross: 0,
    };

    fn sample(&mut self, now: Time, rtt: Span, delivered: Segments) {
        self.rtt = rtt;
        self.delivered = self.delivered.wrapping_add(delivered.0);
        let newest = Mark {
            at_us: (now.as_nanos() / 1_000) as u32,
            rtt_us: (rtt.as_nanos() / 1_000).min(u32::MAX.into()) as u32,
            delivered: self.delivered,
        };
        if usize::from(self.marked) == self.marks.len() {
            self.measure(newest);
        }
        if self.marked == 0 || newest.at_us.wrapping_sub(self.marks[0].at_us) >= newest.rtt_us / 4 {
            self.marks = [newest, self.marks[0], self.marks[1], self.marks[2]];
            self.marked = (self.marked + 1).min(4);
        }
    }

    /// The same segments left in `sending`, and arrived in `receiving`.
    fn measure(&mut self, newest: Mark) {
        let oldest = self.marks[3];
        let receiving = u64::from(newest.at_us.wrapping_sub(oldest.at_us));
        let sending = (receiving + u64::from(oldest.rtt_us)).saturating_sub(newest.rtt_us.into());
        if receiving == 0 || sending == 0 {
            return;
        }
        let segments = u64::from(newest.delivered.wrapping_sub(oldest.delivered)).min(1 << 24);
        self.sent = per_second(segments, sending);
        self.received = per_second(segments, receiving);
        self.smoothed = ((4 * u64::from(self.smoothed) + u64::from(self.received)) / 5) as u32;
        self.link = self.link.max(self.smoothed);
        // z / mu = S / R - S / mu, and S / R is the ratio of the times
        self.cross = (share(receiving, sending) - share(self.sent.into(), self.link.into())).clamp(-ONE, 2 * ONE);
    }
}

/// In [`RATE_ONE`].
fn per_second(segments: u64, micros: u64) -> u32 {
    (segments * RATE_ONE * 1_000_000 / micros).min(u32::MAX.into()) as u32
}

/// The segments that leave in `span` at a rate in [`RATE_ONE`].
fn of_rate(rate: u64, span: Span) -> Window {
    let micros = (span.as_nanos() / 1_000).min(1 << 26);
    let parts = rate.min(1 << 30) * micros / 1_000_000;
    Window::from_raw(parts << (Window::FRACTION_BITS - 6)).min(Window::MAX)
}

/// The quotient as a share; four at most.
fn share(part: u64, whole: u64) -> i32 {
    (part.min(1 << 50) * ONE as u64 / whole.max(1)).min(4 * ONE as u64) as i32
}

impl Spectrum {
    const NONE: Spectrum = Spectrum { sums: [[0; 2]; FREQUENCIES], samples: 0, total: 0, received: 0 };

    #[cfg_attr(vegas_kernel, inline(never))]
    fn add(&mut self, cross: i32) {
        for (sums, cosine) in self.sums.iter_mut().zip(COSINES) {
            let turned = (i64::from(sums[0]) * i64::from(cosine)) >> COSINE_BITS;
            *sums = [cross.wrapping_add(turned as i32).wrapping_sub(sums[1]), sums[0]];
        }
        self.samples += 1;
        self.total += cross;
    }

    /// The squared amplitudes at the pulses' frequency, and the greatest of the others.
    fn powers(&self) -> (u64, u64) {
        let mut powers = self.sums.iter().zip(COSINES).map(|(sums, cosine)| power(*sums, cosine));
        (powers.next().unwrap_or(0), powers.max().unwrap_or(0))
    }
}

/// s1^2 + s2^2 - 2 cos(...) s1 s2.
fn power([newer, older]: [i32; 2], cosine: i32) -> u64 {
    let (newer, older) = (i64::from(newer), i64::from(older));
    let cross = ((newer * i64::from(cosine)) >> COSINE_BITS) * older;
    (newer * newer + older * older - cross).max(0) as u64
}

/// What the pulse adds, `since` the flow's first acknowledgement.
fn pulse(since: Span) -> i32 {
    let phase = since.as_nanos() % PERIOD;
    match phase < PULSE_UP {
        true => half_sine(phase, PULSE_UP) * PULSE_HEIGHT / ONE,
        false => -(half_sine(phase - PULSE_UP, PERIOD - PULSE_UP) * PULSE_HEIGHT / ONE / 3),
    }
}

/// sin(pi x), 0 <= x < 1, by 16 x (1 - x) / (5 - 4 x (1 - x)), which Bhaskara I gave: to 0.2 %.
fn half_sine(part: u64, whole: u64) -> i32 {
    let parts = part * 1024 / whole;
    let product = parts * (1024 - parts);
    (16 * product * ONE as u64 / (5 * 1024 * 1024 - 4 * product)) as i32
}

impl Nimbus {
    pub(crate) const NEEDS: Needs =
        Needs { every_ack: true, spread: true, pacing: true, own_recovery: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Nimbus {
            window: Window::whole(parameters.initial_window),
            max_window: parameters.max_window,
            restart_window: parameters.restart_window,
            cubic: Cubic::default(),
            threshold: Window::MAX.floor(),
            competes: true,
            base_rtt: Span::MAX,
            rates: Rates::NONE,
            rate: RATE_MIN,
            pulse: 0,
            wanted_rtt: WANTED_RTT,
            began: Time::NEVER,
            next_sample: Time::NEVER,
            spectrum: Spectrum::NONE,
            elasticity: 0,
        }
    }

    fn measure(&mut self, ack: &Ack, rtt: Span) {
        if self.began == Time::NEVER {
            self.began = ack.now;
            self.next_sample = ack.now;
        }
        self.base_rtt = self.base_rtt.min(rtt);
        self.rates.sample(ack.now, rtt, ack.delivered);
        self.pulse = pulse(ack.now.since(self.began));
    }

    /// What was measured stands for all instants until now; after a longer silence the 5 s begin again.
    fn sample(&mut self, now: Time) {
        for _ in 0..SAMPLES_AT_ONCE {
            if self.next_sample > now {
                return;
            }
            self.next_sample = self.next_sample + SAMPLE;
            self.sample_once(now);
        }
        if self.next_sample <= now {
            self.next_sample = now;
            self.spectrum = Spectrum::NONE;
        }
    }

    #[cfg_attr(vegas_kernel, inline(never))]
    fn sample_once(&mut self, now: Time) {
        if !self.competes {
            self.steer();
        }
        if now.since(self.began) < SETTLES {
            return;
        }
        if self.spectrum.samples == 0 {
            self.spectrum.received = self.rates.smoothed;
        }
        self.spectrum.add(self.rates.cross);
        if self.spectrum.samples == SAMPLES {
            self.judge();
            self.spectrum = Spectrum::NONE;
        }
    }

    /// The delay mode's rule, in shares of the link's rate.
    fn steer(&mut self) {
        let sent = i64::from(share(self.rates.sent.into(), self.rates.link.into()));
        let free = i64::from(ONE) - sent - i64::from(self.rates.cross);
        let wanted = self.base_rtt.times(self.wanted_rtt.into()).as_nanos() >> 10;
        let rtt = self.rates.rtt.as_nanos();
        let early = i64::from(share(wanted.saturating_sub(rtt), rtt));
        let late = i64::from(share(rtt.saturating_sub(wanted), rtt));
        // by a power of two: BPF does not divide signed numbers
        let change = ((free * ALPHA_PERCENT + (early - late) * BETA_PERCENT) * 655) >> 16;
        self.rate = ((sent + change) as i32).clamp(RATE_MIN, 2 * ONE);
        self.wanted_rtt = self.wanted_rtt.saturating_sub(WANTED_RTT_STEP).max(WANTED_RTT);
    }

    /// 5 s of samples are there.
    fn judge(&mut self) {
        let (pulses, others) = self.spectrum.powers();
        self.elasticity = (root(pulses / (others >> 16).max(1))).min(1 << 16) as u32;
        let crosses = self.spectrum.total >= CROSS_MIN * i32::from(SAMPLES);
        let is_elastic = crosses && pulses >= ELASTIC_SQUARED.saturating_mul(others);
        match (is_elastic, self.competes) {
            (true, false) => self.compete(),
            (false, true) => self.keep_delay(),
            _ => {}
        }
    }

    /// From the rate of 5 s ago: the cross traffic has taken from it since.
    fn compete(&mut self) {
        self.competes = true;
        self.window = self.within(of_rate(self.spectrum.received.into(), self.rates.rtt));
        self.threshold = self.window.floor();
        self.cubic.pause();
    }

    fn keep_delay(&mut self) {
        self.competes = false;
        self.wanted_rtt = (share(self.rates.rtt.as_nanos(), self.base_rtt.as_nanos()) as u32).max(WANTED_RTT);
        self.rate = share(self.rates.received.into(), self.rates.link.into()).max(RATE_MIN);
    }

    fn in_slow_start(&self) -> bool {
        self.window < Window::whole(self.threshold)
    }

    fn within(&self, window: Window) -> Window {
        window.max(Window::whole(Segments(2))).min(Window::whole(self.max_window))
    }

    fn open(&mut self, ack: &Ack) {
        if !may_grow(self.window, ack) {
            return;
        }
        let more = match self.in_slow_start() {
            true => Window::whole(ack.acked),
            false => self.cubic.growth_for(self.window, ack.now, ack.acked, self.base_rtt),
        };
        self.window = self.window.plus(more).min(Window::whole(self.max_window));
    }

    fn least_rate(&self) -> u64 {
        u64::from(self.rates.link) * RATE_MIN as u64 / ONE as u64
    }

    /// The rate without the pulse, in [`RATE_ONE`].
    fn wanted(&self) -> u64 {
        if !self.competes {
            return u64::from(self.rates.link) * self.rate as u64 / ONE as u64;
        }
        let raw = self.window.as_raw() >> (Window::FRACTION_BITS - 6);
        let of_window = raw * NANOS_PER_SECOND / self.rates.rtt.as_nanos().max(1);
        of_window.max(self.least_rate())
    }

    fn pulsed(&self) -> u64 {
        let height = u64::from(self.rates.link) * u64::from(self.pulse.unsigned_abs()) / ONE as u64;
        match self.pulse < 0 {
            true => self.wanted().saturating_sub(height).max(self.least_rate()).max(1),
            false => self.wanted() + height,
        }
    }

    /// Twice what leaves in an RTT: the pace decides (`send_pattern`).
    fn allowed(&self) -> Window {
        match self.rates.rtt {
            Span::ZERO => self.window,
            _ if self.competes => self.within(self.window.plus(self.window)),
            rtt => self.within(of_rate(2 * self.wanted(), rtt)),
        }
    }
}

/// The square root, rounded down.
fn root(value: u64) -> u64 {
    (0..32).rev().fold(0, |root, bit| {
        let more = root | (1 << bit);
        if more * more <= value { more } else { root }
    })
}

impl CongestionControl for Nimbus {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = path_rtt(ack) {
            self.measure(ack, rtt);
        }
        if self.began < Time::NEVER {
            self.sample(ack.now);
        }
        if self.competes {
            self.open(ack);
        }
    }

    /// CUBIC's answer, which counts in the competitive mode; a timeout begins slow start again.
    fn on_loss(&mut self, loss: &Loss) {
        let (before, allowed) = (self.window, self.allowed());
        self.cubic.cut(before);
        // 0.7 (RFC 9438, section 4.6)
        self.window =
            self.window.minus(Window::from_raw(before.as_raw() / 10 * 3)).max(self.within(Window::ONE).min(before));
        self.threshold = self.window.floor();
        if loss.kind == LossKind::Timeout {
            self.window = Window::whole(self.restart_window).min(allowed.half()).max(Window::ONE);
            self.rate = RATE_MIN;
            self.competes = true;
            self.spectrum = Spectrum::NONE;
        }
    }

    fn on_path_change(&mut self, _next: SendIndex, now: Time) {
        self.base_rtt = Span::MAX;
        self.rates = Rates::NONE;
        self.competes = true;
        self.began = now;
        self.next_sample = now;
        self.spectrum = Spectrum::NONE;
    }

    fn output(&self) -> Output {
        let pace = (self.rates.rtt > Span::ZERO)
            .then(|| Pace::of(self.pulsed(), Span::from_nanos(NANOS_PER_SECOND * RATE_ONE)));
        Output { window: self.allowed(), pace, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        let known = self.base_rtt < Span::MAX && self.rates.rtt > Span::ZERO;
        let queueing = self.rates.rtt.less(self.base_rtt);
        let queued = queueing.times(u64::from(self.rates.sent) / RATE_ONE).as_nanos() / NANOS_PER_SECOND;
        Status {
            window: self.allowed(),
            ssthresh: None,
            base_rtt: known.then_some(self.base_rtt),
            diff: known.then_some(queued.min(i32::MAX as u64) as i32),
            phase: if self.in_slow_start() { Phase::SlowStart } else { Phase::Avoidance },
        }
    }

    fn state_name(&self) -> Option<&'static str> {
        Some(if self.competes { "competitive" } else { "delay" })
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("competes", self.competes.into());
        out("cubic_segments", self.window.floor().as_i64());
        out("sent_per_second", (u64::from(self.rates.sent) / RATE_ONE) as i64);
        out("received_per_second", (u64::from(self.rates.received) / RATE_ONE) as i64);
        out("link_per_second", (u64::from(self.rates.link) / RATE_ONE) as i64);
        out("cross_1024ths", self.rates.cross.into());
        out("pulse_1024ths", self.pulse.into());
        out("samples", self.spectrum.samples.into());
        out("elasticity_256ths", self.elasticity.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: at an eighth of the period the pulse is at its top, a quarter; at five eighths at its bottom, a
    /// twelfth.
    #[test]
    fn pulses_are_asymmetric() {
        assert_eq!(pulse(Span::from_millis(0)), 0);
        assert_eq!(pulse(Span::from_millis(25)), ONE / 4);
        assert_eq!(pulse(Span::from_millis(50)), 0);
        assert_eq!(pulse(Span::from_millis(125)), -(ONE / 4 / 3));
        assert_eq!(pulse(Span::from_millis(225)), ONE / 4);
    }

    /// What leaves above the rate in a period leaves below it in the same period.
    #[test]
    fn pulses_add_nothing() {
        let sum: i32 = (0..200).map(|millis| pulse(Span::from_millis(millis))).sum();
        assert!(sum.abs() < 200, "{sum}");
    }

    #[expect(clippy::float_arithmetic)]
    fn spectrum(cross: impl Fn(f64) -> f64) -> (u64, u64) {
        let mut spectrum = Spectrum::NONE;
        (0..SAMPLES).for_each(|sample| spectrum.add(cross(f64::from(sample) / 100.0) as i32));
        spectrum.powers()
    }

    /// A wave of amplitude a gives (500 a / 2)^2 at its frequency, and next to nothing at the others; a constant gives
    /// nothing.
    #[test]
    fn waves_show_at_their_frequency() {
        use core::f64::consts::TAU;
        let (pulses, others) = spectrum(|time| 500.0 + 200.0 * (TAU * 5.0 * time).sin());
        let expected = 50_000.0f64 * 50_000.0;
        assert!((pulses as f64 / expected - 1.0).abs() < 0.05, "{pulses}");
        assert!(others as f64 / expected < 0.001, "{others}");
        let (pulses, others) = spectrum(|time| 500.0 + 200.0 * (TAU * 7.0 * time).sin());
        assert!((others as f64 / expected - 1.0).abs() < 0.05, "{others}");
        assert!(pulses as f64 / expected < 0.001, "{pulses}");
    }
}
