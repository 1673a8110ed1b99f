//! Reports as files. These modules see the report alone.

mod json;
mod junit;

pub use json::cases_json;
pub use junit::junit_xml;
