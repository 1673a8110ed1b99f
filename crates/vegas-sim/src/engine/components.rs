//! The numbering of components, which is the order of simultaneous events.

use crate::util::event::ComponentId;

/// The numbers of components. Changes of the network come first, then starts and stops, the sources of traffic, the
/// network's events, the timers, and last the sampler, so that a sample sees all that happened at its time. The timers
/// of a connection have consecutive numbers, so that connections can be added at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Components {
    pub(super) flows: u32,
    /// The number of flows and of places for connections of traffic.
    pub(super) connections: u32,
    /// The first component of each kind.
    sources: ComponentId,
    network: ComponentId,
    timers: ComponentId,
}

/// The number of timers of a connection.
const TIMERS: u32 = 4;

pub(super) enum Component {
    Change,
    StartStop(u32),
    Source(u32),
    Retransmission(u32),
    Receiver(u32),
    Write(u32),
    Pacing(u32),
    Sampler,
}

impl Components {
    pub(super) fn new(flows: usize, sources: usize) -> Self {
        let [flows, sources] = [flows, sources].map(|count| count as u32);
        let first_source = 1 + flows;
        let network = first_source + sources;
        Components { flows, connections: flows, sources: first_source, network, timers: network + 1 }
    }

    pub(super) fn count(self) -> usize {
        self.sampler() as usize + 1
    }

    pub(super) fn change(self) -> ComponentId {
        0
    }

    pub(super) fn start_stop(self, flow: u32) -> ComponentId {
        1 + flow
    }

    pub(super) fn source(self, source: u32) -> ComponentId {
        self.sources + source
    }

    /// Returns the number of all that the network does at an instant; it has no timer.
    #[inline]
    pub(super) fn network(self) -> ComponentId {
        self.network
    }

    pub(super) fn retransmission(self, flow: u32) -> ComponentId {
        self.timers + TIMERS * flow
    }

    pub(super) fn receiver(self, flow: u32) -> ComponentId {
        self.retransmission(flow) + 1
    }

    pub(super) fn write(self, flow: u32) -> ComponentId {
        self.retransmission(flow) + 2
    }

    pub(super) fn pacing(self, flow: u32) -> ComponentId {
        self.retransmission(flow) + 3
    }

    pub(super) fn sampler(self) -> ComponentId {
        self.retransmission(self.connections)
    }

    pub(super) fn decode(self, id: ComponentId) -> Component {
        if id == self.change() {
            Component::Change
        } else if id < self.sources {
            Component::StartStop(id - self.start_stop(0))
        } else if id < self.network {
            Component::Source(id - self.sources)
        } else if id < self.sampler() {
            let (flow, timer) = ((id - self.timers) / TIMERS, (id - self.timers) % TIMERS);
            match timer {
                0 => Component::Retransmission(flow),
                1 => Component::Receiver(flow),
                2 => Component::Write(flow),
                _ => Component::Pacing(flow),
            }
        } else {
            Component::Sampler
        }
    }
}
