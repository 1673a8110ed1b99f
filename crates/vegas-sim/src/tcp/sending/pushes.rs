//! The segments with the flag PSH: the last that each of the application's calls of `send` could give the kernel, and
//! one for each half of the greatest window offered (Linux: `tcp_sendmsg_locked`, `forced_push`). A Linux receiver
//! acknowledges them alone.
//!
//! An application with bulk data calls `send` with [`WRITE_SEGMENTS`] each time, as long as less than [`UNSENT`] waits
//! to leave, and goes on when less than half of that waits (`TCP_NOTSENT_LOWAT`, `tcp_stream_memory_free`).

use vegas_core::units::Bytes;

use crate::scenario::{UNSENT, WRITE_SEGMENTS};

/// What the application has given the kernel, and where it has PSH.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Pushes {
    /// The payload of a full segment.
    payload: Bytes,
    /// The unit of the windows that the peer offers, as a power of two.
    shift: u8,
    /// The greatest window that the peer has offered, bytes (`max_window`).
    offered: u64,
    /// What was given at a time, ascending; what is acknowledged goes.
    given: Vec<Given>,
}

/// Segments `[from, to)` that were given at a time, [`WRITE_SEGMENTS`] a call; the last of each call has PSH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Given {
    from: u64,
    to: u64,
    /// The most segments without PSH, and one.
    most: u64,
}

impl Pushes {
    /// The state of a sender of full segments of `payload` before the first write. Its peer has offered a window of
    /// `offered` bytes, and will offer windows in units of 2 to the power of `shift`.
    pub(in crate::tcp) fn new(payload: Bytes, shift: u8, offered: u64) -> Self {
        Pushes { payload, shift, offered, given: Vec::new() }
    }

    /// Takes in a window that the peer offers, in its unit; returns it in bytes.
    #[inline]
    pub(in crate::tcp) fn on_offer(&mut self, window: u16) -> u64 {
        let window = u64::from(window) << self.shift;
        self.offered = self.offered.max(window);
        window
    }

    /// The application gives what it can of `written` segments, while `sent` have left and all before `una` are
    /// acknowledged. What it has withdrawn is not among them.
    pub(in crate::tcp) fn fill(&mut self, written: u64, sent: u64, una: u64) {
        self.keep(una, written);
        let from = self.given.last().map_or(una, |last| last.to);
        let most_unsent = UNSENT.get().div_ceil(self.payload.get());
        let is_waiting = 2 * from.saturating_sub(sent) * self.payload.get() >= UNSENT.get();
        let to = written.min(sent + most_unsent);
        if !is_waiting && from < to {
            self.given.push(Given { from, to, most: self.most() });
        }
    }

    /// Returns whether this segment has the flag; it was given, and is not acknowledged.
    pub(in crate::tcp) fn is_pushed(&self, segment: u64) -> bool {
        let at = self.given.partition_point(|given| given.to <= segment);
        self.given.get(at).is_some_and(|given| given.is_pushed(segment))
    }

    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(in crate::tcp) fn memory_bytes(&self) -> usize {
        self.given.capacity() * size_of::<Given>()
    }

    /// The kernel pushes once more than half of the greatest window is written.
    fn most(&self) -> u64 {
        self.offered / 2 / self.payload.get() + 1
    }

    /// Forgets what is not among the segments `[una, written)`.
    fn keep(&mut self, una: u64, written: u64) {
        self.given.retain_mut(|given| {
            given.to = given.to.min(written);
            given.to > una.max(given.from)
        });
    }
}

impl Given {
    fn is_pushed(&self, segment: u64) -> bool {
        let of_call = (segment - self.from) % WRITE_SEGMENTS + 1;
        segment + 1 == self.to || of_call == WRITE_SEGMENTS || of_call.is_multiple_of(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Bytes = Bytes::new(1448);
    /// The window of a SYN's acknowledgement for such segments.
    const FIRST: u64 = 65_160;

    /// The numbers of the segments below `end` that have PSH, counted from 1 as in a capture.
    fn pushed(pushes: &Pushes, end: u64) -> Vec<u64> {
        (0..end).filter(|segment| pushes.is_pushed(*segment)).map(|segment| segment + 1).collect()
    }

    /// Linux 6.12 in the second world, on 10 Mb/s and 40 ms: half of 65,160 bytes are 22.5 segments, so that the 23rd
    /// of each write of 32 has the flag, and the last. 4 MiB are 2896.6 segments: 2907 are given while ten leave.
    #[test]
    fn a_write_of_more_than_half_a_window_is_pushed_twice() {
        let mut pushes = Pushes::new(FULL, 7, FIRST);
        pushes.fill(u64::MAX, 10, 0);
        assert_eq!(pushed(&pushes, 130), [23, 32, 55, 64, 87, 96, 119, 128]);
        let last: Vec<u64> = pushed(&pushes, 4000).into_iter().filter(|number| *number > 2850).collect();
        assert_eq!(last, [2871, 2880, 2903, 2907]);
    }

    /// By hand: the application goes on with 2907 when 1448 of its segments wait to leave (2 x 1448 x 1448 bytes are
    /// less than 4 MiB, those of 1449 are not), until 2897 wait. Half of a window of 100,000 bytes has more segments
    /// than a write. What is acknowledged is forgotten.
    #[test]
    fn the_application_goes_on_when_half_has_left() {
        let mut pushes = Pushes::new(FULL, 7, FIRST);
        pushes.fill(u64::MAX, 10, 0);
        assert_eq!(pushes.on_offer(782), 100_096);
        pushes.fill(u64::MAX, 1458, 1400);
        assert!(!pushes.is_pushed(2911));
        pushes.fill(u64::MAX, 1459, 1400);
        let next: Vec<u64> = pushed(&pushes, 3000).into_iter().filter(|number| *number > 2880).collect();
        assert_eq!(next, [2903, 2907, 2939, 2971]);
        assert!(pushes.is_pushed(1459 + 2897 - 1));
        pushes.fill(u64::MAX, 3000, 2907);
        assert_eq!(pushes.given.len(), 2);
    }

    /// A transfer of 40 segments ends with the flag; of two writes each ends with it, and of one of 40 the first call
    /// of `send`, too. What was withdrawn is written again.
    #[test]
    fn the_end_of_each_write_is_pushed() {
        let mut transfer = Pushes::new(FULL, 7, FIRST);
        transfer.fill(40, 10, 0);
        assert_eq!(pushed(&transfer, 40), [23, 32, 40]);
        let mut writes = Pushes::new(FULL, 7, 1_000_000);
        writes.fill(5, 0, 0);
        writes.fill(45, 0, 0);
        assert_eq!(pushed(&writes, 45), [5, 37, 45]);
        writes.fill(20, 0, 0);
        writes.fill(22, 0, 0);
        assert_eq!(pushed(&writes, 45), [5, 20, 22]);
    }
}
