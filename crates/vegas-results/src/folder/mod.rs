//! The results folder: it is written beside its place and moved there whole; no content of other origin is replaced.

pub(super) mod manifest;
pub(super) mod ours;
pub(super) mod packed;
pub(super) mod place;
pub(super) mod write;
