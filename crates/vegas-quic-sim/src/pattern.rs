//! The data of the application: bytes that depend on their offset, so that the receiver detects a wrong one.

use bytes::Bytes;

/// The period of the bytes: a prime, so that no packet or buffer size is a multiple of it.
const PERIOD: usize = 251;
const REPEATS: usize = 260;

/// The longest piece that [`from`] returns, bytes.
pub(crate) const PIECE_BYTES: u64 = (PERIOD * REPEATS) as u64;

static BLOCK: [u8; PERIOD * REPEATS] = block();

const fn block() -> [u8; PERIOD * REPEATS] {
    let mut bytes = [0; PERIOD * REPEATS];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = (at % PERIOD) as u8;
        at += 1;
    }
    bytes
}

/// Returns a piece of the data: the bytes from `offset` on, up to the end of the block, but at most `most`.
pub(crate) fn from(offset: u64, most: u64) -> Bytes {
    let start = (offset % PERIOD as u64) as usize;
    let length = (BLOCK.len() - start).min(usize::try_from(most).unwrap_or(usize::MAX));
    Bytes::from_static(&BLOCK[start..start + length])
}

/// Returns whether these are the bytes from `offset` on.
pub(crate) fn is_right(mut offset: u64, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        let expected = from(offset, bytes.len() as u64);
        let (head, rest) = bytes.split_at(expected.len());
        if head != expected {
            return false;
        }
        offset += expected.len() as u64;
        bytes = rest;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_in_another_place_is_seen() {
        assert_eq!(&from(250, 3)[..], [250, 0, 1]);
        let long: Vec<u8> = (0..200_000u64).map(|at| ((at + 7) % 251) as u8).collect();
        assert!(is_right(7, &long));
        assert!(!is_right(8, &long));
        assert!(!is_right(7, &[&long[..100_000], &long[100_001..]].concat()));
        assert!(is_right(7, &[]));
    }
}
