//! The ends of connections: the simulator's own TCP, and external transports.

pub mod driven;
pub mod external;
mod flow;
mod misbehaving;

pub(crate) use flow::Flow;
