//! Tests of the crate through its interface, as one program.

#[cfg(target_os = "linux")]
mod bounded;
mod checks;
mod generator;
mod reference;
mod shrinking;
mod swarm;
