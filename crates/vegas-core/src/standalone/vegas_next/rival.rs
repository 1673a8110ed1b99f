//! The mode of `vegas-next`: whether flows that fill the queue are there, by what drains find.

use crate::avoidance::cubic::Cubic;
use crate::units::Window;

/// Drains that find a queue before the flow competes, and the most that count.
const DRAINS_TO_COMPETE: u8 = 2;
const SUSPICION_MAX: u8 = 3;

/// What is known of rivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rival {
    /// Drains that found a queue, less those that found none.
    pub(super) suspicion: u8,
    /// The flow holds its window as CUBIC does.
    pub(super) competes: bool,
    /// The window at the newest drain that emptied the queue; [`Window::MAX`] before.
    pub(super) reference: Window,
    pub(super) cubic: Cubic,
}

impl Rival {
    pub(super) fn none() -> Rival {
        Rival { suspicion: 0, competes: false, reference: Window::MAX, cubic: Cubic::default() }
    }

    /// Whether the delay has taken more of the window than one more flow would: below 7/16 of what it was.
    pub(super) fn has_taken_from(&self, window: Window) -> bool {
        self.is_reference_known() && window.as_raw() < self.reference.as_raw() / 16 * 7
    }

    pub(super) fn is_reference_known(&self) -> bool {
        self.reference < Window::MAX
    }

    /// Whether the drains disagree: the next one comes sooner.
    pub(super) fn is_in_doubt(&self) -> bool {
        if self.competes { self.suspicion < SUSPICION_MAX } else { self.suspicion > 0 }
    }

    /// A drain has found the queue empty, or not.
    pub(super) fn count(&mut self, is_empty: bool) {
        self.suspicion = match is_empty {
            true => self.suspicion.saturating_sub(1),
            false => (self.suspicion + 1).min(SUSPICION_MAX),
        };
    }

    /// Whether the flow is to compete from now on, with the window that it had before the drain.
    pub(super) fn asks_to_compete(&self, window: Window) -> bool {
        match self.competes {
            true => self.suspicion > 0,
            false => {
                let loses = !self.is_reference_known() || self.has_taken_from(window);
                self.suspicion >= DRAINS_TO_COMPETE && loses
            }
        }
    }

    pub(super) fn begin(&mut self) {
        self.competes = true;
        self.suspicion = SUSPICION_MAX;
        self.cubic = Cubic::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Segments;

    /// By hand: 7/16 of 160 are 70. A flow that keeps its window never competes; one that lost it does after two drains, and stops
    /// after as many empty ones as it counts.
    #[test]
    fn only_a_flow_that_loses_ground_competes() {
        let [kept, lost] = [70, 69].map(|window| Window::whole(Segments(window)));
        let mut rival = Rival { reference: Window::whole(Segments(160)), ..Rival::none() };
        rival.count(false);
        assert!(!rival.asks_to_compete(lost));
        rival.count(false);
        assert!(rival.asks_to_compete(lost) && !rival.asks_to_compete(kept));
        rival.begin();
        let mut drains = 0;
        while rival.asks_to_compete(kept) {
            rival.count(true);
            drains += 1;
        }
        assert_eq!(drains, 3);
    }
}
