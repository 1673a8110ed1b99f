//! Edits of a scenario's text that leave everything else as the reader typed it; the form makes them.

use serde::Deserialize;
use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, TableLike, Value};

use crate::failure::Failure;

#[derive(Debug, Deserialize)]
struct Request {
    text: String,
    edits: Vec<Edit>,
}

/// An edit. Keys are dotted, and lists count from 0: `flow.0.algorithm`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Edit {
    /// Sets a key of a table to a value: a text, a number, true or false, or a table of those.
    Set {
        /// The key; the table that contains it exists.
        key: String,
        /// Its value; an object becomes an inline table.
        value: Json,
    },
    /// Appends a copy of an entry to the list that contains it.
    Copy {
        /// The entry, such as `flow.0`.
        key: String,
    },
    /// Removes an entry from a list.
    Remove {
        /// The entry, such as `flow.0`.
        key: String,
    },
}

/// Carries out JSON of `text` and `edits`; returns the new text.
pub fn edit(request: &str) -> Result<Vec<u8>, Failure> {
    let Request { text, edits } = serde_json::from_str(request).map_err(|error| Failure::new(error.to_string()))?;
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| Failure::new(error.message()))?;
    for edit in &edits {
        carry_out(&mut document, edit).ok_or_else(|| Failure::new(format!("{}: no such key", edit.key())))?;
    }
    Ok(document.to_string().into_bytes())
}

impl Edit {
    fn key(&self) -> &str {
        let (Edit::Set { key, .. } | Edit::Copy { key } | Edit::Remove { key }) = self;
        key
    }
}

/// Applies an edit; none where a key does not exist or does not allow this edit.
fn carry_out(document: &mut DocumentMut, edit: &Edit) -> Option<()> {
    let (around, name) = edit.key().rsplit_once('.').unwrap_or(("", edit.key()));
    let node =
        around.split('.').filter(|name| !name.is_empty()).try_fold(Node::Table(document.as_table_mut()), find)?;
    match (edit, node) {
        (Edit::Set { value, .. }, Node::Table(table)) => set(table, name, value),
        (Edit::Copy { .. }, Node::Tables(tables)) => {
            let mut copy = tables.get(name.parse().ok()?)?.clone();
            // at the original's position the copy would stand before tables that it must follow
            copy.set_position(None);
            tables.push(copy);
            Some(())
        }
        (Edit::Copy { .. }, Node::Array(array)) => {
            let copy = array.get(name.parse().ok()?)?.clone();
            array.push_formatted(copy);
            Some(())
        }
        (Edit::Remove { .. }, Node::Tables(tables)) => {
            let index = name.parse().ok().filter(|&index| index < tables.len())?;
            tables.remove(index);
            Some(())
        }
        (Edit::Remove { .. }, Node::Array(array)) => {
            let index = name.parse().ok().filter(|&index| index < array.len())?;
            array.remove(index);
            Some(())
        }
        _ => None,
    }
}

/// A node that has children.
enum Node<'a> {
    Table(&'a mut dyn TableLike),
    Tables(&'a mut ArrayOfTables),
    Array(&'a mut Array),
}

fn find<'a>(node: Node<'a>, name: &str) -> Option<Node<'a>> {
    match node {
        Node::Table(table) => of_item(table.get_mut(name)?),
        Node::Tables(tables) => Some(Node::Table(tables.get_mut(name.parse().ok()?)?)),
        Node::Array(array) => of_value(array.get_mut(name.parse().ok()?)?),
    }
}

fn of_item(item: &mut Item) -> Option<Node<'_>> {
    match item {
        Item::Table(table) => Some(Node::Table(table)),
        Item::ArrayOfTables(tables) => Some(Node::Tables(tables)),
        Item::Value(value) => of_value(value),
        Item::None => None,
    }
}

fn of_value(value: &mut Value) -> Option<Node<'_>> {
    match value {
        Value::InlineTable(table) => Some(Node::Table(table)),
        Value::Array(array) => Some(Node::Array(array)),
        _ => None,
    }
}

/// Keeps the white space and the comment around the earlier value.
fn set(table: &mut dyn TableLike, name: &str, value: &Json) -> Option<()> {
    let mut new = toml(value)?;
    if let Some(old) = table.get(name).and_then(Item::as_value) {
        *new.decor_mut() = old.decor().clone();
    }
    table.insert(name, Item::Value(new));
    Some(())
}

fn toml(value: &Json) -> Option<Value> {
    Some(match value {
        Json::String(text) => Value::from(text.as_str()),
        Json::Bool(switch) => Value::from(*switch),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::from(whole),
            None => Value::from(number.as_f64()?),
        },
        Json::Object(table) => {
            let entries = table.iter().map(|(key, value)| Some((key.as_str(), toml(value)?)));
            Value::from(entries.collect::<Option<InlineTable>>()?)
        }
        Json::Null | Json::Array(_) => return None,
    })
}
