//! The error of this crate: one line for the user.

use std::fmt;

/// One line that says what is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// Makes the line "`what`: `why`".
    pub fn new(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Error(format!("{what}: {why}"))
    }
}
