//! The order of a stream's data: pieces arrive in any order, each byte once, and count as delivered when all before
//! them are there.
//!
//! quinn could keep the order itself, but it closes a connection where a stream has more than 1024 gaps (`MAX_CHUNKS`
//! in `assembler.rs` of quinn-proto, since 0.11.15). One burst of losses on a path that holds several thousand packets
//! makes that many. Data that are read in the order of their arrival leave no gaps in quinn's buffer.

use std::collections::BTreeMap;

/// What has arrived of a stream.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    /// Every byte before this offset has arrived.
    whole: u64,
    /// The pieces after the first gap: their ends by their beginnings.
    beyond: BTreeMap<u64, u64>,
}

impl Arrivals {
    /// A piece arrives; returns the number of bytes that are in order only now.
    pub(crate) fn add(&mut self, offset: u64, bytes: u64) -> u64 {
        let before = self.whole;
        if offset == self.whole {
            self.whole += bytes;
        } else if bytes > 0 {
            self.beyond.insert(offset, offset + bytes);
        }
        while let Some(end) = self.beyond.remove(&self.whole) {
            self.whole = end;
        }
        self.whole - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_count_once_nothing_is_missing_before_them() {
        let mut arrivals = Arrivals::default();
        assert_eq!(arrivals.add(0, 10), 10);
        assert_eq!(arrivals.add(30, 10), 0, "10 to 30 are missing");
        assert_eq!(arrivals.add(20, 5), 0, "10 to 20 are");
        assert_eq!(arrivals.add(10, 10), 15, "up to the gap from 25 on");
        assert_eq!(arrivals.add(25, 5), 15);
        assert_eq!(arrivals.add(40, 0), 0);
        assert_eq!(arrivals.add(40, 1), 1);
    }
}
