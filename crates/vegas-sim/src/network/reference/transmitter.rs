//! When a packet has left: at a constant rate, or by a recorded trace.

use std::sync::Arc;

use vegas_core::units::{Rate, Span, Time};

use crate::packet::WireSize;
use crate::scenario::{LinkKind, RateTrace};

/// What sends the packets of a link, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Transmitter {
    /// Means nothing where there is a trace.
    pub(super) rate: Rate,
    trace: Option<Arc<RateTrace>>,
    /// How many of the trace's opportunities have been used or gone by.
    gone: u64,
    /// The last one used, and the bytes left of it.
    used: Time,
    left_bytes: u32,
}

impl Transmitter {
    pub(super) fn new(spec: &LinkKind) -> Self {
        Transmitter { rate: spec.rate, trace: spec.trace.clone(), gone: 0, used: Time::ZERO, left_bytes: 0 }
    }

    /// When a packet has left that came at `since` and is dequeued at `begins`. Asked once for each packet, in order.
    ///
    /// An opportunity of a trace sends what came before it; packets share one, and go on in the next (`docs/networks.md`,
    /// rate traces).
    pub(super) fn finish(&mut self, begins: Time, since: Time, wire: WireSize) -> Time {
        let Some(trace) = self.trace.clone() else { return begins + wire.transmission(self.rate) };
        if self.used <= since {
            self.left_bytes = 0;
        }
        let mut to_send = u32::from(wire);
        while to_send > self.left_bytes {
            to_send -= self.left_bytes;
            (self.used, self.left_bytes) = (self.next_after(since, &trace), RateTrace::OPPORTUNITY_BYTES);
        }
        self.left_bytes -= to_send;
        self.used
    }

    /// The next opportunity after `since`: at its end the trace begins anew.
    fn next_after(&mut self, since: Time, trace: &RateTrace) -> Time {
        let times = trace.opportunities_ms();
        loop {
            let (pass, place) = (self.gone / times.len() as u64, self.gone % times.len() as u64);
            let next = Time::ZERO + trace.period().times(pass) + Span::from_millis(times[place as usize].into());
            self.gone += 1;
            if next > since {
                return next;
            }
        }
    }
}
