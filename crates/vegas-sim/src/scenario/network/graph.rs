//! Nodes and links named one by one, with the flows' paths found by least delay.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::path::Path;

use vegas_core::units::Span;

use crate::scenario::document::{GraphLink, Numbered, Topology};
use crate::scenario::error::{Checked, Problem, child, suggestion};
use crate::scenario::field::Field;
use crate::scenario::model::{LinkId, NodeId};
use crate::scenario::scalar::Name;

use super::route::Route;
use super::{Network, link};

/// Builds the graph and finds every flow's path.
pub(super) fn build(topology: &Topology, routes: &[Route<'_>], folder: &Path) -> Checked<Network> {
    let mut network = Network::default();
    let names = topology.nodes.as_deref().ok_or_else(|| Problem::missing("topology.nodes"))?;
    let nodes = nodes(names, &mut network)?;
    let links = topology.link.as_deref().ok_or_else(|| Problem::missing("topology.link"))?;
    for (id, link) in links.iter().enumerate() {
        add_link(&format!("topology.link.{id}"), link, &nodes, folder, &mut network)?;
    }
    let leaving = links_leaving(&network);
    for route in routes {
        let path = path_of_flow(route, &nodes, &network, &leaving)?;
        network.paths.push(path);
    }
    Ok(network)
}

/// The path of a flow over other nodes than its own `via`; `key_via` is where these stand in the file.
pub(in crate::scenario) fn reroute(
    network: &Network,
    flow: Numbered<'_>,
    key_via: String,
    via: &[Field<Name>],
) -> Checked<Vec<LinkId>> {
    let nodes: Nodes = network.nodes.iter().cloned().zip(0..).collect();
    let route = Route { key_via, via: Some(via), ..Route::of_flow(0, flow) };
    path_of_flow(&route, &nodes, network, &links_leaving(network))
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

fn add_link(key: &str, link: &GraphLink, nodes: &Nodes, folder: &Path, network: &mut Network) -> Checked<()> {
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
    let same = |other: &&crate::scenario::LinkSpec| (other.from, other.to) == (from, to);
    if network.links.iter().any(|other| same(&other)) {
        return Err(Problem::new(key_between, "these two nodes have a link already; write one link for each pair"));
    }
    network.connect(from, to, &link::of_graph(key, link, folder)?);
    Ok(())
}

/// For every node the links that leave it.
fn links_leaving(network: &Network) -> Vec<Vec<LinkId>> {
    let mut leaving = vec![Vec::new(); network.nodes.len()];
    for (id, link) in network.links.iter().enumerate() {
        leaving[link.from].push(id);
    }
    leaving
}

fn path_of_flow(route: &Route<'_>, nodes: &Nodes, network: &Network, leaving: &[Vec<LinkId>]) -> Checked<Vec<LinkId>> {
    let key = &route.key;
    let end = |name: &str, node: Option<&Field<Name>>| {
        let key = child(key, name);
        let node = node.ok_or_else(|| Problem::missing(key.clone()))?;
        find(key, node, nodes)
    };
    let from = end("from", route.from)?;
    let to = end("to", route.to)?;
    let mut stops: Vec<(String, NodeId)> = Vec::new();
    for (index, node) in route.via.iter().copied().flatten().enumerate() {
        let key = child(&route.key_via, index);
        stops.push((key.clone(), find(key, node, nodes)?));
    }
    stops.push((child(key, "to"), to));
    let mut path = Vec::new();
    let mut here = from;
    for (key, stop) in stops {
        let part = least_delay(here, stop, network, leaving).ok_or_else(|| {
            let names = (&network.nodes[here], &network.nodes[stop]);
            Problem::new(&key, format!("there is no path from {} to {}; add links between them", names.0, names.1))
        })?;
        path.extend(part);
        here = stop;
    }
    check_simple(key, &route.key_via, from, &path, network)?;
    Ok(path)
}

/// A path that comes back to a node would send packets round in circles.
fn check_simple(key: &str, key_via: &str, from: NodeId, path: &[LinkId], network: &Network) -> Checked<()> {
    if path.is_empty() {
        return Err(Problem::new(child(key, "to"), "is also where the flow comes from; name another node"));
    }
    let mut visited = vec![false; network.nodes.len()];
    visited[from] = true;
    for link in path {
        let node = network.links[*link].to;
        if std::mem::replace(&mut visited[node], true) {
            let message = format!("the path passes {} twice; name nodes that lie on one way", network.nodes[node]);
            return Err(Problem::new(key_via, message));
        }
    }
    Ok(())
}

/// How far a node is: by delay, then by links.
type Distance = (Span, usize);

/// The path of least delay (Dijkstra); of equal ones that of fewest links, then that over the first-named nodes.
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
