//! A run's time series as the bytes of Parquet files, for runs without a folder.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, RecordBatch};
use arrow_schema::{Field, Schema};
use serde_json::Value;
use vegas_sim::Watch;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

use crate::arrow::batch;
use crate::arrow::parquet::{origin, parquet_bytes, write_parquet};
use crate::columns::{FLOW_SERIES, LINK_SERIES, TableSpec};
use crate::error::ResultsError;
use crate::run_id::run_id;
use crate::table::Table;

/// A table of time series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// One row for each flow and sampling instant.
    Flows,
    /// One row for each one-way link and sampling instant.
    Links,
}

/// A table's file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Parquet.
    Parquet,
    /// CSV: a line of column names, then one line per row; a missing value is empty.
    Csv,
}

impl TableFormat {
    /// The format that the extension of a file's name stands for; `None` for another extension.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "parquet" => Some(TableFormat::Parquet),
            "csv" => Some(TableFormat::Csv),
            _ => None,
        }
    }
}

impl Series {
    /// All tables of series.
    pub const ALL: [Series; 2] = [Series::Flows, Series::Links];

    /// The name that users give it.
    pub fn name(self) -> &'static str {
        match self {
            Series::Flows => "flows",
            Series::Links => "links",
        }
    }

    /// The name of its table.
    pub fn table(self) -> &'static str {
        self.spec().name
    }

    /// The rows, keyed by column.
    pub fn rows(self, scenario: &Scenario, outcome: &Outcome) -> Vec<Value> {
        match serde_json::to_value(Table::new(self.spec(), scenario, outcome)) {
            Ok(Value::Array(rows)) => rows,
            _ => unreachable!("a table is a list of rows, and their keys are text"),
        }
    }

    /// Writes the table as a separate file, whole or not at all; an earlier file is replaced.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn write(
        self,
        path: &Path,
        format: TableFormat,
        scenario: &Scenario,
        outcome: &Outcome,
    ) -> Result<(), ResultsError> {
        let batch = batch(self.spec(), scenario, outcome)?;
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = path.with_file_name(name);
        match format {
            TableFormat::Parquet => {
                Watch::without_limits(|watch| write_parquet(&part, &batch, origin(scenario), watch))
            }
            TableFormat::Csv => {
                let table = Table::new(self.spec(), scenario, outcome);
                Watch::without_limits(|watch| table.write_csv(&part, watch))
            }
        }
        .and_then(|()| fs::rename(&part, path).map_err(ResultsError::io(path, "write")))
        .inspect_err(|_| drop(fs::remove_file(&part)))
    }

    fn spec(self) -> &'static TableSpec {
        match self {
            Series::Flows => &FLOW_SERIES,
            Series::Links => &LINK_SERIES,
        }
    }

    /// Returns the series of a run as a Parquet file, with the run's id as first column: a function of the run alone.
    pub(crate) fn file(
        self,
        scenario: &Scenario,
        outcome: &Outcome,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u8>, ResultsError> {
        let series = batch(self.spec(), scenario, outcome)?;
        let id = run_id(scenario);
        let ids: DictionaryArray<Int32Type> = std::iter::repeat_n(id.as_str(), series.num_rows()).collect();
        let metadata = [("unit", "-"), ("meaning", "the run's id, as in its manifest")];
        let field = Arc::new(Field::new("run_id", ids.data_type().clone(), false).with_metadata(metadata));
        let schema = Schema::new([&field].into_iter().chain(series.schema_ref().fields()).cloned().collect::<Vec<_>>());
        let columns: Vec<ArrayRef> = [Arc::new(ids) as ArrayRef].into_iter().chain(series.columns().to_vec()).collect();
        let table = RecordBatch::try_new(Arc::new(schema), columns)
            .map_err(|source| ResultsError::Table { table: self.table(), source })?;
        parquet_bytes(self.table(), &table, origin(scenario), watch)
    }
}
