//! Traces that generated scenarios name: of rates, in Mahimahi's format, of delays, and of connections. Each has a
//! feature of its own.

use std::io;
use std::path::PathBuf;

const FILES: [(&str, &str); 11] = [
    ("steady.txt", include_str!("traces/steady.txt")),
    ("sparse.txt", include_str!("traces/sparse.txt")),
    ("bursty.txt", include_str!("traces/bursty.txt")),
    ("from-zero.txt", include_str!("traces/from-zero.txt")),
    ("outage.txt", include_str!("traces/outage.txt")),
    ("hand-over.csv", include_str!("traces/hand-over.csv")),
    ("quick.csv", include_str!("traces/quick.csv")),
    ("talk.csv", include_str!("traces/talk.csv")),
    ("crowd.csv", include_str!("traces/crowd.csv")),
    ("rates-in-steps.txt", include_str!("traces/rates-in-steps.txt")),
    ("delays-in-steps.txt", include_str!("traces/delays-in-steps.txt")),
];

/// The names of the traces of rates.
pub const NAMES: [&str; 5] = [FILES[0].0, FILES[1].0, FILES[2].0, FILES[3].0, FILES[4].0];

/// The names of the traces of delays.
pub const DELAYS: [&str; 2] = [FILES[5].0, FILES[6].0];

/// The names of the traces of connections.
pub const CONNECTIONS: [&str; 2] = [FILES[7].0, FILES[8].0];

/// The name of a trace with one rate a line.
pub const RATES_IN_STEPS: &str = FILES[9].0;

/// The name of a trace with one delay a line.
pub const DELAYS_IN_STEPS: &str = FILES[10].0;

/// A folder with the traces; it is removed when this is dropped.
#[derive(Debug)]
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// Writes the traces into a new folder.
    pub fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        FILES.iter().try_for_each(|(name, text)| std::fs::write(folder.path().join(name), text))?;
        Ok(Folder(folder))
    }

    /// Returns the path of a scenario that names traces, as if it were in the folder.
    pub fn source(&self) -> PathBuf {
        self.0.path().join("network.toml")
    }
}

/// Returns the traces that a document names, with their text.
pub fn named_in(document: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.into_iter().filter(move |(name, _)| document.contains(name))
}
