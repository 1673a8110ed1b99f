//! Rapid Start (draft-kazuho-ccwg-rapid-start): the window grows threefold a round trip while the newest round trip
//! shows no queue, twofold while it does; the first loss drains what that has put into the network, and recovery ends
//! at the share of the path, queue included, that the composition's own cut would leave. For the first slow start of a
//! connection.

use super::{SlowStart, SlowStartPart, capped};
use crate::composition::parts::micros::Micros;
use crate::composition::parts::part::SlowStartPromise;
use crate::composition::parts::window::WindowControl;
use crate::contract::{Ack, Loss, Needs};
use crate::units::{Pace, Segments, Span, Window};

/// The phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RapidStart {
    /// The window grows.
    Opens(Floor),
    /// The recovery of the first loss.
    Drains(RecoveryDrain),
    /// Rapid Start is over.
    Over,
}

/// `RapidStart` with departures spread over the least round trip ("Pacing Requirement"): the window's worth in each, as
/// it is after each acknowledgement. Before the first sample nothing is known to spread them over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RapidStartPaced(RapidStart);

/// The least sample of the last round trip ("Rapid Start Phase", `rtt_floor`), of two parts of half of the least round
/// trip each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Floor {
    /// When the newer part began.
    began: Micros,
    newer: Micros,
    older: Micros,
}

/// "Congestion Handling", in the draft's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(Rust, packed)]
pub(crate) struct RecoveryDrain {
    /// The window at the loss, and what the composition's cut would leave of it: `beta` is their ratio.
    before: Coarse,
    cut: Coarse,
}

/// A window in 2^-8 segment; 2^24 segments saturate.
type Coarse = u32;
const COARSE_BITS: u32 = 8;
/// A share of a window, in 2^-24.
const SHARE_BITS: u32 = 24;

/// Bytes added for each acknowledged, without and with a queue.
const GROWTH: (u64, u64) = (2, 1);
/// `min_rtt + 4 ms` and `min_rtt x 1.10`, whichever is less.
const QUEUE_US: u32 = 4_000;
const QUEUE_DIVISOR: u32 = 10;
/// "Deriving the Reduction Factors": K.
const K: (u64, u64) = (11, 18);
/// The least window (RFC 5681, equation 4).
const LEAST: Segments = Segments(2);

impl SlowStartPart for RapidStart {
    const PAGE: &'static str = "rapid-start.md";
    const NEEDS: Needs = Needs { every_ack: true, ..Needs::NONE };
    const PROMISE: SlowStartPromise = SlowStartPromise {
        most_added: Segments(u32::MAX),
        times: GROWTH.0 as u32,
        drains: true,
        ..SlowStartPromise::RENO
    };
    const COUNTS_SEGMENTS: bool = true;
    const IN_KERNEL: bool = false;
    const SCALES: bool = false;
    const AFTER_TIMEOUT: Option<SlowStart> = Some(SlowStart::Reno);

    fn start(_window: Window) -> Self {
        RapidStart::Opens(Floor { began: Micros::ZERO, newer: Micros::UNKNOWN, older: Micros::UNKNOWN })
    }

    fn on_ack(&mut self, control: &mut WindowControl, ack: &Ack, base_rtt: Option<Span>) -> Window {
        let has_queue = match self {
            RapidStart::Opens(floor) => floor.has_queue(ack, base_rtt),
            RapidStart::Drains(_) | RapidStart::Over => true,
        };
        let times = if has_queue { GROWTH.1 } else { GROWTH.0 };
        capped(control, Window::from_raw(Window::whole(ack.acked).as_raw() * times))
    }

    fn on_cut(&mut self, control: &mut WindowControl, before: Window, loss: &Loss) {
        if let RapidStart::Opens(_) = self {
            let drain = RecoveryDrain { before: coarse(before), cut: coarse(control.window) };
            control.window = drain.silence().min(before);
            drain.take(control, Segments(0), loss.lost);
            *self = RapidStart::Drains(drain);
        }
    }

    fn on_recovery(&mut self, control: &mut WindowControl, ack: &Ack) {
        if let RapidStart::Drains(drain) = self {
            drain.take(control, ack.delivered, ack.lost);
        }
    }

    fn end_recovery(&mut self) {
        *self = RapidStart::Over;
    }
}

impl SlowStartPart for RapidStartPaced {
    const PAGE: &'static str = RapidStart::PAGE;
    const NEEDS: Needs = Needs { spread: true, ..RapidStart::NEEDS };
    const PROMISE: SlowStartPromise = RapidStart::PROMISE;
    const COUNTS_SEGMENTS: bool = true;
    const IN_KERNEL: bool = false;
    const SCALES: bool = false;
    const AFTER_TIMEOUT: Option<SlowStart> = Some(SlowStart::Reno);

    fn start(window: Window) -> Self {
        RapidStartPaced(RapidStart::start(window))
    }

    fn on_ack(&mut self, control: &mut WindowControl, ack: &Ack, base_rtt: Option<Span>) -> Window {
        let more = self.0.on_ack(control, ack, base_rtt);
        let window = control.window.plus(more).floor();
        let least = base_rtt.into_iter().chain(ack.rtt).min();
        control.pace = least.map(|least| Pace::of(window.as_u64(), least));
        more
    }

    fn on_cut(&mut self, control: &mut WindowControl, before: Window, loss: &Loss) {
        self.0.on_cut(control, before, loss);
    }

    fn on_recovery(&mut self, control: &mut WindowControl, ack: &Ack) {
        self.0.on_recovery(control, ack);
    }

    fn end_recovery(&mut self) {
        self.0.end_recovery();
    }
}

impl Floor {
    fn has_queue(&mut self, ack: &Ack, base_rtt: Option<Span>) -> bool {
        if let Some(rtt) = ack.rtt {
            let least = base_rtt.map_or(rtt, |base| base.min(rtt));
            self.sample(Micros::at(ack.now), Micros::of(rtt), Micros::of(least));
        }
        let floor = self.newer.min(self.older);
        let Some(base) = base_rtt.or(ack.rtt).map(Micros::of).filter(|_| floor != Micros::UNKNOWN) else {
            return false;
        };
        let base = base.min(floor);
        floor.get() > base.plus(QUEUE_US.min(base.get() / QUEUE_DIVISOR))
    }

    fn sample(&mut self, now: Micros, rtt: Micros, least: Micros) {
        let age_us = now.since(self.began);
        if age_us >= least.get() / 2 {
            let older = if age_us < least.get() { self.newer } else { Micros::UNKNOWN };
            *self = Floor { began: now, newer: Micros::UNKNOWN, older };
        }
        self.newer = self.newer.min(rtt);
    }
}

impl RecoveryDrain {
    fn less(self) -> u64 {
        u64::from(self.before.saturating_sub(self.cut))
    }

    /// `cwnd x silence_factor`: the cut, and K of what it took.
    fn silence(self) -> Window {
        fine(u64::from(self.cut) + self.less() * K.0 / K.1)
    }

    /// `ack_factor` of what is delivered and `loss_factor` of what is lost, not below
    /// `before x (silence_factor - ack_factor / 3 - 2 loss_factor / 3)`, nor below two segments.
    fn take(self, control: &mut WindowControl, delivered: Segments, lost: Segments) {
        let silence = u64::from(coarse(self.silence()));
        let drained = self.less() * K.0 / K.1;
        let taken = self.of(drained, delivered) + self.of(silence, lost);
        let floor = fine((silence / 3).saturating_sub(drained / 3)).max(Window::whole(LEAST));
        control.drain_to(control.window.minus(Window::from_raw(taken)).max(floor));
    }

    /// `part / before` of `segments`, raw: 2^56 at most, then 2^24 x 2^24 x 2^4.
    fn of(self, part: u64, segments: Segments) -> u64 {
        let share = (part << SHARE_BITS) / u64::from(self.before).max(1);
        (share * segments.min(Window::MAX.floor()).as_u64()) << (Window::FRACTION_BITS - SHARE_BITS)
    }
}

fn coarse(window: Window) -> Coarse {
    u32::try_from(window.as_raw() >> (Window::FRACTION_BITS - COARSE_BITS)).unwrap_or(u32::MAX)
}

fn fine(window: u64) -> Window {
    Window::from_raw(window << (Window::FRACTION_BITS - COARSE_BITS))
}
