//! A transmitter, which computes departures at a constant rate or by a recorded trace.

use std::sync::Arc;

use vegas_core::units::{Rate, Span, Time};

use crate::packet::WireSize;
use crate::scenario::{LinkKind, RateTrace};

/// The transmitter of a link, which sends one packet after the other.
#[derive(Clone, Debug)]
pub(super) struct Transmitter {
    /// The rate; not used if there is a trace.
    pub(super) rate: Rate,
    trace: Option<Arc<RateTrace>>,
    /// The number of the trace's opportunities that have been used or have gone by.
    gone: u64,
    /// The opportunity used last, and the bytes left of it.
    used: Time,
    left_bytes: u32,
}

impl Transmitter {
    pub(super) fn new(spec: &LinkKind) -> Self {
        Transmitter { rate: spec.rate, trace: spec.trace.clone(), gone: 0, used: Time::ZERO, left_bytes: 0 }
    }

    /// Returns the departure of a packet that came at `since` and is dequeued at `begins`. It is called once for each
    /// packet, in order.
    ///
    /// An opportunity of a trace sends packets that came before it. Packets share an opportunity, and continue in the
    /// next one (`docs/networks.md`, rate traces).
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

    /// Returns the next opportunity after `since`. At its end the trace begins again.
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
