//! The rows up to a time do not depend on the end of the run, which is later.

use vegas_core::units::{Span, Time};
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Load;

use super::{Compared, against, differs};
use crate::run::Case;

/// Checks that a run that ends sooner has equal rows until its end.
pub(super) fn prefix(case: &Case<'_>) -> Result<Compared, String> {
    let mut other = case.scenario.clone();
    other.duration = Span::from_nanos(case.scenario.duration.as_nanos() / 8 * 5 + 1);
    let end = Time::ZERO + other.duration;
    // conversations are drawn until the run's end, so that a shorter run draws others
    if other.traffic.iter().any(|source| matches!(source.load, Load::Conversations(_))) {
        return Ok(Compared::No);
    }
    let starts = other.flows.iter().map(|flow| flow.start).chain(other.traffic.iter().map(|source| source.start));
    if starts.max().is_some_and(|last| last >= end) || other.duration >= case.scenario.duration {
        return Ok(Compared::No);
    }
    other.changes.retain(|change| change.at < end);
    let end_s = other.duration.as_nanos() as f64 / 1e9;
    against(case, &other, |shorter| same_until(end_s, &case.outcome, shorter))
}

fn same_until(end_s: f64, longer: &Outcome, shorter: &Outcome) -> Result<(), String> {
    let incidents =
        [longer, shorter].map(|outcome| outcome.incidents.iter().filter(|row| row.time_s < end_s).collect::<Vec<_>>());
    differs::rows("incident", &incidents[0], &incidents[1])?;
    let packets = [longer, shorter].map(|outcome| {
        outcome.capture.iter().filter(|packet| (packet.at.as_nanos() as f64 / 1e9) < end_s).collect::<Vec<_>>()
    });
    differs::rows("packet", &packets[0], &packets[1])?;
    let windows = [longer, shorter].map(|outcome| {
        let series = &outcome.flow_series;
        let rows = (0..series.time_s.len()).filter(|&row| series.time_s[row] < end_s);
        rows.map(|row| (series.time_s[row], series.flow[row], series.cwnd_segments[row], series.acked_bytes[row]))
            .collect::<Vec<_>>()
    });
    differs::rows("flow series", &windows[0], &windows[1])?;
    let queues = [longer, shorter].map(|outcome| {
        let series = &outcome.link_series;
        let rows = (0..series.time_s.len()).filter(|&row| series.time_s[row] < end_s);
        rows.map(|row| {
            (
                series.time_s[row],
                series.link[row],
                series.queue_packets[row],
                series.drops[row],
                series.utilisation[row],
            )
        })
        .collect::<Vec<_>>()
    });
    differs::rows("link series", &queues[0], &queues[1])
}
