//! Errors in a scenario file: one line each, with the file, the place, the given value, and what would be right.

use crate::util::watch::Stopped;
use std::fmt;

/// The reason why a scenario file cannot be run. It displays as one line:
/// `FILE:LINE: KEY: what was given; what would be right`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    pub(crate) source: String,
    pub(crate) place: Place,
    pub(crate) problem: Problem,
}

/// The place of the error in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Unknown,
    Line(usize),
    LineColumn(usize, usize),
    /// A value set beside the file, as given. Callers have different names for that (`--set`, `set=`, a key of a plan),
    /// so the message has none.
    Override(String),
}

/// A key, and the problem with its value: "what was given; what would be right".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The dotted key; empty for the file as a whole.
    pub(crate) key: String,
    pub(crate) message: String,
}

/// The result of a check.
pub(crate) type Checked<T> = Result<T, Problem>;

impl From<Stopped> for Problem {
    fn from(Stopped(why): Stopped) -> Self {
        Problem::new("", why)
    }
}

impl Problem {
    pub(crate) fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Problem { key: key.into(), message: message.into() }
    }

    /// The problem of a required key that is missing.
    pub(crate) fn missing(key: impl Into<String>) -> Self {
        let key = key.into();
        let name = key.rsplit('.').next().unwrap_or_default();
        let message = format!("is missing; give one, such as {}", example(&key, name));
        Problem { key, message }
    }

    /// Translates serde's message about a key.
    pub(crate) fn from_serde(key: String, message: &str) -> Self {
        let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.rsplit_once("`, expected "));
        if let Some((given, expected)) = unknown {
            let known = expected.split('`').skip(1).step_by(2);
            return Problem::new(key, format!("unknown key; {}", suggestion(given, known)));
        }
        if let Some(field) = message.strip_prefix("missing field `") {
            return Problem::missing(child(&key, field.trim_end_matches('`')));
        }
        if let Some((given, expected)) =
            message.strip_prefix("invalid type: ").and_then(|m| m.rsplit_once(", expected "))
        {
            return Problem::new(key, format!("{} was given; expected {}", readable(given), readable(expected)));
        }
        Problem::new(key, message)
    }
}

/// Translates serde's words for a type to those of a scenario file.
fn readable(words: &str) -> String {
    let plain = match words {
        "map" => "a table",
        "sequence" => "a list",
        "a sequence" => "a list (of tables: [[...]])",
        "a boolean" => "true or false",
        "a string" => "a text",
        "null" => "nothing",
        // for example "integer `5`" or "string \"yes\""
        other => {
            let value =
                ["integer ", "floating point ", "boolean ", "string "].iter().find_map(|kind| other.strip_prefix(kind));
            value.unwrap_or(other).trim_matches('`')
        }
    };
    plain.to_string()
}

/// Returns a line that would be right for a missing key.
fn example(key: &str, name: &str) -> &'static str {
    match name {
        "name" => "name = \"my-run\"",
        "duration" => "duration = \"60s\"",
        "topology" => "a [topology] table with kind = \"dumbbell\"",
        "kind" if key.ends_with("queue.kind") => "kind = \"codel\"",
        "kind" if key.contains("application") => "kind = \"rate\"",
        "ladder" => "ladder = [\"1mbit\", \"2.5mbit\", \"5mbit\"]",
        "layers" => "layers = [{ every = \"20ms\", size = \"80b\" }]",
        "every" => "every = \"20ms\"",
        "limit" => "limit = \"100p\"",
        "kind" => "kind = \"dumbbell\"",
        "access" => "access = { rate = \"1gbit\", delay = \"1ms\" }",
        "bottleneck" => "bottleneck = { rate = \"50mbit\", delay = \"48ms\", queue = \"100p\" }",
        "flow" => "a [[flow]] table with algorithm = \"vegas\"",
        "algorithm" => "algorithm = \"vegas\"",
        "rate" => "rate = \"50mbit\"",
        "delay" => "delay = \"48ms\"",
        "queue" => "queue = \"100p\"",
        "at" => "at = \"20s\"",
        "via" => "via = [\"south\"]",
        "trace" if key.starts_with("traffic") => "trace = \"connections.csv\"",
        "trace" => "trace = \"lte.down\"",
        "probability" => "probability = \"1%\"",
        "model" => "model = \"gilbert-elliott\"",
        "good_to_bad" => "good_to_bad = \"1%\"",
        "bad_to_good" => "bad_to_good = \"25%\"",
        "hops" => "hops = 3",
        "nodes" => "nodes = [\"a\", \"r\", \"b\"]",
        "link" if key.starts_with("change") => "link = \"r1->r2\"",
        "link" | "between" => "[[topology.link]] with between = [\"a\", \"b\"]",
        "on" => "on = \"500ms\"",
        "off" => "off = \"500ms\"",
        "interarrival" => "interarrival = \"100ms\"",
        "size" => "size = \"10kb\"",
        "from" => "from = \"a\"",
        "to" => "to = \"b\"",
        _ => "the one in docs/scenario.md",
    }
}

/// Returns "did you mean ...?" if a known name is similar, else the list of names.
pub(crate) fn suggestion<'a>(given: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    const LENGTH_MAX: usize = 40;
    let given: String = given.trim_matches('"').chars().take(LENGTH_MAX).collect();
    let limit = (given.chars().count() / 3).max(1);
    let distance = |name: &str| strsim::damerau_levenshtein(name, &given);
    let close = known.clone().map(|name| (distance(name), name)).filter(|(distance, _)| *distance <= limit);
    match close.min() {
        Some((_, name)) => format!("did you mean \"{name}\"?"),
        None => format!("expected one of {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the dotted key of `name` within `key`.
pub(crate) fn child(key: &str, name: impl fmt::Display) -> String {
    if key.is_empty() { name.to_string() } else { format!("{key}.{name}") }
}

impl ScenarioError {
    /// The dotted key concerned; empty for the file as a whole.
    pub fn key(&self) -> &str {
        &self.problem.key
    }

    /// What was given, and what would be right.
    pub fn message(&self) -> &str {
        &self.problem.message
    }

    /// The line of the file, from 1, where known.
    pub fn line(&self) -> Option<usize> {
        match self.place {
            Place::Line(line) | Place::LineColumn(line, _) => Some(line),
            Place::Unknown | Place::Override(_) => None,
        }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &self.place {
            Place::Unknown => String::new(),
            Place::Line(line) => format!(":{line}"),
            Place::LineColumn(line, column) => format!(":{line}:{column}"),
            Place::Override(set) => format!(": with {set}"),
        };
        let key = if self.problem.key.is_empty() { String::new() } else { format!("{}: ", self.problem.key) };
        f.write_str(&one_line(&format!("{}{place}: {key}{}", self.source, self.problem.message)))
    }
}

impl std::error::Error for ScenarioError {}

/// Puts a message on one line of readable length, because a user's text may contain any characters.
fn one_line(text: &str) -> String {
    const LENGTH_MAX: usize = 600;
    let mut line: String = text
        .chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
        .take(LENGTH_MAX)
        .collect();
    if line.chars().count() == LENGTH_MAX {
        line.push('…');
    }
    line
}
