//! Queues that share one pool of places, so that one queue may take the place that another has left.
//!
//! A row is a sequence of chunks of places: one chunk that it fills, one that it empties, and full ones between them.
//! An empty chunk goes to the row that needs a chunk next, and is still in the cache then. All rows together so take as
//! much memory as their values need, however the values move from one row to another, and nothing is copied when a row
//! grows.

use crate::util::prefetch::prefetch;

/// How many places ahead of its turn a value is prefetched.
const AHEAD: usize = 3;
/// No chunk, or no place.
const NONE: u32 = u32::MAX;

/// The places of all rows, in chunks of `CHUNK` places, a power of two.
#[derive(Clone, Debug)]
pub(crate) struct Pool<T, const CHUNK: u32> {
    places: Vec<T>,
    /// For each chunk, the chunk behind it: in its row, or on the list of free chunks.
    next: Vec<u32>,
    /// The first free chunk.
    free: u32,
}

/// A queue of fewer than 2^32 values, with its places in a pool.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The place of the first value.
    first: u32,
    /// The place behind the last value, which the next value takes; equal to `first` while there is no value. [`NONE`]
    /// while the row has no chunk.
    end: u32,
}

impl Row {
    /// A row without values or memory.
    pub(crate) const NEW: Row = Row { first: NONE, end: NONE };

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first == self.end
    }
}

impl<T, const CHUNK: u32> Default for Pool<T, CHUNK> {
    fn default() -> Self {
        Pool { places: Vec::new(), next: Vec::new(), free: NONE }
    }
}

impl<T: Copy + Default, const CHUNK: u32> Pool<T, CHUNK> {
    /// Returns the memory that the pool takes, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&self.places[..]) + size_of_val(&self.next[..])
    }

    /// Returns the first value of a row.
    #[inline]
    pub(crate) fn first(&self, row: &Row) -> Option<&T> {
        if row.is_empty() { None } else { Some(&self.places[row.first as usize]) }
    }

    /// Returns the first value of a row, to be changed.
    pub(crate) fn first_mut(&mut self, row: &Row) -> Option<&mut T> {
        if row.is_empty() { None } else { Some(&mut self.places[row.first as usize]) }
    }

    /// Returns the last value of a row, to be changed; also none if that is the last value of its chunk, as a chunk
    /// does not link back to the one before.
    pub(crate) fn last_mut(&mut self, row: &Row) -> Option<&mut T> {
        if row.end.is_multiple_of(CHUNK) { None } else { self.places.get_mut(row.end as usize - 1) }
    }

    /// Adds a value behind the others.
    #[inline]
    pub(crate) fn push(&mut self, row: &mut Row, value: T) {
        if row.end == NONE {
            self.begin(row);
        }
        self.places[row.end as usize] = value;
        row.end += 1;
        if row.end.is_multiple_of(CHUNK) {
            self.add_chunk(row);
        }
    }

    /// Removes the first value, and prefetches a later one: a row is one of hundreds, and processors foresee the reads
    /// of only a few. A row that becomes empty reuses the first place of its chunk.
    #[inline]
    pub(crate) fn drop_first(&mut self, row: &mut Row) {
        row.first += 1;
        if row.first.is_multiple_of(CHUNK) {
            self.leave_chunk(row);
        }
        if row.is_empty() {
            row.first &= !(CHUNK - 1);
            row.end = row.first;
        } else if let Some(ahead) = self.places.get(row.first as usize + AHEAD) {
            prefetch(ahead);
        }
    }

    /// Frees the memory of an empty row.
    pub(crate) fn release(&mut self, row: &mut Row) {
        debug_assert!(row.is_empty());
        if row.end != NONE {
            self.free_chunk(row.end / CHUNK);
            *row = Row::NEW;
        }
    }

    /// Iterates over the values from the first to the last.
    pub(crate) fn iter(&self, row: &Row) -> impl Iterator<Item = &T> + '_ {
        let mut first = row.first;
        let end = row.end;
        std::iter::from_fn(move || {
            let value = if first == end { None } else { self.places.get(first as usize) };
            first = first.wrapping_add(1);
            if value.is_some() && first.is_multiple_of(CHUNK) {
                first = self.next[(first / CHUNK) as usize - 1] * CHUNK;
            }
            value
        })
    }

    /// Returns the number of values; visits each chunk.
    pub(crate) fn len(&self, row: &Row) -> usize {
        let (mut first, mut count) = (row.first, 0);
        while first / CHUNK != row.end / CHUNK {
            count += CHUNK - first % CHUNK;
            first = self.next[(first / CHUNK) as usize] * CHUNK;
        }
        (count + (row.end - first)) as usize
    }

    #[cold]
    fn begin(&mut self, row: &mut Row) {
        row.first = self.take_chunk() * CHUNK;
        row.end = row.first;
    }

    #[inline(never)]
    fn add_chunk(&mut self, row: &mut Row) {
        let chunk = self.take_chunk();
        self.next[((row.end - 1) / CHUNK) as usize] = chunk;
        row.end = chunk * CHUNK;
    }

    #[inline(never)]
    fn leave_chunk(&mut self, row: &mut Row) {
        let chunk = (row.first - 1) / CHUNK;
        row.first = self.next[chunk as usize] * CHUNK;
        self.free_chunk(chunk);
    }

    fn take_chunk(&mut self) -> u32 {
        if self.free == NONE {
            self.places.resize(self.places.len() + CHUNK as usize, T::default());
            self.next.push(NONE);
            assert!(self.places.len() < NONE as usize, "fewer than 2^32 packets are under way");
            return self.next.len() as u32 - 1;
        }
        let chunk = self.free;
        self.free = self.next[chunk as usize];
        chunk
    }

    fn free_chunk(&mut self, chunk: u32) {
        self.next[chunk as usize] = self.free;
        self.free = chunk;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        /// Compares the rows with the standard library's queues.
        #[test]
        fn are_queues(steps in prop::collection::vec((0u8..5, 0usize..3, 1usize..40), 0..200)) {
            let mut pool = Pool::<_, 8>::default();
            let (mut rows, mut models) = (vec![Row::NEW; 3], vec![VecDeque::new(); 3]);
            for (number, (kind, id, count)) in steps.into_iter().enumerate() {
                let (row, model) = (&mut rows[id], &mut models[id]);
                for value in 0..count {
                    if kind < 2 {
                        pool.push(row, 100 * number + value);
                        model.push_back(100 * number + value);
                    } else if !row.is_empty() {
                        prop_assert_eq!(pool.first(row), model.front());
                        pool.drop_first(row);
                        model.pop_front();
                    } else if kind == 4 {
                        pool.release(row);
                    }
                }
                for (row, model) in rows.iter().zip(&models) {
                    prop_assert_eq!((pool.len(row), pool.first(row)), (model.len(), model.front()));
                    prop_assert!(pool.iter(row).eq(model));
                    let last = pool.last_mut(row).copied();
                    prop_assert!(last.is_none() || last.as_ref() == model.back());
                }
            }
        }
    }

    #[test]
    fn places_are_used_again() {
        let (mut pool, mut rows) = (Pool::<_, 8>::default(), [Row::NEW; 2]);
        for turn in 0..100 {
            let row = &mut rows[turn % 2];
            (0..1000).for_each(|value| pool.push(row, value));
            for value in 0..1000 {
                assert_eq!(pool.first(row), Some(&value));
                pool.drop_first(row);
            }
        }
        assert!(pool.places.len() <= 1000 + 2 * 8, "{}", pool.places.len());
    }

    #[test]
    fn what_comes_alone_takes_the_same_place() {
        let (mut pool, mut row) = (Pool::<_, 8>::default(), Row::NEW);
        let mut place = |value: u32| {
            pool.push(&mut row, value);
            let place = pool.first(&row).map(std::ptr::from_ref);
            pool.drop_first(&mut row);
            place
        };
        assert_eq!(place(1), place(2));
    }
}
