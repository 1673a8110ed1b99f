//! qlog files for qvis (JSON text sequences of qlog 0.3).
//!
//! quinn leaves open in a file's first record at which end it was written; viewers tell sent from received by it.

use std::io::{self, Write};
use std::path::Path;

use quinn::{QlogConfig, QlogStream};

use crate::Fallible;

/// Which end of the connection writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Server,
}

/// A connection's file.
pub(crate) fn create(path: &Path, side: Side, title: &str) -> Fallible<Option<QlogStream>> {
    let file = std::fs::File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut qlog = QlogConfig::default();
    let writer = Named { writer: io::BufWriter::new(file), side, first: Some(Vec::new()) };
    qlog.writer(Box::new(writer)).title(Some(title.to_owned()));
    Ok(qlog.into_stream())
}

const UNNAMED: &str = r#""vantage_point":{"type":"unknown"}"#;

/// Names the end in the first record, which ends with the first line.
struct Named<W> {
    writer: W,
    side: Side,
    /// What there is of it so far.
    first: Option<Vec<u8>>,
}

impl<W: Write> Write for Named<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(first) = &mut self.first else { return self.writer.write(bytes) };
        first.extend_from_slice(bytes);
        if first.contains(&b'\n') {
            let side = match self.side {
                Side::Client => "client",
                Side::Server => "server",
            };
            let named = format!(r#""vantage_point":{{"type":"{side}"}}"#);
            self.writer.write_all(String::from_utf8_lossy(first).replacen(UNNAMED, &named, 1).as_bytes())?;
            self.first = None;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_record_says_which_end_it_is_and_the_rest_stays() {
        let mut named = Named { writer: Vec::new(), side: Side::Server, first: Some(Vec::new()) };
        for part in ["{\"trace\":{\"vantage_", "point\":{\"type\":\"unknown\"}}}\n{\"a\"", ":1}\n", UNNAMED] {
            named.write_all(part.as_bytes()).unwrap();
        }
        let written = String::from_utf8(named.writer).unwrap();
        let server = "{\"trace\":{\"vantage_point\":{\"type\":\"server\"}}}\n{\"a\":1}\n";
        assert_eq!(written, format!("{server}{UNNAMED}"));
    }
}
