//! How the receiver acknowledges, by the acknowledgements that came.

use crate::tcp::sender::log::{Acknowledgement, Log};

/// The acknowledgements of new data, by the segments that each covers. Those that a retransmission caused are left out:
/// one covers all that waited behind the hole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Acknowledging {
    pub(super) one: u64,
    pub(super) two: u64,
    pub(super) more: u64,
    /// The most segments of one acknowledgement, and the mean.
    pub(super) most: u64,
    pub(super) mean: f64,
    /// How many came before the first that covers two segments or more.
    pub(super) at_once: u64,
    /// The length of most acknowledgements' IP packets.
    pub(super) ip_bytes: u32,
}

/// The receiver's habit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Habit {
    /// Each segment is acknowledged.
    Each,
    /// Each one, but at times several at once.
    MergedAtTimes,
    /// Every second one (RFC 5681, 4.2), or as Linux does each one at first.
    EverySecond,
    /// Several at once: an interface merges segments (GRO), or acknowledgements.
    Merged,
    /// Too few acknowledgements.
    Unknown,
}

impl Acknowledging {
    pub(super) fn of(log: &Log, mss: i64) -> Self {
        let acknowledgements = &log.acknowledgements;
        let mut found = Acknowledging::default();
        let mut segments_of_all = 0;
        let mut again: Vec<i64> = log
            .departures
            .iter()
            .filter(|departure| departure.again.is_some())
            .map(|departure| departure.from)
            .collect();
        again.sort_unstable();
        let in_order = |ack: &&Acknowledgement| !ack.is_duplicate && !covers_a_retransmission(ack, &again);
        for ack in acknowledgements.iter().filter(|ack| ack.is_pure && ack.delivered > 0).filter(in_order) {
            let segments = ((ack.delivered + mss / 2) / mss.max(1)).max(1) as u64;
            match segments {
                1 => found.one += 1,
                2 => found.two += 1,
                _ => found.more += 1,
            }
            found.at_once += u64::from(found.two + found.more == 0);
            found.most = found.most.max(segments);
            segments_of_all += segments;
        }
        let least = acknowledgements.iter().filter(|ack| ack.is_pure).map(|ack| ack.ip_bytes).min();
        found.ip_bytes = least.unwrap_or(40);
        found.mean = segments_of_all as f64 / found.count().max(1) as f64;
        found
    }

    pub(super) fn count(&self) -> u64 {
        self.one + self.two + self.more
    }

    /// Whether segments that come together are acknowledged at once when the application has read them, as a Linux
    /// receiver does (`__tcp_ack_snd_check`): an interface that merges segments merges the first ones, too.
    pub(super) fn waits_for_reads(&self) -> bool {
        const FIRST: u64 = 5;
        let is_merged = matches!(self.habit(), Habit::Merged | Habit::MergedAtTimes);
        is_merged && self.more > 0 && self.at_once >= FIRST
    }

    pub(super) fn habit(&self) -> Habit {
        const FEW: u64 = 20;
        // an acknowledgement that was lost makes one of two
        const NEARLY_ALL: f64 = 0.99;
        let part = |some: u64| some as f64 / self.count().max(1) as f64;
        match () {
            () if self.count() < FEW => Habit::Unknown,
            () if part(self.one) > NEARLY_ALL => Habit::Each,
            () if part(self.one) > 0.8 && self.more > 0 => Habit::MergedAtTimes,
            () if part(self.one) > 0.8 => Habit::Each,
            () if part(self.more) > 0.2 => Habit::Merged,
            () => Habit::EverySecond,
        }
    }
}

fn covers_a_retransmission(ack: &Acknowledgement, again: &[i64]) -> bool {
    let first = again.partition_point(|from| *from < ack.edge - ack.delivered);
    again.get(first).is_some_and(|from| *from < ack.edge)
}
