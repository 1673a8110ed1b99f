//! Connection traces: when connections begin, and what they carry in turn, as tmix replays them (Weigle et al., "Tmix:
//! a tool for generating realistic TCP application workloads in ns-2", ACM SIGCOMM CCR 36(3), 2006).

use std::sync::Arc;

use vegas_core::units::{Bytes, Span};

use super::trace::sha256;
use crate::scenario::read::quantity::scaled;

/// The bytes that the connections of a trace carry in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionTrace {
    /// In order of their starts; each has one epoch at least.
    connections: Vec<TracedConnection>,
    /// The SHA-256 of the file, in hex.
    sha256: String,
}

/// A connection of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedConnection {
    /// The time from the start of the trace to that of the connection.
    pub start: Span,
    /// What it carries, in turn.
    pub epochs: Arc<[Epoch]>,
}

/// A write of an application that waits for the delivery of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// The time from the delivery of the epoch before, or from the connection's start, to the write.
    pub wait: Span,
    /// The payload, at least 1 byte.
    pub size: Bytes,
}

/// The direction of a trace's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What answers.
    Responses,
    /// What asks.
    Requests,
}

impl ConnectionTrace {
    /// Reads a trace. The first line is [`HEADER`]; each other one is an epoch. One with a start begins a connection,
    /// one without continues it. The error names the problem and what would be right.
    pub(in crate::scenario) fn parse(text: &str, side: Side) -> Result<Self, String> {
        let mut read: Vec<Read> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if number == 1 && line.trim() == HEADER {
                continue;
            }
            // no text of the file is shown: a scenario from another user may name any file of this machine
            let row = Row::parse(line).filter(|_| number > 1).ok_or_else(|| no_row(number))?;
            if let Some(start) = row.start {
                if read.last().is_some_and(|before| before.start > start) {
                    return Err(format!(
                        "line {number}: starts before the connection above; write the starts ascending"
                    ));
                }
                read.push(Read { start, epochs: Vec::new(), wait: Span::ZERO, bytes: 0 });
            }
            let Some(connection) = read.last_mut() else {
                return Err(format!("line {number}: has no start; begin with that of the first connection"));
            };
            connection.add(&row, side);
            if connection.bytes > BYTES_MAX {
                return Err(format!("line {number}: the connection has more than {BYTES_MAX} bytes; write less"));
            }
        }
        let has_epochs = |connection: &Read| !connection.epochs.is_empty();
        let connections: Vec<_> = read.into_iter().filter(has_epochs).map(Read::traced).collect();
        if connections.is_empty() {
            return Err("has no connection with bytes in this direction; write one epoch of 1 byte at least".into());
        }
        Ok(ConnectionTrace { connections, sha256: sha256(text) })
    }

    /// The connections with bytes in this direction, in order of their starts.
    pub fn connections(&self) -> &[TracedConnection] {
        &self.connections
    }

    /// The SHA-256 of the file's text, in hex, as `sha256sum` prints it.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

/// The first line of a connection trace.
const HEADER: &str = "start_s,request_bytes,response_bytes,think_s";
/// The greatest time of a trace: a hundred days, as for runs.
const NANOS_MAX: u64 = 100 * 24 * 3600 * 1_000_000_000;
/// The most bytes of a connection in one direction: JSON and a double count exactly up to it.
const BYTES_MAX: u64 = 1 << 53;

/// A connection while it is read.
struct Read {
    start: Span,
    epochs: Vec<Epoch>,
    /// The think times since the last epoch with bytes in this direction.
    wait: Span,
    bytes: u64,
}

impl Read {
    fn add(&mut self, row: &Row, side: Side) {
        let size = match side {
            Side::Requests => row.request,
            Side::Responses => row.response,
        };
        if size > 0 {
            self.epochs.push(Epoch { wait: self.wait, size: Bytes::new(size) });
            self.wait = Span::ZERO;
        }
        self.bytes = self.bytes.saturating_add(size);
        self.wait += row.think;
    }

    fn traced(self) -> TracedConnection {
        TracedConnection { start: self.start, epochs: self.epochs.into() }
    }
}

/// An epoch in the file.
struct Row {
    start: Option<Span>,
    request: u64,
    response: u64,
    think: Span,
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split(',').map(str::trim);
        let start = match fields.next()? {
            "" => None,
            start => Some(seconds(start)?),
        };
        let mut bytes = || scaled(fields.next()?, 1).ok();
        let (request, response) = (bytes()?, bytes()?);
        let think = seconds(fields.next()?)?;
        fields.next().is_none().then_some(Row { start, request, response, think })
    }
}

fn seconds(number: &str) -> Option<Span> {
    scaled(number, 1_000_000_000).ok().filter(|nanos| *nanos <= NANOS_MAX).map(Span::from_nanos)
}

fn no_row(number: u32) -> String {
    match number {
        1 => format!("line 1: is not {HEADER}"),
        _ => format!("line {number}: is no epoch; write start, bytes, bytes and think time, such as 1.5,300,20000,0.8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "start_s,request_bytes,response_bytes,think_s\n\
                        0.5,300,20000,0.25\n,200,0,1\n,100,7,0\n\
                        0.5,0,1,0\n2,40,0,9\n";

    /// Returns starts in ms, and the epochs' waits in ms and sizes.
    fn read(side: Side) -> Vec<(u64, Vec<(u64, u64)>)> {
        let ms = |span: Span| span.as_nanos() / 1_000_000;
        let trace = ConnectionTrace::parse(TEXT, side).expect("a trace");
        let epochs = |connection: &TracedConnection| {
            connection.epochs.iter().map(|epoch| (ms(epoch.wait), epoch.size.get())).collect()
        };
        trace.connections().iter().map(|connection| (ms(connection.start), epochs(connection))).collect()
    }

    /// Where an epoch has no bytes in a direction its think time passes all the same.
    #[test]
    fn each_direction_has_its_bytes() {
        assert_eq!(read(Side::Responses), [(500, vec![(0, 20_000), (1_250, 7)]), (500, vec![(0, 1)])]);
        assert_eq!(read(Side::Requests), [(500, vec![(0, 300), (250, 200), (1_000, 100)]), (2_000, vec![(0, 40)])]);
    }

    #[test]
    fn what_is_no_trace() {
        let row = "is no epoch; write start, bytes, bytes and think time, such as 1.5,300,20000,0.8";
        let cases = [
            ("0,1,1,0\n", "line 1: is not start_s,request_bytes,response_bytes,think_s".to_owned()),
            ("HEADER\n0,1,1\n", format!("line 2: {row}")),
            ("HEADER\n0,1,1,0,0\n", format!("line 2: {row}")),
            ("HEADER\n0,1,1,0\n\n", format!("line 3: {row}")),
            ("HEADER\n0,1,1.5,0\n", format!("line 2: {row}")),
            ("HEADER\n0,1,-1,0\n", format!("line 2: {row}")),
            ("HEADER\n,1,1,0\n", "line 2: has no start; begin with that of the first connection".to_owned()),
            (
                "HEADER\n1,1,1,0\n0.5,1,1,0\n",
                "line 3: starts before the connection above; write the starts ascending".to_owned(),
            ),
            (
                "HEADER\n1,1,0,0\n",
                "has no connection with bytes in this direction; write one epoch of 1 byte at least".to_owned(),
            ),
            (
                "HEADER\n0,1,9007199254740992,0\n,1,1,0\n",
                "line 3: the connection has more than 9007199254740992 bytes; write less".to_owned(),
            ),
        ];
        for (text, message) in cases {
            let text = text.replace("HEADER", HEADER);
            assert_eq!(ConnectionTrace::parse(&text, Side::Responses), Err(message), "{text:?}");
        }
    }
}
