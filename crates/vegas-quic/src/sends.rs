//! The record of sent packets: it translates quinn's send times into the core's send indices.
//!
//! quinn numbers packets in three spaces (Initial, Handshake, 1-RTT; RFC 9000, section 12.3), each from 0, and does not
//! say which one a call is about; of a packet that is acknowledged it gives the send time and no number. So packets are
//! counted here in the order of sending, through all three spaces, and found again by their send times.

use std::collections::VecDeque;

use vegas_core::units::{SendIndex, Time};

/// The packets that may still be acknowledged, in the order of sending.
#[derive(Clone, Debug, Default)]
pub(crate) struct SendLog {
    bursts: VecDeque<Burst>,
}

/// Packets that left at one instant.
#[derive(Clone, Copy, Debug)]
struct Burst {
    sent: Time,
    first: SendIndex,
    packets: u64,
    acked: u64,
}

/// The most bursts recorded. More are in flight only where nothing is acknowledged, as with packets that hold
/// acknowledgements only; the oldest are then dropped from the record.
const BURSTS_MAX: usize = 1 << 16;

impl SendLog {
    /// Records packets that leave; the first one has this index.
    pub(crate) fn sent(&mut self, now: Time, first: SendIndex, packets: u64) {
        match self.bursts.back_mut() {
            Some(burst) if burst.sent == now => burst.packets += packets,
            _ => {
                self.bursts.push_back(Burst { sent: now, first, packets, acked: 0 });
                if self.bursts.len() > BURSTS_MAX {
                    self.bursts.pop_front();
                }
            }
        }
    }

    /// Finds the index of an acknowledged packet by its send time; none if it was sent before the newest acknowledged
    /// one. Packets of a burst are assumed to arrive in order: after a loss within a burst the index is too low by the
    /// number of lost packets, until the next burst.
    pub(crate) fn acknowledged(&mut self, sent: Time) -> Option<SendIndex> {
        while self.bursts.front().is_some_and(|burst| burst.sent < sent) {
            self.bursts.pop_front();
        }
        let burst = self.bursts.front_mut().filter(|burst| burst.sent == sent && burst.acked < burst.packets)?;
        burst.acked += 1;
        Some(SendIndex(burst.first.0 + burst.acked - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn packets_are_found_by_their_send_times() {
        let mut log = SendLog::default();
        log.sent(at(10), SendIndex(0), 2);
        log.sent(at(10), SendIndex(2), 1);
        log.sent(at(20), SendIndex(3), 1);
        let indices = [10, 10, 20].map(|sent| log.acknowledged(at(sent)));
        assert_eq!(indices, [Some(SendIndex(0)), Some(SendIndex(1)), Some(SendIndex(3))]);
        assert_eq!(log.acknowledged(at(10)), None, "behind the newest acknowledged");
        assert_eq!(log.acknowledged(at(20)), None, "more than were sent");
        assert_eq!(log.acknowledged(at(15)), None, "never sent");
    }

    /// A receiver's acknowledgements are sent and never acknowledged themselves.
    #[test]
    fn what_is_never_acknowledged_is_forgotten() {
        let mut log = SendLog::default();
        for now in 0..2 * BURSTS_MAX as u64 {
            log.sent(at(now), SendIndex(now), 1);
        }
        assert_eq!(log.bursts.len(), BURSTS_MAX);
        assert_eq!(log.acknowledged(at(BURSTS_MAX as u64)), Some(SendIndex(BURSTS_MAX as u64)));
    }
}
