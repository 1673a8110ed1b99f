//! Background traffic in the form that the engine takes.

use std::sync::Arc;

use vegas_core::units::{Bytes, Rate, Span, Time};

use crate::scenario::model::{ConnectionTrace, FlowSpec, LinkId};

/// A source of background traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficSpec {
    /// When the source begins.
    pub start: Time,
    /// When the source stops to begin datagrams and connections, if it ends before the run.
    pub stop: Option<Time>,
    /// Links from the sender to the receiver, in order.
    pub path: Vec<LinkId>,
    /// The traffic's user, for queues that tell users apart; `None` for one of its own.
    pub user: Option<String>,
    /// The traffic that the source sends.
    pub load: Load,
}

/// The traffic of a source.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// Datagrams (UDP), which are never retransmitted.
    Datagrams(DatagramSpec),
    /// Sized transfers, each over a separate TCP connection.
    Transfers(TransferSpec),
    /// Conversations of tcplib, each over a separate TCP connection.
    Conversations(ConversationSpec),
    /// Connections of a trace, replayed.
    Replay(ReplaySpec),
}

impl Load {
    /// The description of its connections; `None` if it opens none.
    pub fn connection(&self) -> Option<&FlowSpec> {
        match self {
            Load::Datagrams(_) => None,
            Load::Transfers(TransferSpec { connection, .. })
            | Load::Conversations(ConversationSpec { connection, .. })
            | Load::Replay(ReplaySpec { connection, .. }) => Some(connection),
        }
    }
}

/// A source of datagrams of one size, at a constant rate while it is on.
#[derive(Clone, Debug, PartialEq)]
pub struct DatagramSpec {
    /// Bits on the wire per second while the source is on.
    pub rate: Rate,
    /// The size of a datagram on the wire, headers included.
    pub packet: Bytes,
    /// The periods of sending and silence; `None` if the source is always on.
    pub on_off: Option<OnOff>,
}

/// Transfers that arrive in a Poisson process.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferSpec {
    /// The mean time between two arrivals.
    pub interarrival: Span,
    /// The mean payload of a transfer.
    pub size: Bytes,
    /// The distribution of the sizes; `None` if every size is the mean.
    pub distribution: Option<Distribution>,
    /// The description of every connection, except its start and its size.
    pub connection: Box<FlowSpec>,
}

/// Conversations of tcplib's mix of applications, which arrive in a Poisson process.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversationSpec {
    /// The mean time between two arrivals.
    pub interarrival: Span,
    /// The number of items of FTP's and NNTP's conversations; `None` if it is drawn from tcplib's tables.
    pub items: Option<u32>,
    /// The description of every connection, except its start and its size.
    pub connection: Box<FlowSpec>,
}

/// Connections that begin, send and wait as a trace says.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaySpec {
    /// The connections' starts, sizes and think times.
    pub trace: Arc<ConnectionTrace>,
    /// The description of every connection, except its start and its size.
    pub connection: Box<FlowSpec>,
}

/// Alternating periods of sending and of silence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    /// The distribution of the lengths of both kinds of period.
    pub distribution: Distribution,
    /// The mean length of a period of sending.
    pub on: Span,
    /// The mean length of a period of silence.
    pub off: Span,
    /// Whether each period of sending is rounded to whole packets, one at least.
    pub whole_packets: bool,
}

/// The distribution of a random quantity around its mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Exponential.
    Exponential,
    /// Pareto, above a least value that follows from the mean and the shape.
    Pareto {
        /// The shape in thousandths, above 1000.
        shape_milli: u32,
    },
}

impl TrafficSpec {
    /// The description of the connections, except start and size; `None` if the source sends datagrams.
    pub fn connection(&self) -> Option<&FlowSpec> {
        self.load.connection()
    }

    /// The kind's name in files and tables.
    pub fn kind(&self) -> &'static str {
        match &self.load {
            Load::Datagrams(DatagramSpec { on_off: None, .. }) => "constant",
            Load::Datagrams(DatagramSpec { on_off: Some(on_off), .. }) => match on_off.distribution {
                Distribution::Exponential => "exponential-on-off",
                Distribution::Pareto { .. } => "pareto-on-off",
            },
            Load::Transfers(_) => "poisson-transfers",
            Load::Conversations(_) => "tcplib",
            Load::Replay(_) => "connection-trace",
        }
    }
}
