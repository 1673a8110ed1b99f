//! Dynamic Vegas's congestion avoidance: the window moves in proportion to how far the backlog is outside alpha and
//! beta (Zhou, Yu, Zhu and Liu, "Dynamic Vegas", section 3.2, equation 5; docs/design.md, section 3.4).
//!
//! Once a round the pseudocode sets `incr`: (diff - beta)/beta segments less above beta, (alpha - diff)/alpha more
//! below alpha. How often it is added the paper leaves open. Equation 4, which it takes the place of, adds once a
//! round; the slow start of the same pseudocode, where `incr` = 1 is Reno's, adds with every acknowledgement; and ns-2,
//! in which the paper's runs were made, does so only where it is positive (`TcpVegas::recv`, `v_incr_`).

use super::AvoidancePart;
use crate::composition::parts::part::AvoidancePromise;
use crate::composition::parts::signal::Round;
use crate::composition::parts::window::{GrowthOf, WindowControl};
use crate::contract::Ack;
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::Window;

/// Once a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dynamic;

/// With each acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DynamicPerAck;

/// With each acknowledgement, where the step is positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DynamicNs2;

const STEPS_DOWN: AvoidancePromise = AvoidancePromise { steps_down: true, ..AvoidancePromise::RENO };

impl AvoidancePart for Dynamic {
    const PAGE: &'static str = "dynamic.md#the-rule";
    const THRESHOLDS: Thresholds = Thresholds::ALPHA_BETA;
    const PROMISE: AvoidancePromise = STEPS_DOWN;
    const DIVIDES_BY_THRESHOLDS: bool = true;
    const SHRINKS_BY_ITSELF: bool = true;

    /// What is less at once, what is more spread over the round.
    fn on_round(&mut self, control: &mut WindowControl, diff: Option<i32>, parameters: &Parameters) {
        control.grow_by(Window::default());
        match step(diff, parameters) {
            Step::Less(less) => control.shrink_to(control.window.minus(less)),
            Step::More(more) => control.grow_by(control.window.spread(more)),
            Step::None => {}
        }
    }
}

impl AvoidancePart for DynamicPerAck {
    const PAGE: &'static str = "dynamic.md#the-rule";
    const THRESHOLDS: Thresholds = Thresholds::ALPHA_BETA;
    const PROMISE: AvoidancePromise = STEPS_DOWN;
    const DIVIDES_BY_THRESHOLDS: bool = true;
    const SHRINKS_BY_ITSELF: bool = true;

    fn on_round(&mut self, control: &mut WindowControl, diff: Option<i32>, parameters: &Parameters) {
        grow_only(control, diff, parameters);
        let shrinks = matches!(step(diff, parameters), Step::Less(_));
        control.growth_of = if shrinks { GrowthOf::Shrinking } else { GrowthOf::Avoidance };
    }

    /// Takes the round's negative step once more.
    #[inline(always)]
    fn on_ack(&mut self, control: &mut WindowControl, _ack: &Ack, round: &Round, parameters: &Parameters) {
        if control.growth_of != GrowthOf::Shrinking {
            return;
        }
        if let Step::Less(less) = step(round.diff(), parameters) {
            control.shrink_to(control.window.minus(less));
        }
    }
}

impl AvoidancePart for DynamicNs2 {
    const PAGE: &'static str = "dynamic.md#the-rule";
    const THRESHOLDS: Thresholds = Thresholds::ALPHA;
    const DIVIDES_BY_THRESHOLDS: bool = true;

    fn on_round(&mut self, control: &mut WindowControl, diff: Option<i32>, parameters: &Parameters) {
        grow_only(control, diff, parameters);
    }
}

fn grow_only(control: &mut WindowControl, diff: Option<i32>, parameters: &Parameters) {
    match step(diff, parameters) {
        Step::More(more) => control.grow_by(more),
        Step::Less(_) | Step::None => control.grow_by(Window::default()),
    }
}

enum Step {
    Less(Window),
    More(Window),
    None,
}

/// Before the first sample nothing can be backlog.
fn step(diff: Option<i32>, parameters: &Parameters) -> Step {
    let (diff, alpha, beta) = (i64::from(diff.unwrap_or(0)), parameters.alpha.as_i64(), parameters.beta.as_i64());
    if diff > beta {
        Step::Less(Window::ratio(diff - beta, beta))
    } else if diff < alpha {
        Step::More(Window::ratio(alpha - diff, alpha))
    } else {
        Step::None
    }
}
