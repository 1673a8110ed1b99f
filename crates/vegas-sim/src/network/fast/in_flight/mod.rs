//! Packets between a transmitter and the place where their next event is.

pub(super) mod delay_lines;
pub(super) mod overtaking;
mod pool;
pub(super) mod tournament;
