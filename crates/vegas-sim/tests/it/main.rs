//! Tests of the crate through its interface, as one program.

mod agreement;
mod engine;
mod family;
#[cfg(target_os = "linux")]
#[path = "../support/growth.rs"]
mod growth;
mod heirs;
mod network;
#[path = "../support/parser.rs"]
mod parser;
mod scenario;
#[path = "../support/mod.rs"]
mod support;
mod tcp;
#[path = "../support/traces.rs"]
mod traces;
mod traffic;
