//! The scale of a network: how large and how fast it is, so that its parts fit each other. A path of hours does not get
//! a run of milliseconds, except in a few networks.

use crate::draw::Draw;

pub(super) const RATE_MAX: u64 = 1_000_000_000_000;
pub(super) const HOUR_NS: u64 = 3_600_000_000_000;
const DURATION_MAX_NS: u64 = 2_400 * HOUR_NS;

/// The rates, times and sizes around which the parts of a network are drawn.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// The rate of links, bit/s.
    pub(super) rate: u64,
    /// The delay of a link, ns.
    pub(super) delay: u64,
    /// About the round-trip time of an empty path, ns.
    pub(super) round_trip: u64,
    /// The duration of the run, ns.
    pub(super) duration: u64,
    /// The largest packet on the wire without options, bytes.
    pub(super) packet_max: u64,
    /// Whether all transmission times of a byte are whole nanoseconds, and all times are even, so that rates can be
    /// doubled and times halved without rounding (`relations/scaled.rs`).
    pub(super) exact: bool,
    /// Whether links may follow recorded rates and delays.
    pub(super) traced: bool,
}

impl Scale {
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let exact = draw.percent(25);
        let traced = !exact && draw.percent(10);
        let packet_max = draw.pick(&[100, 1_500, 1_500, 1_500, 1_500, 9_000, 65_527]);
        let mut scale = Scale { rate: 0, delay: 0, round_trip: 0, duration: 0, packet_max, exact, traced };
        // most networks have rates as real links have them
        scale.rate = match (exact, draw.percent(70)) {
            (true, _) => exact_rate(draw.between(3, 12)),
            (false, true) => draw.log_between(50_000, 10_000_000_000),
            (false, false) => draw.log_between(1, RATE_MAX),
        };
        let packet_ns = 8_000_000_000 * packet_max.min(1_500) / scale.rate;
        let delay = match draw.percent(85) {
            true => draw.log_between(packet_ns / 20 + 1, packet_ns.saturating_mul(200)),
            false => draw.log_between(1, HOUR_NS),
        };
        scale.delay = scale.even(delay.min(HOUR_NS));
        scale.round_trip = 4 * scale.delay + 4 * packet_ns + 2;
        let duration = match draw.percent(95) {
            true => scale.round_trip.saturating_mul(draw.log_between(2, 500)),
            false => draw.log_between(1, DURATION_MAX_NS),
        };
        scale.duration = scale.even(duration.clamp(2, DURATION_MAX_NS));
        scale
    }

    /// Returns the rate of a link or a source, bit/s.
    pub(super) fn some_rate(&self, draw: &mut Draw) -> u64 {
        if self.exact {
            return exact_rate(draw.between(1, 12));
        }
        match draw.below(10) {
            0..2 => self.rate,
            2 => draw.log_between(1, RATE_MAX),
            _ => draw.log_between((self.rate / 10).max(1), self.rate.saturating_mul(20).min(RATE_MAX)),
        }
    }

    /// Returns the delay of a link, ns.
    pub(super) fn some_delay(&self, draw: &mut Draw) -> u64 {
        match draw.below(10) {
            0 => 0,
            1..4 => self.delay,
            _ => self.some_time(draw, self.delay).min(HOUR_NS),
        }
    }

    /// Returns a time of about this length, above 0, ns.
    pub(super) fn some_time(&self, draw: &mut Draw, about: u64) -> u64 {
        self.even(draw.log_between(about / 20 + 2, about.saturating_mul(10).clamp(2, HOUR_NS)))
    }

    /// Returns a time before the run's end, ns.
    pub(super) fn some_instant(&self, draw: &mut Draw) -> u64 {
        let latest = if draw.percent(60) { self.duration.min(20 * self.round_trip) } else { self.duration };
        self.even(draw.below(latest))
    }

    /// Returns the time, or the even number below it where all times are even.
    pub(super) fn even(&self, nanos: u64) -> u64 {
        if self.exact { nanos & !1 } else { nanos }
    }
}

/// Returns the rate in bit/s at which a byte takes `2^doublings` ns.
fn exact_rate(doublings: u64) -> u64 {
    8_000_000_000 >> doublings
}
