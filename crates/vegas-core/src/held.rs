//! The congestion control of a connection as hosts hold it.

pub(crate) mod controller;
pub(crate) mod joined;
