//! What a run gave, held on the Rust side; Python sees the tables without a copy.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use vegas_sim::results::{self, Tables, WriteOptions};
use vegas_sim::scenario;

use crate::table::Table;

/// What a run gave. Made by `run`.
#[pyclass(frozen, module = "vegaslab._vegaslab")]
pub(crate) struct Outcome {
    scenario: Arc<scenario::Scenario>,
    inner: vegas_sim::outcome::Outcome,
    wall_s: f64,
    /// Built when first asked for: `--json` never does.
    tables: OnceLock<Tables>,
}

impl Outcome {
    pub(crate) fn new(scenario: Arc<scenario::Scenario>, inner: vegas_sim::outcome::Outcome, wall_s: f64) -> Self {
        Self { scenario, inner, wall_s, tables: OnceLock::new() }
    }

    fn tables(&self) -> PyResult<&Tables> {
        if let Some(tables) = self.tables.get() {
            return Ok(tables);
        }
        let built = results::tables(&self.scenario, &self.inner).map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        Ok(self.tables.get_or_init(|| built))
    }
}

#[pymethods]
impl Outcome {
    /// The summary, as JSON text.
    fn summary_json(&self) -> String {
        results::summary(&self.scenario, &self.inner, self.wall_s).to_string()
    }

    /// One row a flow.
    #[getter]
    fn flows(&self) -> PyResult<Table> {
        Ok(Table::new(self.tables()?.flows.clone()))
    }

    /// One row a one-way link.
    #[getter]
    fn links(&self) -> PyResult<Table> {
        Ok(Table::new(self.tables()?.links.clone()))
    }

    /// One row a source of background traffic.
    #[getter]
    fn traffic(&self) -> PyResult<Table> {
        Ok(Table::new(self.tables()?.traffic.clone()))
    }

    /// The flows' time series.
    #[getter]
    fn flow_series(&self) -> PyResult<Table> {
        Ok(Table::new(self.tables()?.flow_series.clone()))
    }

    /// The links' time series.
    #[getter]
    fn link_series(&self) -> PyResult<Table> {
        Ok(Table::new(self.tables()?.link_series.clone()))
    }

    /// Drops, retransmissions, timeouts and exits from slow start, in order of time.
    #[getter]
    fn incidents(&self) -> PyResult<Table> {
        Ok(Table::new(self.tables()?.incidents.clone()))
    }

    /// Writes manifest and tables into the folder `dir`: all of it or nothing. Raises `OSError`.
    #[pyo3(signature = (dir, csv=false, pcapng=false))]
    fn write(&self, py: Python<'_>, dir: PathBuf, csv: bool, pcapng: bool) -> PyResult<()> {
        let options = WriteOptions { csv, pcapng };
        py.detach(|| results::write_folder(&dir, &self.scenario, &self.inner, self.wall_s, options))
            .map_err(|e| PyOSError::new_err(e.to_string()))
    }
}
