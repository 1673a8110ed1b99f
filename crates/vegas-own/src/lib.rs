//! Algorithms from outside (`docs/own-algorithm.md`): WebAssembly modules, and those of Rust programs.

#![deny(unsafe_code)]

pub mod rust;
pub mod wasm;
