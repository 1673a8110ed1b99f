//! The summary: the totals of a run under stable names.

use serde::Serialize;
use serde_json::Value;
use vegas_sim::ENGINE_VERSION;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

use crate::columns;
use crate::columns::media::MEDIA_TOTALS;
use crate::columns::queues::QUEUE_TOTALS;
use crate::table::Table;

/// Returns the summary of a run. `flows`, `links` and `traffic` hold the rows of the tables of those names, keyed by
/// column; `media` is there only where a flow sends media, and `queues` only where a link has several queues with
/// names.
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
    flows: Table<'a>,
    links: Table<'a>,
    traffic: Table<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media: Option<Table<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queues: Option<Table<'a>>,
}

impl<'a> Summary<'a> {
    /// The arguments are those of [`summary`].
    pub fn new(scenario: &'a Scenario, outcome: &'a Outcome, wall_s: f64) -> Self {
        Summary {
            scenario: &scenario.name,
            seed: scenario.seed,
            version: ENGINE_VERSION,
            duration_s: outcome.end_s,
            events: outcome.events,
            delivered_packets: outcome.delivered_packets,
            wall_s,
            flows: Table::new(&columns::FLOWS, scenario, outcome),
            links: Table::new(&columns::LINKS, scenario, outcome),
            traffic: Table::new(&columns::TRAFFIC, scenario, outcome),
            media: (!outcome.media.is_empty()).then(|| Table::new(&MEDIA_TOTALS, scenario, outcome)),
            queues: outcome
                .links
                .iter()
                .any(|link| !link.queues.is_empty())
                .then(|| Table::new(&QUEUE_TOTALS, scenario, outcome)),
        }
    }
}
