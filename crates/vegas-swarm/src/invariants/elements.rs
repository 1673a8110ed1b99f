//! Invariants of single elements of the path: what a packet takes where nothing is in its way, and what a policer lets
//! pass.

use vegas_core::units::Time;
use vegas_sim::outcome::{CapturePoint, CapturedPacket};
use vegas_sim::scenario::{DelaySchedule, Jitter, LinkId, LinkKind, Scenario};

use super::capture::captured;
use super::{ensure, is_rerouted};
use crate::run::Case;

/// Checks that the first packet of a flow, if no other packet can be in its way, takes the transmission times and
/// delays of its links, with their schedules and batches.
pub(super) fn first_packet_on_time(case: &Case<'_>) -> Result<(), String> {
    for (flow, spec, packets) in captured(case) {
        let Some((sent, arrived)) = first_packet(&packets) else { continue };
        if !is_alone(&case.scenario, flow, arrived) {
            continue;
        }
        let crossed = spec.path.iter().try_fold((sent.at.as_nanos(), sent.at.as_nanos()), |at, &link| {
            crossed_ns(&case.scenario.links[link], u64::from(sent.wire), at)
        });
        let Some((earliest, latest)) = crossed else { continue };
        let arrived_ns = arrived.at.as_nanos();
        ensure((earliest..=latest).contains(&arrived_ns), || {
            format!("flow {flow}: the first packet arrives at {arrived_ns} ns, its path takes it until {earliest} ns")
        })?;
    }
    Ok(())
}

/// Returns a flow's first packet where it was sent and where it arrived; none if it was lost, or retransmitted
/// meanwhile.
fn first_packet<'a>(packets: &[&'a CapturedPacket]) -> Option<(&'a CapturedPacket, &'a CapturedPacket)> {
    let arrived = packets.iter().position(|packet| packet.point == CapturePoint::ReceiverIn)?;
    let mut sent = packets[..arrived].iter().filter(|packet| packet.point == CapturePoint::SenderOut);
    let first = sent.next()?;
    let is_same = |packet: &CapturedPacket| (packet.syn, packet.sequence) == (first.syn, first.sequence);
    (is_same(packets[arrived]) && !sent.any(|packet| is_same(packet))).then_some((first, packets[arrived]))
}

/// Returns whether nothing but this flow can have sent by the time, and nothing has changed.
fn is_alone(scenario: &Scenario, flow: usize, arrived: &CapturedPacket) -> bool {
    let others = scenario.flows.iter().enumerate().filter(|(id, _)| *id != flow).map(|(_, other)| other.start);
    let begun = scenario.traffic.iter().map(|source| source.start);
    let changed = scenario.changes.iter().map(|scheduled| scheduled.at);
    others.chain(begun).chain(changed).all(|at| at > arrived.at)
}

/// Returns when a packet that comes to an idle link between two times reaches its far end, ns; none if the link varies
/// by chance or by a trace. A transmission is rounded to a nanosecond.
fn crossed_ns(link: &LinkKind, bytes: u64, (from, to): (u64, u64)) -> Option<(u64, u64)> {
    let impairments = &link.impairments;
    let is_certain = matches!(impairments.jitter, Jitter::Uniform(most) if most.as_nanos() == 0);
    if !is_certain || impairments.reorder_ppm > 0 || link.trace.is_some() {
        return None;
    }
    let (bit_ns, rate) = (u128::from(bytes) * 8_000_000_000, u128::from(link.rate.as_bits_per_second()));
    let released = |arrival: u64| {
        let due = arrival + scheduled_ns(&impairments.delay_schedule, arrival);
        match impairments.batch.as_nanos() {
            0 => due,
            every => due + (every - due % every) % every,
        }
    };
    let transmission_ns = |rounded: u128| u64::try_from(rounded).unwrap_or(u64::MAX / 4);
    let delay_ns = link.delay.as_nanos();
    let earliest = released(from + transmission_ns(bit_ns / rate) + delay_ns);
    let latest = released(to + transmission_ns(bit_ns.div_ceil(rate)) + delay_ns);
    // a schedule's step between the two may turn them around
    Some((earliest.min(latest), earliest.max(latest)))
}

/// Returns the delay that a schedule has at a time, ns.
fn scheduled_ns(schedule: &DelaySchedule, at: u64) -> u64 {
    let points = schedule.points();
    let first = points.first().map_or(0, |(from, _)| from.as_nanos());
    let at = match schedule.every() {
        Some(every) if at >= first => first + (at - first) % every.as_nanos(),
        _ => at,
    };
    points.iter().rev().find(|(from, _)| from.as_nanos() <= at).map_or(0, |(_, delay)| delay.as_nanos())
}

/// Checks that no more bytes of flows arrive over a policer than its bucket holds and is filled with since the first of
/// them began (RFC 2475, section 2.3.3.4).
pub(super) fn within_policed_rate(case: &Case<'_>) -> Result<(), String> {
    let scenario = &case.scenario;
    for (link, spec) in scenario.links.iter().enumerate() {
        let Some(policer) = spec.impairments.policer.filter(|_| scenario.capture) else { continue };
        let flows: Vec<bool> = (0..scenario.flows.len()).map(|flow| crosses_once(scenario, flow, link)).collect();
        let begun = scenario.flows.iter().zip(&flows).filter(|(_, crosses)| **crosses).map(|(flow, _)| flow.start);
        let begun = begun.min().unwrap_or(Time::ZERO);
        let (mut bytes, burst, rate) =
            (0, u128::from(policer.burst.get()), u128::from(policer.rate.as_bits_per_second()));
        let arriving = case.outcome.capture.iter().filter(|packet| packet.point == CapturePoint::ReceiverIn);
        for packet in arriving.filter(|packet| flows[packet.flow as usize]) {
            bytes += u128::from(u64::from(packet.wire));
            let elapsed_ns = u128::from(packet.at.since(begun).as_nanos());
            let allowed = burst + rate * elapsed_ns / 8_000_000_000;
            ensure(bytes <= allowed, || {
                format!(
                    "link {link}: {bytes} bytes have passed the policer by {} ns of {allowed}",
                    packet.at.as_nanos()
                )
            })?;
        }
    }
    Ok(())
}

/// Returns whether all of a flow's data packets cross the link, and none is duplicated there or afterwards.
fn crosses_once(scenario: &Scenario, flow: usize, link: LinkId) -> bool {
    let path = &scenario.flows[flow].path;
    let duplicates = |link: &LinkId| scenario.links[*link].impairments.duplicate_ppm > 0;
    let rest = path.iter().position(|crossed| *crossed == link).map(|at| &path[at..]);
    rest.is_some_and(|rest| !rest.iter().any(duplicates)) && !is_rerouted(scenario, flow)
}
