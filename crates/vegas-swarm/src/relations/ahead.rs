//! Links that are fed ahead of time, compared with links that have an event at each hop.

use vegas_core::units::{Span, Time};
use vegas_sim::scenario::{Change, LinkChange, QueueLimit, Sampling, ScheduledChange};

use super::{Compared, against, differs};
use crate::run::Case;

/// Checks that lookahead changes no results. A link that a change changes is not fed ahead of time; so every link gets
/// a change at the last moment that sets the queue's limit to its old value. A change of the delay, even to the old
/// value, would carry packets on their way beside the link, in another order at one instant.
pub(super) fn lookahead(case: &Case<'_>) -> Result<Compared, String> {
    if case.scenario.sampling == Sampling::EveryChange {
        return Ok(Compared::No); // nothing is fed ahead of time
    }
    let mut other = case.scenario.clone();
    let last = Time::ZERO + case.scenario.duration.less(Span::from_nanos(1));
    let mut limits: Vec<QueueLimit> = other.links.iter().map(|link| link.queue).collect();
    for scheduled in &other.changes {
        if let Change::Link(change) = &scheduled.change {
            limits[change.link] = change.queue.unwrap_or(limits[change.link]);
        }
    }
    for (link, limit) in limits.into_iter().enumerate() {
        let same = LinkChange { link, rate: None, delay: None, queue: Some(limit), loss_ppm: None };
        other.changes.push(ScheduledChange { at: last, change: Change::Link(same) });
    }
    against(case, &other, |outcome| differs::same(&case.outcome, outcome))
}
