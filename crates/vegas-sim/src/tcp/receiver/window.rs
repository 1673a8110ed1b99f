//! The receive window of Linux. It begins small, grows with the segments that arrive (`tcp_input.c`: `tcp_grow_window`)
//! up to what the buffer allows, and the buffer grows with what the application has read in a round trip
//! (`tcp_rcv_space_adjust`, dynamic right-sizing). The offered edge never moves back (`tcp_output.c`:
//! `tcp_select_window`).
//!
//! Sizes here are windows, which are a part of a buffer: half of it at first, and from the first full segment on as
//! much as such a segment's payload takes of its memory, if the receiver tunes the buffer (`tcp_input.c`:
//! `tcp_measure_rcv_mss`, Linux 6.11 and later). A buffer of fixed size (`SO_RCVBUF`) is as in Linux 6.1: half of it
//! stays for data, so that the references made by 6.1 hold.

use vegas_core::units::{Bytes, Span, Time};

use crate::scenario::ReceiveWindow;

/// The state of a receive window that grows.
#[derive(Clone, Debug)]
pub(crate) struct GrowingWindow {
    /// The window of the whole buffer, bytes (`tcp_full_space`).
    buffer: u64,
    /// The greatest window now, bytes (`window_clamp`): a segment less than the buffer's at first.
    clamp: u64,
    /// The greatest that the buffer's may become.
    max: u64,
    /// The window to which the segments have opened it (`rcv_ssthresh`).
    open: u64,
    /// One past the last byte that the sender may send.
    edge: u64,
    /// The payload of the largest segment received, bytes; at first that of a full one.
    segment: u64,
    /// The payload of the largest segment received, bytes, and at first little (`rcv_mss`).
    received: u64,
    /// The part of the buffer that is for data, in 256ths (`scaling_ratio`); `None` if it stays half.
    ratio: Option<u64>,
    /// Whether the newest segment opened it further.
    grew: bool,
    /// The time from the arrival of data until the application reads.
    reads_after: Span,
    unread: Unread,
    /// The window when the newest acknowledgement left (`rcv_wnd`).
    offered: u64,
    /// The unit of offers as a power of two (RFC 7323, section 2). `None` if acknowledgements offer no window: it is
    /// too large to limit the sender, and only its growth matters.
    shift: Option<u8>,
    tuning: Tuning,
}

/// What the times of acknowledgements depend on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Opening {
    /// The window, bytes.
    pub(super) bytes: u64,
    /// Whether the newest segment opened it further.
    pub(super) grew: bool,
    /// When the application reads, if data that it has not read leave less of the window than the newest
    /// acknowledgement offered.
    pub(super) awaits_reading: Option<Time>,
    /// When the application reads what has come.
    pub(super) reads: Time,
}

/// The data in order that the application has not read.
#[derive(Clone, Copy, Debug, Default)]
struct Unread {
    /// When the application reads them: it is woken when the first of them come, and takes all that have come until it
    /// reads.
    due: Time,
    from: u64,
    to: u64,
}

/// What the buffer's growth follows.
#[derive(Clone, Debug, Default)]
struct Tuning {
    /// Eight times the estimate of the round trip, us; 0 before the first sample (`rcv_rtt_est`).
    round_trip_8: u64,
    /// When the window that is being timed began to arrive, and its end.
    window_from: Option<Time>,
    window_end: u64,
    /// What the application read in the newest round trip that had more than the ones before, bytes.
    read_most: u64,
    /// When the round trip began in which reading is being counted, the first with the first segment, and the bytes
    /// read before.
    read_since: Option<Time>,
    read_before: u64,
}

/// The least segment that lets the window grow, bytes.
const GROWS_FROM: u64 = 128;
/// The assumed size of a segment before the first arrives, bytes (`TCP_MSS_DEFAULT`).
pub(super) const SEGMENT_FIRST: u64 = 536;
/// The segments of the first round trip in the rule of the buffer's growth (`TCP_INIT_CWND`), and those of its margin.
const FIRST_SEGMENTS: u64 = 10;
const MARGIN_SEGMENTS: u64 = 16;

impl GrowingWindow {
    /// Creates the window of a receiver of full segments of `segment` bytes; its application reads this long after data
    /// have come.
    pub(crate) fn new(window: &ReceiveWindow, segment: u64, reads_after: Span) -> Self {
        let whole = window.first(Bytes::new(segment)).get();
        let (first, buffer, clamp, max, ratio) = match *window {
            // a buffer of fixed size (SO_RCVBUF) is there from the start
            ReceiveWindow::Constant(_) => (ReceiveWindow::INITIAL.get().min(whole), whole, whole, whole, None),
            ReceiveWindow::Linux { initial, max } => {
                // `tcp_init_buffer_space`
                let clamp = initial.get().saturating_sub(segment).max(2 * segment);
                (whole, initial.get(), clamp, max.get(), Some(ReceiveWindow::RATIO_FIRST))
            }
        };
        let open = first.min(clamp);
        GrowingWindow {
            buffer,
            clamp,
            max,
            open,
            edge: first,
            segment,
            received: SEGMENT_FIRST.min(segment),
            ratio,
            grew: false,
            reads_after,
            unread: Unread::default(),
            offered: first,
            shift: window.shift(),
            tuning: Tuning { read_most: open.min(FIRST_SEGMENTS * segment), ..Tuning::default() },
        }
    }

    /// What the newest segment made of the window, while `waiting` bytes wait behind a hole.
    pub(super) fn opening(&self, waiting: u64) -> Opening {
        let left = self.in_units(self.room_beside(waiting));
        let awaits_reading = (left < self.offered).then_some(self.unread.due);
        Opening { bytes: self.open, grew: self.grew, awaits_reading, reads: self.unread.due }
    }

    /// Takes in `length` bytes, of segments of `segment` bytes, after which everything before `next` has arrived;
    /// `waiting` bytes wait behind a hole.
    pub(super) fn on_segment(&mut self, now: Time, (length, segment): (u64, u64), next: u64, waiting: u64) {
        self.read_before(now);
        self.time_window(now, next);
        if self.unread_bytes() == 0 {
            self.unread.due = now + self.reads_after;
        }
        self.unread.to = next;
        self.measure(segment);
        // what has come occupies the buffer until the application reads it
        self.grow((length, segment), waiting + self.segment.max(length).max(self.unread_bytes()));
    }

    fn unread_bytes(&self) -> u64 {
        self.unread.to - self.unread.from
    }

    /// The application has read, if it was to do so before `now`.
    pub(super) fn read_before(&mut self, now: Time) {
        if self.unread.due < now {
            self.read();
        }
    }

    /// The application reads, if it is to do so at `now` or before.
    pub(super) fn read_by(&mut self, now: Time) {
        if self.unread.due <= now {
            self.read();
        }
    }

    fn read(&mut self) {
        let Unread { due, from, to } = self.unread;
        if from < to {
            self.unread.from = to;
            self.tune(due, to);
        }
    }

    /// Takes in `length` bytes, of segments of `segment` bytes, that wait behind a hole, while `waiting` bytes are
    /// charged to the buffer. Only a receiver that reports them grows its window.
    pub(super) fn on_waiting(&mut self, now: Time, (length, segment): (u64, u64), waiting: u64, is_reported: bool) {
        self.read_before(now);
        self.grew = false;
        if is_reported {
            self.grow((length, segment), waiting);
        }
    }

    /// Learns from a segment that is larger than those before how much of the buffer is for data
    /// (`tcp_measure_rcv_mss`).
    fn measure(&mut self, segment: u64) {
        if let Some(ratio) = &mut self.ratio
            && segment > self.received
        {
            let measured = ReceiveWindow::ratio(Bytes::new(segment));
            self.buffer = (self.buffer * measured / *ratio).min(self.max);
            self.clamp = self.buffer;
            self.tuning.read_most = self.tuning.read_most.min(self.clamp);
            *ratio = measured;
        }
        self.received = self.received.max(segment);
    }

    /// Opens the window by two segments, or by twice what was merged, as far as the buffer has room beyond the
    /// `occupied` bytes.
    fn grow(&mut self, (length, segment): (u64, u64), occupied: u64) {
        self.segment = self.segment.max(segment);
        let room = self.clamp.min(self.buffer.saturating_sub(occupied)).saturating_sub(self.open);
        self.grew = length >= GROWS_FROM && room > 0;
        if self.grew {
            self.open += room.min(2 * self.segment.max(length));
        }
    }

    /// Times how long a whole window takes to arrive, which is never below the round trip: the least counts
    /// (`tcp_rcv_rtt_measure`).
    fn time_window(&mut self, now: Time, next: u64) {
        let tuning = &mut self.tuning;
        if let Some(from) = tuning.window_from {
            if next < tuning.window_end {
                return;
            }
            let took_8 = 8 * micros(now.since(from)).max(1);
            tuning.round_trip_8 = if tuning.round_trip_8 == 0 { took_8 } else { tuning.round_trip_8.min(took_8) };
        }
        (tuning.window_from, tuning.window_end) = (Some(now), self.edge.max(next));
    }

    /// The round trip, as far as it is known.
    pub(super) fn round_trip(&self) -> Option<Span> {
        let micros = self.tuning.round_trip_8 / 8;
        (micros > 0).then_some(Span::from_micros(micros))
    }

    /// Takes in the age of an own time stamp that a segment of `length` bytes brings back, which is a round trip and
    /// what the sender waited. Of full segments the least counts, and an eighth of any other (`tcp_rcv_rtt_measure_ts`,
    /// `tcp_rcv_rtt_update` since Linux 6.16 and in the stable series from 6.1 on).
    pub(super) fn on_returned(&mut self, age: Span, length: u64) {
        let round_trip_8 = &mut self.tuning.round_trip_8;
        if length >= self.received {
            let age = micros(age);
            let is_least = *round_trip_8 == 0 || 8 * age < *round_trip_8;
            *round_trip_8 = if is_least { 8 * age } else { *round_trip_8 - *round_trip_8 / 8 + age };
        }
    }

    /// Once a round trip lets the buffer grow, if the application has read more than in any before: to twice that, and
    /// more while it grows from round trip to round trip.
    fn tune(&mut self, now: Time, read: u64) {
        let tuning = &mut self.tuning;
        let since = *tuning.read_since.get_or_insert(now);
        if tuning.round_trip_8 == 0 || micros(now.since(since)) < tuning.round_trip_8 / 8 {
            return;
        }
        let copied = read - tuning.read_before;
        if copied > tuning.read_most {
            let steady = 2 * copied + MARGIN_SEGMENTS * self.segment;
            let growth = u128::from(steady) * u128::from(copied - tuning.read_most) / u128::from(tuning.read_most);
            let wanted = u128::from(steady) + 2 * growth;
            let wanted = wanted.min(u128::from(self.max)) as u64;
            if wanted > self.buffer {
                (self.buffer, self.clamp) = (wanted, wanted);
            }
            tuning.read_most = copied;
        }
        (tuning.read_since, tuning.read_before) = (Some(now), read);
    }

    /// Returns the window that an acknowledgement of everything before `next` offers, while `waiting` bytes wait behind
    /// a hole, and others until they are read, in its unit; 0 if it offers none.
    pub(super) fn offer(&mut self, next: u64, waiting: u64) -> u16 {
        let room = self.room_beside(waiting);
        let Some(shift) = self.shift else {
            self.offered = room;
            return 0;
        };
        let kept = self.edge.saturating_sub(next);
        self.offered = self.in_units(room.max(kept)).min(u64::from(u16::MAX) << shift);
        self.edge = self.edge.max(next + self.offered);
        (self.offered >> shift) as u16
    }

    /// The window that the buffer has room for beside the `waiting` bytes and those that are not read.
    fn room_beside(&self, waiting: u64) -> u64 {
        self.open.min(self.buffer.saturating_sub(waiting + self.unread_bytes()))
    }

    /// Rounds a window up to what an offer can say.
    fn in_units(&self, bytes: u64) -> u64 {
        bytes.next_multiple_of(1 << self.shift.unwrap_or(0))
    }
}

fn micros(span: Span) -> u64 {
    span.as_nanos() / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1000;

    fn window(initial: u64, max: u64) -> GrowingWindow {
        let limits = ReceiveWindow::Linux { initial: Bytes::new(initial), max: Bytes::new(max) };
        GrowingWindow::new(&limits, SEGMENT, Span::ZERO)
    }

    /// Feeds in `round` after `round` of 100 ms the segments of one, evenly spread; returns the edge after each, in
    /// segments of what has arrived.
    fn windows(window: &mut GrowingWindow, rounds: &[u64]) -> Vec<u64> {
        let mut next = 0;
        let of_round = |(round, segments): (usize, &u64)| {
            for number in 0..*segments {
                next += SEGMENT;
                let now = Time::from_nanos(100_000_000 * round as u64 + 100_000_000 * number / segments);
                window.on_segment(now, (SEGMENT, SEGMENT), next, 0);
                window.offer(next, 0);
            }
            (window.edge - next) / SEGMENT
        };
        rounds.iter().enumerate().map(of_round).collect()
    }

    /// By hand. Of 65,535 bytes a buffer of segments of 1000 bytes, 111 in 256, leaves 56,831, where half of it had
    /// been assumed, and the newest segment takes 1000 until it is read. In the third round a whole window of 65,000
    /// bytes has arrived, and the receiver knows a round trip; until then the window stands. Then it opens by two
    /// segments for each one.
    #[test]
    fn the_window_opens_ahead_of_slow_start() {
        let opened = windows(&mut window(65_535, 3 << 20), &[10, 20, 40, 80, 160, 320]);
        // the 65th of the 70 segments completes the window; the five after it open it by ten beyond 64,535 bytes
        assert_eq!(opened[..4], [55, 55, 64 + 2 * 5, 64 + 2 * (5 + 80)]);
        assert!(opened[4] >= 320 && opened[5] >= 640, "{opened:?}");
    }

    /// By hand. All that was read until the first window had arrived, 65 segments, counts as one round trip's, after
    /// one of 10: twice that and 16 segments are 146, and 2 x 146 x 55 / 10 are added for the growth. Of 1752,000 bytes
    /// the newest segment takes 1000.
    #[test]
    fn the_first_round_trip_opens_most() {
        let opened = windows(&mut window(65_535, 3 << 20), &[30; 40]);
        assert_eq!(opened[36..], [1751; 4], "{opened:?}");
    }

    /// The first windows that Linux 6.12 offers in packets of 1500, 1000 and 600 bytes with time stamps, ten segments
    /// in a round trip, in its virtual machine on 10 Mb/s and 40 ms.
    #[test]
    fn the_first_segment_tells_how_much_of_the_buffer_is_for_data() {
        let offered = |segment: u64, count: u64| -> Vec<u64> {
            let limits =
                ReceiveWindow::Linux { initial: ReceiveWindow::INITIAL, max: ReceiveWindow::max(Bytes::new(segment)) };
            let mut window = GrowingWindow::new(&limits, segment, Span::ZERO);
            let arrive = |number: u64| {
                let next = number * segment;
                window.on_segment(Time::from_nanos(1_200_000 * number), (segment, segment), next, 0);
                window.offer(next, 0);
                window.offered
            };
            (1..=count).map(arrive).collect()
        };
        assert_eq!(offered(1448, 8), [67_072, 69_888, 72_832, 75_776, 78_592, 80_512, 80_512, 80_512]);
        assert_eq!(offered(948, 6), [64_512, 63_616, 62_720, 61_824, 60_928, 60_032]);
        assert_eq!(offered(548, 6), [64_768, 64_256, 63_744, 63_232, 62_720, 62_208]);
    }

    #[test]
    fn the_greatest_window_is_kept() {
        let opened = windows(&mut window(65_535, 100_000), &[10, 20, 40, 65, 65, 100, 100, 100, 100]);
        // the newest segment has its place in the buffer, too
        assert_eq!(opened[6..], [99; 3]);
    }

    /// Behind a hole the edge stands, and does not move back though what waits fills the buffer.
    #[test]
    fn the_edge_stands_over_a_hole() {
        let mut window = window(65_535, 3 << 20);
        windows(&mut window, &[10, 20, 40, 80]);
        let (next, edge) = (150 * SEGMENT, window.edge);
        for waiting in 1..100 {
            window.on_waiting(Time::ZERO, (SEGMENT, SEGMENT), waiting * SEGMENT, false);
            window.offer(next, waiting * SEGMENT);
            assert_eq!(window.edge, edge);
        }
        window.on_waiting(Time::ZERO, (SEGMENT, SEGMENT), SEGMENT, true);
        window.offer(next, SEGMENT);
        assert!(window.edge > edge, "with selective acknowledgements it opens");
    }
}
