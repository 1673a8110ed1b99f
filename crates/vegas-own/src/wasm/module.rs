//! A module, and an instance of it for one connection.

use std::fmt;
use std::sync::Arc;

use vegas_core::units::Segments;
use vegas_core::{Needs, Parameters, RateSample};
use wasmi::{
    CompilationMode, Config, Engine, Instance, Memory, Module, Store, StoreLimits, StoreLimitsBuilder, TypedFunc,
    WasmParams, WasmResults,
};

/// The limit on instructions of one call: some milliseconds.
const FUEL: u64 = 1_000_000;
/// The limit on memory: sixteen pages of 64 KiB.
const MEMORY_BYTES_MAX: usize = 1 << 20;
/// The limit on table elements; a compiler's table of functions fits.
const TABLE_ELEMENTS_MAX: usize = 10_000;
/// The number of outputs: window, pace, threshold, base RTT and backlog, of 8 bytes each.
const OUTPUTS: usize = 5;

/// A checked and compiled module.
pub(super) struct Source {
    engine: Engine,
    module: Module,
    /// Its name in messages.
    pub(super) file: String,
    pub(super) needs: Needs,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("file", &self.file).field("needs", &self.needs).finish_non_exhaustive()
    }
}

impl Source {
    /// Checks a module; the error describes the fault.
    pub(super) fn new(content: &[u8], file: String) -> Result<Self, String> {
        let engine = engine();
        let module = Module::new(&engine, content).map_err(|error| format!("is no WebAssembly module: {error}"))?;
        if let Some(import) = module.imports().next() {
            return Err(format!("imports {}.{}; an algorithm imports nothing", import.module(), import.name()));
        }
        let mut source = Source { engine, module, file, needs: Needs::NONE };
        let Functions { rate, feedback, one_way_delay, sent, segment_lost, recovered, .. } =
            Connection::new(&Arc::new(source.clone()))?.functions;
        source.needs = Needs {
            rate: rate.is_some(),
            routers: feedback.is_some(),
            one_way_delay: one_way_delay.is_some(),
            sent: sent.is_some(),
            every_ack: recovered.is_some(),
            each_loss: segment_lost.is_some(),
            window_limited: true,
            ..Needs::NONE
        };
        Ok(source)
    }
}

/// An engine that counts instructions, and computes floating point alike on every machine.
fn engine() -> Engine {
    let mut config = Config::default();
    config.consume_fuel(true).compilation_mode(CompilationMode::Eager).wasm_multi_memory(false);
    Engine::new(&config)
}

impl Clone for Source {
    fn clone(&self) -> Self {
        let (engine, module) = (self.engine.clone(), self.module.clone());
        Source { engine, module, file: self.file.clone(), needs: self.needs }
    }
}

type Start = (i32, i32, i32, i32, i32, i32, i32, i64);
type Ack = (i64, i64, i32, i32, i64, i64, i32, i32);
type Loss = (i64, i32, i64, i32, i32, i64, i32);
type Sent = (i64, i64, i32, i32);
type Rate = (i32, i64, i32, i32, i32, i32, i32);

/// The exports of a module; only the first three are mandatory.
struct Functions {
    start: TypedFunc<Start, i32>,
    ack: TypedFunc<Ack, ()>,
    loss: TypedFunc<Loss, ()>,
    sent: Option<TypedFunc<Sent, ()>>,
    rate: Option<TypedFunc<Rate, ()>>,
    feedback: Option<TypedFunc<(i64, i64), ()>>,
    one_way_delay: Option<TypedFunc<i64, ()>>,
    handshake: Option<TypedFunc<(i64, i64), ()>>,
    segment_lost: Option<TypedFunc<(i32, i32, i32), ()>>,
    recovered: Option<TypedFunc<i64, ()>>,
    restart: Option<TypedFunc<(i64, i64, i64), ()>>,
    path_change: Option<TypedFunc<(i64, i64), ()>>,
}

/// An instance for one connection.
pub(super) struct Connection {
    store: Store<StoreLimits>,
    memory: Memory,
    functions: Functions,
    /// The address of the outputs.
    at: usize,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("outputs", &self.outputs()).finish_non_exhaustive()
    }
}

impl Connection {
    pub(super) fn new(source: &Arc<Source>) -> Result<Self, String> {
        let limits = StoreLimitsBuilder::new()
            .memory_size(MEMORY_BYTES_MAX)
            .memories(1)
            .table_elements(TABLE_ELEMENTS_MAX)
            .tables(1)
            .instances(1)
            .build();
        let mut store = Store::new(&source.engine, limits);
        store.limiter(|limits| limits);
        refuel(&mut store);
        let instance = Instance::new(&mut store, &source.module, &[]).map_err(|error| error.to_string())?;
        let memory = instance.get_memory(&mut store, "memory").ok_or("exports no memory")?;
        let functions = Functions::of(&mut store, &instance)?;
        Ok(Connection { store, memory, functions, at: 0 })
    }

    /// Makes another instance with equal memory.
    pub(super) fn copy(source: &Arc<Source>, from: &Connection) -> Result<Self, String> {
        let mut copy = Connection::new(source)?;
        let data = from.memory.data(&from.store);
        let missing = data.len().saturating_sub(copy.memory.data(&copy.store).len()) as u64;
        copy.memory.grow(&mut copy.store, missing >> 16).map_err(|error| error.to_string())?;
        copy.memory.data_mut(&mut copy.store).copy_from_slice(data);
        copy.at = from.at;
        Ok(copy)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.memory.data(&self.store).len()
    }

    /// Tells the module that the connection begins.
    pub(super) fn start(&mut self, parameters: &Parameters, seed: u64) -> Result<(), String> {
        let segments = |count: Segments| count.0 as i32;
        let given = (
            segments(parameters.initial_window),
            segments(parameters.restart_window),
            segments(parameters.max_window),
            parameters.ssthresh.map_or(-1, segments),
            segments(parameters.alpha),
            segments(parameters.beta),
            segments(parameters.gamma),
            seed as i64,
        );
        refuel(&mut self.store);
        let at = self.functions.start.call(&mut self.store, given).map_err(|error| error.to_string())?;
        self.at = at as u32 as usize;
        let end = self.at + 8 * OUTPUTS;
        match end <= self.memory_bytes() {
            true => Ok(()),
            false => Err(format!("start gave the address {}, beyond the memory", self.at)),
        }
    }

    /// The outputs in the module's memory, which never shrinks.
    pub(super) fn outputs(&self) -> [i64; OUTPUTS] {
        let bytes = &self.memory.data(&self.store)[self.at..self.at + 8 * OUTPUTS];
        std::array::from_fn(|number| {
            let mut one = [0; 8];
            one.copy_from_slice(&bytes[8 * number..8 * number + 8]);
            i64::from_le_bytes(one)
        })
    }

    pub(super) fn on_ack(&mut self, given: Ack) -> Result<(), String> {
        call(&mut self.store, Some(&self.functions.ack), given)
    }

    pub(super) fn on_loss(&mut self, given: Loss) -> Result<(), String> {
        call(&mut self.store, Some(&self.functions.loss), given)
    }

    pub(super) fn on_sent(&mut self, given: Sent) -> Result<(), String> {
        call(&mut self.store, self.functions.sent.as_ref(), given)
    }

    pub(super) fn on_rate(&mut self, rate: &RateSample) -> Result<(), String> {
        let given = (
            rate.delivered.0 as i32,
            rate.interval.as_nanos() as i64,
            rate.lost.0 as i32,
            rate.in_flight.0 as i32,
            rate.prior_delivered as i32,
            rate.total as i32,
            i32::from(rate.app_limited),
        );
        call(&mut self.store, self.functions.rate.as_ref(), given)
    }

    pub(super) fn on_feedback(&mut self, given: (i64, i64)) -> Result<(), String> {
        call(&mut self.store, self.functions.feedback.as_ref(), given)
    }

    pub(super) fn on_one_way_delay(&mut self, delay_ns: i64) -> Result<(), String> {
        call(&mut self.store, self.functions.one_way_delay.as_ref(), delay_ns)
    }

    pub(super) fn on_handshake(&mut self, given: (i64, i64)) -> Result<(), String> {
        call(&mut self.store, self.functions.handshake.as_ref(), given)
    }

    pub(super) fn on_segment_lost(&mut self, given: (i32, i32, i32)) -> Result<(), String> {
        call(&mut self.store, self.functions.segment_lost.as_ref(), given)
    }

    pub(super) fn on_recovered(&mut self, now_ns: i64) -> Result<(), String> {
        call(&mut self.store, self.functions.recovered.as_ref(), now_ns)
    }

    pub(super) fn on_restart(&mut self, given: (i64, i64, i64)) -> Result<(), String> {
        call(&mut self.store, self.functions.restart.as_ref(), given)
    }

    pub(super) fn on_path_change(&mut self, given: (i64, i64)) -> Result<(), String> {
        call(&mut self.store, self.functions.path_change.as_ref(), given)
    }
}

fn refuel(store: &mut Store<StoreLimits>) {
    store.set_fuel(FUEL).expect("the engine counts instructions");
}

fn call<P: WasmParams>(
    store: &mut Store<StoreLimits>,
    function: Option<&TypedFunc<P, ()>>,
    given: P,
) -> Result<(), String> {
    let Some(function) = function else { return Ok(()) };
    refuel(store);
    function.call(store, given).map_err(|error| error.to_string())
}

impl Functions {
    fn of(store: &mut Store<StoreLimits>, instance: &Instance) -> Result<Self, String> {
        let missing = |name: &str| format!("exports no {name}");
        Ok(Functions {
            start: function(store, instance, "start")?.ok_or_else(|| missing("start"))?,
            ack: function(store, instance, "on_ack")?.ok_or_else(|| missing("on_ack"))?,
            loss: function(store, instance, "on_loss")?.ok_or_else(|| missing("on_loss"))?,
            sent: function(store, instance, "on_sent")?,
            rate: function(store, instance, "on_rate")?,
            feedback: function(store, instance, "on_feedback")?,
            one_way_delay: function(store, instance, "on_one_way_delay")?,
            handshake: function(store, instance, "on_handshake")?,
            segment_lost: function(store, instance, "on_segment_lost")?,
            recovered: function(store, instance, "on_recovered")?,
            restart: function(store, instance, "on_restart")?,
            path_change: function(store, instance, "on_path_change")?,
        })
    }
}

/// Finds a function of a module by its name; none if there is no such export. The error says that the type differs.
fn function<P: WasmParams, R: WasmResults>(
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
