//! The manifest: what was run, by what, and what came of it.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

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
        "summary": summary(scenario, outcome, wall_s),
        "files": files,
    })
}

/// Whether a file's text is a manifest that a run wrote.
pub(super) fn is_manifest(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|manifest| manifest["generator"] == GENERATOR)
}

/// What names a run: SHA-256, in hex, of the scenario document, the seed and the engine's version as JSON with sorted
/// keys and no white space. Runs of the same id have the same tables.
pub fn run_id(scenario: &Scenario) -> String {
    run_digest(&scenario.document, scenario.seed).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The 32 bytes of a [`run_id`], of a document that need not be a scenario that can run.
pub fn run_digest(document: &Value, seed: u64) -> [u8; 32] {
    let identity = json!({"scenario": sorted(document), "seed": seed, "version": ENGINE_VERSION});
    Sha256::digest(identity.to_string()).into()
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
