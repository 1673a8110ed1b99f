//! The manifest: what was run, by what, and what came of it.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::columns::link_name;
use super::{ENGINE_COMMIT, ENGINE_VERSION, summary};
use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// The manifest's file name; a folder that holds one of ours may be replaced.
pub(super) const MANIFEST: &str = "manifest.json";
const GENERATOR: &str = "vegaslab";
/// Raised when a file of the folder changes so that a reader has to know.
const FORMAT: u64 = 1;

/// The manifest of a run whose folder holds `files`.
pub(super) fn manifest(scenario: &Scenario, outcome: &Outcome, wall_s: f64, files: &[String]) -> Value {
    json!({
        "generator": GENERATOR,
        "format": FORMAT,
        "run_id": run_id(scenario),
        "version": ENGINE_VERSION,
        "commit": ENGINE_COMMIT,
        "seed": scenario.seed,
        "scenario": scenario.document,
        "traces": traces(scenario),
        "summary": summary(scenario, outcome, wall_s),
        "files": files,
    })
}

/// Whether a file's text is a manifest that a run wrote.
pub(super) fn is_manifest(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|manifest| manifest["generator"] == GENERATOR)
}

/// What names a run: SHA-256, in hex, of the scenario document, the seed, the engine's version and the hashes of the rate
/// traces, if there are any, as JSON with sorted keys and no white space. Runs of the same id have the same tables.
pub fn run_id(scenario: &Scenario) -> String {
    let mut identity = json!({"scenario": scenario.document, "seed": scenario.seed, "version": ENGINE_VERSION});
    let traces = traces(scenario);
    if !traces.is_empty() {
        identity["traces"] = traces.into();
    }
    let digest = Sha256::digest(sorted(&identity).to_string());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The rate trace of each link that follows one: SHA-256 of its file.
fn traces(scenario: &Scenario) -> Map<String, Value> {
    let links = scenario.links.iter().enumerate();
    let traced = links.filter_map(|(id, link)| Some((link_name(scenario, id), link.trace.as_ref()?.sha256().into())));
    traced.collect()
}

/// The same value with every object's keys in order: the order in a file must not change a run's id.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> =
                map.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(sorted).collect()),
        other => other.clone(),
    }
}
