//! Other documents of the same scenario.

use serde_json::Value;
use vegas_sim::scenario::Scenario;

use super::{Compared, against, differs};
use crate::document::to_toml;
use crate::run::Case;

/// Checks that a table with `count = 3` is equal to three tables.
pub(super) fn count_written_out(case: &Case<'_>) -> Result<Compared, String> {
    let mut document = case.document.clone();
    let Some(flows) = document.get_mut("flow").and_then(Value::as_array_mut) else { return Ok(Compared::No) };
    if !flows.iter().any(|flow| flow.get("count").is_some_and(Value::is_number)) {
        return Ok(Compared::No);
    }
    let alone = |flow: &Value| {
        let mut flow = flow.clone();
        let count = flow.as_object_mut().and_then(|flow| flow.remove("count"));
        let count = count.and_then(|count| count.as_u64()).unwrap_or(1);
        vec![flow; count as usize]
    };
    *flows = flows.iter().flat_map(alone).collect();
    let other = read(&document, case)?;
    against(case, &other, |outcome| differs::same(&case.outcome, outcome))
}

/// Checks that the order of keys means nothing.
pub(super) fn keys_reversed(case: &Case<'_>) -> Result<Compared, String> {
    equal(&case.scenario, read(&reversed(&case.document), case)?)
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(table) => table.iter().rev().map(|(key, value)| (key.clone(), reversed(value))).collect(),
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

/// Checks that TOML and JSON give equal scenarios.
pub(super) fn as_toml(case: &Case<'_>) -> Result<Compared, String> {
    let toml = to_toml(&case.document);
    let other = Scenario::from_toml(&toml, case.source, &[]).map_err(|error| error.to_string())?;
    equal(&case.scenario, other)
}

fn read(document: &Value, case: &Case<'_>) -> Result<Scenario, String> {
    Scenario::from_json(&document.to_string(), case.source, &[]).map_err(|error| error.to_string())
}

/// Checks that scenarios are equal; then their runs are equal, too (`twice`). They may differ in what depends on the
/// text: the document, and the lines that warnings name.
fn equal(one: &Scenario, mut other: Scenario) -> Result<Compared, String> {
    if one.warnings.len() != other.warnings.len() {
        return Err(format!("{:?}, and {:?}", one.warnings, other.warnings));
    }
    other.document.clone_from(&one.document);
    other.warnings.clone_from(&one.warnings);
    if *one == other { Ok(Compared::Yes) } else { Err("reads as another scenario".into()) }
}
