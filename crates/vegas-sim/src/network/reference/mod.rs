//! The reference engine, which is written to be read: an event for each packet and link, one ordered map of events, and
//! nothing computed ahead of time.
//!
//! It does what `docs/scenario.md` and `docs/networks.md` say, as plainly as possible. It shares with [`super::Fast`]
//! only the queue disciplines that drop before a queue is full, with the labels that they hash, the random streams and
//! the waiting times' histogram. `vegaslab swarm` compares both.

mod faults;
mod link;
mod transmitter;

use std::collections::BTreeMap;

use vegas_core::units::Time;

use self::link::Link;
use super::{Delivered, Hosts, Network, impairment_stream, queue_stream};
use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::{IncidentKind, QueueOutcome, QueueingTimes};
use crate::network::labels::Labels;
use crate::network::queue::{Queue, Verdicts};
use crate::packet::{Packet, PacketKind};
use crate::scenario::{Change, LinkChange, LinkId, LinkSpec, RouteChange, Sampling, Scenario};
use crate::util::event::Event;
use crate::util::watch::{Stopped, Watch};

/// The links of a scenario with their present state, simulated event by event.
#[derive(Debug)]
pub(crate) struct Reference {
    /// The pending events, each with the packet that it carries; a departure carries none, as its packet is in the
    /// transmitter.
    events: BTreeMap<Key, Option<Carried>>,
    scheduled: u64,
    links: Vec<Link>,
    /// The forward and the backward route of each flow. Connections of background traffic are behind the scenario's
    /// flows.
    flows: BTreeMap<u32, [Route; 2]>,
    /// By source of traffic: the route of its datagrams, and the routes of its connections.
    sources: Vec<(Route, Option<[Route; 2]>)>,
    labels: Labels,
    /// The packets that a queue discipline has dropped and marked at this instant.
    verdicts: Verdicts,
    /// Whether each change of a queue is reported.
    tells_changes: bool,
    /// The number of packets that have entered links and have neither left them nor been dropped.
    inside: u64,
}

/// The time of an event and its kind, in the order in which events happen. At one instant all departures come first,
/// since a packet that departs then has left the queue; then arrivals in the order of links; then packets that were
/// held back. Of two events that are alike in all else, the one scheduled first comes first.
type Key = (Time, Kind, LinkId, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The last bit of a packet leaves the transmitter.
    Departure,
    /// The packet comes to the other end of the link.
    Arrival,
    /// A packet that was held back there comes out.
    Release,
}

/// A packet behind a transmitter, and whether it comes out twice.
type Carried = (Packet, bool);

/// The links from one host to another, then `None`; behind that, if the route has changed, the links of the next route,
/// and so on. The hop of a packet is an index into this list.
#[derive(Clone, Debug)]
struct Route {
    links: Vec<Option<LinkId>>,
    /// The index at which packets begin that leave their host now.
    first: usize,
}

impl Route {
    fn new(path: &[LinkId]) -> Self {
        let mut route = Route { links: Vec::new(), first: 0 };
        route.change(path);
        route
    }

    fn change(&mut self, path: &[LinkId]) {
        self.first = self.links.len();
        self.links.extend(path.iter().copied().map(Some));
        self.links.push(None);
    }
}

impl Network for Reference {
    const LINK_BYTES: usize = size_of::<Link>();

    fn new(scenario: &Scenario, _own_hosts: bool, watch: &mut Watch<'_>) -> Result<Self, Stopped> {
        watch.look()?;
        let link = |spec: &LinkSpec| {
            let queue = Queue::new(spec, || queue_stream(scenario, spec));
            Link::new(spec, queue, impairment_stream(scenario, spec))
        };
        let both = |path: &[LinkId], reverse_path: &[LinkId]| [Route::new(path), Route::new(reverse_path)];
        let sources = scenario.traffic.iter().map(|source| {
            let connection = source.connection();
            (Route::new(&source.path), connection.map(|flow| both(&flow.path, &flow.reverse_path)))
        });
        Ok(Reference {
            events: BTreeMap::new(),
            scheduled: 0,
            links: scenario.links.iter().map(link).collect(),
            flows: (0..).zip(&scenario.flows).map(|(id, flow)| (id, both(&flow.path, &flow.reverse_path))).collect(),
            sources: sources.collect(),
            labels: Labels::new(scenario),
            verdicts: Verdicts::default(),
            tells_changes: scenario.sampling == Sampling::EveryChange,
            inside: 0,
        })
    }

    fn next_event(&mut self) -> Event {
        self.events.first_key_value().map_or(Event::NEVER, |((at, ..), _)| Event::of_delay_line(*at, 0, 0))
    }

    fn advance(&mut self, _next: Event, hosts: &mut impl Hosts) -> Delivered {
        let ((now, kind, link, _), carried) = self.events.pop_first().expect("something happens next");
        match (kind, carried) {
            (Kind::Arrival, Some((packet, _))) => match self.links[link].faults.cross(now) {
                (None, twice) => return self.come_out(now, link, (packet, twice), hosts),
                (Some(until), twice) => self.schedule(until, Kind::Release, link, Some((packet, twice))),
            },
            (Kind::Release, Some(carried)) => return self.come_out(now, link, carried, hosts),
            _ => self.depart(now, link, hosts),
        }
        Delivered::Nothing
    }

    fn send(&mut self, now: Time, packet: Packet, hosts: &mut impl Hosts) {
        let first = self.route(&packet).first;
        self.enter(now, packet.at_hop(first as u16), hosts);
    }

    fn open(&mut self, flow: u32, source: u32) {
        let routes = self.sources[source as usize].1.clone().expect("the source opens connections");
        self.flows.insert(flow, routes);
        self.labels.open(flow, source);
    }

    fn change(&mut self, now: Time, change: &Change, hosts: &mut impl Hosts) {
        self.bring_up_to(now, hosts);
        match change {
            Change::Link(change) => self.change_link(now, change, hosts),
            Change::Route(RouteChange { flow, path, reverse_path }) => {
                let [there, back] = self.flows.get_mut(&(*flow as u32)).expect("a flow of the scenario");
                there.change(path);
                back.change(reverse_path);
            }
        }
    }

    /// Carries out the departures up to `now`.
    fn bring_up_to(&mut self, now: Time, hosts: &mut impl Hosts) {
        while let Some(entry) = self.events.first_entry()
            && let (at, Kind::Departure, link, _) = *entry.key()
            && at <= now
        {
            entry.remove();
            self.depart(at, link, hosts);
        }
    }

    fn link_totals(&self, link: LinkId, now: Time) -> LinkTotals {
        self.links[link].totals(now)
    }

    fn begin_step(&mut self, link: LinkId, waiting: u32) {
        self.links[link].totals.step_max_queue_packets = waiting;
    }

    fn queueing(&self, link: LinkId) -> (Option<QueueingTimes>, Vec<QueueOutcome>) {
        self.links[link].queueing()
    }

    fn memory_bytes(&self) -> usize {
        self.events.len() * size_of::<(Key, Option<Carried>)>()
            + self.links.iter().map(Link::memory_bytes).sum::<usize>()
    }

    fn check_conservation(&self) -> u64 {
        let carried = self.events.values().flatten().count();
        let there = carried + self.links.iter().map(Link::inside).sum::<usize>();
        assert_eq!(there as u64, self.inside, "packets were made or lost");
        self.inside
    }
}

impl Reference {
    fn schedule(&mut self, at: Time, kind: Kind, link: LinkId, carried: Option<Carried>) {
        self.scheduled += 1;
        self.events.insert((at, kind, link, self.scheduled), carried);
    }

    fn route(&self, packet: &Packet) -> &Route {
        match packet.kind() {
            PacketKind::Datagram => &self.sources[packet.flow() as usize].0,
            kind => &self.flows[&packet.flow()][usize::from(!kind.is_forward())],
        }
    }

    /// Returns the link that a packet is at; none at its receiver.
    fn link_of(&self, packet: &Packet) -> Option<LinkId> {
        self.route(packet).links[usize::from(packet.hop())]
    }

    /// Takes a packet that comes to the link at its hop.
    fn enter(&mut self, now: Time, packet: Packet, hosts: &mut impl Hosts) {
        self.bring_up_to(now, hosts);
        let link = self.link_of(&packet).expect("a route has a link");
        self.inside += 1;
        let here = &mut self.links[link];
        if here.faults.loses(now, &packet) {
            self.drop_packet(now, link, packet, IncidentKind::Loss, hosts);
        } else if let Some(dropped) = here.offer(now, packet, &self.labels, &mut self.verdicts) {
            self.drop_packet(now, link, dropped, IncidentKind::QueueDrop, hosts);
        }
        self.tell_verdicts(now, link, hosts);
        if self.links[link].sending.is_none() {
            self.begin(now, link, hosts);
        }
        self.links[link].note_greatest_queue();
        self.tell_change(now, link, hosts);
    }

    /// Ends the transmission of a packet, and begins the next one.
    fn depart(&mut self, now: Time, link: LinkId, hosts: &mut impl Hosts) {
        self.leave(now, link);
        self.begin(now, link, hosts);
        self.tell_change(now, link, hosts);
    }

    /// Begins to send the packets that wait, if the transmitter is free. A packet may take no time: then it departs at
    /// once, and the next one is sent.
    fn begin(&mut self, now: Time, link: LinkId, hosts: &mut impl Hosts) {
        loop {
            let begun = self.links[link].begin_sending(now, &mut self.verdicts);
            self.tell_verdicts(now, link, hosts);
            let Some(departure) = begun else { return };
            if departure > now {
                self.schedule(departure, Kind::Departure, link, None);
                return;
            }
            self.leave(now, link);
        }
    }

    /// Puts the packet in the transmitter on its way to the other end.
    fn leave(&mut self, now: Time, link: LinkId) {
        let (packet, arrival) = (self.links[link].end_sending(), now + self.links[link].delay);
        self.schedule(arrival, Kind::Arrival, link, Some((packet, false)));
    }

    /// Takes a packet that comes out of a link: it enters the next link, or is delivered.
    fn come_out(&mut self, now: Time, link: LinkId, (packet, twice): Carried, hosts: &mut impl Hosts) -> Delivered {
        debug_assert_eq!(self.link_of(&packet), Some(link));
        self.inside -= 1;
        let packet = packet.at_hop(packet.hop() + 1).with_field(self.links[link].faults.spec.ecn_field);
        let second = twice.then(|| hosts.duplicate(&packet));
        if self.link_of(&packet).is_some() {
            second.into_iter().chain([packet]).for_each(|packet| self.enter(now, packet, hosts));
            return Delivered::Nothing;
        }
        second.map_or(Delivered::One(packet), |second| Delivered::Two(second, packet))
    }

    /// Changes a link. The transmitter and the queue use the new rate and limit from now on. A packet that has departed
    /// keeps its delay: the impairments at the far end are drawn for it now, so that later packets stay behind it.
    fn change_link(&mut self, now: Time, change: &LinkChange, hosts: &mut impl Hosts) {
        let LinkChange { link, rate, delay, queue, loss_ppm } = *change;
        if let Some(delay) = delay {
            self.settle_arrivals(link);
            self.links[link].delay = delay;
        }
        let here = &mut self.links[link];
        here.transmitter.rate = rate.unwrap_or(here.transmitter.rate);
        here.limit = queue.unwrap_or(here.limit);
        here.faults.spec.loss_ppm = loss_ppm.unwrap_or(here.faults.spec.loss_ppm);
        self.tell_change(now, link, hosts);
    }

    fn settle_arrivals(&mut self, link: LinkId) {
        for key in self.events.keys().filter(|of| (of.1, of.2) == (Kind::Arrival, link)).copied().collect::<Vec<_>>() {
            let (arrival, carried) = (key.0, self.events.remove(&key).expect("a key of the map"));
            let (until, twice) = self.links[link].faults.cross_later(arrival);
            self.schedule(until, Kind::Release, link, carried.map(|(packet, _)| (packet, twice)));
        }
    }

    fn drop_packet(&mut self, at: Time, link: LinkId, packet: Packet, kind: IncidentKind, hosts: &mut impl Hosts) {
        self.inside -= 1;
        self.links[link].totals.drops += 1;
        hosts.dropped(at, link, packet, kind);
    }

    /// Reports the packets that a queue discipline has dropped and marked.
    fn tell_verdicts(&mut self, now: Time, link: LinkId, hosts: &mut impl Hosts) {
        let Verdicts { dropped, marked } = std::mem::take(&mut self.verdicts);
        for packet in marked {
            self.links[link].totals.marks += 1;
            hosts.marked(now, link, &packet);
        }
        for packet in dropped {
            self.drop_packet(now, link, packet, IncidentKind::QueueDrop, hosts);
        }
    }

    /// Reports that the queue of a link has changed, if the scenario asks for a row at every change.
    fn tell_change(&mut self, now: Time, link: LinkId, hosts: &mut impl Hosts) {
        if self.tells_changes {
            let totals = self.link_totals(link, now);
            hosts.link_changed(now, link, &totals);
            self.begin_step(link, totals.queue_packets);
        }
    }
}
