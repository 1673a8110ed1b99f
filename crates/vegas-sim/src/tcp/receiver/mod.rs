//! The receiver: reassembly, acknowledgements (RFC 9293, section 3.8.6.3; delayed by RFC 5681, section 4.2), and
//! selective acknowledgements (RFC 2018).

mod ack_timing;
mod compression;
mod echo;
mod merging;
mod window;

use vegas_core::units::{Span, Time};

use super::ecn::EcnReceiver;
use crate::packet::{Ecn, SackBlocks, Tick, TimeStamps, WireSize};

use ack_timing::InOrder;
pub(crate) use ack_timing::{AckTiming, LinuxAcks};
use echo::Echo;
pub(crate) use merging::Merged;
use merging::Merging;
pub(crate) use window::GrowingWindow;
use window::Opening;

/// The receiving end of a flow. The application reads data as soon as they arrive in order.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    /// The next byte expected: all bytes before it were delivered in order.
    next: u64,
    /// The data that did not arrive in order; allocated when first needed.
    disorder: Option<Box<Disorder>>,
    /// Whether data beyond `next` were received, or data have arrived again since the last acknowledgement.
    is_disordered: bool,
    sends_sack: bool,
    /// Whether the receiver reports data that arrive again (RFC 2883).
    reports_duplicates: bool,
    ecn: EcnReceiver,
    /// The number of in-order segments that wait for their acknowledgement.
    unacknowledged: u32,
    acks: Acks,
    /// The window, if it grows.
    window: Option<Box<GrowingWindow>>,
    /// The network interface, if it merges segments.
    pub(crate) merging: Option<Box<Merging>>,
    /// What is echoed, if segments have time stamps.
    echo: Option<Box<Echo>>,
    /// When a delayed acknowledgement is due; [`Time::NEVER`] while none is.
    ack_due: Time,
    pub(crate) wire_bytes: u64,
}

/// The rule for the time at which segments in order are acknowledged.
#[derive(Clone, Debug)]
pub(crate) enum Acks {
    AtOnce,
    /// Every second segment is acknowledged, and a single one after this time.
    Delayed(Span),
    Linux(Box<LinuxAcks>),
}

/// The data that did not arrive in order.
#[derive(Clone, Debug, Default)]
struct Disorder {
    /// The data received beyond the next byte expected: disjoint ranges `[from, to)`, ascending.
    ranges: Vec<(u64, u64)>,
    /// The bytes in these ranges.
    bytes: u64,
    /// A byte of each of the ranges that changed last, the newest first.
    recent: [u64; 3],
    /// The range that has arrived again since the last acknowledgement.
    duplicate: Option<(u64, u64)>,
}

impl Receiver {
    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let ranges = |disorder: &Disorder| disorder.ranges.capacity() * size_of::<(u64, u64)>();
        let acks = match &self.acks {
            Acks::AtOnce | Acks::Delayed(_) => 0,
            Acks::Linux(_) => size_of::<LinuxAcks>(),
        };
        let window = self.window.as_ref().map_or(0, |_| size_of::<GrowingWindow>());
        let echo = self.echo.as_ref().map_or(0, |_| size_of::<Echo>());
        let merging = self.merging.as_ref().map_or(0, |_| size_of::<Merging>());
        acks + window
            + echo
            + merging
            + self.disorder.as_ref().map_or(0, |disorder| size_of::<Disorder>() + ranges(disorder))
    }

    pub(crate) fn new(sends_sack: bool, acks: Acks) -> Self {
        Receiver {
            next: 0,
            disorder: None,
            is_disordered: false,
            sends_sack,
            reports_duplicates: false,
            ecn: EcnReceiver::NEW,
            unacknowledged: 0,
            acks,
            window: None,
            merging: None,
            echo: None,
            ack_due: Time::NEVER,
            wire_bytes: 0,
        }
    }

    /// Sets a window that grows.
    pub(crate) fn growing(self, window: GrowingWindow) -> Self {
        Receiver { window: Some(Box::new(window)), ..self }
    }

    /// Sets for how long the network interface holds segments in order to merge them.
    pub(crate) fn merging_for(self, hold: Option<Span>) -> Self {
        Receiver { merging: hold.map(|hold| Box::new(Merging::new(hold))), ..self }
    }

    /// Lets segments have time stamps.
    pub(crate) fn echoing(self) -> Self {
        Receiver { echo: Some(Box::default()), ..self }
    }

    /// Sets whether the receiver reports data that arrive again.
    pub(crate) fn reporting_duplicates(self, reports_duplicates: bool) -> Self {
        Receiver { reports_duplicates, ..self }
    }

    /// The next byte expected, which is also the number of bytes delivered in order.
    pub(crate) fn next_expected(&self) -> u64 {
        self.next
    }

    /// The number of bytes that have arrived, in order or not.
    pub(crate) fn received(&self) -> u64 {
        self.next + self.waiting()
    }

    /// When a delayed acknowledgement is due.
    pub(crate) fn ack_due(&self) -> Option<Time> {
        (self.ack_due != Time::NEVER).then_some(self.ack_due)
    }

    /// Counts a segment that arrives.
    #[inline(always)]
    pub(crate) fn count(&mut self, wire: WireSize) {
        self.wire_bytes += u64::from(wire);
    }

    /// Returns whether the network interface holds segments.
    pub(crate) fn holds_segments(&self) -> bool {
        self.merging.as_ref().is_some_and(|merging| merging.due().is_some())
    }

    /// When the receiver acts by itself: its interface passes on what it holds, or an acknowledgement is due.
    pub(crate) fn due(&self) -> Option<Time> {
        let held = self.merging.as_ref().and_then(|merging| merging.due());
        [held, self.ack_due()].into_iter().flatten().min()
    }

    /// Takes in that a SYN was answered.
    pub(crate) fn on_syn(&mut self, now: Time) {
        if let Acks::Linux(acks) = &mut self.acks {
            acks.compression.on_syn(now);
        }
    }

    /// Takes in the end of the handshake; the first data say as much.
    pub(crate) fn on_established(&mut self, now: Time) {
        if let Acks::Linux(acks) = &mut self.acks {
            acks.compression.on_established(now);
        }
    }

    /// Takes in `[from, to)`, a segment or several of `segment` bytes that the interface has merged, with PSH if
    /// `pushed`; returns whether it is acknowledged at once.
    pub(crate) fn on_data(&mut self, now: Time, (from, to): (u64, u64), segment: u64, pushed: bool) -> AckTiming {
        let length = to.saturating_sub(self.next);
        if !self.take_in(now, from, to, segment) {
            return self.report(now, length > 0);
        }
        let window = self.opening();
        let was_due = self.ack_due();
        match &mut self.acks {
            Acks::AtOnce => AckTiming::Now,
            Acks::Delayed(delay) => {
                let delay = *delay;
                self.delay_ack(now, delay, length.div_ceil(segment))
            }
            Acks::Linux(acks) => {
                let in_order = InOrder { length: length.min(segment), next: to, pushed };
                let (timing, due) = acks.on_segment(now, in_order, window, was_due);
                self.ack_due = due.unwrap_or(Time::NEVER);
                timing
            }
        }
    }

    /// Returns when a segment out of order is reported, which `ends_beyond` the byte that was expected.
    fn report(&mut self, now: Time, ends_beyond: bool) -> AckTiming {
        let (next, ranges, due) = (self.next, self.ranges(), self.ack_due());
        // what comes again, or fills the last hole, is acknowledged at once (`tcp_data_queue`)
        if !self.sends_sack || ranges == 0 || !ends_beyond {
            return AckTiming::Now;
        }
        let window = (self.opening(), self.window.as_ref().and_then(|window| window.round_trip()));
        let Acks::Linux(acks) = &mut self.acks else { return AckTiming::Now };
        // a timer that runs is stopped where the acknowledgement leaves
        let Some(due) = acks.on_disorder(now, (next, ranges), window, due) else { return AckTiming::Now };
        self.ack_due = due;
        AckTiming::Later
    }

    /// Takes in a segment `[from, to)`, or several of `segment` bytes; returns whether it came in order.
    #[inline(always)]
    pub(crate) fn take_in(&mut self, now: Time, from: u64, to: u64, segment: u64) -> bool {
        // a gap, or a repeated segment, is acknowledged at once (RFC 5681, section 4.2)
        if self.is_disordered || from > self.next || to <= self.next {
            self.on_disorder(now, from, to, segment);
            return false;
        }
        if let Some(window) = &mut self.window {
            window.on_segment(now, (to - self.next, segment), to, 0);
        }
        self.next = to;
        true
    }

    #[inline(never)]
    fn on_disorder(&mut self, now: Time, from: u64, to: u64, segment: u64) {
        let (next, ranges) = (self.next, self.ranges());
        self.take_in_disorder(from, to);
        let (waiting, begins_range) = (self.waiting(), self.ranges() > ranges);
        if let Some(window) = &mut self.window {
            match (self.next > next, to > next) {
                (true, _) => window.on_segment(now, (to - from, segment), self.next, waiting),
                (false, true) => {
                    // one that continues no range is charged after the window has opened (`tcp_data_queue_ofo`)
                    let charged = if begins_range { waiting - (to - from) } else { waiting };
                    window.on_waiting(now, (to - from, segment), charged, self.sends_sack);
                }
                (false, false) => window.read_before(now),
            }
        }
        let window = self.opening();
        if let Acks::Linux(acks) = &mut self.acks {
            match (self.next > next, to > next) {
                (true, _) => {
                    let length = (to - from).min(segment);
                    acks.on_progress(now, InOrder { length, next: to, pushed: false }, window);
                }
                (false, true) => acks.note_growth(window),
                (false, false) => acks.on_repeated(window),
            }
        }
    }

    /// What the newest segment made of the window; of one that does not grow, nothing.
    fn opening(&self) -> Opening {
        self.window.as_ref().map_or(Opening::default(), |window| window.opening(self.waiting()))
    }

    /// The number of ranges that wait behind holes.
    fn ranges(&self) -> usize {
        self.disorder.as_ref().map_or(0, |disorder| disorder.ranges.len())
    }

    /// The bytes that wait behind a hole.
    fn waiting(&self) -> u64 {
        self.disorder.as_ref().map_or(0, |disorder| disorder.bytes)
    }

    fn take_in_disorder(&mut self, from: u64, to: u64) {
        let disorder = self.disorder.get_or_insert_default();
        if self.reports_duplicates && (to <= self.next || disorder.range_of(from).is_some_and(|(_, end)| to <= end)) {
            disorder.duplicate = Some((from, to));
        }
        if disorder.extend_newest(from, to) {
            return;
        }
        if to > self.next {
            disorder.insert(from.max(self.next), to);
            self.next = disorder.deliver(self.next);
            disorder.remember(from);
        }
        self.is_disordered = disorder.is_left();
    }

    /// Takes in the ECN bits of a data packet, or of `segments` that were merged, which end at byte `to`, before the
    /// data. A packet without new data is not echoed (RFC 3168, section 6.1.5), but counted (RFC 9768, section 3.2.2).
    pub(crate) fn note_ecn(&mut self, to: u64, ecn: Ecn, segments: u64) {
        self.ecn.count(ecn, segments);
        if to > self.next {
            self.ecn.on_data(ecn);
        }
    }

    /// Takes in the time stamps of a segment `[from, to)`, before its data.
    pub(crate) fn note_time_stamps(&mut self, now: Time, (from, to): (u64, u64), stamps: TimeStamps) {
        let Some(echo) = &mut self.echo else { return };
        echo.on_segment(from, stamps.value);
        if let Some(window) = &mut self.window
            && let Some(age) = stamps.echo.age(now).filter(|_| echo.is_returned(stamps.echo))
        {
            window.on_returned(age, to - from);
        }
    }

    /// Returns the time stamps of an acknowledgement that leaves now; without them, none.
    pub(crate) fn time_stamps(&mut self, now: Time) -> TimeStamps {
        let Some(echo) = &mut self.echo else { return TimeStamps::NONE };
        echo.acknowledged(self.next);
        TimeStamps { value: Tick::at(now), echo: echo.recent() }
    }

    /// Returns the window that an acknowledgement offers, in the receiver's unit; 0 if it offers none.
    #[inline]
    pub(crate) fn offer(&mut self) -> u16 {
        match &self.window {
            None => 0,
            Some(_) => self.offer_of_growing(),
        }
    }

    #[inline(never)]
    fn offer_of_growing(&mut self) -> u16 {
        let (next, waiting) = (self.next, self.waiting());
        self.window.as_mut().map_or(0, |window| window.offer(next, waiting))
    }

    /// Returns the ECN bits of an acknowledgement.
    pub(crate) fn ack_ecn(&self) -> Ecn {
        self.ecn.of_ack()
    }

    /// Returns the count of marked packets for Accurate ECN.
    pub(crate) fn marked(&self) -> u8 {
        self.ecn.counted()
    }

    /// Records that an acknowledgement is being sent, after which no segment waits for one.
    pub(crate) fn acknowledged(&mut self) {
        match &mut self.acks {
            // no acknowledgement ever waits
            Acks::AtOnce => return,
            Acks::Delayed(_) => {}
            Acks::Linux(acks) => acks.acknowledged(self.next),
        }
        self.unacknowledged = 0;
        self.ack_due = Time::NEVER;
    }

    /// Handles the timer of a delayed acknowledgement.
    pub(crate) fn on_ack_timer(&mut self, now: Time) {
        if let Some(window) = &mut self.window {
            window.read_by(now);
        }
        if let Acks::Linux(acks) = &mut self.acks {
            acks.on_timer();
        }
    }

    /// Delays an acknowledgement, but acknowledges at least every second full segment (RFC 5681, section 4.2).
    fn delay_ack(&mut self, now: Time, delay: Span, segments: u64) -> AckTiming {
        self.unacknowledged += segments as u32;
        if self.unacknowledged >= 2 {
            return AckTiming::Now;
        }
        self.ack_due = now + delay;
        AckTiming::Later
    }

    /// Returns whether an acknowledgement has SACK blocks.
    #[inline]
    pub(crate) fn has_blocks(&self) -> bool {
        self.sends_sack && self.is_disordered
    }

    /// Returns the SACK blocks of an acknowledgement, the most recently changed range first (RFC 2018, section 4). A
    /// duplicate comes before them, once, followed by the range around it (RFC 2883, section 4).
    pub(crate) fn sack_blocks(&mut self) -> SackBlocks {
        match &mut self.disorder {
            Some(disorder) if self.sends_sack && self.is_disordered => {
                let sack = disorder.blocks();
                self.is_disordered = disorder.is_left();
                sack
            }
            _ => SackBlocks::default(),
        }
    }
}

impl Disorder {
    /// Returns whether ranges or a duplicate remain.
    fn is_left(&self) -> bool {
        !self.ranges.is_empty() || self.duplicate.is_some()
    }

    fn blocks(&mut self) -> SackBlocks {
        let mut sack = SackBlocks::default();
        let duplicate = self.duplicate.take();
        if let Some(duplicate) = duplicate {
            (sack.blocks[0], sack.count) = (duplicate, 1);
        }
        let (first, most) = (usize::from(sack.count), sack.blocks.len());
        let mut report = |range| {
            let count = usize::from(sack.count);
            if count < most && !sack.blocks[first..count].contains(&range) {
                sack.blocks[count] = range;
                sack.count += 1;
            }
        };
        if let Some(around) = duplicate.and_then(|(from, _)| self.range_of(from)) {
            report(around);
        }
        for byte in self.recent {
            if let Some(range) = self.range_of(byte) {
                report(range);
            }
        }
        // "as many distinct SACK blocks as possible": the oldest ranges where fewer than three have changed
        self.ranges.iter().take(most).for_each(|&range| report(range));
        sack
    }

    fn range_of(&self, byte: u64) -> Option<(u64, u64)> {
        let &last = self.ranges.last()?;
        if last.0 <= byte {
            return (byte < last.1).then_some(last);
        }
        let after = self.ranges.partition_point(|&(from, _)| from <= byte);
        let range = *self.ranges.get(after.checked_sub(1)?)?;
        (byte < range.1).then_some(range)
    }

    /// Takes in `[from, to)` if it extends the last range, and that range changed last, as is the case for most data
    /// behind a loss; returns whether it did.
    fn extend_newest(&mut self, from: u64, to: u64) -> bool {
        let newest = self.recent[0];
        let Some((begin, end)) = self.ranges.last_mut() else { return false };
        let extends = *begin <= from && from <= *end && *end < to && *begin <= newest && newest < *end;
        if extends {
            self.bytes += to - *end;
            *end = to;
            self.recent[0] = from;
        }
        extends
    }

    /// Merges `[from, to)` into the ranges.
    fn insert(&mut self, from: u64, to: u64) {
        if self.ranges.last().is_none_or(|&(_, end)| end < from) {
            self.ranges.push((from, to));
            self.bytes += to - from;
            return;
        }
        let first = self.ranges.partition_point(|&(_, end)| end < from);
        let last = self.ranges.partition_point(|&(begin, _)| begin <= to);
        if first == last {
            self.ranges.insert(first, (from, to));
            self.bytes += to - from;
        } else {
            let merged = (from.min(self.ranges[first].0), to.max(self.ranges[last - 1].1));
            let held: u64 = self.ranges[first..last].iter().map(|(from, to)| to - from).sum();
            self.bytes += merged.1 - merged.0 - held;
            self.ranges[first] = merged;
            self.ranges.drain(first + 1..last);
        }
    }

    /// Puts the range that has just changed before the others. Ranges delivered since are discarded, so that they do
    /// not take the place of a range that still exists.
    fn remember(&mut self, byte: u64) {
        let Some(changed) = self.range_of(byte) else { return };
        let mut recent = [byte; 3];
        let mut ranges = [changed; 3];
        let mut count = 1;
        for known in self.recent {
            if let Some(range) = self.range_of(known)
                && count < 3
                && !ranges[..count].contains(&range)
            {
                (recent[count], ranges[count]) = (known, range);
                count += 1;
            }
        }
        self.recent = recent;
    }

    /// Takes the range that is contiguous with the bytes before `next`, if there is one; returns the next byte expected
    /// after it.
    fn deliver(&mut self, next: u64) -> u64 {
        match self.ranges.first() {
            Some(&(from, to)) if from <= next => {
                self.bytes -= to - from;
                self.ranges.remove(0);
                to
            }
            _ => next,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::ReceiveWindow;
    use proptest::prelude::*;
    use vegas_core::ticks::Clock;
    use vegas_core::units::Segments;

    fn take(receiver: &mut Receiver, from: u64, to: u64) -> AckTiming {
        receiver.on_data(Time::ZERO, (from, to), to - from, false)
    }

    #[test]
    fn what_was_delivered_hides_no_block() {
        let mut receiver = Receiver::new(true, Acks::AtOnce);
        for (from, to) in [(900, 1000), (600, 700), (400, 500), (200, 300)] {
            take(&mut receiver, from, to);
        }
        // the four remaining ranges never changed again; three of them fit, the newest first
        for (from, to) in [(0, 50), (50, 80), (80, 90), (90, 100)] {
            take(&mut receiver, from, to);
            let blocks: Vec<_> = receiver.sack_blocks().iter().collect();
            assert_eq!(blocks, [(200, 300), (400, 500), (600, 700)]);
        }
        // 200 to 500 are delivered; 900 had no room among the recent ranges, and is reported now that there is room
        take(&mut receiver, 100, 200);
        take(&mut receiver, 300, 400);
        assert_eq!(receiver.next_expected(), 500);
        assert_eq!(receiver.sack_blocks().iter().collect::<Vec<_>>(), [(600, 700), (900, 1000)]);
    }

    #[test]
    fn newest_block_comes_first() {
        let mut receiver = Receiver::new(true, Acks::AtOnce);
        for (from, to) in [(100, 200), (300, 400), (500, 600), (700, 800)] {
            take(&mut receiver, from, to);
        }
        assert_eq!(receiver.sack_blocks().iter().collect::<Vec<_>>(), [(700, 800), (500, 600), (300, 400)]);
        take(&mut receiver, 200, 300);
        assert_eq!(receiver.sack_blocks().iter().collect::<Vec<_>>(), [(100, 400), (700, 800), (500, 600)]);
        take(&mut receiver, 0, 100);
        assert_eq!(receiver.next_expected(), 400);
        assert_eq!(receiver.sack_blocks().iter().collect::<Vec<_>>(), [(700, 800), (500, 600)]);
    }

    /// RFC 2883, section 4: the duplicate is reported once, before the block around it, or alone below what is
    /// acknowledged.
    #[test]
    fn a_duplicate_is_reported_once_and_first() {
        let mut receiver = Receiver::new(true, Acks::AtOnce).reporting_duplicates(true);
        for (from, to) in [(0, 100), (200, 300), (300, 400), (500, 600)] {
            take(&mut receiver, from, to);
        }
        take(&mut receiver, 200, 300);
        assert_eq!(receiver.sack_blocks().iter().collect::<Vec<_>>(), [(200, 300), (200, 400), (500, 600)]);
        assert_eq!(receiver.sack_blocks().iter().collect::<Vec<_>>(), [(200, 400), (500, 600)]);
        take(&mut receiver, 500, 600);
        assert_eq!(receiver.sack_blocks().iter().collect::<Vec<_>>(), [(500, 600), (500, 600), (200, 400)]);
        take(&mut receiver, 100, 200);
        take(&mut receiver, 400, 500);
        take(&mut receiver, 0, 100);
        assert_eq!(receiver.sack_blocks().iter().collect::<Vec<_>>(), [(0, 100)]);
        assert_eq!(receiver.sack_blocks().count, 0);
    }

    #[test]
    fn every_second_segment_is_acknowledged() {
        let mut receiver = Receiver::new(false, Acks::Delayed(Span::from_millis(200)));
        assert_eq!(take(&mut receiver, 0, 100), AckTiming::Later);
        assert_eq!(receiver.ack_due(), Some(Time::from_nanos(200_000_000)));
        assert_eq!(take(&mut receiver, 100, 200), AckTiming::Now);
        receiver.acknowledged();
        assert_eq!(receiver.ack_due(), None);
        assert_eq!(take(&mut receiver, 300, 400), AckTiming::Now); // a gap
        assert_eq!(take(&mut receiver, 100, 200), AckTiming::Now); // a repeat
    }

    /// A receiver on Linux with a window that does not grow.
    fn on_linux() -> Receiver {
        let acks = LinuxAcks::new(Span::from_millis(200), Clock::new(250), true);
        let window = GrowingWindow::new(&ReceiveWindow::Constant(Segments(65)), 1000, Span::ZERO);
        Receiver::new(true, Acks::Linux(Box::new(acks))).growing(window)
    }

    /// Returns whether the segment of 1000 bytes with this number is acknowledged at once, where one comes each
    /// millisecond.
    fn at_once(receiver: &mut Receiver, number: u64) -> bool {
        let at = Time::from_nanos(1_000_000 * number);
        let at_once = receiver.on_data(at, (1000 * number, 1000 * (number + 1)), 1000, false) == AckTiming::Now;
        if at_once {
            receiver.acknowledged();
        }
        at_once
    }

    /// On Linux the segment that fills the first hole begins the 16 acknowledgements that are sent at once, itself the
    /// first of them.
    #[test]
    fn a_hole_that_is_filled_begins_quick_acknowledgements() {
        let mut receiver = on_linux();
        assert!(at_once(&mut receiver, 1) && at_once(&mut receiver, 0));
        assert_eq!((2..).take_while(|&number| at_once(&mut receiver, number)).count(), 15);
    }

    /// What sends the acknowledgement has the timer to stop.
    #[test]
    fn a_segment_beyond_a_hole_leaves_the_timer() {
        let mut receiver = on_linux();
        let waits = (0..).find(|&number| !at_once(&mut receiver, number)).expect("one that waits");
        let due = receiver.ack_due();
        assert_eq!(take(&mut receiver, 1000 * (waits + 2), 1000 * (waits + 3)), AckTiming::Now);
        assert!(due.is_some() && receiver.ack_due() == due);
        receiver.acknowledged();
        assert_eq!(receiver.ack_due(), None);
    }

    proptest! {
        /// Segments arrive in any order, and repeatedly: the receiver always delivers the longest prefix received.
        #[test]
        fn delivers_the_longest_prefix(order in prop::collection::vec(0usize..64, 0..300)) {
            let mut receiver = Receiver::new(true, Acks::AtOnce);
            let mut got = [false; 64];
            for segment in order {
                got[segment] = true;
                take(&mut receiver, segment as u64 * 10, segment as u64 * 10 + 10);
                let prefix = got.iter().take_while(|got| **got).count() as u64 * 10;
                prop_assert_eq!(receiver.next_expected(), prefix);
                prop_assert_eq!(receiver.received(), got.iter().filter(|got| **got).count() as u64 * 10);
                let ranges = (1..64).filter(|&at| got[at] && !got[at - 1] && at as u64 * 10 > prefix).count();
                prop_assert_eq!(receiver.sack_blocks().iter().count(), ranges.min(3));
                for (from, to) in receiver.sack_blocks().iter() {
                    prop_assert!(prefix < from && from < to);
                    prop_assert!(got[(from / 10) as usize..(to / 10) as usize].iter().all(|got| *got));
                }
            }
        }
    }
}
