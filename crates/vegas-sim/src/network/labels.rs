//! What FQ-CoDel hashes: addresses and ports, which simulated packets stand for and do not carry.

use crate::packet::{Packet, PacketKind};
use crate::scenario::{LinkId, NodeId, Scenario};
use crate::util::random::fnv1a;

/// The hash of addresses and ports, for each direction of a connection and for each source of datagrams. As a port, it
/// depends on its two hosts, and on what the sending one has opened before: nothing else in a scenario changes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    /// By flow, then by place of a connection that a source has opened: there and back. Nothing where no link asks.
    connections: Vec<[u32; 2]>,
    /// By source of traffic.
    datagrams: Vec<u32>,
    sources: Vec<Source>,
}

/// A source of traffic, and how many connections it has opened.
#[derive(Clone, Debug)]
struct Source {
    ends: Ends,
    opened: u64,
}

/// Two hosts, and a port of the first.
#[derive(Clone, Debug)]
struct Ends {
    from: String,
    to: String,
    port: String,
}

impl Labels {
    /// Those of a scenario's flows and sources, if any link asks.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        if !scenario.links.iter().any(|link| link.discipline.tells_connections_apart()) {
            return Labels::default();
        }
        let ends = |kind, paths| all_ends(scenario, kind, paths);
        let flows = ends("flow", scenario.flows.iter().map(|flow| &flow.path[..]).collect());
        let traffic = ends("traffic", scenario.traffic.iter().map(|source| &source.path[..]).collect());
        Labels {
            connections: flows.iter().map(Ends::both).collect(),
            datagrams: traffic.iter().map(Ends::there).collect(),
            sources: traffic.into_iter().map(|ends| Source { ends, opened: 0 }).collect(),
        }
    }

    /// A source opens a connection in this place, which is taken anew or the next one.
    pub(crate) fn open(&mut self, place: u32, source: u32) {
        let Some(Source { ends, opened }) = self.sources.get_mut(source as usize) else { return };
        let labels = Ends { port: format!("{}.{opened}", ends.port), ..ends.clone() }.both();
        *opened += 1;
        match self.connections.get_mut(place as usize) {
            Some(over) => *over = labels,
            None => self.connections.push(labels),
        }
    }

    #[inline]
    pub(crate) fn of(&self, packet: &Packet) -> u32 {
        let id = packet.flow() as usize;
        match packet.kind() {
            PacketKind::Datagram => self.datagrams[id],
            kind => self.connections[id][usize::from(!kind.is_forward())],
        }
    }
}

impl Ends {
    fn both(&self) -> [u32; 2] {
        [self.there(), fold(&format!("{}->{}:{}", self.to, self.from, self.port))]
    }

    fn there(&self) -> u32 {
        fold(&format!("{}:{}->{}", self.from, self.port, self.to))
    }
}

/// The ends of each path; a port is the number of the path among those that begin at its host.
fn all_ends(scenario: &Scenario, kind: &str, paths: Vec<&[LinkId]>) -> Vec<Ends> {
    let name = |node: NodeId| scenario.nodes[node].clone();
    let mut begun = vec![0u32; scenario.nodes.len()];
    let ends_of = |path: &[LinkId]| {
        let [from, to] = [scenario.links[path[0]].from, scenario.links[path[path.len() - 1]].to];
        let port = format!("{kind}{}", begun[from]);
        begun[from] += 1;
        Ends { from: name(from), to: name(to), port }
    };
    paths.into_iter().map(ends_of).collect()
}

/// A hash in 32 bits, all of which depend on all of the text.
fn fold(text: &str) -> u32 {
    let hash = fnv1a(text);
    (hash ^ hash >> 32) as u32
}
