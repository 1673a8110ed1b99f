//! Random scenarios, over everything that a scenario can say; each file draws a part of them.
//!
//! A document is JSON, as a user's may be. The simulator reads and validates it in the same way, so that validation is
//! covered too.

mod change;
mod fault;
mod flow;
pub mod judged;
mod link;
mod queue;
mod scale;
mod spoil;
mod topology;
mod traffic;

use serde_json::{Map, Value, json};

use crate::document::quantity;
use crate::draw::Draw;
use scale::Scale;
use topology::Shape;

/// A table of a document.
type Table = Map<String, Value>;

/// The greatest number of rows of time series that a generated scenario asks for.
const ROWS_MAX: u64 = 20_000;

/// Returns the document of a network.
pub fn document(draw: &mut Draw) -> Value {
    let scale = Scale::draw(draw);
    let shape = Shape::draw(draw);
    let mut document = Table::new();
    set(&mut document, "name", draw.pick(&["swarm", "x", "A_1.b-c"]));
    if draw.percent(10) {
        set(&mut document, "description", draw.pick(&["", "two \"quoted\" words\\", "\u{fc}ber\nzwei Zeilen"]));
    }
    set(&mut document, "duration", quantity::time(draw, scale.duration));
    let until_complete = draw.percent(15);
    if until_complete || draw.percent(5) {
        set(&mut document, "until_complete", until_complete);
    }
    if draw.percent(70) {
        let seed = draw.bits() >> draw.below(64);
        set(&mut document, "seed", seed);
    }
    set(&mut document, "topology", shape.table(draw, &scale));
    let flows = flow::tables(draw, &scale, &shape, until_complete);
    let sources = traffic::tables(draw, &scale, &shape);
    let changes = change::tables(draw, &scale, &shape, flows.len());
    if draw.percent(50) {
        set(&mut document, "capture", draw.percent(95));
    }
    sample(draw, &scale, flows.len(), &mut document);
    set(&mut document, "flow", flows);
    for (key, tables) in [("traffic", sources), ("change", changes)] {
        if !tables.is_empty() || draw.percent(3) {
            set(&mut document, key, tables);
        }
    }
    let mut document = Value::Object(document);
    if draw.percent(3) {
        spoil::one_value(draw, &mut document);
    }
    document
}

fn sample(draw: &mut Draw, scale: &Scale, tables: usize, document: &mut Table) {
    const STEP_DEFAULT_NS: u64 = 100_000_000;
    let steps_max = ROWS_MAX / (10 + 20 * tables as u64);
    let sample = match draw.below(10) {
        0..3 => json!("off"),
        3..5 => json!("change"),
        5 if scale.duration / STEP_DEFAULT_NS < steps_max => return,
        _ => {
            let steps = draw.log_between(1, steps_max);
            let step = scale.even(scale.duration / steps + 2);
            json!(quantity::time(draw, step))
        }
    };
    document.insert("sample".into(), sample);
}

fn set(table: &mut Table, key: &str, value: impl Into<Value>) {
    table.insert(key.into(), value.into());
}

/// Sets a key in `percent` of a hundred documents.
fn maybe<V: Into<Value>>(
    draw: &mut Draw,
    percent: u64,
    table: &mut Table,
    key: &str,
    value: impl FnOnce(&mut Draw) -> V,
) {
    if draw.percent(percent) {
        let value = value(draw);
        set(table, key, value);
    }
}
