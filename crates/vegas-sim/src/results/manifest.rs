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
    let mut identity = b"{\"scenario\":".to_vec();
    write_sorted(&mut identity, document);
    identity.extend_from_slice(format!(",\"seed\":{seed},\"version\":").as_bytes());
    write_sorted(&mut identity, &Value::from(ENGINE_VERSION));
    identity.push(b'}');
    Sha256::digest(identity).into()
}

/// Writes JSON with every object's keys in order: the order in a file must not change a run's id.
fn write_sorted(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            write_items(out, b"{}", &entries, |out, (key, value)| {
                write_sorted(out, &Value::String((*key).clone()));
                out.push(b':');
                write_sorted(out, value);
            });
        }
        Value::Array(values) => write_items(out, b"[]", values, write_sorted),
        scalar => out.extend_from_slice(scalar.to_string().as_bytes()),
    }
}

fn write_items<T>(out: &mut Vec<u8>, brackets: &[u8; 2], items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    out.push(brackets[0]);
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(brackets[1]);
}
