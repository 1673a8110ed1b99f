//! The hosts: both ends of every connection, the sources of traffic, their timers, and what is recorded of them.

use vegas_core::units::Time;

use super::components::Components;
use super::external::datagram;
use crate::endpoint::Flow;
use crate::endpoint::external::Connection;
use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::{CapturePoint, CapturedPacket, DatagramHead, Incident, IncidentKind, Outcome};
use crate::measure::recorder::{Recorder, flow_outcome, seconds};
use crate::measure::sampling::{SamplingInstants, Snapshots};
use crate::network;
use crate::packet::{Packet, PacketKind, SackPool};
use crate::scenario::{LinkId, Sampling, Scenario};
use crate::tcp::Outbox;
use crate::traffic::Source;
use crate::util::random::Stream;
use crate::util::timers::Timers;
use crate::util::watch::{Stopped, Watch};

/// All hosts of a run.
#[derive(Debug)]
pub(super) struct Hosts {
    pub(super) components: Components,
    /// The due times of the components' next events, without those of the network.
    pub(super) timers: Timers,
    /// The scenario's flows; behind them the connections that sources of traffic have opened.
    pub(super) flows: Vec<Flow>,
    /// The places of connections that are over; they may be reused.
    pub(super) free: Vec<u32>,
    pub(super) sources: Vec<Source>,
    pub(super) sacks: SackPool,
    pub(super) outbox: Outbox,
    pub(super) recorder: Recorder,
    pub(super) outcome: Outcome,
    pub(super) captures: bool,
    /// Whether packets are captured, rows are written at every change, or the run ends when its transfers do.
    pub(super) is_observed: bool,
}

impl Hosts {
    /// Returns the hosts of these flows. `rows` are the numbers of rows that the series of flows and of links will
    /// have.
    pub(super) fn new(scenario: &Scenario, flows: Vec<Flow>, rows: [u64; 2]) -> Self {
        let mut sources: Vec<Source> = (0..scenario.traffic.len()).map(|id| source(scenario, id)).collect();
        let components = Components::new(flows.len(), sources.len());
        let mut timers = Timers::new(components.count());
        if let Some(first) = scenario.changes.first() {
            timers.schedule(components.change(), first.at);
        }
        for (id, flow) in flows.iter().enumerate() {
            timers.schedule(components.start_stop(id as u32), flow.start);
        }
        for (id, source) in sources.iter_mut().enumerate() {
            if let Some(first) = source.first() {
                timers.schedule(components.source(id as u32), first);
            }
        }
        if let Sampling::Every(step) = scenario.sampling {
            timers.schedule(components.sampler(), Time::ZERO + step);
        }
        Hosts {
            components,
            timers,
            recorder: Recorder::new(scenario.sampling, scenario.links.len(), flows.len(), rows),
            flows,
            free: Vec::new(),
            sources,
            sacks: SackPool::default(),
            outbox: Outbox::default(),
            outcome: Outcome::default(),
            captures: scenario.capture,
            is_observed: scenario.capture || scenario.until_complete || scenario.sampling == Sampling::EveryChange,
        }
    }

    /// Records the rows of the flows at a sampling instant.
    pub(super) fn sample_flows(&mut self, now: Time) {
        for (id, flow) in self.flows[..self.components.flows as usize].iter_mut().enumerate() {
            let mut totals = flow.totals(now);
            totals.counts.wire_bytes = flow.received.read(|| totals.counts.wire_bytes);
            self.recorder.flow_row(now, id, &totals);
        }
    }

    /// Records a row for a flow, if rows are written at every change and its window or its phase has changed.
    pub(super) fn note_change(&mut self, now: Time, id: usize) {
        if self.recorder.every_change() {
            let totals = self.flows[id].totals(now);
            if self.recorder.is_new_state(id, &totals) {
                self.recorder.flow_row(now, id, &totals);
            }
        }
    }

    /// Returns what was measured of the hosts by `now`; `inside` is the number of packets in the network.
    pub(super) fn finish(mut self, now: Time, inside: u64) -> Outcome {
        assert!(self.sacks.in_use() as u64 <= inside, "blocks of packets that are gone");
        self.note_lost_connections(now);
        order_incidents(&mut self.outcome.incidents, seconds(now));
        let opened = self.flows.split_off(self.components.flows as usize);
        for (flow, source) in opened.iter().filter_map(|flow| Some((flow, flow.source?))) {
            self.sources[source as usize].close(flow, now);
        }
        self.outcome.traffic = self.sources.iter().map(|source| source.outcome(now)).collect();
        let Hosts { recorder, flows, mut outcome, .. } = self;
        outcome.media = flows.iter().enumerate().flat_map(|(id, flow)| flow.media(id as u32, now)).collect();
        outcome.flows = flows.iter().map(|flow| flow_outcome(&flow.totals(now), flow.start, now)).collect();
        drop(flows);
        recorder.finish(outcome)
    }

    /// Adds an incident for each lost connection, with the time of the loss.
    fn note_lost_connections(&mut self, now: Time) {
        let flows = self.flows.iter().enumerate();
        let lost = flows.filter_map(|(id, flow)| {
            let totals = flow.external.as_ref()?.totals(now);
            let time_s = seconds(totals.over.filter(|_| totals.lost)?);
            let kind = IncidentKind::ConnectionLost;
            let (flow, sequence) = (id as u32, totals.counts.delivered_bytes);
            Some(Incident { time_s, kind, flow, link: None, sequence, retransmission: None })
        });
        self.outcome.incidents.extend(lost);
    }

    /// Returns whether a packet belongs to a flow of the scenario, and not to traffic.
    pub(super) fn is_of_flow(&self, packet: &Packet) -> bool {
        packet.flow() < self.components.flows && packet.kind() != PacketKind::Datagram
    }

    pub(super) fn is_external(&self, packet: &Packet) -> bool {
        packet.kind() != PacketKind::Datagram && self.flows[packet.flow() as usize].external.is_some()
    }

    pub(super) fn connection(&mut self, id: u32) -> &mut dyn Connection {
        self.flows[id as usize].external.as_deref_mut().expect("the flow is external")
    }

    #[inline]
    pub(super) fn capture(&mut self, now: Time, point: CapturePoint, packet: &Packet) {
        if self.captures {
            self.write_capture(now, point, packet);
        }
    }

    #[cold]
    pub(super) fn capture_outbox(&mut self, now: Time) {
        for at in 0..self.outbox.packets.len() {
            let packet = self.outbox.packets[at];
            self.write_capture(now, CapturePoint::SenderOut, &packet);
        }
    }

    #[cold]
    fn write_capture(&mut self, now: Time, point: CapturePoint, packet: &Packet) {
        if self.is_of_flow(packet) {
            let flow = &self.flows[packet.flow() as usize];
            let sack = self.sacks.get(packet.sack());
            let captured = flow.captured(now, point, packet, sack);
            let datagram = flow.external.as_ref().map(|external| DatagramHead::of(external.bytes(datagram(packet))));
            self.outcome.capture.push(CapturedPacket { datagram, ..captured });
        }
    }

    /// Records an incident of a flow's packet; incidents of traffic are only counted.
    fn note_incident(&mut self, at: Time, link: LinkId, packet: &Packet, kind: IncidentKind) {
        if self.is_of_flow(packet) {
            let (time_s, link) = (seconds(at), Some(link as u32));
            let (flow, sequence) = (packet.flow(), packet.number());
            self.outcome.incidents.push(Incident { time_s, kind, flow, link, sequence, retransmission: None });
        }
    }
}

impl network::Hosts for Hosts {
    #[inline]
    fn answer(&mut self, at: Time, packet: &Packet) -> Option<Packet> {
        let flow = &mut self.flows[packet.flow() as usize];
        if packet.kind() != PacketKind::Data {
            return (packet.kind() == PacketKind::Syn).then(|| flow.answer_syn(at, packet));
        }
        self.outcome.delivered_packets += 1;
        flow.note_received(at);
        Some(flow.answer(at, packet.flow(), packet, &mut self.sacks))
    }

    fn duplicate(&mut self, packet: &Packet) -> Packet {
        if let Some(flow) = self.background(packet) {
            flow.on_their_way += 1;
        }
        if self.is_external(packet) {
            self.connection(packet.flow()).duplicate(datagram(packet));
        }
        self.sacks.duplicate(packet)
    }

    #[inline(never)]
    fn dropped(&mut self, at: Time, link: LinkId, packet: Packet, kind: IncidentKind) {
        self.sacks.release(packet.sack());
        if self.is_external(&packet) {
            self.connection(packet.flow()).discard(datagram(&packet));
        }
        if !self.is_of_flow(&packet) {
            self.lose_traffic(&packet, at);
        }
        self.note_incident(at, link, &packet, kind);
    }

    fn marked(&mut self, at: Time, link: LinkId, packet: &Packet) {
        self.note_incident(at, link, packet, IncidentKind::Mark);
    }

    fn link_changed(&mut self, at: Time, link: LinkId, totals: &LinkTotals) {
        self.recorder.link_row(at, link, totals);
    }
}

/// Orders incidents and removes those after the run's end. Drops on links that are fed ahead of time are recorded
/// before earlier incidents, and may have times after the end. Of one instant the senders' incidents come first, then
/// those of links in their order, so that rows do not depend on which links are fed ahead.
fn order_incidents(incidents: &mut Vec<Incident>, end_s: f64) {
    incidents.retain(|incident| incident.time_s <= end_s);
    // a sort by time alone needs few comparisons of rows that are in order; few incidents share an instant
    incidents.sort_by(|one, other| one.time_s.total_cmp(&other.time_s));
    for tied in incidents.chunk_by_mut(|one, next| one.time_s == next.time_s) {
        tied.sort_by_key(|incident| incident.link);
    }
}

/// Returns the scenario's flows. `own_hosts` is false if their ends are not the engine's. The set-up takes
/// `set_up_bytes` without what users' own algorithms take.
pub(super) fn flows(
    scenario: &Scenario,
    own_hosts: bool,
    set_up_bytes: u64,
    watch: &mut Watch<'_>,
) -> Result<Vec<Flow>, Stopped> {
    let step = match scenario.sampling {
        Sampling::Every(step) => Some(step),
        Sampling::EveryChange | Sampling::Off => None,
    };
    // the last sampling instant of a run that ends with its flows is not known, and nothing is done ahead of time
    let is_open = scenario.until_complete || !own_hosts;
    let instants =
        if is_open { SamplingInstants::none() } else { SamplingInstants::new(step, Time::ZERO + scenario.duration) };
    let mut flows: Vec<Flow> = Vec::with_capacity(scenario.flows.len());
    let mut held_bytes = set_up_bytes;
    for (id, spec) in scenario.flows.iter().enumerate() {
        watch.step()?;
        if spec.own.is_some() {
            // the next one takes as much as the last one
            let next_bytes = flows.last().map_or(0, |last| last.memory_bytes() as u64);
            held_bytes += next_bytes;
            watch.check_memory(held_bytes + next_bytes)?;
            watch.look()?;
        }
        let seed = || Stream::named(scenario.seed, &format!("control {id}")).below(u64::MAX);
        let mut flow = Flow { received: Snapshots::new(instants), ..Flow::new(id as u32, spec, seed) };
        if let Some(before) = flows.last() {
            flow.share_with(before);
        }
        flows.push(flow);
    }
    Ok(flows)
}

/// Returns a scenario's source of traffic, with a random stream of its own.
fn source(scenario: &Scenario, id: usize) -> Source {
    let stream = Stream::named(scenario.seed, &format!("traffic {id}"));
    Source::new(id as u32, &scenario.traffic[id], scenario.duration, stream)
}
