//! What a script says of a host.

use std::fmt;

use vegas_core::units::Time;

/// What a script says of a host, and how it went.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether the host does what the script expects.
    pub verdict: Verdict,
    /// What happened, a line for each event, with its time and its line of the script.
    pub walk: Vec<String>,
}

/// Whether a host does what a script expects.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It does.
    Pass,
    /// It does not.
    Fail(Failure),
    /// The script needs these things, which the host does not model.
    NotApplicable(Vec<Need>),
}

/// Something that a script needs and a host does not model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The first line of the script that needs it.
    pub line: u32,
    /// What it is, such as `fast open`.
    pub what: String,
}

impl fmt::Display for Need {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.what)
    }
}

/// The first difference between a script and a host.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The line of the script that does not hold.
    pub line: u32,
    /// When it was found.
    pub at: Time,
    /// What differs.
    pub message: String,
    /// What the script expects, and what the host does, each as the script writes it.
    pub expected_and_actual: Option<(String, String)>,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}, at {} s: {}", self.line, seconds(self.at), self.message)?;
        match &self.expected_and_actual {
            Some((expected, actual)) => write!(out, "\n    expected  {expected}\n    actual    {actual}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Pass => out.write_str("pass"),
            Verdict::Fail(failure) => write!(out, "fail: {failure}"),
            Verdict::NotApplicable(needs) => {
                let needs: Vec<String> = needs.iter().map(Need::to_string).collect();
                write!(out, "not applicable: {}", needs.join("; "))
            }
        }
    }
}

/// A time in seconds, to the microsecond.
pub(crate) fn seconds(time: Time) -> String {
    let micros = time.as_nanos() / 1_000;
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}
