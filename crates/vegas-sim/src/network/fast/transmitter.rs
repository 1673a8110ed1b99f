//! A link's transmitter, which computes departures at a constant rate or by a recorded trace.

use std::sync::Arc;

use vegas_core::units::{Rate, Span, Time};

use crate::packet::WireSize;
use crate::scenario::{LinkKind, RateTrace};

/// A transmitter, which sends one packet after the other, in order.
#[derive(Clone, Debug)]
pub(crate) enum Transmitter {
    Constant(Rate),
    Trace(Box<TraceCursor>),
}

impl Transmitter {
    pub(crate) fn new(spec: &LinkKind) -> Self {
        match &spec.trace {
            None => Transmitter::Constant(spec.rate),
            Some(trace) => Transmitter::Trace(Box::new(TraceCursor::new(trace.clone()))),
        }
    }

    /// Sets another rate, from the next packet on.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        *self = Transmitter::Constant(rate);
    }

    /// How long it sends a packet of one of the sizes that come most, at a constant rate.
    pub(crate) fn usual_transmission(&self, wire: WireSize) -> Span {
        match self {
            Transmitter::Constant(rate) => wire.transmission(*rate),
            Transmitter::Trace(_) => unreachable!("a trace has no usual times"),
        }
    }

    /// Returns the departure of a packet that was offered at `offered` and is dequeued at `begins`. It is called once
    /// for each packet, in order.
    #[inline]
    pub(crate) fn finish(&mut self, begins: Time, offered: Time, wire: WireSize) -> Time {
        match self {
            Transmitter::Constant(rate) => begins + wire.transmission(*rate),
            Transmitter::Trace(cursor) => cursor.finish(offered, wire),
        }
    }
}

/// Where a link stands in its trace. The semantics are Mahimahi's (R. Netravali et al., "Mahimahi: Accurate
/// Record-and-Replay for HTTP", USENIX ATC 2015, section 3): an opportunity carries 1500 bytes of what had come before
/// it, be it parts of packets; what it could carry more is lost.
#[derive(Clone, Debug)]
pub(crate) struct TraceCursor {
    trace: Arc<RateTrace>,
    /// The index of the next opportunity, and the time at which its pass through the trace began.
    next: usize,
    pass_began: Time,
    /// The opportunity used last, and the bytes that are left of it.
    used: Time,
    left: u32,
}

impl TraceCursor {
    fn new(trace: Arc<RateTrace>) -> Self {
        TraceCursor { trace, next: 0, pass_began: Time::ZERO, used: Time::ZERO, left: 0 }
    }

    #[inline(never)]
    fn finish(&mut self, offered: Time, wire: WireSize) -> Time {
        if self.used <= offered {
            self.left = 0;
            self.skip_to(offered);
        }
        let mut needed = u32::from(wire);
        while needed > self.left {
            needed -= self.left;
            self.use_next(offered);
        }
        self.left -= needed;
        self.used
    }

    /// Takes the next opportunity after `offered`. An opportunity at that very instant has gone by.
    fn use_next(&mut self, offered: Time) {
        loop {
            self.used = self.pass_began + Span::from_millis(self.trace.opportunities_ms()[self.next].into());
            self.next += 1;
            if self.next == self.trace.opportunities_ms().len() {
                self.next = 0;
                self.pass_began = self.pass_began + self.trace.period();
            }
            if self.used > offered {
                self.left = RateTrace::OPPORTUNITY_BYTES;
                return;
            }
        }
    }

    /// Skips whole passes through the trace that went by while the link was idle.
    fn skip_to(&mut self, offered: Time) {
        let passes = offered.since(self.pass_began).as_nanos() / self.trace.period().as_nanos();
        if passes > 0 {
            // goes to the pass before, as its last opportunity is at the instant at which the next pass begins
            self.pass_began = self.pass_began + self.trace.period().times(passes - 1);
            self.next = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(text: &str) -> TraceCursor {
        TraceCursor::new(Arc::new(RateTrace::parse(text).expect("a trace")))
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Worked by hand: opportunities at 2, 2, 5 ms, and again at 7, 7, 10, and so on.
    #[test]
    fn opportunities_wrap() {
        let mut cursor = cursor("2\n2\n5\n");
        let left: Vec<Time> = (0..7).map(|_| cursor.finish(ms(0), WireSize::new(1500))).collect();
        assert_eq!(left, [2, 2, 5, 7, 7, 10, 12].map(ms));
    }

    /// Three packets of 600 bytes: two fit the first opportunity, and the third takes the last 300 bytes of it and 300
    /// of the next. A packet of 3001 bytes takes the 1200 bytes left there, 1500, and 301 of the opportunity after
    /// these.
    #[test]
    fn packets_share_and_span_opportunities() {
        let mut cursor = cursor("1\n3\n4\n9\n");
        let sizes = [600, 600, 600, 3001, 1199, 1];
        let left: Vec<Time> = sizes.iter().map(|wire| cursor.finish(ms(0), WireSize::new(*wire))).collect();
        assert_eq!(left, [1, 1, 3, 9, 9, 10].map(ms));
    }

    /// An opportunity loses the capacity that is left while nothing waits; an opportunity at the instant of an arrival
    /// is lost, too.
    #[test]
    fn unused_opportunities_are_lost() {
        let mut cursor = cursor("1\n3\n4\n9\n");
        assert_eq!(cursor.finish(ms(0), WireSize::new(100)), ms(1));
        assert_eq!(cursor.finish(ms(1), WireSize::new(100)), ms(3));
        assert_eq!(cursor.finish(ms(4), WireSize::new(100)), ms(9));
        // two passes later: the opportunity at 9 + 9 + 9 has gone by at that instant, and the next is at 27 + 1
        assert_eq!(cursor.finish(ms(27), WireSize::new(1500)), ms(28));
        assert_eq!(cursor.finish(ms(27), WireSize::new(1500)), ms(30));
        assert_eq!(cursor.finish(ms(900), WireSize::new(1500)), ms(901));
    }

    /// Two opportunities at one instant, where passes meet: the last of one pass, and one at 0 of the next.
    #[test]
    fn seam_between_passes() {
        let mut cursor = cursor("0\n4\n");
        assert_eq!(cursor.finish(ms(0), WireSize::new(1500)), ms(4));
        assert_eq!(cursor.finish(ms(0), WireSize::new(1500)), ms(4));
        assert_eq!(cursor.finish(ms(7), WireSize::new(1500)), ms(8));
        assert_eq!(cursor.finish(ms(7), WireSize::new(1500)), ms(8));
        assert_eq!(cursor.finish(ms(7), WireSize::new(1500)), ms(12));
    }
}
