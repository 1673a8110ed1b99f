//! The network that runs use: it computes ahead of time where packets will be, and leaves out the events that this
//! saves.
//!
//! This module has a packet's path: the link that the packet is offered to, how far it goes ahead of time, and the
//! event by which it comes out.

mod impairment;
mod in_flight;
mod link;
mod links;
mod lookahead;
mod managed;
mod occupancy;
mod record;
mod routes;
mod special;
mod transmitter;

use vegas_core::units::{Span, Time};

use in_flight::tournament::Tournament;
use lookahead::plan::Plan;

use super::{Delivered, Hosts, Network};
use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::{IncidentKind, QueueOutcome, QueueingTimes};

use crate::network::fast::in_flight::delay_lines::{AT_END, DelayLines, Entered, OnItsWay};
use crate::network::fast::in_flight::overtaking::Overtaking;
use crate::network::fast::link::Link;
use crate::network::fast::links::Links;
use crate::network::fast::links::uncongested::UncongestedLink;
use crate::network::fast::record::{Exit, LinkRecord};
use crate::network::fast::routes::{First, Routes, Step, Ways};
use crate::network::labels::Labels;
use crate::network::queue::Queue;
use crate::packet::{FlowAndFlags, PackedHeader, Packet};
use crate::scenario::{Change, LinkChange, LinkId, RouteChange, Sampling, Scenario};
use crate::util::event::Event;
use crate::util::timers::Timers;
use crate::util::watch::{Stopped, Watch};

/// The links of a scenario with their present state, simulated ahead of time where that is possible.
#[derive(Debug)]
pub(crate) struct Fast {
    now: Time,
    end: Time,
    plan: Plan,
    routes: Routes,
    /// The routes of the connections that each source opens.
    source_ways: Vec<Option<Ways>>,
    labels: Labels,
    links: Links,
    delay_lines: DelayLines,
    /// The packets that would overtake on their delay lines.
    overtaking: Overtaking,
    /// The arrival of the first packet of each delay line.
    arrivals: Tournament,
    /// By link, the arrival of the first overtaking packet; behind these, by link, the time at which the first packet
    /// that is held back comes out.
    calendar: Timers,
    /// The packets that the newest event has delivered, if the event was not of a delay line of packets.
    delivered: [Packet; 2],
    /// Whether there is a row at every change.
    is_watched: bool,
}

impl Network for Fast {
    /// Includes the link's places in plan and calendar, and in the tables from which the plan is made.
    const LINK_BYTES: usize = size_of::<Link>() + size_of::<LinkRecord>() + 40;

    fn new(scenario: &Scenario, own_hosts: bool, watch: &mut Watch<'_>) -> Result<Self, Stopped> {
        let plan = Plan::new(scenario, own_hosts);
        watch.look()?;
        let mut links = links(scenario, &plan, watch)?;
        let (mut routes, mut steps) = (Routes::default(), |way: &[LinkId]| plan.steps(way, &mut links));
        for (id, flow) in scenario.flows.iter().enumerate() {
            watch.step()?;
            let ways = routes.add(&steps(&flow.path), &steps(&flow.reverse_path));
            routes.set_flow(id as u32, ways);
        }
        for source in &scenario.traffic {
            routes.push_datagrams(&steps(&source.path));
        }
        let connections = scenario.traffic.iter().map(|source| source.connection());
        let source_ways = connections
            .map(|spec| spec.map(|spec| routes.add(&steps(&spec.path), &steps(&spec.reverse_path))))
            .collect();
        // makes all path segments at the start
        let mut routes_change = false;
        for change in &scenario.changes {
            if let Change::Route(change) = &change.change {
                routes_change = true;
                steps(&change.path);
                steps(&change.reverse_path);
            }
        }
        if !routes_change {
            links.end_segments();
        }
        plan.apply_to_receivers(&mut routes);
        let held = if links.are_impaired() { links.len() } else { 0 };
        Ok(Fast {
            now: Time::ZERO,
            end: Time::ZERO + scenario.duration,
            delay_lines: DelayLines::new(&plan.shared_delay_lines),
            arrivals: Tournament::new(plan.delay_lines()),
            calendar: Timers::new(links.len() + held),
            overtaking: Overtaking::new(links.len()),
            delivered: [Packet::default(); 2],
            labels: Labels::new(scenario),
            is_watched: scenario.sampling == Sampling::EveryChange,
            plan,
            routes,
            source_ways,
            links,
        })
    }

    #[inline(always)]
    fn next_event(&mut self) -> Event {
        let arrival = self.arrivals.first();
        self.calendar.first_before(arrival).unwrap_or(arrival)
    }

    #[inline(always)]
    fn advance(&mut self, event: Event, hosts: &mut impl Hosts) -> Delivered {
        self.now = event.time();
        match event.delay_line() {
            delay_line if self.delay_lines.is_shared(delay_line) => self.on_delay_line_arrival(delay_line, hosts),
            _ => match self.advance_other(event, hosts) {
                0 => Delivered::Nothing,
                1 => Delivered::One(self.delivered[0]),
                _ => Delivered::Two(self.delivered[0], self.delivered[1]),
            },
        }
    }

    fn send(&mut self, now: Time, packet: Packet, hosts: &mut impl Hosts) {
        self.now = now;
        let First { place, step } = self.routes.first(&packet);
        self.enter(place, step, packet, hosts);
    }

    #[inline(always)]
    fn send_forward(&mut self, now: Time, packet: Packet, hosts: &mut impl Hosts) {
        self.now = now;
        let First { place, step } = self.routes.first_forward(packet.flow());
        self.enter(place, step, packet, hosts);
    }

    fn open(&mut self, flow: u32, source: u32) {
        let ways = self.source_ways[source as usize].expect("a source that opens connections has routes for them");
        self.routes.set_flow(flow, ways);
        self.labels.open(flow, source);
    }

    fn change(&mut self, now: Time, change: &Change, hosts: &mut impl Hosts) {
        self.now = now;
        match change {
            Change::Link(change) => self.change_link(change, hosts),
            Change::Route(change) => self.change_route(change),
        }
    }

    fn bring_up_to(&mut self, now: Time, hosts: &mut impl Hosts) {
        self.now = now;
        for link in 0..self.links.len() {
            self.catch_up(link, hosts);
        }
        self.links.add_path_segments();
    }

    fn link_totals(&self, link: LinkId, now: Time) -> LinkTotals {
        self.links.totals(link, now)
    }

    fn begin_step(&mut self, link: LinkId, waiting: u32) {
        self.links.begin_step(link, waiting);
    }

    fn queueing(&self, link: LinkId) -> (Option<QueueingTimes>, Vec<QueueOutcome>) {
        (self.links.queueing_times(link), self.links.queues(link))
    }

    fn memory_bytes(&self) -> usize {
        self.delay_lines.memory_bytes()
            + self.overtaking.memory_bytes()
            + self.links.memory_bytes()
            + self.routes.memory_bytes()
    }

    fn check_conservation(&self) -> u64 {
        self.overtaking.check_conservation();
        let carried = self.delay_lines.packets_held() + self.overtaking.packets_held();
        carried as u64 + self.links.check_conservation()
    }

    fn forget_packets(&mut self) {
        self.delay_lines = DelayLines::new(&[]);
        self.overtaking = Overtaking::new(0);
    }
}

/// Makes the scenario's links.
fn links(scenario: &Scenario, plan: &Plan, watch: &mut Watch<'_>) -> Result<Links, Stopped> {
    let (mut links, changes) = (Links::default(), scenario.changing_links());
    for (id, spec) in scenario.links.iter().enumerate() {
        watch.step()?;
        if plan.is_uncongested(id) {
            links.push_uncongested(UncongestedLink::new(spec.rate, spec.delay));
            continue;
        }
        let queue = Queue::new(spec, || super::queue_stream(scenario, spec));
        let link = Link::new(spec, || super::impairment_stream(scenario, spec), queue, changes[id]);
        links.push(LinkRecord::link(Exit { link: id as u32, delay_line: plan.delay_line(id) }, spec), link);
    }
    plan.apply_to_links(&mut links);
    Ok(links)
}

impl Fast {
    /// Returns the earliest time at which a packet that is inside may come to the end of its path, where `left` has, by
    /// link, the least time that it takes from the end of that link. Links must not share delay lines, as they do not
    /// where the hosts are not the simulator's: the packet behind the first one may have less before it.
    pub(crate) fn earliest_end(&self, left: &[Span]) -> Option<Time> {
        let lines = self.arrivals.pending().map(|event| (event.time(), event.component()));
        lines.chain(self.calendar.all_pending()).map(|(time, id)| time + left[id as usize % left.len()]).min()
    }

    /// Handles an event that is not of a delay line of packets; returns the number of packets that it delivers. The
    /// packets are left in a field, so that those that a delay line delivers stay in registers.
    #[inline(never)]
    fn advance_other(&mut self, event: Event, hosts: &mut impl Hosts) -> usize {
        let delivered = match event.delay_line() {
            Event::OWN => self.advance_calendar(event, hosts),
            delay_line => self.on_special_arrival(event.component(), delay_line, hosts),
        };
        match delivered {
            Delivered::Nothing => 0,
            Delivered::One(packet) => {
                self.delivered[0] = packet;
                1
            }
            Delivered::Two(first, second) => {
                self.delivered = [first, second];
                2
            }
        }
    }

    /// Handles the arrival of an overtaking packet, or the release of a packet that was held back.
    #[inline]
    fn advance_calendar(&mut self, event: Event, hosts: &mut impl Hosts) -> Delivered {
        self.calendar.take(event);
        let (component, links) = (event.component(), self.links.len() as u32);
        match component.checked_sub(links) {
            None => self.on_overtaking_arrival(component, hosts),
            Some(link) => self.on_held(link, hosts),
        }
    }

    fn change_link(&mut self, change: &LinkChange, hosts: &mut impl Hosts) {
        self.catch_up(change.link, hosts);
        self.links.change(change);
        self.schedule_arrival(change.link as u32);
        self.schedule_held(change.link as u32);
        if self.is_watched {
            self.tell_change(change.link, self.now, hosts);
        }
    }

    fn change_route(&mut self, change: &RouteChange) {
        let mut steps = |way: &[LinkId]| self.plan.steps(way, &mut self.links);
        let (forward, backward) = (steps(&change.path), steps(&change.reverse_path));
        self.routes.change(change.flow, &forward, &backward);
    }

    /// Brings a link's queue up to now. Reports each departure if there is a row at every change.
    fn catch_up(&mut self, link: LinkId, hosts: &mut impl Hosts) {
        if self.is_watched {
            while let Some(time) = self.links.next_departure(link).filter(|&time| time <= self.now) {
                self.links.catch_up(link, time);
                self.tell_verdicts(link, hosts);
                self.tell_change(link, time, hosts);
            }
        }
        self.links.catch_up(link, self.now);
        self.tell_verdicts(link, hosts);
    }

    fn tell_change(&mut self, link: LinkId, at: Time, hosts: &mut impl Hosts) {
        let totals = self.links.totals(link, at);
        hosts.link_changed(at, link, &totals);
        self.links.begin_step(link, totals.queue_packets);
    }

    /// Takes the first packet of a delay line, which comes out of its link.
    #[inline]
    fn on_delay_line_arrival(&mut self, delay_line: u32, hosts: &mut impl Hosts) -> Delivered {
        let ((packet, place), next) = self.delay_lines.take_first(delay_line);
        self.arrivals.set(delay_line, next.map(|next| (next.arrival, next.component)));
        self.leave_delay_line(packet, place, hosts)
    }

    /// Passes a packet on that was on a delay line or has overtaken.
    #[inline(always)]
    fn leave_delay_line(&mut self, packet: Packet, place: u32, hosts: &mut impl Hosts) -> Delivered {
        match place {
            AT_END => Delivered::One(packet),
            place => self.go_on(place as usize, packet, hosts),
        }
    }

    /// Takes an overtaking packet that comes out of a plain link.
    #[inline(never)]
    fn on_overtaking_arrival(&mut self, link: u32, hosts: &mut impl Hosts) -> Delivered {
        let ((packet, place), next) = self.overtaking.take_first(link as LinkId, self.now);
        if let Some(next) = next {
            self.calendar.schedule(link, next);
        }
        if self.is_watched {
            self.catch_up(link as usize, hosts);
        }
        self.leave_delay_line(packet, place, hosts)
    }

    /// Passes on a packet that has come to the end of a link and carries its place in its route.
    #[inline]
    fn pass_on(&mut self, packet: Packet, hosts: &mut impl Hosts) -> Delivered {
        self.go_on(self.routes.place(&packet) + 1, packet, hosts)
    }

    /// Passes a packet on at a place of its route: to the next link, or to its receiver.
    #[inline(always)]
    fn go_on(&mut self, place: usize, packet: Packet, hosts: &mut impl Hosts) -> Delivered {
        let step = self.routes.step(place);
        if step.is_end() {
            return Delivered::One(packet);
        }
        self.enter(place, step, packet, hosts);
        Delivered::Nothing
    }

    /// Takes a packet that comes to a link or a path segment.
    #[inline(always)]
    fn enter(&mut self, place: usize, step: Step, packet: Packet, hosts: &mut impl Hosts) {
        let (sequence, flow_and_flags, header) = packet.words();
        match step.is_special() {
            true => self.enter_special(place, step, sequence, flow_and_flags, header, hosts),
            false => self.offer(place, step, sequence, flow_and_flags, header, hosts),
        }
    }

    /// Offers a packet to a plain link or a path segment, and to the steps behind it as far as that is possible ahead
    /// of time.
    #[inline(never)]
    fn offer(
        &mut self,
        mut place: usize,
        step: Step,
        sequence: u64,
        flow_and_flags: FlowAndFlags,
        header: PackedHeader,
        hosts: &mut impl Hosts,
    ) {
        let mut packet = Packet::of_words(sequence, flow_and_flags, header);
        let (mut record, mut at) = (step.id(), self.now);
        loop {
            let arrival = match self.links.offer_usual(record, at, packet.wire()) {
                Some(arrival) => arrival,
                None => match self.links.offer_unusual(record, at, &mut packet, self.end) {
                    Some(arrival) => arrival,
                    None => return self.drop_at(at, record, packet, hosts),
                },
            };
            place += 1;
            let mut next = self.routes.step(place);
            if !next.is_ahead() || arrival > self.end {
                return self.carry(record, place, next, packet, arrival);
            }
            if next.is_end() {
                let Some(answer) = hosts.answer(arrival, &packet) else { return };
                let first = self.routes.first_back(answer.flow());
                (place, packet, next) = (first.place, answer, first.step);
            }
            (record, at) = (next.id(), arrival);
        }
    }

    /// Reports a packet that finds no room on a plain link.
    #[cold]
    fn drop_at(&mut self, at: Time, record: usize, packet: Packet, hosts: &mut impl Hosts) {
        let link = self.links.exit(record).link as LinkId;
        hosts.dropped(at, link, packet, IncidentKind::QueueDrop);
    }

    /// Carries a packet that a link or a path segment has accepted to its arrival, by an event. The packet continues at
    /// `place`, where the step `next` is.
    #[inline]
    fn carry(&mut self, record: usize, place: usize, next: Step, packet: Packet, arrival: Time) {
        let Exit { link, delay_line } = self.links.exit(record);
        let goes_on = if next.is_end() { AT_END } else { place as u32 };
        match self.delay_lines.enter(delay_line, OnItsWay { packet, arrival, component: link, place: goes_on }) {
            Entered::First(delay_line) => self.arrivals.set(delay_line, Some((arrival, link))),
            Entered::Behind => {}
            Entered::Not => {
                let (sequence, flow_and_flags, header) = packet.words();
                self.carry_overtaking(record, goes_on, sequence, flow_and_flags, header, arrival);
            }
        }
    }

    /// As [`Fast::carry`], for a packet that would overtake on its delay line.
    #[inline(never)]
    fn carry_overtaking(
        &mut self,
        record: usize,
        place: u32,
        sequence: u64,
        flow_and_flags: FlowAndFlags,
        header: PackedHeader,
        arrival: Time,
    ) {
        let Exit { link, delay_line } = self.links.exit(record);
        let carried =
            OnItsWay { packet: Packet::of_words(sequence, flow_and_flags, header), arrival, component: link, place };
        match self.delay_lines.enter_parallel(delay_line, &carried) {
            Entered::First(delay_line) => self.arrivals.set(delay_line, Some((arrival, link))),
            Entered::Behind => {}
            Entered::Not => {
                if self.overtaking.carry(link as LinkId, carried.packet, arrival, place) {
                    self.calendar.schedule(link, arrival);
                }
            }
        }
    }
}
