//! What is done ahead of time, decided once for a run: which links are offered their packets as soon as the link before
//! has accepted them, on which of these no packet can ever wait, and which receivers take and answer a segment as soon
//! as its arrival is known.
//!
//! Behind a link that sends its packets one by one, each packet reaches a place a fixed time after it has left: the
//! transmission and propagation times of the links in between, as long as nothing waits there. This time may differ
//! from packet to packet, also because packets take several paths. If it differs by less than the first link spaces its
//! packets by, they come to the place in the order in which they left; and if what is left of the spacing is enough to
//! send the largest packet, none waits for another. A receiver that answers every segment at once is such a place too,
//! so that its acknowledgements keep the spacing of the data.

use std::collections::BTreeMap;

use vegas_core::units::{Span, Time};

use super::load::{HOST, Load, Transition};
use crate::measure::sampling::SamplingInstants;
use crate::network::fast::in_flight::delay_lines::NO_DELAY_LINE;
use crate::network::fast::link::may_impair;
use crate::network::fast::links::Links;
use crate::network::fast::routes::{Routes, Step};
use crate::packet::WireSize;
use crate::scenario::{Change, Discipline, FlowSpec, LinkId, LinkSpec, Sampling, Scenario, Transport};

/// The decisions on what is done ahead of time.
#[derive(Debug)]
pub(crate) struct Plan {
    /// How packets come to each link.
    entries: Vec<Entry>,
    /// Whether each flow's receiver answers ahead of time.
    answers: Vec<bool>,
    /// The delay line of each link; the delay lines that links share come first.
    delay_lines: Vec<u32>,
    /// The delay lines that links share: for each, the number of delay lines behind it that a packet that would
    /// overtake may take.
    pub(crate) shared_delay_lines: Vec<u32>,
    /// The sampling instants of links and receivers.
    instants: SamplingInstants,
    /// Whether a row is written at every change.
    is_watched: bool,
}

/// How packets come to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// By an event, in time.
    InTime,
    /// Ahead of time, in order.
    Ahead,
    /// Ahead of time, in order, and none ever waits.
    Uncongested,
}

/// The spacing of the packets that come out of a link.
#[derive(Clone, Copy, Debug)]
struct Spacing {
    /// The link that the packets left one by one: this link or one before it.
    head: LinkId,
    /// The least time from one packet's departure from `head` to the next one's.
    gap: Span,
    /// The least and the greatest time from a packet's departure from `head` to its arrival at the end of this link.
    least: Span,
    most: Span,
}

impl Spacing {
    /// Returns the part of the gap that is certainly left.
    fn left(&self) -> Span {
        self.gap.less(self.most.less(self.least))
    }

    /// Returns the spacing of the packets of both, if they keep their order.
    fn merge(self, other: Spacing) -> Option<Spacing> {
        let both = Spacing { least: self.least.min(other.least), most: self.most.max(other.most), ..self };
        (self.head == other.head && both.left() > Span::ZERO).then_some(both)
    }
}

impl Plan {
    /// Returns the plan of a run. `own_hosts` is false if packets come from and go to hosts that are not the engine's.
    pub(crate) fn new(scenario: &Scenario, own_hosts: bool) -> Self {
        let links = &Known::of(scenario)[..];
        let step = match scenario.sampling {
            Sampling::Every(step) => Some(step),
            Sampling::EveryChange | Sampling::Off => None,
        };
        // rows are written in the order in which things happen
        if scenario.sampling == Sampling::EveryChange {
            let (entries, answers) = (vec![Entry::InTime; links.len()], vec![false; scenario.flows.len()]);
            let (delay_lines, shared_delay_lines) =
                delay_lines(links, &vec![None; links.len()], &vec![false; links.len()], false);
            return Plan {
                entries,
                answers,
                delay_lines,
                shared_delay_lines,
                instants: SamplingInstants::none(),
                is_watched: true,
            };
        }
        // The end of a run that ends with its flows is not known ahead of time.
        let is_open = scenario.until_complete || !own_hosts;
        let instants = if is_open {
            SamplingInstants::none()
        } else {
            SamplingInstants::new(step, Time::ZERO + scenario.duration)
        };
        let mut answers = if is_open { vec![false; scenario.flows.len()] } else { answers(scenario) };
        let load = Load::new(scenario, links.len(), &answers);
        let (entries, spacings) = entries(links, &load, is_open);
        for (flow, answers) in scenario.flows.iter().zip(&mut answers) {
            *answers &= flow.reverse_path.first().is_some_and(|link| entries[*link] != Entry::InTime);
        }
        let (delay_lines, shared_delay_lines) =
            delay_lines(links, &spacings, &sends_events(scenario, &entries, &answers), own_hosts);
        Plan { entries, answers, delay_lines, shared_delay_lines, instants, is_watched: false }
    }

    /// Returns the number of delay lines.
    pub(crate) fn delay_lines(&self) -> usize {
        let last = self.delay_lines.iter().filter(|delay_line| **delay_line != NO_DELAY_LINE).max();
        last.map_or(0, |last| *last as usize + 1).max(self.shared_delay_lines.len())
    }

    /// Returns whether nothing ever waits for a link.
    pub(crate) fn is_uncongested(&self, link: LinkId) -> bool {
        self.entries[link] == Entry::Uncongested
    }

    /// Returns the delay line on which packets that a link has accepted continue; of a link that is not plain, the
    /// delay line of its own arrivals.
    pub(crate) fn delay_line(&self, link: LinkId) -> u32 {
        self.delay_lines[link]
    }

    /// Applies the plan to the links.
    pub(crate) fn apply_to_links(&self, links: &mut Links) {
        for (id, entry) in self.entries.iter().enumerate() {
            match entry {
                Entry::InTime if self.is_watched => links[id].list_departures(),
                Entry::Ahead => links.sample_at(id, self.instants),
                Entry::InTime | Entry::Uncongested => {}
            }
        }
    }

    /// Marks the receivers that answer ahead of time in the routes, which are complete.
    pub(crate) fn apply_to_receivers(&self, routes: &mut Routes) {
        (0..self.answers.len()).filter(|flow| self.answers[*flow]).for_each(|flow| routes.mark_answering(flow));
    }

    /// Returns the steps of a route. Uncongested links one behind the other are joined in path segments.
    pub(crate) fn steps(&self, way: &[LinkId], links: &mut Links) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for run in way.chunk_by(|one, next| self.is_uncongested(*one) && self.is_uncongested(*next)) {
            let last = run[run.len() - 1];
            let step = match self.is_uncongested(last) {
                true => Step::record(links.segment(run, self.delay_lines[last], self.instants)),
                false if links[last].is_plain() && !self.is_watched => Step::record(links.record(last)),
                false => Step::special_link(links.record(last)),
            };
            // only a receiver feeds a route's first link ahead of time, and it offers its packets to that link directly
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
        let known = |(spec, changes)| Known { spec, is_impaired: may_impair(spec, changes) };
        scenario.links.iter().zip(scenario.changing_links()).map(known).collect()
    }

    /// Returns whether what the link does with a packet depends only on the packets before it.
    fn is_plain(&self) -> bool {
        self.spec.discipline == Discipline::DropTail && !self.is_impaired
    }

    /// Returns how long the link sends a packet of this size; none where that varies.
    fn transmission(&self, wire: WireSize) -> Option<Span> {
        self.spec.trace.is_none().then(|| wire.transmission(self.spec.rate))
    }

    /// Returns whether even a packet of this size comes out later than it goes in. As the clock counts nanoseconds, a
    /// packet of a few bytes may not. Events of one instant are in the order of the components' numbers only if all of
    /// them are pending as the instant begins, so packets that leave such a link are not known ahead of time. A trace's
    /// opportunities come later than the packet.
    fn takes_time(&self, wire: WireSize) -> bool {
        self.spec.delay > Span::ZERO || self.transmission(wire) != Some(Span::ZERO)
    }
}

/// Returns whether each flow's receiver answers every packet at once, over an unchanged route, and without a capture.
fn answers(scenario: &Scenario) -> Vec<bool> {
    let answers = |flow: &FlowSpec| {
        let host = &flow.host;
        let at_once = host.delayed_ack.is_none() && host.receiving.merges_for.is_none();
        let keeps_rules = at_once && host.misbehaves.is_none();
        flow.transport == Transport::Tcp && keeps_rules && !scenario.capture
    };
    let mut answers: Vec<bool> = scenario.flows.iter().map(answers).collect();
    for change in &scenario.changes {
        if let Change::Route(change) = &change.change {
            answers[change.flow] = false;
        }
    }
    answers
}

fn entries(links: &[Known<'_>], load: &Load, is_open: bool) -> (Vec<Entry>, Vec<Option<Spacing>>) {
    let mut entries = vec![Entry::InTime; links.len()];
    let mut spacings: Vec<Option<Spacing>> = vec![None; links.len()];
    for id in load.in_order() {
        let link = &links[id];
        let (least, most) = load.wires[id];
        if link.is_impaired || !link.takes_time(least) {
            continue;
        }
        // of a trace only the order is known
        let times = link.transmission(least).zip(link.transmission(most));
        // a managed queue decides which packet is sent next, but sends one after the other, too
        let arrivals = if link.is_plain() && !is_open { arrivals(load.before(id), &spacings) } else { None };
        let passes = |arrivals: &Spacing, most_time: Span| link.spec.queue.admits(most) && arrivals.left() >= most_time;
        (entries[id], spacings[id]) = match (arrivals, times) {
            (Some(arrivals), Some((fast, slow))) if passes(&arrivals, slow) => {
                let (least, most) = (arrivals.least + fast + link.spec.delay, arrivals.most + slow + link.spec.delay);
                (Entry::Uncongested, Some(Spacing { least, most, ..arrivals }))
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

/// Returns the links that deliver packets by events on the routes that are known: their next step is not taken ahead of
/// time.
fn sends_events(scenario: &Scenario, entries: &[Entry], answers: &[bool]) -> Vec<bool> {
    let mut sends = vec![false; entries.len()];
    let mut note = |way: &[LinkId], is_answered: bool| {
        for transition in way.windows(2) {
            sends[transition[0]] |= entries[transition[1]] == Entry::InTime;
        }
        if let Some(last) = way.last() {
            sends[*last] |= !is_answered;
        }
    };
    for (flow, answers) in scenario.flows.iter().zip(answers) {
        note(&flow.path, *answers);
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

/// Returns the delay line of each link, and for each shared delay line the number of delay lines behind it that a
/// packet that would overtake may take.
///
/// Links that deliver packets by events share a delay line if, as far as is known, their packets come out in the order
/// in which they are accepted: links equally far behind one link, and links equally far behind links of their own, as
/// hosts' links of equal rate and delay are. Where many hosts send bursts at the same time, there are parallel delay
/// lines. Links that are not plain have a delay line each, behind the shared ones. Unless `may_share`, as for
/// [`Fast::earliest_end`], each link has one of its own.
///
/// [`Fast::earliest_end`]: crate::network::Fast::earliest_end
fn delay_lines(
    links: &[Known<'_>],
    spacings: &[Option<Spacing>],
    sends_events: &[bool],
    may_share: bool,
) -> (Vec<u32>, Vec<u32>) {
    let of_plain = (0..links.len()).filter(|link| sends_events[*link] && links[*link].is_plain());
    let known: Vec<(LinkId, Spacing)> = of_plain.filter_map(|link| Some((link, spacings[link]?))).collect();
    let mut behind = vec![0u32; links.len()];
    known.iter().for_each(|(_, spacing)| behind[spacing.head] += 1);
    let mut alike = BTreeMap::<_, Vec<LinkId>>::new();
    for (link, Spacing { head, gap, least, most }) in known {
        let shared_head = Some(head).filter(|head| behind[*head] > 1);
        let alone = Some(link).filter(|_| !may_share);
        alike.entry((shared_head, gap, least, most, alone)).or_default().push(link);
    }
    let mut delay_lines = vec![NO_DELAY_LINE; links.len()];
    let mut shared = Vec::new();
    for ((head, ..), links) in alike {
        let parallel = if head.is_none() && links.len() >= MANY_HOSTS { PARALLEL } else { 1 };
        links.iter().for_each(|link| delay_lines[*link] = shared.len() as u32);
        shared.extend((0..parallel).rev());
    }
    let special = (0..links.len()).filter(|link| !links[*link].is_plain());
    for (delay_line, link) in (shared.len() as u32..).zip(special) {
        delay_lines[link] = delay_line;
    }
    (delay_lines, shared)
}

/// The number of hosts from which on some send bursts at the same time all the time.
const MANY_HOSTS: usize = 128;
/// The number of parallel delay lines of many hosts: a packet that would overtake on one of them takes the next.
const PARALLEL: u32 = 2;

/// Returns how packets come to a link, where that is known ahead of time.
fn arrivals(before: &[Transition], spacings: &[Option<Spacing>]) -> Option<Spacing> {
    let of =
        |transition: &Transition| if transition.before == HOST { None } else { spacings[transition.before as usize] };
    match before {
        [] => None,
        [only] => of(only),
        [first, others @ ..] => others.iter().try_fold(of(first)?, |all, transition| all.merge(of(transition)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the plan for a dumbbell with these flows: how packets come to the access links, the bottleneck, and so
    /// on back to the sender; and which receivers answer ahead of time.
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
        (flow.path.iter().chain(&flow.reverse_path).map(|link| plan.entries[*link]).collect(), plan.answers)
    }

    use Entry::{Ahead, InTime, Uncongested};

    #[test]
    fn behind_the_bottleneck_nothing_waits() {
        let (entries, answers) = plan("10mbit", r#"{ algorithm = "vegas" }"#);
        assert_eq!(entries, [InTime, Ahead, Uncongested, Uncongested, Uncongested, Uncongested]);
        assert_eq!(answers, [true]);
        let (entries, _) = plan("10mbit", r#"{ algorithm = "vegas", count = 2 }"#);
        assert_eq!(entries, [InTime, InTime, Uncongested, Uncongested, Uncongested, Uncongested]);
    }

    /// Data packets are 800 us apart: acknowledgements that come back over a path longer by 1 ms meet those of later
    /// packets.
    #[test]
    fn ways_of_other_lengths_are_not_foreseen() {
        let flows = |delay| {
            format!(
                r#"{{ algorithm = "vegas" }},
                   {{ algorithm = "vegas", access = {{ rate = "100mbit", delay = "{delay}" }} }}"#
            )
        };
        let back = |delay| plan("10mbit", &flows(delay)).0[4];
        assert_eq!([back("1ms"), back("1.3ms"), back("1.5ms")], [Uncongested, Uncongested, InTime]);
    }

    /// A link as fast as the one before sends a packet of 1000 bytes in the time from one packet to the next. This does
    /// not hold where a shorter packet may come before it; then only the order is known.
    #[test]
    fn a_short_packet_may_be_caught_up_with() {
        let exit = |flow: &str| plan("100mbit", flow).0[2];
        assert_eq!(exit(r#"{ algorithm = "vegas" }"#), Uncongested);
        assert_eq!(exit(r#"{ algorithm = "vegas", size = "96kb" }"#), Uncongested);
        assert_eq!(exit(r#"{ algorithm = "vegas", size = "97kb" }"#), Ahead);
        assert_eq!(exit(r#"{ algorithm = "vegas", host = { handshake = "full" } }"#), Ahead);
    }

    #[test]
    fn a_delayed_answer_is_not_ahead() {
        let answers = |flow: &str| plan("10mbit", flow).1[0];
        assert!(answers(r#"{ algorithm = "vegas" }"#));
        assert!(!answers(r#"{ algorithm = "vegas", delayed_ack = "40ms" }"#));
        assert!(!answers(r#"{ algorithm = "vegas", host = { gro = "0s" } }"#));
    }

    /// Hosts that are alike share parallel delay lines: one set for data, one for answers, though each is behind a link
    /// of its own, and one for the acknowledgements that come back to the hosts.
    #[test]
    fn many_hosts_have_parallel_delay_lines() {
        let delay_lines = |count: usize| {
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
            assert_eq!(plan.delay_lines(), plan.shared_delay_lines.len());
            plan.shared_delay_lines
        };
        assert_eq!(delay_lines(MANY_HOSTS - 1), [0; 3]);
        assert_eq!(delay_lines(MANY_HOSTS), [[1, 0]; 3].as_flattened());
    }
}
