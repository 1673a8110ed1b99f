//! Algorithms of a user's Rust program: a type and a line that registers it make the command.
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

use vegas_core::{Controller, Needs, Parameters};
use vegas_sim::scenario::{Language, Loaded, Loader, Program};

pub use command::{main, run};
pub use conformance::conforms;
pub use vegas_core::OwnAlgorithm;

use crate::wasm;

/// An algorithm as the command registers it.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    name: &'static str,
    needs: Needs,
    start: fn(&Parameters, u64) -> Controller,
    conforms: fn(),
}

/// Registers an algorithm.
pub const fn own<A: OwnAlgorithm>() -> Own {
    Own {
        name: A::NAME,
        needs: A::NEEDS,
        start: |parameters, seed| Controller::boxed(A::start(parameters, seed), 0),
        conforms: conforms::<A>,
    }
}

impl Program for Own {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn start(&self, parameters: &Parameters, seed: u64) -> Controller {
        (self.start)(parameters, seed)
    }
}

/// Loads the algorithms of the program itself, and WebAssembly modules.
#[derive(Debug)]
pub struct Library {
    known: Vec<Own>,
    /// The content that determines the behaviour of the algorithms: the program itself.
    content: Vec<u8>,
}

impl Library {
    /// A loader of these algorithms; `content` distinguishes versions of the program in a run's id.
    pub fn new(known: &[Own], content: Vec<u8>) -> Self {
        Library { known: known.to_vec(), content }
    }

    /// A loader of these algorithms in the running program.
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
