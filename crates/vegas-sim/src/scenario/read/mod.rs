//! Reading text as values: TOML or JSON, overrides, quantities, and the line of each value for messages.

pub(crate) mod error;
pub(crate) mod field;
pub(crate) mod override_;
pub(crate) mod quantity;
pub(crate) mod source;
