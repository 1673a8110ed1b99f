//! What the conformance suite, the golden traces and the fuzz target share.

#![allow(dead_code, unreachable_pub)] // each of the three uses a part

pub mod compositions;
pub mod events;
pub mod rules;
