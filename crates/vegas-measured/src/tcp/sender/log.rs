//! Every departure and acknowledgement of one direction, for what is worked out of all of them together.

use super::again::Again;

/// A segment that left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub(crate) at: i64,
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) ip_bytes: u32,
    pub(crate) again: Option<Again>,
    /// When an acknowledgement first covered it.
    pub(crate) acked_at: Option<i64>,
    /// Whether it was retransmitted before it was acknowledged.
    pub(crate) is_replaced: bool,
}

/// An acknowledgement that came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acknowledgement {
    pub(crate) at: i64,
    /// Bytes newly acknowledged or in SACK blocks.
    pub(crate) delivered: i64,
    pub(crate) is_pure: bool,
    /// The length of the IP packet.
    pub(crate) ip_bytes: u32,
    /// Everything before it is acknowledged.
    pub(crate) edge: i64,
    /// Bytes behind it in SACK blocks.
    pub(crate) sacked: i64,
    /// The receiver's window, bytes; -1 while its scale is unknown.
    pub(crate) window: i64,
    pub(crate) is_duplicate: bool,
}

/// The most departures that are kept, and the most acknowledgements.
pub(crate) const ENTRIES_MAX: usize = 1 << 20;

/// Departures and acknowledgements, each in the order of time; the first [`ENTRIES_MAX`] of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) departures: Vec<Departure>,
    pub(crate) acknowledgements: Vec<Acknowledgement>,
    /// Samples of the upstream half of the RTT: when, and how long.
    pub(crate) upstream: Vec<(i64, i64)>,
    /// Other packets on the same way, such as acknowledgements and those of other connections: when, and how many
    /// bytes.
    pub(crate) others: Vec<(i64, u32)>,
    /// The round-trip time of the handshake, ns.
    pub(crate) handshake: Option<i64>,
    /// Departures that were not kept.
    pub(crate) left_out: u64,
}

impl Log {
    pub(super) fn departs(&mut self, departure: Departure) {
        if self.departures.len() < ENTRIES_MAX {
            self.departures.push(departure);
        } else {
            self.left_out += 1;
        }
    }

    /// Notes another packet on the same way.
    pub(crate) fn passes(&mut self, at: i64, ip_bytes: u32) {
        if self.others.len() < ENTRIES_MAX && self.left_out == 0 {
            self.others.push((at, ip_bytes));
        }
    }

    pub(crate) fn echoes(&mut self, at: i64, sample: i64) {
        if self.upstream.len() < ENTRIES_MAX && self.left_out == 0 {
            self.upstream.push((at, sample));
        }
    }

    pub(super) fn acknowledges(&mut self, acknowledgement: Acknowledgement) {
        if self.acknowledgements.len() < ENTRIES_MAX && self.left_out == 0 {
            self.acknowledgements.push(acknowledgement);
        }
    }

    /// Notes that an acknowledgement covers the departure of this number.
    pub(super) fn arrived(&mut self, number: u64, at: i64) {
        if let Some(departure) = self.departure(number) {
            departure.acked_at = Some(at);
        }
    }

    /// Notes that the departure of this number was retransmitted.
    pub(super) fn replaced(&mut self, number: u64) {
        if let Some(departure) = self.departure(number) {
            departure.is_replaced = true;
        }
    }

    fn departure(&mut self, number: u64) -> Option<&mut Departure> {
        self.departures.get_mut(usize::try_from(number).ok()?)
    }
}
