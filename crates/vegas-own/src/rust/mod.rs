//! Algorithms of a Rust program of one's own: a type, a line that registers it, and the command is there.
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     vegas_own::rust::main(&[vegas_own::rust::own::<Mine>()])
//! }
//! ```

mod command;
mod conformance;

use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use vegas_core::{Needs, Parameters};
use vegas_sim::scenario::{Language, Loaded, Loader, OwnControl, Program};

pub use command::{main, run};
pub use conformance::conforms;
pub use vegas_core::OwnAlgorithm;

use crate::wasm;

/// An algorithm as the command knows it.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    name: &'static str,
    needs: Needs,
    start: fn(&Parameters, u64) -> OwnControl,
    conforms: fn(),
}

/// Registers an algorithm.
pub const fn own<A: OwnAlgorithm>() -> Own {
    Own {
        name: A::NAME,
        needs: A::NEEDS,
        start: |parameters, seed| OwnControl::new(A::start(parameters, seed), A::NEEDS, 0),
        conforms: conforms::<A>,
    }
}

impl Program for Own {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn start(&self, parameters: &Parameters, seed: u64) -> OwnControl {
        (self.start)(parameters, seed)
    }
}

/// Loads the program's own algorithms, and WebAssembly modules.
#[derive(Debug)]
pub struct Library {
    known: Vec<Own>,
    /// What decides what they do: the program itself.
    content: Vec<u8>,
}

impl Library {
    /// Of these; `content` tells one version of the program from another in a run's id.
    pub fn new(known: &[Own], content: Vec<u8>) -> Self {
        Library { known: known.to_vec(), content }
    }

    /// Of these, in the program that runs.
    fn of_program(known: &[Own]) -> Self {
        Library::new(known, env::current_exe().and_then(fs::read).unwrap_or_default())
    }
}

impl Loader for Library {
    fn load(&self, language: Language, name: &str, folder: &Path) -> Result<Loaded, String> {
        match language {
            Language::Wasm => wasm::load(name, folder),
            Language::Python => Err(format!("{name}: is run by the command vegaslab, not by a Rust program")),
            Language::JavaScript => Err(format!("{name}: is run by the playground, not by a Rust program")),
            Language::Rust => {
                let own = self.known.iter().find(|own| own.name == name).ok_or_else(|| {
                    let known: Vec<&str> = self.known.iter().map(|own| own.name).collect();
                    format!("{name}: is not in this program, which has {}", known.join(", "))
                })?;
                Ok(Loaded { name: name.into(), content: self.content.clone(), program: Arc::new(*own) })
            }
        }
    }
}
