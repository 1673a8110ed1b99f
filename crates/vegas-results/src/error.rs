//! The errors of writing results, each with a message of one line.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;
use vegas_sim::Stopped;

/// The reason why results could not be created or written. After an error nothing is left behind.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}; {}", path.display(), remedy(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The attempted action.
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The caller stopped the writing.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The folder to replace holds files or folders that no run wrote.
    #[cfg(feature = "parquet")]
    #[error("{}: {problem}; give a new folder, or move away what is there", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
        /// The content of the folder that no run wrote, or what it lacks.
        problem: String,
    },
    /// A capture is asked for, but the run kept no packets.
    #[cfg(feature = "parquet")]
    #[error("capture.pcapng: scenario {scenario:?} keeps no packets; set capture = true in it")]
    NoCapture {
        /// The scenario's name.
        scenario: String,
    },
    /// A packet does not fit an IPv4 header's length field.
    #[cfg(feature = "parquet")]
    #[error("capture.pcapng: flow.{flow}: a packet of {bytes} bytes; IPv4 carries at most 65535, headers included")]
    PacketTooLarge {
        /// The flow.
        flow: u32,
        /// Bytes on the wire.
        bytes: u32,
    },
    /// The outcome does not fit the scenario.
    #[cfg(feature = "parquet")]
    #[error("table {table}: the outcome is not of this scenario: {source}")]
    Table {
        /// The table.
        table: &'static str,
        /// The mismatch.
        source: arrow_schema::ArrowError,
    },
    /// A table could not be encoded as a Parquet file in memory.
    #[cfg(feature = "parquet")]
    #[error("table {table}: cannot be made a Parquet file: {source}")]
    Encode {
        /// The table.
        table: &'static str,
        /// The encoder's error.
        source: parquet::errors::ParquetError,
    },
    /// The caller asks for the series of a run that has none.
    #[cfg(feature = "parquet")]
    #[error("sample: \"off\" leaves nothing to keep as series; give a step, such as \"100ms\"")]
    NoSeries,
}

impl ResultsError {
    /// Returns a function for `map_err` on a file operation.
    pub(crate) fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> ResultsError {
        move |source| ResultsError::Io { path: path.to_owned(), action, source }
    }
}

/// Returns the advice that ends the message about a file that cannot be written.
pub fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room there, or give another folder",
        ErrorKind::FileTooLarge => "allow larger files (ulimit -f), or give another folder",
        _ => "give another folder",
    }
}
