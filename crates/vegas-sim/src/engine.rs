//! The engine: one event after another, in the order of (time, component), until the scenario's end.

mod ahead;
mod carrier;
mod components;
mod flow;
mod foreign_flows;
mod opened;
mod path;

use ahead::Plan;
pub use carrier::{Carried, Carrier, Delivery, Direction};
use components::{Component, Components};
pub(crate) use flow::Flow;

use std::collections::VecDeque;

use vegas_core::units::Time;

use crate::apart::Apart;
use crate::event_queue::{ComponentId, Event, EventQueue};
use crate::foreign::Stack;
use crate::hop::{Exit, Hop};
use crate::lanes::Lanes;
use crate::link::Link;
use crate::links::Links;
use crate::outcome::{CapturePoint, CapturedPacket, Incident, Outcome};
use crate::packet::{Packet, PacketKind, SackId, SackPool, Small, Whose};
use crate::passage::Passing;
use crate::queue::Queue;
use crate::recorder::{Recorder, capture, seconds};
use crate::rng::Stream;
use crate::routes::{Routes, Step, Ways};
use crate::scenario::{Change, LinkChange, LinkId, RouteChange, Sampling, Scenario, ScheduledChange, Transport};
use crate::tcp::{AckTiming, Outbox};
use crate::traffic::Source;

/// A run in progress.
#[derive(Debug)]
pub struct Simulation {
    now: Time,
    end: Time,
    until_complete: bool,
    finished: bool,
    events: u64,
    queue: EventQueue,
    components: Components,
    links: Links,
    lanes: Lanes,
    /// What has found no lane.
    apart: Apart,
    plan: Plan,
    routes: Routes,
    /// The scenario's flows, then the connections that sources of traffic have opened.
    flows: Vec<Flow>,
    /// Connections that are over and may be opened anew.
    free: Vec<u32>,
    sources: Vec<Source>,
    /// Routes of the connections that each source opens.
    source_ways: Vec<Option<Ways>>,
    sacks: SackPool,
    outbox: Outbox,
    recorder: Recorder,
    outcome: Outcome,
    /// What is still to change, in the order of time.
    changes: VecDeque<ScheduledChange>,
    captures: bool,
    /// Packets are captured, rows written at every change, or the run ends when its transfers do.
    is_observed: bool,
    /// What has come out for hosts that are not the engine's own; none where they are.
    delivered: Option<Vec<Delivery>>,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The simulated time reached.
    pub now: Time,
    /// Whether the scenario's end is reached.
    pub finished: bool,
}

/// Runs a scenario of TCP flows to its end.
pub fn run(scenario: &Scenario) -> Outcome {
    let mut simulation = Simulation::new(scenario);
    while !simulation.advance(u64::MAX).finished {}
    simulation.finish()
}

impl Simulation {
    /// Sets up a run of TCP flows; nothing has happened yet. Panics where a flow is not TCP.
    pub fn new(scenario: &Scenario) -> Self {
        Simulation::with_stack(scenario, None)
    }

    /// Sets up a run; `stack` has the ends of the flows that are not TCP. Panics where there is such a flow and no stack.
    pub fn with_stack(scenario: &Scenario, stack: Option<&dyn Stack>) -> Self {
        Simulation::with_hosts(scenario, stack, true)
    }

    /// Sets up a run; unless `own_hosts`, others give packets and take them.
    fn with_hosts(scenario: &Scenario, stack: Option<&dyn Stack>, own_hosts: bool) -> Self {
        let plan = Plan::new(scenario, own_hosts);
        let mut links = links(scenario, &plan);
        let mut flows: Vec<Flow> =
            scenario.flows.iter().enumerate().map(|(id, spec)| Flow::new(id as u32, spec)).collect();
        for id in 1..flows.len() {
            let (before, after) = flows.split_at_mut(id);
            after[0].share_with(&before[id - 1]);
        }
        foreign_flows::connect(scenario, stack, &mut flows);
        let mut sources: Vec<Source> = (0..scenario.traffic.len()).map(|id| source(scenario, id)).collect();
        let components = Components::new(links.len(), links.are_impaired(), flows.len(), sources.len());
        let mut queue = EventQueue::new(components.count(), plan.lanes());
        if let Some(first) = scenario.changes.first() {
            queue.schedule(components.change(), first.at);
        }
        for (id, flow) in flows.iter().enumerate() {
            queue.schedule(components.start_stop(id as u32), flow.start);
        }
        for (id, source) in sources.iter_mut().enumerate() {
            if let Some(first) = source.first() {
                queue.schedule(components.source(id as u32), first);
            }
        }
        let recorder = Recorder::new(scenario.sampling, scenario.links.len(), flows.len());
        if let Sampling::Every(step) = scenario.sampling {
            queue.schedule(components.sampler(), Time::ZERO + step);
        }
        let mut routes = Routes::default();
        let mut steps = |way: &[LinkId]| plan.steps(way, &mut links);
        for (id, flow) in scenario.flows.iter().enumerate() {
            let is_own = own_hosts && flow.transport == Transport::Tcp;
            let end = if is_own { Step::END } else { Step::SPECIAL_END };
            let ways = routes.add(&steps(&flow.path), &steps(&flow.reverse_path), end);
            routes.set_flow(id as u32, ways);
        }
        for source in &scenario.traffic {
            routes.push_datagrams(&steps(&source.path));
        }
        let connections = scenario.traffic.iter().map(|source| source.connection());
        let source_ways = connections
            .map(|spec| spec.map(|spec| routes.add(&steps(&spec.path), &steps(&spec.reverse_path), Step::SPECIAL_END)))
            .collect();
        // so that there are all chains from the start
        let mut routes_change = false;
        for change in &scenario.changes {
            if let Change::Route(change) = &change.change {
                routes_change = true;
                steps(&change.path);
                steps(&change.reverse_path);
            }
        }
        if !routes_change {
            links.end_chains();
        }
        plan.apply_to_receivers(&mut routes, &mut flows);
        Simulation {
            now: Time::ZERO,
            end: Time::ZERO + scenario.duration,
            until_complete: scenario.until_complete,
            finished: false,
            events: 0,
            queue,
            components,
            links,
            lanes: Lanes::new(&plan.shared_lanes),
            apart: Apart::new(scenario.links.len()),
            plan,
            routes,
            flows,
            free: Vec::new(),
            sources,
            source_ways,
            sacks: SackPool::default(),
            outbox: Outbox::default(),
            recorder,
            outcome: Outcome::default(),
            changes: scenario.changes.clone().into(),
            captures: scenario.capture,
            is_observed: scenario.capture || scenario.until_complete || scenario.sampling == Sampling::EveryChange,
            delivered: (!own_hosts).then(Vec::new),
        }
    }

    /// Handles at most so many events. Callers that must stay responsive call it in slices.
    pub fn advance(&mut self, events: u64) -> Progress {
        for _ in 0..events {
            let Some(event) = self.queue.take_until(self.end) else {
                self.now = self.end;
                self.finished = true;
                break;
            };
            debug_assert!(event.time() >= self.now, "time runs backwards");
            self.now = event.time();
            self.events += 1;
            match event.lane() {
                Event::OWN => self.handle(event.component()),
                lane if self.lanes.is_shared(lane) => self.on_lane_arrival(lane),
                lane => self.on_special_arrival(self.components.link_of(event.component()), lane),
            }
        }
        Progress { now: self.now, finished: self.finished }
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// About how much memory the run holds, bytes: what grows with it, not what every run needs. A function of the
    /// run alone, so that a limit on it stops every repetition at the same event.
    pub fn memory_bytes(&self) -> u64 {
        let packets = self.packets_held() + self.links.packets_held();
        let incidents = self.outcome.incidents.len() * size_of::<Incident>();
        let capture = self.outcome.capture.len() * size_of::<CapturedPacket>();
        let held = packets * size_of::<Packet>() + incidents + capture + self.flows.len() * size_of::<Flow>();
        held as u64 + self.recorder.memory_bytes()
    }

    /// Ends the run, which has come to its end, and gives what it measured.
    ///
    /// # Panics
    /// The run has not come to its end: what it knows ahead of time cannot be taken back.
    pub fn finish(self) -> Outcome {
        assert!(self.finished, "the run has not come to its end");
        self.end_here()
    }

    /// What was measured up to now: in a run of which nobody looks at what is known ahead of time, or at its end.
    fn end_here(mut self) -> Outcome {
        self.catch_up_all();
        self.check_conservation();
        self.outcome.end_s = seconds(self.now);
        self.order_incidents();
        self.outcome.events = self.events;
        let opened = self.flows.split_off(self.components.flows as usize);
        for (flow, source) in opened.iter().filter_map(|flow| Some((flow, flow.source?))) {
            self.sources[source as usize].close(flow);
        }
        self.outcome.traffic = self.sources.iter().map(|source| source.outcome(self.now)).collect();
        // what was needed to get here makes room for what is left of it
        let Simulation { now, recorder, flows, links, outcome, queue, lanes, apart, routes, sacks, .. } = self;
        drop((queue, lanes, apart, routes, sacks));
        recorder.finish(now, flows, links, outcome)
    }

    /// Drops on links that are fed ahead of time were written down before what happened earlier; some would have come
    /// after the run's end.
    fn order_incidents(&mut self) {
        let Outcome { incidents, end_s, .. } = &mut self.outcome;
        incidents.retain(|incident| incident.time_s <= *end_s);
        incidents.sort_by(|one, other| one.time_s.total_cmp(&other.time_s));
    }

    fn handle(&mut self, id: ComponentId) {
        match self.components.decode(id) {
            Component::Change => self.on_change(),
            Component::Source(source) => self.on_source(source),
            Component::Arrival(link) => self.on_arrival(link),
            Component::Held(link) => self.on_held(link),
            Component::StartStop(flow) => self.on_start_stop(flow),
            Component::Retransmission(flow) => self.on_retransmission_timer(flow),
            Component::DelayedAck(flow) => self.on_delayed_ack(flow),
            Component::Write(flow) => self.on_write(flow),
            Component::Pacing(flow) => self.on_pacing_timer(flow),
            Component::Sampler => self.on_sample(),
        }
    }

    fn on_change(&mut self) {
        while let Some(change) = self.changes.pop_front_if(|change| change.at <= self.now) {
            match change.change {
                Change::Link(change) => self.change_link(&change),
                Change::Route(change) => self.change_route(&change),
            }
        }
        if let Some(next) = self.changes.front() {
            self.queue.schedule(self.components.change(), next.at);
        }
    }

    fn change_link(&mut self, change: &LinkChange) {
        self.catch_up(change.link);
        self.links.change(change);
        self.schedule_arrival(change.link as u32);
        self.schedule_held(change.link as u32);
        if self.recorder.every_change() {
            self.recorder.link_row(self.now, change.link, &mut self.links);
        }
    }

    fn change_route(&mut self, change: &RouteChange) {
        let mut steps = |way: &[LinkId]| self.plan.steps(way, &mut self.links);
        let (forward, backward) = (steps(&change.path), steps(&change.reverse_path));
        self.routes.change(change.flow, &forward, &backward);
    }

    /// A packet has come to the end of its route, which is not at a host of the engine's own that is a flow's.
    #[inline(never)]
    fn deliver_special(&mut self, packet: &Packet) {
        if self.delivered.is_some() && self.hand_over(packet) {
            return;
        }
        let id = packet.flow() as usize;
        if packet.kind() == PacketKind::Datagram {
            self.outcome.delivered_packets += 1;
            self.sources[id].on_delivered(packet);
        } else if packet.flow() >= self.components.flows {
            self.flows[id].on_their_way -= 1;
            self.take_in_segment(*packet);
            self.close_if_over(packet.flow());
        } else {
            self.receive_foreign(packet);
        }
    }

    #[inline(always)]
    fn take_in_segment(&mut self, packet: Packet) {
        let (sequence, whose, small) = packet.words();
        match packet.kind() {
            PacketKind::Ack => self.on_ack(sequence, whose, small),
            _ => self.take_in_other(packet.flow() as usize, &packet),
        }
    }

    /// A segment that is no acknowledgement.
    #[inline(never)]
    fn take_in_other(&mut self, id: usize, packet: &Packet) {
        match packet.kind() {
            PacketKind::Data => self.on_data(id, packet),
            PacketKind::Syn => self.answer_syn(id, packet),
            PacketKind::SynAck => {
                self.capture(CapturePoint::SenderIn, packet);
                self.flows[id].sender.on_syn_ack(self.now, &mut self.outbox);
                self.flush(id);
            }
            PacketKind::Ack | PacketKind::Datagram => unreachable!("handled by the caller"),
        }
    }

    fn on_data(&mut self, id: usize, packet: &Packet) {
        self.capture(CapturePoint::ReceiverIn, packet);
        self.outcome.delivered_packets += 1;
        let flow = &mut self.flows[id];
        if let Some(source) = flow.source {
            self.sources[source as usize].on_delivered(packet);
        }
        match flow.receive(self.now, packet) {
            AckTiming::Now => self.send_ack(id),
            AckTiming::Later => {
                let due = self.flows[id].receiver.ack_due().expect("a delayed acknowledgement has a time");
                self.queue.schedule(self.components.delayed_ack(id as u32), due);
            }
        }
    }

    fn send_ack(&mut self, id: usize) {
        let flow = &mut self.flows[id];
        if flow.receiver.ack_due().is_some() {
            self.queue.cancel(self.components.delayed_ack(id as u32));
        }
        let packet = flow.acknowledge(id as u32, &mut self.sacks);
        self.capture(CapturePoint::ReceiverOut, &packet);
        self.launch(packet);
    }

    #[inline(never)]
    fn on_ack(&mut self, sequence: u64, whose: Whose, small: Small) {
        if self.is_observed {
            return self.on_observed_ack(sequence, whose, small);
        }
        let packet = Packet::of_words(sequence, whose, small);
        let id = packet.flow() as usize;
        let sender = &mut self.flows[id].sender;
        if packet.sack() == SackId::NONE {
            sender.on_ack(self.now, packet, &mut self.outbox);
        } else {
            sender.on_ack_with(self.now, packet, self.sacks.get(packet.sack()), &mut self.outbox);
            self.sacks.release(packet.sack());
        }
        self.flush_here::<false>(id);
    }

    /// The same where somebody may want to know.
    #[inline(never)]
    fn on_observed_ack(&mut self, sequence: u64, whose: Whose, small: Small) {
        let packet = Packet::of_words(sequence, whose, small);
        let id = packet.flow() as usize;
        self.capture(CapturePoint::SenderIn, &packet);
        let sack = self.sacks.get(packet.sack());
        self.flows[id].sender.on_ack_with(self.now, packet, sack, &mut self.outbox);
        self.sacks.release(packet.sack());
        self.flush(id);
        if self.until_complete && id < self.components.flows as usize {
            self.end_if_complete();
        }
    }

    fn end_if_complete(&mut self) {
        let flows = &self.flows[..self.components.flows as usize];
        if flows.iter().all(|flow| flow.is_complete(self.now)) {
            self.end = self.now;
        }
    }

    fn answer_syn(&mut self, id: usize, syn: &Packet) {
        self.capture(CapturePoint::ReceiverIn, syn);
        let packet = self.flows[id].answer_syn(id as u32);
        self.capture(CapturePoint::ReceiverOut, &packet);
        self.launch(packet);
    }

    fn on_start_stop(&mut self, id: u32) {
        let flow = &mut self.flows[id as usize];
        if flow.foreign.is_some() {
            return self.start_stop_foreign(id);
        }
        if self.now == flow.start {
            if let Some(stop) = flow.stop {
                self.queue.schedule(self.components.start_stop(id), stop);
            }
            flow.sender.start(self.now, &mut self.outbox);
        } else {
            flow.sender.stop(self.now);
        }
        self.flush(id as usize);
    }

    fn on_retransmission_timer(&mut self, id: u32) {
        if self.flows[id as usize].foreign.is_some() {
            return self.drive(id, |connection, now| connection.on_timer(now));
        }
        let flow = &mut self.flows[id as usize];
        flow.timer_event = Time::NEVER;
        flow.sender.on_timer(self.now, &mut self.outbox);
        self.flush(id as usize);
    }

    fn on_pacing_timer(&mut self, id: u32) {
        self.flows[id as usize].sender.on_pacing_timer(self.now, &mut self.outbox);
        self.flush(id as usize);
    }

    fn on_delayed_ack(&mut self, id: u32) {
        self.send_ack(id as usize);
    }

    fn on_sample(&mut self) {
        self.catch_up_all();
        let flows = &mut self.flows[..self.components.flows as usize];
        let next = self.recorder.sample(self.now, flows, &mut self.links);
        self.queue.schedule(self.components.sampler(), next);
    }

    /// Carries out what a sender left in the outbox, and keeps its timer's event at or before its deadline. A timer
    /// that moved later is left: it finds out when it fires, and most never do.
    #[inline(never)]
    fn flush(&mut self, id: usize) {
        self.flush_here::<true>(id);
    }

    /// The same as a part of the caller. Not `OBSERVED` if the run is known not to be.
    #[inline(always)]
    fn flush_here<const OBSERVED: bool>(&mut self, id: usize) {
        let is_traffic = id >= self.components.flows as usize;
        if !self.outbox.incidents.is_empty() {
            self.write_down(id, is_traffic);
        }
        if OBSERVED && self.captures {
            self.capture_outbox();
        }
        let flow = &mut self.flows[id];
        let (due, pacing_due) = (flow.sender.timer(), flow.sender.pacing_due());
        if due < flow.timer_event {
            flow.timer_event = due;
            self.queue.schedule(self.components.retransmission(id as u32), due);
        }
        if let Some(due) = pacing_due {
            self.queue.schedule(self.components.pacing(id as u32), due);
        }
        match self.outbox.packets[..] {
            [] => {}
            [only] if !is_traffic => {
                self.outbox.packets.clear();
                self.launch_here(only);
            }
            _ => self.launch_all(is_traffic),
        }
        if OBSERVED && self.recorder.every_change() && !is_traffic {
            self.recorder.flow_row(self.now, id, &self.flows[id]);
        }
    }

    #[inline(never)]
    fn launch_all(&mut self, is_traffic: bool) {
        for at in 0..self.outbox.packets.len() {
            let packet = self.outbox.packets[at];
            if is_traffic {
                self.count_leaving(&packet);
            }
            self.launch_here(packet);
        }
        self.outbox.packets.clear();
    }

    /// Writes down what a sender noted, unless it is one of traffic.
    #[cold]
    fn write_down(&mut self, id: usize, is_traffic: bool) {
        let time_s = seconds(self.now);
        for (kind, sequence) in self.outbox.incidents.drain(..).filter(|_| !is_traffic) {
            self.outcome.incidents.push(Incident { time_s, kind, flow: id as u32, link: None, sequence });
        }
    }

    /// Brings all links up to now, at one of the instants that were announced.
    fn catch_up_all(&mut self) {
        for link in 0..self.links.len() {
            self.catch_up(link);
        }
        self.links.look_at_chains();
    }

    /// Brings a link's queue up to now; with a row at each departure where every change is recorded.
    fn catch_up(&mut self, link: usize) {
        if self.recorder.every_change() {
            while let Some(time) = self.links.next_departure(link).filter(|&time| time <= self.now) {
                self.links.catch_up(link, time);
                self.write_down_chosen(link);
                self.recorder.link_row(time, link, &mut self.links);
            }
        }
        self.links.catch_up(link, self.now);
        self.write_down_chosen(link);
    }

    #[inline]
    fn capture(&mut self, point: CapturePoint, packet: &Packet) {
        if self.captures {
            self.write_capture(point, packet);
        }
    }

    #[cold]
    fn capture_outbox(&mut self) {
        for at in 0..self.outbox.packets.len() {
            let packet = self.outbox.packets[at];
            self.write_capture(CapturePoint::SenderOut, &packet);
        }
    }

    #[cold]
    fn write_capture(&mut self, point: CapturePoint, packet: &Packet) {
        if self.is_of_flow(packet) {
            let flow = &self.flows[packet.flow() as usize];
            let sack = self.sacks.get(packet.sack());
            self.outcome.capture.push(capture(self.now, point, packet, sack, flow));
        }
    }

    /// Packets on their way that are inside no link.
    fn packets_held(&self) -> usize {
        self.lanes.packets_held() + self.apart.packets_held()
    }

    /// What went into a link has come out, was dropped, or is inside; and no acknowledgement's blocks have leaked.
    fn check_conservation(&self) {
        self.apart.check_conservation();
        let inside = self.packets_held() as u64 + self.links.check_conservation();
        assert!(self.sacks.in_use() as u64 <= inside, "blocks of packets that are gone");
    }
}

/// The scenario's links.
fn links(scenario: &Scenario, plan: &Plan) -> Links {
    let mut links = Links::default();
    for (id, spec) in scenario.links.iter().enumerate() {
        if plan.passes(id) {
            links.push_passing(Passing::new(spec.rate, spec.delay));
            continue;
        }
        let (from, to) = (&scenario.nodes[spec.from], &scenario.nodes[spec.to]);
        let stream = |of: &str| Stream::named(scenario.seed, &format!("{of}link {from}->{to}"));
        let queue = Queue::new(spec, || stream("queue of "));
        let exit = Exit { link: id as u32, lane: plan.lane(id) };
        links.push(Hop::link(exit, spec), Link::new(spec, || stream(""), queue, changes_link(scenario, id)));
    }
    plan.apply_to_links(&mut links);
    links
}

/// A scenario's source of traffic, with a stream of its own.
fn source(scenario: &Scenario, id: usize) -> Source {
    let stream = Stream::named(scenario.seed, &format!("traffic {id}"));
    Source::new(id as u32, &scenario.traffic[id], scenario.duration, stream)
}

/// Whether anything about a link changes during the run.
fn changes_link(scenario: &Scenario, id: LinkId) -> bool {
    scenario.changes.iter().any(|change| matches!(&change.change, Change::Link(change) if change.link == id))
}
