//! From text to values: TOML or JSON, overrides, quantities, and where a value that is wrong was written.

pub(crate) mod error;
pub(crate) mod field;
pub(crate) mod override_;
pub(crate) mod quantity;
pub(crate) mod scalar;
pub(crate) mod schema;
pub(crate) mod source;
pub(crate) mod template;
