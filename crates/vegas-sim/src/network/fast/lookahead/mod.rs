//! What is worked out ahead of its time: for which links that can be done, and those on which no packet ever waits.

mod load;
pub(super) mod path_segment;
pub(super) mod plan;
pub(super) mod uncongested;
