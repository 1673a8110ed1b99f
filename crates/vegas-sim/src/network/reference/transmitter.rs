//! When a packet has left: at a constant rate, or by a recorded trace.

use std::sync::Arc;

use vegas_core::units::{Rate, Span, Time};

use crate::packet::WireSize;
use crate::scenario::{LinkKind, RateTrace};

/// What sends the packets of a link, one after the other.
#[derive(Clone, Debug)]
pub(super) enum Transmitter {
    Constant(Rate),
    Traced(Opportunities),
}

/// Where a link stands in its trace (`docs/networks.md`, rate traces).
#[derive(Clone, Debug)]
pub(super) struct Opportunities {
    trace: Arc<RateTrace>,
    /// How many have been used or gone by.
    gone: u64,
    /// The last one used, and the bytes left of it.
    used: Time,
    left_bytes: u32,
}

impl Transmitter {
    pub(super) fn new(spec: &LinkKind) -> Self {
        match &spec.trace {
            None => Transmitter::Constant(spec.rate),
            Some(trace) => {
                let trace = Arc::clone(trace);
                Transmitter::Traced(Opportunities { trace, gone: 0, used: Time::ZERO, left_bytes: 0 })
            }
        }
    }

    /// When a packet has left that came at `since` and is dequeued at `begins`. Asked once for each packet, in order.
    pub(super) fn finish(&mut self, begins: Time, since: Time, wire: WireSize) -> Time {
        match self {
            Transmitter::Constant(rate) => begins + wire.transmission(*rate),
            Transmitter::Traced(opportunities) => opportunities.send(since, wire.into()),
        }
    }
}

impl Opportunities {
    /// An opportunity sends what came before it; packets share one, and go on in the next.
    fn send(&mut self, since: Time, wire: u32) -> Time {
        if self.used <= since {
            self.left_bytes = 0;
        }
        let mut to_send = wire;
        while to_send > self.left_bytes {
            to_send -= self.left_bytes;
            self.use_first_after(since);
        }
        self.left_bytes -= to_send;
        self.used
    }

    fn use_first_after(&mut self, since: Time) {
        loop {
            self.used = self.next();
            self.gone += 1;
            if self.used > since {
                self.left_bytes = RateTrace::OPPORTUNITY_BYTES;
                return;
            }
        }
    }

    /// When the next opportunity is: at its end the trace begins anew.
    fn next(&self) -> Time {
        let times = self.trace.opportunities_ms();
        let (pass, place) = (self.gone / times.len() as u64, self.gone % times.len() as u64);
        Time::ZERO + self.trace.period().times(pass) + Span::from_millis(times[place as usize].into())
    }
}
