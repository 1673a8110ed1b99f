//! Algorithms from outside this project (`docs/own-algorithm.md`): WebAssembly modules, and algorithms of Rust
//! programs.

#![deny(unsafe_code)]

pub mod rust;
pub mod wasm;
