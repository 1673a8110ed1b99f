//! Errors of JSON documents.

use crate::error::MeasuredError;
use crate::source::Source;

/// Returns the error of a JSON document, with its place.
pub(super) fn wrong(source: &Source, error: &serde_json::Error) -> MeasuredError {
    if error.is_io() {
        return source.failed(error);
    }
    let message = error.to_string();
    let what = message.rsplit_once(" at line").map_or(message.as_str(), |(what, _)| what);
    MeasuredError::Input(format!("{}:{}:{}: {what}", source.name, error.line(), error.column()))
}
