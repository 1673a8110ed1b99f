//! The scenario file as it is written: serde reads these types, and the JSON Schema is generated from them.
//!
//! The types define the keys and the kinds of their values; [`super::validate`] checks that the values go together. The
//! doc comments are the descriptions in the schema.

mod application;
mod change;
mod delay;
mod flow;
mod jitter;
mod loss;
mod queue;
mod rate;
pub(super) mod scalar;
mod topology;
mod traffic;

pub(super) use application::{ActivityKind, ApplicationPhase, MediaLayer};
pub(super) use change::Change;
pub(super) use delay::{DelaySchedule, LinkDelay};
pub(super) use flow::{Algorithm, BrokenRule, FLOWS_MAX, Flow, Host, LinuxWindow, Numbered, Parts, Window, numbered};
pub(super) use jitter::Jitter;
pub(super) use loss::{BurstLoss, Loss};
pub(super) use queue::{LinkQueue, ManagedQueue};
pub(super) use rate::LinkRate;
pub(super) use topology::{Backward, Faults, GraphLink, Link, Policer, Topology};
pub(super) use traffic::{Direction, SizeDistribution, Traffic, TrafficKind};

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;
use vegas_core::units::Span;

use super::model::Sampling;
use crate::scenario::document::scalar::{Name, Whole};
use crate::scenario::read::field::{Field, Table};

/// A scenario: what is simulated, for how long, and from which seed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "vegaslab scenario")]
pub(super) struct File {
    /// The scenario's name, also that of its results folder.
    pub(super) name: Field<Name>,
    /// What the scenario shows, in a sentence.
    pub(super) description: Option<String>,
    /// The duration of the run; above 0, 100 days (`"2400h"`) at most.
    pub(super) duration: Field<Span>,
    /// Whether the run ends before that, as soon as every flow has completed; each needs a `size`. Default: `false`.
    pub(super) until_complete: Option<bool>,
    /// The seed of every random stream. Default: `1`.
    pub(super) seed: Option<Field<Whole<0, { u64::MAX }>>>,
    /// The step of the time series; or a row at every change; or no series. At most 50 million rows, all flows and
    /// links together. Default: `"100ms"`.
    pub(super) sample: Option<Field<Sampling>>,
    /// Whether every packet is kept for a capture file. Default: `false`.
    pub(super) capture: Option<bool>,
    /// The network: [`[topology]`](#topology).
    pub(super) topology: Table<Topology>,
    /// The flows, at least one: [`[[flow]]`](#flow).
    pub(super) flow: Vec<Table<Flow>>,
    /// The changes during the run: [`[[change]]`](#change).
    pub(super) change: Option<Vec<Table<Change>>>,
    /// Background traffic: [`[[traffic]]`](#traffic).
    pub(super) traffic: Option<Vec<Table<Traffic>>>,
}

/// Returns the JSON Schema (draft 2020-12) of a scenario file, pretty-printed, with a final newline.
pub fn json_schema() -> String {
    let mut schema = schema_with_links();
    RecursiveTransform(without_links).transform(&mut schema);
    format!("{:#}\n", schema.to_value())
}

/// The JSON Schema with descriptions in Markdown, from which the tables of `docs/scenario.md` are written.
#[doc(hidden)]
pub fn schema_with_links() -> Schema {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<File>();
    RecursiveTransform(without_null).transform(&mut schema);
    RecursiveTransform(on_one_line).transform(&mut schema);
    schema
}

/// Joins the lines of descriptions, which come from wrapped doc comments.
fn on_one_line(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
}

/// Leaves the text of each link `[text](target)` in descriptions.
fn without_links(schema: &mut Schema) {
    let Some(Value::String(description)) = schema.get_mut("description") else { return };
    while let Some((text, rest)) = description.split_once("](") {
        let (before, text) = text.split_at(opening(text));
        let (_, after) = rest.split_once(')').unwrap_or_default();
        *description = format!("{before}{}{after}", &text[1..]);
    }
}

/// Returns the place of the bracket that opens a link's text, in which there may be pairs of brackets.
fn opening(text: &str) -> usize {
    let mut depth = 0;
    let opens = |(_, letter): &(usize, char)| {
        depth += i32::from(*letter == ']') - i32::from(*letter == '[');
        depth < 0
    };
    text.char_indices().rev().find(opens).expect("a link's text has an opening bracket").0
}

/// Removes null from optional keys: a key that may be left out must still not be null, which TOML does not have.
fn without_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else { return };
    choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
    if let [Value::Object(only)] = choices.as_slice() {
        let only = only.clone();
        object.remove("anyOf");
        for (key, value) in only {
            object.entry(key).or_insert(value);
        }
    }
}
