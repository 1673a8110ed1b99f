//! What comes to each link: packets of which sizes, and from which links before it.

use crate::packet::WireSize;
use crate::scenario::{Change, FlowSpec, Handshake, LinkId, Scenario, Transport};

/// The packets that come to each link.
pub(super) struct Load {
    /// The transitions between links, ordered by link, each once.
    transitions: Vec<Transition>,
    /// The least and the greatest size on the wire, by link.
    pub(super) wires: Vec<(WireSize, WireSize)>,
}

/// A transition: some packets come to `link` from the link `before`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Transition {
    link: u32,
    pub(super) before: u32,
}

/// The link before the first link of a route.
pub(super) const HOST: u32 = u32::MAX;

impl Load {
    pub(super) fn new(scenario: &Scenario, links: usize, answers: &[bool]) -> Self {
        let mut load = Load { transitions: Vec::new(), wires: vec![(WireSize::MAX, WireSize::ZERO); links] };
        for (flow, answers) in scenario.flows.iter().zip(answers) {
            load.add(&flow.path, data_wires(flow), HOST);
            let before = flow.path.last().filter(|_| *answers).map_or(HOST, |last| *last as u32);
            load.add(&flow.reverse_path, ack_wires(flow), before);
        }
        for source in &scenario.traffic {
            load.add(&source.path, ANY, HOST);
            if let Some(flow) = source.connection() {
                load.add(&flow.path, ANY, HOST);
                load.add(&flow.reverse_path, ANY, HOST);
            }
        }
        for change in &scenario.changes {
            if let Change::Route(change) = &change.change {
                load.add(&change.path, ANY, HOST);
                load.add(&change.reverse_path, ANY, HOST);
            }
        }
        load.transitions.sort_unstable();
        load.transitions.dedup();
        load
    }

    fn add(&mut self, way: &[LinkId], wires: (WireSize, WireSize), mut before: u32) {
        for &link in way {
            self.transitions.push(Transition { link: link as u32, before });
            let (least, most) = &mut self.wires[link];
            (*least, *most) = (wires.0.min(*least), wires.1.max(*most));
            before = link as u32;
        }
    }

    pub(super) fn before(&self, link: LinkId) -> &[Transition] {
        let from = self.transitions.partition_point(|transition| (transition.link as usize) < link);
        let count = self.transitions[from..].partition_point(|transition| transition.link as usize == link);
        &self.transitions[from..from + count]
    }

    /// Returns the links that packets come to, each after all of the links before it; without links that lie on a
    /// circle.
    pub(super) fn in_order(&self) -> Vec<LinkId> {
        let between = || self.transitions.iter().filter(|transition| transition.before != HOST);
        let mut waiting = vec![0u32; self.wires.len()];
        let mut ways: Vec<(u32, u32)> = between().map(|transition| (transition.before, transition.link)).collect();
        ways.sort_unstable();
        for transition in between() {
            waiting[transition.link as usize] += 1;
        }
        let mut order: Vec<LinkId> = (0..waiting.len()).filter(|link| waiting[*link] == 0).collect();
        let mut at = 0;
        while let Some(&link) = order.get(at) {
            let from = ways.partition_point(|way| (way.0 as usize) < link);
            for &(_, next) in ways[from..].iter().take_while(|way| way.0 as usize == link) {
                waiting[next as usize] -= 1;
                if waiting[next as usize] == 0 {
                    order.push(next as LinkId);
                }
            }
            at += 1;
        }
        order
    }
}

/// Any size: nothing is known.
const ANY: (WireSize, WireSize) = (WireSize::new(1), WireSize::MAX);

/// Returns the least and the greatest size of a flow's packets on their way to the receiver. The last packet of a
/// transfer with a size may be short.
fn data_wires(flow: &FlowSpec) -> (WireSize, WireSize) {
    if flow.transport != Transport::Tcp {
        return ANY;
    }
    let full = flow.largest_packet().get();
    let payload = flow.packet.get() - flow.header.get();
    let short = match flow.sends_media() {
        true => payload - 1,
        false => flow.size.map_or(0, |size| size.get().next_multiple_of(payload) - size.get()),
    };
    let syn = if flow.host.handshake == Handshake::Full { flow.smallest_ack().get() } else { full };
    wires((flow.smallest_full_packet().get() - short).min(syn), full.max(syn))
}

/// Returns the least and the greatest size of a flow's acknowledgements.
fn ack_wires(flow: &FlowSpec) -> (WireSize, WireSize) {
    match flow.transport {
        Transport::Tcp => wires(flow.smallest_ack().get(), flow.largest_ack().get()),
        Transport::Quic => ANY,
    }
}

fn wires(least: u64, most: u64) -> (WireSize, WireSize) {
    let wire = |bytes: u64| u16::try_from(bytes).map_or(WireSize::MAX, WireSize::new);
    (wire(least), wire(most))
}
