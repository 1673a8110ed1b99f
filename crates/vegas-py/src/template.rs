//! A scenario from which many runs are made.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Map, Value};
use vegas_results::Contents;
use vegas_sim::scenario;

use crate::own::Outside;
use crate::scenario::{Scenario, ScenarioError};

/// A scenario that is run many times with some of its values replaced. Values by dotted key are given as JSON text.
#[pyclass(frozen, module = "vegaslab._vegaslab")]
pub(crate) struct Template {
    pub(crate) inner: Arc<scenario::Template>,
}

#[pymethods]
impl Template {
    /// `format` is "toml" or "json"; `source` is the scenario's name in messages. Raises `ScenarioError` if it cannot
    /// be parsed; whether it can run is checked with each run.
    #[new]
    fn new(text: &str, format: &str, source: &str) -> PyResult<Self> {
        let parsed = match format {
            "toml" => scenario::Template::from_toml(text, source),
            "json" => scenario::Template::from_json(text, source),
            _ => return Err(PyValueError::new_err(format!("format: {format:?} was given; \"toml\" or \"json\""))),
        };
        let inner = parsed.map_err(refusal)?.with_loader(Arc::new(Outside));
        Ok(Template { inner: Arc::new(inner) })
    }

    /// Returns the checked scenario with `replaced` and that seed. Raises `ScenarioError`.
    fn scenario(&self, replaced: &str, seed: u64) -> PyResult<Scenario> {
        let inner = self.inner.scenario(&parse(replaced).map_err(PyValueError::new_err)?, seed).map_err(refusal)?;
        Ok(Scenario { inner: Arc::new(inner) })
    }

    /// Returns the ids of the runs with each of `replaced` and each seed, as in a manifest, 32 bytes each: the seeds of
    /// the first, then those of the second, and so on. A value that cannot be replaced counts as if it were missing.
    fn run_ids<'py>(&self, py: Python<'py>, replaced: Vec<String>, seeds: Vec<u64>) -> PyResult<Bound<'py, PyBytes>> {
        let ids = py.detach(|| self.digests(&replaced, &seeds)).map_err(PyValueError::new_err)?;
        Ok(PyBytes::new(py, &ids))
    }
}

impl Template {
    fn digests(&self, replaced: &[String], seeds: &[u64]) -> Result<Vec<u8>, String> {
        let mut ids = Vec::with_capacity(replaced.len() * seeds.len() * 32);
        for text in replaced {
            let replaced = parse(text)?;
            // a value that does not fit into the document makes that run fail, and the run still needs an id
            let mut document = self.inner.document(&replaced, 0).unwrap_or_else(|_| Value::from(text.as_str()));
            let contents = if names_file(&document) { self.contents(&replaced) } else { Contents::default() };
            for &seed in seeds {
                if let Some(in_document) = document.get_mut("seed") {
                    *in_document = seed.into();
                }
                ids.extend_from_slice(&vegas_results::run_digest(&document, seed, &contents));
            }
        }
        Ok(ids)
    }

    /// Returns the contents of the files that the scenario names; none for a scenario that cannot run.
    fn contents(&self, replaced: &Map<String, Value>) -> Contents {
        self.inner.scenario(replaced, 0).map(|scenario| Contents::of(&scenario)).unwrap_or_default()
    }
}

/// Returns whether the document names a rate trace or an algorithm from outside: their content is part of a run's id.
fn names_file(document: &Value) -> bool {
    names(document, &["trace", "python", "wasm"])
}

/// Returns whether a table of a document has one of these keys.
pub(crate) fn names(value: &Value, keys: &[&str]) -> bool {
    match value {
        Value::Object(map) => {
            keys.iter().any(|key| map.contains_key(*key)) || map.values().any(|value| names(value, keys))
        }
        Value::Array(values) => values.iter().any(|value| names(value, keys)),
        _ => false,
    }
}

pub(crate) fn parse(replaced: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(replaced).map_err(|error| format!("{replaced:?} is no JSON object: {error}"))
}

fn refusal(error: scenario::ScenarioError) -> PyErr {
    ScenarioError::new_err(error.to_string())
}

/// Reads a TOML file: its values as JSON text, and the line of each dotted key. Raises `ScenarioError`.
#[pyfunction]
pub(crate) fn read_toml(text: &str, source: &str) -> PyResult<(String, BTreeMap<String, usize>)> {
    let (values, lines) = scenario::read_toml(text, source).map_err(refusal)?;
    Ok((values.to_string(), lines))
}

/// Returns the columns that a row of totals has for each flow, link and source of traffic: pairs of a prefix and the
/// columns' names.
#[pyfunction]
pub(crate) fn figure_columns() -> Vec<(&'static str, Vec<&'static str>)> {
    vegas_results::figure_columns()
}

/// Returns every column of every table of a run: table, name, unit and meaning; then those of the totals of media and
/// of queues.
#[pyfunction]
pub(crate) fn columns() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let totals = [&vegas_results::columns::media::MEDIA_TOTALS, &vegas_results::columns::queues::QUEUE_TOTALS];
    let tables = vegas_results::columns::TABLES.iter().chain(totals);
    tables.flat_map(|table| table.columns.iter().map(|one| (table.name, one.name, one.unit, one.meaning))).collect()
}
