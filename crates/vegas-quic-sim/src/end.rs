//! One end: quinn's endpoint with its one connection, and replacements for everything that it would draw from the
//! operating system.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::BytesMut;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, ConnectionId, ConnectionIdGenerator, DatagramEvent, EcnCodepoint,
    Endpoint, EndpointConfig, Event, PathStats, ServerConfig, TimeSource, TransportConfig,
};

use crate::null_crypto::NullCrypto;

/// One end of a flow: the client, which sends the data, or the server, which receives them.
pub(crate) struct End {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// The datagrams to send that belong to no connection.
    replies: VecDeque<BytesMut>,
    scratch: Vec<u8>,
}

/// A datagram that leaves, and whether it is ECN-capable.
pub(crate) type Leaving = (BytesMut, bool);

const CLIENT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 50_000);
const SERVER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2)), 4433);

impl End {
    pub(crate) fn client(seed: [u8; 32]) -> Self {
        End::new(seed, 1, None)
    }

    pub(crate) fn server(seed: [u8; 32], transport: TransportConfig) -> Self {
        let mut server = ServerConfig::new(Arc::new(NullCrypto), Arc::new(NullCrypto));
        server.transport_config(Arc::new(transport)).time_source(Arc::new(NoTime));
        End::new(seed, 2, Some(Arc::new(server)))
    }

    fn new(seed: [u8; 32], prefix: u8, server: Option<Arc<ServerConfig>>) -> Self {
        let mut config = EndpointConfig::new(Arc::new(NullCrypto));
        config.rng_seed(Some(seed)).cid_generator(move || Box::new(Numbered { prefix, next: 0 }));
        config.max_udp_payload_size(u16::MAX - 8).expect("UDP's largest payload");
        let endpoint = Endpoint::new(Arc::new(config), server, true, None);
        End { endpoint, connection: None, replies: VecDeque::new(), scratch: Vec::new() }
    }

    /// Begins the connection, at the client.
    pub(crate) fn connect(&mut self, now: Instant, transport: TransportConfig) {
        let mut client = ClientConfig::new(Arc::new(NullCrypto));
        client.transport_config(Arc::new(transport));
        client.initial_dst_cid_provider(Arc::new(|| ConnectionId::new(b"simulate")));
        let connection = self.endpoint.connect(now, client, SERVER, "simulated").expect("the configuration is right");
        self.connection = Some(connection);
    }

    /// Returns quinn's counters of the path.
    pub(crate) fn path_stats(&self) -> PathStats {
        self.connection.as_ref().map(|(_, connection)| connection.stats().path).unwrap_or_default()
    }

    pub(crate) fn connection(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut().map(|(_, connection)| connection)
    }

    /// Handles a datagram from the other end.
    pub(crate) fn receive(&mut self, now: Instant, from_client: bool, ecn: Option<EcnCodepoint>, bytes: BytesMut) {
        let remote = if from_client { CLIENT } else { SERVER };
        self.scratch.clear();
        match self.endpoint.handle(now, remote, None, ecn, bytes, &mut self.scratch) {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                let (own, connection) = self.connection.as_mut().expect("the endpoint knows it");
                debug_assert_eq!(*own, handle, "an endpoint has one connection");
                connection.handle_event(event);
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                if self.connection.is_some() {
                    // a late copy of the first packet of a connection that was lost
                    return self.endpoint.ignore(incoming);
                }
                match self.endpoint.accept(incoming, now, &mut self.scratch, None) {
                    Ok(accepted) => self.connection = Some(accepted),
                    Err(refused) => self.reply(refused.response.map(|transmit| transmit.size)),
                }
            }
            Some(DatagramEvent::Response(transmit)) => self.reply(Some(transmit.size)),
            None => {}
        }
    }

    fn reply(&mut self, size: Option<usize>) {
        self.replies.extend(size.map(|size| BytesMut::from(&self.scratch[..size])));
    }

    /// The next event of the connection; the caller repeats this until there is none.
    pub(crate) fn event(&mut self) -> Option<Event> {
        let (handle, connection) = self.connection.as_mut()?;
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(answer) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(answer);
            }
        }
        connection.poll()
    }

    /// The next datagram that leaves.
    pub(crate) fn transmit(&mut self, now: Instant) -> Option<Leaving> {
        if let Some(reply) = self.replies.pop_front() {
            return Some((reply, false));
        }
        let (_, connection) = self.connection.as_mut()?;
        self.scratch.clear();
        let transmit = connection.poll_transmit(now, 1, &mut self.scratch)?;
        Some((BytesMut::from(&self.scratch[..transmit.size]), transmit.ecn.is_some()))
    }

    pub(crate) fn timer(&mut self) -> Option<Instant> {
        self.connection.as_mut()?.1.poll_timeout()
    }

    pub(crate) fn on_timer(&mut self, now: Instant) {
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(now);
        }
    }
}

/// A generator of connection ids that counts instead of drawing them.
struct Numbered {
    prefix: u8,
    next: u64,
}

impl ConnectionIdGenerator for Numbered {
    fn generate_cid(&mut self) -> ConnectionId {
        let mut bytes = self.next.to_be_bytes();
        bytes[0] = self.prefix;
        self.next += 1;
        ConnectionId::new(&bytes)
    }

    fn cid_len(&self) -> usize {
        8
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// A clock that always shows the same date: quinn uses the date only for tokens.
struct NoTime;

impl TimeSource for NoTime {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }
}
