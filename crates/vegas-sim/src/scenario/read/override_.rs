//! Overrides from the command line: any value of the file by its dotted key.

use serde_json::{Map, Value};

use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::source::value_of_text;

/// A number of steps above that of any key of a scenario.
const DEPTH_MAX: usize = 16;

/// Sets the value at a dotted key such as `flow.0.algorithm` to what a user typed.
pub(crate) fn apply(tree: &mut Value, key: &str, text: &str) -> Checked<()> {
    set(tree, key, value_of_text(text, key)?)
}

/// Sets the value at a dotted key, and creates the tables around it that the file leaves out. Unknown keys are found
/// when the whole file is read.
pub(crate) fn set(tree: &mut Value, key: &str, value: Value) -> Checked<()> {
    let steps: Vec<&str> = key.split('.').collect();
    if steps.iter().any(|step| step.is_empty()) || steps.len() > DEPTH_MAX {
        return Err(Problem::new(key, "is no key; write names with dots between them, such as flow.0.algorithm"));
    }
    let mut place = tree;
    let mut here = String::new();
    for step in steps {
        place = enter(place, &here, step)?;
        here = child(&here, step);
    }
    *place = value;
    Ok(())
}

fn enter<'a>(place: &'a mut Value, here: &str, step: &str) -> Checked<&'a mut Value> {
    if place.is_null() {
        *place = Value::Object(Map::new());
    }
    match place {
        Value::Object(object) => Ok(object.entry(step).or_insert(Value::Null)),
        Value::Array(items) => {
            let count = items.len();
            let item = step.parse::<usize>().ok().and_then(|index| items.get_mut(index));
            item.ok_or_else(|| {
                let right = match count {
                    0 => "the list is empty".into(),
                    _ => format!("expected an index from 0 to {}", count - 1),
                };
                Problem::new(child(here, step), format!("no such entry of {here}; {right}"))
            })
        }
        _ => Err(Problem::new(
            child(here, step),
            format!("{here} is {place}, not a table; set {here} to a table first, such as {here}={{ {step} = ... }}"),
        )),
    }
}
