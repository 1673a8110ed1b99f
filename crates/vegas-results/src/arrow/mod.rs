//! The tables of a run as Arrow record batches.

pub(crate) mod parquet;

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::{Field, Schema};
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

use crate::columns::{self, Column, TableSpec};
use crate::error::ResultsError;
use crate::table::Table;
use crate::values::Values;

/// A run's tables. Each column's field carries its `unit` and `meaning` as metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// One row for each flow.
    pub flows: RecordBatch,
    /// One row for each one-way link.
    pub links: RecordBatch,
    /// One row for each source of traffic.
    pub traffic: RecordBatch,
    /// One row for each flow and sampling instant.
    pub flow_series: RecordBatch,
    /// One row for each link and sampling instant.
    pub link_series: RecordBatch,
    /// One row for each incident.
    pub incidents: RecordBatch,
    /// One row for each frame of media.
    pub media: RecordBatch,
}

/// Returns the tables of a run.
///
/// # Errors
/// The outcome does not belong to this scenario, so that columns of one table differ in length.
///
/// # Panics
/// The outcome names a link that the scenario does not have.
pub fn tables(scenario: &Scenario, outcome: &Outcome) -> Result<Tables, ResultsError> {
    let table = |spec| batch(spec, scenario, outcome);
    Ok(Tables {
        flows: table(&columns::FLOWS)?,
        links: table(&columns::LINKS)?,
        traffic: table(&columns::TRAFFIC)?,
        flow_series: table(&columns::FLOW_SERIES)?,
        link_series: table(&columns::LINK_SERIES)?,
        incidents: table(&columns::INCIDENTS)?,
        media: table(&columns::MEDIA)?,
    })
}

impl Tables {
    /// Each table with its name, in the order of [`columns::TABLES`].
    pub fn named(&self) -> [(&'static str, &RecordBatch); 7] {
        [
            (columns::FLOWS.name, &self.flows),
            (columns::LINKS.name, &self.links),
            (columns::TRAFFIC.name, &self.traffic),
            (columns::FLOW_SERIES.name, &self.flow_series),
            (columns::LINK_SERIES.name, &self.link_series),
            (columns::INCIDENTS.name, &self.incidents),
            (columns::MEDIA.name, &self.media),
        ]
    }
}

pub(crate) fn batch(spec: &TableSpec, scenario: &Scenario, outcome: &Outcome) -> Result<RecordBatch, ResultsError> {
    let Table { name, columns } = Table::new(spec, scenario, outcome);
    let (columns, arrays): (Vec<&Column>, Vec<ArrayRef>) =
        columns.into_iter().map(|(column, values)| (column, array(values))).unzip();
    let fields: Vec<Field> = columns.iter().zip(&arrays).map(|(column, array)| field(column, array)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .map_err(|source| ResultsError::Table { table: name, source })
}

fn field(column: &Column, array: &ArrayRef) -> Field {
    Field::new(column.name, array.data_type().clone(), column.nullable)
        .with_metadata([("unit", column.unit), ("meaning", column.meaning)])
}

/// Returns the values of a column as an array.
pub(crate) fn array(values: Values<'_>) -> ArrayRef {
    match values {
        Values::Texts(texts) => Arc::new(StringArray::from_iter_values(texts)),
        Values::Numbers(numbers) => Arc::new(UInt32Array::from(numbers.into_owned())),
        Values::Counts(counts) => Arc::new(UInt64Array::from(counts.into_owned())),
        Values::SomeCounts(counts) => Arc::new(UInt64Array::from(counts)),
        Values::Floats(floats) => Arc::new(Float64Array::from(floats.into_owned())),
        Values::SomeFloats(floats) => Arc::new(floats.iter().copied().collect::<Float64Array>()),
        Values::Names { keys, names } => Arc::new(dictionary(&keys, names)),
    }
}

/// A column of names by index, with each name stored once. The keys are signed because pandas refuses unsigned ones.
fn dictionary(keys: &[Option<u32>], names: Vec<String>) -> DictionaryArray<Int32Type> {
    let keys: Int32Array = keys.iter().map(|key| key.map(|key| i32::try_from(key).unwrap_or(i32::MAX))).collect();
    DictionaryArray::new(keys, Arc::new(StringArray::from_iter_values(names)))
}
