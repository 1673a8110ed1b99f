//! A table of a run: as rows of JSON, and as CSV.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::Value;
use vegas_sim::Watch;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

use crate::columns::{Column, TableSpec};
use crate::error::ResultsError;
use crate::values::Values;

/// A table of a run. It is serialized as a list of its rows, keyed by column.
#[derive(Debug)]
pub struct Table<'a> {
    pub(crate) name: &'static str,
    pub(crate) columns: Vec<(&'static Column, Values<'a>)>,
}

impl<'a> Table<'a> {
    /// Returns a table of a run. Its other functions panic if the outcome is not of this scenario, so that its columns
    /// differ in length.
    ///
    /// # Panics
    /// The outcome names a link that the scenario does not have.
    pub fn new(spec: &TableSpec, scenario: &'a Scenario, outcome: &'a Outcome) -> Self {
        let columns = spec.columns.iter().map(|column| (column, (column.values)(scenario, outcome)));
        Table { name: spec.name, columns: columns.collect() }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, values)| values.rows())
    }

    /// Returns the table as the bytes of a CSV file, equal to those of the file in a results folder.
    ///
    /// # Errors
    /// One line that names the table.
    pub fn csv(&self) -> Result<Vec<u8>, ResultsError> {
        let mut bytes = Vec::new();
        Watch::without_limits(|watch| self.encode_csv(&mut bytes, Path::new(self.name), watch))?;
        Ok(bytes)
    }

    /// Writes the table as a CSV file: a line of column names, then one line per row; a missing value is empty.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn write_csv(&self, path: &Path, watch: &mut Watch<'_>) -> Result<(), ResultsError> {
        let file = File::create(path).map_err(ResultsError::io(path, "write"))?;
        self.encode_csv(file, path, watch)
    }

    fn encode_csv(&self, into: impl Write, path: &Path, watch: &mut Watch<'_>) -> Result<(), ResultsError> {
        let refused = |error: csv::Error| ResultsError::io(path, "write")(error.into());
        let mut writer = csv::Writer::from_writer(into);
        writer.write_record(self.columns.iter().map(|(column, _)| column.name)).map_err(refused)?;
        for row in 0..self.rows() {
            watch.step()?;
            writer.write_record(self.columns.iter().map(|(_, values)| text(values.cell(row)))).map_err(refused)?;
        }
        writer.flush().map_err(ResultsError::io(path, "write"))
    }
}

fn text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        number => number.to_string(),
    }
}

impl Serialize for Table<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.rows()))?;
        for number in 0..self.rows() {
            rows.serialize_element(&Row { columns: &self.columns, number })?;
        }
        rows.end()
    }
}

struct Row<'a> {
    columns: &'a [(&'static Column, Values<'a>)],
    number: usize,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_map(Some(self.columns.len()))?;
        for (column, values) in self.columns {
            row.serialize_entry(column.name, &values.cell(self.number))?;
        }
        row.end()
    }
}
