//! The summary: the totals of a run under names that stay.

use serde_json::{Map, Value, json};

use super::ENGINE_VERSION;
use super::cells::cell;
use super::columns::{self, TableSpec};
use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// The summary of a run. `flows`, `links` and `traffic` hold the rows of the tables of those names, keyed by column.
///
/// `wall_s` is how long the run took by the caller's clock, s: the only value that differs between repeated runs.
pub fn summary(scenario: &Scenario, outcome: &Outcome, wall_s: f64) -> Value {
    json!({
        "scenario": scenario.name,
        "seed": scenario.seed,
        "version": ENGINE_VERSION,
        "duration_s": outcome.end_s,
        "events": outcome.events,
        "delivered_packets": outcome.delivered_packets,
        "wall_s": wall_s,
        "flows": rows(&columns::FLOWS, outcome.flows.len(), scenario, outcome),
        "links": rows(&columns::LINKS, outcome.links.len(), scenario, outcome),
        "traffic": rows(&columns::TRAFFIC, outcome.traffic.len(), scenario, outcome),
    })
}

fn rows(table: &TableSpec, count: usize, scenario: &Scenario, outcome: &Outcome) -> Vec<Value> {
    let mut rows = vec![Map::new(); count];
    for column in table.columns {
        let values = (column.values)(scenario, outcome);
        for (number, row) in rows.iter_mut().enumerate() {
            row.insert(column.name.to_owned(), cell(&values, number));
        }
    }
    rows.into_iter().map(Value::Object).collect()
}
