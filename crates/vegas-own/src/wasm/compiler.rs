//! wasmtime compiles a module for this machine. Only this file depends on wasmtime.

pub(super) use wasmtime::{
    Engine, Error, Instance, Memory, Module, Store, StoreLimits, StoreLimitsBuilder, TypedFunc, WasmParams, WasmResults,
};

pub(super) const NAME: &str = "wasmtime";

/// An engine that counts instructions, computes floating point alike on every machine, and accepts the modules that the
/// interpreter accepts.
pub(super) fn engine() -> Engine {
    let mut config = wasmtime::Config::new();
    config.consume_fuel(true).cranelift_nan_canonicalization(true);
    config.wasm_relaxed_simd(false).wasm_simd(false).wasm_multi_memory(false).wasm_memory64(false);
    // the host process may have signal handlers of its own, and a connection must not reserve 4 GiB of addresses
    config.signals_based_traps(false).memory_reservation(super::module::MEMORY_BYTES_MAX as u64).memory_guard_size(0);
    config.wasm_backtrace_max_frames(None);
    Engine::new(&config).expect("what the configuration asks for is compiled in")
}

/// Why a module is refused or a call has failed: the innermost cause.
pub(super) fn problem(error: &Error) -> String {
    match error.downcast_ref::<wasmtime::Trap>() {
        Some(trap) => {
            let text = trap.to_string();
            text.strip_prefix("wasm trap: ").unwrap_or(&text).to_owned()
        }
        None => error.root_cause().to_string(),
    }
}
