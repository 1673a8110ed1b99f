//! Packets as a capture file holds them.

pub(super) mod packet;
pub(super) mod pcapng;
