//! The tables of a run as Arrow record batches.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};

use crate::measure::outcome::Outcome;
use crate::results::columns::{self, Column, TableSpec};
use crate::results::error::ResultsError;
use crate::scenario::Scenario;

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
    let arrays: Vec<ArrayRef> = spec.columns.iter().map(|column| (column.values)(scenario, outcome)).collect();
    let fields: Vec<Field> = spec.columns.iter().zip(&arrays).map(|(column, array)| field(column, array)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .map_err(|source| ResultsError::Table { table: spec.name, source })
}

fn field(column: &Column, array: &ArrayRef) -> Field {
    Field::new(column.name, array.data_type().clone(), column.nullable)
        .with_metadata([("unit", column.unit), ("meaning", column.meaning)])
}
