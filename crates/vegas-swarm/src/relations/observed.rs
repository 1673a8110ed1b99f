//! Observing a run changes nothing.

use vegas_core::units::Span;
use vegas_quic_sim::Quic;
use vegas_sim::Simulation;
use vegas_sim::scenario::{Sampling, Transport};

use super::{Compared, against, differs};
use crate::run::Case;

/// Checks that a second run gives the results of the first, also in slices of a few events.
pub(super) fn twice(case: &Case<'_>) -> Result<Compared, String> {
    const SLICE_EVENTS: u64 = 7;
    let mut simulation = Simulation::with_stack(&case.scenario, Some(&Quic));
    while !simulation.advance(SLICE_EVENTS).finished {}
    let again = simulation.finish();
    differs::value("events", &case.outcome.events, &again.events)?;
    differs::same(&case.outcome, &again).map(|()| Compared::Yes)
}

/// Checks that another sampling gives the same totals.
pub(super) fn sampling(case: &Case<'_>) -> Result<Compared, String> {
    let step = Span::from_nanos(case.scenario.duration.as_nanos() / 13 + 1);
    let others = match case.scenario.sampling {
        Sampling::Off => [Sampling::EveryChange, Sampling::Every(step)],
        Sampling::EveryChange => [Sampling::Off, Sampling::Every(step)],
        Sampling::Every(_) => [Sampling::Off, Sampling::EveryChange],
    };
    let mut compared = Compared::No;
    for sampling in others {
        let mut other = case.scenario.clone();
        other.sampling = sampling;
        let judged = against(case, &other, |outcome| differs::same_but_for_series(&case.outcome, outcome));
        if judged.map_err(|difference| format!("{:?}, and {sampling:?}: {difference}", case.scenario.sampling))?
            == Compared::Yes
        {
            compared = Compared::Yes;
        }
    }
    Ok(compared)
}

/// Checks that a capture changes no other results.
pub(super) fn captured(case: &Case<'_>) -> Result<Compared, String> {
    if case.scenario.flows.iter().any(|flow| flow.transport == Transport::Quic) {
        return Ok(Compared::No);
    }
    let mut other = case.scenario.clone();
    other.capture = !other.capture;
    against(case, &other, |outcome| {
        let mut outcome = outcome.clone();
        outcome.capture.clone_from(&case.outcome.capture);
        differs::same(&case.outcome, &outcome)
    })
}
