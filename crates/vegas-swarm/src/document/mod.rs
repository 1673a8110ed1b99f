//! Documents as TOML, the form in which findings are kept and read.

pub(crate) mod quantity;
pub mod shrink;

use serde_json::{Map, Value};

/// Returns the document as a scenario file: its lists of tables as `[[flow]]` and so on, and each value in one line.
pub fn to_toml(document: &Value) -> String {
    let Some(document) = document.as_object() else { return String::new() };
    let mut text = String::new();
    let (tables, values): (Vec<_>, Vec<_>) = document.iter().partition(|(_, value)| is_section(value));
    lines(&mut text, values);
    for (key, value) in tables {
        match value {
            Value::Array(items) => items.iter().for_each(|item| section(&mut text, &format!("[[{key}]]"), item)),
            table => section(&mut text, &format!("[{key}]"), table),
        }
    }
    text
}

fn is_section(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_object),
        _ => false,
    }
}

fn section(text: &mut String, heading: &str, table: &Value) {
    text.push_str(&format!("\n{heading}\n"));
    lines(text, table.as_object().into_iter().flatten());
}

/// Adds a line for each key. TOML has no null, so a key that is null is left out, which means the same.
fn lines<'a>(text: &mut String, values: impl IntoIterator<Item = (&'a String, &'a Value)>) {
    for (key, value) in values.into_iter().filter(|(_, value)| !value.is_null()) {
        text.push_str(&format!("{} = {}\n", name(key), inline(value)));
    }
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(table) => inline_table(table),
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn inline_table(table: &Map<String, Value>) -> String {
    let given = table.iter().filter(|(_, value)| !value.is_null());
    let entries: Vec<String> = given.map(|(key, value)| format!("{} = {}", name(key), inline(value))).collect();
    if entries.is_empty() { "{}".into() } else { format!("{{ {} }}", entries.join(", ")) }
}

fn name(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !key.is_empty() && key.chars().all(is_bare) { key.into() } else { quoted(key) }
}

/// Returns the text with JSON's escapes, which are TOML's, and an escape for DEL, which JSON does not escape.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
