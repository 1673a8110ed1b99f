//! The command without algorithms of its own: presets and WebAssembly modules, for `make bench-wasm`.

use std::process::ExitCode;

fn main() -> ExitCode {
    vegas_own::rust::main(&[])
}
