//! Relations: what must hold between the runs of related scenarios. Each is a function that runs the other scenario and
//! compares.

mod ahead;
mod differs;
mod documents;
mod flows;
mod observed;
mod prefix;
mod reference;
mod scaled;

use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

use crate::run::Case;
use crate::run::{Run, bounded};

/// A relation between the runs of related scenarios.
#[derive(Debug)]
pub struct Relation {
    /// The name in findings.
    pub name: &'static str,
    /// Checks the relation; an error says in a line what does not hold.
    pub check: fn(&Case<'_>) -> Result<Compared, String>,
    /// The percentage of networks of which the relation is checked; a relation that seldom applies is checked more
    /// often.
    pub(crate) percent: u64,
}

/// Whether a relation compared two runs of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Two runs were compared.
    Yes,
    /// The relation does not apply, or the other run would take too long.
    No,
}

/// All relations.
pub const ALL: &[Relation] = &[
    Relation { name: "twice", check: observed::twice, percent: 25 },
    Relation { name: "sampling", check: observed::sampling, percent: 30 },
    Relation { name: "captured", check: observed::captured, percent: 25 },
    Relation { name: "lookahead", check: ahead::lookahead, percent: 30 },
    Relation { name: "prefix", check: prefix::prefix, percent: 30 },
    Relation { name: "idle_flow", check: flows::idle_flow, percent: 30 },
    Relation { name: "flows_permuted", check: flows::flows_permuted, percent: 40 },
    Relation { name: "count_written_out", check: documents::count_written_out, percent: 50 },
    Relation { name: "keys_reversed", check: documents::keys_reversed, percent: 10 },
    Relation { name: "as_toml", check: documents::as_toml, percent: 100 },
    Relation { name: "scaled", check: scaled::scaled, percent: 100 },
    Relation { name: "reference", check: reference::reference, percent: 40 },
];

/// Returns the relation of this name.
pub fn named(name: &str) -> Option<&'static Relation> {
    ALL.iter().find(|relation| relation.name == name)
}

/// Runs the other scenario, which may take many times the events of the case, and judges its outcome.
fn against(
    case: &Case<'_>,
    other: &Scenario,
    judge: impl FnOnce(&Outcome) -> Result<(), String>,
) -> Result<Compared, String> {
    match bounded(other, 50 * case.outcome.events + 50_000) {
        Run::Over(_) => Ok(Compared::No),
        Run::Done(outcome) => judge(&outcome).map(|()| Compared::Yes),
    }
}
