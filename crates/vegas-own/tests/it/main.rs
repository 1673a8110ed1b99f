//! Tests of the crate through its interface, as one program.

mod modules;
mod rust;
