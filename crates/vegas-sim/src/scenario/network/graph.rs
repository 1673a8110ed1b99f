//! Nodes and links that are named one by one; each flow takes the path of least delay.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use vegas_core::units::Span;

use crate::scenario::document::scalar::Name;
use crate::scenario::document::{GraphLink, Numbered, Topology};
use crate::scenario::model::trace::Folder;
use crate::scenario::model::{LinkId, NodeId};
use crate::scenario::read::error::{Checked, Problem, child, suggestion};
use crate::scenario::read::field::Field;

use crate::util::watch::Watch;

use super::route::Route;
use super::{Network, link};

/// Builds the graph and finds every flow's path.
pub(super) fn build(
    topology: &Topology,
    routes: &[Route<'_>],
    folder: &dyn Folder,
    watch: &mut Watch<'_>,
) -> Checked<Network> {
    let mut network = Network::default();
    let names = topology.nodes.as_deref().ok_or_else(|| Problem::missing("topology.nodes"))?;
    let nodes = nodes(names, &mut network)?;
    let links = topology.link.as_deref().ok_or_else(|| Problem::missing("topology.link"))?;
    let mut joined = BTreeSet::new();
    for (id, link) in links.iter().enumerate() {
        watch.step()?;
        add_link(&format!("topology.link.{id}"), link, &nodes, folder, &mut network, &mut joined)?;
    }
    let mut paths = Paths::new(&network, nodes);
    let (mut found, mut links) = (Vec::with_capacity(routes.len()), 0);
    for route in routes {
        // finding a path takes as long as many other steps
        watch.look()?;
        let path = paths.of_route(route)?;
        links += path.len();
        watch.check_memory((links * size_of::<[LinkId; 2]>()) as u64)?;
        found.push(path);
    }
    network.paths = found;
    Ok(network)
}

type Nodes = BTreeMap<String, NodeId>;

fn nodes(names: &[Field<Name>], network: &mut Network) -> Checked<Nodes> {
    let mut nodes = Nodes::new();
    for (id, Field(Name(name))) in names.iter().enumerate() {
        if nodes.insert(name.clone(), network.add_node(name)).is_some() {
            return Err(Problem::new(
                format!("topology.nodes.{id}"),
                format!("\"{name}\" stands there twice; name each once"),
            ));
        }
    }
    Ok(nodes)
}

fn find(key: String, Field(Name(name)): &Field<Name>, nodes: &Nodes) -> Checked<NodeId> {
    nodes.get(name).copied().ok_or_else(|| {
        let right = suggestion(name, nodes.keys().map(String::as_str));
        Problem::new(key, format!("\"{name}\" is not in topology.nodes; {right}"))
    })
}

/// Adds a link; `joined` has the pairs of nodes that already have one.
fn add_link(
    key: &str,
    link: &GraphLink,
    nodes: &Nodes,
    folder: &dyn Folder,
    network: &mut Network,
    joined: &mut BTreeSet<[NodeId; 2]>,
) -> Checked<()> {
    let key_between = child(key, "between");
    let [from, to] = link.between.as_slice() else {
        let message = format!("names {} nodes; name two, such as [\"a\", \"b\"]", link.between.len());
        return Err(Problem::new(key_between, message));
    };
    let from = find(child(&key_between, 0), from, nodes)?;
    let to = find(child(&key_between, 1), to, nodes)?;
    if from == to {
        return Err(Problem::new(key_between, "names one node twice; name two"));
    }
    if !joined.insert([from.min(to), from.max(to)]) {
        return Err(Problem::new(key_between, "these two nodes have a link already; write one link for each pair"));
    }
    network.connect(from, to, &link::of_graph(key, link, folder)?);
    Ok(())
}

/// Returns for each node the links that leave it.
fn links_leaving(network: &Network) -> Vec<Vec<LinkId>> {
    let mut leaving = vec![Vec::new(); network.nodes.len()];
    for (id, link) in network.links.iter().enumerate() {
        leaving[link.from].push(id);
    }
    leaving
}

/// Finds paths through a network; a path that many flows take is found once.
pub(in crate::scenario) struct Paths<'a> {
    network: &'a Network,
    nodes: Nodes,
    leaving: Vec<Vec<LinkId>>,
    /// The paths found so far, by the nodes at their ends.
    found: BTreeMap<[NodeId; 2], Option<Vec<LinkId>>>,
}

impl<'a> Paths<'a> {
    pub(in crate::scenario) fn of(network: &'a Network) -> Self {
        Paths::new(network, network.nodes.iter().cloned().zip(0..).collect())
    }

    fn new(network: &'a Network, nodes: Nodes) -> Self {
        Paths { network, nodes, leaving: links_leaving(network), found: BTreeMap::new() }
    }

    /// Returns the path of a flow over the nodes `via` instead of its own; `key_via` is their key in the file.
    pub(in crate::scenario) fn reroute(
        &mut self,
        flow: Numbered<'_>,
        key_via: String,
        via: &[Field<Name>],
    ) -> Checked<Vec<LinkId>> {
        self.of_route(&Route { key_via, via: Some(via), ..Route::of_flow(0, flow) })
    }

    fn of_route(&mut self, route: &Route<'_>) -> Checked<Vec<LinkId>> {
        let Route { key, key_via, .. } = route;
        let end = |name: &str, node: Option<&Field<Name>>| {
            let key = child(key, name);
            let node = node.ok_or_else(|| Problem::missing(key.clone()))?;
            find(key, node, &self.nodes)
        };
        let from = end("from", route.from)?;
        let to = end("to", route.to)?;
        let mut stops: Vec<(String, NodeId)> = Vec::new();
        for (index, node) in route.via.iter().copied().flatten().enumerate() {
            let key = child(key_via, index);
            stops.push((key.clone(), find(key, node, &self.nodes)?));
        }
        stops.push((child(key, "to"), to));
        let mut path = Vec::new();
        let mut here = from;
        for (key, stop) in stops {
            let part = self.least_delay(here, stop).ok_or_else(|| {
                let names = (&self.network.nodes[here], &self.network.nodes[stop]);
                Problem::new(&key, format!("there is no path from {} to {}; add links between them", names.0, names.1))
            })?;
            path.extend(part);
            here = stop;
        }
        check_simple(key, key_via, from, &path, self.network)?;
        Ok(path)
    }

    fn least_delay(&mut self, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        let found = self.found.entry([from, to]);
        found.or_insert_with(|| least_delay(from, to, self.network, &self.leaving)).clone()
    }
}

/// Refuses a path that returns to a node, because packets would circle on it.
fn check_simple(key: &str, key_via: &str, from: NodeId, path: &[LinkId], network: &Network) -> Checked<()> {
    if path.is_empty() {
        return Err(Problem::new(child(key, "to"), "is also where the flow comes from; name another node"));
    }
    let mut visited = BTreeSet::from([from]);
    for link in path {
        let node = network.links[*link].to;
        if !visited.insert(node) {
            let message = format!("the path passes {} twice; name nodes that lie on one way", network.nodes[node]);
            return Err(Problem::new(key_via, message));
        }
    }
    Ok(())
}

/// The distance of a node: by delay, then by the number of links.
type Distance = (Span, usize);

/// Returns the path of least delay (Dijkstra); of equal paths the one with the fewest links, then the one over the
/// nodes named first.
fn least_delay(from: NodeId, to: NodeId, network: &Network, leaving: &[Vec<LinkId>]) -> Option<Vec<LinkId>> {
    let mut best: Vec<Option<(Distance, NodeId, LinkId)>> = vec![None; leaving.len()];
    let mut settled = vec![false; leaving.len()];
    let mut queue = BinaryHeap::from([Reverse(((Span::ZERO, 0), from))]);
    while let Some(Reverse((distance, node))) = queue.pop() {
        if node == to {
            break;
        }
        if std::mem::replace(&mut settled[node], true) {
            continue;
        }
        for link in &leaving[node] {
            let next = network.links[*link].to;
            let candidate = ((distance.0 + network.links[*link].delay, distance.1 + 1), node, *link);
            if next != from && best[next].is_none_or(|best| candidate < best) {
                best[next] = Some(candidate);
                queue.push(Reverse((candidate.0, next)));
            }
        }
    }
    let mut path = Vec::new();
    let mut node = to;
    while node != from {
        let (_, before, link) = best[node]?;
        path.push(link);
        node = before;
    }
    path.reverse();
    Some(path)
}
