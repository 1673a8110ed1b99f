//! Tests of the crate through its interface, as one program.

mod checks;
mod generator;
mod reference;
mod shrinking;
mod swarm;
