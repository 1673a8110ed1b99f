//! A user's own algorithms, from outside this workspace: their names in scenarios, and the interface that loads them.
//!
//! The simulator has no support for Python or WebAssembly. While a scenario is checked, a [`Loader`] turns the name in
//! the file into a [`Program`], which then creates the control of each connection. `docs/design.md`, section 4.4, has
//! the reasons.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use vegas_core::{Controller, Needs, Parameters};

/// The kind of a user's own algorithm, by the key that names it in a scenario file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// A class in a Python file.
    Python,
    /// A WebAssembly module.
    Wasm,
    /// A type of the Rust program that runs the scenario.
    Rust,
    /// A class in JavaScript, in the playground.
    JavaScript,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 4] = [Language::Python, Language::Wasm, Language::Rust, Language::JavaScript];

    /// The key in a scenario file.
    pub fn key(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Wasm => "wasm",
            Language::Rust => "rust",
            Language::JavaScript => "javascript",
        }
    }
}

/// Loads the users' own algorithms.
pub trait Loader: fmt::Debug + Send + Sync {
    /// Loads the algorithm that a scenario in `folder` calls `name`. The error names the file, the problem, and what
    /// would be right.
    fn load(&self, language: Language, name: &str, folder: &Path) -> Result<Loaded, String>;
}

/// The algorithm that a [`Loader`] returns.
#[derive(Debug)]
pub struct Loaded {
    /// The algorithm's name in results, unless the scenario sets another: letters, digits, - _ +.
    pub name: String,
    /// Everything that determines its behaviour, such as the text of its file; it is part of a run's id.
    pub content: Vec<u8>,
    /// The program that creates its controls.
    pub program: Arc<dyn Program>,
}

/// A user's own algorithm, loaded.
pub trait Program: fmt::Debug + Send + Sync {
    /// Returns what the algorithm needs of a host.
    fn needs(&self) -> Needs;

    /// Creates the control of a new connection. `seed` seeds its random numbers, if it draws any.
    fn start(&self, parameters: &Parameters, seed: u64) -> Controller;
}

/// A user's own algorithm in the form that a flow has it.
#[derive(Clone, Debug)]
pub struct Own {
    /// Its name in the scenario, such as `mine.py:Mine`.
    source: String,
    /// Its name in results, unless the scenario sets another.
    pub(crate) name: String,
    /// The SHA-256 of its content, in hex.
    sha256: String,
    program: Arc<dyn Program>,
}

impl Own {
    /// What was loaded for `source`, which is how the scenario calls it.
    pub fn new(source: &str, loaded: Loaded) -> Self {
        let Loaded { name, content, program } = loaded;
        let sha256 = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        Own { source: source.into(), name, sha256, program }
    }

    /// Its name in the scenario, such as `mine.py:Mine`.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The SHA-256 of its content, in hex, which identifies the algorithm in a run's id.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The program that creates its controls.
    pub fn program(&self) -> &dyn Program {
        &*self.program
    }
}

/// Algorithms with equal name and content are equal.
impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.sha256 == other.sha256 && self.source == other.source
    }
}

/// The algorithms that the flows of a scenario name; each is loaded once.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    loader: Option<Arc<dyn Loader>>,
    loaded: RefCell<BTreeMap<(Language, String), Own>>,
}

impl Shelf {
    pub(super) fn of(loader: Arc<dyn Loader>) -> Self {
        Shelf { loader: Some(loader), loaded: RefCell::default() }
    }

    pub(super) fn get(&self, language: Language, name: &str, folder: &Path) -> Result<Own, String> {
        let key = (language, name.to_owned());
        if let Some(known) = self.loaded.borrow().get(&key) {
            return Ok(known.clone());
        }
        let loader = self.loader.as_ref().ok_or_else(|| not_loaded(name))?;
        let own = Own::new(name, loader.load(language, name, folder)?);
        self.loaded.borrow_mut().insert(key, own.clone());
        Ok(own)
    }
}

/// Returns the reason for refusing a user's own algorithm if there is no loader.
pub(super) fn not_loaded(name: &str) -> String {
    format!("{name}: algorithms from outside are not loaded here; write a preset's name")
}

/// The failure of a user's own algorithm: a line with the place and the reason. It ends the run at once, by unwinding
/// from the call; [`crate::run_within`] returns it as an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub String);

impl Failure {
    /// Ends the run, without the report of a panic.
    pub fn end_run(self) -> ! {
        resume_unwind(Box::new(self))
    }
}
