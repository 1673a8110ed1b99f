//! A run as one row: the totals of its flows, links and sources of traffic side by side.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeBinaryArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use vegas_sim::Watch;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{Sampling, Scenario};

use crate::arrow::array;
use crate::columns::media::MEDIA_TOTALS;
use crate::columns::{self, Column, TableSpec};
use crate::error::ResultsError;
use crate::series::Series;

/// The tables of totals, with the first part of their columns' names in a row: `flow.0.timeouts`, `link.r1->r2.drops`,
/// `media.8.0.late_frames`.
const PARTS: [(&str, TableSpec); PART_COUNT] =
    [("flow", columns::FLOWS), ("link", columns::LINKS), ("traffic", columns::TRAFFIC), ("media", MEDIA_TOTALS)];
const PART_COUNT: usize = 4;

/// The columns that a row has for each flow, link and source of traffic, in order.
pub fn figure_columns() -> Vec<(&'static str, Vec<&'static str>)> {
    PARTS.iter().map(|(part, table)| (*part, figures(table).map(|column| column.name).collect())).collect()
}

/// The columns that are figures. Names and ids have no unit and are left out; a name such as `flow.0.algorithm` is a
/// key of the scenario.
fn figures(table: &TableSpec) -> impl Iterator<Item = &'static Column> {
    table.columns.iter().filter(|column| column.unit != "-")
}

/// Creates rows of runs. Runs with equal flows, links and sources have equal columns, and share them.
#[derive(Debug, Default)]
pub struct Rows {
    series: Vec<Series>,
    newest: Mutex<Option<Layout>>,
}

#[derive(Clone, Debug)]
struct Layout {
    ids: [ArrayRef; PART_COUNT],
    schema: SchemaRef,
}

impl Rows {
    /// Creates rows that also have these time series, each as a column `series.NAME` of Parquet files.
    pub fn with_series(series: Vec<Series>) -> Self {
        Rows { series, ..Rows::default() }
    }

    /// Restricts a scenario to recording what the rows need.
    ///
    /// # Errors
    /// The rows have series, and the scenario takes no samples.
    pub fn restrict(&self, scenario: &mut Scenario) -> Result<(), ResultsError> {
        scenario.capture = false;
        match (self.series.is_empty(), scenario.sampling) {
            (true, _) => scenario.sampling = Sampling::Off,
            (false, Sampling::Off) => return Err(ResultsError::NoSeries),
            (false, _) => (),
        }
        Ok(())
    }

    /// Returns about how much memory a row of this scenario takes, bytes: each of its columns is an array with a
    /// separate field.
    pub(crate) fn memory_bytes(&self, scenario: &Scenario) -> u64 {
        const COLUMN_BYTES: usize = 700;
        let layers = scenario.flows.iter().map(|flow| flow.media_layers()).sum();
        let counts = [scenario.flows.len(), scenario.links.len(), scenario.traffic.len(), layers];
        let columns = PARTS.iter().zip(counts).map(|((_, table), count)| figures(table).count() * count);
        (columns.sum::<usize>() * COLUMN_BYTES) as u64
    }

    /// Returns the totals of a run as one row. Every column is nullable, because other runs may lack it.
    ///
    /// # Errors
    /// The outcome does not belong to this scenario.
    pub fn row(
        &self,
        scenario: &Scenario,
        outcome: &Outcome,
        watch: &mut Watch<'_>,
    ) -> Result<RecordBatch, ResultsError> {
        let ids = PARTS.map(|(_, table)| array((table.columns[0].values)(scenario, outcome)));
        let columns: [Vec<ArrayRef>; PART_COUNT] =
            PARTS.map(|(_, table)| figures(&table).map(|column| array((column.values)(scenario, outcome))).collect());
        let mut cells: Vec<ArrayRef> = Vec::new();
        for (columns, ids) in columns.iter().zip(&ids) {
            cells.extend((0..ids.len()).flat_map(|number| columns.iter().map(move |column| column.slice(number, 1))));
        }
        for series in &self.series {
            cells.push(Arc::new(LargeBinaryArray::from_iter_values([series.file(scenario, outcome, watch)?])));
        }
        let schema = self.schema(ids, &columns);
        RecordBatch::try_new(schema, cells).map_err(|source| ResultsError::Table { table: "runs", source })
    }

    fn schema(&self, ids: [ArrayRef; PART_COUNT], columns: &[Vec<ArrayRef>; PART_COUNT]) -> SchemaRef {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        match newest.as_ref() {
            Some(layout) if layout.ids == ids => Arc::clone(&layout.schema),
            _ => {
                let schema = schema(&ids, columns, &self.series);
                *newest = Some(Layout { ids, schema: Arc::clone(&schema) });
                schema
            }
        }
    }
}

fn schema(ids: &[ArrayRef; PART_COUNT], columns: &[Vec<ArrayRef>; PART_COUNT], series: &[Series]) -> SchemaRef {
    let mut fields = Vec::new();
    for (((part, table), ids), values) in PARTS.iter().zip(ids).zip(columns) {
        for number in 0..ids.len() {
            let id = id(ids, number);
            fields.extend(figures(table).zip(values).map(|(column, values)| {
                let metadata = [("unit", column.unit), ("meaning", column.meaning)];
                let name = format!("{part}.{id}.{}", column.name);
                Field::new(name, values.data_type().clone(), true).with_metadata(metadata)
            }));
        }
    }
    let file = |kept: &Series| Field::new(format!("series.{}", kept.name()), DataType::LargeBinary, true);
    fields.extend(series.iter().map(file));
    Arc::new(Schema::new(fields))
}

/// The name of a link, or the number of the row of a flow or a source of traffic.
fn id(ids: &ArrayRef, number: usize) -> String {
    ids.as_string_opt::<i32>().map_or_else(|| number.to_string(), |names| names.value(number).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_of_every_table_of_totals_is_its_id() {
        for (_, table) in PARTS {
            assert_eq!(table.columns[0].name, "id");
        }
    }
}
