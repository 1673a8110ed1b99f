//! Background traffic.

mod connection_traces;
mod sources;
