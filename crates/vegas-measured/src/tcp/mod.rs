//! TCP connections of a capture, each followed from packet to packet.

mod connection;
mod connections;
mod handshake;
pub(crate) mod sender;
mod side;
mod stamps;

pub(crate) use connection::Connection;
pub(crate) use connections::{Connections, Totals};
