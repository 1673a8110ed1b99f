//! Bytes that were skipped in a capture: behind later ones, lost before they came to it, or not seen.

use super::Data;

/// Bytes that were skipped.
#[derive(Clone, Copy, Debug)]
struct Hole {
    from: i64,
    to: i64,
    /// When the segment behind it was seen, its IP identification and its time stamp.
    at: i64,
    ip_id: u16,
    stamp: Option<u32>,
}

/// The holes of a direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Holes {
    holes: Vec<Hole>,
}

/// The most holes; the oldest counts as missing.
const HOLES_MAX: usize = 1 << 12;
/// A segment this late that was not retransmitted has been overtaken, ns; Wireshark's limit.
const OVERTAKEN_NS: i64 = 3_000_000;

impl Holes {
    /// Opens a hole from `next` to a segment; returns the bytes of an older one that is given up.
    pub(super) fn open(&mut self, next: i64, data: &Data) -> i64 {
        let oldest = (self.holes.len() == HOLES_MAX).then(|| self.holes.remove(0));
        self.holes.push(Hole { from: next, to: data.from, at: data.at, ip_id: data.ip_id, stamp: data.stamp });
        oldest.map_or(0, |hole| hole.to - hole.from)
    }

    /// Whether a segment that fills a hole was overtaken by the one behind it; none if it fills none.
    pub(super) fn is_overtaken(&self, data: &Data) -> Option<bool> {
        let hole = self.holes.iter().find(|hole| hole.from < data.to && data.from < hole.to)?;
        Some(hole.is_overtaken_by(data))
    }

    /// Fills a range; returns the parts of it that were holes.
    pub(super) fn fill(&mut self, from: i64, to: i64) -> Vec<(i64, i64)> {
        let mut filled = Vec::new();
        for hole in std::mem::take(&mut self.holes) {
            let (begin, end) = (from.max(hole.from), to.min(hole.to));
            if begin >= end {
                self.holes.push(hole);
                continue;
            }
            let rest = [Hole { to: begin, ..hole }, Hole { from: end, ..hole }];
            self.holes.extend(rest.into_iter().filter(|hole| hole.from < hole.to));
            filled.push((begin, end));
        }
        filled
    }

    /// Forgets what is below the acknowledged edge; returns how many bytes of it were never seen.
    pub(super) fn pass(&mut self, edge: i64) -> i64 {
        let mut missing = 0;
        self.holes.retain_mut(|hole| {
            let passed = (edge.min(hole.to) - hole.from).max(0);
            missing += passed;
            hole.from += passed;
            hole.from < hole.to
        });
        missing
    }
}

impl Hole {
    /// Whether a segment of the hole was overtaken by the one behind it, and not sent later: by the sender's time
    /// stamps, the IP identification, or the time.
    fn is_overtaken_by(&self, data: &Data) -> bool {
        match (self.stamp, data.stamp) {
            (Some(behind), Some(stamp)) if behind != stamp => (stamp.wrapping_sub(behind) as i32) < 0,
            _ if self.ip_id != 0 && data.ip_id != 0 && self.ip_id != data.ip_id => {
                (data.ip_id.wrapping_sub(self.ip_id) as i16) < 0 && data.at - self.at <= 10 * OVERTAKEN_NS
            }
            _ => data.at - self.at <= OVERTAKEN_NS,
        }
    }
}
