//! The time stamp that a receiver echoes (RFC 7323, section 4.3; Linux: `tcp_replace_ts_recent`).

use crate::packet::Tick;

/// What a receiver keeps of the other's time stamps, and of its own that come back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Echo {
    /// The newest stamp of a segment that began at or before what was acknowledged (TS.Recent). So a segment beyond a
    /// hole, or of a delayed acknowledgement, does not shorten the other's round trips.
    recent: Tick,
    /// The next byte expected when the newest acknowledgement left (Last.ACK.sent).
    acknowledged: u64,
    /// The own stamp that came back last.
    returned: Tick,
}

impl Echo {
    pub(super) fn recent(&self) -> Tick {
        self.recent
    }

    pub(super) fn acknowledged(&mut self, next: u64) {
        self.acknowledged = next;
    }

    /// Takes in the stamp of a segment that begins at byte `from`.
    pub(super) fn on_segment(&mut self, from: u64, value: Tick) {
        if from <= self.acknowledged {
            self.recent = self.recent.max(value);
        }
    }

    /// Takes in an own stamp that came back; returns whether it is another one than the last (`rcv_rtt_last_tsecr`).
    pub(super) fn is_returned(&mut self, stamp: Tick) -> bool {
        std::mem::replace(&mut self.returned, stamp) != stamp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7323, section 4.3: with a delayed acknowledgement the first of its segments is echoed; behind a hole the
    /// last segment before it is, and the one that fills it once it has arrived.
    #[test]
    fn the_segment_that_was_awaited_is_echoed() {
        let tick = Tick::of_header;
        let mut echo = Echo::default();
        for (from, value, recent) in [(0, 10, 10), (1000, 11, 11), (2000, 12, 11), (4000, 14, 11), (3000, 20, 11)] {
            echo.on_segment(from, tick(value));
            assert_eq!(echo.recent(), tick(recent), "{from}");
            if from == 0 {
                echo.acknowledged(1000);
            }
        }
        echo.acknowledged(5000);
        echo.on_segment(3000, tick(18));
        assert_eq!(echo.recent(), tick(18), "a duplicate");
        echo.on_segment(5000, tick(17));
        assert_eq!(echo.recent(), tick(18), "no stamp goes back");
        assert!(echo.is_returned(tick(5)) && !echo.is_returned(tick(5)) && echo.is_returned(tick(6)));
    }
}
