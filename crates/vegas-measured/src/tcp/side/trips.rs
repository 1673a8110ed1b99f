//! The round-trip times of a host's data: the sum of the halves on both sides of the capture.

use super::halves::Upstream;
use crate::tables::Histogram;

/// The round-trip times of a host's data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trips {
    /// The half on the data sender's side, by time stamps.
    pub(crate) halves: Upstream,
    /// All of them.
    pub(super) all: Histogram,
    /// The least time from data to its acknowledgement at the capture, ns.
    pub(super) least_downstream: Option<i64>,
    newest: Option<i64>,
    means: Means,
}

/// The mean of each half: what varies with the queue is in the greater one.
#[derive(Clone, Copy, Debug, Default)]
struct Means {
    downstream: Mean,
    upstream: Mean,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn take(&mut self, sample: i64) {
        (self.sum, self.count) = (self.sum + sample as f64, self.count + 1.0);
    }

    fn get(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }
}

impl Trips {
    /// Takes a time from data to its acknowledgement, ns, with the least of the other half.
    pub(super) fn downstream(&mut self, sample: i64, upstream: i64) {
        self.least_downstream = Some(self.least_downstream.map_or(sample, |least| least.min(sample)));
        self.means.downstream.take(sample);
        if !self.is_at_receiver() {
            self.take(sample + upstream);
        }
    }

    /// Takes a time from an acknowledgement to the data that echoes it, ns.
    pub(super) fn upstream(&mut self, sample: i64) {
        self.means.upstream.take(sample);
        if self.is_at_receiver() {
            self.take(sample + self.least_downstream.unwrap_or(0));
        }
    }

    /// The newest one, ms.
    pub(super) fn newest_ms(&self) -> Option<f64> {
        self.newest.map(|ns| ns as f64 / 1e6)
    }

    /// Whether the capture is nearer to the data's receiver: then what varies is the upstream half.
    fn is_at_receiver(&self) -> bool {
        let Means { downstream, upstream } = &self.means;
        downstream.count > 0.0 && upstream.count > 0.0 && downstream.get() < upstream.get()
    }

    fn take(&mut self, rtt: i64) {
        self.newest = Some(rtt);
        self.all.add(rtt as f64 / 1e6);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At the sender the echo of the handshake comes first: it is no round trip.
    #[test]
    fn one_half_alone_is_no_round_trip() {
        let mut trips = Trips::default();
        trips.upstream(80_000);
        assert_eq!(trips.newest_ms(), None);
        trips.downstream(20_000_000, 80_000);
        trips.upstream(90_000);
        assert_eq!(trips.newest_ms(), Some(20.08));
    }
}
