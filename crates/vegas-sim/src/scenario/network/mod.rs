//! Builds nodes, links and the flows' paths from the topology of the file.

mod chain;
mod delay;
mod graph;
mod link;
mod product;
mod queue;
mod route;

use std::collections::BTreeMap;
use std::sync::Arc;

use vegas_core::units::Bytes;

use super::document::{Numbered, Topology, Traffic};
use super::model::{LinkId, LinkKind, LinkSpec, NodeId, QueueLimit};
use crate::scenario::document::scalar::{Kind, Named};
use crate::scenario::model::trace::Folder;
use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::field::Table;
use crate::util::watch::Watch;
use delay::Hold;
pub(super) use graph::Paths;
pub(super) use link::{constant_rate as check_rate, delay as check_delay};
use route::Route;

/// Nodes, links, and a path for each flow and source of traffic.
#[derive(Default)]
pub(super) struct Network {
    pub(super) nodes: Vec<String>,
    /// In pairs: each link is followed by that of the reverse direction.
    pub(super) links: Vec<LinkSpec>,
    /// The links from sender to receiver, for each flow and then for each source of traffic.
    pub(super) paths: Vec<Vec<LinkId>>,
    /// The links that hold one flow's packets, by flow. They are behind all pairs.
    holds: BTreeMap<usize, Hold>,
}

/// Builds the network; `folder` has the files that it names, and source `i` has the key `traffic.i`.
pub(super) fn build(
    topology: &Topology,
    flows: &[Numbered<'_>],
    traffic: &[Table<Traffic>],
    folder: &dyn Folder,
    watch: &mut Watch<'_>,
) -> Checked<Network> {
    let kind = topology.kind.0;
    check_keys_of_topology(topology, kind)?;
    let of_flows = flows.iter().enumerate().map(|(id, flow)| Route::of_flow(id, *flow));
    let traffic = traffic.iter().enumerate().map(|(id, traffic)| Route::of_traffic(id, traffic));
    let routes: Vec<Route<'_>> = of_flows.chain(traffic).collect();
    for route in &routes {
        check_keys_of_route(route, kind)?;
    }
    let mut network = match kind {
        Kind::Dumbbell => chain::dumbbell(topology, &routes, folder, watch)?,
        Kind::ParkingLot => chain::parking_lot(topology, &routes, folder, watch)?,
        Kind::Graph => graph::build(topology, &routes, folder, watch)?,
    };
    for (id, Numbered { table, flow }) in flows.iter().enumerate() {
        if let Some(schedule) = &flow.delay_schedule {
            watch.step()?;
            network.add_hold(&format!("flow.{table}.delay_schedule"), id, schedule)?;
        }
    }
    Ok(network)
}

impl Network {
    fn add_node(&mut self, name: impl Into<String>) -> NodeId {
        self.nodes.push(name.into());
        self.nodes.len() - 1
    }

    /// Joins two nodes by a link each way and returns the forward one.
    fn connect(&mut self, from: NodeId, to: NodeId, link: &[Arc<LinkKind>; 2]) -> LinkId {
        let [forward, backward] = link;
        self.links.push(LinkSpec { from, to, kind: Arc::clone(forward) });
        self.links.push(LinkSpec { from: to, to: from, kind: Arc::clone(backward) });
        self.links.len() - 2
    }

    /// Returns the path over the nodes in reverse order.
    pub(super) fn reversed(path: &[LinkId]) -> Vec<LinkId> {
        path.iter().rev().map(|link| opposite(*link)).collect()
    }

    /// The link's name in results.
    pub(super) fn link_name(&self, link: LinkId) -> String {
        link_name(&self.links[link], &self.nodes)
    }

    /// Returns the first link of a path with a queue shorter than one packet, and the queue's limit.
    pub(super) fn too_short_for(&self, packet: Bytes, path: &[LinkId]) -> Option<(String, Bytes)> {
        path.iter().map(|link| &self.links[*link]).find_map(|link| match link.queue {
            QueueLimit::Bytes(limit) if limit < packet => Some((link_name(link, &self.nodes), limit)),
            _ => None,
        })
    }
}

fn link_name(link: &LinkSpec, nodes: &[String]) -> String {
    format!("{}->{}", nodes[link.from], nodes[link.to])
}

/// Returns the link of the reverse direction: links are stored in pairs.
fn opposite(link: LinkId) -> LinkId {
    link ^ 1
}

const CHAINS: &[Kind] = &[Kind::Dumbbell, Kind::ParkingLot];

fn check_keys_of_topology(topology: &Topology, kind: Kind) -> Checked<()> {
    check_keys(
        "topology",
        kind,
        &[
            ("access", topology.access.is_some(), CHAINS),
            ("bottleneck", topology.bottleneck.is_some(), CHAINS),
            ("bottlenecks", topology.bottlenecks.is_some(), &[Kind::ParkingLot]),
            ("hops", topology.hops.is_some(), &[Kind::ParkingLot]),
            ("nodes", topology.nodes.is_some(), &[Kind::Graph]),
            ("link", topology.link.is_some(), &[Kind::Graph]),
        ],
    )
}

fn check_keys_of_route(route: &Route<'_>, kind: Kind) -> Checked<()> {
    check_keys(
        &route.key,
        kind,
        &[
            ("access", route.access.is_some(), CHAINS),
            ("direction", route.direction.is_some(), &[Kind::Dumbbell]),
            ("enter", route.enter.is_some(), &[Kind::ParkingLot]),
            ("leave", route.leave.is_some(), &[Kind::ParkingLot]),
            ("from", route.from.is_some(), &[Kind::Graph]),
            ("to", route.to.is_some(), &[Kind::Graph]),
            ("via", route.via.is_some(), &[Kind::Graph]),
        ],
    )
}

/// Refuses keys that have no meaning in this kind of topology. Each key has a flag whether it is given, and the kinds
/// that have it.
fn check_keys(key: &str, kind: Kind, keys: &[(&str, bool, &[Kind])]) -> Checked<()> {
    match keys.iter().find(|(_, given, kinds)| *given && !kinds.contains(&kind)) {
        None => Ok(()),
        Some((name, _, kinds)) => {
            let kinds: Vec<String> = kinds.iter().map(|kind| format!("\"{}\"", name_of(*kind))).collect();
            let right = format!("leave it out, or set topology.kind to {}", kinds.join(" or "));
            Err(Problem::new(child(key, name), format!("means nothing in a {}; {right}", name_of(kind))))
        }
    }
}

fn name_of(kind: Kind) -> &'static str {
    Kind::CHOICES.iter().find(|(_, choice)| *choice == kind).map_or("", |(name, _)| name)
}
