//! Algorithms from outside, which a scenario names beside presets and parts; they are loaded where Python is available.

pub(crate) mod events;
mod python;

use std::path::Path;

use pyo3::import_exception;
use pyo3::prelude::*;
use vegas_own::wasm;
use vegas_sim::scenario::{Language, Loaded, Loader};

import_exception!(vegaslab.util.errors, AlgorithmError);

/// Runs work that calls Python now and then, on a thread known to Python. On an unknown thread, each call would make
/// and discard the interpreter's state of the thread, which takes ten times as long as the call.
pub(crate) fn known_to_python<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    Python::attach(|py| py.detach(work))
}

/// Loads classes of Python files, and WebAssembly modules.
#[derive(Debug)]
pub(crate) struct Outside;

impl Loader for Outside {
    fn load(&self, language: Language, name: &str, folder: &Path) -> Result<Loaded, String> {
        match language {
            Language::Python => python::load(name, folder),
            Language::Wasm => wasm::load(name, folder),
            Language::JavaScript => Err(format!("{name}: is run by the playground, not by the command vegaslab")),
            Language::Rust => {
                Err(format!("{name}: is run by the Rust program that it is part of, not by the command vegaslab"))
            }
        }
    }
}
