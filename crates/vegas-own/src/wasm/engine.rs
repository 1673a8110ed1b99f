//! What runs a module: wasmi. All that is particular to it is here.

pub(super) use wasmi::{
    Engine, Instance, Memory, Module, Store, StoreLimits, StoreLimitsBuilder, TypedFunc, WasmParams, WasmResults,
};

/// An engine that counts instructions, with floating point that is equal on every machine.
pub(super) fn engine() -> Engine {
    let mut config = wasmi::Config::default();
    config.consume_fuel(true).compilation_mode(wasmi::CompilationMode::Eager);
    Engine::new(&config)
}

/// A function of a module by its name, if it has one; the error says that it is of another type.
pub(super) fn function<P: WasmParams, R: WasmResults>(
    store: &mut Store<StoreLimits>,
    instance: &Instance,
    name: &str,
) -> Result<Option<TypedFunc<P, R>>, String> {
    if instance.get_func(&mut *store, name).is_none() {
        return Ok(None);
    }
    let typed = instance.get_typed_func(&mut *store, name);
    typed.map(Some).map_err(|_| format!("{name} is not of the type that docs/own-algorithm.md says"))
}
