//! qlog files for qvis (JSON text sequences of qlog 0.3, one record a line).
//!
//! quinn's files differ from what qvis reads in four ways, which are corrected on the way to the file. They do not say
//! which end of the connection wrote them. A packet's length is in its header, not under `raw`, and qvis's congestion
//! view draws no packet without it. Round-trip times are in seconds, all other times in milliseconds. A packet's
//! arrival is written when it is read, later than packets that have left since, and qvis requires events in the order
//! of time.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::Path;

use quinn::{QlogConfig, QlogStream};
use serde_json::{Value, json};

use crate::Fallible;

/// The end of the connection that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Server,
}

/// Makes a connection's file. An existing file is an error and stays unchanged.
pub(crate) fn create(path: &Path, side: Side, title: &str) -> Fallible<Option<QlogStream>> {
    let file = std::fs::File::create_new(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => format!("{}: is there already; give another folder", path.display()),
        _ => format!("{}: {error}", path.display()),
    })?;
    let mut qlog = QlogConfig::default();
    qlog.writer(Box::new(Mended::new(io::BufWriter::new(file), side))).title(Some(title.to_owned()));
    Ok(qlog.into_stream())
}

const SEPARATOR: char = '\u{1e}';
/// The longest time by which an event is written after a later one, ms.
const LATEST_MS: f64 = 1000.0;
const ROUND_TRIP_TIMES: [&str; 4] = ["min_rtt", "smoothed_rtt", "latest_rtt", "rtt_variance"];

/// A writer that corrects records on the way to `writer`.
struct Mended<W: Write> {
    writer: W,
    side: Side,
    /// The newest line as far as it is written.
    line: Vec<u8>,
    /// Events that are yet to be written, by their times in milliseconds, ascending.
    waiting: VecDeque<(f64, String)>,
}

impl<W: Write> Mended<W> {
    fn new(writer: W, side: Side) -> Self {
        Mended { writer, side, line: Vec::new(), waiting: VecDeque::new() }
    }

    /// Processes a whole line.
    fn record(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let mut record: Value = serde_json::from_str(text.trim_start_matches(SEPARATOR))?;
        if let Some(header) = record.pointer_mut("/trace/vantage_point") {
            *header = json!({ "type": match self.side { Side::Client => "client", Side::Server => "server" } });
            return write(&mut self.writer, &record.to_string());
        }
        if let Some(data) = record.get_mut("data") {
            mend(data);
        }
        let time = record["time"].as_f64().unwrap_or(0.0);
        let place = self.waiting.partition_point(|(earlier, _)| *earlier <= time);
        self.waiting.insert(place, (time, record.to_string()));
        let newest = self.waiting.back().map_or(time, |(newest, _)| *newest);
        self.write_until(newest - LATEST_MS)
    }

    fn write_until(&mut self, end_ms: f64) -> io::Result<()> {
        while self.waiting.front().is_some_and(|(time, _)| *time <= end_ms) {
            if let Some((_, record)) = self.waiting.pop_front() {
                write(&mut self.writer, &record)?;
            }
        }
        Ok(())
    }
}

fn write(writer: &mut impl Write, record: &str) -> io::Result<()> {
    writeln!(writer, "{SEPARATOR}{record}")
}

/// Corrects an event's data.
fn mend(data: &mut Value) {
    if let Some(length) = data.pointer_mut("/header").and_then(|header| header.as_object_mut()?.shift_remove("length"))
    {
        data["raw"] = json!({ "length": length });
    }
    for name in ROUND_TRIP_TIMES {
        if let Some(seconds) = data[name].as_f64() {
            // rounded to the nanosecond
            data[name] = json!((seconds * 1e9).round() / 1e6);
        }
    }
}

impl<W: Write> Write for Mended<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |newline| newline + 1);
        self.line.extend_from_slice(&bytes[..end]);
        if self.line.ends_with(b"\n") {
            self.record()?;
        }
        Ok(end)
    }

    /// quinn flushes a file once, at its end, so this writes all waiting events.
    fn flush(&mut self) -> io::Result<()> {
        self.write_until(f64::INFINITY)?;
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "\u{1e}{\"qlog_version\":\"0.3\",\"trace\":{\"vantage_point\":{\"type\":\"unknown\"}}}\n";

    fn mended(parts: &[&str]) -> String {
        let mut file = Mended::new(Vec::new(), Side::Server);
        parts.iter().for_each(|part| file.write_all(part.as_bytes()).unwrap());
        file.flush().unwrap();
        String::from_utf8(file.writer).unwrap()
    }

    #[test]
    fn the_first_record_says_which_end_it_is() {
        let (start, rest) = HEADER.split_at(40);
        assert_eq!(mended(&[start, rest]), HEADER.replace("unknown", "server"));
    }

    #[test]
    fn lengths_and_round_trip_times_are_where_and_what_viewers_want() {
        let sent = r#"{"time":1.5,"data":{"header":{"packet_number":0,"length":146,"scid":"7"}}}"#;
        let metrics = r#"{"time":2.5,"data":{"min_rtt":0.002161425,"pto_count":0,"bytes_in_flight":1200}}"#;
        let expected = [
            r#"{"time":1.5,"data":{"header":{"packet_number":0,"scid":"7"},"raw":{"length":146}}}"#,
            r#"{"time":2.5,"data":{"min_rtt":2.161425,"pto_count":0,"bytes_in_flight":1200}}"#,
        ];
        let written = mended(&[&format!("\u{1e}{sent}\n\u{1e}{metrics}\n")]);
        assert_eq!(written, format!("\u{1e}{}\n\u{1e}{}\n", expected[0], expected[1]));
    }

    #[test]
    fn events_are_in_the_order_of_time() {
        let times = [3.0, 7.0, 5.0, 5.0, 900.0, 2000.0, 1999.0];
        let lines = times.map(|time| format!("\u{1e}{}\n", json!({ "time": time, "data": {} })));
        let written = mended(&[&lines.concat()]);
        let order =
            |line: &str| serde_json::from_str::<Value>(line.trim_start_matches(SEPARATOR)).unwrap()["time"].as_f64();
        let found: Vec<_> = written.lines().filter_map(order).collect();
        assert_eq!(found, [3.0, 5.0, 5.0, 7.0, 900.0, 1999.0, 2000.0]);
    }
}
