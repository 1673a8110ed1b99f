//! Tables between Rust and Python: the Arrow C stream interface copies no column.

use std::ffi::CStr;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use vegas_results::arrow_array::ffi_stream::FFI_ArrowArrayStream;
use vegas_results::arrow_array::{RecordBatch, RecordBatchIterator};

/// The name that the Arrow PyCapsule interface asks for.
const CAPSULE_NAME: &CStr = c"arrow_array_stream";

/// A table that any Arrow library takes without a copy (pyarrow, polars, pandas, duckdb).
#[pyclass(frozen, module = "vegaslab._vegaslab")]
pub(crate) struct Table {
    batch: RecordBatch,
}

impl Table {
    /// Wraps a record batch; a batch's clone shares its columns.
    pub(crate) fn new(batch: RecordBatch) -> Self {
        Self { batch }
    }
}

#[pymethods]
impl Table {
    /// Returns the table as a stream of one batch. The interface allows it to ignore the requested schema, and it does.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), CAPSULE_NAME)
    }
}
