//! wasmtime compiles a module for this machine. All that is particular to it is here.

pub(super) use wasmtime::{
    Engine, Error, Instance, Memory, Module, Store, StoreLimits, StoreLimitsBuilder, TypedFunc, WasmParams, WasmResults,
};

pub(super) const NAME: &str = "wasmtime";

/// An engine that counts instructions, with floating point that is equal on every machine, and takes the modules that
/// the interpreter takes.
pub(super) fn engine() -> Engine {
    let mut config = wasmtime::Config::new();
    config.consume_fuel(true).cranelift_nan_canonicalization(true);
    config.wasm_relaxed_simd(false).wasm_simd(false).wasm_multi_memory(false).wasm_memory64(false);
    // no signal handlers in the process of a host that has its own, and no 4 GiB of addresses for each connection
    config.signals_based_traps(false).memory_reservation(super::module::MEMORY_BYTES_MAX as u64).memory_guard_size(0);
    config.wasm_backtrace_max_frames(None);
    Engine::new(&config).expect("what the configuration asks for is compiled in")
}

/// Why a module is refused, or a call has failed: the innermost cause.
pub(super) fn problem(error: &Error) -> String {
    match error.downcast_ref::<wasmtime::Trap>() {
        Some(trap) => {
            let text = trap.to_string();
            text.strip_prefix("wasm trap: ").unwrap_or(&text).to_owned()
        }
        None => error.root_cause().to_string(),
    }
}
