//! The ends of connections: the simulator's own TCP, and transports that other crates bring.

pub mod external;
mod flow;

pub(crate) use flow::Flow;
