//! Invariants of totals, times and counters.

use vegas_core::units::Span;
use vegas_core::{Signal, Standalone};
use vegas_sim::outcome::{FlowOutcome, LinkOutcome};
use vegas_sim::scenario::{Change, LinkId, Misbehaviour, Scenario, Transport};

use super::{changes_of, ensure, is_rerouted};
use crate::run::Case;

/// Checks that every number of the totals and of the series is finite and not negative.
pub(super) fn numbers_finite(case: &Case<'_>) -> Result<(), String> {
    let good = |value: f64| value.is_finite() && value >= 0.0;
    let outcome = &case.outcome;
    for (flow, total) in outcome.flows.iter().enumerate() {
        ensure(numbers_of_flow(total).into_iter().flatten().all(good), || format!("flow {flow}: {total:?}"))?;
    }
    for (link, total) in outcome.links.iter().enumerate() {
        ensure(numbers_of_link(total).into_iter().flatten().all(good), || format!("link {link}: {total:?}"))?;
    }
    for (source, total) in outcome.traffic.iter().enumerate() {
        let goodput = total.transfers.as_ref().map_or(0.0, |transfers| transfers.goodput_mbps);
        let numbers = [total.start_s, total.sent_mbps, total.throughput_mbps, goodput];
        ensure(numbers.into_iter().all(good), || format!("traffic {source}: {total:?}"))?;
    }
    let series = (&outcome.flow_series, &outcome.link_series);
    let columns =
        [&series.0.cwnd_segments, &series.0.throughput_mbps, &series.1.throughput_mbps, &series.1.utilisation];
    ensure(columns.into_iter().flatten().copied().all(good), || "a row of the series has an infinite number".into())
}

fn numbers_of_flow(total: &FlowOutcome) -> [Option<f64>; 9] {
    [
        Some(total.throughput_mbps),
        Some(total.goodput_mbps),
        total.completion_s,
        total.mean_rtt_ms,
        total.base_rtt_ms,
        total.slow_start_end_s,
        total.cwnd_at_slow_start_end,
        Some(total.final_cwnd_segments),
        Some(total.mean_cwnd_segments),
    ]
}

fn numbers_of_link(total: &LinkOutcome) -> [Option<f64>; 4] {
    [
        Some(total.mean_queue_packets),
        Some(total.utilisation),
        total.queueing.map(|q| q.mean_ms),
        total.queueing.map(|q| q.max_ms),
    ]
}

/// Checks that a part is not more than the whole.
pub(super) fn counts_nest(case: &Case<'_>) -> Result<(), String> {
    for (flow, (spec, total)) in case.scenario.flows.iter().zip(&case.outcome.flows).enumerate() {
        ensure(total.segments_retransmitted <= total.segments_sent, || format!("flow {flow}: {total:?}"))?;
        if let Some(size) = spec.size {
            let (delivered, size) = (total.delivered_bytes, size.get());
            ensure(delivered <= size, || format!("flow {flow}: {delivered} bytes of {size}"))?;
            ensure(total.completion_s.is_none() || delivered == size, || {
                format!("flow {flow} is complete with {delivered} bytes of {size}")
            })?;
        }
        ensure(spec.ecn || total.ecn_reductions == 0, || format!("flow {flow} reduces by marks, without ECN"))?;
    }
    for (source, total) in case.outcome.traffic.iter().enumerate() {
        let Some(transfers) = &total.transfers else { continue };
        ensure(transfers.completed <= transfers.started, || format!("traffic {source}: {transfers:?}"))?;
    }
    Ok(())
}

/// Checks that rows come in the order of time, none after the end, and that the end is not after the scenario's.
pub(super) fn times_in_order(case: &Case<'_>) -> Result<(), String> {
    let outcome = &case.outcome;
    let in_order = |what: &str, times: &mut dyn Iterator<Item = f64>| {
        let mut last = 0.0;
        for time in times {
            ensure((last..=outcome.end_s).contains(&time), || {
                format!("{what}: {time} s after {last} s, end {} s", outcome.end_s)
            })?;
            last = time;
        }
        Ok(())
    };
    let duration_s = case.scenario.duration.as_nanos() as f64 / 1e9;
    ensure(outcome.end_s <= duration_s, || format!("ends at {} s of {duration_s} s", outcome.end_s))?;
    in_order("incidents", &mut outcome.incidents.iter().map(|incident| incident.time_s))?;
    in_order("capture", &mut outcome.capture.iter().map(|packet| packet.at.as_nanos() as f64 / 1e9))?;
    in_order("flow series", &mut outcome.flow_series.time_s.iter().copied())?;
    in_order("link series", &mut outcome.link_series.time_s.iter().copied())
}

/// Checks that counters of a series never fall, and end at the totals or below.
pub(super) fn counters_rise(case: &Case<'_>) -> Result<(), String> {
    let outcome = &case.outcome;
    let mut flows = vec![[0; 2]; outcome.flows.len()];
    for (row, &flow) in outcome.flow_series.flow.iter().enumerate() {
        let series = &outcome.flow_series;
        let now = [series.acked_bytes[row], series.timeouts[row]];
        let before = std::mem::replace(&mut flows[flow as usize], now);
        ensure(now.iter().zip(&before).all(|(now, before)| now >= before), || {
            format!("flow {flow}, row {row}: {now:?} after {before:?} (acknowledged bytes, timeouts)")
        })?;
        let most = outcome.flows[flow as usize].timeouts;
        ensure(now[1] <= most, || format!("flow {flow}, row {row}: {} timeouts of {most}", now[1]))?;
    }
    let mut drops = vec![0; outcome.links.len()];
    for (row, &link) in outcome.link_series.link.iter().enumerate() {
        let now = outcome.link_series.drops[row];
        let before = std::mem::replace(&mut drops[link as usize], now);
        let most = outcome.links[link as usize].drops;
        ensure((before..=most).contains(&now), || {
            format!("link {link}, row {row}: {now} drops after {before}, of {most}")
        })?;
    }
    Ok(())
}

/// Checks that no round trip is shorter than the propagation delay of the path, over all routes and delays that it had.
/// This holds of a base RTT, too, unless its source computes it otherwise ([`base_is_a_sample`]).
pub(super) fn base_rtt_at_least_propagation(case: &Case<'_>) -> Result<(), String> {
    let flows = case.outcome.flows.iter().enumerate();
    for (flow, total) in flows.filter(|(flow, _)| time_stamps_are_told_apart(case, *flow)) {
        // two readings of a clock of milliseconds may be one more apart than the time between them is long, or one less
        let clock_ms = if case.scenario.flows[flow].host.options.timestamps { 1.0 } else { 0.0 };
        let least_ms = least_round_trip(&case.scenario, flow).as_nanos() as f64 / 1e6 - clock_ms;
        let base = total.base_rtt_ms.filter(|_| base_is_a_sample(case, flow));
        let (rounded_off_ms, greatest_ms) = case.scenario.flows[flow].standalone.map_or((0.0, f64::MAX), base_range_ms);
        let of_base = least_ms.min(greatest_ms) - rounded_off_ms;
        for (what, rtt_ms, least_ms) in [("base", base, of_base), ("mean", total.mean_rtt_ms, least_ms)] {
            ensure(rtt_ms.is_none_or(|rtt| rtt >= least_ms * (1.0 - 1e-9)), || {
                format!("flow {flow}: {what} RTT {rtt_ms:?} ms, propagation {least_ms} ms")
            })?;
        }
    }
    Ok(())
}

/// Returns whether no time stamp of a flow can be taken for a later one: a packet has 28 bits of its milliseconds
/// (docs/deviations.md).
fn time_stamps_are_told_apart(case: &Case<'_>, flow: usize) -> bool {
    const RANGE: Span = Span::from_millis(1 << 28);
    !case.scenario.flows[flow].host.options.timestamps || case.scenario.duration < RANGE
}

/// Returns whether a flow's base RTT is a sample of the RTT, or a sample less the time that its segment has waited:
/// - Some sources (1994, ns-2; "Revisited", section VII.B) set it to the RTT of a round of one segment. A round in
///   which every segment was retransmitted has its length for an RTT; so it is a sample if nothing was retransmitted.
/// - "RoVegas", equation 3, takes the newest segment's RTT less the time that the packet acknowledged last has waited.
///   This is the same packet, or one sent later, unless packets overtake.
fn base_is_a_sample(case: &Case<'_>, flow: usize) -> bool {
    let (scenario, spec) = (&case.scenario, &case.scenario.flows[flow]);
    match spec.composition.signal {
        Signal::EndToEnd { reset_base_after_single: true, .. } => case.outcome.flows[flow].segments_retransmitted == 0,
        Signal::RouterAssisted { .. } => {
            let overtakes = |link: &LinkId| scenario.links[*link].impairments.reorder_ppm > 0;
            !spec.path.iter().any(overtakes) && !is_rerouted(scenario, flow)
        }
        Signal::None | Signal::EndToEnd { .. } => true,
    }
}

/// Returns by how much an algorithm rounds its base RTT off, and the greatest base RTT that it can hold, ms.
fn base_range_ms(standalone: Standalone) -> (f64, f64) {
    let held = standalone.base_rtt_held();
    let ms = |span: Span| span.as_nanos() as f64 / 1e6;
    (ms(held.rounds_by), ms(held.max))
}

/// Returns the least round trip of a flow. What is acknowledged ahead may be acknowledged before it is sent.
fn least_round_trip(scenario: &Scenario, flow: usize) -> Span {
    let spec = &scenario.flows[flow];
    if matches!(spec.host.misbehaves, Some(Misbehaviour::OptimisticAcks { .. })) {
        return Span::ZERO;
    }
    let mut ways = vec![(&spec.path, &spec.reverse_path)];
    for scheduled in &scenario.changes {
        if let Change::Route(route) = &scheduled.change
            && route.flow == flow
        {
            ways.push((&route.path, &route.reverse_path));
        }
    }
    // packets may take one route, and their acknowledgements come back by another
    let least = |ways: &mut dyn Iterator<Item = u64>| ways.min().unwrap_or(0);
    let there = least(&mut ways.iter().map(|(path, _)| length(scenario, path)));
    let back = least(&mut ways.iter().map(|(_, reverse)| length(scenario, reverse)));
    Span::from_nanos(there + back)
}

fn length(scenario: &Scenario, path: &[LinkId]) -> u64 {
    let least = |link: LinkId| {
        let changed = changes_of(scenario, link).filter_map(|(_, change)| change.delay);
        changed.map(Span::as_nanos).fold(scenario.links[link].delay.as_nanos(), u64::min)
    };
    path.iter().map(|link| least(*link)).sum()
}

/// Checks that the window never exceeds the flow's largest window.
pub(super) fn windows_bounded(case: &Case<'_>) -> Result<(), String> {
    let most = |flow: usize| match &case.scenario.flows[flow] {
        spec if spec.transport == Transport::Tcp => f64::from(spec.parameters.max_window.0),
        _ => f64::INFINITY,
    };
    for (flow, total) in case.outcome.flows.iter().enumerate() {
        let window = total.final_cwnd_segments.max(total.mean_cwnd_segments);
        ensure(window <= most(flow) * (1.0 + 1e-9), || {
            format!("flow {flow}: a window of {window}, {} at most", most(flow))
        })?;
    }
    let series = &case.outcome.flow_series;
    for (&flow, &window) in series.flow.iter().zip(&series.cwnd_segments) {
        ensure(window <= most(flow as usize), || {
            format!("flow {flow}: a window of {window}, {} at most", most(flow as usize))
        })?;
    }
    Ok(())
}
