//! Addresses within the namespaces of a run: a pair for each flow. They exist in no other network.

use std::net::{Ipv4Addr, SocketAddrV4};

use vegas_sim::Direction;

/// The port on which receivers listen.
const RECEIVER_PORT: u16 = 5001;
const SENDER_PORT_BASE: u16 = 10_000;
/// The most flows of a run: more would overload one machine.
pub(crate) const FLOWS_MAX: usize = 250;

/// The destinations of a route: an address, and how many of its bits count.
pub(crate) type Prefix = (Ipv4Addr, u8);

/// The networks of senders and receivers, as destinations of routes.
pub(crate) const SENDERS: Prefix = (Ipv4Addr::new(10, 81, 0, 0), 16);
pub(crate) const RECEIVERS: Prefix = (Ipv4Addr::new(10, 82, 0, 0), 16);

pub(crate) fn sender(flow: usize) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::new(10, 81, 0, host(flow)), SENDER_PORT_BASE + flow as u16)
}

pub(crate) fn receiver(flow: usize) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::new(10, 82, 0, host(flow)), RECEIVER_PORT)
}

fn host(flow: usize) -> u8 {
    // no overflow: there are at most FLOWS_MAX flows
    flow as u8 + 1
}

/// Returns the flow that has this sender port.
pub(crate) fn flow_of_port(port: u32) -> Option<usize> {
    port.checked_sub(u32::from(SENDER_PORT_BASE)).map(|flow| flow as usize)
}

/// Returns the flow between these addresses, and the direction of the packet.
pub(crate) fn flow_between(source: [u8; 4], destination: [u8; 4]) -> Option<(usize, Direction)> {
    let flow = usize::from(destination[3]).checked_sub(1).filter(|flow| *flow < FLOWS_MAX)?;
    let (sender, receiver) = (sender(flow).ip().octets(), receiver(flow).ip().octets());
    match (source, destination) {
        forward if forward == (sender, receiver) => Some((flow, Direction::Forward)),
        backward if backward == (receiver, sender) => Some((flow, Direction::Backward)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_back_to_their_flow() {
        for flow in [0, 1, FLOWS_MAX - 1] {
            let (near, far) = (sender(flow).ip().octets(), receiver(flow).ip().octets());
            assert_eq!(flow_between(near, far), Some((flow, Direction::Forward)));
            assert_eq!(flow_between(far, near), Some((flow, Direction::Backward)));
            assert_eq!((flow_between(near, near), flow_between([10, 81, 0, 99], far)), (None, None));
            assert_eq!(flow_of_port(u32::from(sender(flow).port())), Some(flow));
        }
        assert_eq!(flow_between([10, 81, 0, 0], [10, 82, 0, 0]), None);
        assert_eq!(flow_between([10, 81, 0, 251], [10, 82, 0, 251]), None);
        assert_eq!(flow_between([10, 81, 0, 1], [224, 0, 0, 22]), None);
    }
}
