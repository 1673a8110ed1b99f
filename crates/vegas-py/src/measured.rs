//! Measurements of real hosts: a file becomes a folder of tables, while the interpreter is released.

use std::path::PathBuf;

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError};
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
    let path = if path { path_of(flow) } else { PathOf::Nothing };
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
    as_json(serde_json::to_string(&report.map_err(raised)?))
}

/// Returns how well each of these presets explains a flow of a capture, as JSON text; `flow` and `progress` as for
/// `measured`. Raises `MeasuredError` and `OSError`.
#[pyfunction]
#[pyo3(signature = (file, algorithms, *, flow=None, progress=None))]
pub(crate) fn identify(
    py: Python<'_>,
    file: PathBuf,
    algorithms: Vec<String>,
    flow: Option<u32>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let identified = attended(
        py,
        Stopped::WaitedFor,
        move |ties| vegas_measured::identify(&file, path_of(flow), &algorithms, &mut |bytes| ties.read(bytes)),
        |ties| match &progress {
            Some(progress) => progress.call1((ties.read_bytes(),)).map(drop),
            None => Ok(()),
        },
    )?;
    as_json(serde_json::to_string(&identified.map_err(raised)?))
}

fn path_of(flow: Option<u32>) -> PathOf {
    flow.map_or(PathOf::Largest, PathOf::Flow)
}

fn raised(failed: Failed) -> PyErr {
    match failed {
        Failed::Input(line) => MeasuredError::new_err(line),
        Failed::Io(line) => PyOSError::new_err(line),
        Failed::Stopped => PyKeyboardInterrupt::new_err(()),
    }
}

fn as_json(text: serde_json::Result<String>) -> PyResult<String> {
    text.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
