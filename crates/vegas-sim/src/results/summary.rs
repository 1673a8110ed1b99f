//! The summary: the totals of a run under stable names.

use arrow_array::ArrayRef;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::ENGINE_VERSION;
use super::columns::{self, TableSpec};
use crate::measure::outcome::Outcome;
use crate::results::tables::cells::cell;
use crate::scenario::Scenario;

/// Returns the summary of a run. `flows`, `links` and `traffic` hold the rows of the tables of those names, keyed by
/// column.
///
/// `wall_s` is the time that the run took by the caller's clock, s: the only value that differs between repeated runs.
pub fn summary(scenario: &Scenario, outcome: &Outcome, wall_s: f64) -> Value {
    serde_json::to_value(Summary::new(scenario, outcome, wall_s)).expect("keys are text")
}

/// A [`summary`] that is serialized without its value, which for thousands of flows is many times as large as the run.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    scenario: &'a str,
    seed: u64,
    version: &'static str,
    duration_s: f64,
    events: u64,
    delivered_packets: u64,
    wall_s: f64,
    flows: Rows,
    links: Rows,
    traffic: Rows,
}

impl<'a> Summary<'a> {
    /// The arguments are those of [`summary`].
    pub fn new(scenario: &'a Scenario, outcome: &Outcome, wall_s: f64) -> Self {
        Summary {
            scenario: &scenario.name,
            seed: scenario.seed,
            version: ENGINE_VERSION,
            duration_s: outcome.end_s,
            events: outcome.events,
            delivered_packets: outcome.delivered_packets,
            wall_s,
            flows: Rows::new(&columns::FLOWS, outcome.flows.len(), scenario, outcome),
            links: Rows::new(&columns::LINKS, outcome.links.len(), scenario, outcome),
            traffic: Rows::new(&columns::TRAFFIC, outcome.traffic.len(), scenario, outcome),
        }
    }
}

/// A table, row by row.
#[derive(Debug)]
pub(super) struct Rows {
    columns: Vec<(&'static str, ArrayRef)>,
    count: usize,
}

impl Rows {
    pub(super) fn new(table: &TableSpec, count: usize, scenario: &Scenario, outcome: &Outcome) -> Self {
        let columns = table.columns.iter().map(|column| (column.name, (column.values)(scenario, outcome)));
        Rows { columns: columns.collect(), count }
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.count))?;
        for number in 0..self.count {
            rows.serialize_element(&Row { columns: &self.columns, number })?;
        }
        rows.end()
    }
}

struct Row<'a> {
    columns: &'a [(&'static str, ArrayRef)],
    number: usize,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_map(Some(self.columns.len()))?;
        for (name, values) in self.columns {
            row.serialize_entry(name, &cell(values, self.number))?;
        }
        row.end()
    }
}
