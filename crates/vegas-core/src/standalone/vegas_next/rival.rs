//! The mode of `vegas-next`: whether flows that fill the queue are there, by what drains find, and how much is lost.

use super::TELLING_DELAY;
use crate::composition::parts::avoidance::cubic::Cubic;
use crate::units::{Segments, Span, Window};

/// Drains that find a queue before the flow competes, if an earlier one has found none, and the most that count. A flow
/// that has just joined finds more of its peers' queue.
const DRAINS_TO_COMPETE: u8 = 2;
const SUSPICION_MAX: u8 = 3;
/// Rounds one after the other with more queueing than [`TELLING_DELAY`]: packets that a fall of such a delay lets go at
/// once queue for one round or two.
const RIVAL_ROUNDS: u8 = 4;

/// What is known of rivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rival {
    /// Drains that found a queue, less those that found none.
    pub(super) suspicion: u8,
    /// The flow holds its window as CUBIC does.
    pub(super) competes: bool,
    /// The window at the newest drain that emptied the queue; [`Window::MAX`] before.
    pub(super) reference: Window,
    /// Since the newest drain there was more queueing than jitter adds, or a loss.
    has_evidence: bool,
    /// Rounds one after the other with more queueing than jitter adds.
    rounds: u8,
    pub(super) cubic: Cubic,
}

impl Rival {
    pub(super) fn none() -> Rival {
        Rival {
            suspicion: 0,
            competes: false,
            reference: Window::MAX,
            has_evidence: false,
            rounds: 0,
            cubic: Cubic::default(),
        }
    }

    /// Whether the delay has taken more of the window than one more flow would: below 7/16 of what it was.
    pub(super) fn has_taken_from(&self, window: Window) -> bool {
        self.is_reference_known() && window.as_raw() < self.reference.as_raw() / 16 * 7
    }

    pub(super) fn is_reference_known(&self) -> bool {
        self.reference < Window::MAX
    }

    /// Whether drains leave a queue, or the flow competes and empties none.
    pub(super) fn is_suspected(&self) -> bool {
        self.competes || self.suspicion > 0
    }

    /// Whether the drains disagree: the next one comes sooner.
    pub(super) fn is_in_doubt(&self) -> bool {
        if self.competes { self.suspicion < SUSPICION_MAX } else { self.suspicion > 0 }
    }

    /// A round is over with this queueing.
    pub(super) fn see(&mut self, queueing: Span) {
        self.rounds = if queueing > TELLING_DELAY { self.rounds.saturating_add(1) } else { 0 };
        self.has_evidence |= self.rounds >= RIVAL_ROUNDS;
    }

    /// Segments were lost.
    pub(super) fn see_loss(&mut self) {
        self.has_evidence = true;
    }

    /// A drain has found the queue empty, or not. A queue that jitter can imitate raises no suspicion.
    pub(super) fn count(&mut self, is_empty: bool) {
        let has_evidence = core::mem::take(&mut self.has_evidence);
        self.suspicion = match is_empty {
            true => self.suspicion.saturating_sub(1),
            false if has_evidence || self.competes => (self.suspicion + 1).min(SUSPICION_MAX),
            false => self.suspicion,
        };
    }

    /// Whether the flow is to compete from now on, with the window that it had before the drain, of which it holds a
    /// part on the path. What holds more than twice its reference has no rival that takes from it, and competes by
    /// mistake.
    pub(super) fn asks_to_compete(&self, window: Window, held: Window) -> bool {
        match self.competes {
            true => self.suspicion > 0 && held.half() <= self.reference,
            false => {
                let loses_ground = self.suspicion >= DRAINS_TO_COMPETE && self.has_taken_from(window);
                loses_ground || self.suspicion >= SUSPICION_MAX && !self.is_reference_known()
            }
        }
    }

    pub(super) fn begin(&mut self) {
        self.competes = true;
        self.suspicion = SUSPICION_MAX;
        self.cubic = Cubic::default();
    }
}

/// Losses are heavy where a round loses more than a twelfth of the window and two segments. Random losses of 5 % stay
/// below it in nearly all rounds, a policer's do not.
const HEAVY_PART: u64 = 12;
const HEAVY_MORE: u64 = 2;

/// Losses, round by round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Losses {
    of_round: u32,
    /// They are of the start.
    is_excused: bool,
    /// A round since the newest drain had heavy losses.
    since_drain: bool,
}

impl Losses {
    pub(super) const NONE: Losses = Losses { of_round: 0, is_excused: false, since_drain: false };

    pub(super) fn count(&mut self, lost: Segments) {
        self.of_round = self.of_round.saturating_add(lost.0);
    }

    /// The losses of this round do not count.
    pub(super) fn excuse(&mut self) {
        self.is_excused = true;
    }

    /// A round is over; whether its losses are heavy.
    pub(super) fn end_round(&mut self, window: Window) -> bool {
        let most = window.floor().as_u64() / HEAVY_PART + HEAVY_MORE;
        let is_heavy = !self.is_excused && u64::from(self.of_round) > most;
        self.since_drain |= is_heavy;
        self.of_round = 0;
        self.is_excused = false;
        is_heavy
    }

    /// Whether there were heavy losses since it was last asked.
    pub(super) fn take(&mut self) -> bool {
        core::mem::take(&mut self.since_drain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: a twelfth of 120 and two are 12.
    #[test]
    fn losses_are_heavy_above_a_twelfth_and_two() {
        let window = Window::whole(Segments(120));
        let mut losses = Losses::NONE;
        let mut round = |lost, excused: bool| {
            losses.count(Segments(lost));
            if excused {
                losses.excuse();
            }
            (losses.end_round(window), losses.take())
        };
        assert_eq!(
            [round(12, false), round(13, false), round(40, true), round(0, false)],
            [(false, false), (true, true), (false, false), (false, false),]
        );
    }

    /// By hand: 7/16 of 160 are 70. A flow that keeps its window never competes; one that lost it does after two
    /// drains, one that has not seen the queue empty after three. It stops after as many empty ones as it counts.
    #[test]
    fn only_a_flow_that_loses_ground_competes() {
        let [kept, lost] = [70, 69].map(|window| Window::whole(Segments(window)));
        let after_drains = |mut rival: Rival, window| {
            [(); 3].map(|()| {
                rival.see_loss();
                rival.count(false);
                rival.asks_to_compete(window, window)
            })
        };
        let mut rival = Rival { reference: Window::whole(Segments(160)), ..Rival::none() };
        assert_eq!(after_drains(rival, lost), [false, true, true]);
        assert_eq!(after_drains(rival, kept), [false; 3]);
        assert_eq!(after_drains(Rival::none(), lost), [false, false, true]);
        rival.begin();
        let mut drains = 0;
        while rival.asks_to_compete(kept, kept) {
            rival.count(true);
            drains += 1;
        }
        assert_eq!(drains, 3);
    }

    /// By hand: 15 ms of queueing are what jitter may imitate, 16 ms are not, for four rounds; what was before the
    /// newest drain counts no more.
    #[test]
    fn a_queue_that_jitter_can_imitate_raises_no_suspicion() {
        let mut rival = Rival::none();
        let mut drain = |queueing_ms, rounds| {
            for _ in 0..rounds {
                rival.see(Span::from_millis(queueing_ms));
            }
            rival.count(false);
            rival.see(Span::ZERO);
            rival.suspicion
        };
        assert_eq!([drain(15, 9), drain(16, 3), drain(16, 4), drain(15, 9), drain(40, 5)], [0, 0, 1, 1, 2]);
    }
}
