//! The committed schema equals the generated one, and every key of it is documented.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use vegas_sim::scenario::json_schema;

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

#[test]
fn the_committed_schema_is_current() {
    let path = docs("scenario.schema.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(&path, json_schema()).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == json_schema(),
        "docs/scenario.schema.json is out of date; refresh it with \
         UPDATE_SCHEMA=1 cargo test -p vegas-sim --test it schema, and docs/scenario.md by hand"
    );
}

/// Each table of the schema has a section of docs/scenario.md with a row for each of its keys, and no other row.
#[test]
fn every_key_is_documented() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let page = fs::read_to_string(docs("scenario.md")).unwrap();
    let defined = schema["$defs"].as_object().unwrap();
    let tables = defined.iter().filter(|(_, table)| table.get("properties").is_some());
    let tables: Vec<(&str, &Value)> =
        tables.map(|(name, table)| (name.as_str(), table)).chain([("File", &schema)]).collect();
    assert_eq!(tables.len(), 21, "a new table needs a heading below");
    for (name, table) in tables {
        let heading = match name {
            "File" => "## The file",
            "Topology" => "## `[topology]`",
            "Link" => "## Links",
            "Backward" => "### `backward`",
            "GraphLink" => "### `[[topology.link]]`",
            "BurstLoss" => "### `loss`",
            "DelaySchedule" => "### `delay_schedule`",
            "Policer" => "### `policer`",
            "ModelledJitter" => "### `jitter`",
            "TraceDelay" => "### `delay`",
            "TraceRate" => "### `rate`",
            "Change" => "## `[[change]]`",
            "ManagedQueue" => "### `queue`",
            "Reorder" => "### `reorder`",
            "Flow" => "## `[[flow]]`",
            "ApplicationPhase" => "### `application`",
            "MediaLayer" => "### `layers`",
            "Traffic" => "## `[[traffic]]`",
            "Receiver" => "### `receiver`",
            "Host" => "## `[flow.host]`",
            "Parts" => "## A table of parts",
            other => panic!("{other} has no section in docs/scenario.md"),
        };
        let mut keys: Vec<&str> = table["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut rows = rows(&page, heading);
        keys.sort_unstable();
        rows.sort_unstable();
        assert_eq!(rows, keys, "the rows under {heading} in docs/scenario.md against the keys of the schema");
    }
}

/// Returns the keys in the first column of the table under a heading.
fn rows<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let mut lines = page.lines().skip_while(|line| *line != heading);
    assert!(lines.next().is_some(), "docs/scenario.md has no heading {heading}");
    let section = lines.take_while(|line| !line.starts_with('#'));
    section.filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
}
