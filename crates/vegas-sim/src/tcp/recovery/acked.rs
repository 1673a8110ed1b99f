//! Which of the segments that an acknowledgement reports give a round-trip sample. A segment that waited at the
//! receiver behind a hole gives none, and neither does one that was sent more than once (Karn's rule). Where an
//! acknowledgement covers a retransmitted segment, those after it may have waited, and none of them gives a sample: BSD
//! stops timing at a retransmission (`t_rtttime = 0`), and Linux takes no sample then (`tcp_clean_rtx_queue`).

use vegas_core::units::{Span, Time};

use super::scoreboard::Entry;

/// The round-trip times of the segments that an acknowledgement reports as received for the first time.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct AckedTimes {
    /// Whether one of the segments acknowledged in order had been sent more than once.
    repeated: bool,
    /// Of the segments acknowledged in order that no block had reported before.
    in_order: Times,
    /// Of the segments that blocks report.
    sacked: Times,
    /// Of the newest segment acknowledged in order, whether or not it had waited; `None` if it was sent more than once.
    last: Option<Span>,
}

/// The round-trip times of the oldest and the newest of some segments that were sent once.
#[derive(Clone, Copy, Debug, Default)]
struct Times(Option<(Span, Span)>);

impl Times {
    /// Takes in the next segment.
    fn add(&mut self, rtt: Span) {
        // what was sent first took longest, in whatever order blocks report it
        self.0 = Some(self.0.map_or((rtt, rtt), |(oldest, newest)| (oldest.max(rtt), newest.min(rtt))));
    }

    fn oldest(self) -> Option<Span> {
        self.0.map(|(oldest, _)| oldest)
    }

    fn newest(self) -> Option<Span> {
        self.0.map(|(_, newest)| newest)
    }
}

impl AckedTimes {
    /// Takes in the next segment acknowledged in order.
    #[inline]
    pub(in crate::tcp) fn on_acked(&mut self, entry: Entry, now: Time) {
        self.last = entry.sent_once().map(|sent| now.since(sent));
        match self.last {
            None => self.repeated = true,
            Some(rtt) if !entry.is_sacked() => self.in_order.add(rtt),
            Some(_) => {}
        }
    }

    /// Takes in the next segment that a block reports for the first time.
    pub(in crate::tcp) fn on_sacked(&mut self, entry: Entry, now: Time) {
        if let Some(sent) = entry.sent_once() {
            self.sacked.add(now.since(sent));
        }
    }

    /// Returns whether one of the segments acknowledged in order had been sent more than once.
    pub(in crate::tcp) fn is_repeated(&self) -> bool {
        self.repeated
    }

    /// Returns whether a block reports a segment that was sent only once.
    pub(in crate::tcp) fn has_sacked(&self) -> bool {
        self.sacked.newest().is_some()
    }

    /// The round-trip time of the oldest segment that a block reports and that was sent once.
    pub(in crate::tcp) fn longest_sacked(&self) -> Option<Span> {
        self.sacked.oldest()
    }

    fn in_order(&self) -> Times {
        if self.repeated { Times::default() } else { self.in_order }
    }

    /// Returns BSD's sample: that of the newest segment, as the timing of a segment ends with the acknowledgement of
    /// it; but of the oldest one if the others may have waited for it (`waited`).
    pub(in crate::tcp) fn of_bsd(&self, waited: bool) -> Option<Span> {
        if waited { self.in_order().oldest() } else { self.in_order().newest() }
    }

    /// Returns ns-2's sample: that of the newest segment, whether or not it waited for another.
    pub(in crate::tcp) fn of_ns2(&self) -> Option<Span> {
        self.last
    }

    /// Returns Linux's samples, for the estimator and for the congestion control (`tcp_ack_update_rtt`): of the oldest
    /// segment acknowledged in order, else of the oldest that a block reports; and of the newest that a block reports,
    /// else of the newest acknowledged in order.
    pub(in crate::tcp) fn of_linux(&self) -> Option<(Span, Span)> {
        let in_order = self.in_order();
        in_order.oldest().or(self.sacked.oldest()).zip(self.sacked.newest().or(in_order.newest()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::recovery::scoreboard::Scoreboard;

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// Five segments sent every 10 ms from 0 ms on.
    fn sent() -> Scoreboard {
        let mut board = Scoreboard::new(3);
        (0..5).for_each(|segment| board.on_first_transmission(ms(10 * segment)));
        board
    }

    /// An acknowledgement, at 150 ms, of everything before `una` with one block.
    fn acked(board: &mut Scoreboard, una: u64, block: (u64, u64)) -> AckedTimes {
        let mut times = AckedTimes::default();
        board.on_ack(una, |_, entry| times.on_acked(entry, ms(150)));
        board.on_sack([block, (0, 0), (0, 0)], &mut |_, entry| times.on_sacked(entry, ms(150)));
        times
    }

    fn in_ms(sample: Option<Span>) -> Option<u64> {
        sample.map(|rtt| rtt.as_nanos() / 1_000_000)
    }

    fn of_linux(times: AckedTimes) -> Option<[u64; 2]> {
        times.of_linux().map(|(oldest, newest)| [oldest, newest].map(|rtt| rtt.as_nanos() / 1_000_000))
    }

    /// Segments 0 and 1 are acknowledged, and 3 and 4 reported.
    #[test]
    fn segments_in_order_and_reported_ones_give_samples() {
        let times = acked(&mut sent(), 2, (3, 5));
        assert_eq!([times.of_bsd(false), times.of_bsd(true)].map(in_ms), [Some(140), Some(150)]);
        assert_eq!(of_linux(times), Some([150, 110]));
        let reported = acked(&mut sent(), 0, (3, 5));
        assert_eq!((in_ms(reported.of_bsd(false)), of_linux(reported)), (None, Some([120, 110])));
        assert_eq!(of_linux(AckedTimes::default()), None);
    }

    /// Segment 0 is retransmitted at 50 ms: the others had waited for it. A block of the same acknowledgement still
    /// tells of one that did not.
    #[test]
    fn a_retransmission_takes_the_sample_of_all_that_waited_for_it() {
        let mut board = sent();
        board.on_retransmission(0, ms(50));
        let times = acked(&mut board.clone(), 3, (0, 0));
        assert_eq!([times.of_bsd(false), times.of_bsd(true)], [None; 2]);
        assert_eq!((in_ms(times.of_ns2()), of_linux(times)), (Some(130), None));
        assert_eq!(of_linux(acked(&mut board, 3, (4, 5))), Some([110, 110]));
    }

    /// Segments 1 and 2 were reported before, so that they waited for segment 0, which arrives late. Without reports
    /// only the oldest one is known not to have waited.
    #[test]
    fn what_was_reported_before_gives_none() {
        let mut board = sent();
        board.on_sack([(1, 3), (0, 0), (0, 0)], &mut |_, _| {});
        let times = acked(&mut board, 3, (0, 0));
        assert_eq!((in_ms(times.of_bsd(false)), of_linux(times)), (Some(150), Some([150, 150])));
        assert_eq!(in_ms(acked(&mut sent(), 3, (0, 0)).of_bsd(true)), Some(150));
    }
}
