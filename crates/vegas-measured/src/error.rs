//! The error of a file that cannot be read: one line.

use std::fmt;
use std::io;
use std::path::Path;

/// Why a measurement was not read, in one line that names the file and the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeasuredError {
    /// The file is damaged, or of no known kind; the line says what would be right.
    Input(String),
    /// The file, or a result, could not be read or written: the path, and the system's error.
    Io(String),
    /// The caller has stopped the work.
    Stopped,
}

impl fmt::Display for MeasuredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeasuredError::Input(line) | MeasuredError::Io(line) => f.write_str(line),
            MeasuredError::Stopped => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for MeasuredError {}

impl MeasuredError {
    /// Returns the error of a file's content at a byte, counted from 0.
    pub(crate) fn at_byte(file: &str, byte: u64, what: impl fmt::Display) -> Self {
        MeasuredError::Input(format!("{file}: byte {byte}: {what}"))
    }

    /// Returns the error of a file's content in a line, counted from 1.
    pub(crate) fn at_line(file: &str, line: u64, what: impl fmt::Display) -> Self {
        MeasuredError::Input(format!("{file}:{line}: {what}"))
    }

    /// Returns what converts the system's error about a path.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let name = path.display().to_string();
        move |error| MeasuredError::Io(format!("{name}: {error}"))
    }
}

/// A result with an error of one line.
pub type Read<T> = Result<T, MeasuredError>;
