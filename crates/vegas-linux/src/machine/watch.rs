//! Live connections that use an installed congestion control: their state, step by step.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use vegas_core::units::{Span, Time};
use vegas_results::{Series, TableFormat};
use vegas_sim::outcome::{FlowSeries, Outcome};
use vegas_sim::scenario::Scenario;

use crate::Error;
use crate::choice::smallest;
use crate::clock::Clock;
use crate::kernel::reading::{Reading, mbps};
use crate::kernel::records::Record;
use crate::kernel::trace::Trace;
use crate::machine::installed::Installed;

/// Follows the connections of some installations.
pub struct Watch {
    sources: Vec<Source>,
    /// The connections by source and by the kernel's number of the socket.
    connections: BTreeMap<(usize, u64), Connection>,
    seen: u32,
    clock: Clock,
    /// All rows so far, if they are to be written.
    kept: Option<FlowSeries>,
    /// The scenario that the tables require besides the rows; the rows do not depend on it.
    scenario: Scenario,
}

struct Source {
    installed: Installed,
    trace: Trace<'static>,
    lost_before: u64,
    _lock: File,
}

struct Connection {
    flow: u32,
    reading: Reading,
    heard: Time,
    row_at: Time,
    row_bytes: u64,
}

/// The state of all connections at an instant.
#[derive(Clone, Debug)]
pub struct Step {
    /// A row for each connection, as in the table `flow_series`.
    pub series: FlowSeries,
    /// The fields that the table lacks, for each row: `algorithm`, `local`, `remote` and `silent_s`.
    about: Vec<Value>,
    /// The time since the watch began, s.
    pub time_s: f64,
    /// Records for which the trace had no room since the watch began.
    pub records_lost: u64,
}

/// A connection without records for this long is taken to have ended; if it has not, it reappears under another number.
const SILENT: Span = Span::from_millis(10_000);
/// The longest wait for one source, so that the trace of no other fills up meanwhile.
const NAP: Duration = Duration::from_millis(20);

impl Watch {
    /// Begins to watch; the kernel traces these installations until this value is dropped. `keep`: rows will be
    /// written.
    pub fn begin(all: &[Installed], keep: bool) -> Result<Self, Error> {
        let source = |installed: &Installed| {
            let (trace, lock) = installed.trace()?;
            let lost_before = installed.records_lost()?;
            Ok(Source { installed: installed.clone(), trace, lost_before, _lock: lock })
        };
        Ok(Watch {
            sources: all.iter().map(source).collect::<Result<_, Error>>()?,
            connections: BTreeMap::new(),
            seen: 0,
            clock: Clock::start(),
            kept: keep.then(FlowSeries::default),
            scenario: smallest(json!("vegas"), &[])?,
        })
    }

    /// Reads records until `end`, a time since the beginning, or until `stop`; returns the state then.
    pub fn until(&mut self, end: Time, stop: impl Fn() -> bool) -> Result<Step, Error> {
        while self.clock.now() < end && !stop() {
            for place in 0..self.sources.len() {
                let left = end.since(self.clock.now());
                let records = self.sources[place].trace.next(NAP.min(Duration::from_nanos(left.as_nanos())))?;
                records.iter().for_each(|record| self.note(place, record));
            }
        }
        self.step()
    }

    /// Returns the rows of a step, keyed by column, with the fields that the table lacks.
    pub fn rows(&self, step: &Step) -> Vec<Value> {
        let mut rows = Series::Flows.rows(&self.scenario, &outcome(step.series.clone()));
        for (row, about) in rows.iter_mut().zip(&step.about) {
            if let (Value::Object(row), Value::Object(about)) = (row, about) {
                row.extend(about.clone());
            }
        }
        rows
    }

    /// Writes the rows of all steps, if they were kept.
    pub fn write(&self, path: &Path, format: TableFormat) -> Result<(), Error> {
        let rows = outcome(self.kept.clone().unwrap_or_default());
        Series::Flows.write(path, format, &self.scenario, &rows).map_err(|error| Error(error.to_string()))
    }

    fn note(&mut self, place: usize, record: &Record) {
        let now = self.clock.at(record.event.now_ns);
        let seen = &mut self.seen;
        let connection = self.connections.entry((place, record.flow)).or_insert_with(|| {
            let flow = *seen;
            *seen += 1;
            let mut first = Reading::default();
            first.note(record);
            Connection { flow, reading: Reading::default(), heard: now, row_at: now, row_bytes: first.acked_bytes() }
        });
        connection.reading.note(record);
        connection.heard = now;
    }

    fn step(&mut self) -> Result<Step, Error> {
        let now = self.clock.now();
        self.connections.retain(|_, connection| now.since(connection.heard) < SILENT);
        let mut step = Step { series: FlowSeries::default(), about: Vec::new(), time_s: seconds(now), records_lost: 0 };
        for source in &self.sources {
            // if it was removed meanwhile, it counts no lost record
            let lost = source.installed.records_lost().unwrap_or(source.lost_before);
            step.records_lost += lost - source.lost_before;
        }
        let mut live: Vec<_> = self.connections.iter_mut().collect();
        live.sort_by_key(|(_, connection)| connection.flow);
        for ((place, _), connection) in live {
            let bytes = connection.reading.acked_bytes();
            let span_s = now.since(connection.row_at).as_nanos() as f64 / 1e9;
            let rate = mbps(bytes.saturating_sub(connection.row_bytes), span_s);
            for series in [Some(&mut step.series), self.kept.as_mut()].into_iter().flatten() {
                connection.reading.push_row(seconds(now), connection.flow, rate, series);
            }
            step.about.push(about(&self.sources[*place].installed, connection, now));
            (connection.row_at, connection.row_bytes) = (now, bytes);
        }
        Ok(step)
    }
}

fn about(installed: &Installed, connection: &Connection, now: Time) -> Value {
    let newest = connection.reading.newest().copied().unwrap_or_default();
    json!({
        "algorithm": installed.kernel_name,
        "local": newest.local().to_string(),
        "remote": newest.remote().to_string(),
        "silent_s": now.since(connection.heard).as_nanos() as f64 / 1e9,
    })
}

fn outcome(flow_series: FlowSeries) -> Outcome {
    Outcome { flow_series, ..Outcome::default() }
}

fn seconds(time: Time) -> f64 {
    time.as_nanos() as f64 / 1e9
}
