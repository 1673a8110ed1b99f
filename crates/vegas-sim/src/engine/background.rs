//! Background traffic in the engine: sources begin datagrams and connections during the run.
//!
//! A connection that a source opens takes a place behind the scenario's flows: a free place, or a new one at the end.
//! Places are reused, and new ones are numbered many at a time. So the memory follows the greatest number of
//! connections open at once, and no packet allocates.

use vegas_core::units::Time;

use super::event_loop::{EventLoop, FLOW_BYTES};
use super::hosts::Hosts;
use crate::endpoint::Flow;
use crate::network::Network;
use crate::packet::{Packet, PacketKind};
use crate::scenario::Transport;
use crate::traffic::{Begin, Writes};
use crate::util::random::Stream;

/// The memory of a segment in flight, about, bytes: a connection counts as the segments that take its memory.
const SEGMENT_BYTES: usize = 64;

impl<N: Network> EventLoop<N> {
    pub(super) fn on_source(&mut self, id: u32) {
        let source = &mut self.hosts.sources[id as usize];
        let (begin, next) = source.begin(self.now);
        match next {
            Some(time) => self.hosts.timers.schedule(self.hosts.components.source(id), time),
            None => self.hosts.timers.cancel(self.hosts.components.source(id)),
        }
        match begin {
            Begin::Datagram(packet) => self.launch(packet),
            Begin::Connection(spec, writes, number) => {
                let place = self.hosts.free.pop().unwrap_or(self.hosts.flows.len() as u32);
                // named by the source and not by the place, which depends on the scenario's other flows
                let name = || format!("control of traffic {id}, connection {number}");
                let seed = || Stream::named(self.seed, &name()).below(u64::MAX);
                let mut flow = Flow { source: Some(id), ..Flow::new(place, spec, seed) };
                if spec.transport == Transport::Quic {
                    let stack = self.stack.as_deref().expect("a run with QUIC connections keeps their stack");
                    flow.external = Some(stack.connect(spec, 0, seed()));
                }
                match writes {
                    Writes::AllAtOnce => {}
                    Writes::Timed { times, ends } => flow.sender.set_writes(times, ends),
                    Writes::Awaited(epochs) => flow.sender.set_epochs(self.now, &epochs),
                }
                self.network.open(place, id);
                self.open(place, flow);
            }
        }
    }

    /// Puts a source's connection into its place and starts it.
    fn open(&mut self, place: u32, flow: Flow) {
        self.count_work((FLOW_BYTES + flow.memory_bytes()) / SEGMENT_BYTES);
        if place == self.hosts.components.connections {
            self.hosts.make_places();
        }
        match self.hosts.flows.get_mut(place as usize) {
            Some(over) => *over = flow,
            None => self.hosts.flows.push(flow),
        }
        if self.hosts.flows[place as usize].external.is_some() {
            return self.drive(place, |connection, now| connection.start(now));
        }
        let sender = &mut self.hosts.flows[place as usize].sender;
        sender.start(self.now, &mut self.hosts.outbox);
        self.schedule_write(place);
        self.flush(place as usize);
    }

    /// Lets the application of a connection act.
    pub(super) fn on_write(&mut self, id: u32) {
        self.hosts.flows[id as usize].sender.write(self.now, &mut self.hosts.outbox);
        self.hosts.timers.cancel(self.hosts.components.write(id));
        self.schedule_write(id);
        self.flush(id as usize);
    }

    /// Schedules the next action of a connection's application.
    pub(super) fn schedule_write(&mut self, id: u32) {
        if let Some(time) = self.hosts.flows[id as usize].sender.next_write() {
            self.hosts.timers.schedule(self.hosts.components.write(id), time);
        }
    }
}

impl Hosts {
    /// Doubles the number of places that have components; adds at least 16. The sampler stays the last component.
    fn make_places(&mut self) {
        const LEAST: u32 = 16;
        let sampler = self.timers.pending(self.components.sampler());
        self.timers.cancel(self.components.sampler());
        self.components.connections += self.components.connections.max(LEAST);
        self.timers.grow(self.components.count());
        if let Some(time) = sampler {
            self.timers.schedule(self.components.sampler(), time);
        }
    }

    /// Frees the place of a source's connection, if all of its data is acknowledged and none of its packets is in the
    /// network.
    pub(super) fn close_if_over(&mut self, id: u32, now: Time) {
        let flow = &mut self.flows[id as usize];
        if flow.on_their_way > 0 || flow.receiver.holds_segments() || !flow.is_over(now) {
            return;
        }
        let Some(source) = flow.source.take() else { return };
        self.sources[source as usize].close(flow, now);
        flow.external = None;
        self.timers.cancel(self.components.retransmission(id));
        self.timers.cancel(self.components.receiver(id));
        self.timers.cancel(self.components.pacing(id));
        self.free.push(id);
    }

    /// Returns the packet's connection, if a source of traffic opened it.
    pub(super) fn background(&mut self, packet: &Packet) -> Option<&mut Flow> {
        let is_opened = packet.flow() >= self.components.flows && packet.kind() != PacketKind::Datagram;
        is_opened.then(|| &mut self.flows[packet.flow() as usize])
    }

    pub(super) fn lose_traffic(&mut self, packet: &Packet, at: Time) {
        let Some(flow) = self.background(packet) else {
            self.sources[packet.flow() as usize].on_lost();
            return;
        };
        flow.on_their_way -= 1;
        if let Some(source) = flow.source.filter(|_| packet.kind() == PacketKind::Data) {
            self.sources[source as usize].on_lost();
        }
        self.close_if_over(packet.flow(), at);
    }

    /// Counts an endpoint's packet that leaves its host, if it belongs to background traffic.
    pub(super) fn count_leaving(&mut self, packet: &Packet) {
        let Some(flow) = self.background(packet) else { return };
        flow.on_their_way += 1;
        if let Some(source) = flow.source.filter(|_| packet.kind() == PacketKind::Data) {
            self.sources[source as usize].on_sent(packet);
        }
    }
}

#[cfg(test)]
mod tests {
    use vegas_core::units::Time;

    use super::*;
    use crate::measure::outcome::CapturePoint;
    use crate::network::Fast;
    use crate::scenario::Scenario;
    use crate::util::watch::Watch;

    fn event_loop(text: &str) -> EventLoop<Fast> {
        let scenario = Scenario::from_toml(text, "opened.toml", &[]).expect("a scenario");
        Watch::without_limits(|watch| EventLoop::new(&scenario, None, true, watch)).expect("nothing stops it")
    }

    /// An application writes 1, 10, 1 and 900 bytes: a segment each, at its time. The transfer ends with the last one.
    #[test]
    fn segments_leave_as_they_are_written() {
        for (handshake, first_ms) in [("none", 1_000), ("full", 1_020)] {
            let text = format!(
                r#"
                name = "writes"
                duration = "10s"
                capture = true
                topology.kind = "dumbbell"
                topology.access = {{ rate = "1tbit", delay = "1ms" }}
                topology.bottleneck = {{ rate = "1tbit", delay = "8ms", queue = "100p" }}
                flow = [{{ algorithm = "reno", start = "1s", host = {{ handshake = "{handshake}", slow_start_after_idle = false }} }}]
                "#
            );
            let mut simulation = event_loop(&text);
            let millis = |ms: u64| Time::from_nanos(ms * 1_000_000);
            let times = [1_000, 1_500, 1_500, 3_000].map(millis).to_vec();
            simulation.hosts.flows[0].sender.set_writes(times, vec![1, 11, 12, 912]);
            simulation.hosts.timers.schedule(simulation.hosts.components.write(0), millis(1_000));
            while !simulation.advance(u64::MAX).finished {}
            let outcome = simulation.finish();
            let data =
                outcome.capture.iter().filter(|packet| packet.payload > 0 && packet.point == CapturePoint::SenderOut);
            let data: Vec<_> = data
                .map(|packet| (packet.at.as_nanos() / 1_000_000, packet.sequence, packet.payload, packet.wire.get()))
                .collect();
            assert_eq!(data, [(first_ms, 0, 1, 41), (1_500, 1, 10, 50), (1_500, 11, 1, 41), (3_000, 12, 900, 940)]);
            assert_eq!(outcome.flows[0].delivered_bytes, 912);
            let completion = outcome.flows[0].completion_s.unwrap();
            assert!((2.02..2.0201).contains(&completion), "{completion}");
        }
    }

    /// Some 2000 transfers of 30 ms each, a hundred a second: three are open at a time, and hardly ever 16.
    #[test]
    fn places_follow_what_is_open_at_once() {
        let text = r#"
            name = "places"
            duration = "20s"
            topology.kind = "dumbbell"
            topology.access = { rate = "1gbit", delay = "1ms" }
            topology.bottleneck = { rate = "100mbit", delay = "8ms", queue = "100p" }
            flow = [{ algorithm = "reno", size = "1b" }]
            [[traffic]]
            kind = "poisson-transfers"
            interarrival = "10ms"
            size = "1kb"
            flow = { algorithm = "reno" }
        "#;
        let mut simulation = event_loop(text);
        while !simulation.advance(u64::MAX).finished {}
        let places = simulation.hosts.flows.len() - 1;
        assert!((4..20).contains(&places), "{places}");
        assert!(simulation.hosts.free.len() <= places);
        let outcome = simulation.finish();
        let started = outcome.traffic[0].transfers.as_ref().unwrap().started;
        assert!((1_800..2_200).contains(&started), "{started}");
    }
}
