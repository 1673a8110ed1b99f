//! Lookahead: for which links packets can be handled ahead of time, and on which of these no packet ever waits.

mod load;
pub(super) mod plan;
