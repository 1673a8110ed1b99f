//! The simulator's network in real time, between two namespaces of this machine.

pub(crate) mod addresses;
mod capture;
pub mod lateness;
pub(crate) mod namespace;
mod netlink;
mod packets;
pub mod processors;
pub mod router;
mod segments;
mod shift;
