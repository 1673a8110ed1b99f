//! Judges of algorithms and hosts.

pub(crate) mod conformance;
pub(crate) mod scripts;
