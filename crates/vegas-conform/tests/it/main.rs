//! Tests of the kit through its interface, as one program.

mod bbr;
mod generic;
mod mutants;
mod outside;
#[cfg(feature = "quinn")]
mod quic;
#[cfg(feature = "s2n")]
mod s2n;
