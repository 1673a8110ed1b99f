//! The values of a column, whatever the format of its table, and its cells as JSON values.

use std::borrow::Cow;

use serde_json::Value;

/// The values of a column, a row after another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values<'a> {
    /// Texts.
    Texts(Vec<String>),
    /// Small whole numbers.
    Numbers(Cow<'a, [u32]>),
    /// Whole numbers.
    Counts(Cow<'a, [u64]>),
    /// Whole numbers, some of them missing.
    SomeCounts(Vec<Option<u64>>),
    /// Numbers.
    Floats(Cow<'a, [f64]>),
    /// Numbers, some of them missing.
    SomeFloats(Cow<'a, [Option<f64>]>),
    /// Names by index, some of them missing: a row has a key, which is an index of `names`.
    Names {
        /// The key of each row.
        keys: Vec<Option<u32>>,
        /// The names, each stored once.
        names: Vec<String>,
    },
}

impl Values<'_> {
    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Values::Texts(texts) => texts.len(),
            Values::Numbers(numbers) => numbers.len(),
            Values::Counts(counts) => counts.len(),
            Values::SomeCounts(counts) => counts.len(),
            Values::Floats(floats) => floats.len(),
            Values::SomeFloats(floats) => floats.len(),
            Values::Names { keys, .. } => keys.len(),
        }
    }

    /// Returns one cell; null if it is missing.
    pub(crate) fn cell(&self, row: usize) -> Value {
        match self {
            Values::Texts(texts) => texts[row].as_str().into(),
            Values::Numbers(numbers) => numbers[row].into(),
            Values::Counts(counts) => counts[row].into(),
            Values::SomeCounts(counts) => counts[row].into(),
            Values::Floats(floats) => floats[row].into(),
            Values::SomeFloats(floats) => floats[row].into(),
            Values::Names { keys, names } => keys[row].map(|key| names[key as usize].as_str()).into(),
        }
    }
}
