//! The BPF object: opens it with an algorithm's numbers, loads it, and runs it outside of any connection for the proof.

use std::fs;
use std::os::fd::{AsFd, AsRawFd};

use libbpf_rs::{ErrorKind, Link, MapCore, MapHandle, MapMut, Object, ObjectBuilder, OpenObject};

use crate::Error;
use crate::abi::Config;
use crate::choice::NEEDS_CONTROL;
use crate::kernel::maps::{FEEDBACK, PROOF_STEPS, map, missing, only_value, program, run_over};
use crate::kernel::plain::bytes_of;
use crate::kernel::records::ProofStep;

/// The object that build.rs made of core and glue.
static OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vegas.bpf.o"));

/// The struct_ops maps by their names in the object: one without, one with a pacing rate.
const WINDOW_OPS: &str = "vegas_window";
const PACED_OPS: &str = "vegas_paced";
/// The name of the proof's program.
const PROOF: &str = "vegas_prove";
/// The map of the algorithm's numbers.
const CONFIG: &str = ".rodata.config";
/// The length of the name in tcp_congestion_ops, bytes; in the glue's declaration the name comes first.
const NAME_BYTES: usize = 16;

const TOO_LONG: &str =
    "its verifier follows a million instructions and no more (docs/linux.md, \"A step too long for the verifier\")";

/// Opens and loads the object with these numbers; it registers nothing yet. The object reads the routers' times from
/// `feedback`, the map of the option's programs.
pub fn load(kernel_name: &str, config: &Config, feedback: Option<&MapHandle>) -> Result<Object, Error> {
    let mut open = open(config)?;
    leave_out(&mut open, PROOF);
    for mut map in open.maps_mut() {
        let name = map.name().to_string_lossy().into_owned();
        if name == ops_of(config) {
            let ops = map.initial_value_mut().ok_or_else(missing)?;
            let mut bytes = [0; NAME_BYTES];
            bytes[..kernel_name.len()].copy_from_slice(kernel_name.as_bytes());
            ops[..NAME_BYTES].copy_from_slice(&bytes);
        } else if let Some(shared) = feedback.filter(|_| name == FEEDBACK) {
            map.reuse_fd(shared.as_fd()).map_err(|error| Error::new(name, error))?;
        } else if [WINDOW_OPS, PACED_OPS].contains(&name.as_str()) {
            map.set_autocreate(false).map_err(|error| Error::new(name, error))?;
        }
    }
    load_opened(open)
}

fn load_opened(open: OpenObject) -> Result<Object, Error> {
    open.load().map_err(|error| match error.kind() {
        ErrorKind::TooBig => Error::new("the kernel refuses the BPF object", TOO_LONG),
        _ => Error::new("the kernel refuses the BPF object", error),
    })
}

/// Leaves a program out of the object, which spares the kernel's verifier the work.
fn leave_out(open: &mut OpenObject, program: &str) {
    open.progs_mut().filter(|it| it.name() == program).for_each(|mut it| it.set_autoload(false));
}

/// Returns the struct_ops map for the algorithm. The kernel keeps a pacing rate, and hands out rate samples, only in
/// `cong_control`; that leaves recovery to the algorithm, so other algorithms use the map without it.
fn ops_of(config: &Config) -> &'static str {
    if config.needs & NEEDS_CONTROL != 0 { PACED_OPS } else { WINDOW_OPS }
}

/// Opens the object with these numbers.
fn open(config: &Config) -> Result<OpenObject, Error> {
    let failed = |error| Error::new("the BPF object", error);
    let mut open = ObjectBuilder::default().open_memory(OBJECT).map_err(failed)?;
    for mut map in open.maps_mut().filter(|map| map.name().to_string_lossy().ends_with(CONFIG)) {
        map.set_initial_value(bytes_of(config)).map_err(failed)?;
    }
    Ok(open)
}

/// Registers a loaded object as a congestion control, for as long as the link lives.
pub(crate) fn register(object: &mut Object) -> Result<Link, Error> {
    let is_ops = |map: &MapMut<'_>| map.autocreate() && (map.name() == WINDOW_OPS || map.name() == PACED_OPS);
    let mut ops = object.maps_mut().find(is_ops);
    let ops = ops.as_mut().ok_or_else(missing)?;
    ops.attach_struct_ops().map_err(|error| Error::new("registering a congestion control", error))
}

/// The counters of the kernel side, in the order of its section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Connections that have ever taken the algorithm.
    pub flows_started: u64,
    /// Records for which the trace had no room.
    pub records_lost: u64,
}

pub(crate) fn counts(map: &MapHandle) -> Result<Counts, Error> {
    let value = only_value(map).ok_or_else(missing)?;
    let count = |at: usize| Some(u64::from_ne_bytes(value.get(at..at + 8)?.try_into().ok()?));
    let counts = || Some(Counts { flows_started: count(0)?, records_lost: count(8)? });
    counts().ok_or_else(missing)
}

/// Checks that no record of an object was lost: a loss would leave a gap in series and proof.
pub(crate) fn check_complete(object: &Object) -> Result<(), Error> {
    match counts(&map(object, ".data.counts")?)?.records_lost {
        0 => Ok(()),
        lost => Err(Error(format!("the kernel had no room for {lost} records: the machine is too slow for it"))),
    }
}

/// Runs the object's copy of the core over events, outside of any connection.
pub struct Proof {
    object: Object,
}

impl Proof {
    /// Loads the object with these numbers, without the callbacks of a congestion control.
    pub fn new(config: &Config) -> Result<Self, Error> {
        let mut open = open(config)?;
        for mut map in open.maps_mut().filter(|map| map.name() == WINDOW_OPS || map.name() == PACED_OPS) {
            map.set_autocreate(false).map_err(|error| Error::new("the BPF object", error))?;
        }
        Ok(Proof { object: load_opened(open)? })
    }

    /// The instructions that the kernel's verifier has followed in a step, of the million that it follows at most.
    pub fn verified_instructions(&self) -> Result<u32, Error> {
        let program = program(&self.object, PROOF)?;
        let about = format!("/proc/self/fdinfo/{}", program.as_fd().as_raw_fd());
        let text = fs::read_to_string(&about).map_err(|error| Error::new(about, error))?;
        let count = text.lines().find_map(|line| line.strip_prefix("verified_insns:")?.trim().parse().ok());
        count.ok_or_else(missing)
    }

    /// Computes the decisions of the steps; the state continues from call to call. The first step of all must be a
    /// start.
    pub fn run(&self, steps: &mut [ProofStep; PROOF_STEPS]) -> Result<(), Error> {
        run_over(&self.object, PROOF, "proof_steps", steps)
    }
}
