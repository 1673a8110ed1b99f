//! The hashes of addresses and ports, or of users, that FQ-CoDel reads. Simulated packets stand for addresses and
//! ports, but do not carry them.

use crate::packet::{Packet, PacketKind};
use crate::scenario::{Isolation, LinkId, NodeId, Scenario};
use crate::util::random::fnv1a;

/// The hash of addresses and ports for each direction of a connection, and for each source of datagrams. Like a port,
/// it depends on the two hosts and on what the sending host has opened before; nothing else in a scenario changes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    /// The hashes of connections, forward and backward. They are indexed by flow, and behind the flows by the place of
    /// a connection that a source has opened. Empty if no link reads them.
    connections: Vec<[u32; 2]>,
    /// The hashes of datagrams, indexed by source of traffic.
    datagrams: Vec<u32>,
    sources: Vec<Source>,
    /// The hash of each connection's user, indexed as `connections`. Empty if no link tells users apart.
    users: Vec<u32>,
    /// The hash of each source's user.
    source_users: Vec<u32>,
}

/// A source of traffic, with the number of connections that it has opened.
#[derive(Clone, Debug)]
struct Source {
    ends: Ends,
    opened: u64,
}

/// Two hosts, and the port of the first one.
#[derive(Clone, Debug)]
struct Ends {
    from: String,
    to: String,
    port: String,
}

impl Labels {
    /// Returns the labels of a scenario's flows and sources; none if no link tells connections apart.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let isolates = |isolation| scenario.links.iter().any(|link| link.discipline.isolation() == Some(isolation));
        let (flows_apart, users_apart) = (isolates(Isolation::Flows), isolates(Isolation::Users));
        if !flows_apart && !users_apart {
            return Labels::default();
        }
        let ends = |kind, paths| all_ends(scenario, kind, paths);
        let flows = ends("flow", scenario.flows.iter().map(|flow| &flow.path[..]).collect());
        let traffic = ends("traffic", scenario.traffic.iter().map(|source| &source.path[..]).collect());
        let (mut users, mut source_users) = (Vec::new(), Vec::new());
        if users_apart {
            users.extend(flows.iter().zip(&scenario.flows).map(|(ends, flow)| user_of(flow.user.as_deref(), ends)));
            source_users
                .extend(traffic.iter().zip(&scenario.traffic).map(|(ends, of)| user_of(of.user.as_deref(), ends)));
        }
        Labels {
            connections: flows.iter().map(Ends::both).collect(),
            datagrams: traffic.iter().map(Ends::there).collect(),
            users,
            source_users,
            sources: traffic.into_iter().map(|ends| Source { ends, opened: 0 }).collect(),
        }
    }

    /// Labels the connection that a source opens in `place`, which is a reused place or the next new one.
    pub(crate) fn open(&mut self, place: u32, source: u32) {
        let Some(Source { ends, opened }) = self.sources.get_mut(source as usize) else { return };
        let labels = Ends { port: format!("{}.{opened}", ends.port), ..ends.clone() }.both();
        *opened += 1;
        put(&mut self.connections, place, labels);
        if let Some(user) = self.source_users.get(source as usize) {
            put(&mut self.users, place, *user);
        }
    }

    /// Returns the hash of what a queue with this isolation tells apart.
    #[inline]
    pub(crate) fn of(&self, packet: &Packet, isolation: Isolation) -> u32 {
        if isolation == Isolation::Users {
            return self.user(packet);
        }
        let id = packet.flow() as usize;
        match packet.kind() {
            PacketKind::Datagram => self.datagrams[id],
            kind => self.connections[id][usize::from(!kind.is_forward())],
        }
    }

    /// Returns the hash of a packet's user. It is not inlined, so that it costs nothing where flows are distinguished.
    #[cold]
    #[inline(never)]
    fn user(&self, packet: &Packet) -> u32 {
        let id = packet.flow() as usize;
        match packet.kind() {
            PacketKind::Datagram => self.source_users[id],
            _ => self.users[id],
        }
    }
}

/// Puts a value into a place that exists, or into the next new one.
fn put<T>(values: &mut Vec<T>, place: u32, value: T) {
    match values.get_mut(place as usize) {
        Some(over) => *over = value,
        None => values.push(value),
    }
}

/// Returns the hash of a user; without a name it is one of its own.
fn user_of(name: Option<&str>, ends: &Ends) -> u32 {
    name.map_or_else(|| ends.there(), |name| fold(&format!("user {name}")))
}

impl Ends {
    fn both(&self) -> [u32; 2] {
        [self.there(), fold(&format!("{}->{}:{}", self.to, self.from, self.port))]
    }

    fn there(&self) -> u32 {
        fold(&format!("{}:{}->{}", self.from, self.port, self.to))
    }
}

/// Returns the ends of each path. A port is the number of the path among the paths that begin at its host.
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

/// Returns a 32-bit hash. Each bit of it depends on the whole text.
fn fold(text: &str) -> u32 {
    let hash = fnv1a(text);
    (hash ^ hash >> 32) as u32
}
