//! What the page shows where an operation cannot be done.

use serde_json::json;
use vegas_sim::scenario::ScenarioError;

/// Why an operation cannot be done, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    message: String,
    /// The line of the scenario's text, from 1.
    line: Option<usize>,
    /// The dotted key; empty for the file as a whole.
    key: String,
}

impl Failure {
    /// An error that belongs to no line of the scenario.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), line: None, key: String::new() }
    }

    /// The message of a panic.
    pub(crate) fn fault(message: &str) -> Self {
        Failure::new(format!("a fault of the simulator, please report it: {message}"))
    }

    /// The error as JSON of `message`, `line` and `key`.
    pub fn json(&self) -> Vec<u8> {
        json!({ "message": self.message, "line": self.line, "key": self.key }).to_string().into_bytes()
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        Failure { message: error.to_string(), line: error.line(), key: error.key().to_owned() }
    }
}
