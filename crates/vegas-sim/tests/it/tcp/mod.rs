//! The ends of TCP connections: hosts, thresholds, applications, and receivers that misbehave.

mod applications;
mod duplicates;
mod ecn;
mod golden;
mod handshake;
mod hosts;
mod marks;
mod merging;
mod misbehaving;
mod receive_window;
mod reordering;
mod retransmissions;
mod round_trips;
mod without_sack;
