//! How a bottleneck serves its queue, as arithmetic: when each packet has left it, and what was in its queue before.

use std::collections::VecDeque;

/// A packet that comes to the bottleneck, or would have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) at: i64,
    pub(super) bytes: u32,
    pub(super) fate: Fate,
}

/// What the capture says about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Arrived,
    /// It takes no place in the queue.
    Lost,
    /// It was neither acknowledged nor retransmitted: it takes a place if the queue has room for it.
    Unknown,
}

/// What became of an arrival.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Crossing {
    /// From the arrival to the end of its transmission, ns.
    pub(super) delay: i64,
    /// What waited or was being sent when it came, bytes.
    pub(super) backlog: u64,
}

/// The way in which a bottleneck serves.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Service {
    /// At a constant rate, bits a second; after a silence `burst` bytes at once.
    Constant { rate: f64, burst: f64 },
    /// Opportunities each `period` ns, one of them at `phase`, of `bytes` of IP packets: 1500 with what the link
    /// adds to each packet.
    Periodic { period: f64, phase: f64, bytes: f64 },
    /// Opportunities of 1500 bytes at these times, ns; behind the last one none.
    Recorded { times: Vec<i64> },
}

/// The bytes of an opportunity, in Mahimahi and in the simulator.
pub(super) const OPPORTUNITY_BYTES: u32 = 1500;

impl Service {
    /// Carries all arrivals, which ascend in time. `limit` is that of the queue, bytes, as far as it is known.
    pub(super) fn carry(&self, arrivals: &[Arrival], limit: Option<u64>) -> Vec<Crossing> {
        let mut server = Server { service: self, free: f64::MIN, opportunity: i64::MIN, left: 0.0 };
        let mut queue: VecDeque<(i64, u32)> = VecDeque::new();
        let mut backlog = 0u64;
        let carried = arrivals.iter().map(|arrival| {
            while let Some((_, bytes)) = queue.front().filter(|(finish, _)| *finish <= arrival.at) {
                backlog -= u64::from(*bytes);
                queue.pop_front();
            }
            let crossing = Crossing { delay: 0, backlog };
            let has_room = limit.is_some_and(|limit| backlog + u64::from(arrival.bytes) <= limit);
            if arrival.fate == Fate::Lost || (arrival.fate == Fate::Unknown && !has_room) {
                return crossing;
            }
            let finish = server.finish(arrival);
            queue.push_back((finish, arrival.bytes));
            backlog += u64::from(arrival.bytes);
            Crossing { delay: finish - arrival.at, ..crossing }
        });
        carried.collect()
    }

    /// The mean rate, Mb/s.
    pub(super) fn mbps(&self) -> f64 {
        match self {
            Service::Constant { rate, .. } => rate / 1e6,
            Service::Periodic { period, bytes, .. } => bytes * 8e3 / period,
            Service::Recorded { times } => match (times.first(), times.last()) {
                (Some(first), Some(last)) if last > first => {
                    (times.len() - 1) as f64 * f64::from(OPPORTUNITY_BYTES) * 8e3 / (last - first) as f64
                }
                _ => 0.0,
            },
        }
    }
}

/// A service under way.
struct Server<'a> {
    service: &'a Service,
    /// When what was accepted has been sent, or with a burst the time at which it would be at the rate alone.
    free: f64,
    /// The number of the opportunity that is used, and what is left of it.
    opportunity: i64,
    left: f64,
}

impl Server<'_> {
    fn finish(&mut self, arrival: &Arrival) -> i64 {
        match self.service {
            Service::Constant { rate, burst } => {
                let nanos_a_byte = 8e9 / rate;
                let earliest = arrival.at as f64 - burst * nanos_a_byte;
                self.free = self.free.max(earliest) + f64::from(arrival.bytes) * nanos_a_byte;
                (self.free as i64).max(arrival.at)
            }
            Service::Periodic { period, phase, bytes } => {
                let first_after = ((arrival.at as f64 - phase) / period).floor() as i64 + 1;
                let number = self.use_opportunities(first_after, arrival.bytes, *bytes);
                (phase + number as f64 * period) as i64
            }
            Service::Recorded { times } => {
                let first_after = times.partition_point(|time| *time <= arrival.at) as i64;
                let number = self.use_opportunities(first_after, arrival.bytes, f64::from(OPPORTUNITY_BYTES));
                times.get(number as usize).or(times.last()).copied().unwrap_or(arrival.at).max(arrival.at)
            }
        }
    }

    /// Takes as many opportunities of `each` bytes as a packet needs, from the first one after its arrival on; returns
    /// the last.
    fn use_opportunities(&mut self, first_after: i64, bytes: u32, each: f64) -> i64 {
        if first_after > self.opportunity {
            (self.opportunity, self.left) = (first_after, each);
        }
        let mut needed = f64::from(bytes);
        while needed > self.left {
            needed -= self.left;
            (self.opportunity, self.left) = (self.opportunity + 1, each);
        }
        self.left -= needed;
        self.opportunity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(given: &[(i64, u32)]) -> Vec<Arrival> {
        given.iter().map(|(at, bytes)| Arrival { at: at * 1_000_000, bytes: *bytes, fate: Fate::Arrived }).collect()
    }

    fn delays_ms(service: &Service, given: &[(i64, u32)]) -> Vec<i64> {
        service.carry(&arrivals(given), None).iter().map(|crossing| crossing.delay / 1_000_000).collect()
    }

    /// 1000 bytes at 8 Mb/s take 1 ms.
    #[test]
    fn a_constant_rate_and_its_burst() {
        let packets = [(0, 1000), (0, 1000), (0, 1000), (10, 1000)];
        assert_eq!(delays_ms(&Service::Constant { rate: 8e6, burst: 0.0 }, &packets), [1, 2, 3, 1]);
        assert_eq!(delays_ms(&Service::Constant { rate: 8e6, burst: 2000.0 }, &packets), [0, 0, 1, 0]);
        let crossings = Service::Constant { rate: 8e6, burst: 0.0 }.carry(&arrivals(&packets), None);
        assert_eq!(crossings.iter().map(|crossing| crossing.backlog).collect::<Vec<_>>(), [0, 1000, 2000, 0]);
    }

    /// Opportunities at 5, 15, 25 ms: the second packet's last 100 bytes go with the second one, the fourth packet
    /// misses the third.
    #[test]
    fn opportunities_are_shared() {
        let packets = [(0, 800), (1, 800), (2, 1400), (25, 100)];
        let periodic = Service::Periodic { period: 10e6, phase: 5e6, bytes: 1500.0 };
        assert_eq!(delays_ms(&periodic, &packets), [5, 14, 13, 10]);
        let recorded = Service::Recorded { times: [5, 15, 25, 35].map(|ms| ms * 1_000_000).to_vec() };
        assert_eq!(delays_ms(&recorded, &packets), [5, 14, 13, 10]);
    }
}
