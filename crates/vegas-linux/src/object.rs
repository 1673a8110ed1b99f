//! The BPF object: opened with an algorithm's numbers, loaded, and run by itself for the proof.

use libbpf_rs::{MapCore, MapFlags, Object, ObjectBuilder, OpenObject, ProgramInput};

use crate::Error;
use crate::abi::{Config, Decision, Event};
use crate::plain::{bytes_of, from_bytes};

/// What build.rs made of core and glue.
static OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vegas.bpf.o"));

/// The struct_ops map of windows, and the map of the numbers, by their names in the object.
pub(crate) const WINDOW_OPS: &str = "vegas_window";
const CONFIG: &str = ".rodata.config";
/// Where tcp_congestion_ops has its name in the glue's own declaration, and how long it may be.
const NAME_BYTES: usize = 16;

/// Steps that one call of the proof program takes.
pub const PROOF_STEPS: usize = 4096;

/// One step of the proof: what the core is told, what the object's copy answered.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProofStep {
    /// The event.
    pub event: Event,
    /// The answer.
    pub decision: Decision,
}

/// Opens and loads the object with these numbers; nothing is registered yet.
pub fn load(kernel_name: &str, config: &Config) -> Result<Object, Error> {
    let mut open = open()?;
    for mut map in open.maps_mut() {
        let name = map.name().to_string_lossy().into_owned();
        if name.ends_with(CONFIG) {
            map.set_initial_value(bytes_of(config)).map_err(|error| Error::new(CONFIG, error))?;
        } else if name == WINDOW_OPS {
            let ops = map.initial_value_mut().ok_or_else(|| Error::new(WINDOW_OPS, "no value in the object"))?;
            let mut bytes = [0; NAME_BYTES];
            bytes[..kernel_name.len()].copy_from_slice(kernel_name.as_bytes());
            ops[..NAME_BYTES].copy_from_slice(&bytes);
        }
    }
    open.load().map_err(|error| Error::new("the kernel refuses the BPF object", error))
}

fn open() -> Result<OpenObject, Error> {
    ObjectBuilder::default().open_memory(OBJECT).map_err(|error| Error::new("the BPF object", error))
}

/// Runs the object's copy of the core over events, outside of any connection.
pub struct Proof {
    object: Object,
}

impl Proof {
    /// Loads the object with these numbers.
    pub fn new(config: &Config) -> Result<Self, Error> {
        Ok(Proof { object: load("vegas_proof", config)? })
    }

    /// Fills in the decisions of the steps; the state goes on from call to call. The first step ever must be a start.
    pub fn run(&self, steps: &mut [ProofStep; PROOF_STEPS]) -> Result<(), Error> {
        let failed = |error: libbpf_rs::Error| Error::new("the proof program", error);
        let only = 0u32.to_ne_bytes();
        let map = self.object.maps().find(|map| map.name() == "proof_steps").ok_or_else(missing)?;
        let program = self.object.progs_mut().find(|program| program.name() == "vegas_prove").ok_or_else(missing)?;
        let bytes: Vec<u8> = steps.iter().flat_map(|step| bytes_of(step).iter().copied()).collect();
        map.update(&only, &bytes, MapFlags::ANY).map_err(failed)?;
        program.test_run(ProgramInput::default()).map_err(failed)?;
        let bytes = map.lookup(&only, MapFlags::ANY).map_err(failed)?.ok_or_else(missing)?;
        for (step, bytes) in steps.iter_mut().zip(bytes.chunks_exact(size_of::<ProofStep>())) {
            *step = from_bytes(bytes).ok_or_else(missing)?;
        }
        Ok(())
    }
}

fn missing() -> Error {
    Error::new("the BPF object", "a part of it is missing")
}
