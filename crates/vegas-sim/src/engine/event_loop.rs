//! The event loop: it finds the next event, which is the network's or one of the hosts', and handles it.

use std::collections::VecDeque;

use vegas_core::units::Time;

use super::carried::Delivery;
use super::components::Component;
use super::external;
use super::hosts::{Hosts, flows};
use super::{Progress, SLICE_EVENTS};
use crate::endpoint::Flow;
use crate::endpoint::external::Stack;
use crate::measure::outcome::{FlowSeries, LinkSeries, Outcome};
use crate::measure::recorder::{Recorder, link_outcome, seconds};
use crate::network::Network;
use crate::scenario::{Sampling, Scenario, ScheduledChange};
use crate::util::event::Event;
use crate::util::watch::{Midway, Stopped, Watch};

/// The memory of a flow at the set-up: [`Flow`], its places in routes, plan and timers, and the places of its first
/// segments and SACK blocks.
pub(super) const FLOW_BYTES: usize = size_of::<Flow>() + 200;

/// A run on one kind of network.
#[derive(Debug)]
pub(super) struct EventLoop<N> {
    pub(super) now: Time,
    pub(super) end: Time,
    /// The seed of the run.
    pub(super) seed: u64,
    pub(super) until_complete: bool,
    finished: bool,
    events: u64,
    pub(super) network: N,
    pub(super) hosts: Hosts,
    /// The stack of the QUIC connections that sources of traffic open.
    pub(super) stack: Option<Box<dyn Stack>>,
    /// The changes to come, in the order of time.
    changes: VecDeque<ScheduledChange>,
    /// The packets delivered to hosts that are not the engine's own; none if the hosts are the engine's.
    pub(super) delivered: Option<Vec<Delivery>>,
    /// Whether all packets are segments of the scenario's flows between the engine's own TCP hosts.
    pub(super) is_plain: bool,
    pub(super) links: usize,
    pub(super) checks: Checks,
    pub(super) base: BaseMemory,
}

/// When the limits are checked in the middle of an event.
#[derive(Debug)]
pub(super) struct Checks {
    pub(super) midway: Midway,
    /// The work beside a packet for each event: segments of bursts, rows, connections that are opened.
    work: u64,
    /// The work at which the limits are checked next.
    at: u64,
}

/// The memory of a run before its first event, bytes.
#[derive(Debug)]
pub(super) struct BaseMemory {
    pub(super) scenario: u64,
    /// With the scenario's.
    pub(super) set_up: u64,
}

impl<N: Network> EventLoop<N> {
    /// Sets up a run. `own_hosts` is false if packets come from and go to hosts that are not the engine's.
    pub(super) fn new(
        scenario: &Scenario,
        stack: Option<&dyn Stack>,
        own_hosts: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Stopped> {
        let set_up_bytes = set_up_bytes::<N>(scenario);
        // hosts that are not the engine's end the run when they like
        let rows = if own_hosts { Recorder::rows_of(scenario) } else { [0, 0] };
        watch.check_memory(set_up_bytes + Recorder::rows_bytes(rows[0], rows[1]))?;
        let network = N::new(scenario, own_hosts, watch)?;
        let mut flows = flows(scenario, own_hosts, set_up_bytes, watch)?;
        external::connect(scenario, stack, &mut flows, watch)?;
        let has_external = flows.iter().any(|flow| flow.external.is_some());
        Ok(EventLoop {
            now: Time::ZERO,
            end: Time::ZERO + scenario.duration,
            seed: scenario.seed,
            until_complete: scenario.until_complete,
            finished: false,
            events: 0,
            network,
            hosts: Hosts::new(scenario, flows, rows),
            stack: external::stack_of_traffic(scenario, stack),
            changes: scenario.changes.clone().into(),
            delivered: (!own_hosts).then(Vec::new),
            is_plain: own_hosts && !has_external && scenario.traffic.is_empty(),
            links: scenario.links.len(),
            checks: Checks { midway: Midway::default(), work: 0, at: SLICE_EVENTS },
            base: BaseMemory { scenario: scenario.memory_bytes(), set_up: set_up_bytes },
        })
    }

    /// Returns the time of the next event, which may be after the end.
    pub(super) fn next_event(&mut self) -> Time {
        let network = self.network.next_event();
        self.own_before(network).unwrap_or(network).time()
    }

    /// Returns the hosts' first event, if it comes before the network's. At one instant the events of sources come
    /// before the network's, and those of timers after it.
    #[inline(always)]
    fn own_before(&mut self, network: Event) -> Option<Event> {
        self.hosts.timers.first_before(network.before(self.hosts.components.network()))
    }

    pub(super) fn advance(&mut self, events: u64) -> Progress {
        let last = self.events.saturating_add(events);
        while self.events < last {
            let network = self.network.next_event();
            let own = self.own_before(network);
            let time = own.unwrap_or(network).time();
            if time > self.end {
                self.now = self.end;
                self.finished = true;
                break;
            }
            debug_assert!(time >= self.now, "time runs backwards");
            self.now = time;
            self.events += 1;
            match own {
                Some(event) => self.handle(event),
                None => {
                    let delivered = self.network.advance(network, &mut self.hosts);
                    self.deliver(delivered);
                }
            }
        }
        Progress { now: self.now, finished: self.finished }
    }

    /// Counts work beside a packet for each event. Checks the limits at intervals of work that make a check cheap.
    #[inline]
    pub(super) fn count_work(&mut self, work: usize) {
        self.checks.work += work as u64;
        if self.checks.work >= self.checks.at {
            self.check_midway();
        }
    }

    #[cold]
    fn check_midway(&mut self) {
        self.checks.at = self.checks.work + SLICE_EVENTS.max(self.events_between_looks());
        self.checks.midway.look(self.now, || self.memory_to_end_bytes());
    }

    pub(super) fn series(&self) -> (&FlowSeries, &LinkSeries) {
        self.hosts.recorder.series()
    }

    pub(super) fn events(&self) -> u64 {
        self.events
    }

    pub(super) fn finish(self) -> Outcome {
        assert!(self.finished, "the run has not come to its end");
        self.end_here()
    }

    /// Returns what was measured up to now. Now is the end of the run, or a time in a run of which nothing is known
    /// ahead of time.
    pub(super) fn end_here(mut self) -> Outcome {
        let now = self.now;
        self.network.bring_up_to(now, &mut self.hosts);
        let inside = self.network.check_conservation();
        self.network.forget_packets();
        let network = &self.network;
        let outcome_of = |link| link_outcome(&network.link_totals(link, now), network.queueing(link), now);
        let links = (0..self.links).map(outcome_of).collect();
        // frees memory for the results
        drop(self.network);
        Outcome { end_s: seconds(now), events: self.events, links, ..self.hosts.finish(now, inside) }
    }

    /// Handles an event of a host. It is a function of its own, so that the loop, which has far more events of the
    /// network, keeps its values in registers.
    #[inline(never)]
    fn handle(&mut self, event: Event) {
        self.hosts.timers.take(event);
        match self.hosts.components.decode(event.component()) {
            Component::Change => self.on_change(),
            Component::Source(source) => self.on_source(source),
            Component::StartStop(flow) => self.on_start_stop(flow),
            Component::Retransmission(flow) => self.on_retransmission_timer(flow),
            Component::Receiver(flow) => self.on_receiver_timer(flow as usize),
            Component::Write(flow) => self.on_write(flow),
            Component::Pacing(flow) => self.on_pacing_timer(flow),
            Component::Sampler => self.on_sample(),
        }
    }

    fn on_change(&mut self) {
        while self.changes.front().is_some_and(|change| change.at <= self.now)
            && let Some(change) = self.changes.pop_front()
        {
            self.count_work(1);
            self.network.change(self.now, &change.change, &mut self.hosts);
        }
        if let Some(next) = self.changes.front() {
            self.hosts.timers.schedule(self.hosts.components.change(), next.at);
        }
    }

    fn on_sample(&mut self) {
        let now = self.now;
        self.network.bring_up_to(now, &mut self.hosts);
        self.count_work(self.hosts.components.flows as usize + self.links);
        self.hosts.sample_flows(now);
        for link in 0..self.links {
            let totals = self.network.link_totals(link, now);
            self.hosts.recorder.link_row(now, link, &totals);
            self.network.begin_step(link, totals.queue_packets);
        }
        if let Sampling::Every(step) = self.hosts.recorder.sampling() {
            self.hosts.timers.schedule(self.hosts.components.sampler(), now + step);
        }
    }
}

/// Returns the memory that the set-up of a run takes, with the scenario's own, bytes. It is known before any of it is
/// taken.
fn set_up_bytes<N: Network>(scenario: &Scenario) -> u64 {
    let steps: usize = scenario.flows.iter().map(|flow| flow.path.len() + flow.reverse_path.len()).sum();
    let own = scenario.flows.len() * FLOW_BYTES + scenario.links.len() * N::LINK_BYTES + steps * 16;
    scenario.memory_bytes() + own as u64
}
