//! When a receiver acknowledges ([`AckTiming`]), and the times at which one on Linux acknowledges segments in order: at
//! once while its window grows and for some more segments, so that slow start is not held back, and then every second
//! segment; but where what waits for the application leaves less of the window than was offered, not before the
//! application has read, so that one acknowledgement covers all that came at an instant. A segment that is short or has
//! the flag PSH is acknowledged as soon as the application has read it (`tcp_input.c`: `tcp_event_data_recv`,
//! `tcp_measure_rcv_mss`, `__tcp_ack_snd_check`; `tcp_output.c`: `tcp_send_delayed_ack`, `tcp_event_ack_sent`; `tcp.c`:
//! `tcp_cleanup_rbuf`; full segments with PSH since Linux 6.6 and in the stable series from 6.1 on).

use vegas_core::ticks::Clock;
use vegas_core::units::{Span, Time};

use super::compression::Compression;
use super::window::{Opening, SEGMENT_FIRST};

/// The time at which a segment is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AckTiming {
    Now,
    /// With the next segment, or when the timer runs out.
    Later,
}

/// The state of the quick-ack phase and of the delayed acknowledgements.
#[derive(Clone, Debug)]
pub(crate) struct LinuxAcks {
    /// Whether the application reads whenever data have come, and not at intervals that are its own.
    reads_as_data_come: bool,
    /// The number of acknowledgements that are still sent at once.
    quick: u32,
    /// The time for which an acknowledgement waits for a second segment.
    delay: Span,
    /// When the newest segment in order arrived; `None` before the first.
    arrived: Option<Time>,
    /// The payload of a full segment, as far as it is known, and of the newest one, bytes (`rcv_mss`, `last_seg_size`).
    segment: u64,
    newest: u64,
    /// Whether the acknowledgement waits for the application to read.
    awaits_reading: bool,
    /// The duplicates.
    pub(super) compression: Compression,
    /// The next expected byte when the newest acknowledgement was sent.
    acknowledged: u64,
    /// The least timeout.
    timeout_least: Span,
    /// The clock of the timer.
    clock: Clock,
}

/// A segment in order, or several that were merged.
#[derive(Clone, Copy, Debug)]
pub(super) struct InOrder {
    /// The payload of the first, bytes.
    pub(super) length: u64,
    /// The byte expected after it.
    pub(super) next: u64,
    /// Whether it has the flag PSH.
    pub(super) pushed: bool,
}

/// `TCP_MAX_QUICKACKS`.
const QUICK_MAX: u32 = 16;
/// The least and greatest delay of an acknowledgement: `TCP_ATO_MIN`, `TCP_DELACK_MAX`.
const DELAY_MIN: Span = Span::from_millis(40);
const DELAY_MAX: Span = Span::from_millis(200);
/// The least payload that is taken for that of a full segment where two in a row have it (`TCP_MIN_MSS`), and where
/// they have PSH (`TCP_MSS_DEFAULT`).
const SEGMENT_MIN: u64 = 88;
const PUSHED_SEGMENT_MIN: u64 = SEGMENT_FIRST;

impl LinuxAcks {
    /// Creates the state of a receiver with this least timeout; `clock` is that of the timer, and the application
    /// `reads_as_data_come`, or at intervals that are its own.
    pub(crate) fn new(timeout_least: Span, clock: Clock, reads_as_data_come: bool) -> Self {
        LinuxAcks {
            reads_as_data_come,
            quick: 0,
            delay: DELAY_MIN,
            arrived: None,
            segment: SEGMENT_FIRST,
            newest: 0,
            awaits_reading: false,
            compression: Compression::default(),
            acknowledged: 0,
            timeout_least,
            clock,
        }
    }

    /// Takes in a segment in order, which has left this `window`; `due` is the time at which a waiting acknowledgement
    /// is due. Returns whether the segment is acknowledged at once, and when its acknowledgement is due otherwise.
    pub(super) fn on_segment(
        &mut self,
        now: Time,
        segment: InOrder,
        window: Opening,
        due: Option<Time>,
    ) -> (AckTiming, Option<Time>) {
        let is_last = self.on_progress(now, segment, window);
        let is_due = segment.next - self.acknowledged > self.segment;
        if self.quick > 0 || is_due && window.awaits_reading.is_none() {
            return (AckTiming::Now, due);
        }
        let reads = (is_last && self.reads_as_data_come).then_some(window.reads);
        let awaited = if is_due { window.awaits_reading } else { reads };
        if let Some(reading) = awaited {
            self.awaits_reading = true;
            return (AckTiming::Later, Some(reading));
        }
        let delay = self.delay.min(self.delay_most());
        let after = |delay| self.clock.expiry(now, delay);
        match due {
            Some(due) if due <= after(Span::from_nanos(delay.as_nanos() / 4)) => (AckTiming::Now, Some(due)),
            Some(due) => (AckTiming::Later, Some(due.min(after(delay)))),
            None => (AckTiming::Later, Some(after(delay))),
        }
    }

    /// The timeout after the only round trip that a receiver of data times as a sender does: a longer gap between
    /// segments begins the quick-ack phase again, and no delay exceeds it (`icsk_rto`).
    fn timeout(&self) -> Span {
        let after = |rtt: Span| rtt + (rtt + rtt).max(self.timeout_least);
        self.compression.handshake().map_or(self.timeout_least, after)
    }

    /// The same round trip bounds the delay.
    fn delay_most(&self) -> Span {
        self.compression.handshake().map_or(DELAY_MAX, |handshake| handshake.clamp(DELAY_MIN, DELAY_MAX))
    }

    /// Takes in a segment with the byte that was expected, whether or not others wait beyond a hole
    /// (`tcp_event_data_recv`); returns whether it seems to be the last of what the sender wrote.
    pub(super) fn on_progress(&mut self, now: Time, segment: InOrder, window: Opening) -> bool {
        let is_last = self.measure(segment);
        self.note_arrival(now, window);
        self.note_growth(window);
        is_last
    }

    /// Takes in a segment beyond a hole, or one that fills a part of it, after which byte `next` is expected and
    /// `ranges` wait. Data take `round_trip` as far as the window's timing knows. Returns when its acknowledgement is
    /// due, `None` for at once.
    pub(super) fn on_disorder(
        &mut self,
        now: Time,
        (next, ranges): (u64, usize),
        (window, round_trip): (Opening, Option<Span>),
        due: Option<Time>,
    ) -> Option<Time> {
        let is_due = next - self.acknowledged > self.segment && window.awaits_reading.is_none();
        if is_due || self.quick > 0 {
            return None;
        }
        self.compression.on_duplicate(now, (next, ranges), round_trip, due)
    }

    /// Learns the size of full segments; returns whether this one seems to be the last of what the sender wrote
    /// (`tcp_measure_rcv_mss`).
    fn measure(&mut self, InOrder { length, pushed, .. }: InOrder) -> bool {
        if length >= self.segment {
            (self.segment, self.newest) = (length, 0);
            return pushed;
        }
        let least = if pushed { PUSHED_SEGMENT_MIN } else { SEGMENT_MIN };
        let is_repeated = length >= least && length == self.newest;
        self.newest = if length >= least { length } else { 0 };
        if is_repeated {
            self.segment = length;
        }
        !is_repeated
    }

    /// Adapts the delay to the time between segments. The first segment, and the first after a gap, begin the quick-ack
    /// phase.
    fn note_arrival(&mut self, now: Time, window: Opening) {
        let half = |span: Span| Span::from_nanos(span.as_nanos() / 2);
        match self.arrived.map(|before| now.since(before)) {
            None => {
                self.quick_up_to_most(window);
                self.delay = DELAY_MIN;
            }
            Some(gap) if gap <= half(DELAY_MIN) => self.delay = half(self.delay) + half(DELAY_MIN),
            Some(gap) if gap < self.delay => self.delay = (half(self.delay) + gap).min(self.timeout()),
            Some(gap) if gap > self.timeout() => self.quick_up_to_most(window),
            Some(_) => {}
        }
        self.arrived = Some(now);
    }

    fn quick_up_to_most(&mut self, window: Opening) {
        let of_window = (window.bytes / (2 * self.segment)).max(2);
        self.quick = self.quick.max((of_window as u32).min(QUICK_MAX));
    }

    /// While the window grows, one more acknowledgement is sent at once; the kernel sets a bit instead of adding, so an
    /// odd number stays as it is.
    pub(super) fn note_growth(&mut self, window: Opening) {
        if window.grew {
            self.quick |= 1;
        }
    }

    /// Begins the quick-ack phase again: data that arrive twice hint at a lost acknowledgement
    /// (`tcp_enter_quickack_mode`).
    pub(super) fn on_repeated(&mut self, window: Opening) {
        self.quick_up_to_most(window);
        self.delay = DELAY_MIN;
    }

    /// Doubles the delay, because no second segment came in time; but not where it is the application that has read, or
    /// duplicates that waited.
    pub(super) fn on_timer(&mut self) {
        if !self.awaits_reading && !self.compression.is_holding() {
            self.delay = (self.delay + self.delay).min(self.timeout());
        }
    }

    /// Records that an acknowledgement of everything before `next` is being sent.
    pub(super) fn acknowledged(&mut self, next: u64) {
        self.acknowledged = next;
        self.awaits_reading = false;
        self.compression.acknowledged();
        if self.quick == 1 {
            self.delay = DELAY_MIN;
        }
        self.quick = self.quick.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::ReceiveWindow;
    use crate::tcp::GrowingWindow;
    use vegas_core::units::Segments;

    const CONSTANT: Opening = Opening { bytes: 65_535, grew: false, awaits_reading: None, reads: Time::ZERO };

    fn acks() -> LinuxAcks {
        LinuxAcks::new(Span::from_millis(200), Clock::new(250), true)
    }

    fn full(next: u64) -> InOrder {
        InOrder { length: 1000, next, pushed: false }
    }

    /// Feeds in segments of 1000 bytes a millisecond apart, with a window of at most `most` of them; returns for each,
    /// from the first on, whether it is acknowledged at once, be it that the application has read.
    fn timings(acks: &mut LinuxAcks, most: u32, segments: u64) -> Vec<AckTiming> {
        let mut due = None;
        let mut window = GrowingWindow::new(&ReceiveWindow::Constant(Segments(most)), 1000, Span::ZERO);
        let timing = |number: u64| {
            let next = 1000 * (number + 1);
            let now = Time::from_nanos(1_000_000 * number);
            window.on_segment(now, (1000, 1000), next, 0);
            let (timing, until) = acks.on_segment(now, full(next), window.opening(0), due);
            due = until.filter(|_| timing == AckTiming::Later);
            if due.is_some_and(|due| due > now) {
                return AckTiming::Later;
            }
            window.read_by(now);
            window.offer(next, 0);
            acks.acknowledged(next);
            due = None;
            AckTiming::Now
        };
        (0..segments).map(timing).collect()
    }

    /// By hand, for 400,000 bytes: the window grows with 167 segments (65,535 + 2000 x 166 = 397,535 leave room for one
    /// more; 399,000 do not). All of these are acknowledged at once, and 16 more: the bit keeps the number at 17, and
    /// each acknowledgement takes one. Linux 6.1 acknowledges 183 at once (`reference/linux`,
    /// `S3_vegas_a2b4g1_delack`).
    #[test]
    fn quick_acknowledgements_outlast_the_growth_of_the_window() {
        let timings = timings(&mut acks(), 400, 189);
        let at_once = timings.iter().take_while(|timing| **timing == AckTiming::Now).count();
        assert_eq!(at_once, 167 + 16);
        use AckTiming::{Later, Now};
        assert_eq!(timings[at_once..], [Later, Now, Later, Now, Later, Now]);
    }

    /// The window is as large as it may be: only the 16 segments of a new connection are acknowledged at once, then
    /// every second.
    #[test]
    fn a_window_that_does_not_grow_leaves_sixteen() {
        let timings = timings(&mut acks(), 65, 18);
        assert!(timings[..16].iter().all(|timing| *timing == AckTiming::Now));
        assert_eq!(timings[16..], [AckTiming::Later, AckTiming::Now]);
    }

    /// A lone segment waits 40 ms, ten ticks beside the current one, and twice that after the timer has run out, but no
    /// longer than the handshake took; after a gap of the timeout it is acknowledged at once.
    #[test]
    fn the_delay_follows_the_segments() {
        let mut acks = acks();
        timings(&mut acks, 65, 16);
        let at = |ms: u64| Time::from_nanos(1_000_000 * ms);
        assert_eq!(acks.on_segment(at(16), full(17_000), CONSTANT, None), (AckTiming::Later, Some(at(60))));
        acks.on_timer();
        acks.acknowledged(17_000);
        // 90 ms exceed the delay, which stays at 80 ms
        assert_eq!(acks.on_segment(at(106), full(18_000), CONSTANT, None), (AckTiming::Later, Some(at(188))));
        acks.compression.on_syn(at(0));
        acks.compression.on_established(at(50));
        // tick 26, 13 ticks for 50 ms, and one
        assert_eq!(acks.on_segment(at(106), full(18_000), CONSTANT, None), (AckTiming::Later, Some(at(160))));
        acks.acknowledged(18_000);
        // 50 ms and 200 ms
        assert_eq!(acks.on_segment(at(357), full(19_000), CONSTANT, None).0, AckTiming::Now);
    }

    /// A segment with PSH is acknowledged alone when the application reads it, and so is a short one; not where the
    /// application reads at intervals of its own. Two short ones of equal size seem to be full ones.
    #[test]
    fn the_last_segment_of_a_write_is_acknowledged_when_it_is_read() {
        let at = Time::from_nanos(20_000_000);
        let window = Opening { reads: at, ..CONSTANT };
        let timing = |reads_as_data_come: bool, segment: InOrder| {
            let mut acks = LinuxAcks::new(Span::from_millis(200), Clock::new(250), reads_as_data_come);
            timings(&mut acks, 65, 16);
            acks.on_segment(at, segment, window, None).1
        };
        let delayed = Some(at + DELAY_MIN + Span::from_millis(4));
        assert_eq!(timing(true, full(17_000)), delayed);
        assert_eq!(timing(true, InOrder { pushed: true, ..full(17_000) }), Some(at));
        assert_eq!(timing(true, InOrder { length: 400, next: 16_400, pushed: false }), Some(at));
        assert_eq!(timing(false, InOrder { pushed: true, ..full(17_000) }), delayed);
        let short = |next| InOrder { length: 400, next, pushed: false };
        let mut acks = LinuxAcks::new(Span::from_millis(200), Clock::new(250), true);
        timings(&mut acks, 65, 16);
        acks.on_segment(at, short(16_400), window, None);
        acks.acknowledged(16_400);
        assert_eq!(acks.on_segment(at, short(16_800), window, None).1, delayed);
    }
}
