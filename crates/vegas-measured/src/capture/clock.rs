//! The capture's clock: its times ascend, and each step back is noted.

use crate::source::TIME_MAX;

/// A step back of this size is one of the clock, ns; packets of several processors are out of order by less.
const STEP_NS: i64 = 50_000_000;
/// The most steps that are noted one by one.
const STEPS_MAX: usize = 100;

/// Makes the times of a capture ascend.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    last: Option<i64>,
    /// What is added to the file's times: the steps back so far.
    shift: i64,
    /// The steps back: when, by the times given out, and by how much, ns.
    pub(crate) steps: Vec<(i64, i64)>,
    /// Packets that stand in the file behind later ones.
    pub(crate) out_of_order: u64,
    /// The most by which one is earlier than a packet before it, ns.
    pub(crate) worst_disorder: i64,
}

impl Clock {
    /// Returns the time to use for a packet with the file's time `at`: never less than the one before.
    pub(crate) fn ascending(&mut self, at: i64) -> i64 {
        let shifted = at.saturating_add(self.shift).min(TIME_MAX);
        let last = *self.last.get_or_insert(shifted);
        let behind = last.saturating_sub(shifted);
        if behind > STEP_NS {
            self.shift = self.shift.saturating_add(behind);
            if self.steps.len() < STEPS_MAX {
                self.steps.push((last, behind));
            }
        } else if behind > 0 {
            self.out_of_order += 1;
            self.worst_disorder = self.worst_disorder.max(behind);
        } else {
            self.last = Some(shifted);
            return shifted;
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_back_is_no_disorder() {
        let mut clock = Clock::default();
        let given =
            [1_000_000_000, 1_200_000_000, 1_199_000_000, 200_000_000, 300_000_000].map(|at| clock.ascending(at));
        assert_eq!(given, [1_000_000_000, 1_200_000_000, 1_200_000_000, 1_200_000_000, 1_300_000_000]);
        assert_eq!(
            (clock.steps, clock.out_of_order, clock.worst_disorder),
            (vec![(1_200_000_000, 1_000_000_000)], 1, 1_000_000)
        );
    }
}
