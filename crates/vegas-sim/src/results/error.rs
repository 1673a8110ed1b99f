//! What can go wrong when results are written: one line each.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;
use thiserror::Error;

use crate::util::watch::Stopped;

/// Why results could not be made or written. Nothing was left behind.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}; {}", path.display(), remedy(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// The folder to replace holds something that no run wrote.
    #[error("{}: {problem}; give a new folder, or move away what is there", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
        /// What it holds or lacks.
        problem: String,
    },
    /// A capture is asked for, but the run kept no packets.
    #[error("capture.pcapng: scenario {scenario:?} keeps no packets; set capture = true in it")]
    NoCapture {
        /// The scenario's name.
        scenario: String,
    },
    /// A packet does not fit an IPv4 header's length field.
    #[error("capture.pcapng: flow.{flow}: a packet of {bytes} bytes; IPv4 carries at most 65535, headers included")]
    PacketTooLarge {
        /// The flow.
        flow: u32,
        /// Bytes on the wire.
        bytes: u32,
    },
    /// The caller does not want them any more.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The outcome does not fit the scenario.
    #[error("table {table}: the outcome is not of this scenario: {source}")]
    Table {
        /// The table.
        table: &'static str,
        /// What does not fit.
        source: ArrowError,
    },
    /// A table could not be made a Parquet file in memory.
    #[error("table {table}: cannot be made a Parquet file: {source}")]
    Encode {
        /// The table.
        table: &'static str,
        /// What went wrong.
        source: ParquetError,
    },
    /// Series are to be kept of a run that has none.
    #[error("sample: \"off\" leaves nothing to keep as series; give a step, such as \"100ms\"")]
    NoSeries,
}

impl ResultsError {
    /// For `map_err` on a file operation.
    pub(super) fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> ResultsError {
        move |source| ResultsError::Io { path: path.to_owned(), action, source }
    }
}

/// What is to be done about a file that cannot be written, as the end of a line about it.
pub fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room there, or give another folder",
        ErrorKind::FileTooLarge => "allow larger files (ulimit -f), or give another folder",
        _ => "give another folder",
    }
}
