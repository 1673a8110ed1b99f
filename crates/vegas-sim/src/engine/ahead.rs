//! What is done ahead of its time, decided once for a run: which links are offered their packets as soon as the link
//! before has accepted them, on which of them no packet can ever wait, and which receivers take in a segment, and answer
//! it, when its arrival is known.
//!
//! Behind a link that sends its packets one by one, each reaches a place a fixed time after it has left: transmission
//! and propagation of the links in between, as long as nothing waits there. Where that time differs by less than what the
//! first link spaces its packets by, be it over several ways, they come to the place in the order in which they left it;
//! and where what is left of the spacing is enough to send the largest of them, none waits for another. A receiver that
//! answers every segment at once is such a place too, so that its acknowledgements keep the spacing of the data.

use std::collections::BTreeMap;

use vegas_core::units::{Bytes, Span, Time};

use super::{Flow, changes_link};
use crate::lanes::NO_LANE;
use crate::link::may_impair;
use crate::links::Links;
use crate::looks::{Looks, Noted};
use crate::routes::{Routes, Step};
use crate::scenario::{Change, Discipline, FlowSpec, Handshake, LinkId, LinkSpec, Sampling, Scenario, Transport};

/// What is done ahead of its time.
#[derive(Debug)]
pub(super) struct Plan {
    /// By link.
    entries: Vec<Entry>,
    /// By flow: its receiver answers ahead of time.
    turns: Vec<bool>,
    /// By link; first those that links share.
    lanes: Vec<u32>,
    /// Lanes that links share; by lane, how many a packet that would overtake may take behind it.
    pub(super) shared_lanes: Vec<u32>,
    /// When somebody looks at links and receivers.
    looks: Looks,
    /// Every change is looked at.
    is_watched: bool,
}

/// How packets come to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// By an event at the time.
    InTime,
    /// Ahead of time, in order.
    Ahead,
    /// The same, and none ever waits.
    Passing,
}

/// What is known of the packets that come out of a link.
#[derive(Clone, Copy, Debug)]
struct Spacing {
    /// The link that they left one by one, this one or one before it.
    head: LinkId,
    /// At least so long after each other.
    gap: Span,
    /// Each comes so much later, at least and at most.
    least: Span,
    most: Span,
}

impl Spacing {
    /// What is certainly left of the gap.
    fn left(&self) -> Span {
        self.gap.less(self.most.less(self.least))
    }

    /// Of the packets of both, if they keep their order.
    fn merge(self, other: Spacing) -> Option<Spacing> {
        let both = Spacing { least: self.least.min(other.least), most: self.most.max(other.most), ..self };
        (self.head == other.head && both.left() > Span::ZERO).then_some(both)
    }
}

impl Plan {
    /// The plan of a run; `own_hosts` unless packets come from and go to hosts that are not the engine's.
    pub(super) fn new(scenario: &Scenario, own_hosts: bool) -> Self {
        let links = &Known::of(scenario)[..];
        let step = match scenario.sampling {
            Sampling::Every(step) => Some(step),
            Sampling::EveryChange | Sampling::Off => None,
        };
        // rows are written in the order in which things happen
        if scenario.sampling == Sampling::EveryChange {
            let (entries, turns) = (vec![Entry::InTime; links.len()], vec![false; scenario.flows.len()]);
            let (lanes, shared_lanes) = lanes(links, &vec![None; links.len()], &vec![false; links.len()]);
            return Plan { entries, turns, lanes, shared_lanes, looks: Looks::none(), is_watched: true };
        }
        // a run that ends when its flows are complete is looked at nobody knows when
        let is_open = scenario.until_complete || !own_hosts;
        let looks = if is_open { Looks::none() } else { Looks::new(step, Time::ZERO + scenario.duration) };
        let mut turns = if is_open { vec![false; scenario.flows.len()] } else { turns(scenario) };
        let load = Load::new(scenario, links.len(), &turns);
        let (entries, spacings) = entries(links, &load, is_open);
        for (flow, turns) in scenario.flows.iter().zip(&mut turns) {
            *turns &= flow.reverse_path.first().is_some_and(|link| entries[*link] != Entry::InTime);
        }
        let (lanes, shared_lanes) = lanes(links, &spacings, &sends_events(scenario, &entries, &turns));
        Plan { entries, turns, lanes, shared_lanes, looks, is_watched: false }
    }

    /// How many lanes there are.
    pub(super) fn lanes(&self) -> usize {
        let last = self.lanes.iter().filter(|lane| **lane != NO_LANE).max();
        last.map_or(0, |last| *last as usize + 1).max(self.shared_lanes.len())
    }

    /// Whether nothing ever waits for a link.
    pub(super) fn passes(&self, link: LinkId) -> bool {
        self.entries[link] == Entry::Passing
    }

    /// The lane on which what a link has accepted goes on; if it is not plain, the lane of its own arrivals.
    pub(super) fn lane(&self, link: LinkId) -> u32 {
        self.lanes[link]
    }

    /// Tells the links.
    pub(super) fn apply_to_links(&self, links: &mut Links) {
        for (id, entry) in self.entries.iter().enumerate() {
            match entry {
                Entry::InTime if self.is_watched => links[id].look_at_departures(),
                Entry::Ahead => links.look_at(id, self.looks),
                Entry::InTime | Entry::Passing => {}
            }
        }
    }

    /// Tells the receivers, whose flows' routes are known.
    pub(super) fn apply_to_receivers(&self, routes: &mut Routes, flows: &mut [Flow]) {
        for (id, flow) in flows.iter_mut().enumerate().filter(|(id, _)| self.turns[*id]) {
            routes.mark_turn(id);
            flow.received = Noted::new(self.looks);
        }
    }

    /// The steps of a way, links on which nothing ever waits joined in chains.
    pub(super) fn steps(&self, way: &[LinkId], links: &mut Links) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for run in way.chunk_by(|one, next| self.passes(*one) && self.passes(*next)) {
            let last = run[run.len() - 1];
            let step = match self.passes(last) {
                true => Step::hop(links.chain(run, self.lanes[last], self.looks)),
                false if links[last].is_plain() && !self.is_watched => Step::hop(links.hop(last)),
                false => Step::special_link(links.hop(last)),
            };
            // a route's first link is fed by a receiver, if at all: its packets are offered to it right there
            steps.push(step.ahead(!steps.is_empty() && self.entries[run[0]] != Entry::InTime));
        }
        steps
    }
}

/// What is known of a link before the run.
struct Known<'a> {
    spec: &'a LinkSpec,
    is_impaired: bool,
}

impl Known<'_> {
    fn of(scenario: &Scenario) -> Vec<Known<'_>> {
        let known = |(id, spec)| Known { spec, is_impaired: may_impair(spec, changes_link(scenario, id)) };
        scenario.links.iter().enumerate().map(known).collect()
    }

    /// Whether what it does with a packet depends on nothing but the packets before it.
    fn is_plain(&self) -> bool {
        self.spec.discipline == Discipline::DropTail && !self.is_impaired
    }

    /// How long it sends a packet of so many bytes; none where that varies.
    fn transmission(&self, wire: u16) -> Option<Span> {
        self.spec.trace.is_none().then(|| self.spec.rate.time_for(Bytes::new(wire.into())))
    }
}

/// The flows whose receivers answer every packet at once, over the same way, with nobody looking.
fn turns(scenario: &Scenario) -> Vec<bool> {
    let turns =
        |flow: &FlowSpec| flow.transport == Transport::Tcp && flow.host.delayed_ack.is_none() && !scenario.capture;
    let mut turns: Vec<bool> = scenario.flows.iter().map(turns).collect();
    for change in &scenario.changes {
        if let Change::Route(change) = &change.change {
            turns[change.flow] = false;
        }
    }
    turns
}

fn entries(links: &[Known<'_>], load: &Load, is_open: bool) -> (Vec<Entry>, Vec<Option<Spacing>>) {
    let mut entries = vec![Entry::InTime; links.len()];
    let mut spacings: Vec<Option<Spacing>> = vec![None; links.len()];
    for id in load.in_order() {
        let link = &links[id];
        if link.is_impaired {
            continue;
        }
        let (least, most) = load.wires[id];
        // of a trace only the order is known
        let times = link.transmission(least).zip(link.transmission(most));
        // a managed queue decides when a packet's turn comes, but sends one after the other, too
        let arrivals = if link.is_plain() && !is_open { arrivals(load.before(id), &spacings) } else { None };
        let passes = |arrivals: &Spacing, most_time: Span| link.spec.queue.admits(most) && arrivals.left() >= most_time;
        (entries[id], spacings[id]) = match (arrivals, times) {
            (Some(arrivals), Some((fast, slow))) if passes(&arrivals, slow) => {
                let (least, most) = (arrivals.least + fast + link.spec.delay, arrivals.most + slow + link.spec.delay);
                (Entry::Passing, Some(Spacing { least, most, ..arrivals }))
            }
            (arrivals, times) => {
                let entry = if arrivals.is_some() { Entry::Ahead } else { Entry::InTime };
                let gap = times.map_or(Span::ZERO, |(fast, _)| fast);
                (entry, Some(Spacing { head: id, gap, least: link.spec.delay, most: link.spec.delay }))
            }
        };
    }
    (entries, spacings)
}

/// The links whose packets arrive by events, on the routes that are known: what comes next is not done ahead of time.
fn sends_events(scenario: &Scenario, entries: &[Entry], turns: &[bool]) -> Vec<bool> {
    let mut sends = vec![false; entries.len()];
    let mut note = |way: &[LinkId], is_answered: bool| {
        for hop in way.windows(2) {
            sends[hop[0]] |= entries[hop[1]] == Entry::InTime;
        }
        if let Some(last) = way.last() {
            sends[*last] |= !is_answered;
        }
    };
    for (flow, turns) in scenario.flows.iter().zip(turns) {
        note(&flow.path, *turns);
        note(&flow.reverse_path, false);
    }
    for source in &scenario.traffic {
        note(&source.path, false);
        if let Some(flow) = source.connection() {
            note(&flow.path, false);
            note(&flow.reverse_path, false);
        }
    }
    sends
}

/// Gives links whose packets arrive by events a lane with those whose packets, as far as can be told, come out in the
/// order in which they are accepted: those equally far behind one link, and those that are equally far behind links of
/// their own, as those of hosts are that are equally fast and long. Links that are not plain get one each behind these.
/// Also, of those that are shared, how many a packet that would overtake may take behind it: where many hosts send bursts
/// at the same time, there are lanes abreast.
fn lanes(links: &[Known<'_>], spacings: &[Option<Spacing>], sends_events: &[bool]) -> (Vec<u32>, Vec<u32>) {
    let of_plain = (0..links.len()).filter(|link| sends_events[*link] && links[*link].is_plain());
    let known: Vec<(LinkId, Spacing)> = of_plain.filter_map(|link| Some((link, spacings[link]?))).collect();
    let mut behind = vec![0u32; links.len()];
    known.iter().for_each(|(_, spacing)| behind[spacing.head] += 1);
    let mut alike = BTreeMap::<_, Vec<LinkId>>::new();
    for (link, Spacing { head, gap, least, most }) in known {
        let shared_head = Some(head).filter(|head| behind[*head] > 1);
        alike.entry((shared_head, gap, least, most)).or_default().push(link);
    }
    let mut lanes = vec![NO_LANE; links.len()];
    let mut shared = Vec::new();
    for ((head, ..), links) in alike {
        let abreast = if head.is_none() && links.len() >= MANY_HOSTS { ABREAST } else { 1 };
        links.iter().for_each(|link| lanes[*link] = shared.len() as u32);
        shared.extend((0..abreast).rev());
    }
    let special = (0..links.len()).filter(|link| !links[*link].is_plain());
    for (lane, link) in (shared.len() as u32..).zip(special) {
        lanes[link] = lane;
    }
    (lanes, shared)
}

/// From so many hosts on some are sending bursts at the same time all the time.
const MANY_HOSTS: usize = 128;
/// They have so many lanes: who would overtake on one of them takes the next.
const ABREAST: u32 = 2;

/// How packets come to a link, where that is known ahead of time.
fn arrivals(before: &[Hop], spacings: &[Option<Spacing>]) -> Option<Spacing> {
    let of = |hop: &Hop| if hop.before == HOST { None } else { spacings[hop.before as usize] };
    match before {
        [] => None,
        [only] => of(only),
        [first, others @ ..] => others.iter().try_fold(of(first)?, |all, hop| all.merge(of(hop)?)),
    }
}

/// What comes to the links.
struct Load {
    /// Ordered by link, each once.
    hops: Vec<Hop>,
    /// Least and greatest size on the wire, by link.
    wires: Vec<(u16, u16)>,
}

/// Some packets come to `link` from the link `before`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hop {
    link: u32,
    before: u32,
}

/// Before the first link of a way.
const HOST: u32 = u32::MAX;

impl Load {
    fn new(scenario: &Scenario, links: usize, turns: &[bool]) -> Self {
        let mut load = Load { hops: Vec::new(), wires: vec![(u16::MAX, 0); links] };
        for (flow, turns) in scenario.flows.iter().zip(turns) {
            load.add(&flow.path, data_wires(flow), HOST);
            let before = flow.path.last().filter(|_| *turns).map_or(HOST, |last| *last as u32);
            load.add(&flow.reverse_path, ack_wires(flow), before);
        }
        for source in &scenario.traffic {
            load.add(&source.path, ANY, HOST);
            if let Some(flow) = source.connection() {
                load.add(&flow.path, ANY, HOST);
                load.add(&flow.reverse_path, ANY, HOST);
            }
        }
        for change in &scenario.changes {
            if let Change::Route(change) = &change.change {
                load.add(&change.path, ANY, HOST);
                load.add(&change.reverse_path, ANY, HOST);
            }
        }
        load.hops.sort_unstable();
        load.hops.dedup();
        load
    }

    fn add(&mut self, way: &[LinkId], wires: (u16, u16), mut before: u32) {
        for &link in way {
            self.hops.push(Hop { link: link as u32, before });
            let (least, most) = &mut self.wires[link];
            (*least, *most) = (wires.0.min(*least), wires.1.max(*most));
            before = link as u32;
        }
    }

    fn before(&self, link: LinkId) -> &[Hop] {
        let from = self.hops.partition_point(|hop| (hop.link as usize) < link);
        let count = self.hops[from..].partition_point(|hop| hop.link as usize == link);
        &self.hops[from..from + count]
    }

    /// The links that something comes to, each after all of those before it; without those that lie in a circle.
    fn in_order(&self) -> Vec<LinkId> {
        let between = || self.hops.iter().filter(|hop| hop.before != HOST);
        let mut waiting = vec![0u32; self.wires.len()];
        let mut ways: Vec<(u32, u32)> = between().map(|hop| (hop.before, hop.link)).collect();
        ways.sort_unstable();
        for hop in between() {
            waiting[hop.link as usize] += 1;
        }
        let mut order: Vec<LinkId> = (0..waiting.len()).filter(|link| waiting[*link] == 0).collect();
        let mut at = 0;
        while let Some(&link) = order.get(at) {
            let from = ways.partition_point(|way| (way.0 as usize) < link);
            for &(_, next) in ways[from..].iter().take_while(|way| way.0 as usize == link) {
                waiting[next as usize] -= 1;
                if waiting[next as usize] == 0 {
                    order.push(next as LinkId);
                }
            }
            at += 1;
        }
        order
    }
}

/// Sizes of which nothing is known.
const ANY: (u16, u16) = (1, u16::MAX);

/// Least and greatest size of a flow's packets on their way to the receiver: the last of a sized transfer may be short.
fn data_wires(flow: &FlowSpec) -> (u16, u16) {
    if flow.transport != Transport::Tcp {
        return ANY;
    }
    let full = flow.largest_packet().get();
    let payload = flow.packet.get() - flow.header.get();
    let short = flow.size.map_or(0, |size| size.get().next_multiple_of(payload) - size.get());
    let syn = if flow.host.handshake == Handshake::Full { flow.smallest_ack().get() } else { full };
    wires((full - short).min(syn), full.max(syn))
}

/// Least and greatest size of its acknowledgements.
fn ack_wires(flow: &FlowSpec) -> (u16, u16) {
    match flow.transport {
        Transport::Tcp => wires(flow.smallest_ack().get(), flow.largest_ack().get()),
        Transport::Quic => ANY,
    }
}

fn wires(least: u64, most: u64) -> (u16, u16) {
    let wire = |bytes: u64| u16::try_from(bytes).unwrap_or(u16::MAX);
    (wire(least), wire(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is planned for a dumbbell with these flows: access links there, bottleneck, and so on to the host that sent.
    fn plan(bottleneck: &str, flows: &str) -> (Vec<Entry>, Vec<bool>) {
        let text = format!(
            r#"
            name = "plan"
            duration = "1s"
            flow = [{flows}]
            topology.kind = "dumbbell"
            topology.access = {{ rate = "100mbit", delay = "1ms" }}
            topology.bottleneck = {{ rate = "{bottleneck}", delay = "8ms", queue = "100p" }}
            "#
        );
        let scenario = Scenario::from_toml(&text, "plan.toml", &[]).expect("a scenario");
        let plan = Plan::new(&scenario, true);
        let flow = &scenario.flows[0];
        (flow.path.iter().chain(&flow.reverse_path).map(|link| plan.entries[*link]).collect(), plan.turns)
    }

    use Entry::{Ahead, InTime, Passing};

    #[test]
    fn behind_the_bottleneck_nothing_waits() {
        let (entries, turns) = plan("10mbit", r#"{ algorithm = "vegas" }"#);
        assert_eq!(entries, [InTime, Ahead, Passing, Passing, Passing, Passing]);
        assert_eq!(turns, [true]);
        let (entries, _) = plan("10mbit", r#"{ algorithm = "vegas", count = 2 }"#);
        assert_eq!(entries, [InTime, InTime, Passing, Passing, Passing, Passing]);
    }

    /// 800 us from packet to packet: acknowledgements that come back over 1 ms more meet those of later packets.
    #[test]
    fn ways_of_other_lengths_are_not_foreseen() {
        let flows = |delay| {
            format!(
                r#"{{ algorithm = "vegas" }},
                   {{ algorithm = "vegas", access = {{ rate = "100mbit", delay = "{delay}" }} }}"#
            )
        };
        let back = |delay| plan("10mbit", &flows(delay)).0[4];
        assert_eq!([back("1ms"), back("1.3ms"), back("1.5ms")], [Passing, Passing, InTime]);
    }

    /// A link as fast as the one before sends a packet of 1000 bytes in the time from one to the next, but not where a
    /// shorter one may be before it; then only the order is known.
    #[test]
    fn a_short_packet_may_be_caught_up_with() {
        let exit = |flow: &str| plan("100mbit", flow).0[2];
        assert_eq!(exit(r#"{ algorithm = "vegas" }"#), Passing);
        assert_eq!(exit(r#"{ algorithm = "vegas", size = "96kb" }"#), Passing);
        assert_eq!(exit(r#"{ algorithm = "vegas", size = "97kb" }"#), Ahead);
        assert_eq!(exit(r#"{ algorithm = "vegas", host = { handshake = "full" } }"#), Ahead);
    }

    #[test]
    fn who_answers_later_does_not_answer_ahead() {
        let turns = |flow: &str| plan("10mbit", flow).1[0];
        assert!(turns(r#"{ algorithm = "vegas" }"#));
        assert!(!turns(r#"{ algorithm = "vegas", delayed_ack = "40ms" }"#));
    }

    /// Hosts that are alike share lanes that lie abreast: of data, of answers, though each is behind a link of its own, and of
    /// the acknowledgements that come back to them.
    #[test]
    fn many_hosts_have_lanes_abreast() {
        let lanes = |count: usize| {
            let text = format!(
                r#"
                name = "plan"
                duration = "1s"
                topology.kind = "dumbbell"
                topology.access = {{ rate = "1gbit", delay = "1ms" }}
                topology.bottleneck = {{ rate = "10gbit", delay = "8ms", queue = "1000p" }}
                flow = [{{ algorithm = "reno", count = {count} }}]
                "#
            );
            let scenario = Scenario::from_toml(&text, "plan.toml", &[]).expect("a scenario");
            let plan = Plan::new(&scenario, true);
            assert_eq!(plan.lanes(), plan.shared_lanes.len());
            plan.shared_lanes
        };
        assert_eq!(lanes(MANY_HOSTS - 1), [0; 3]);
        assert_eq!(lanes(MANY_HOSTS), [[1, 0]; 3].as_flattened());
    }
}
