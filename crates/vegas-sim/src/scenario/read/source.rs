//! Reads text of either format as one tree of values, with the line of each key.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::scenario::read::error::{Checked, Place, Problem, ScenarioError, child};

/// A scenario file after parsing.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The tree of its values.
    pub(crate) tree: Value,
    /// The line, from 1, of every dotted key; empty for JSON, which users do not write by hand.
    pub(crate) lines: BTreeMap<String, usize>,
}

impl Source {
    /// Reads TOML.
    pub(crate) fn from_toml(text: &str, source: &str) -> Result<Self, ScenarioError> {
        let table = DeTable::parse(text).map_err(|error| {
            let place = match error.span() {
                Some(span) => line_and_column(text, span.start),
                None => Place::Unknown,
            };
            syntax_error(source, place, format!("not TOML: {}", error.message()))
        })?;
        let mut reader = TomlReader::new(text);
        let tree = reader.table(table.get_ref(), "").map_err(|problem| {
            let place = reader.lines.get(&problem.key).map_or(Place::Unknown, |line| Place::Line(*line));
            ScenarioError { source: source.into(), place, problem }
        })?;
        Ok(Source { tree, lines: reader.lines })
    }

    /// Reads JSON.
    pub(crate) fn from_json(text: &str, source: &str) -> Result<Self, ScenarioError> {
        let tree = serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let message = message.rsplit_once(" at line").map_or(message.as_str(), |(what, _)| what);
            syntax_error(source, Place::LineColumn(error.line(), error.column()), format!("not JSON: {message}"))
        })?;
        Ok(Source { tree, lines: BTreeMap::new() })
    }

    /// Returns the line of a key, or of the nearest table around it.
    pub(crate) fn place(&self, key: &str) -> Place {
        let mut key = key;
        loop {
            if let Some(line) = self.lines.get(key) {
                return Place::Line(*line);
            }
            match key.rsplit_once('.') {
                Some((around, _)) => key = around,
                None => return Place::Unknown,
            }
        }
    }
}

fn syntax_error(source: &str, place: Place, message: String) -> ScenarioError {
    ScenarioError { source: source.into(), place, problem: Problem::new("", message) }
}

fn line_and_column(text: &str, offset: usize) -> Place {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
    Place::LineColumn(before.iter().filter(|byte| **byte == b'\n').count() + 1, column)
}

/// Reads the value of a `--set KEY=`: TOML if it is valid TOML, else the text itself.
pub(crate) fn value_of_text(text: &str, key: &str) -> Checked<Value> {
    match DeValue::parse(text) {
        Ok(value) => TomlReader::new(text).value(value.get_ref(), key),
        Err(_) => Ok(Value::String(text.into())),
    }
}

/// Converts TOML's values to the tree, and records their lines.
struct TomlReader {
    /// The ends of the lines, as byte offsets.
    line_ends: Vec<usize>,
    lines: BTreeMap<String, usize>,
}

impl TomlReader {
    fn new(text: &str) -> Self {
        TomlReader { line_ends: text.match_indices('\n').map(|(at, _)| at).collect(), lines: BTreeMap::new() }
    }

    fn table(&mut self, table: &DeTable<'_>, key: &str) -> Checked<Value> {
        let mut object = Map::new();
        for (name, value) in table {
            let key = child(key, name.get_ref());
            self.note(&key, name);
            object.insert(name.get_ref().to_string(), self.value(value.get_ref(), &key)?);
        }
        Ok(Value::Object(object))
    }

    fn value(&mut self, value: &DeValue<'_>, key: &str) -> Checked<Value> {
        Ok(match value {
            DeValue::Table(table) => self.table(table, key)?,
            DeValue::Array(array) => {
                let mut items = Vec::with_capacity(array.len());
                for (index, item) in array.iter().enumerate() {
                    let key = child(key, index);
                    self.note(&key, item);
                    items.push(self.value(item.get_ref(), &key)?);
                }
                Value::Array(items)
            }
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Boolean(switch) => Value::Bool(*switch),
            // a seed may use all 64 bits, one more than TOML guarantees
            DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
                .map(Number::from)
                .or_else(|_| u64::from_str_radix(integer.as_str(), integer.radix()).map(Number::from))
                .map(Value::Number)
                .map_err(|_| Problem::new(key, format!("{integer} is too large; whole numbers have 64 bits")))?,
            DeValue::Float(float) => float
                .as_str()
                .parse()
                .ok()
                .and_then(Number::from_f64)
                .map(Value::Number)
                .ok_or_else(|| Problem::new(key, format!("{float} is not finite; write a finite number")))?,
            DeValue::Datetime(datetime) => Value::String(datetime.to_string()),
        })
    }

    fn note<T>(&mut self, key: &str, at: &Spanned<T>) {
        let line = self.line_ends.partition_point(|end| *end < at.span().start) + 1;
        self.lines.insert(key.into(), line);
    }
}
