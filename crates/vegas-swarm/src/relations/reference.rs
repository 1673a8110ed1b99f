//! The fast engine and the reference engine.

use vegas_sim::Engine;

use super::{Compared, differs};
use crate::run::Case;
use crate::run::{Run, bounded_on};

/// Checks that the reference engine, which has an event for each packet and link, gives the same tables.
pub(super) fn reference(case: &Case<'_>) -> Result<Compared, String> {
    match bounded_on(Engine::Reference, &case.scenario, 50 * case.outcome.events + 50_000) {
        Run::Over(_) => Ok(Compared::No),
        Run::Done(outcome) => differs::same(&case.outcome, &outcome).map(|()| Compared::Yes),
    }
}
