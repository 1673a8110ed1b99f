//! Utilities that every other room may use, and that use no other room.

pub(crate) mod event;
pub(crate) mod prefetch;
pub(crate) mod random;
pub(crate) mod ring;
pub(crate) mod timers;
pub(crate) mod watch;
