//! Scenarios: the file that a user writes, its validation, and the form that the engine takes.
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
//!     r#"short.toml: with flow.0.algorithm=vagas: flow.0.algorithm: "vagas" is no preset; did you mean "vegas"?"#,
//! );
//! ```

mod application;
mod change;
mod composition;
mod document;
mod flow;
mod model;
mod network;
mod read;
mod template;
mod traffic;
mod validate;

pub use document::json_schema;
#[doc(hidden)]
pub use document::schema_with_links;
pub use model::*;
pub use read::error::ScenarioError;
pub use read::quantity::{bits_per_second, bytes, nanoseconds};
pub use template::{Template, read_toml};

use read::error::{Place, Problem, child};
use read::source::Source;
use read::{field, override_};
use serde_path_to_error::Segment;

use crate::util::watch::Watch;

impl Scenario {
    /// Returns for each link whether any of its values changes during the run.
    pub(crate) fn changing_links(&self) -> Vec<bool> {
        let mut changes = vec![false; self.links.len()];
        for change in &self.changes {
            if let Change::Link(change) = &change.change {
                changes[change.link] = true;
            }
        }
        changes
    }

    /// The user's own algorithms that the flows and sources of traffic name.
    pub fn own(&self) -> impl Iterator<Item = &Own> {
        let connections = self.traffic.iter().filter_map(|traffic| traffic.load.connection());
        self.flows.iter().chain(connections).filter_map(|flow| flow.own.as_ref())
    }

    /// Reads a scenario from TOML.
    ///
    /// `source` is the file's name, for messages and to find the files that the scenario names. An override is a dotted
    /// key such as `flow.0.algorithm` and the text of its value as typed, which is parsed as TOML, or taken as a text
    /// if it is not TOML. Errors name the first problem.
    pub fn from_toml(text: &str, source: &str, overrides: &[(String, String)]) -> Result<Self, ScenarioError> {
        Watch::without_limits(|watch| Scenario::read_toml(text, source, overrides, watch))
    }

    /// Reads a scenario from JSON: the same keys and values as in TOML, `null` for a key left out.
    ///
    /// `source` and `overrides` are as for [`Scenario::from_toml`]; without a file, names are relative to the working
    /// folder.
    pub fn from_json(text: &str, source: &str, overrides: &[(String, String)]) -> Result<Self, ScenarioError> {
        Watch::without_limits(|watch| Scenario::read_json(text, source, overrides, watch))
    }

    /// Does what [`Scenario::read_toml`] does, with the files that the scenario names from `folder`.
    pub fn read_toml_in(
        folder: &dyn Folder,
        text: &str,
        source: &str,
        overrides: &[(String, String)],
        watch: &mut Watch<'_>,
    ) -> Result<Self, ScenarioError> {
        resolve(Source::from_toml(text, source)?, source, overrides, folder, watch)
    }

    /// Does what [`Scenario::read_json`] does, with the files that the scenario names from `folder`.
    pub fn read_json_in(
        folder: &dyn Folder,
        text: &str,
        source: &str,
        overrides: &[(String, String)],
        watch: &mut Watch<'_>,
    ) -> Result<Self, ScenarioError> {
        resolve(Source::from_json(text, source)?, source, overrides, folder, watch)
    }

    /// Does what [`Scenario::from_toml`] does; if the watch has stopped the work, the error does not describe the file.
    pub fn read_toml(
        text: &str,
        source: &str,
        overrides: &[(String, String)],
        watch: &mut Watch<'_>,
    ) -> Result<Self, ScenarioError> {
        resolve(Source::from_toml(text, source)?, source, overrides, &OnDisk::of(source), watch)
    }

    /// Does what [`Scenario::from_json`] does; if the watch has stopped the work, the error does not describe the file.
    pub fn read_json(
        text: &str,
        source: &str,
        overrides: &[(String, String)],
        watch: &mut Watch<'_>,
    ) -> Result<Self, ScenarioError> {
        resolve(Source::from_json(text, source)?, source, overrides, &OnDisk::of(source), watch)
    }
}

/// Says what each trace was taken for that is not in our own format, by the first link that follows it.
fn taken_for(scenario: &Scenario) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for link in &scenario.links {
        let name = || format!("{}->{}", scenario.nodes[link.from], scenario.nodes[link.to]);
        let schedule = &link.impairments.delay_schedule;
        let rate = link.trace.as_ref().and_then(|trace| Some(("rate", trace.taken_for()?, trace.sha256())));
        let delay = schedule.taken_for().zip(schedule.sha256()).map(|(what, sha256)| ("delay", what, sha256));
        for (kind, what, sha256) in
            rate.into_iter().chain(delay).filter(|(.., sha256)| !known.contains(sha256)).collect::<Vec<_>>()
        {
            known.push(sha256);
            lines.push(format!("{}: the trace of its {kind} was taken for {what}", name()));
        }
    }
    lines
}

fn resolve(
    mut file: Source,
    source: &str,
    overrides: &[(String, String)],
    folder: &dyn Folder,
    watch: &mut Watch<'_>,
) -> Result<Scenario, ScenarioError> {
    for (key, text) in overrides {
        override_::apply(&mut file.tree, key, text).map_err(|problem| ScenarioError {
            source: source.into(),
            place: Place::Override(format!("{key}={text}")),
            problem,
        })?;
    }
    let placed = |problem: Problem| {
        let place = overridden(&problem.key, &file, overrides).unwrap_or_else(|| file.place(&problem.key));
        ScenarioError { source: source.into(), place, problem }
    };
    let (mut scenario, unused) = check(&file.tree, folder, watch).map_err(placed)?;
    let taken = taken_for(&scenario).into_iter().map(|line| format!("{source}: {line}"));
    scenario.warnings = unused.into_iter().map(|problem| placed(problem).to_string()).chain(taken).collect();
    Ok(scenario)
}

/// Turns a tree of values into a scenario, with a problem for each value that has no effect; `folder` has the files
/// that the scenario names.
fn check(
    tree: &serde_json::Value,
    folder: &dyn Folder,
    watch: &mut Watch<'_>,
) -> Result<(Scenario, Vec<Problem>), Problem> {
    read(tree).and_then(|document| validate::scenario(&document, tree, folder, watch))
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

/// Returns the override that set `key`, or that added a table around it to the file.
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
