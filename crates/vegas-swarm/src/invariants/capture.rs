//! Invariants of the packets of a capture, without what the endpoints report.

use std::collections::{BTreeMap, VecDeque};

use vegas_core::ticks::Clock;
use vegas_core::units::{Bytes, Span, Time};
use vegas_sim::outcome::{CapturePoint, CapturedPacket, IncidentKind};
use vegas_sim::scenario::{EcnVersion, FlowSpec, HostKind, Misbehaviour, Transport};

use super::{ensure, nanos};
use crate::run::Case;

/// Returns the flows of TCP with their packets; none if the scenario has no capture.
pub(super) fn captured<'a>(case: &'a Case<'_>) -> Vec<(usize, &'a FlowSpec, Vec<&'a CapturedPacket>)> {
    if !case.scenario.capture {
        return Vec::new();
    }
    let mut packets: Vec<Vec<&CapturedPacket>> = vec![Vec::new(); case.scenario.flows.len()];
    for packet in &case.outcome.capture {
        packets[packet.flow as usize].push(packet);
    }
    let flows = case.scenario.flows.iter().zip(packets).enumerate().map(|(id, (spec, packets))| (id, spec, packets));
    flows.filter(|(_, spec, _)| spec.transport == Transport::Tcp).collect()
}

/// Checks that a receiver with Accurate ECN reports the packets of data that came marked, modulo 8, from 5 on (RFC
/// 9768, sections 3.2.1 and 3.2.2.3), unless it takes less, or a SYN/ACK agrees to less (section 3.1.2, table 2). An
/// interface that merges segments may still hold some of them, and a receiver that conceals marks does not count.
pub(super) fn marks_are_counted(case: &Case<'_>) -> Result<(), String> {
    const FIRST: u8 = 5;
    const MARKED: u8 = 3;
    for (flow, spec, packets) in captured(case) {
        let keeps_rules = spec.host.misbehaves.is_none() && spec.host.receiving.merges_for.is_none();
        if spec.agreed_ecn() != EcnVersion::Accurate || !keeps_rules {
            continue;
        }
        let agrees_to_less =
            |packet: &&CapturedPacket| packet.syn && packet.point == CapturePoint::ReceiverOut && !packet.flags.cwr;
        if packets.iter().any(agrees_to_less) {
            continue;
        }
        let mut count = FIRST;
        for packet in packets.into_iter().filter(|packet| !packet.syn) {
            let flags = packet.flags;
            match packet.point {
                CapturePoint::ReceiverIn => count += u8::from(packet.codepoint == MARKED && packet.payload > 0),
                CapturePoint::ReceiverOut => {
                    let told = u8::from(flags.ae) << 2 | u8::from(flags.cwr) << 1 | u8::from(flags.ece);
                    ensure(told == count, || {
                        let at_ns = packet.at.as_nanos();
                        format!("flow {flow}: at {at_ns} ns the receiver reports {told} marked packets of {count}")
                    })?;
                }
                CapturePoint::SenderIn | CapturePoint::SenderOut => {}
            }
            count %= 8;
        }
    }
    Ok(())
}

/// Checks that what the receiver acknowledges, and what counts as delivered, is exactly what has arrived without a
/// hole. A receiver that divides acknowledgements acknowledges less, and one that acknowledges ahead has what has
/// arrived, with holes. An interface that merges segments may still hold the newest.
pub(super) fn bytes_once_and_in_order(case: &Case<'_>) -> Result<(), String> {
    for (flow, spec, packets) in captured(case) {
        let rule = spec.host.misbehaves;
        let mut arrived = Arrived::default();
        let mut merging = Merging { hold: spec.host.receiving.merges_for, ..Merging::default() };
        let holds = |number: u64, arrived: &Arrived, merging: &Merging| match rule {
            Some(Misbehaviour::OptimisticAcks { .. }) => number >= arrived.newest(),
            Some(Misbehaviour::AckDivision { .. }) => number <= arrived.prefix,
            _ => merging.allows(number, arrived),
        };
        for packet in packets {
            merging.pass_on_before(packet.at);
            match packet.point {
                CapturePoint::ReceiverIn => {
                    arrived.add(packet.sequence, u64::from(packet.payload));
                    merging.held.push_back(packet);
                }
                CapturePoint::ReceiverOut if !packet.syn => {
                    ensure(holds(packet.acknowledgement, &arrived, &merging), || {
                        format!(
                            "flow {flow}, {} ns: byte {} is acknowledged, {} bytes have arrived in order",
                            packet.at.as_nanos(),
                            packet.acknowledgement,
                            arrived.prefix
                        )
                    })?
                }
                _ => {}
            }
        }
        let delivered = case.outcome.flows[flow].delivered_bytes;
        merging.pass_on_before(Time::from_nanos(nanos(case.outcome.end_s)));
        let is_kept = match rule {
            Some(Misbehaviour::OptimisticAcks { .. }) => delivered == arrived.bytes(),
            _ => merging.allows(delivered, &arrived),
        };
        ensure(is_kept, || {
            format!("flow {flow}: {delivered} bytes delivered, {} have arrived in order", arrived.prefix)
        })?;
    }
    Ok(())
}

/// The segments that an interface has passed on for certain, and those that it may hold; without a time it holds none.
#[derive(Default)]
struct Merging<'a> {
    hold: Option<Span>,
    passed_on: Arrived,
    held: VecDeque<&'a CapturedPacket>,
}

impl Merging<'_> {
    /// The interface has passed on what came before `now` by more than it may hold.
    fn pass_on_before(&mut self, now: Time) {
        let hold = self.hold.unwrap_or_default();
        while let Some(packet) = self.held.pop_front_if(|packet| packet.at + hold < now) {
            self.passed_on.add(packet.sequence, u64::from(packet.payload));
        }
    }

    /// Returns whether the bytes before `number` may be what has come to the receiver in order.
    fn allows(&self, number: u64, arrived: &Arrived) -> bool {
        match self.hold {
            None => number == arrived.prefix,
            Some(_) => (self.passed_on.prefix..=arrived.prefix).contains(&number),
        }
    }
}

/// The bytes that have arrived: all before `prefix`, and ranges beyond it.
#[derive(Default)]
struct Arrived {
    prefix: u64,
    beyond: BTreeMap<u64, u64>,
}

impl Arrived {
    /// One past the newest byte.
    fn newest(&self) -> u64 {
        self.beyond.values().fold(self.prefix, |newest, end| newest.max(*end))
    }

    /// The number of different bytes.
    fn bytes(&self) -> u64 {
        let (mut bytes, mut end) = (self.prefix, self.prefix);
        for (from, to) in &self.beyond {
            bytes += to.saturating_sub(*from.max(&end));
            end = end.max(*to);
        }
        bytes
    }

    fn add(&mut self, from: u64, bytes: u64) {
        let end = self.beyond.entry(from).or_default();
        *end = (*end).max(from + bytes);
        while let Some(first) = self.beyond.first_entry().filter(|first| *first.key() <= self.prefix) {
            self.prefix = self.prefix.max(first.remove());
        }
    }
}

/// Checks that the sender sends nothing beyond the receive window.
pub(super) fn sender_within_window(case: &Case<'_>) -> Result<(), String> {
    for (flow, spec, packets) in captured(case) {
        let first = spec.host.receive_window.first(Bytes::new(spec.packet.get() - spec.header.get())).get();
        let shift = spec.host.receive_window.shift();
        let mut allowed = first;
        for packet in packets {
            match packet.point {
                CapturePoint::SenderIn => {
                    let window = shift.map_or(first, |shift| u64::from(packet.window) << shift);
                    allowed = allowed.max(packet.acknowledgement + window);
                }
                CapturePoint::SenderOut => {
                    let end = packet.sequence + u64::from(packet.payload);
                    ensure(end <= allowed, || format!("flow {flow}: byte {end} is sent, up to {allowed} are allowed"))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Checks that counters agree with the packets of the capture.
pub(super) fn packets_counted(case: &Case<'_>) -> Result<(), String> {
    if !case.scenario.capture {
        return Ok(());
    }
    for (flow, _, packets) in captured(case) {
        let leaves = |packet: &&&CapturedPacket| packet.point == CapturePoint::SenderOut && packet.payload > 0;
        let (sent, counted) = (packets.iter().filter(leaves).count() as u64, case.outcome.flows[flow].segments_sent);
        ensure(sent == counted, || format!("flow {flow}: {sent} segments leave, {counted} are counted"))?;
    }
    let is_data = |packet: &&CapturedPacket| packet.payload > 0 || packet.datagram.is_some();
    let arrives = |packet: &&CapturedPacket| packet.point == CapturePoint::ReceiverIn && is_data(packet);
    let arrived = case.outcome.capture.iter().filter(arrives).count() as u64;
    let of_traffic: u64 = case.outcome.traffic.iter().map(|source| source.delivered_packets).sum();
    let delivered = case.outcome.delivered_packets;
    ensure(arrived + of_traffic == delivered, || {
        format!("{arrived} packets of flows and {of_traffic} of traffic arrive, {delivered} are counted")
    })
}

/// Checks that a sender of bulk data does not fall silent: it sends or receives a packet within its greatest timeout. A
/// receiver that acknowledges what has not arrived may end the sender's work before the transfer is complete.
pub(super) fn no_stall(case: &Case<'_>) -> Result<(), String> {
    let end = Time::from_nanos(nanos(case.outcome.end_s));
    for (flow, spec, packets) in captured(case) {
        let is_over = case.outcome.flows[flow].completion_s.is_some();
        let is_optimistic = matches!(spec.host.misbehaves, Some(Misbehaviour::OptimisticAcks { .. }));
        if spec.stop.is_some() || is_over || is_optimistic || !spec.application.is_empty() {
            continue;
        }
        let patience = spec.host.rto.max + spec.host.rto.grain.times(2) + lateness(spec, spec.host.rto.max);
        let at_sender = packets.iter().filter(|p| matches!(p.point, CapturePoint::SenderOut | CapturePoint::SenderIn));
        let mut last = spec.start;
        for now in at_sender.map(|packet| packet.at).chain([end]) {
            ensure(now.since(last) <= patience, || {
                let [last, now] = [last, now].map(Time::as_nanos);
                format!("flow {flow} is silent from {last} to {now} ns, greatest timeout {} ns", patience.as_nanos())
            })?;
            last = now;
        }
    }
    Ok(())
}

/// By how much a timer that was set for `span` may be late.
fn lateness(spec: &FlowSpec, span: Span) -> Span {
    match spec.host.kind {
        HostKind::Bsd => Span::ZERO,
        HostKind::Linux => Clock::new(spec.parameters.ticks_per_second).lateness_most(span),
    }
}

/// Checks that the timer waits twice as long after a timeout that follows another one, up to the greatest timeout,
/// while nothing arrives (RFC 6298, section 5.5), but for what each wait is late. It runs from when the retransmission
/// leaves, which a pace may hold.
pub(super) fn timeouts_back_off(case: &Case<'_>) -> Result<(), String> {
    for (flow, spec, packets) in captured(case) {
        let incidents = case.outcome.incidents.iter();
        let of_flow = incidents.filter(|one| one.kind == IncidentKind::Timeout && one.flow as usize == flow);
        let timeouts_ns: Vec<u64> = of_flow.map(|one| nanos(one.time_s)).collect();
        let at = |point| packets.iter().filter(move |p| p.point == point).map(|p| p.at.as_nanos()).collect();
        let (heard, sent): (Vec<u64>, Vec<u64>) = (at(CapturePoint::SenderIn), at(CapturePoint::SenderOut));
        let first_from = |times: &[u64], from| times.get(times.partition_point(|at| *at < from)).copied();
        for three in timeouts_ns.windows(3) {
            if first_from(&heard, three[0]).is_some_and(|at| at <= three[2]) {
                continue;
            }
            let waited = |from, to| to - first_from(&sent, from).filter(|left| *left <= to).unwrap_or(from);
            let (before, now) = (waited(three[0], three[1]), waited(three[1], three[2]));
            let set = before.saturating_sub(lateness(spec, Span::from_nanos(before)).as_nanos());
            let least = (2 * set).min(spec.host.rto.max.as_nanos());
            ensure(now + 2 >= least, || {
                format!(
                    "flow {flow}: the timer waits {now} ns after the timeout at {} ns, {before} ns before it",
                    three[1]
                )
            })?;
        }
    }
    Ok(())
}
