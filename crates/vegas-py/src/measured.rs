//! Measurements of real hosts: a file becomes a folder of tables, while the interpreter is released.

use std::path::PathBuf;

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;
use vegas_measured::{MeasuredError as Failed, Options, PathOf, read};

use crate::attended::{Stopped, attended};

import_exception!(vegaslab.util.errors, MeasuredError);

/// Reads `file` and writes its tables into `folder`, which exists and is empty; returns the report as JSON text. Of a
/// capture the path of a flow is worked out: `flow`'s, or without one that of the flow that delivered most; none with
/// `path=False`. `progress`, if given, is called about 20 times a second with the bytes read. Raises `MeasuredError`
/// and `OSError`.
#[pyfunction]
#[pyo3(signature = (file, folder, *, step_ns, flow=None, path=true, progress=None))]
pub(crate) fn measured(
    py: Python<'_>,
    file: PathBuf,
    folder: PathBuf,
    step_ns: i64,
    flow: Option<u32>,
    path: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let path = match (path, flow) {
        (false, _) => PathOf::Nothing,
        (true, Some(flow)) => PathOf::Flow(flow),
        (true, None) => PathOf::Largest,
    };
    let options = Options { step_ns: step_ns.max(1), path };
    let report = attended(
        py,
        Stopped::WaitedFor,
        move |ties| read(&file, Some(&folder), options, &mut |bytes| ties.read(bytes)),
        |ties| match &progress {
            Some(progress) => progress.call1((ties.read_bytes(),)).map(drop),
            None => Ok(()),
        },
    )?;
    let report = report.map_err(|failed| match failed {
        Failed::Input(line) => MeasuredError::new_err(line),
        Failed::Io(line) => PyOSError::new_err(line),
        Failed::Stopped => PyKeyboardInterrupt::new_err(()),
    })?;
    serde_json::to_string(&report).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
