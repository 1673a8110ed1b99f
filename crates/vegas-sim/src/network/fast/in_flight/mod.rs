//! Packets between a transmitter and the place of their next event.

pub(super) mod delay_lines;
pub(super) mod overtaking;
mod pool;
pub(super) mod tournament;
