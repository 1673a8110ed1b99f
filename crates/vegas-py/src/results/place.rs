//! Results folders that Python writes; the native half decides what may be replaced.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyOSError;
use pyo3::import_exception;
use pyo3::prelude::*;
use vegas_results::ResultsError;

import_exception!(vegaslab.util.errors, FolderError);

/// The reserved place of a results folder; see `vegaslab.util.folder.whole_folder`.
#[pyclass(frozen, module = "vegaslab._vegaslab")]
pub(crate) struct Place {
    inner: Mutex<Option<vegas_results::Place>>,
    new_folder: PathBuf,
}

#[pymethods]
impl Place {
    /// Reserves the place. Raises `FolderError` if files of another origin are there, `OSError` if it cannot be
    /// written.
    #[new]
    fn new(py: Python<'_>, dir: PathBuf) -> PyResult<Self> {
        let place = py.detach(|| vegas_results::Place::find(&dir)).map_err(to_python)?;
        let new_folder = place.new_folder();
        Ok(Self { inner: Mutex::new(Some(place)), new_folder })
    }

    /// The folder to write into.
    #[getter]
    fn new_folder(&self) -> PathBuf {
        self.new_folder.clone()
    }

    /// Moves the written files to their place. Raises as the constructor does.
    fn put(&self, py: Python<'_>) -> PyResult<()> {
        match self.take() {
            Some(place) => py.detach(|| place.put()).map_err(to_python),
            None => Ok(()),
        }
    }

    /// Removes the written files, unless they were moved to their place.
    fn discard(&self, py: Python<'_>) {
        let place = self.take();
        py.detach(|| drop(place));
    }
}

impl Place {
    fn take(&self) -> Option<vegas_results::Place> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Returns the remedy for a file that cannot be written, by the system's number of the error.
#[pyfunction]
pub(crate) fn remedy(errno: i32) -> &'static str {
    vegas_results::remedy(&std::io::Error::from_raw_os_error(errno))
}

/// Converts an error to an `OSError` with number and file where the system refused, so that Python can tell what was
/// refused.
pub(crate) fn to_python(error: ResultsError) -> PyErr {
    match &error {
        ResultsError::NotOurs { .. } => FolderError::new_err(error.to_string()),
        ResultsError::Io { path, action, source } => match source.raw_os_error() {
            Some(number) => {
                let what = format!("cannot {action}: {source}; {}", vegas_results::remedy(source));
                PyOSError::new_err((number, what, path.clone()))
            }
            None => PyOSError::new_err(error.to_string()),
        },
        _ => PyOSError::new_err(error.to_string()),
    }
}
