//! Rings of values, which are added at one end and removed at the other.
//!
//! Unlike those of the standard library they have a power of two of places, so that where one is is a mask away, and
//! say where the next ones will be.

use crate::util::prefetch::prefetch;

/// The least number of places of a ring that is used.
const PLACES_MIN: usize = 8;
/// How many places before its turn a value is fetched.
const AHEAD: usize = 3;

/// A ring of fewer than 2^32 values.
#[derive(Clone, Debug)]
pub(crate) struct Ring<T> {
    /// The places; their number is a power of two, or 0.
    places: Box<[T]>,
    first: u32,
    len: u32,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Ring { places: Box::default(), first: 0, len: 0 }
    }
}

impl<T: Copy + Default> Ring<T> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns the memory that the ring takes beside itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&self.places[..])
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether the next value to be added needs more memory.
    #[inline]
    fn is_full(&self) -> bool {
        self.len() == self.places.len()
    }

    /// Returns the place of the value with `at` others before it.
    #[inline]
    fn place(&self, at: usize) -> usize {
        (self.first as usize + at) & self.places.len().wrapping_sub(1)
    }

    /// Returns the value with `at` others before it.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        if at < self.len() { Some(&self.places[self.place(at)]) } else { None }
    }

    /// Returns the value with `at` others before it, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        if at < self.len() { Some(&mut self.places[self.place(at)]) } else { None }
    }

    #[inline]
    pub(crate) fn front(&self) -> Option<&T> {
        self.get(0)
    }

    pub(crate) fn back(&self) -> Option<&T> {
        self.get(self.len().checked_sub(1)?)
    }

    pub(crate) fn back_mut(&mut self) -> Option<&mut T> {
        self.get_mut(self.len().checked_sub(1)?)
    }

    /// Adds a value behind the others.
    #[inline(always)]
    pub(crate) fn push_back(&mut self, value: T) {
        if self.is_full() {
            self.grow();
        }
        let place = self.place(self.len());
        self.places[place] = value;
        self.len += 1;
    }

    /// Takes the first. The last one of all leaves its place to the next to come.
    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<T> {
        let first = *self.front()?;
        self.drop_front();
        Some(first)
    }

    /// Removes the first value, if there is one. If it was the only one, the next value takes its place.
    #[inline]
    pub(crate) fn drop_front(&mut self) {
        self.len = self.len.saturating_sub(1);
        self.first = self.first.wrapping_add(u32::from(self.len > 0));
    }

    /// Removes the first value, and prefetches a later one: processors foresee the reads of only a few of hundreds of
    /// rings.
    #[inline]
    pub(crate) fn drop_front_and_fetch(&mut self) {
        self.drop_front();
        if let Some(ahead) = self.places.get(self.place(AHEAD)) {
            prefetch(ahead);
        }
    }

    /// Takes twice the memory.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let places = (2 * self.places.len()).max(PLACES_MIN);
        let mut moved = Vec::with_capacity(places);
        moved.extend(self.iter());
        moved.resize(places, T::default());
        (self.places, self.first) = (moved.into(), 0);
    }

    /// Iterates over the values from the first to the last.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + '_ {
        let (front, back) = self.parts();
        self.places[front].iter().chain(&self.places[back])
    }

    /// Iterates over the values from the first to the last, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> + '_ {
        let (front, back) = self.parts();
        let (begin, end) = self.places.split_at_mut(front.start);
        end[..front.len()].iter_mut().chain(&mut begin[back])
    }

    /// Returns the places in use up to the end of the memory, and those from its beginning on.
    fn parts(&self) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let first = if self.is_empty() { 0 } else { self.place(0) };
        let front = self.len().min(self.places.len() - first);
        (first..first + front, 0..self.len() - front)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn what_comes_alone_takes_the_same_place() {
        let mut ring = Ring::default();
        let mut place = |value: u32| {
            ring.push_back(value);
            let place = std::ptr::from_ref(ring.front().expect("not empty"));
            assert_eq!(ring.pop_front(), Some(value));
            place
        };
        assert_eq!(place(1), place(2));
    }

    proptest! {
        /// Compares the ring with the standard library's queue.
        #[test]
        fn is_a_queue(steps in prop::collection::vec((0u8..5, 1usize..40), 0..200)) {
            let (mut ring, mut model) = (Ring::default(), VecDeque::new());
            for (number, (kind, count)) in steps.into_iter().enumerate() {
                for value in 0..count {
                    let value = 100 * number + value;
                    match kind {
                        0..=2 => ring.push_back(value),
                        _ => prop_assert_eq!(ring.pop_front(), model.pop_front()),
                    }
                    if kind <= 2 {
                        model.push_back(value);
                    }
                }
                ring.get_mut(count).into_iter().for_each(|value| *value += 1);
                model.get_mut(count).into_iter().for_each(|value| *value += 1);
                ring.back_mut().into_iter().for_each(|value| *value += 3);
                model.back_mut().into_iter().for_each(|value| *value += 3);
                ring.iter_mut().for_each(|value| *value += 1);
                model.iter_mut().for_each(|value| *value += 1);
                prop_assert!(ring.iter().eq(&model) && ring.iter().rev().eq(model.iter().rev()));
                prop_assert_eq!((ring.len(), ring.front(), ring.get(count)), (model.len(), model.front(), model.get(count)));
            }
        }
    }
}
