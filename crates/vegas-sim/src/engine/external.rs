//! External transports: the ends of their flows, and their datagrams as packets.

use crate::endpoint::Flow;
use crate::endpoint::external::{Datagram, DatagramId, Stack};
use crate::packet::{Ecn, Packet, PacketKind, WireSize};
use crate::scenario::{Scenario, Transport};
use crate::util::watch::{Stopped, Watch};

/// Makes the ends of the flows that are not TCP.
pub(super) fn connect(
    scenario: &Scenario,
    stack: Option<&dyn Stack>,
    flows: &mut [Flow],
    watch: &mut Watch<'_>,
) -> Result<(), Stopped> {
    for (id, (flow, spec)) in flows.iter_mut().zip(&scenario.flows).enumerate() {
        watch.step()?;
        if spec.transport == Transport::Quic {
            let stack = stack.expect("the caller of a run with QUIC flows brings a stack");
            flow.external = Some(stack.connect(spec, id as u32, scenario.seed));
        }
    }
    Ok(())
}

/// The stack of the connections that sources of traffic open; `None` if all of them are TCP's.
pub(super) fn stack_of_traffic(scenario: &Scenario, stack: Option<&dyn Stack>) -> Option<Box<dyn Stack>> {
    let mut connections = scenario.traffic.iter().filter_map(|source| source.connection());
    let has_quic = connections.any(|spec| spec.transport == Transport::Quic);
    has_quic.then(|| stack.and_then(Stack::kept).expect("a stack that opens connections for sources of traffic"))
}

pub(super) fn packet(flow: u32, datagram: &Datagram) -> Packet {
    let kind = if datagram.id.forward { PacketKind::Data } else { PacketKind::Ack };
    Packet::new(kind, flow, datagram.id.number, WireSize::of(datagram.wire))
        .with_ecn(Ecn::ECT0.when(datagram.ecn_capable))
}

/// Returns the id of the datagram from which [`packet`] made a packet.
pub(super) fn datagram(packet: &Packet) -> DatagramId {
    DatagramId { forward: packet.kind() == PacketKind::Data, number: packet.sequence }
}
