//! Topologies, and the routes of flows and sources of traffic through them.

use serde_json::{Value, json};

use super::scale::Scale;
use super::{Table, link, maybe, set};
use crate::draw::Draw;

/// The shape of a network: its nodes, and the links between them.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Dumbbell,
    ParkingLot { hops: usize },
    Graph { nodes: Vec<String>, links: Vec<[usize; 2]> },
}

impl Shape {
    pub(super) fn draw(draw: &mut Draw) -> Self {
        match draw.below(10) {
            0..4 => Shape::Dumbbell,
            4..6 => Shape::ParkingLot {
                hops: if draw.percent(95) { draw.between(1, 6) } else { draw.log_between(1, 60) } as usize,
            },
            _ => graph(draw),
        }
    }

    /// Returns the topology's table of the document.
    pub(super) fn table(&self, draw: &mut Draw, scale: &Scale) -> Table {
        let mut table = Table::new();
        match self {
            Shape::Dumbbell => {
                set(&mut table, "kind", "dumbbell");
                set(&mut table, "access", link::access(draw, scale));
                set(&mut table, "bottleneck", link::between_routers(draw, scale));
            }
            Shape::ParkingLot { hops } => {
                set(&mut table, "kind", "parking-lot");
                set(&mut table, "access", link::access(draw, scale));
                if draw.percent(50) {
                    set(&mut table, "bottleneck", link::between_routers(draw, scale));
                    set(&mut table, "hops", *hops);
                } else {
                    let links: Vec<Table> = (0..*hops).map(|_| link::between_routers(draw, scale)).collect();
                    set(&mut table, "bottlenecks", links);
                    maybe(draw, 20, &mut table, "hops", |_| *hops);
                }
            }
            Shape::Graph { nodes, links } => {
                set(&mut table, "kind", "graph");
                set(&mut table, "nodes", nodes.clone());
                let links: Vec<Value> =
                    links.iter().map(|ends| graph_link(draw, scale, ends.map(|end| &*nodes[end]))).collect();
                set(&mut table, "link", links);
            }
        }
        table
    }

    /// Adds a route through the network to a flow, or to a source of traffic.
    pub(super) fn add_route(&self, draw: &mut Draw, scale: &Scale, table: &mut Table) {
        match self {
            Shape::Dumbbell => maybe(draw, 25, table, "access", |draw| link::access(draw, scale)),
            Shape::ParkingLot { hops } => {
                maybe(draw, 25, table, "access", |draw| link::access(draw, scale));
                let routers = *hops as u64 + 1;
                let enter = draw.below(routers);
                let leave = (enter + 1 + draw.below(routers - 1)) % routers;
                match (enter, leave) {
                    (0, last) if last == routers - 1 && draw.percent(70) => {}
                    _ => {
                        set(table, "enter", format!("r{}", enter + 1));
                        set(table, "leave", format!("r{}", leave + 1));
                    }
                }
            }
            Shape::Graph { nodes, .. } => {
                let from = draw.below(nodes.len() as u64) as usize;
                let to = (from + 1 + draw.below(nodes.len() as u64 - 1) as usize) % nodes.len();
                set(table, "from", &*nodes[from]);
                set(table, "to", &*nodes[to]);
                maybe(draw, 10, table, "via", |draw| self.via(draw, from, to));
            }
        }
    }

    /// Returns a neighbour of the sender's node as the node on the way, or none. A route that comes back to a node is
    /// refused.
    pub(super) fn via(&self, draw: &mut Draw, from: usize, to: usize) -> Vec<String> {
        let Shape::Graph { nodes, links } = self else { return Vec::new() };
        let near = links
            .iter()
            .filter(|ends| ends.contains(&from))
            .map(|ends| if ends[0] == from { ends[1] } else { ends[0] });
        // the neighbour has another link, so it is not a dead end
        let leads_on = |node: &usize| links.iter().filter(|ends| ends.contains(node)).count() > 1;
        let near: Vec<usize> = near.filter(|node| *node != to).filter(leads_on).collect();
        if near.is_empty() || draw.percent(25) {
            return Vec::new();
        }
        vec![nodes[draw.pick(&near)].clone()]
    }

    /// Returns a link's name, in one direction; in a dumbbell also the name of the link of one of the first flows'
    /// senders.
    pub(super) fn some_link(&self, draw: &mut Draw, flows: usize) -> String {
        let mut ends = match self {
            Shape::Graph { nodes, links } => draw.pick(links).map(|end| nodes[end].clone()),
            Shape::Dumbbell if draw.percent(20) => [format!("s{}", draw.below(flows as u64)), "r1".into()],
            Shape::Dumbbell => ["r1".into(), "r2".into()],
            Shape::ParkingLot { hops } => {
                let hop = draw.between(1, *hops as u64);
                [format!("r{hop}"), format!("r{}", hop + 1)]
            }
        };
        if draw.percent(40) {
            ends.reverse();
        }
        ends.join("->")
    }
}

/// Returns a graph: each node but the first has a link to an earlier one, and there are some more links.
fn graph(draw: &mut Draw) -> Shape {
    let count = if draw.percent(30) { 2 } else { draw.between(3, 7) as usize as u64 };
    let nodes = (0..count).map(|id| format!("{}{id}", draw.pick(&["n", "_", "a.b-", "R"]))).collect();
    let mut links: Vec<[usize; 2]> = Vec::new();
    for node in 1..count {
        links.push([draw.below(node) as usize, node as usize]);
    }
    for _ in 0..draw.below(count) {
        let one = draw.below(count) as usize;
        let other = (one + 1 + draw.below(count - 1) as usize) % count as usize;
        if !links.iter().any(|ends| ends.contains(&one) && ends.contains(&other)) {
            links.push([one, other]);
        }
    }
    Shape::Graph { nodes, links }
}

fn graph_link(draw: &mut Draw, scale: &Scale, between: [&str; 2]) -> Value {
    let mut table = Table::new();
    set(&mut table, "between", json!(between));
    table.extend(link::between_routers(draw, scale));
    table.into()
}
