//! Congestion controls as hosts with an allocator hold them.

pub(crate) mod controller;
pub(crate) mod joined;

#[cfg(test)]
#[allow(unreachable_pub, reason = "tests of other crates share it")]
#[path = "../tests/support/heard.rs"]
mod heard;
