//! Invariants of links: queues, drops, and traffic that crosses them.

use vegas_sim::outcome::{IncidentKind, QueueOutcome};
use vegas_sim::scenario::{Discipline, LinkId, QueueLimit, Scenario};

use super::{changes_of, ensure, link_name};
use crate::run::Case;

/// Checks that a queue holds at most its limit, which is the greatest limit that it has in the run. The packet being
/// sent counts for the limit, but does not wait.
pub(super) fn queue_within_limit(case: &Case<'_>) -> Result<(), String> {
    let Case { scenario, outcome, .. } = case;
    for (link, total) in outcome.links.iter().enumerate() {
        let (packets, name) = (packets_max(scenario, link), || link_name(scenario, link));
        let waiting = total.max_queue_packets;
        ensure(waiting <= packets, || format!("{}: {waiting} packets wait, limit {packets}", name()))?;
        ensure(total.mean_queue_packets <= waiting as f64 * (1.0 + 1e-9), || {
            format!("{}: {} packets wait on average, {waiting} at most", name(), total.mean_queue_packets)
        })?;
    }
    let series = &outcome.link_series;
    for (row, &link) in series.link.iter().enumerate() {
        let (bytes, most) = (series.queue_bytes[row], bytes_max(scenario, link as usize));
        ensure(bytes <= most, || format!("{}: {bytes} bytes wait, limit {most}", link_name(scenario, link as usize)))?;
        let (now, most) = (series.queue_packets[row], outcome.links[link as usize].max_queue_packets);
        ensure(u64::from(now) <= most, || {
            format!("{}: {now} packets wait, {most} at most", link_name(scenario, link as usize))
        })?;
    }
    Ok(())
}

fn packets_max(scenario: &Scenario, link: LinkId) -> u64 {
    limits(scenario, link)
        .map(|limit| if let QueueLimit::Packets(most) = limit { u64::from(most) } else { u64::MAX })
        .max()
        .unwrap_or(0)
}

fn bytes_max(scenario: &Scenario, link: LinkId) -> u64 {
    limits(scenario, link)
        .map(|limit| if let QueueLimit::Bytes(most) = limit { most.get() } else { u64::MAX })
        .max()
        .unwrap_or(0)
}

fn limits(scenario: &Scenario, link: LinkId) -> impl Iterator<Item = QueueLimit> {
    let changed = changes_of(scenario, link).filter_map(|(_, change)| change.queue);
    std::iter::once(scenario.links[link].queue).chain(changed)
}

/// Checks that percentiles rise, and that neither they, by more than their resolution of 1 %, nor the mean exceed the
/// longest time.
pub(super) fn queueing_times_ordered(case: &Case<'_>) -> Result<(), String> {
    for (link, total) in case.outcome.links.iter().enumerate() {
        let Some(times) = total.queueing else { continue };
        let percentiles = [times.p50_ms, times.p95_ms, times.p99_ms, times.max_ms * 1.01];
        ensure(percentiles.is_sorted() && times.mean_ms <= times.max_ms * (1.0 + 1e-9), || {
            format!("{}: {times:?}", link_name(&case.scenario, link))
        })?;
    }
    Ok(())
}

/// Checks that the queues of a link have its packets between them: its marks, no more than its drops, which
/// impairments add to, and its waiting times.
pub(super) fn queues_are_parts_of_links(case: &Case<'_>) -> Result<(), String> {
    for (link, total) in case.outcome.links.iter().enumerate().filter(|(_, total)| !total.queues.is_empty()) {
        let sum = |of: fn(&QueueOutcome) -> u64| total.queues.iter().map(of).sum::<u64>();
        let times = || total.queues.iter().filter_map(|queue| Some((queue.packets as f64, queue.queueing?)));
        let (packets, longest_ms) = (sum(|queue| queue.packets), times().map(|(_, t)| t.max_ms).fold(0.0, f64::max));
        let mean_ms = times().map(|(part, times)| part * times.mean_ms).sum::<f64>() / packets as f64;
        let of_link = total.queueing.map(|times| (times.mean_ms, times.max_ms));
        let has_times = match of_link {
            Some((mean, max)) => packets > 0 && (mean_ms - mean).abs() <= 1e-9 * max.max(1.0) && longest_ms == max,
            None => packets == 0,
        };
        let holds = sum(|queue| queue.marks) == total.marks && sum(|queue| queue.drops) <= total.drops && has_times;
        ensure(holds, || format!("{}: {total:?}", link_name(&case.scenario, link)))?;
    }
    Ok(())
}

/// Checks that the L queue of DualPI2 has marked the packets that waited in it for longer than its step (RFC 9332,
/// section 4.2; Linux's `step_thresh`): as many, at least, as the percentiles of its waiting times tell.
pub(super) fn marked_beyond_step(case: &Case<'_>) -> Result<(), String> {
    for (link, total) in case.outcome.links.iter().enumerate() {
        let Discipline::DualPi2(spec) = case.scenario.links[link].discipline else { continue };
        let Some((queue, times)) = total.queues.first().and_then(|queue| Some((queue, queue.queueing?))) else {
            continue;
        };
        // a percentile is within 1 %
        let beyond_ms = spec.step.as_nanos() as f64 / 1e6 * 1.02;
        let percentiles = [(times.p50_ms, 0.5), (times.p95_ms, 0.05), (times.p99_ms, 0.01)];
        for (_, part) in percentiles.into_iter().filter(|(waited_ms, _)| *waited_ms > beyond_ms) {
            let least = (queue.packets as f64 * part).floor();
            ensure(queue.marks as f64 >= least, || {
                format!("{}: {queue:?}, of which {least} waited beyond the step", link_name(&case.scenario, link))
            })?;
        }
    }
    Ok(())
}

/// Checks that no transmitter is busy for longer than the time that has passed.
pub(super) fn utilisation_within_one(case: &Case<'_>) -> Result<(), String> {
    for (link, total) in case.outcome.links.iter().enumerate() {
        ensure(total.utilisation <= 1.0 + 1e-9, || {
            format!("{}: utilisation {}", link_name(&case.scenario, link), total.utilisation)
        })?;
    }
    let series = &case.outcome.link_series;
    ensure(series.utilisation.iter().all(|&part| part <= 1.0 + 1e-9), || "a row has a utilisation above 1".into())
}

/// Checks that each drop and mark of a flow's packet is a row of the incidents; those of traffic have no rows.
pub(super) fn drops_have_rows(case: &Case<'_>) -> Result<(), String> {
    let has_traffic = !case.scenario.traffic.is_empty();
    let mut rows = vec![[0u64; 2]; case.outcome.links.len()];
    for incident in &case.outcome.incidents {
        let Some(link) = incident.link else { continue };
        let kind = usize::from(incident.kind == IncidentKind::Mark);
        rows[link as usize][kind] += 1;
    }
    for (link, (rows, total)) in rows.iter().zip(&case.outcome.links).enumerate() {
        let totals = [total.drops, total.marks];
        let holds = rows.iter().zip(&totals).all(|(rows, total)| rows == total || has_traffic && rows < total);
        ensure(holds, || {
            format!("{}: {rows:?} rows of drops and marks, {totals:?} counted", link_name(&case.scenario, link))
        })?;
    }
    Ok(())
}

/// Checks that the packets that a source has sent are delivered, lost or under way, unless the network duplicates
/// packets.
pub(super) fn traffic_conserved(case: &Case<'_>) -> Result<(), String> {
    if case.scenario.links.iter().any(|link| link.impairments.duplicate_ppm > 0) {
        return Ok(());
    }
    for (source, total) in case.outcome.traffic.iter().enumerate() {
        ensure(total.delivered_packets + total.lost_packets <= total.sent_packets, || {
            format!("traffic {source}: {total:?}")
        })?;
    }
    Ok(())
}
