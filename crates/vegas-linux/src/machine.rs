//! What this machine has: the congestion controls in its kernel, the devices with RoVegas's option, live connections.

pub mod attached;
mod feedback;
pub mod host;
pub mod installed;
pub mod own;
pub mod watch;
