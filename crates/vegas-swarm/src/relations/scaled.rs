//! Doubling all rates and halving all times gives the same packets, twice as fast.

use vegas_core::units::{Rate, Span, Time};
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{
    Change, DelaySchedule, DelayedAck, Discipline, FlowSpec, FqCoDelSpec, HostKind, Jitter, LinkKind, Load, Sampling,
    Scenario, Timeouts, Transport,
};

use super::{Compared, against, differs};
use crate::run::Case;

/// Compares counts where every rate doubles and every time halves without rounding, and where no part of the network
/// has constants of its own: none of Linux, QUIC, CUBIC, HyStart, PIE (RFC 8033,
/// section 4.2). Smoothed round-trip times are rounded, and so
/// are the square roots by which CoDel spaces what it picks out (RFC 8289, section 5.3); so a run in which a timeout or
/// CoDel decides something is not compared.
pub(super) fn scaled(case: &Case<'_>) -> Result<Compared, String> {
    let Some(mut other) = twice_as_fast(&case.scenario) else { return Ok(Compared::No) };
    other.sampling = Sampling::Off;
    other.capture = false;
    let has_timeouts = |outcome: &Outcome| outcome.flows.iter().any(|flow| flow.timeouts > 0);
    let codel_picks = |outcome: &Outcome| {
        let is_codel = |link: &LinkKind| matches!(link.discipline, Discipline::CoDel(_) | Discipline::FqCoDel(_));
        let mut links = case.scenario.links.iter().zip(&outcome.links);
        links.any(|(link, total)| is_codel(&link.kind) && total.drops + total.marks > 0)
    };
    let mut compared = Compared::No;
    against(case, &other, |faster| {
        let fine = case
            .scenario
            .flows
            .iter()
            .zip(&case.outcome.flows)
            .any(|(flow, total)| flow.composition.detection.fine_retransmit && total.segments_retransmitted > 0);
        if fine || [&case.outcome, faster].into_iter().any(|outcome| has_timeouts(outcome) || codel_picks(outcome)) {
            return Ok(());
        }
        compared = Compared::Yes;
        same_packets(&case.outcome, faster)
    })?;
    Ok(compared)
}

fn same_packets(one: &Outcome, faster: &Outcome) -> Result<(), String> {
    let flows = [one, faster].map(|outcome| {
        let counts = outcome.flows.iter().map(|flow| {
            (
                (flow.delivered_bytes, flow.segments_sent, flow.segments_retransmitted, flow.ecn_reductions),
                (flow.final_cwnd_segments, flow.completion_s.is_some()),
            )
        });
        counts.collect::<Vec<_>>()
    });
    differs::rows("flow", &flows[0], &flows[1])?;
    let links = [one, faster].map(|outcome| {
        outcome.links.iter().map(|link| (link.max_queue_packets, link.drops, link.marks)).collect::<Vec<_>>()
    });
    differs::rows("link", &links[0], &links[1])?;
    differs::value("incidents", &one.incidents.len(), &faster.incidents.len())?;
    differs::value("delivered packets", &one.delivered_packets, &faster.delivered_packets)
}

/// Returns the scenario at twice the speed; none where that is not exact.
fn twice_as_fast(scenario: &Scenario) -> Option<Scenario> {
    let mut other = scenario.clone();
    other.duration = half(other.duration)?;
    for link in &mut other.links {
        let mut kind: LinkKind = (*link.kind).clone();
        halve_link(&mut kind)?;
        link.kind = kind.into();
    }
    for flow in &mut other.flows {
        halve_flow(flow)?;
    }
    for scheduled in &mut other.changes {
        scheduled.at = half_time(scheduled.at)?;
        if let Change::Link(change) = &mut scheduled.change {
            change.rate = change.rate.map_or(Some(None), |rate| Some(Some(double(rate)?)))?;
            change.delay = change.delay.map_or(Some(None), |delay| Some(Some(half(delay)?)))?;
        }
    }
    for source in &mut other.traffic {
        source.start = half_time(source.start)?;
        source.stop = source.stop.map_or(Some(None), |stop| Some(Some(half_time(stop)?)))?;
        let Load::Datagrams(datagrams) = &mut source.load else { return None };
        if datagrams.on_off.is_some() {
            return None;
        }
        datagrams.rate = double(datagrams.rate)?;
    }
    Some(other)
}

fn halve_link(link: &mut LinkKind) -> Option<()> {
    let is_traced = link.trace.is_some() || link.impairments.delay_schedule.sha256().is_some();
    if is_traced || link.impairments.jitter != Jitter::default() {
        return None;
    }
    link.rate = double(link.rate)?;
    link.delay = half(link.delay)?;
    link.impairments.reorder_delay = half(link.impairments.reorder_delay)?;
    link.impairments.batch = half(link.impairments.batch)?;
    let halved = |(at, delay): &(Time, Span)| Some((half_time(*at)?, half(*delay)?));
    let points = link.impairments.delay_schedule.points().iter().map(halved).collect::<Option<_>>()?;
    link.impairments.delay_schedule = match link.impairments.delay_schedule.every() {
        None => DelaySchedule::new(points),
        Some(every) => DelaySchedule::repeating(points, half(every)?),
    };
    if let Some(policer) = &mut link.impairments.policer {
        policer.rate = double(policer.rate)?;
    }
    match &mut link.discipline {
        Discipline::DropTail | Discipline::Red(_) | Discipline::Step(_) => {}
        Discipline::CoDel(codel) | Discipline::FqCoDel(FqCoDelSpec { codel, .. }) => {
            (codel.target, codel.interval) = (half(codel.target)?, half(codel.interval)?);
            if codel.ce_threshold != Span::MAX {
                codel.ce_threshold = half(codel.ce_threshold)?;
            }
        }
        _ => return None,
    }
    Some(())
}

fn halve_flow(flow: &mut FlowSpec) -> Option<()> {
    let composition = &flow.composition;
    let has_constants = !composition.slow_start.scales()
        || !composition.avoidance.scales()
        || composition.signal.needs_routers()
        || composition.drains()
        || flow.standalone.is_some()
        || !flow.application.is_empty()
        || composition.limits.suppress_spikes;
    if flow.transport == Transport::Quic || flow.host.kind == HostKind::Linux || has_constants {
        return None;
    }
    flow.start = half_time(flow.start)?;
    flow.stop = flow.stop.map_or(Some(None), |stop| Some(Some(half_time(stop)?)))?;
    let host = &mut flow.host;
    host.delayed_ack = match host.delayed_ack {
        DelayedAck::None => DelayedAck::None,
        DelayedAck::After(delay) => DelayedAck::After(half(delay)?),
        DelayedAck::Linux => return None,
    };
    let Timeouts { min, max, initial, grain } = host.rto;
    host.rto = Timeouts { min: half(min)?, max: half(max)?, initial: half(initial)?, grain: half(grain)? };
    host.receiving.merges_for = host.receiving.merges_for.map_or(Some(None), |span| Some(Some(half(span)?)))?;
    Some(())
}

/// Returns twice the rate, if a byte takes whole nanoseconds before and after.
fn double(rate: Rate) -> Option<Rate> {
    const BYTE_NS_AT_1_BIT: u64 = 8_000_000_000;
    let bits = rate.as_bits_per_second();
    BYTE_NS_AT_1_BIT.is_multiple_of(2 * bits).then(|| Rate::from_bits_per_second(2 * bits))
}

fn half(span: Span) -> Option<Span> {
    span.as_nanos().is_multiple_of(2).then(|| Span::from_nanos(span.as_nanos() / 2))
}

fn half_time(time: Time) -> Option<Time> {
    Some(Time::ZERO + half(time.since(Time::ZERO))?)
}
