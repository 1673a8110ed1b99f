//! The verdict on a document: refused, too long, held, or the first check that fails.

use serde_json::Value;
use vegas_sim::scenario::ScenarioError;

use crate::invariants;
use crate::panics::{Panic, guarded};
use crate::relations::{Compared, Relation};
use crate::run::{self, Case};

/// The name of the check that the simulator does not panic, which includes its own assertions and overflows.
pub const NO_PANIC: &str = "no_panic";
/// The name of the check that a refusal is one line.
pub const REFUSED_IN_ONE_LINE: &str = "refused_in_one_line";

/// A check that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The check's name.
    pub check: &'static str,
    /// The file and line of a panic of the simulator; else empty.
    pub place: String,
    /// A line that says what does not hold.
    pub message: String,
}

impl Failure {
    /// Returns whether this is the same finding; its numbers may differ.
    pub fn is_like(&self, other: &Failure) -> bool {
        (self.check, &self.place) == (other.check, &other.place)
    }

    fn of_panic(panic: Panic) -> Self {
        Failure { check: NO_PANIC, place: panic.place, message: panic.message }
    }
}

/// The verdict on a document.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Validation refused the document, with this line.
    Refused(String),
    /// The run takes too many events, however short it is.
    TooLong,
    /// All checks hold.
    Held {
        /// The number of events of the run itself.
        events: u64,
        /// The names of the relations that were compared.
        compared: Vec<&'static str>,
    },
    /// A check does not hold of this document.
    Failed(Box<Value>, Failure),
}

impl Verdict {
    /// Returns the check that failed.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Verdict::Failed(_, failure) => Some(failure),
            _ => None,
        }
    }
}

/// Checks a document with all invariants and with these relations; its run takes at most `events` events.
pub fn examine(document: &Value, source: &str, events: u64, relations: &[&Relation]) -> Verdict {
    let failed = |failure| Verdict::Failed(Box::new(document.clone()), failure);
    let case = match guarded(|| run::fitted(document.clone(), source, events)) {
        Err(panic) => return failed(Failure::of_panic(panic)),
        Ok(Err(refusal)) => return refused(&refusal).map_or_else(failed, Verdict::Refused),
        Ok(Ok(None)) => return Verdict::TooLong,
        Ok(Ok(Some(case))) => case,
    };
    let failed = |failure| Verdict::Failed(Box::new(case.document.clone()), failure);
    match check(&case, relations) {
        Ok(compared) => Verdict::Held { events: case.outcome.events, compared },
        Err(failure) => failed(failure),
    }
}

/// Returns the line of a refusal; an error if the refusal is no such line.
fn refused(refusal: &ScenarioError) -> Result<String, Failure> {
    let line = refusal.to_string();
    let message = match line.chars().find(|c| c.is_control()) {
        Some(c) => format!("{c:?} in {line:?}"),
        None if line.chars().count() > 1_000 => format!("{} characters", line.chars().count()),
        None => return Ok(line),
    };
    Err(Failure { check: REFUSED_IN_ONE_LINE, place: String::new(), message })
}

fn check(case: &Case<'_>, relations: &[&Relation]) -> Result<Vec<&'static str>, Failure> {
    let failure = |check, message| Failure { check, place: String::new(), message };
    for (name, invariant) in invariants::ALL {
        invariant(case).map_err(|message| failure(name, message))?;
    }
    let mut compared = Vec::new();
    for relation in relations {
        match guarded(|| (relation.check)(case)).map_err(Failure::of_panic)? {
            Ok(Compared::Yes) => compared.push(relation.name),
            Ok(Compared::No) => {}
            Err(message) => return Err(failure(relation.name, message)),
        }
    }
    Ok(compared)
}
