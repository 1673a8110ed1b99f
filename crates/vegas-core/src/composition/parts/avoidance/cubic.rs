//! CUBIC's congestion avoidance (RFC 9438, section 4): the window follows C (t - K)^3 + W_max, t being the time since
//! the congestion avoidance began, or Reno's window where that is larger.
//!
//! All in integers. Windows are in 2^-8 segment, times in milliseconds, so that with C = 0.4 segment/s^3 the curve is
//! d^3 / 5^10: 0.4 x 2^8 / 10^9 = 5^-10. Times from K are cut to 2^21 ms (35 min), where the curve is beyond any
//! window and its cube still fits 63 bits.

use super::AvoidancePart;
use crate::composition::parts::signal::Round;
use crate::composition::parts::window::WindowControl;
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, Needs, Restart};
use crate::units::{Segments, Span, Time, Window};

/// The state of CUBIC: the variables of RFC 9438, section 4.1.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(Rust, packed)]
pub(crate) struct Cubic {
    /// W_max: the window before the last cut, or less by fast convergence; 0 before any cut.
    max: Fixed,
    /// W_est: the window that Reno would have; 0 while there is no congestion avoidance under way.
    reno: Fixed,
    /// Acknowledgements that have not yet raised `reno` by 2^-8 segment, as numerator over `RENO_SHARE.1` x window.
    reno_rest: u32,
    /// cwnd_prior: the window before the last cut.
    prior: Fixed,
    /// When the curve reaches `max`, K after the congestion avoidance began, ms; wraps after 49 days.
    plateau_ms: u32,
}

/// A window in 2^-8 segment; 2^24 segments saturate.
type Fixed = u32;
const FIXED_BITS: u32 = 8;

/// 5^10: the divisor of the cube.
const CUBE: u64 = 9_765_625;
const OFFSET_MAX_MS: u64 = 1 << 21;
/// alpha = 3 (1 - beta) / (1 + beta) with beta = 0.7: what Reno gains a round while the cut is beta (section 4.3).
const RENO_SHARE: (u64, u64) = (9, 17);
/// (1 + beta) / 2, the cut of fast convergence (section 4.7).
const CONVERGENCE: (u64, u64) = (17, 20);

impl AvoidancePart for Cubic {
    const PAGE: &'static str = "cubic.md";
    const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };
    const COUNTS_SEGMENTS: bool = true;
    const SCALES: bool = false;
    const KERNELS_OWN: Option<&'static str> = Some("cubic");

    /// A round trip ahead means the least one seen, as in Linux; the RFC takes the smoothed one.
    #[inline(always)]
    fn on_ack(&mut self, control: &mut WindowControl, ack: &Ack, round: &Round, _parameters: &Parameters) {
        let growth = match ack.window_limited {
            true => self.growth_for(control.window, ack.now, ack.acked, round.base_rtt().unwrap_or_default()),
            false => {
                self.pause();
                Window::default()
            }
        };
        control.grow_by(growth);
    }

    fn on_cut(&mut self, _control: &mut WindowControl, before: Window) {
        self.cut(before);
    }

    /// Section 5.8: silence does not count (Linux: `bictcp_cwnd_event`).
    fn on_restart(&mut self, restart: &Restart) {
        self.plateau_ms = self.plateau_ms.wrapping_add(millis(restart.idle) as u32);
    }

    /// Section 4.8: the first congestion avoidance after a timeout takes the window at its beginning for W_max.
    fn on_timeout(&mut self, _control: &mut WindowControl, before: Window) {
        *self = Cubic { prior: fixed(before), ..Cubic::default() };
    }
}

impl Cubic {
    /// The growth in answer to an acknowledgement; `ahead` is a round trip.
    pub(crate) fn growth_for(&mut self, window: Window, now: Time, acked: Segments, ahead: Span) -> Window {
        if self.reno == 0 {
            self.begin(window, now);
        }
        self.count(window, acked);
        self.growth(window, self.since_plateau_ms(now), millis(ahead), acked)
    }

    /// Section 5.8: time without data to send does not count, so the curve begins again where the window is.
    pub(crate) fn pause(&mut self) {
        self.reno = 0;
    }

    /// Sections 4.6 and 4.7: the window was cut from `before`.
    pub(crate) fn cut(&mut self, before: Window) {
        let before = fixed(before);
        self.prior = before;
        self.max = if before < self.max { scale(before, CONVERGENCE) } else { before };
        self.reno = 0;
    }

    fn begin(&mut self, window: Window, now: Time) {
        let window = fixed(window);
        self.max = self.max.max(window);
        // section 4.2, equation 2: K = cbrt((W_max - cwnd) / C), 2^19 ms at most
        let k_ms = cube_root(u64::from(self.max - window) * CUBE) as u32;
        self.plateau_ms = wrapped_millis(now).wrapping_add(k_ms);
        self.reno = window;
        self.reno_rest = 0;
    }

    /// Section 4.3, equation 4: W_est += alpha x acked / cwnd; alpha is 1 from the window before the cut on.
    fn count(&mut self, window: Window, acked: Segments) {
        let (gain, divisor) = if self.reno < self.prior { RENO_SHARE } else { (1, 1) };
        let acked = acked.as_u64().min(Window::MAX.floor().as_u64());
        // below 2^24 x 17, and so is the rest
        let divisor = window.floor().as_u64().max(1) * divisor;
        let sum = u64::from(self.reno_rest) + ((acked * gain) << FIXED_BITS);
        self.reno = u32::try_from(u64::from(self.reno) + sum / divisor).unwrap_or(u32::MAX);
        self.reno_rest = (sum % divisor) as u32;
    }

    /// Sections 4.3 to 4.5: where Reno's window is above the curve the window goes there; else a round takes it to
    /// where the curve will be a round later, at most half as large again. One segment an acknowledgement at most.
    fn growth(&self, window: Window, offset_ms: i64, ahead_ms: i64, acked: Segments) -> Window {
        if self.curve(offset_ms) < self.reno {
            return unfixed(self.reno).minus(window).min(Window::ONE);
        }
        let target = unfixed(self.curve(offset_ms.saturating_add(ahead_ms)));
        let missing = target.minus(window).min(window.half());
        // 2^51 at most, times 2^8, over the window in 2^-8 segment: 2^27 per segment acknowledged
        let share = (missing.as_raw() << FIXED_BITS) / u64::from(fixed(window)).max(1);
        let most = Window::ONE.as_raw();
        Window::from_raw(share.min(most) * acked.as_u64().min(most)).min(Window::ONE)
    }

    /// Section 4.2, equation 1: W_cubic(t) = C (t - K)^3 + W_max, with `offset_ms` for t - K.
    fn curve(&self, offset_ms: i64) -> Fixed {
        let offset = offset_ms.unsigned_abs().min(OFFSET_MAX_MS);
        let distance = u32::try_from(offset * offset * offset / CUBE).unwrap_or(u32::MAX);
        if offset_ms < 0 { self.max.saturating_sub(distance) } else { self.max.saturating_add(distance) }
    }

    /// t - K; right for congestion avoidances of up to 24 days.
    fn since_plateau_ms(&self, now: Time) -> i64 {
        i64::from(wrapped_millis(now).wrapping_sub(self.plateau_ms) as i32)
    }
}

fn fixed(window: Window) -> Fixed {
    u32::try_from(window.as_raw() >> (Window::FRACTION_BITS - FIXED_BITS)).unwrap_or(u32::MAX)
}

fn unfixed(window: Fixed) -> Window {
    Window::from_raw(u64::from(window) << (Window::FRACTION_BITS - FIXED_BITS))
}

fn scale(window: Fixed, (numerator, denominator): (u64, u64)) -> Fixed {
    u32::try_from(u64::from(window) * numerator / denominator).unwrap_or(u32::MAX)
}

fn millis(span: Span) -> i64 {
    (span.as_nanos() / 1_000_000) as i64
}

fn wrapped_millis(time: Time) -> u32 {
    millis(time.since(Time::ZERO)) as u32
}

/// The cube root, rounded down: one bit of it a step, from the highest.
pub(crate) fn cube_root(value: u64) -> u64 {
    (0..22).rev().fold(0, |root, bit| with_bit(root, 1 << bit, value))
}

/// The root with this bit, if that is not too large.
#[cfg_attr(vegas_kernel, inline(never))]
fn with_bit(root: u64, bit: u64, value: u64) -> u64 {
    /// The root of 2^64 - 1, of 22 bits.
    const ROOT_MAX: u64 = 2_642_245;
    let more = root | bit;
    if more <= ROOT_MAX && more * more * more <= value { more } else { root }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_roots() {
        for (value, root) in
            [(0, 0), (1, 1), (7, 1), (8, 2), (26, 2), (27, 3), (999_999_999, 999), (1_000_000_000, 1000)]
        {
            assert_eq!(cube_root(value), root);
        }
        assert_eq!(cube_root(u64::MAX), 2_642_245);
    }

    /// By hand, window 100 cut to 70: K = cbrt(30 / 0.4) = 4.217 s; the curve is 70 at 0, 100 at K, and 100 + 0.4 at
    /// K + 1 s.
    #[test]
    fn the_curve_of_a_cut_from_100() {
        let mut cubic = Cubic { max: 100 << FIXED_BITS, ..Cubic::default() };
        cubic.begin(Window::whole(Segments(70)), Time::ZERO);
        assert_eq!(cubic.since_plateau_ms(Time::ZERO), -4217);
        assert_eq!(cubic.curve(-4217) >> FIXED_BITS, 70);
        assert_eq!(cubic.curve(0), 100 << FIXED_BITS);
        assert_eq!(cubic.curve(1000), (100 << FIXED_BITS) + 102);
    }

    /// The largest window and the longest time give the largest window.
    #[test]
    fn extremes_saturate() {
        let mut cubic = Cubic { max: u32::MAX, ..Cubic::default() };
        cubic.begin(Window::whole(Segments(2)), Time::ZERO);
        assert!(cubic.since_plateau_ms(Time::ZERO) > -(1 << 19));
        assert_eq!(cubic.curve(i64::MAX), u32::MAX);
        assert_eq!(cubic.curve(i64::MIN), 0);
        assert_eq!(cubic.growth(Window::whole(Segments(1)), i64::MAX, i64::MAX, Segments(u32::MAX)), Window::ONE);
        cubic.count(Window::MAX, Segments(u32::MAX));
    }
}
