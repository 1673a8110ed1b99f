//! Background traffic as the engine takes it.

use vegas_core::units::{Bytes, Rate, Span, Time};

use crate::scenario::model::{FlowSpec, LinkId};

/// A source of background traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficSpec {
    /// When it begins.
    pub start: Time,
    /// When it sends nothing new any more, if it ends before the run.
    pub stop: Option<Time>,
    /// Links from the sender to the receiver, in order.
    pub path: Vec<LinkId>,
    /// What it sends.
    pub load: Load,
}

/// What a source of traffic sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// Datagrams (UDP), whatever becomes of them.
    Datagrams(DatagramSpec),
    /// Sized transfers, each over a TCP connection of its own.
    Transfers(TransferSpec),
    /// Conversations of tcplib, each over a TCP connection of its own.
    Conversations(ConversationSpec),
}

impl Load {
    /// What its connections are like, if it opens any.
    pub fn connection(&self) -> Option<&FlowSpec> {
        match self {
            Load::Datagrams(_) => None,
            Load::Transfers(TransferSpec { connection, .. })
            | Load::Conversations(ConversationSpec { connection, .. }) => Some(connection),
        }
    }
}

/// A source of datagrams of one size, at one rate while it is on.
#[derive(Clone, Debug, PartialEq)]
pub struct DatagramSpec {
    /// Bits on the wire a second while the source is on.
    pub rate: Rate,
    /// A datagram on the wire, headers included.
    pub packet: Bytes,
    /// When it is on; none: always.
    pub on_off: Option<OnOff>,
}

/// Transfers that arrive in a Poisson process.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferSpec {
    /// Mean time between two arrivals.
    pub interarrival: Span,
    /// Payload of a transfer, mean.
    pub size: Bytes,
    /// How the sizes are distributed; none: all are the mean.
    pub distribution: Option<Distribution>,
    /// Every connection, but for its start and its size.
    pub connection: Box<FlowSpec>,
}

/// Conversations of tcplib's mix of applications that arrive in a Poisson process.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversationSpec {
    /// Mean time between two arrivals.
    pub interarrival: Span,
    /// Every connection, but for its start and its size.
    pub connection: Box<FlowSpec>,
}

/// Periods of sending and of silence, one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    /// How the lengths of both kinds of period are distributed.
    pub distribution: Distribution,
    /// Mean length of a period of sending.
    pub on: Span,
    /// Mean length of a period of silence.
    pub off: Span,
    /// Whether each period of sending is rounded to whole packets, one at least.
    pub whole_packets: bool,
}

/// How a random quantity is distributed around its mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Exponential.
    Exponential,
    /// Pareto, above a least value that follows from mean and shape.
    Pareto {
        /// The shape in thousandths, above 1000.
        shape_milli: u32,
    },
}

impl TrafficSpec {
    /// The connections that it opens, but for start and size; none if it sends datagrams.
    pub fn connection(&self) -> Option<&FlowSpec> {
        match &self.load {
            Load::Datagrams(_) => None,
            Load::Transfers(transfers) => Some(&transfers.connection),
            Load::Conversations(conversations) => Some(&conversations.connection),
        }
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
        }
    }
}
