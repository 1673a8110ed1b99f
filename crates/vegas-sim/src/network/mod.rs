//! The network between the hosts. A packet goes in at its sender and comes out at its receiver; what lies between is
//! known here only.
//!
//! [`Network`] is all that the rest of the simulator sees of it. [`Fast`] is the one that is run: it works out where
//! packets will be as far ahead as it can. [`Reference`] is the one that is read: an event for each packet and link, and
//! the judge of the other.

mod fast;
mod labels;
mod queue;
mod reference;

pub(crate) use fast::Fast;
pub(crate) use reference::Reference;

use std::fmt;

use vegas_core::units::Time;

use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::{IncidentKind, QueueingTimes};
use crate::packet::Packet;
use crate::scenario::{Change, LinkId, LinkSpec, Scenario};
use crate::util::event::Event;
use crate::util::random::Stream;
use crate::util::watch::{Stopped, Watch};

/// The links of a scenario at work, with the packets on them.
pub(crate) trait Network: fmt::Debug + Sized {
    /// What a link takes from the set-up on, bytes.
    const LINK_BYTES: usize;

    /// The network at time 0; `own_hosts` unless packets are sent and received by others than the simulator's hosts.
    fn new(scenario: &Scenario, own_hosts: bool, watch: &mut Watch<'_>) -> Result<Self, Stopped>;

    /// What happens next; [`Event::NEVER`] if nothing does before a packet is sent.
    fn next_event(&mut self) -> Event;

    /// Lets the next event happen, which is this one, and gives what it delivers.
    fn advance(&mut self, event: Event, hosts: &mut impl Hosts) -> Delivered;

    /// A packet leaves its host.
    fn send(&mut self, now: Time, packet: Packet, hosts: &mut impl Hosts);

    /// A segment leaves a flow's sender for its receiver: the flow's forward route need not be sought.
    fn send_forward(&mut self, now: Time, packet: Packet, hosts: &mut impl Hosts) {
        self.send(now, packet, hosts);
    }

    /// A source of traffic opens a connection: packets with this flow's number travel between the source's hosts.
    fn open(&mut self, flow: u32, source: u32);

    /// A link or a route changes.
    fn change(&mut self, now: Time, change: &Change, hosts: &mut impl Hosts);

    /// Brings what [`Network::link_totals`] tells up to `now`, which is a sampling instant or the end.
    fn bring_up_to(&mut self, now: Time, hosts: &mut impl Hosts);

    /// What had happened on a link by `now`, at which the network was last brought up.
    fn link_totals(&self, link: LinkId, now: Time) -> LinkTotals;

    /// A link's greatest queue is sought anew, from the `waiting` packets of now on.
    fn begin_step(&mut self, link: LinkId, waiting: u32);

    /// How long packets have waited for a link; those that still wait in a drop-tail queue as long as they will by now's
    /// rate.
    fn queueing_times(&self, link: LinkId) -> Option<QueueingTimes>;

    /// How much memory it holds beside what its set-up took, bytes.
    fn memory_bytes(&self) -> usize;

    /// Packets inside the network.
    ///
    /// # Panics
    /// Not every packet that went into a link has come out, was dropped or is inside.
    fn check_conservation(&self) -> u64;
}

/// What a network tells the hosts and asks of them while packets travel.
pub(crate) trait Hosts {
    /// The answer of a receiver to a packet that arrives at `at`, now or later, as it leaves its host at that instant.
    /// Asked only of a receiver that answers each packet at once, in the order of arrivals, and instead of delivering the
    /// packet.
    fn answer(&mut self, at: Time, packet: &Packet) -> Packet;

    /// A second packet like this one.
    fn duplicate(&mut self, packet: &Packet) -> Packet;

    /// A link has dropped a packet at `at`, which is now, or earlier or later where the network finds that out then.
    fn dropped(&mut self, at: Time, link: LinkId, packet: Packet, kind: IncidentKind);

    /// A queue has marked a packet (ECN).
    fn marked(&mut self, at: Time, link: LinkId, packet: &Packet);

    /// A link's queue has changed; told where the scenario asks for a row at every change.
    fn link_changed(&mut self, at: Time, link: LinkId, totals: &LinkTotals);
}

/// What comes out of the network at one instant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Delivered {
    Nothing,
    /// A packet has come to its receiver.
    One(Packet),
    /// A packet and its duplicate have come.
    Two(Packet, Packet),
}

/// The random numbers of a link's impairments, given by the seed and the link's name.
fn impairment_stream(scenario: &Scenario, link: &LinkSpec) -> Stream {
    link_stream(scenario, "", link)
}

/// The random numbers of a link's queue discipline.
fn queue_stream(scenario: &Scenario, link: &LinkSpec) -> Stream {
    link_stream(scenario, "queue of ", link)
}

fn link_stream(scenario: &Scenario, part: &str, link: &LinkSpec) -> Stream {
    let (from, to) = (&scenario.nodes[link.from], &scenario.nodes[link.to]);
    Stream::named(scenario.seed, &format!("{part}link {from}->{to}"))
}
