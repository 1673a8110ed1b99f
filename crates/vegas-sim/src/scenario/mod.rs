//! Scenarios: the file a user writes, its validation, and what the engine takes.
//!
//! Every source takes one path: TOML or JSON becomes a tree of values, overrides change the tree, serde reads it
//! into the tables of the file, and validation resolves names and defaults into a [`Scenario`]. Every key of the
//! file is in `docs/scenario.md`.
//!
//! ```
//! use vegas_sim::scenario::Scenario;
//!
//! let text = r#"
//!     name = "short"
//!     duration = "2s"
//!     topology.kind = "dumbbell"
//!     topology.access = { rate = "1gbit", delay = "1ms" }
//!     topology.bottleneck = { rate = "50mbit", delay = "48ms", queue = "100p" }
//!     flow = [{ algorithm = "vegas" }]
//! "#;
//! let overrides = [("flow.0.algorithm".to_string(), "vagas".to_string())];
//! let error = Scenario::from_toml(text, "short.toml", &overrides).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     r#"short.toml: --set flow.0.algorithm=vagas: flow.0.algorithm: "vagas" is no preset; did you mean "vegas"?"#,
//! );
//! ```

mod change;
mod document;
mod error;
mod field;
mod flow;
mod model;
mod network;
mod override_;
mod quantity;
mod scalar;
mod schema;
mod source;
mod template;
mod trace;
mod traffic;
mod traffic_model;
mod validate;

pub use error::ScenarioError;
pub use model::*;
pub use schema::json_schema;
pub use template::{Template, read_toml};

use error::{Place, Problem, child};
use serde_path_to_error::Segment;
use source::Source;
use std::path::Path;

impl Scenario {
    /// Reads a scenario from TOML.
    ///
    /// `source` is the file's name, for messages and to find the files that the scenario names. An override is a dotted key such as `flow.0.algorithm` and the
    /// text of its value as typed: TOML where it is TOML, else a text. Errors name the first thing that is wrong.
    pub fn from_toml(text: &str, source: &str, overrides: &[(String, String)]) -> Result<Self, ScenarioError> {
        resolve(Source::from_toml(text, source)?, source, overrides)
    }

    /// Reads a scenario from JSON: the same keys and values as in TOML, `null` for a key left out.
    ///
    /// `source` and `overrides` are as for [`Scenario::from_toml`]; what is no file finds others in the working folder.
    pub fn from_json(text: &str, source: &str, overrides: &[(String, String)]) -> Result<Self, ScenarioError> {
        resolve(Source::from_json(text, source)?, source, overrides)
    }
}

fn resolve(mut file: Source, source: &str, overrides: &[(String, String)]) -> Result<Scenario, ScenarioError> {
    for (key, text) in overrides {
        override_::apply(&mut file.tree, key, text).map_err(|problem| ScenarioError {
            source: source.into(),
            place: Place::Override(format!("{key}={text}")),
            problem,
        })?;
    }
    check(&file.tree, source).map_err(|problem| {
        let place = overridden(&problem.key, &file, overrides).unwrap_or_else(|| file.place(&problem.key));
        ScenarioError { source: source.into(), place, problem }
    })
}

/// A tree of values becomes a scenario; files that it names are looked for beside `source`.
fn check(tree: &serde_json::Value, source: &str) -> Result<Scenario, Problem> {
    let folder = Path::new(source).parent().unwrap_or(Path::new(""));
    read(tree).and_then(|document| validate::scenario(&document, tree, folder))
}

fn read(tree: &serde_json::Value) -> Result<document::File, Problem> {
    let table: Result<field::Table<document::File>, _> = serde_path_to_error::deserialize(tree);
    table.map(|table| table.0).map_err(|error| {
        let key = error.path().iter().fold(String::new(), |key, segment| match segment {
            Segment::Seq { index } => child(&key, index),
            Segment::Map { key: name } => child(&key, name),
            Segment::Enum { .. } | Segment::Unknown => key,
        });
        Problem::from_serde(key, &error.inner().to_string())
    })
}

/// The override that set `key`, or that brought a table around it into the file.
fn overridden(key: &str, file: &Source, overrides: &[(String, String)]) -> Option<Place> {
    let ends = key.match_indices('.').map(|(end, _)| end).chain([key.len()]);
    let new = ends.map(|end| &key[..end]).find(|around| !file.lines.contains_key(*around));
    let new = new.filter(|_| !file.lines.is_empty());
    let (key, text) = overrides.iter().rfind(|(set, _)| within(key, set) || new.is_some_and(|new| within(set, new)))?;
    Some(Place::Override(format!("{key}={text}")))
}

fn within(key: &str, around: &str) -> bool {
    key.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
