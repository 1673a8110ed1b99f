//! The generator covers all that a scenario can say, and few of its documents are refused.

use std::collections::BTreeSet;

use serde_json::Value;
use vegas_core::registry;
use vegas_sim::scenario::{Scenario, json_schema};
use vegas_swarm::network::Network;
use vegas_swarm::traces;

const SEED: u64 = 20;
/// Keys that name a program from outside, which is not there where networks are drawn.
const FROM_OUTSIDE: [&str; 4] = ["python", "wasm", "rust", "javascript"];

/// Returns those of the first `networks` documents that validation accepts.
fn accepted(networks: u64) -> Vec<Value> {
    let traces = traces::Folder::new().unwrap();
    let source = traces.source();
    let documents = (0..networks).map(|number| Network { seed: SEED, number }.document());
    documents
        .filter(|document| Scenario::from_json(&document.to_string(), &source.to_string_lossy(), &[]).is_ok())
        .collect()
}

#[test]
fn every_key_of_the_schema_occurs() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let mut missing = BTreeSet::new();
    let tables = schema["$defs"].as_object().unwrap().iter().map(|(name, table)| (name.as_str(), table));
    for (name, table) in tables.chain([("File", &schema)]) {
        for (key, value) in table.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if name == "Parts" && FROM_OUTSIDE.contains(&key.as_str()) {
                continue;
            }
            missing.insert((name.to_owned(), key.clone()));
            let choices = value["enum"].as_array().into_iter().flatten();
            missing.extend(choices.map(|choice| (name.to_owned(), format!("{key} = {choice}"))));
        }
    }
    assert!(missing.len() > 150, "the schema has lost its tables: {}", missing.len());
    for document in accepted(8_000) {
        take(&schema, &schema, "File", &document, &mut missing);
    }
    assert!(missing.is_empty(), "never generated: {missing:?}");
}

/// Removes the keys and choices that a value has from `missing`, by the schema's table for it.
fn take(root: &Value, schema: &Value, name: &str, value: &Value, missing: &mut BTreeSet<(String, String)>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return take(root, &root["$defs"][name], name, value, missing);
    }
    for choice in schema["anyOf"].as_array().into_iter().flatten() {
        take(root, choice, name, value, missing);
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| take(root, &schema["items"], name, item, missing)),
        Value::Object(table) => {
            for (key, property) in schema["properties"].as_object().into_iter().flatten() {
                let Some(value) = table.get(key) else { continue };
                missing.remove(&(name.to_owned(), key.clone()));
                missing.remove(&(name.to_owned(), format!("{key} = {value}")));
                take(root, property, name, value, missing);
            }
        }
        _ => {}
    }
}

#[test]
fn every_preset_occurs() {
    let documents = accepted(1_000);
    let algorithms: BTreeSet<&str> = documents
        .iter()
        .flat_map(|document| document["flow"].as_array().unwrap())
        .filter_map(|flow| flow["algorithm"].as_str())
        .collect();
    assert_eq!(algorithms, registry::PRESETS.iter().map(|preset| preset.name).collect());
}

#[test]
fn few_are_refused() {
    let accepted = accepted(1_000).len();
    assert!((900..1_000).contains(&accepted), "{accepted} of 1000 are accepted");
}

#[test]
fn a_network_is_a_function_of_seed_and_number() {
    let document = |seed, number| Network { seed, number }.document();
    assert_eq!(document(1, 2), document(1, 2));
    assert_ne!(document(1, 2), document(1, 3));
    assert_ne!(document(1, 2), document(2, 2));
}

/// What the kernel's world refuses by name is not here: an application, a receiver, another host.
#[test]
fn networks_for_both_worlds_are_accepted() {
    for number in 0..500 {
        let document = Network { seed: SEED, number }.judge(|_| false);
        let scenario = Scenario::from_json(&document.to_string(), "judged", &[]).expect("a network for both worlds");
        assert!(scenario.flows.iter().all(|flow| flow.application.is_empty() && flow.host.misbehaves.is_none()));
        assert!(document["flow"].as_array().unwrap().iter().all(|flow| flow["host"]["kind"] == "linux"));
    }
}

#[test]
fn what_a_judge_finds_is_made_small() {
    let has_flow = |document: &Value| document["flow"][0]["algorithm"].is_string();
    let smallest = Network { seed: SEED, number: 0 }.judge(has_flow);
    assert_eq!(smallest["flow"].as_array().unwrap().len(), 1);
    assert_eq!(smallest.as_object().unwrap().keys().collect::<Vec<_>>(), ["flow"]);
}
