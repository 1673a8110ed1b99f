//! Shrinking: a failing document is made smaller as long as it fails, so that what remains is needed for the failure.

use serde_json::{Value, json};

/// Makes a document smaller: leaves out keys and items, and makes values simple, one after another, while `fails`
/// holds. Calls `fails` at most `asks` times.
pub fn shrunk(document: &Value, asks: usize, mut fails: impl FnMut(&Value) -> bool) -> Value {
    let mut best = document.clone();
    let mut left = asks;
    loop {
        let before = best.clone();
        for step in [without_part, simplified] {
            // from the end, so that leaving out a place does not shift the places still to come
            for place in places(&best).into_iter().rev() {
                for candidate in step(&best, &place) {
                    if left == 0 {
                        return best;
                    }
                    left -= 1;
                    if fails(&candidate) {
                        best = candidate;
                        break;
                    }
                }
            }
        }
        if best == before {
            return best;
        }
    }
}

/// A place in a document, as a JSON pointer.
type Place = String;

/// Returns all places below the document itself; each comes before those inside it.
fn places(document: &Value) -> Vec<Place> {
    let mut places = Vec::new();
    add_places(document, "", &mut places);
    places
}

fn add_places(value: &Value, at: &str, places: &mut Vec<Place>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(table) => table.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(id, value)| (id.to_string(), value)).collect(),
        _ => return,
    };
    for (key, child) in children {
        let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        places.push(place.clone());
        add_places(child, &place, places);
    }
}

fn without_part(document: &Value, place: &Place) -> Vec<Value> {
    let (around, key) = place.rsplit_once('/').expect("a place below the document");
    let mut smaller = document.clone();
    match smaller.pointer_mut(around) {
        Some(Value::Object(table)) => {
            if table.shift_remove(&key.replace("~1", "/").replace("~0", "~")).is_none() {
                return Vec::new();
            }
        }
        Some(Value::Array(items)) => match key.parse::<usize>() {
            Ok(id) if id < items.len() => drop(items.remove(id)),
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    }
    vec![smaller]
}

fn simplified(document: &Value, place: &Place) -> Vec<Value> {
    let Some(value) = document.pointer(place) else { return Vec::new() };
    let simpler = simpler(value);
    let put = |value: Value| {
        let mut smaller = document.clone();
        *smaller.pointer_mut(place).expect("the place that was found") = value;
        smaller
    };
    simpler.into_iter().map(put).collect()
}

/// Returns values in place of this one, the simplest first. Each is simpler than the value, so that shrinking ends.
fn simpler(value: &Value) -> Vec<Value> {
    match value {
        Value::Object(table) if table.contains_key("limit") => vec![table["limit"].clone()],
        Value::Object(table) if table.contains_key("trace") => vec![json!("1mbit")],
        Value::Object(table) if table.contains_key("preset") => vec![table["preset"].clone()],
        Value::Bool(true) => vec![json!(false)],
        Value::Number(number) => match number.as_u64() {
            Some(0 | 1) | None => Vec::new(),
            Some(2) => vec![json!(1)],
            Some(number) => vec![json!(1), json!(2), json!(number / 2)],
        },
        Value::String(text) => quantities(text),
        _ => Vec::new(),
    }
}

/// Returns quantities of the same unit with fewer digits, or smaller ones: one, the first digit alone, the whole part,
/// and half of it.
fn quantities(text: &str) -> Vec<Value> {
    let Some(digits) = text.find(|c: char| c.is_ascii_alphabetic() || c == '%').filter(|digits| *digits > 0) else {
        return Vec::new();
    };
    let (number, unit) = text.split_at(digits);
    let whole = number.split('.').next().unwrap_or_default();
    let Ok(value) = whole.parse::<u64>() else { return Vec::new() };
    let first_digit = format!("{}{}", &whole[..1], "0".repeat(whole.len() - 1));
    let shorter = ["1".to_owned(), first_digit, whole.to_owned(), (value / 2).to_string()];
    let smaller = |new: &String| new.len() < number.len() || new.len() == number.len() && **new < *number;
    shorter.iter().filter(|new| smaller(new)).map(|new| json!(format!("{new}{unit}"))).collect()
}
