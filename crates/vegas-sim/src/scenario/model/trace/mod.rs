//! Traces: the files that links follow. A rate trace is in Mahimahi's format, or a table of times and rates.

mod column;
mod rates;
mod table;

pub(super) use column::{Meaning, unit_of};
pub(super) use table::{Table, is_missing, lines, number, rounded};

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use vegas_core::units::{Rate, Span, Time};

use super::own::{self, Language, Loader, Own};
use crate::scenario::read::error::{Checked, Problem};
use crate::scenario::read::field::Field;

/// The opportunities of a link with a varying rate to send: 1500 bytes for each line of Mahimahi's file, which repeats
/// at its end. A table of times and rates becomes such opportunities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateTrace {
    /// The times of the opportunities since the start of a pass, ms, ascending; the last is also the length of a pass.
    opportunities_ms: Vec<u32>,
    /// The SHA-256 of the file, in hex.
    sha256: String,
    /// What the file was taken for, unless it is Mahimahi's.
    taken_for: Option<String>,
}

/// The largest file, bytes: a day at 1 Gb/s would exceed it; the recorded traces are below a megabyte.
const FILE_BYTES_MAX: u64 = 256 << 20;

impl RateTrace {
    /// The bytes that one opportunity carries.
    pub const OPPORTUNITY_BYTES: u32 = 1500;

    /// Reads a trace by what its text is: Mahimahi's, or a table. The error names the problem and what would be right.
    pub fn parse(text: &str) -> Result<Self, String> {
        RateTrace::parse_stepped(text, None)
    }

    /// Does what [`RateTrace::parse`] does; a text with one value a line has rates, each of which holds for `step`.
    pub fn parse_stepped(text: &str, step: Option<Span>) -> Result<Self, String> {
        let (opportunities_ms, taken_for) = rates::read(text, step)?;
        match opportunities_ms.last() {
            None => Err("is empty; write a line for each opportunity, in milliseconds".into()),
            Some(0) => Err("ends at 0 ms; write at least one opportunity later than that".into()),
            Some(_) => Ok(RateTrace { opportunities_ms, sha256: sha256(text), taken_for }),
        }
    }

    /// What the file was taken for, unless it is Mahimahi's.
    pub fn taken_for(&self) -> Option<&str> {
        self.taken_for.as_deref()
    }

    /// The times of the opportunities since the start of a pass, ms, ascending.
    pub fn opportunities_ms(&self) -> &[u32] {
        &self.opportunities_ms
    }

    /// The SHA-256 of the file's text, in hex, as `sha256sum` prints it; it identifies the trace in a run's id.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The length of a pass.
    pub fn period(&self) -> Span {
        Span::from_millis(self.opportunities_ms.last().copied().unwrap_or(1).into())
    }

    /// The mean rate of a pass, rounded down; 1 bit/s at least.
    pub fn mean_rate(&self) -> Rate {
        let bits = self.opportunities_ms.len() as u128 * u128::from(Self::OPPORTUNITY_BYTES) * 8;
        let per_second = bits * 1_000_000_000 / u128::from(self.period().as_nanos());
        Rate::from_bits_per_second((per_second as u64).max(1))
    }

    /// The mean rate of the opportunities from one time (included) to a later one (excluded), rounded down.
    pub fn mean_rate_between(&self, from: Time, to: Time) -> Rate {
        let opportunities = self.opportunities_before(to).saturating_sub(self.opportunities_before(from));
        let bits = u128::from(opportunities) * u128::from(Self::OPPORTUNITY_BYTES) * 8;
        let nanos = u128::from(to.as_nanos().saturating_sub(from.as_nanos())).max(1);
        Rate::from_bits_per_second((bits * 1_000_000_000 / nanos) as u64)
    }

    /// The number of opportunities before `time`, over all passes; at the end of a pass, all of that pass.
    fn opportunities_before(&self, time: Time) -> u64 {
        let (passes, rest) = (time.as_nanos() / self.period().as_nanos(), time.as_nanos() % self.period().as_nanos());
        let of_pass = self.opportunities_ms.partition_point(|&at| u64::from(at) * 1_000_000 < rest);
        passes * self.opportunities_ms.len() as u64 + of_pass as u64
    }
}

/// Returns the SHA-256 of a text, in hex.
pub(super) fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a trace records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// The rate of a link.
    Rate,
    /// The delay of a link.
    Delay,
}

impl TraceKind {
    /// Tells what a text records; none if it may be either: two columns without names.
    pub fn of(text: &str) -> Option<TraceKind> {
        let mut first = lines(text);
        if first.any(|(_, line)| line.starts_with('[') && line.contains("time=")) {
            return Some(TraceKind::Delay);
        }
        let table = Table::of(text)?;
        let (rate, delay) = (table.place(Meaning::is_rate).is_some(), table.place(Meaning::is_delay).is_some());
        match (rate, delay, &table.names, table.columns) {
            (true, false, ..) => Some(TraceKind::Rate),
            (false, true, ..) => Some(TraceKind::Delay),
            (_, _, None, 1) => rates::read(text, None).is_ok().then_some(TraceKind::Rate),
            (_, _, None, 3 | 6) => Some(TraceKind::Rate),
            _ => None,
        }
    }
}

/// Loads the files that a scenario names.
pub trait Folder {
    /// Loads the text of the trace of this name, with what messages call the file; the error names the file, the
    /// problem, and what would be right.
    fn trace(&self, name: &str) -> Result<NamedText, String>;

    /// Loads the user's own algorithm of this name; the error names the problem and what would be right.
    fn own(&self, _language: Language, name: &str) -> Result<Own, String> {
        Err(own::not_loaded(name))
    }
}

/// The text of a file, and what messages call the file.
#[derive(Clone, Debug)]
pub struct NamedText {
    /// What messages call the file.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A folder of this machine; relative names are relative to it.
#[derive(Debug)]
pub struct OnDisk {
    folder: PathBuf,
    algorithms: own::Shelf,
}

impl OnDisk {
    /// The folder in which a scenario file lies.
    pub fn of(source: &str) -> Self {
        let folder = Path::new(source).parent().unwrap_or(Path::new("")).to_owned();
        OnDisk { folder, algorithms: own::Shelf::default() }
    }

    /// Sets the loader of users' own algorithms.
    pub fn with_loader(self, loader: Arc<dyn Loader>) -> Self {
        OnDisk { algorithms: own::Shelf::of(loader), ..self }
    }
}

impl Folder for OnDisk {
    fn trace(&self, name: &str) -> Result<NamedText, String> {
        let path = self.folder.join(name);
        let problem = |what: String| format!("{}: {what}", path.display());
        let remedy = "write the name of a trace, relative to the scenario file";
        let size = match fs::metadata(&path) {
            Ok(file) if file.is_file() => file.len(),
            Ok(_) => return Err(problem(format!("is no file; {remedy}"))),
            Err(error) => return Err(problem(format!("{error}; {remedy}"))),
        };
        if size > FILE_BYTES_MAX {
            return Err(problem(format!("has {size} bytes; a trace has {FILE_BYTES_MAX} at most")));
        }
        let text = fs::read_to_string(&path).map_err(|error| problem(format!("{error}; {remedy}")))?;
        Ok(NamedText { name: path.display().to_string(), text })
    }

    fn own(&self, language: Language, name: &str) -> Result<Own, String> {
        self.algorithms.get(language, name, &self.folder)
    }
}

/// Checks the time that each value of a trace holds.
pub(crate) fn step(key: &str, given: Option<Field<Span>>) -> Checked<Option<Span>> {
    match given {
        Some(Field(Span::ZERO)) => Err(Problem::new(key, "holds for no time; write a time above 0, such as \"10ms\"")),
        given => Ok(given.map(|step| step.0)),
    }
}

/// Reads the trace that `key` names, by what `parse` makes of its text.
pub(crate) fn load<T>(
    key: &str,
    name: &str,
    folder: &dyn Folder,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Checked<T> {
    let read = |NamedText { name, text }| parse(&text).map_err(|problem| format!("{name}: {problem}"));
    folder.trace(name).and_then(read).map_err(|problem| Problem::new(key, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_trace_is() {
        let trace = RateTrace::parse("0\n0\n3\n8\n").expect("a trace");
        assert_eq!(trace.opportunities_ms(), [0, 0, 3, 8]);
        assert_eq!(trace.period(), Span::from_millis(8));
        // 4 x 12000 bits in 8 ms
        assert_eq!(trace.mean_rate(), Rate::from_bits_per_second(6_000_000));
        let dos = RateTrace::parse("5\r\n7").expect("a trace");
        assert_eq!(dos.opportunities_ms(), RateTrace::parse("5\n7\n").expect("a trace").opportunities_ms());
        // printf '0\n0\n3\n8\n' | sha256sum
        assert_eq!(trace.sha256(), "0dbb6bcc6340f6e01f10d475360575fad1f131142573f3c89768e50298061b6a");
    }

    #[test]
    fn means_between_times() {
        let trace = RateTrace::parse("0\n0\n3\n8\n").expect("a trace");
        let mean = |from_ms, to_ms| {
            let at = |ms| Time::ZERO + Span::from_millis(ms);
            trace.mean_rate_between(at(from_ms), at(to_ms)).as_bits_per_second()
        };
        // 2 opportunities in 2 ms, 1 in 2 ms and 1 in 4 ms; then a pass, the halves of two passes, and two passes
        assert_eq!([mean(0, 2), mean(2, 4), mean(4, 8)], [12_000_000, 6_000_000, 3_000_000]);
        assert_eq!([mean(0, 8), mean(4, 12), mean(0, 16)], [6_000_000, 6_000_000, 6_000_000]);
        assert_eq!(mean(5, 7), 0);
    }

    #[test]
    fn what_is_none() {
        let cases = [
            ("", "is empty; write a line for each opportunity, in milliseconds"),
            ("0\n0\n", "ends at 0 ms; write at least one opportunity later than that"),
            ("5\n4\n", "line 2: is less than the line before; write milliseconds, ascending"),
            ("1\n\nx\n", "line 3: is no whole number of milliseconds from 0 to 4294967295"),
            ("1.5\n", "line 1: is no whole number of milliseconds from 0 to 4294967295"),
            ("root:$y$j9T$secret:19000::::\n", "line 1: is no whole number of milliseconds from 0 to 4294967295"),
            ("-1\n", "line 1: is no whole number of milliseconds from 0 to 4294967295"),
        ];
        for (text, message) in cases {
            assert_eq!(RateTrace::parse(text), Err(message.into()));
        }
    }
}
