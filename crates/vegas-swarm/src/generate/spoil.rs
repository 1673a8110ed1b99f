//! Replaces one value, mostly by a wrong one: a refusal must be one line.

use serde_json::{Value, json};

use crate::draw::Draw;

/// Replaces one value by another.
pub(super) fn one_value(draw: &mut Draw, document: &mut Value) {
    let mut place = document;
    loop {
        let children = match &*place {
            Value::Object(table) => table.len(),
            Value::Array(array) => array.len(),
            _ => 0,
        };
        if children == 0 || draw.percent(15) {
            break;
        }
        let child = draw.below(children as u64) as usize;
        place = match place {
            Value::Object(table) => table.values_mut().nth(child).expect("a child"),
            Value::Array(array) => &mut array[child],
            _ => unreachable!("it has children"),
        };
    }
    let junk = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1.5),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("0s"),
        json!("99999999999999999999h"),
        json!("0.0000000001bit"),
        json!("0.1bit"),
        json!("vagas"),
        json!("a\nb\u{1b}[31m"),
        json!([]),
        json!({}),
        json!([["s", 1]]),
        json!({ "kind": "codel", "unknown": 1 }),
    ];
    *place = junk[draw.below(junk.len() as u64) as usize].clone();
}
