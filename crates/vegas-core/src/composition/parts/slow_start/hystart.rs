//! HyStart as in Linux's CUBIC (`tcp_cubic.c`; Ha and Rhee, "Taming the Elephants: New TCP Slow Start", 2008): as
//! Reno, one segment for each one acknowledged, until the acknowledgements of a round have come close together for
//! half the least round trip, or until round trips have become longer. From then on congestion avoidance.

use super::{SlowStartPart, as_acknowledged};
use crate::composition::parts::micros::Micros;
use crate::composition::parts::part::SlowStartPromise;
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, Needs};
use crate::units::{Segments, Span, Window};

/// The state of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HyStart {
    round_start: Micros,
    /// The newest acknowledgement that came close after the one before it.
    last_ack: Micros,
    /// Least sample of the round.
    least: Micros,
    samples: u8,
    /// A round has ended, and the next one begins with the next sample.
    between_rounds: bool,
}

/// `hystart_low_window`.
const LOW_WINDOW: Segments = Segments(16);
/// `hystart_ack_delta_us`: the most between two acknowledgements of a train.
const ACK_DELTA_US: u32 = 2_000;
/// `HYSTART_MIN_SAMPLES`.
const MIN_SAMPLES: u8 = 8;
/// `HYSTART_DELAY_MIN` and `HYSTART_DELAY_MAX`: how much longer a round trip may be, else an eighth.
const DELAY_US: (u32, u32) = (4_000, 16_000);
/// `hystart_ack_delay`: what the sender's own aggregation may add to a train. Linux takes the time of four of its
/// largest bursts, 256 KiB, and no more than this: which is all that is left of it below 2 Gb/s.
const ACK_DELAY_US: u32 = 1_000;

impl SlowStartPart for HyStart {
    const PAGE: &'static str = "cubic.md#slow-start";
    const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };
    const PROMISE: SlowStartPromise =
        SlowStartPromise { most_added: Segments(u32::MAX), ends_itself: true, ..SlowStartPromise::RENO };
    const COUNTS_SEGMENTS: bool = true;
    const SCALES: bool = false;

    fn start(_window: Window) -> Self {
        HyStart::BETWEEN_ROUNDS
    }

    fn on_round(&mut self, _control: &mut WindowControl, _end: &RoundEnd<'_>, _parameters: &Parameters) {
        self.between_rounds = true;
    }

    /// Tests the window that the acknowledgement finds; one that ends slow start leaves it as it is. `base_rtt` is the
    /// least sample of the connection so far.
    fn on_ack(&mut self, control: &mut WindowControl, ack: &Ack, base_rtt: Option<Span>) -> Window {
        self.test(control, ack, base_rtt);
        as_acknowledged(control, ack)
    }
}

impl HyStart {
    const BETWEEN_ROUNDS: HyStart = HyStart {
        round_start: Micros::ZERO,
        last_ack: Micros::ZERO,
        least: Micros::UNKNOWN,
        samples: 0,
        between_rounds: true,
    };

    fn test(&mut self, control: &mut WindowControl, ack: &Ack, base_rtt: Option<Span>) {
        let Some(rtt) = ack.rtt else { return };
        let (now, rtt) = (Micros::at(ack.now), Micros::of(rtt));
        if self.between_rounds {
            *self = HyStart { round_start: now, last_ack: now, between_rounds: false, ..Self::BETWEEN_ROUNDS };
        }
        if control.window.floor() < LOW_WINDOW {
            return;
        }
        let base = base_rtt.map_or(rtt, |base| Micros::of(base).min(rtt));
        // no short circuit: both tests must count every acknowledgement
        if self.train_is_long(now, base) | self.delay_has_grown(rtt, base) {
            control.slow_start_ends = true;
        }
    }

    fn train_is_long(&mut self, now: Micros, base: Micros) -> bool {
        if now.since(self.last_ack) > ACK_DELTA_US {
            return false;
        }
        self.last_ack = now;
        now.since(self.round_start) > base.plus(ACK_DELAY_US) / 2
    }

    fn delay_has_grown(&mut self, rtt: Micros, base: Micros) -> bool {
        self.least = self.least.min(rtt);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        self.least.get() > base.plus((base.get() / 8).clamp(DELAY_US.0, DELAY_US.1))
    }
}
