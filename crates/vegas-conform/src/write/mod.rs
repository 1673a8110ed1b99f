//! Reports as files. These modules use the report alone.

mod json;
mod junit;
mod qlog;
mod text;

pub use json::cases_json;
pub use junit::junit_xml;
pub use qlog::qlog_json;
pub use text::text;
