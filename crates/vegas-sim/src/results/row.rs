//! A run as one row: the totals of its flows, links and sources of traffic side by side.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};

use super::columns::{self, Column, TableSpec};
use super::error::ResultsError;
use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// The tables of totals, with what their columns are called in a row: `flow.0.timeouts`, `link.r1->r2.drops`.
const PARTS: [(&str, TableSpec); 3] =
    [("flow", columns::FLOWS), ("link", columns::LINKS), ("traffic", columns::TRAFFIC)];

/// The columns that a row has for each flow, link and source of traffic, in order.
pub fn figure_columns() -> Vec<(&'static str, Vec<&'static str>)> {
    PARTS.iter().map(|(part, table)| (*part, figures(table).map(|column| column.name).collect())).collect()
}

/// A row is for figures. Names and ids have no unit; a name such as `flow.0.algorithm` is a key of the scenario.
fn figures(table: &TableSpec) -> impl Iterator<Item = &'static Column> {
    table.columns.iter().filter(|column| column.unit != "-")
}

/// The totals of a run as one row. Every column may be missing in other runs, and so is nullable.
///
/// # Errors
/// Two links have one name.
///
/// # Panics
/// The outcome is not one of this scenario.
pub fn row(scenario: &Scenario, outcome: &Outcome) -> Result<RecordBatch, ResultsError> {
    let mut fields = Vec::new();
    let mut cells: Vec<ArrayRef> = Vec::new();
    for (part, table) in PARTS {
        let ids = (table.columns[0].values)(scenario, outcome);
        let values: Vec<ArrayRef> = figures(&table).map(|column| (column.values)(scenario, outcome)).collect();
        for number in 0..ids.len() {
            let id = id(&ids, number);
            for (column, values) in figures(&table).zip(&values) {
                let name = format!("{part}.{id}.{}", column.name);
                let metadata = [("unit", column.unit), ("meaning", column.meaning)];
                fields.push(Field::new(name, values.data_type().clone(), true).with_metadata(metadata));
                cells.push(values.slice(number, 1));
            }
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), cells)
        .map_err(|source| ResultsError::Table { table: "runs", source })
}

/// Links have names, flows and sources of traffic the number of their row.
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
