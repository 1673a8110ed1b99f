//! The handshake of a connection: what the hosts agreed on, and when.

use crate::capture::packet::{Options, Tcp};

/// What a SYN said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Syn {
    /// When the last one was seen.
    pub(crate) at: i64,
    pub(crate) sequence: u32,
    pub(crate) options: Options,
    /// Whether it asks for ECN, or accepts it (RFC 3168, 6.1.1).
    pub(crate) ecn: bool,
    /// The flags AE, CWR, ECE as a number (RFC 9768, 3.1).
    pub(crate) ecn_flags: u8,
    /// How often it was seen.
    pub(crate) times: u32,
}

/// The SYNs of both hosts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Handshake {
    pub(crate) client: Option<Syn>,
    pub(crate) server: Option<Syn>,
    /// When the client's acknowledgement of the server's SYN was seen.
    pub(crate) acked_at: Option<i64>,
}

/// What the hosts agreed on about ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ecn {
    Off,
    Classic,
    Accurate,
}

impl Ecn {
    /// The name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Ecn::Off => "off",
            Ecn::Classic => "classic",
            Ecn::Accurate => "accurate",
        }
    }
}

impl Handshake {
    /// Takes a SYN, of the client unless it acknowledges.
    pub(crate) fn on_syn(&mut self, at: i64, tcp: &Tcp) {
        let flags = tcp.flags;
        let ecn_flags = u8::from(flags.ae) << 2 | u8::from(flags.cwr) << 1 | u8::from(flags.ece);
        let ecn = if flags.ack { ecn_flags & 3 == 1 } else { ecn_flags & 3 == 3 };
        let (sequence, options) = (tcp.sequence, tcp.options);
        let side = if flags.ack { &mut self.server } else { &mut self.client };
        let times = side.map_or(0, |syn| syn.times) + 1;
        *side = Some(Syn { at, sequence, options, ecn, ecn_flags, times });
    }

    /// Takes an acknowledgement of the client.
    pub(crate) fn on_client_ack(&mut self, at: i64) {
        if self.server.is_some() {
            self.acked_at.get_or_insert(at);
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.client.is_some() && self.server.is_some()
    }

    /// From the client's SYN to the server's answer, ns; none if a SYN was retransmitted.
    pub(crate) fn server_half(&self) -> Option<i64> {
        let (client, server) = (self.client?, self.server?);
        (client.times == 1 && server.times == 1).then_some(server.at - client.at)
    }

    /// From the server's SYN to the client's answer, ns.
    pub(crate) fn client_half(&self) -> Option<i64> {
        let server = self.server.filter(|server| server.times == 1)?;
        Some(self.acked_at? - server.at)
    }

    /// The whole round-trip time, ns.
    pub(crate) fn round_trip(&self) -> Option<i64> {
        Some(self.server_half()? + self.client_half()?)
    }

    pub(crate) fn sack(&self) -> Option<bool> {
        self.both(|syn| syn.options.sack_permitted)
    }

    pub(crate) fn stamps(&self) -> Option<bool> {
        self.both(|syn| syn.options.stamps.is_some())
    }

    /// The scales of the windows of client and server: both 0 unless both have the option (RFC 7323, 2.2).
    pub(crate) fn scales(&self) -> Option<[u8; 2]> {
        let scales = (self.client?.options.window_scale, self.server?.options.window_scale);
        Some(if let (Some(client), Some(server)) = scales { [client, server] } else { [0, 0] })
    }

    pub(crate) fn ecn(&self) -> Option<Ecn> {
        let (client, server) = (self.client?, self.server?);
        // RFC 9768, table 2: a server that speaks accurate ECN answers with one of these
        let accurate = client.ecn_flags == 7 && matches!(server.ecn_flags, 2 | 3 | 4 | 6);
        Some(match (accurate, client.ecn && server.ecn) {
            (true, _) => Ecn::Accurate,
            (false, true) => Ecn::Classic,
            (false, false) => Ecn::Off,
        })
    }

    /// The payload of a full segment of the host that is given `mss` by the other one, bytes.
    pub(crate) fn segment(&self, data_from_client: bool) -> Option<i64> {
        let receiver = if data_from_client { self.server } else { self.client }?;
        let stamps = if self.stamps()? { 12 } else { 0 };
        Some(i64::from(receiver.options.mss.unwrap_or(536)) - stamps)
    }

    fn both(&self, has: impl Fn(&Syn) -> bool) -> Option<bool> {
        Some(has(self.client.as_ref()?) && has(self.server.as_ref()?))
    }
}
