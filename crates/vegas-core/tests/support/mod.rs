//! What the conformance suites, the golden traces and the fuzz targets share.

#![allow(dead_code, unreachable_pub)] // each of them uses a part

pub mod compositions;
pub mod control;
pub mod events;
pub mod packets;
pub mod rules;
