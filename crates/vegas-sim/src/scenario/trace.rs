//! Rate traces: files in Mahimahi's format.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use vegas_core::units::{Rate, Span};

use super::error::{Checked, Problem};

/// When a link of varying rate may send: one opportunity of 1500 bytes a line of the file, over and over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateTrace {
    /// ms since the start of a pass, ascending; the last is also the length of a pass.
    opportunities_ms: Vec<u32>,
    /// SHA-256 of the file, in hex.
    sha256: String,
}

/// A day at 1 Gb/s would be larger; the recorded traces have below a megabyte.
const FILE_BYTES_MAX: u64 = 256 << 20;

impl RateTrace {
    /// What one opportunity carries.
    pub const OPPORTUNITY_BYTES: u32 = 1500;

    /// Reads a trace: on each line a whole number of milliseconds, none less than the one before, the last above 0.
    /// The error says what is wrong and what would be right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut opportunities_ms: Vec<u32> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let last = opportunities_ms.last().copied().unwrap_or(0);
            match line.trim().parse() {
                Ok(time) if time >= last => opportunities_ms.push(time),
                Ok(time) => {
                    return Err(format!("line {number}: {time} comes after {last}; write milliseconds, ascending"));
                }
                Err(_) => {
                    let given: String = line.chars().take(40).collect();
                    return Err(format!("line {number}: \"{given}\" was given; write a whole number of milliseconds"));
                }
            }
        }
        match opportunities_ms.last() {
            None => Err("is empty; write a line for each opportunity, in milliseconds".into()),
            Some(0) => Err("ends at 0 ms; write at least one opportunity later than that".into()),
            Some(_) => Ok(RateTrace { opportunities_ms, sha256: sha256(text) }),
        }
    }

    /// ms since the start of a pass, ascending.
    pub fn opportunities_ms(&self) -> &[u32] {
        &self.opportunities_ms
    }

    /// SHA-256 of the file's text, in hex, as `sha256sum` prints it: what identifies the trace in a run's id.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The length of a pass.
    pub fn period(&self) -> Span {
        Span::from_millis(self.opportunities_ms.last().copied().unwrap_or(1).into())
    }

    /// The mean over a pass, rounded down, 1 bit/s at least.
    pub fn mean_rate(&self) -> Rate {
        let bits = self.opportunities_ms.len() as u128 * u128::from(Self::OPPORTUNITY_BYTES) * 8;
        let per_second = bits * 1_000_000_000 / u128::from(self.period().as_nanos());
        Rate::from_bits_per_second((per_second as u64).max(1))
    }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads the trace that `key` names; a relative name is relative to `folder`.
pub(super) fn load(key: &str, name: &str, folder: &Path) -> Checked<Arc<RateTrace>> {
    let path = folder.join(name);
    let problem = |what: String| Problem::new(key, format!("{}: {what}", path.display()));
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
    RateTrace::parse(&text).map(Arc::new).map_err(problem)
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
    fn what_is_none() {
        let cases = [
            ("", "is empty; write a line for each opportunity, in milliseconds"),
            ("0\n0\n", "ends at 0 ms; write at least one opportunity later than that"),
            ("5\n4\n", "line 2: 4 comes after 5; write milliseconds, ascending"),
            ("1\n\n2\n", "line 2: \"\" was given; write a whole number of milliseconds"),
            ("1.5\n", "line 1: \"1.5\" was given; write a whole number of milliseconds"),
            ("-1\n", "line 1: \"-1\" was given; write a whole number of milliseconds"),
        ];
        for (text, message) in cases {
            assert_eq!(RateTrace::parse(text), Err(message.into()));
        }
    }
}
