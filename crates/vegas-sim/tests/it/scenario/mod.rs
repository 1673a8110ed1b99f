//! Scenario files: what they mean, what is refused, and their documentation.

mod errors;
mod files;
mod properties;
mod schema;
