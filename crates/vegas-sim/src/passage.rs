//! A link on which no packet ever waits (`engine/ahead.rs` says which): what has left it is arithmetic, and nothing is
//! kept of a packet that has passed.

use vegas_core::units::{Bytes, Rate, Span, Time};

use crate::looks::{Looks, Noted};
use crate::stays::Totals;

/// The packets' way through, and what has left the transmitter.
#[derive(Clone, Debug)]
pub(crate) struct Passage {
    rate: Rate,
    delay: Span,
    /// Of the packet before.
    wire: u16,
    transmission: Span,
    pub(crate) packets: u64,
    sent: Sent,
    noted: Noted<Sent>,
    /// At the latest look.
    seen: Sent,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    bytes: u64,
    busy_ns: u64,
}

impl Passage {
    /// A link that is looked at then.
    pub(crate) fn new(rate: Rate, delay: Span, looks: Looks) -> Self {
        Passage {
            rate,
            delay,
            wire: 0,
            transmission: Span::ZERO,
            packets: 0,
            sent: Sent::default(),
            noted: Noted::new(looks),
            seen: Sent::default(),
        }
    }

    /// A packet comes at `at`; when it arrives at the other end.
    #[inline]
    pub(crate) fn pass(&mut self, at: Time, wire: u16) -> Time {
        if wire != self.wire {
            self.measure(wire);
        }
        let departure = at + self.transmission;
        if self.noted.is_due(departure) {
            self.note(departure);
        }
        self.packets += 1;
        self.sent.bytes += u64::from(wire);
        self.sent.busy_ns += self.transmission.as_nanos();
        departure + self.delay
    }

    #[cold]
    fn measure(&mut self, wire: u16) {
        (self.wire, self.transmission) = (wire, self.rate.time_for(Bytes::new(wire.into())));
    }

    /// At a look a packet may be in the transmitter: of its time what has passed counts, of its bytes none.
    #[cold]
    fn note(&mut self, departure: Time) {
        let (before, transmission) = (self.sent, self.transmission);
        self.noted.note(departure, |look| {
            let ahead = departure.since(look).min(transmission);
            Sent { busy_ns: before.busy_ns + transmission.less(ahead).as_nanos(), ..before }
        });
    }

    /// Somebody looks, at the next of the instants that were announced.
    pub(crate) fn look(&mut self) {
        self.seen = self.noted.look(self.sent);
    }

    /// At the latest look.
    pub(crate) fn totals(&self) -> Totals {
        Totals { departed_bytes: self.seen.bytes, busy_ns: self.seen.busy_ns, ..Totals::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 Gb/s, so that a byte takes 1 ns, and 7 ns. Looks at 100, 200 and, at the end, 250 ns; packets in the transmitter
    /// from 80 to 90, 95 to 105, 199 to 200 and 240 to 260 ns.
    #[test]
    fn a_look_sees_what_has_left_by_then() {
        let rate = Rate::from_bits_per_second(8_000_000_000);
        let looks = Looks::new(Some(Span::from_nanos(100)), Time::from_nanos(250));
        let mut passage = Passage::new(rate, Span::from_nanos(7), looks);
        for (from, to) in [(80, 90), (95, 105), (199, 200), (240, 260)] {
            let arrival = passage.pass(Time::from_nanos(from), (to - from) as u16);
            assert_eq!(arrival, Time::from_nanos(to + 7));
        }
        let seen: Vec<_> = (0..3)
            .map(|_| {
                passage.look();
                (passage.totals().departed_bytes, passage.totals().busy_ns)
            })
            .collect();
        assert_eq!(seen, [(10, 15), (21, 21), (21, 31)]);
    }
}
