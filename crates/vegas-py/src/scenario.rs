//! Scenarios: text in, one checked object out, or an error of one line.

use std::sync::Arc;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use vegas_sim::scenario::{self, QueueLimit};

create_exception!(
    vegaslab,
    ScenarioError,
    PyValueError,
    "A scenario is wrong: one line that names source, key, what was given and what would be right."
);

/// A checked scenario, ready to run. Made by `load`.
#[pyclass(frozen, module = "vegaslab._vegaslab")]
pub(crate) struct Scenario {
    pub(crate) inner: Arc<scenario::Scenario>,
}

#[pymethods]
impl Scenario {
    /// The scenario's name.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// The seed of every random stream.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// When the run ends, s.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.inner.duration.as_nanos() as f64 / 1e9
    }

    /// The file after overrides, as JSON text.
    fn document_json(&self) -> String {
        self.inner.document.to_string()
    }

    /// One dict a one-way link: `id`, `rate_mbps`, `delay_ms`, `queue_packets` (None if not limited in packets).
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.inner.links.iter().map(|link| describe_link(py, &self.inner.nodes, link)).collect()
    }
}

fn describe_link<'py>(py: Python<'py>, nodes: &[String], link: &scenario::LinkSpec) -> PyResult<Bound<'py, PyDict>> {
    let queue_packets = match link.queue {
        QueueLimit::Packets(packets) => Some(packets),
        QueueLimit::Bytes(_) | QueueLimit::Unlimited => None,
    };
    let entry = PyDict::new(py);
    entry.set_item("id", format!("{}->{}", nodes[link.from], nodes[link.to]))?;
    entry.set_item("rate_mbps", link.rate.as_bits_per_second() as f64 / 1e6)?;
    entry.set_item("delay_ms", link.delay.as_nanos() as f64 / 1e6)?;
    entry.set_item("queue_packets", queue_packets)?;
    Ok(entry)
}

/// Checks a scenario. `format` is "toml" or "json"; `source` is its name in messages; `overrides` are pairs of a
/// dotted key ("flow.0.algorithm") and the value's text. Raises `ScenarioError`.
#[pyfunction]
#[pyo3(signature = (text, format, source, overrides))]
pub(crate) fn load(text: &str, format: &str, source: &str, overrides: Vec<(String, String)>) -> PyResult<Scenario> {
    let checked = match format {
        "toml" => scenario::Scenario::from_toml(text, source, &overrides),
        "json" => scenario::Scenario::from_json(text, source, &overrides),
        _ => return Err(PyValueError::new_err(format!("format: {format:?} was given; \"toml\" or \"json\""))),
    };
    match checked {
        Ok(inner) => Ok(Scenario { inner: Arc::new(inner) }),
        Err(error) => Err(ScenarioError::new_err(error.to_string())),
    }
}

/// The JSON Schema (draft 2020-12) of a scenario file.
#[pyfunction]
pub(crate) fn schema() -> String {
    scenario::json_schema()
}
