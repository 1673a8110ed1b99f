//! The sender's record of its outstanding segments: when and how often each was sent, and with SACK which of them
//! arrived, are lost, or were retransmitted (RFC 6675, sections 2 and 4). It takes constant time per segment.

use vegas_core::units::{Segments, Time};

use crate::util::ring::Ring;

/// The SACK blocks of an acknowledgement, in segments `[from, to)`; those that it lacks are empty.
pub(crate) type Blocks = [(u64, u64); 3];

/// The outstanding segments, from the oldest unacknowledged one to the newest ever sent.
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    /// The number of the first entry: the oldest unacknowledged segment.
    una: u64,
    /// The next segment to send, unless a lost one is retransmitted; [`Self::rewind`] sets it back.
    next: u64,
    entries: Ring<Entry>,
    /// Segments below this have been checked for loss.
    judged: u64,
    /// No lost segment below this one waits for its retransmission.
    retransmit_from: u64,
    /// No segment from this one on was found lost.
    lost_end: u64,
    /// The number of segments estimated to be in the network (RFC 6675, section 4, SetPipe).
    pipe: u64,
    /// The number of outstanding segments that were reported received.
    sacked: u64,
    dup_threshold: u32,
    /// The number of losses found so far; a segment counts each time it is found lost. Modulo 2^32.
    found_lost: u32,
    /// The selective acknowledgements so far; `None` before the first, unless lost segments are recorded.
    reported: Option<Box<Reported>>,
}

/// The state from selective acknowledgements.
#[derive(Clone, Debug, Default)]
struct Reported {
    /// The highest segments reported received, descending: three of them above a segment mean that it is lost. A
    /// segment that is acknowledged stays until higher ones take its place; nothing is outstanding below it.
    highest: Vec<u64>,
    /// The blocks of the previous acknowledgement, in segments.
    blocks: Blocks,
    /// The segments found lost since the last call of `take_lost`; present only for a control that asks for them.
    lost: Option<Vec<u64>>,
}

/// One outstanding segment: when it was last sent, in ns, above four marks. A run lasts 100 days at most, so 60 bits
/// suffice. A segment of which nothing but its departure is known has no mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry(u64);

impl Entry {
    /// The segment was reported received.
    const SACKED: u64 = 1;
    /// The segment was found lost.
    const LOST: u64 = 1 << 1;
    /// The segment was retransmitted since it was found lost.
    const RETRANSMITTED: u64 = 1 << 2;
    /// The segment was sent more than once.
    const REPEATED: u64 = 1 << 3;
    const MARKS: u32 = 4;

    fn new(sent: Time) -> Self {
        Entry(sent.as_nanos() << Self::MARKS)
    }

    /// When the segment was last sent.
    pub(crate) fn sent(self) -> Time {
        Time::from_nanos(self.0 >> Self::MARKS)
    }

    /// Returns whether the segment was sent more than once.
    pub(crate) fn is_repeated(self) -> bool {
        self.has(Self::REPEATED)
    }

    /// When the segment was sent, if it was sent only once.
    pub(crate) fn sent_once(self) -> Option<Time> {
        (!self.is_repeated()).then(|| self.sent())
    }

    /// Returns whether the segment was reported received.
    pub(crate) fn is_sacked(self) -> bool {
        self.has(Self::SACKED)
    }

    /// Returns whether the segment was sent once and no report of it came, as is true of most segments until they are
    /// acknowledged.
    fn is_plain(self) -> bool {
        self.0 & ((1 << Self::MARKS) - 1) == 0
    }

    fn has(self, mark: u64) -> bool {
        self.0 & mark != 0
    }

    fn set(&mut self, mark: u64, to: bool) {
        self.0 = if to { self.0 | mark } else { self.0 & !mark };
    }

    fn send_again(&mut self, now: Time) {
        let kept = self.0 & (Self::SACKED | Self::LOST);
        *self = Entry(Entry::new(now).0 | kept | Self::RETRANSMITTED | Self::REPEATED);
    }

    /// Returns whether the segment was found lost, has not been received, and was not retransmitted since.
    fn needs_repair(self) -> bool {
        self.0 & (Self::SACKED | Self::LOST | Self::RETRANSMITTED) == Self::LOST
    }

    /// The number of copies of the segment that count as in the network.
    fn in_pipe(self) -> u64 {
        match self.has(Self::SACKED) {
            true => 0,
            false => u64::from(!self.has(Self::LOST)) + u64::from(self.has(Self::RETRANSMITTED)),
        }
    }
}

impl Reported {
    fn memory_bytes(&self) -> usize {
        let lost = self.lost.as_ref().map_or(0, |lost| lost.capacity() * size_of::<u64>());
        size_of::<Reported>() + lost
    }
}

impl Scoreboard {
    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.entries.memory_bytes() + self.reported.as_ref().map_or(0, |reported| reported.memory_bytes())
    }

    pub(crate) fn new(dup_threshold: u32) -> Self {
        Scoreboard {
            una: 0,
            next: 0,
            entries: Ring::default(),
            judged: 0,
            retransmit_from: 0,
            lost_end: 0,
            pipe: 0,
            sacked: 0,
            dup_threshold,
            found_lost: 0,
            reported: None,
        }
    }

    /// The oldest unacknowledged segment.
    pub(crate) fn una(&self) -> u64 {
        self.una
    }

    /// One past the newest segment ever sent.
    pub(crate) fn max(&self) -> u64 {
        self.una + self.entries.len() as u64
    }

    /// The next segment to send, unless a lost one is retransmitted.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// The number of segments that were sent and not acknowledged, whatever SACK reports of them; after
    /// [`Self::rewind`] of those before the next one only. An algorithm's rounds count these, so that a round's window
    /// and the segments sent in it are counts of one kind.
    pub(crate) fn unacknowledged(&self) -> Segments {
        Segments(self.next.saturating_sub(self.una) as u32)
    }

    /// The number of segments from the oldest unacknowledged one to the newest ever sent.
    pub(crate) fn outstanding(&self) -> u64 {
        self.entries.len() as u64
    }

    /// The number of segments estimated to be in the network.
    pub(crate) fn pipe(&self) -> u64 {
        self.pipe
    }

    /// The number of outstanding segments that were reported received.
    pub(crate) fn sacked(&self) -> u64 {
        self.sacked
    }

    /// The numbers of outstanding segments that count as lost, and of those retransmitted since; without the ones that
    /// were reported received.
    pub(crate) fn lost_and_retransmitted(&self) -> (u64, u64) {
        let missing = || self.entries.iter().filter(|entry| !entry.has(Entry::SACKED));
        let count = |mark: u64| missing().filter(|entry| entry.has(mark)).count() as u64;
        (count(Entry::LOST), count(Entry::RETRANSMITTED))
    }

    /// The number of outstanding segments that were found lost and retransmitted since.
    pub(crate) fn repairs_in_flight(&self) -> u64 {
        let repaired = Entry::LOST | Entry::RETRANSMITTED;
        self.entries.iter().filter(|entry| entry.0 & (repaired | Entry::SACKED) == repaired).count() as u64
    }

    /// The number of losses found so far; a segment counts each time it is found lost. Modulo 2^32.
    pub(crate) fn found_lost(&self) -> u32 {
        self.found_lost
    }

    /// Starts to record which segments are found lost.
    pub(crate) fn keep_lost(&mut self) {
        self.reported().lost = Some(Vec::new());
    }

    /// Takes the segments found lost since the last call, in the order in which they were found.
    pub(crate) fn take_lost(&mut self) -> Vec<u64> {
        self.lost_since().map(std::mem::take).unwrap_or_default()
    }

    fn lost_since(&mut self) -> Option<&mut Vec<u64>> {
        self.reported.as_mut()?.lost.as_mut()
    }

    fn count_lost(&mut self, segment: u64) {
        self.found_lost = self.found_lost.wrapping_add(1);
        if let Some(lost) = self.lost_since() {
            lost.push(segment);
        }
    }

    pub(crate) fn entry(&self, segment: u64) -> Option<Entry> {
        self.entries.get(segment.checked_sub(self.una)? as usize).copied()
    }

    fn entry_mut(&mut self, segment: u64) -> &mut Entry {
        self.entries.get_mut((segment - self.una) as usize).expect("the segment is outstanding")
    }

    /// Records that a segment is sent for the first time, the one after the newest; [`Self::advance`] follows once all
    /// segments of a burst are sent.
    #[inline(always)]
    pub(crate) fn on_first_transmission(&mut self, now: Time) {
        self.entries.push_back(Entry::new(now));
        self.pipe += 1;
    }

    /// Makes `next` the next segment to send.
    pub(crate) fn advance(&mut self, next: u64) {
        self.next = next;
    }

    /// Records that a segment is retransmitted.
    pub(crate) fn on_retransmission(&mut self, segment: u64, now: Time) {
        let entry = self.entry_mut(segment);
        let before = entry.in_pipe();
        entry.send_again(now);
        let after = entry.in_pipe();
        self.pipe = self.pipe - before + after;
        self.next += u64::from(segment == self.next);
    }

    /// Sets the next segment to send back to the oldest unacknowledged one: without SACK a timeout sends everything
    /// again.
    pub(crate) fn rewind(&mut self) {
        self.next = self.una;
    }

    /// Removes the oldest segment, which is acknowledged, if it was sent once and no report of it came; returns when it
    /// was sent.
    #[inline(always)]
    pub(crate) fn take_oldest_if_plain(&mut self) -> Option<Time> {
        let entry = *self.entries.front()?;
        if !entry.is_plain() {
            return None;
        }
        self.entries.drop_front();
        self.pipe -= 1;
        self.una += 1;
        self.next = self.next.max(self.una);
        Some(entry.sent())
    }

    /// Removes the segments before `una`, which are acknowledged, and calls `seen` with each.
    pub(crate) fn on_ack(&mut self, una: u64, mut seen: impl FnMut(u64, Entry)) {
        while self.una < una {
            let segment = self.una;
            let Some(entry) = self.take_oldest() else { return };
            seen(segment, entry);
        }
        self.next = self.next.max(una);
    }

    fn take_oldest(&mut self) -> Option<Entry> {
        let entry = self.entries.pop_front()?;
        self.pipe -= entry.in_pipe();
        self.sacked -= u64::from(entry.has(Entry::SACKED));
        self.una += 1;
        Some(entry)
    }

    /// Takes `count` segments out of the pipe, but never all of them: without selective acknowledgements a duplicate
    /// shows that a segment has arrived, but not which. Returns the number taken.
    pub(crate) fn assume_received(&mut self, count: u64) -> u64 {
        let assumed = count.min(self.pipe).min((self.entries.len() as u64).saturating_sub(1));
        self.pipe -= assumed;
        assumed
    }

    /// Puts back the segments that [`Self::assume_received`] took.
    pub(crate) fn forget_assumed(&mut self, assumed: u64) {
        self.pipe += assumed;
    }

    /// Marks the segments of an acknowledgement's blocks as received, and calls `seen` with each that was not marked
    /// before, from the oldest on, while the newest block comes first in the option (`tcp_sacktag_write_queue` sorts
    /// them, too); returns whether there was any.
    pub(crate) fn on_sack(&mut self, mut blocks: Blocks, seen: &mut impl FnMut(u64, Entry)) -> bool {
        blocks.sort_unstable();
        let known = std::mem::replace(&mut self.reported().blocks, blocks);
        let mut news = false;
        for (from, to) in blocks {
            // a block mostly repeats one of the acknowledgement before: only what it adds is looked at
            let repeats =
                |&(known_from, known_to): &(u64, u64)| from <= known_from && known_from < known_to && known_to <= to;
            let (known_from, known_to) = known.into_iter().find(repeats).unwrap_or((to, to));
            for (from, to) in [(from, known_from), (known_to, to)] {
                if from < to {
                    news |= self.mark_sacked(from, to, seen);
                }
            }
        }
        news
    }

    fn mark_sacked(&mut self, from: u64, to: u64, seen: &mut impl FnMut(u64, Entry)) -> bool {
        let mut news = false;
        for segment in from.max(self.una)..to.min(self.max()) {
            let entry = self.entry_mut(segment);
            if entry.has(Entry::SACKED) {
                continue;
            }
            let before = entry.in_pipe();
            seen(segment, *entry);
            entry.set(Entry::SACKED, true);
            self.pipe -= before;
            self.sacked += 1;
            news = true;
            self.note_sacked(segment);
        }
        news
    }

    fn note_sacked(&mut self, segment: u64) {
        let dup_threshold = self.dup_threshold as usize;
        let highest = &mut self.reported().highest;
        let at = highest.partition_point(|&known| known > segment);
        highest.insert(at, segment);
        highest.truncate(dup_threshold);
    }

    fn reported(&mut self) -> &mut Reported {
        self.reported.get_or_insert_default()
    }

    /// Marks as lost every segment with enough later ones received (RFC 6675, IsLost); returns whether the oldest
    /// segment is lost.
    pub(crate) fn judge(&mut self) -> bool {
        if let Some(reported) = &self.reported
            && reported.highest.len() == self.dup_threshold as usize
            && let Some(&edge) = reported.highest.last()
        {
            for segment in self.judged.max(self.una)..edge {
                self.mark_lost(segment);
            }
            self.judged = self.judged.max(edge);
        }
        self.entries.front().is_some_and(|oldest| oldest.has(Entry::LOST))
    }

    /// Marks a segment as lost, unless it was received.
    pub(crate) fn mark_lost(&mut self, segment: u64) {
        if segment < self.una || segment >= self.max() {
            return;
        }
        let entry = self.entry_mut(segment);
        if entry.has(Entry::SACKED | Entry::LOST) {
            return;
        }
        let before = entry.in_pipe();
        entry.set(Entry::LOST, true);
        let after = entry.in_pipe();
        self.count_lost(segment);
        self.pipe = self.pipe - before + after;
        self.retransmit_from = self.retransmit_from.min(segment);
        self.lost_end = self.lost_end.max(segment + 1);
    }

    /// Marks the newest copy of a segment as lost, also if it is a retransmission; returns whether it was one.
    pub(crate) fn lose(&mut self, segment: u64) -> bool {
        let entry = self.entry_mut(segment);
        let (before, again) = (entry.in_pipe(), entry.has(Entry::RETRANSMITTED));
        entry.set(Entry::LOST, true);
        entry.set(Entry::RETRANSMITTED, false);
        let after = entry.in_pipe();
        self.count_lost(segment);
        self.pipe = self.pipe - before + after;
        self.retransmit_from = self.retransmit_from.min(segment);
        self.lost_end = self.lost_end.max(segment + 1);
        again
    }

    /// The segments of which the newest copy may still arrive, each after the time at which that left.
    pub(crate) fn in_network(&self) -> impl Iterator<Item = (Time, u64)> + '_ {
        let entries = self.entries.iter().zip(self.una..).filter(|(entry, _)| entry.in_pipe() > 0);
        entries.map(|(entry, segment)| (entry.sent(), segment))
    }

    /// Returns whether the copy of a segment that was sent at `sent` may still arrive.
    pub(crate) fn waits(&self, segment: u64, sent: Time) -> bool {
        let waits = |entry: Entry| entry.in_pipe() > 0 && entry.sent() == sent;
        self.entry(segment).is_some_and(waits)
    }

    /// The oldest segment that was found lost and has not arrived, whether or not it was retransmitted.
    pub(crate) fn oldest_lost(&self) -> Option<u64> {
        let lost = |segment: &u64| {
            self.entry(*segment).is_some_and(|entry| entry.has(Entry::LOST) && !entry.has(Entry::SACKED))
        };
        (self.una..self.lost_end).find(lost)
    }

    /// Unmarks all lost segments, because nothing was lost.
    pub(crate) fn none_lost(&mut self) {
        for entry in self.entries.iter_mut() {
            entry.set(Entry::LOST, false);
        }
        self.pipe = self.entries.iter().map(|entry| entry.in_pipe()).sum();
        self.lost_end = self.una;
    }

    /// Marks as lost, after a timeout, everything that was not reported received (RFC 6675, section 5.1); earlier
    /// retransmissions count as lost, too.
    pub(crate) fn on_timeout(&mut self) {
        let mut lost = self.reported.as_mut().and_then(|reported| reported.lost.as_mut());
        for (segment, entry) in (self.una..).zip(self.entries.iter_mut()) {
            let is_new = !entry.has(Entry::SACKED | Entry::LOST);
            self.found_lost = self.found_lost.wrapping_add(u32::from(is_new));
            if let Some(lost) = lost.as_mut().filter(|_| is_new) {
                lost.push(segment);
            }
            entry.set(Entry::LOST, !entry.has(Entry::SACKED));
            entry.set(Entry::RETRANSMITTED, false);
        }
        self.pipe = 0;
        self.judged = self.una;
        self.retransmit_from = self.una;
        self.lost_end = self.max();
    }

    /// Resets the state after a timeout without SACK: what the receiver holds is unknown, so every segment counts as
    /// unsent.
    pub(crate) fn clear(&mut self) {
        for entry in self.entries.iter_mut() {
            entry.set(Entry::SACKED, false);
        }
        self.sacked = 0;
        self.reported = None;
        self.on_timeout();
    }

    /// The oldest lost segment that was not retransmitted (RFC 6675, NextSeg rule 1).
    #[inline]
    pub(crate) fn next_retransmission(&mut self) -> Option<u64> {
        if self.lost_end <= self.una {
            return None;
        }
        self.first_retransmission()
    }

    #[inline(never)]
    fn first_retransmission(&mut self) -> Option<u64> {
        self.retransmit_from = self.retransmit_from.max(self.una);
        while self.retransmit_from < self.lost_end {
            let entry = self.entry(self.retransmit_from)?;
            if entry.needs_repair() {
                return Some(self.retransmit_from);
            }
            self.retransmit_from += 1;
        }
        None
    }

    /// The oldest segment below the highest one received that was neither received nor retransmitted (RFC 6675, NextSeg
    /// rule 3), for a sender with nothing else to send.
    pub(crate) fn next_hole(&self) -> Option<u64> {
        let highest = *self.reported.as_ref()?.highest.first()?;
        (self.una..highest)
            .find(|&segment| self.entry(segment).is_some_and(|e| !e.has(Entry::SACKED | Entry::RETRANSMITTED)))
    }

    /// The newest segment that was not reported received, which NextSeg rule 4 rescues, unless it was retransmitted.
    /// Taken literally, the rule would send a third copy.
    pub(crate) fn rescuable(&self) -> Option<u64> {
        let after = self.entries.iter().rev().position(|entry| !entry.has(Entry::SACKED))? as u64;
        let newest = self.max() - 1 - after;
        self.entry(newest).is_some_and(|entry| !entry.has(Entry::RETRANSMITTED)).then_some(newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(segments: u64) -> Scoreboard {
        let mut board = Scoreboard::new(3);
        (0..segments).for_each(|_| board.on_first_transmission(Time::ZERO));
        board
    }

    fn sack(board: &mut Scoreboard, from: u64, to: u64) {
        assert!(board.on_sack([(from, to), (0, 0), (0, 0)], &mut |_, _| {}), "news");
    }

    /// Reordering: segments 0 and 1 seem lost when 2 to 4 are reported, then 1 arrives after all, and only 0 is
    /// retransmitted.
    #[test]
    fn what_arrives_late_is_not_sent_again() {
        let mut board = sent(5);
        sack(&mut board, 2, 5);
        assert!(board.judge());
        assert_eq!(board.pipe(), 0);
        sack(&mut board, 1, 5);
        assert_eq!(board.next_retransmission(), Some(0));
        board.on_retransmission(0, Time::ZERO);
        assert_eq!((board.next_retransmission(), board.pipe()), (None, 1));
    }

    /// Two received segments above are too few (RFC 6675, IsLost); the third may come with an acknowledgement of new
    /// data.
    #[test]
    fn three_above_are_a_loss() {
        let mut board = sent(6);
        sack(&mut board, 3, 5);
        assert!(!board.judge());
        board.on_ack(1, |_, _| {});
        sack(&mut board, 3, 6);
        assert!(board.judge());
        assert_eq!((board.next_retransmission(), board.pipe()), (Some(1), 0));
    }

    /// A timeout without SACK: of five segments 2 and later are retransmitted, those before the next one count as
    /// unacknowledged, and what is acknowledged need not be sent.
    #[test]
    fn a_rewound_sender_starts_from_the_oldest_segment() {
        let mut board = sent(5);
        board.advance(5);
        board.on_ack(2, |_, _| {});
        assert_eq!((board.next(), board.unacknowledged(), board.outstanding()), (5, Segments(3), 3));
        board.rewind();
        board.clear();
        assert_eq!((board.next(), board.unacknowledged(), board.outstanding()), (2, Segments(0), 3));
        board.on_retransmission(2, Time::ZERO);
        assert_eq!((board.next(), board.unacknowledged()), (3, Segments(1)));
        board.on_ack(4, |_, _| {});
        assert_eq!((board.next(), board.unacknowledged(), board.outstanding()), (4, Segments(0), 1));
    }
}
