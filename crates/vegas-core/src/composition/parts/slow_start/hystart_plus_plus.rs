//! HyStart++ (RFC 9406): slow start until round trips become longer, then a conservative one (CSS) that grows a
//! quarter as fast and, five rounds later, gives way to congestion avoidance, unless round trips have become shorter
//! again: then slow start goes on. For the first slow start of a connection only (section 4.3).

use super::{SlowStart, SlowStartPart, capped};
use crate::composition::parts::micros::Micros;
use crate::composition::parts::part::SlowStartPromise;
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, Needs};
use crate::units::{Segments, Span, Window};

/// The variables of section 4.2. Its infinity is [`Micros::UNKNOWN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HyStartPlusPlus {
    /// lastRoundMinRTT.
    last: Micros,
    /// currentRoundMinRTT.
    current: Micros,
    /// cssBaselineMinRtt; infinite outside of CSS.
    baseline: Micros,
    /// rttSampleCount; no higher than is asked for.
    samples: u8,
    /// Rounds of CSS that have ended.
    css_rounds: u8,
}

// section 4.3
const MIN_RTT_THRESH_US: u32 = 4_000;
const MAX_RTT_THRESH_US: u32 = 16_000;
const MIN_RTT_DIVISOR: u32 = 8;
const N_RTT_SAMPLE: u8 = 8;
const CSS_GROWTH_DIVISOR: u64 = 4;
const CSS_ROUNDS: u8 = 5;
/// L of a sender that does not pace.
const L: Segments = Segments(8);

impl SlowStartPart for HyStartPlusPlus {
    const PAGE: &'static str = "cubic.md#slow-start";
    /// It is that of CUBIC (RFC 9438, section 4.10), which does not grow a window that does not limit the sender
    /// (section 5.8).
    const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };
    const PROMISE: SlowStartPromise = SlowStartPromise { most_added: L, ends_itself: true, ..SlowStartPromise::RENO };
    const COUNTS_SEGMENTS: bool = true;
    const SCALES: bool = false;
    const AFTER_TIMEOUT: Option<SlowStart> = Some(SlowStart::Reno);

    fn start(_window: Window) -> Self {
        HyStartPlusPlus {
            last: Micros::UNKNOWN,
            current: Micros::UNKNOWN,
            baseline: Micros::UNKNOWN,
            samples: 0,
            css_rounds: 0,
        }
    }

    /// A round in which CSS began counts as one of its rounds.
    fn on_round(&mut self, control: &mut WindowControl, _end: &RoundEnd<'_>, _parameters: &Parameters) {
        (self.last, self.current, self.samples) = (self.current, Micros::UNKNOWN, 0);
        if self.in_css() {
            self.css_rounds += 1;
            control.slow_start_ends = self.css_rounds >= CSS_ROUNDS;
        }
    }

    fn on_ack(&mut self, control: &mut WindowControl, ack: &Ack, _base_rtt: Option<Span>) -> Window {
        let acked = Window::whole(ack.acked.min(L));
        let more = if self.in_css() { Window::from_raw(acked.as_raw() / CSS_GROWTH_DIVISOR) } else { acked };
        if let Some(rtt) = ack.rtt {
            self.current = self.current.min(Micros::of(rtt));
            self.samples = (self.samples + 1).min(N_RTT_SAMPLE);
        }
        if self.samples == N_RTT_SAMPLE {
            self.judge();
        }
        capped(control, more)
    }
}

impl HyStartPlusPlus {
    fn judge(&mut self) {
        if self.in_css() {
            if self.current.get() < self.baseline.get() {
                self.baseline = Micros::UNKNOWN;
                self.css_rounds = 0;
            }
        } else if self.last != Micros::UNKNOWN {
            let threshold = (self.last.get() / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH_US, MAX_RTT_THRESH_US);
            if self.current.get() >= self.last.plus(threshold) {
                self.baseline = self.current;
            }
        }
    }

    fn in_css(&self) -> bool {
        self.baseline != Micros::UNKNOWN
    }
}
