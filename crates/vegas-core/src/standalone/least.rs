//! The least of what was measured within a window of time that moves.

use crate::units::{Span, Time};

/// The window in parts, each with its least sample: a sample is forgotten with its part, at most one part before it is
/// as old as the window. So the state is small however many samples there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Least<const PARTS: usize = 4> {
    /// Newest first.
    parts: [Span; PARTS],
    /// When the newest part began.
    began: Time,
}

impl<const PARTS: usize> Least<PARTS> {
    pub(crate) const fn new() -> Self {
        const { assert!(PARTS <= 16, "what sample moves by") };
        Least { parts: [Span::MAX; PARTS], began: Time::ZERO }
    }

    /// `window` may differ from sample to sample.
    pub(crate) fn sample(&mut self, now: Time, value: Span, window: Span) {
        let part = (window.as_nanos() / PARTS as u64).max(1);
        let passed = now.since(self.began).as_nanos() / part;
        if passed >= PARTS as u64 {
            *self = Least { began: now, ..Least::new() };
        } else {
            // by powers of two: BPF has no function that moves any number of words, and its verifier walks through a
            // loop's ways
            for by in [8, 4, 2, 1] {
                if by < PARTS && passed & by as u64 != 0 {
                    self.parts.copy_within(..PARTS - by, by);
                    self.parts[..by].fill(Span::MAX);
                }
            }
            self.began = self.began + Span::from_nanos(part * passed);
        }
        self.parts[0] = self.parts[0].min(value);
    }

    /// [`Span::MAX`] before the first sample.
    pub(crate) fn get(&self) -> Span {
        self.parts.into_iter().min().unwrap_or(Span::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, a window of 40 ms in four parts: the sample of 5 ms counts until its part, 0 to 10 ms, lies four parts
    /// back.
    #[test]
    fn samples_are_forgotten_after_the_window() {
        let mut least = Least::<4>::new();
        assert_eq!(least.get(), Span::MAX);
        let mut at = |now_ms, value_ms| {
            let now = Time::ZERO + Span::from_millis(now_ms);
            least.sample(now, Span::from_millis(value_ms), Span::from_millis(40));
            least.get()
        };
        assert_eq!(at(3, 5), Span::from_millis(5));
        assert_eq!(at(25, 9), Span::from_millis(5));
        assert_eq!(at(39, 8), Span::from_millis(5));
        assert_eq!(at(41, 11), Span::from_millis(8));
        assert_eq!(at(500, 30), Span::from_millis(30));
    }
}
