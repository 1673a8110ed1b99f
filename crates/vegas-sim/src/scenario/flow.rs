//! One flow of the file, with its defaults filled in.

use vegas_core::units::{Bytes, Segments, Span, Time};
use vegas_core::{Composition, HostCapabilities, Needs, Parameters, Recovery, Refusal, Standalone};

use super::application;
use super::composition::{self, FlowAlgorithm};
use super::document::{Algorithm, BrokenRule, Flow, Host, LinuxWindow, Window};
use super::model::{
    DelayedAck, EcnVersion, FlowKind, FlowSpec, Folder, Handshake, HostKind, HostSpec, LinkId, Misbehaviour,
    ReceiveWindow, Receiving, TcpOptions, Timeouts, Transport,
};
use super::network::Network;
use crate::packet::TimeStamps;
use crate::scenario::document::scalar::{Count, SEGMENTS_MAX};
use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::field::{Either, Field};

/// The largest IPv4 packet.
const PACKET_MAX: Bytes = Bytes::new(65_535);
/// The largest packet with RoVegas's option of 8 bytes.
const PACKET_WITH_OPTION_MAX: Bytes = Bytes::new(65_527);
/// The size of the headers of UDP over IPv4.
const QUIC_HEADERS: Bytes = Bytes::new(28);
/// The least size of a QUIC packet: 1200 bytes and the headers.
const QUIC_PACKET_MIN: Bytes = Bytes::new(1228);
/// The default size of a QUIC packet: the size that quinn finds on an Ethernet path, and the headers.
const QUIC_PACKET_DEFAULT: u64 = 1480;
/// RFC 1122, section 4.2.3.2: the delay must be less than half a second.
const DELAYED_ACK_MAX: Span = Span::from_millis(500);
/// A time above that for which an interface holds segments: it delays what TCP acknowledges.
const MERGING_MAX: Span = Span::from_millis(10);
/// A time above that in which an application is woken.
const READING_MAX: Span = Span::from_millis(10);
/// A time above any retransmission timeout in use.
const TIMEOUT_MAX: Span = Span::from_secs(3600);

/// Checks the flow at `key` and fills in its defaults; `network` has its path, `folder` the files that it names.
pub(super) fn resolve(
    key: &str,
    flow: &Flow,
    duration: Span,
    (network, path): (&Network, &[LinkId]),
    folder: &dyn Folder,
) -> Checked<FlowSpec> {
    let transport = flow.transport.map_or(Transport::Tcp, |transport| transport.0);
    let FlowAlgorithm { name: algorithm, mut composition, standalone, own, parameters: preset_parameters, host: home } =
        composition::resolve(key, flow, transport, folder)?;
    if transport == Transport::Quic {
        check_quic(key, flow)?;
    }
    let host = host(key, flow, home, &composition)?;
    if host.kind == HostKind::Linux {
        check_linux(key, flow)?;
        composition.detection.recovery = Recovery::Sack;
    }
    let parameters = parameters(key, flow, &preset_parameters, &host)?;
    let own_needs = own.as_ref().map(|own| own.program().needs());
    let needs = own_needs.or(standalone.map(Standalone::needs)).unwrap_or_default();
    check_algorithm(key, flow, transport, (&needs, &composition), &parameters, &host)?;
    let (start, stop) = times(key, "the flow", flow.start, flow.stop, duration)?;
    let (packet, ack, header) = match transport {
        Transport::Tcp => (
            packet(&child(key, "packet"), flow.packet, 1000)?,
            packet(&child(key, "ack"), flow.ack, headers(host.options.timestamps).get())?,
            flow.header.map_or(headers(host.options.timestamps), |header| header.0),
        ),
        Transport::Quic => {
            let packet = packet(&child(key, "packet"), flow.packet, QUIC_PACKET_DEFAULT)?;
            (packet, packet, QUIC_HEADERS)
        }
    };
    let size = application::size(child(key, "size"), flow.size)?;
    let application = application::resolve(&child(key, "application"), &flow.application)?;
    let mut kind = FlowKind {
        transport,
        algorithm,
        composition,
        standalone,
        own,
        parameters,
        host,
        ecn: false,
        size,
        application,
        packet,
        ack,
        header,
        user: flow.user.as_ref().map(|user| user.0.0.clone()),
        group: flow.group.as_ref().map(|group| group.0.0.clone()),
    };
    kind.ecn = ecn(key, flow, &kind.needs())?;
    check_marks(key, &kind)?;
    let reverse_path = Network::reversed(path);
    let spec = FlowSpec { start, stop, path: path.to_vec(), reverse_path, kind: kind.into() };
    check_sizes(key, &spec, network)?;
    Ok(spec)
}

/// A congestion control that answers marks by their number does not run without ECN.
fn ecn(key: &str, flow: &Flow, needs: &Needs) -> Checked<bool> {
    match flow.ecn {
        Some(false) if needs.accurate_ecn => {
            let message = "is false, but the algorithm answers marks only; leave it out, or write true";
            Err(Problem::new(child(key, "ecn"), message))
        }
        given => Ok(given.unwrap_or(needs.accurate_ecn)),
    }
}

/// A receiver that reports marks wrongly has marks to report.
fn check_marks(key: &str, kind: &FlowKind) -> Checked<()> {
    let what = match kind.host.misbehaves {
        Some(Misbehaviour::ConcealsMarks) if !kind.ecn => "conceals what is not there",
        Some(Misbehaviour::InflatesMarks) if !kind.ecn => "reports marks to a sender without ECN",
        _ => return Ok(()),
    };
    let message = format!("{what}; write {key}.ecn = true, or leave it out");
    Err(Problem::new(child(key, "receiver.misbehaves"), message))
}

fn parameters(key: &str, flow: &Flow, preset: &Parameters, host: &HostSpec) -> Checked<Parameters> {
    // a constant window bounds the congestion window, as ns-2's window_ does; beyond one that grows nothing leaves
    let bound = match host.receive_window {
        ReceiveWindow::Constant(window) => window,
        ReceiveWindow::Linux { .. } => Segments(u32::MAX),
    };
    let or = |default, count: Option<Field<Count<0>>>| count.map_or(default, |count| count.0.segments());
    let or_window = |default, count: Option<Field<Count<1>>>| count.map_or(default, |count| count.0.segments());
    Ok(Parameters {
        alpha: or(preset.alpha, flow.alpha),
        beta: or(preset.beta, flow.beta),
        gamma: or(preset.gamma, flow.gamma),
        initial_window: or_window(preset.initial_window, flow.initial_window),
        restart_window: or_window(preset.restart_window, flow.restart_window),
        ssthresh: flow.ssthresh.map(|count| count.0.segments()).or(preset.ssthresh),
        max_window: flow.max_window.map_or(preset.max_window, |count| count.0.segments()).min(bound),
        ticks_per_second: ticks(key, flow, host.kind)?,
    })
}

fn check_algorithm(
    key: &str,
    flow: &Flow,
    transport: Transport,
    (needs, composition): (&Needs, &Composition),
    parameters: &Parameters,
    host: &HostSpec,
) -> Checked<()> {
    let capabilities = match (transport, host.kind) {
        (Transport::Quic, _) => HostCapabilities::QUIC,
        (Transport::Tcp, HostKind::Bsd) => HostCapabilities::SIMULATOR,
        (Transport::Tcp, HostKind::Linux) => HostCapabilities::LINUX,
    };
    let checked = composition
        .check(parameters)
        .and_then(|()| composition.check_host(&capabilities))
        .and_then(|()| capabilities.meets(needs));
    checked.map_err(|Refusal { part, reason, host: refuser, .. }| {
        if let (Some(name), Transport::Tcp, Algorithm::Preset(preset)) = (refuser, transport, &flow.algorithm.0) {
            let message =
                format!("{:?} does not run on host \"{name}\": {reason}; {}", preset.name, remedy(preset.name));
            return Problem::new(child(key, "algorithm"), message);
        }
        let key = match part {
            "max_window" if flow.max_window.is_none_or(|count| count.0.segments() > parameters.max_window) => {
                child(key, "host.receive_window")
            }
            "alpha" | "beta" | "gamma" | "initial_window" | "restart_window" | "ssthresh" | "max_window" => {
                child(key, part)
            }
            "ticks_per_second" => child(key, "host.ticks_per_second"),
            "algorithm" => child(key, part),
            _ => child(&child(key, "algorithm"), part),
        };
        match refuser {
            None => Problem::new(key, reason),
            Some(name) => {
                let remedy = match transport {
                    Transport::Quic => "leave it out, or write transport = \"tcp\"",
                    Transport::Tcp => "leave it out, or write host = \"bsd\"",
                };
                Problem::new(key, format!("{reason}; host \"{name}\" cannot carry it out: {remedy}"))
            }
        }
    })
}

/// Says what to write in the place of a preset on a Linux host that refuses it.
fn remedy(preset: &str) -> &'static str {
    match preset {
        "vegas" | "vegas-1994" | "vegas-ns2" => {
            "write \"vegas-linux\", the kernel's Vegas, which runs there, or host = \"bsd\""
        }
        _ => "write host = \"bsd\"",
    }
}

/// Returns a problem for each number in the table at `key` that no part of the flow's algorithm uses.
pub(super) fn unused(key: &str, flow: &Flow, spec: &FlowSpec) -> Vec<Problem> {
    if spec.own.is_some() {
        return Vec::new();
    }
    let used = spec.composition.uses();
    [("alpha", flow.alpha, used.alpha), ("beta", flow.beta, used.beta), ("gamma", flow.gamma, used.gamma)]
        .into_iter()
        .filter(|(_, given, used)| given.is_some() && !used)
        .map(|(name, _, _)| {
            Problem::new(child(key, name), format!("has no effect: {} does not look at it", spec.algorithm))
        })
        .collect()
}

/// Refuses TCP's keys for QUIC, and packets that cannot hold 1200 bytes (RFC 9000, section 14).
fn check_quic(key: &str, flow: &Flow) -> Checked<()> {
    let in_parts = matches!(&flow.algorithm.0, Algorithm::Parts(parts) if parts.recovery.is_some());
    let given = [
        ("ack", flow.ack.is_some()),
        ("header", flow.header.is_some()),
        ("recovery", flow.recovery.is_some()),
        ("algorithm.recovery", in_parts),
        ("receiver", flow.receiver.is_some()),
        ("host", flow.host.is_some()),
    ];
    if let Some((name, _)) = given.into_iter().find(|(_, given)| *given) {
        let reason =
            flow.receiver.as_ref().filter(|_| name == "receiver").map_or("", |of| not_in_quic(of.misbehaves.0));
        let message = format!("is TCP's{reason}; leave it out, or write transport = \"tcp\"");
        return Err(Problem::new(child(key, name), message));
    }
    match flow.packet {
        Some(Field(packet)) if packet < QUIC_PACKET_MIN => {
            let message = format!(
                "{}b was given; a QUIC packet has {}b at least, headers included",
                packet.get(),
                QUIC_PACKET_MIN.get()
            );
            Err(Problem::new(child(key, "packet"), message))
        }
        _ => Ok(()),
    }
}

/// Says why a receiver of QUIC cannot break a rule.
fn not_in_quic(rule: BrokenRule) -> &'static str {
    match rule {
        BrokenRule::OptimisticAcks => {
            ": a QUIC sender skips packet numbers, and closes a connection that acknowledges one of them (RFC 9000, \
             section 21.4)"
        }
        BrokenRule::AckDivision => ": an acknowledgement of QUIC names packets, which cannot be divided",
        BrokenRule::DupackSpoofing => ": QUIC has no duplicate acknowledgements",
        BrokenRule::ConcealsMarks | BrokenRule::InflatesMarks => "",
    }
}

/// Refuses keys that choose a recovery or a clock: a Linux host has its own.
fn check_linux(key: &str, flow: &Flow) -> Checked<()> {
    let in_parts = matches!(&flow.algorithm.0, Algorithm::Parts(parts) if parts.recovery.is_some());
    let default = Host::default();
    let host = flow.host.as_ref().map_or(&default, |host| &host.0.0);
    let given = [
        ("recovery", flow.recovery.is_some()),
        ("algorithm.recovery", in_parts),
        ("host.limited_transmit", host.limited_transmit.is_some()),
        ("host.recovery_burst", host.recovery_burst.is_some()),
        ("host.rto_grain", host.rto_grain.is_some()),
        ("host.byte_counting", host.byte_counting.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((name, _)) => {
            let message = "is fixed for host \"linux\"; leave it out, or write host \"bsd\"";
            Err(Problem::new(child(key, name), message))
        }
    }
}

fn host(key: &str, flow: &Flow, home: HostKind, composition: &Composition) -> Checked<HostSpec> {
    let default = Host::default();
    let given = flow.host.as_ref().map_or(&default, |host| &host.0.0);
    let kind = given.kind.map_or(home, |kind| kind.0);
    let by_kind = |bsd, linux| match kind {
        HostKind::Bsd => bsd,
        HostKind::Linux => linux,
    };
    let detection = &composition.detection;
    let handshake = if kind == HostKind::Linux { Handshake::Full } else { Handshake::None };
    let key_host = child(key, "host");
    let span = |name: &str, given: Option<Field<Span>>, default| timeout(child(&key_host, name), given, default);
    let host = HostSpec {
        kind,
        dupack_threshold: given.dupack_threshold.map_or(3, |count| count.0.0 as u32),
        limited_transmit: given.limited_transmit.unwrap_or(!detection.fine_retransmit),
        recovery_burst: given.recovery_burst.map_or(recovery_burst(detection.recovery), |burst| burst.0.0),
        delayed_ack: delayed_ack(key, flow, given, kind)?,
        options: TcpOptions { sack: sack(key, given, kind)?, timestamps: timestamps(key, given, kind)? },
        receive_window: receive_window(key, given, kind, flow)?,
        rto: Timeouts {
            min: span("rto_min", given.rto_min, Span::from_millis(200))?,
            max: span("rto_max", given.rto_max, Span::from_secs(by_kind(60, 120)))?,
            initial: span("rto_initial", given.rto_initial, Span::from_secs(by_kind(3, 1)))?,
            grain: span("rto_grain", given.rto_grain, Span::from_millis(10))?,
        },
        receiving: Receiving { merges_for: merging(&key_host, given)?, reads_after: reading(&key_host, given, kind)? },
        handshake: given.handshake.map_or(handshake, |handshake| handshake.0),
        byte_counting: given.byte_counting.unwrap_or(true),
        slow_start_after_idle: given.slow_start_after_idle.unwrap_or(true),
        aqt_every: given.aqt_every.map_or(1, |every| every.0.0 as u32),
        accepts_ecn: given.accepts_ecn.map_or(EcnVersion::Accurate, |version| version.0),
        misbehaves: misbehaves(key, flow)?,
    };
    if matches!(host.misbehaves, Some(Misbehaviour::OptimisticAcks { .. })) && !host.delayed_ack.is_none() {
        let message = "acknowledges each segment at once; leave delayed_ack out";
        return Err(Problem::new(child(key, "receiver.misbehaves"), message));
    }
    if matches!(host.misbehaves, Some(Misbehaviour::OptimisticAcks { .. })) && host.receiving.merges_for.is_some() {
        let message = "acknowledges each segment at once; leave gro out";
        return Err(Problem::new(child(key, "receiver.misbehaves"), message));
    }
    if host.rto.min > host.rto.max {
        return Err(Problem::new(child(&key_host, "rto_min"), "is above rto_max; write less, or raise rto_max"));
    }
    if host.rto.initial > host.rto.max {
        return Err(Problem::new(
            child(&key_host, "rto_max"),
            "is below rto_initial; write more, or lower rto_initial",
        ));
    }
    Ok(host)
}

fn misbehaves(key: &str, flow: &Flow) -> Checked<Option<Misbehaviour>> {
    let Some(receiver) = &flow.receiver else { return Ok(None) };
    let rule = receiver.misbehaves.0;
    let keys = [
        ("ahead", receiver.ahead.is_some(), BrokenRule::OptimisticAcks, "optimistic-acks"),
        ("parts", receiver.parts.is_some(), BrokenRule::AckDivision, "ack-division"),
    ];
    if let Some((name, _, _, right)) = keys.iter().find(|(_, given, of, _)| *given && *of != rule) {
        let message = format!("has no meaning here; leave it out, or write misbehaves = \"{right}\"");
        return Err(Problem::new(child(key, format!("receiver.{name}")), message));
    }
    Ok(Some(match rule {
        BrokenRule::DupackSpoofing => Misbehaviour::DupackSpoofing,
        BrokenRule::ConcealsMarks => Misbehaviour::ConcealsMarks,
        BrokenRule::InflatesMarks => Misbehaviour::InflatesMarks,
        BrokenRule::OptimisticAcks => {
            Misbehaviour::OptimisticAcks { ahead: receiver.ahead.map_or(Segments(10), |ahead| ahead.0.segments()) }
        }
        BrokenRule::AckDivision => {
            Misbehaviour::AckDivision { parts: receiver.parts.map_or(10, |parts| parts.0.0 as u32) }
        }
    }))
}

/// The most segments that ns-2's NewReno sends in answer to an acknowledgement in recovery.
fn recovery_burst(recovery: Recovery) -> Option<Segments> {
    match recovery {
        Recovery::NewReno => Some(Segments(2)),
        Recovery::Reno | Recovery::Sack => None,
    }
}

fn timeout(key: String, given: Option<Field<Span>>, default: Span) -> Checked<Span> {
    match given {
        None => Ok(default),
        Some(Field(span)) if span == Span::ZERO => {
            Err(Problem::new(key, "is 0; write a time above 0, such as \"200ms\""))
        }
        Some(Field(span)) if span > TIMEOUT_MAX => Err(Problem::new(key, "is longer than an hour; write 1h at most")),
        Some(Field(span)) => Ok(span),
    }
}

fn delayed_ack(key: &str, flow: &Flow, host: &Host, kind: HostKind) -> Checked<DelayedAck> {
    let (key, given) = match (flow.delayed_ack, host.delayed_ack) {
        (Some(_), Some(_)) => {
            let message = format!("stands beside {key}.delayed_ack; give one of the two");
            return Err(Problem::new(child(key, "host.delayed_ack"), message));
        }
        (Some(given), None) => (child(key, "delayed_ack"), given.0),
        (None, Some(given)) => (child(key, "host.delayed_ack"), given.0),
        (None, None) => return Ok(DelayedAck::None),
    };
    match (given, kind) {
        (DelayedAck::After(Span::ZERO), _) => {
            Err(Problem::new(key, "a delay of 0 is none; write false, or a time such as \"200ms\""))
        }
        (DelayedAck::After(span), _) if span > DELAYED_ACK_MAX => {
            Err(Problem::new(key, "is longer than RFC 1122 allows; write 500ms at most"))
        }
        (DelayedAck::Linux, HostKind::Bsd) => {
            Err(Problem::new(key, "\"linux\" is for host \"linux\"; write a time such as \"200ms\", or that host"))
        }
        (given @ (DelayedAck::None | DelayedAck::After(_) | DelayedAck::Linux), _) => Ok(given),
    }
}

/// Returns for how long the receiver's interface holds segments in order to merge them.
fn merging(key: &str, host: &Host) -> Checked<Option<Span>> {
    match host.gro.and_then(|gro| gro.0.0) {
        Some(hold) if hold > MERGING_MAX => Err(Problem::new(child(key, "gro"), "is too long; write 10ms at most")),
        hold => Ok(hold),
    }
}

/// Returns how long after data have come the application reads. Only on a Linux host anything waits for that.
fn reading(key: &str, host: &Host, kind: HostKind) -> Checked<Span> {
    let key = child(key, "reads_after");
    match (host.reads_after, kind) {
        (None, _) => Ok(Span::ZERO),
        (Some(_), HostKind::Bsd) => Err(Problem::new(key, "is for host \"linux\"; leave it out, or write that host")),
        (Some(Field(after)), HostKind::Linux) if after > READING_MAX => {
            Err(Problem::new(key, "is too long; write 10ms at most"))
        }
        (Some(Field(after)), HostKind::Linux) => Ok(after),
    }
}

/// The greatest window that a scaled field of a TCP header says (RFC 7323, section 2.3).
const WINDOW_MAX: Bytes = Bytes::new(1 << 30);

/// Returns the receive window. Only a Linux host has one that grows, and it has no other unless one is given.
fn receive_window(key: &str, host: &Host, kind: HostKind, flow: &Flow) -> Checked<ReceiveWindow> {
    let key = child(key, "host.receive_window");
    let limits = match (host.receive_window.as_ref().map(|Either(window)| window), kind) {
        (Some(Window::Constant(segments)), _) => return Ok(ReceiveWindow::Constant(*segments)),
        (None, HostKind::Bsd) => return Ok(ReceiveWindow::Constant(Segments(SEGMENTS_MAX as u32))),
        (None, HostKind::Linux) => LinuxWindow::default(),
        (Some(Window::Linux(_)), HostKind::Bsd) => {
            let message = "grows on host \"linux\" only; write a number of segments, or that host";
            return Err(Problem::new(key, message));
        }
        (Some(Window::Linux(limits)), HostKind::Linux) => *limits,
    };
    let packet = flow.packet.map_or(1000, |packet| packet.0.get());
    let stamped = host.timestamps.unwrap_or(true);
    let payload = packet.saturating_sub(flow.header.map_or(headers(stamped), |header| header.0).get());
    let two_segments = 2 * payload;
    if let Some(Field(initial)) = limits.initial.filter(|initial| initial.0.get() < two_segments) {
        let message = format!("{}b was given; write two segments at least, {two_segments}b", initial.get());
        return Err(Problem::new(child(&key, "initial"), message));
    }
    let initial = limits.initial.map_or(ReceiveWindow::INITIAL.max(Bytes::new(two_segments)), |initial| initial.0);
    let max = limits.max.map_or(ReceiveWindow::max(Bytes::new(payload)).max(initial), |max| max.0);
    match max < initial || max > WINDOW_MAX {
        false => Ok(ReceiveWindow::Linux { initial, max }),
        true => {
            let message = format!("{}b was given; write {}b to {}b", max.get(), initial.get(), WINDOW_MAX.get());
            Err(Problem::new(child(&key, "max"), message))
        }
    }
}

/// Returns whether acknowledgements are selective. Only a Linux host has the switch; elsewhere the recovery decides it.
fn sack(key: &str, host: &Host, kind: HostKind) -> Checked<bool> {
    match (host.sack, kind) {
        (None, _) => Ok(true),
        (Some(sack), HostKind::Linux) => Ok(sack),
        (Some(_), HostKind::Bsd) => {
            let message = "is for host \"linux\"; leave it out, or write recovery \"sack\" or \"newreno\"";
            Err(Problem::new(child(key, "host.sack"), message))
        }
    }
}

/// The headers of IP and TCP, with time stamps or without.
const fn headers(timestamps: bool) -> Bytes {
    Bytes::new(if timestamps { 40 + TimeStamps::WIRE_BYTES } else { 40 })
}

/// Returns whether segments have time stamps. Only a Linux host has them, as nothing of the others would use them.
fn timestamps(key: &str, host: &Host, kind: HostKind) -> Checked<bool> {
    match (host.timestamps, kind) {
        (given, HostKind::Linux) => Ok(given.unwrap_or(true)),
        (None | Some(false), HostKind::Bsd) => Ok(false),
        (Some(true), HostKind::Bsd) => {
            Err(Problem::new(child(key, "host.timestamps"), "is for host \"linux\"; leave it out, or write that host"))
        }
    }
}

/// Returns the rate of a kernel's clock.
fn ticks(key: &str, flow: &Flow, kind: HostKind) -> Checked<u16> {
    match (flow.host.as_ref().and_then(|host| host.0.0.ticks_per_second), kind) {
        (None, _) => Ok(Parameters::DEBIANS_TICKS),
        (Some(ticks), HostKind::Linux) => Ok(ticks.0.0 as u16),
        (Some(_), HostKind::Bsd) => {
            let message = "is for host \"linux\"; leave it out, or write that host";
            Err(Problem::new(child(key, "host.ticks_per_second"), message))
        }
    }
}

/// Checks when `what` starts and stops.
pub(super) fn times(
    key: &str,
    what: &str,
    start: Option<Field<Span>>,
    stop: Option<Field<Span>>,
    duration: Span,
) -> Checked<(Time, Option<Time>)> {
    let start = start.map_or(Span::ZERO, |start| start.0);
    if start >= duration {
        let message = format!("{what} never starts: the run is over by then; write a time before duration");
        return Err(Problem::new(child(key, "start"), message));
    }
    if stop.is_some_and(|stop| stop.0 <= start) {
        let message = format!("{what} stops before it starts; write a time after start");
        return Err(Problem::new(child(key, "stop"), message));
    }
    Ok((Time::ZERO + start, stop.map(|stop| Time::ZERO + stop.0)))
}

/// Checks a packet's size on the wire.
pub(super) fn packet(key: &str, given: Option<Field<Bytes>>, default: u64) -> Checked<Bytes> {
    let size = given.map_or(Bytes::new(default), |size| size.0);
    if size.get() == 0 || size > PACKET_MAX {
        let message = format!("{}b was given; expected 1b to {}b", size.get(), PACKET_MAX.get());
        return Err(Problem::new(key, message));
    }
    Ok(size)
}

/// Checks that packets hold data and fit the queues of their path.
fn check_sizes(key: &str, flow: &FlowSpec, network: &Network) -> Checked<()> {
    if flow.size.is_some() && flow.sends_media() {
        return Err(Problem::new(child(key, "size"), "goes with no media; leave it out, and give the flow a stop"));
    }
    if flow.header >= flow.packet {
        let message = format!(
            "the header fills the packet: {}b of {}b; write less than the packet",
            flow.header.get(),
            flow.packet.get()
        );
        return Err(Problem::new(child(key, "header"), message));
    }
    if flow.composition.signal.needs_routers() && flow.packet > PACKET_WITH_OPTION_MAX {
        let message = format!(
            "leaves no room for the option that routers stamp; write {}b at most",
            PACKET_WITH_OPTION_MAX.get()
        );
        return Err(Problem::new(child(key, "packet"), message));
    }
    if flow.composition.signal.needs_routers() && flow.ack > PACKET_WITH_OPTION_MAX {
        let message = format!(
            "leaves no room for the option that routers stamp; write {}b at most",
            PACKET_WITH_OPTION_MAX.get()
        );
        return Err(Problem::new(child(key, "ack"), message));
    }
    let data = ("packet", flow.packet, flow.largest_packet(), &flow.path);
    let acks = ("ack", flow.ack, flow.largest_ack(), &flow.reverse_path);
    for (name, given, size, path) in [data, acks] {
        if let Some((link, limit)) = network.too_short_for(size, path) {
            let options = match size.get() - given.get() {
                0 => String::new(),
                bytes => format!(" with {bytes}b of options"),
            };
            let message = format!(
                "{}b{options} do not fit the {}b of the queue of {link}; lengthen it",
                given.get(),
                limit.get()
            );
            return Err(Problem::new(child(key, name), message));
        }
    }
    Ok(())
}
