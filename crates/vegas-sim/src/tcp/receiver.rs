//! The receiver: reassembly, acknowledgements (RFC 9293, section 3.8.6.3; delayed by RFC 5681, section 4.2), and
//! selective acknowledgements (RFC 2018).

use vegas_core::units::{Span, Time};

use super::ecn::EcnReceiver;
use super::linux::LinuxAcks;
use crate::packet::{Ecn, SackBlocks, WireSize};

/// The receiving end of a flow. Its application takes everything at once.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    /// Next byte expected: all before it was delivered in order.
    next: u64,
    /// What did not arrive in order; made when it is first needed.
    disorder: Option<Box<Disorder>>,
    /// Something is received beyond `next`, or has arrived again since the last acknowledgement.
    is_disordered: bool,
    sends_sack: bool,
    /// Whether it reports what arrives again (RFC 2883).
    reports_duplicates: bool,
    ecn: EcnReceiver,
    /// In-order segments that wait for their acknowledgement.
    unacknowledged: u32,
    acks: Acks,
    ack_due: Option<Time>,
    pub(crate) wire_bytes: u64,
    pub(crate) packets: u64,
}

/// When segments in order are acknowledged.
#[derive(Clone, Debug)]
pub(crate) enum Acks {
    AtOnce,
    /// Every second one, and a single one after this time.
    Delayed(Span),
    Linux(Box<LinuxAcks>),
}

/// What did not arrive in order.
#[derive(Clone, Debug, Default)]
struct Disorder {
    /// Received beyond the next byte expected: disjoint ranges `[from, to)`, ascending.
    ranges: Vec<(u64, u64)>,
    /// A byte of each of the ranges changed last, newest first.
    recent: [u64; 3],
    /// What has arrived again since the last acknowledgement.
    duplicate: Option<(u64, u64)>,
}

/// Whether a segment is acknowledged at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AckTiming {
    Now,
    /// By the timer, or with the next segment.
    Later,
}

impl Receiver {
    /// What it holds beside itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let ranges = |disorder: &Disorder| disorder.ranges.capacity() * size_of::<(u64, u64)>();
        let acks = match &self.acks {
            Acks::AtOnce | Acks::Delayed(_) => 0,
            Acks::Linux(_) => size_of::<LinuxAcks>(),
        };
        acks + self.disorder.as_ref().map_or(0, |disorder| size_of::<Disorder>() + ranges(disorder))
    }

    pub(crate) fn new(sends_sack: bool, acks: Acks) -> Self {
        Receiver {
            next: 0,
            disorder: None,
            is_disordered: false,
            sends_sack,
            reports_duplicates: false,
            ecn: EcnReceiver::default(),
            unacknowledged: 0,
            acks,
            ack_due: None,
            wire_bytes: 0,
            packets: 0,
        }
    }

    /// This receiver, reporting what arrives again or not.
    pub(crate) fn reporting_duplicates(self, reports_duplicates: bool) -> Self {
        Receiver { reports_duplicates, ..self }
    }

    /// The next byte expected, which is also how much was delivered in order.
    pub(crate) fn next_expected(&self) -> u64 {
        self.next
    }

    /// When a delayed acknowledgement is due.
    pub(crate) fn ack_due(&self) -> Option<Time> {
        self.ack_due
    }

    /// Takes in a segment `[from, to)`.
    #[inline(always)]
    pub(crate) fn on_data(&mut self, now: Time, from: u64, to: u64, wire: WireSize) -> AckTiming {
        self.wire_bytes += u64::from(wire);
        self.packets += 1;
        // a gap, or a repeated segment, is acknowledged at once (RFC 5681, section 4.2)
        if self.is_disordered || from > self.next || to <= self.next {
            self.on_disorder(from, to);
            return AckTiming::Now;
        }
        let length = to - self.next;
        self.next = to;
        match &mut self.acks {
            Acks::AtOnce => AckTiming::Now,
            Acks::Delayed(delay) => {
                let delay = *delay;
                self.delay_ack(now, delay)
            }
            Acks::Linux(acks) => {
                let timing;
                (timing, self.ack_due) = acks.on_segment(now, length, to, self.ack_due);
                timing
            }
        }
    }

    #[inline(never)]
    fn on_disorder(&mut self, from: u64, to: u64) {
        if let Acks::Linux(acks) = &mut self.acks {
            if to <= self.next {
                acks.on_repeated();
            } else if self.sends_sack {
                acks.grow(to - from);
            }
        }
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

    /// A data packet that ends at byte `to` has these bits, before it is taken in. One that brings nothing new does not
    /// count (RFC 3168, section 6.1.5).
    pub(crate) fn note_ecn(&mut self, to: u64, ecn: Ecn) {
        if to > self.next {
            self.ecn.on_data(ecn);
        }
    }

    /// The bits of an acknowledgement.
    pub(crate) fn ack_ecn(&self) -> Ecn {
        self.ecn.of_ack()
    }

    /// An acknowledgement is being sent: nothing waits for one any more.
    pub(crate) fn acknowledged(&mut self) {
        match &mut self.acks {
            // none ever waits
            Acks::AtOnce => return,
            Acks::Delayed(_) => {}
            Acks::Linux(acks) => acks.acknowledged(self.next),
        }
        self.unacknowledged = 0;
        self.ack_due = None;
    }

    /// A delayed acknowledgement is due.
    pub(crate) fn on_ack_timer(&mut self) {
        if let Acks::Linux(acks) = &mut self.acks {
            acks.on_timer();
        }
    }

    /// At least every second full segment is acknowledged (RFC 5681, section 4.2).
    fn delay_ack(&mut self, now: Time, delay: Span) -> AckTiming {
        self.unacknowledged += 1;
        if self.unacknowledged >= 2 {
            return AckTiming::Now;
        }
        self.ack_due = Some(now + delay);
        AckTiming::Later
    }

    /// Whether an acknowledgement has SACK blocks.
    #[inline]
    pub(crate) fn has_blocks(&self) -> bool {
        self.sends_sack && self.is_disordered
    }

    /// SACK blocks for an acknowledgement, most recently changed range first (RFC 2018, section 4); before them, once,
    /// what has arrived again, and then the range around it (RFC 2883, section 4).
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
    /// Whether anything is left to fill up or to report.
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

    /// Takes in `[from, to)` where it lengthens the last range, and that has changed last: as most of what comes behind a
    /// loss does. Whether it does.
    fn extend_newest(&mut self, from: u64, to: u64) -> bool {
        let newest = self.recent[0];
        let Some((begin, end)) = self.ranges.last_mut() else { return false };
        let extends = *begin <= from && from <= *end && *end < to && *begin <= newest && newest < *end;
        if extends {
            *end = to;
            self.recent[0] = from;
        }
        extends
    }

    /// Merges `[from, to)` into the ranges.
    fn insert(&mut self, from: u64, to: u64) {
        if self.ranges.last().is_none_or(|&(_, end)| end < from) {
            self.ranges.push((from, to));
            return;
        }
        let first = self.ranges.partition_point(|&(_, end)| end < from);
        let last = self.ranges.partition_point(|&(begin, _)| begin <= to);
        if first == last {
            self.ranges.insert(first, (from, to));
        } else {
            let merged = (from.min(self.ranges[first].0), to.max(self.ranges[last - 1].1));
            self.ranges[first] = merged;
            self.ranges.drain(first + 1..last);
        }
    }

    /// Puts the range that has just changed before the others; what was delivered since is forgotten, so that it does
    /// not take the place of a range that still is there.
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

    /// The next byte expected once the application has what has become contiguous with those before `next`.
    fn deliver(&mut self, next: u64) -> u64 {
        match self.ranges.first() {
            Some(&(from, to)) if from <= next => {
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
    use proptest::prelude::*;

    fn take(receiver: &mut Receiver, from: u64, to: u64) -> AckTiming {
        receiver.on_data(Time::ZERO, from, to, WireSize::new(1))
    }

    #[test]
    fn what_was_delivered_hides_no_block() {
        let mut receiver = Receiver::new(true, Acks::AtOnce);
        for (from, to) in [(900, 1000), (600, 700), (400, 500), (200, 300)] {
            take(&mut receiver, from, to);
        }
        // the four ranges that are left never changed again; three of them fit, the newest first
        for (from, to) in [(0, 50), (50, 80), (80, 90), (90, 100)] {
            take(&mut receiver, from, to);
            let blocks: Vec<_> = receiver.sack_blocks().iter().collect();
            assert_eq!(blocks, [(200, 300), (400, 500), (600, 700)]);
        }
        // 200 to 500 go; 900 was forgotten, but is reported now that there is room
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

    /// RFC 2883, section 4: the duplicate once, and before the block around it, or alone below what is acknowledged.
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

    proptest! {
        /// Segments in any order, repeated at will: delivered is always the longest prefix received.
        #[test]
        fn delivers_the_longest_prefix(order in prop::collection::vec(0usize..64, 0..300)) {
            let mut receiver = Receiver::new(true, Acks::AtOnce);
            let mut got = [false; 64];
            for segment in order {
                got[segment] = true;
                take(&mut receiver, segment as u64 * 10, segment as u64 * 10 + 10);
                let prefix = got.iter().take_while(|got| **got).count() as u64 * 10;
                prop_assert_eq!(receiver.next_expected(), prefix);
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
