//! A results folder: written beside its place, and put there whole; what is not ours stays.

pub(super) mod ours;
pub(super) mod place;
pub(super) mod write;
