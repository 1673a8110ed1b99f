//! Rate traces that generated scenarios name: in Mahimahi's format, each with something of its own.

use std::io;
use std::path::PathBuf;

const FILES: [(&str, &str); 5] = [
    ("steady.txt", include_str!("traces/steady.txt")),
    ("sparse.txt", include_str!("traces/sparse.txt")),
    ("bursty.txt", include_str!("traces/bursty.txt")),
    ("from-zero.txt", include_str!("traces/from-zero.txt")),
    ("outage.txt", include_str!("traces/outage.txt")),
];

/// Their names.
pub const NAMES: [&str; 5] = [FILES[0].0, FILES[1].0, FILES[2].0, FILES[3].0, FILES[4].0];

/// A folder with the traces, for as long as this lives.
#[derive(Debug)]
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// Writes them down.
    pub fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        FILES.iter().try_for_each(|(name, text)| std::fs::write(folder.path().join(name), text))?;
        Ok(Folder(folder))
    }

    /// Where a scenario that names traces would lie.
    pub fn source(&self) -> PathBuf {
        self.0.path().join("network.toml")
    }
}

/// The traces that a document names, with their text.
pub fn named_in(document: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.into_iter().filter(move |(name, _)| document.contains(name))
}
