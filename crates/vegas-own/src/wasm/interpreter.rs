//! wasmi runs a module, instruction by instruction. Only this file depends on wasmi.

pub(super) use wasmi::{
    Engine, Error, Instance, Memory, Module, Store, StoreLimits, StoreLimitsBuilder, TypedFunc, WasmParams, WasmResults,
};

pub(super) const NAME: &str = "wasmi";

/// An engine that counts instructions, and computes floating point alike on every machine.
pub(super) fn engine() -> Engine {
    let mut config = wasmi::Config::default();
    config.consume_fuel(true).compilation_mode(wasmi::CompilationMode::Eager).wasm_multi_memory(false);
    Engine::new(&config)
}

/// Why a module is refused or a call has failed.
pub(super) fn problem(error: &Error) -> String {
    error.to_string()
}
