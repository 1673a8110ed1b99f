//! Receivers that break the rules (S. Savage et al., "TCP Congestion Control with a Misbehaving Receiver", 1999): what
//! they acknowledge, and what they have.

use vegas_core::units::Time;

use crate::packet::Ecn;
use crate::scenario::Misbehaviour;

/// The duplicates that make a sender find a loss (RFC 5681, section 3.2).
const DUPLICATES: usize = 3;

/// The state of a receiver that breaks a rule.
#[derive(Clone, Debug)]
pub(crate) struct Misbehaving {
    rule: Misbehaviour,
    /// One past the newest byte that has arrived.
    newest: u64,
    /// The greatest number acknowledged so far.
    acknowledged: u64,
    /// When data arrived last that had not arrived before.
    pub(super) grown: Time,
}

impl Misbehaving {
    pub(super) fn new(rule: Misbehaviour) -> Self {
        Misbehaving { rule, newest: 0, acknowledged: 0, grown: Time::ZERO }
    }

    /// Returns the ECN bits of a data packet that the receiver reports.
    pub(super) fn reported(&self, ecn: Ecn) -> Ecn {
        match self.rule {
            Misbehaviour::ConcealsMarks => Ecn::NONE,
            Misbehaviour::InflatesMarks => ecn.and(Ecn::MARKED),
            _ => ecn,
        }
    }

    /// Returns whether the receiver acknowledges data that have not arrived.
    pub(super) fn is_optimistic(&self) -> bool {
        matches!(self.rule, Misbehaviour::OptimisticAcks { .. })
    }

    /// Records that data up to `end` have arrived.
    pub(super) fn on_data(&mut self, now: Time, end: u64, is_new: bool) {
        self.newest = self.newest.max(end);
        if is_new {
            self.grown = now;
        }
    }

    /// Returns the numbers of the acknowledgements that leave when one is due, where `next` is the next byte expected
    /// and a full segment has `payload` bytes.
    pub(super) fn numbers(&mut self, next: u64, payload: u64) -> Vec<u64> {
        let acknowledged = self.acknowledged;
        self.acknowledged = next.max(acknowledged);
        match self.rule {
            Misbehaviour::ConcealsMarks | Misbehaviour::InflatesMarks => vec![next],
            Misbehaviour::DupackSpoofing => vec![next; 1 + DUPLICATES],
            // the first is for the case that the second one is ahead of what was sent, and is ignored
            Misbehaviour::OptimisticAcks { ahead } => {
                let mut numbers = vec![self.newest, self.newest + ahead.as_u64() * payload];
                numbers.dedup();
                numbers
            }
            Misbehaviour::AckDivision { parts } => divided(acknowledged.min(next), next, u64::from(parts)),
        }
    }
}

/// Returns the ends of `parts` parts of the bytes `[from, to)`, of a byte at least; `to` alone if there are no bytes.
fn divided(from: u64, to: u64, parts: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (1..=parts).map(|part| from + (to - from) * part / parts).collect();
    numbers.retain(|&number| number > from || from == to);
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use super::divided;

    #[test]
    fn parts_are_of_a_byte_at_least() {
        assert_eq!(divided(960, 1920, 4), [1200, 1440, 1680, 1920]);
        assert_eq!(divided(0, 1000, 3), [333, 666, 1000]);
        assert_eq!(divided(5, 7, 4), [6, 7]);
        assert_eq!(divided(7, 7, 4), [7]);
    }
}
