//! Flows by TCP and QUIC.

mod application;
mod host;
mod parts;

use serde_json::{Value, json};
use vegas_sim::scenario::Scenario;

use super::scale::Scale;
use super::topology::Shape;
use super::{Table, fault, maybe, set};
use crate::document::quantity;
use crate::draw::Draw;

/// The number of attempts at parts, hosts and windows that go together; after these, a preset alone is taken.
const ATTEMPTS: u64 = 6;
const WINDOW_MAX: u64 = 1 << 20;
/// The least size of a QUIC packet (RFC 9000, section 14), with the headers of UDP and IP, bytes.
const QUIC_PACKET_MIN: u64 = 1228;

/// Returns a scenario's flows; each has a size if all have to complete.
pub(super) fn tables(draw: &mut Draw, scale: &Scale, shape: &Shape, sized: bool) -> Vec<Value> {
    let count = match draw.below(100) {
        0..45 => 1,
        45..92 => draw.between(2, 5),
        _ => draw.between(6, 24),
    };
    (0..count).map(|_| table(draw, scale, shape, sized).into()).collect()
}

fn table(draw: &mut Draw, scale: &Scale, shape: &Shape, sized: bool) -> Table {
    let mut flow = Table::new();
    maybe(draw, 12, &mut flow, "count", |draw| match draw.percent(90) {
        true => draw.between(1, 6),
        false => draw.log_between(1, 150),
    });
    flow.extend(connection(draw, scale, true));
    let start = if draw.percent(60) { scale.some_instant(draw) } else { 0 };
    if start > 0 {
        set(&mut flow, "start", quantity::time(draw, start));
    }
    maybe(draw, 12, &mut flow, "stop", |draw| {
        let stop = start + scale.some_time(draw, scale.duration);
        quantity::time(draw, stop)
    });
    if sized || draw.percent(40) {
        let bytes = if draw.percent(97) { draw.log_between(1, 3_000_000) } else { draw.log_between(1, 1 << 53) };
        set(&mut flow, "size", quantity::size(draw, bytes));
    }
    maybe(draw, 15, &mut flow, "application", |draw| application::phases(draw, scale));
    let sends_media = |phase: &Value| phase["kind"] == "media";
    if !sized && flow.get("application").and_then(Value::as_array).is_some_and(|phases| phases.iter().any(sends_media))
    {
        flow.remove("size");
    }
    maybe(draw, 12, &mut flow, "delay_schedule", |draw| {
        let mut schedule = fault::delay_schedule(draw, scale);
        maybe(draw, 40, &mut schedule, "backward", |draw| draw.percent(85));
        schedule
    });
    maybe(draw, 15, &mut flow, "user", user);
    maybe(draw, 15, &mut flow, "group", |draw| draw.pick(&["tested", "others"]));
    shape.add_route(draw, scale, &mut flow);
    flow
}

/// Returns a user's name, one of few, so that flows and sources have some in common.
pub(super) fn user(draw: &mut Draw) -> &'static str {
    draw.pick(&["anna", "bert", "cleo"])
}

/// Returns what a connection is like. A source of traffic has connections, too, which are TCP's.
pub(super) fn connection(draw: &mut Draw, scale: &Scale, quic: bool) -> Table {
    let quic = quic && scale.packet_max >= 1_500 && draw.percent(12);
    for _ in 0..ATTEMPTS {
        let flow = attempt(draw, scale, quic);
        if is_valid(&flow) {
            return flow;
        }
    }
    let mut flow = Table::new();
    set(&mut flow, "algorithm", "reno");
    set(&mut flow, "packet", "100b");
    flow
}

fn attempt(draw: &mut Draw, scale: &Scale, quic: bool) -> Table {
    let mut flow = Table::new();
    set(&mut flow, "algorithm", parts::algorithm(draw));
    if quic || draw.percent(5) {
        set(&mut flow, "transport", if quic { "quic" } else { "tcp" });
    }
    match quic {
        true => maybe(draw, 50, &mut flow, "packet", |draw| {
            let bytes = draw.between(QUIC_PACKET_MIN, scale.packet_max);
            quantity::size(draw, bytes)
        }),
        false => tcp(draw, scale, &mut flow),
    }
    let is_about_marks =
        |receiver: &Value| ["conceals-marks", "inflates-marks"].map(Value::from).contains(&receiver["misbehaves"]);
    let needs_marks = flow.get("receiver").is_some_and(is_about_marks);
    maybe(draw, 25, &mut flow, "ecn", |draw| draw.percent(85));
    if needs_marks {
        set(&mut flow, "ecn", true);
    }
    numbers(draw, &mut flow);
    if jumps(&flow["algorithm"]) {
        set(&mut flow, "ssthresh", draw.log_between(2, 1_000));
    }
    flow
}

/// Returns whether the algorithm has mid-speed slow start: it opens the window to half of the threshold at once, which
/// may be millions of packets.
fn jumps(algorithm: &Value) -> bool {
    let text = algorithm.to_string();
    text.contains("dynamic") || text.contains("mid-speed")
}

fn tcp(draw: &mut Draw, scale: &Scale, flow: &mut Table) {
    if scale.packet_max < 1_000 || draw.percent(60) {
        let packet = match draw.percent(70) {
            true => draw.between(scale.packet_max.min(300), scale.packet_max.min(1_500)),
            false => draw.log_between(2, scale.packet_max),
        };
        set(flow, "packet", quantity::size(draw, packet));
        if packet <= 40 || draw.percent(30) {
            let header = draw.below(packet.min(100));
            set(flow, "header", quantity::size(draw, header));
        }
        maybe(draw, 40, flow, "ack", |draw| {
            let bytes = draw.log_between(1, scale.packet_max);
            quantity::size(draw, bytes)
        });
    }
    maybe(draw, 15, flow, "recovery", |draw| draw.pick(&["reno", "newreno", "sack"]));
    let delayed_ack = draw.percent(20);
    if delayed_ack {
        set(flow, "delayed_ack", host::delayed_ack(draw, scale));
    }
    if draw.percent(8) {
        set(flow, "receiver", receiver(draw));
    }
    maybe(draw, 50, flow, "host", |draw| host::any(draw, scale, !delayed_ack));
    // such a receiver acknowledges each segment at once
    if flow.get("receiver").is_some_and(|receiver| receiver["misbehaves"] == "optimistic-acks")
        && let Some(host) = flow.get_mut("host").and_then(Value::as_object_mut)
    {
        host.retain(|key, _| key != "gro" && key != "delayed_ack");
    }
}

/// Returns a receiver that breaks a rule.
fn receiver(draw: &mut Draw) -> Table {
    let mut receiver = Table::new();
    let rule = draw.pick(&["dupack-spoofing", "conceals-marks", "inflates-marks", "optimistic-acks", "ack-division"]);
    set(&mut receiver, "misbehaves", rule);
    match rule {
        "optimistic-acks" => maybe(draw, 70, &mut receiver, "ahead", |draw| draw.log_between(0, 300)),
        "ack-division" => maybe(draw, 70, &mut receiver, "parts", |draw| draw.log_between(2, 30)),
        _ => {}
    }
    receiver
}

/// Sets thresholds and windows.
fn numbers(draw: &mut Draw, flow: &mut Table) {
    if draw.percent(20) {
        let alpha = draw.log_between(0, 50);
        set(flow, "alpha", alpha);
        set(flow, "beta", alpha + draw.below(10));
    }
    maybe(draw, 15, flow, "gamma", |draw| draw.log_between(0, 1_000));
    // a first window of a million segments sends a million packets at once
    let window = |draw: &mut Draw| match draw.below(5_000) {
        0..4_700 => draw.log_between(1, 64),
        4_700..4_999 => draw.log_between(1, 1_000),
        _ => draw.log_between(1, WINDOW_MAX),
    };
    maybe(draw, 25, flow, "initial_window", window);
    maybe(draw, 15, flow, "restart_window", window);
    maybe(draw, 25, flow, "ssthresh", |draw| draw.log_between(2, WINDOW_MAX));
    maybe(draw, 25, flow, "max_window", |draw| draw.log_between(2, WINDOW_MAX));
}

/// Returns whether parts, host and numbers go together, by validation itself.
fn is_valid(flow: &Table) -> bool {
    let link = json!({ "rate": "1mbit", "delay": "1ms", "queue": "unlimited" });
    let document = json!({
        "name": "connection",
        "duration": "1s",
        "topology": { "kind": "dumbbell", "access": link, "bottleneck": link },
        "flow": [flow],
    });
    Scenario::from_json(&document.to_string(), "connection", &[]).is_ok()
}
