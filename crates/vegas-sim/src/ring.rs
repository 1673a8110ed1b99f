//! Rings that do not lead through much more memory than what is in them.
//!
//! What goes in and out of a ring walks through all of its places. One that has been long once, as those of a sender in
//! slow start and of its link are, would lead through all that memory for the few packets of later.

use std::collections::VecDeque;

/// Places that a ring keeps.
const KEPT: usize = 256;
/// A ring is too large when it holds less than one part in so many of the others.
const TOO_LARGE: usize = 8;

/// Takes the first of a ring that is often empty.
#[inline]
pub(crate) fn take_first<T>(ring: &mut VecDeque<T>) -> Option<T> {
    // the last one of all from behind: the next to come takes its place
    if ring.len() == 1 { ring.pop_back() } else { ring.pop_front() }
}

/// Puts one behind the others, and gives back most of the ring's memory where little is left of what has been. Not for a
/// ring that is filled and emptied with each round trip.
#[inline]
pub(crate) fn put_last<T: Copy>(ring: &mut VecDeque<T>, value: T) {
    ring.push_back(value);
    if TOO_LARGE * ring.len() + KEPT < ring.capacity() {
        give_back(ring);
    }
}

#[cold]
#[inline(never)]
fn give_back<T: Copy>(ring: &mut VecDeque<T>) {
    // not `shrink_to`, with which large rings would come from the system anew as often as they grow again
    let mut smaller = VecDeque::with_capacity(ring.capacity() / 4);
    let (front, back) = ring.as_slices();
    smaller.extend(front);
    smaller.extend(back);
    *ring = smaller;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_that_was_long_gives_back() {
        let mut ring: VecDeque<u32> = (0..10_000).collect();
        for value in 0..5_000 {
            assert_eq!((ring.pop_front(), ring.pop_front()), (Some(2 * value), Some(2 * value + 1)));
            put_last(&mut ring, 10_000 + value);
        }
        for value in 0..4_990 {
            assert_eq!(ring.pop_front(), Some(10_000 + value));
        }
        put_last(&mut ring, 0);
        put_last(&mut ring, 0);
        assert!(ring.capacity() < 1_000, "{}", ring.capacity());
        assert_eq!(ring.pop_front(), Some(14_990));
    }

    #[test]
    fn what_comes_alone_takes_the_same_place() {
        let mut ring = VecDeque::with_capacity(4);
        let mut place = |value: u32| {
            ring.push_back(value);
            let place = std::ptr::from_ref(&ring[0]);
            assert_eq!(take_first(&mut ring), Some(value));
            place
        };
        assert_eq!(place(1), place(2));
    }
}
