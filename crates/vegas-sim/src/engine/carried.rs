//! Packets of hosts that are not the engine's.

use vegas_core::units::{Span, Time};

use crate::packet::{EcnField, WireSize};

/// A packet for a network to carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Index into [`Scenario::flows`](crate::scenario::Scenario::flows) of the packet's flow, which gives the packet
    /// its path.
    pub flow: u32,
    /// The direction in which the packet travels.
    pub direction: Direction,
    /// Whether the packet has payload: impairments that count data packets count it.
    pub is_data: bool,
    /// The ECN field: queues may mark the packet instead of dropping it, unless it is Not-ECT.
    pub field: EcnField,
    /// The size of the packet on the wire.
    pub wire: WireSize,
    /// The caller's number of the packet. The incident of a drop has it as its sequence number.
    pub number: u64,
}

/// A packet that has come to the end of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The time at which the packet came to the end of its path.
    pub at: Time,
    /// The index of the packet's flow.
    pub flow: u32,
    /// The direction in which the packet travelled.
    pub direction: Direction,
    /// The size of the packet on the wire.
    pub wire: WireSize,
    /// The caller's number of the packet.
    pub number: u64,
    /// The sum of the packet's queueing times on links that stamp, in whole microseconds.
    pub queued: Span,
    /// The ECN field with which the packet has come there.
    pub field: EcnField,
}

/// The direction in which a packet travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the flow's sender to its receiver.
    Forward,
    /// From the flow's receiver to its sender.
    Backward,
}
