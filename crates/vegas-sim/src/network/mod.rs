//! The network between the hosts. A packet enters it at its sender and is delivered at its receiver; only this module
//! knows what lies between.
//!
//! [`Network`] is all that the rest of the simulator sees of the network. Runs use [`Fast`], which computes the
//! positions of packets as far ahead of time as it can. [`Reference`] is written to be read: it has an event for each
//! packet and link, and [`Fast`] is compared with it.

mod fast;
mod labels;
mod queue;
mod reference;

pub(crate) use fast::Fast;
pub(crate) use reference::Reference;

use std::fmt;

use vegas_core::units::Time;

use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::{IncidentKind, QueueOutcome, QueueingTimes};
use crate::packet::Packet;
use crate::scenario::{Change, LinkId, LinkSpec, Scenario};
use crate::util::event::Event;
use crate::util::random::Stream;
use crate::util::watch::{Stopped, Watch};

/// The links of a scenario with their present state, and the packets on them.
pub(crate) trait Network: fmt::Debug + Sized {
    /// The memory that a link takes from the set-up on, bytes.
    const LINK_BYTES: usize;

    /// Returns the network at time 0. `own_hosts` is false if packets come from and go to hosts other than the
    /// simulator's.
    fn new(scenario: &Scenario, own_hosts: bool, watch: &mut Watch<'_>) -> Result<Self, Stopped>;

    /// Returns the next event; [`Event::NEVER`] if nothing happens before a packet is sent.
    fn next_event(&mut self) -> Event;

    /// Carries out the next event, which is `event`, and returns what it delivers.
    fn advance(&mut self, event: Event, hosts: &mut impl Hosts) -> Delivered;

    /// Takes a packet that leaves its host at `now`.
    fn send(&mut self, now: Time, packet: Packet, hosts: &mut impl Hosts);

    /// Takes a segment that leaves a flow's sender for its receiver. This needs no lookup of the direction, as the
    /// route is the flow's forward route.
    fn send_forward(&mut self, now: Time, packet: Packet, hosts: &mut impl Hosts) {
        self.send(now, packet, hosts);
    }

    /// Prepares for a connection that a source of traffic opens: packets with the number `flow` travel between the
    /// hosts of `source`.
    fn open(&mut self, flow: u32, source: u32);

    /// Applies a change of a link or a route at `now`.
    fn change(&mut self, now: Time, change: &Change, hosts: &mut impl Hosts);

    /// Updates what [`Network::link_totals`] returns to `now`, which is a sampling instant or the end of the run.
    fn bring_up_to(&mut self, now: Time, hosts: &mut impl Hosts);

    /// Returns the totals of a link at `now`, which is the time of the last [`Network::bring_up_to`].
    fn link_totals(&self, link: LinkId, now: Time) -> LinkTotals;

    /// Begins a new interval for a link's greatest queue; it starts at the `waiting` packets that wait now.
    fn begin_step(&mut self, link: LinkId, waiting: u32);

    /// Returns how long packets have waited for a link. Packets that still wait in a drop-tail queue count with the
    /// time that they will have waited if the link's rate stays as it is. Also returns the totals of each queue of a
    /// discipline that has several with names.
    fn queueing(&self, link: LinkId) -> (Option<QueueingTimes>, Vec<QueueOutcome>);

    /// Returns the memory that the network holds beside what its set-up took, bytes.
    fn memory_bytes(&self) -> usize;

    /// Returns the number of packets inside the network.
    ///
    /// # Panics
    /// Panics unless each packet that entered a link has left it, was dropped or is inside.
    fn check_conservation(&self) -> u64;

    /// May free the memory of the packets that are on their way, which no result shows: the results of many flows need
    /// the room. Only totals and waiting times are asked for from then on.
    fn forget_packets(&mut self) {}
}

/// The host side of the network: what a network reports to the hosts and asks of them while packets travel.
pub(crate) trait Hosts {
    /// Returns a receiver's answer to a packet that arrives at `at`, now or later, as the answer leaves the receiver's
    /// host at that instant. The network calls this instead of delivering the packet, in the order of arrivals, and
    /// only for a receiver that answers each packet at once.
    fn answer(&mut self, at: Time, packet: &Packet) -> Option<Packet>;

    /// Returns a second packet like this one.
    fn duplicate(&mut self, packet: &Packet) -> Packet;

    /// Reports that a link dropped a packet at `at`. This is now, or earlier or later if the network finds the drop out
    /// at another time.
    fn dropped(&mut self, at: Time, link: LinkId, packet: Packet, kind: IncidentKind);

    /// Reports that a queue marked a packet (ECN).
    fn marked(&mut self, at: Time, link: LinkId, packet: &Packet);

    /// Reports that a link's queue has changed. The network calls this only if the scenario asks for a row at every
    /// change.
    fn link_changed(&mut self, at: Time, link: LinkId, totals: &LinkTotals);
}

/// The packets that the network delivers in one event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Delivered {
    Nothing,
    /// A packet has arrived at its receiver.
    One(Packet),
    /// A packet and its duplicate have arrived.
    Two(Packet, Packet),
}

/// Returns the random stream of a link's impairments; it follows from the seed and the link's name.
fn impairment_stream(scenario: &Scenario, link: &LinkSpec) -> Stream {
    link_stream(scenario, "", link)
}

/// Returns the random stream of a link's queue discipline.
fn queue_stream(scenario: &Scenario, link: &LinkSpec) -> Stream {
    link_stream(scenario, "queue of ", link)
}

fn link_stream(scenario: &Scenario, part: &str, link: &LinkSpec) -> Stream {
    let (from, to) = (&scenario.nodes[link.from], &scenario.nodes[link.to]);
    Stream::named(scenario.seed, &format!("{part}link {from}->{to}"))
}
