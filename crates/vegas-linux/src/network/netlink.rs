//! Devices, addresses and routes of this thread's network namespace, by the kernel's own interface (rtnetlink).

use std::io;
use std::net::Ipv4Addr;

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::address::{AddressAttribute, AddressHeader, AddressMessage};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkHeader, LinkMessage};
use netlink_packet_route::route::{
    RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use nix::net::if_::if_nametoindex;

use crate::network::addresses::Prefix;

/// The bits of one address.
pub(crate) const WHOLE: u8 = 32;

/// Switches a device on, with these attributes.
pub(crate) fn set_up(device: &str, attributes: &[LinkAttribute]) -> io::Result<()> {
    let mut message = LinkMessage::default();
    message.header = LinkHeader {
        index: if_nametoindex(device)?,
        flags: LinkFlags::Up,
        change_mask: LinkFlags::Up,
        ..message.header
    };
    message.attributes = attributes.to_vec();
    ask(RouteNetlinkMessage::SetLink(message), 0)
}

/// Gives a device an address of its own.
pub(crate) fn add_address(device: &str, address: Ipv4Addr) -> io::Result<()> {
    let mut message = AddressMessage::default();
    message.header = AddressHeader {
        family: AddressFamily::Inet,
        prefix_len: WHOLE,
        index: if_nametoindex(device)?,
        ..message.header
    };
    message.attributes = vec![AddressAttribute::Local(address.into())];
    ask(RouteNetlinkMessage::NewAddress(message), NLM_F_CREATE | NLM_F_EXCL)
}

/// Routes these destinations into a device, from the address `source` if one is given.
pub(crate) fn add_route(
    device: &str,
    (to, bits): Prefix,
    source: Option<Ipv4Addr>,
    metrics: Vec<RouteMetric>,
) -> io::Result<()> {
    let mut message = RouteMessage::default();
    message.header = RouteHeader {
        address_family: AddressFamily::Inet,
        destination_prefix_length: bits,
        table: RouteHeader::RT_TABLE_MAIN,
        protocol: RouteProtocol::Static,
        scope: RouteScope::Link,
        kind: RouteType::Unicast,
        ..message.header
    };
    message.attributes = vec![RouteAttribute::Destination(to.into()), RouteAttribute::Oif(if_nametoindex(device)?)];
    message.attributes.extend(source.map(|source| RouteAttribute::PrefSource(source.into())));
    message.attributes.push(RouteAttribute::Metrics(metrics));
    ask(RouteNetlinkMessage::NewRoute(message), NLM_F_CREATE | NLM_F_EXCL)
}

/// Sends a request, and waits for the kernel's answer.
fn ask(request: RouteNetlinkMessage, flags: u16) -> io::Result<()> {
    let mut socket = Socket::new(NETLINK_ROUTE)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_ACK | flags;
    let mut message = NetlinkMessage::new(header, NetlinkPayload::from(request));
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    socket.send(&bytes, 0)?;
    let (answer, _) = socket.recv_from_full()?;
    let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer).map_err(io::Error::other)?;
    match answer.payload {
        // an answer without a code confirms
        NetlinkPayload::Error(error) if error.code.is_some() => Err(error.to_io()),
        _ => Ok(()),
    }
}
