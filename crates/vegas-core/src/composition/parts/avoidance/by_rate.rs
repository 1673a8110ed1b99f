//! A step towards a backlog by the rate: once a round half of the way to base RTT / RTT x window + backlog (FAST TCP,
//! equation 7), where the backlog grows with the root of the rate. `docs/algorithms/vegas-next.md` has the reasons for
//! its form.

pub(crate) mod arithmetic;

use super::AvoidancePart;
use crate::composition::parts::part::AvoidancePromise;
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::Parameters;
use crate::units::{Span, Window};

use arithmetic::{ROOT_MAX, WINDOW_MIN, root, share};

/// The backlog is 0.65 times the root of the rate in segments a second, and 137500 segments over the rate above 4044:
/// 22 segments at
/// 6250. Within 2.5 and 34 segments, and above 12 at high rates; in sixteenths of a segment.
const LEAST: u64 = 40;
const MOST: u64 = 544;
const LEAST_FAST: u64 = 192;
/// (16 x 0.65)^2.
const SQUARE: u64 = 108;
const PRODUCT: u64 = 16 * 137_500;

const _: () = assert!(MOST <= ROOT_MAX);

/// The greatest backlog.
pub(crate) const BACKLOG_MOST: Window = sixteenths(MOST);

/// It has no state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByRate;

impl AvoidancePart for ByRate {
    const PAGE: &'static str = "vegas-next.md#the-rule";
    const NEEDS_SIGNAL: bool = true;
    const PROMISE: AvoidancePromise = AvoidancePromise { steps_down: true, steps_up: true, ..AvoidancePromise::RENO };
    const SCALES: bool = false;
    const SHRINKS_BY_ITSELF: bool = true;
    const IN_KERNEL: bool = false;

    fn on_round_end(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        control.grow_by(Window::default());
        let Some(measured) = end.measured else { return };
        let (window, rtt) = (control.window, measured.rtt.max(measured.base));
        let target = target(window, measured.base, rtt, backlog(window, rtt));
        let may_grow = end.may_grow && end.ack.ce_marked == 0 && end.ack.is_used(window);
        control.window = towards(window, target, may_grow, Window::whole(parameters.max_window));
    }
}

/// The backlog of a flow with this window and RTT.
pub(crate) fn backlog(window: Window, rtt: Span) -> Window {
    const BITS: u32 = 8;
    let parts = window.as_raw() >> (Window::FRACTION_BITS - BITS);
    let rate = (parts * 1_000_000 / (rtt.as_nanos() / 1_000).max(1)) >> BITS;
    let square = (rate.min(MOST * MOST) * SQUARE).min(MOST * MOST);
    let fast = (PRODUCT / rate.max(1)).max(LEAST_FAST);
    sixteenths(root(square).max(LEAST).min(fast))
}

/// The window that leaves this backlog in the queue.
pub(crate) fn target(window: Window, base: Span, rtt: Span, backlog: Window) -> Window {
    share(window, base.min(rtt), rtt).plus(backlog)
}

/// Half of the way to the target; up by half of the window at most, and only if it may grow.
pub(crate) fn towards(window: Window, target: Window, may_grow: bool, max_window: Window) -> Window {
    let towards = window.half().plus(target.half());
    let most = if may_grow { window.plus(window.half()) } else { window };
    towards.min(most).min(max_window).max(WINDOW_MIN.min(window))
}

const fn sixteenths(number: u64) -> Window {
    Window::from_raw(number << (Window::FRACTION_BITS - 4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Segments;

    /// By hand, in sixteenths of a segment: 10.39 times the root of 10 is 33, less than 40; of 1000, 328; of 2500, 519;
    /// of 3000, 569, more than 544. 16 x 137500 / 6250 is 352, and at 12500 it would be less than 192.
    #[test]
    fn the_backlog_follows_the_rate() {
        let backlog = |window| {
            let backlog = backlog(Window::whole(Segments(window)), Span::from_millis(100));
            backlog.as_raw() >> (Window::FRACTION_BITS - 4)
        };
        assert_eq!([1, 100, 250, 300, 625, 1250].map(backlog), [40, 328, 519, 544, 352, 192]);
    }

    /// By hand: half of the way from 100 to 60 is 80, to 300 it is 200 but for the half that it may grow by.
    #[test]
    fn a_step_is_half_of_the_way_and_half_of_the_window_at_most() {
        let [window, low, high] = [100, 60, 300].map(|segments| Window::whole(Segments(segments)));
        let step = |target, may_grow| towards(window, target, may_grow, Window::MAX).floor().0;
        assert_eq!([step(low, true), step(low, false), step(high, true), step(high, false)], [80, 80, 150, 100]);
    }
}
