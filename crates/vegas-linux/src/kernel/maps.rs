//! The maps and programs of a BPF object.

use libbpf_rs::{MapCore, MapFlags, MapHandle, Object, ProgramInput, ProgramMut};

use crate::Error;
use crate::kernel::plain::{Plain, bytes_of, from_bytes};

/// The map through which the programs hand the routers' times to sockets.
pub(crate) const FEEDBACK: &str = "feedback";

/// The steps that one call of the proof program takes.
pub const PROOF_STEPS: usize = 4096;

/// Returns the map with a name that ends in `suffix`.
pub(crate) fn map(object: &Object, suffix: &str) -> Result<MapHandle, Error> {
    let map = object.maps().find(|map| map.name().to_string_lossy().ends_with(suffix)).ok_or_else(missing)?;
    MapHandle::try_from(&map).map_err(|error| Error::new(suffix, error))
}

/// Returns the program of this name.
pub(crate) fn program<'a>(object: &'a Object, name: &str) -> Result<ProgramMut<'a>, Error> {
    object.progs_mut().find(|program| program.name() == name).ok_or_else(missing)
}

/// Returns the value of a map with a single entry: a section of variables, or an array of length one.
pub(crate) fn only_value(map: &impl MapCore) -> Option<Vec<u8>> {
    map.lookup(&ONLY, MapFlags::ANY).ok().flatten()
}

/// The key of the only entry in such a map.
pub(crate) const ONLY: [u8; 4] = 0u32.to_ne_bytes();

/// Runs a proof's program over the steps, which it updates in place through their map.
pub(crate) fn run_over<T: Plain>(object: &Object, name: &str, steps_map: &str, steps: &mut [T]) -> Result<(), Error> {
    let failed = |error: libbpf_rs::Error| Error::new("the proof program", error);
    let map = map(object, steps_map)?;
    let bytes: Vec<u8> = steps.iter().flat_map(|step| bytes_of(step).iter().copied()).collect();
    map.update(&ONLY, &bytes, MapFlags::ANY).map_err(failed)?;
    program(object, name)?.test_run(ProgramInput::default()).map_err(failed)?;
    let bytes = map.lookup(&ONLY, MapFlags::ANY).map_err(failed)?.ok_or_else(missing)?;
    for (step, bytes) in steps.iter_mut().zip(bytes.chunks_exact(size_of::<T>())) {
        *step = from_bytes(bytes).ok_or_else(missing)?;
    }
    Ok(())
}

pub(crate) fn missing() -> Error {
    Error::new("the BPF object", "a part of it is missing")
}
