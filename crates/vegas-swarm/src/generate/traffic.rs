//! Sources of background traffic.

use serde_json::Value;

use super::scale::{HOUR_NS, Scale};
use super::topology::Shape;
use super::{Table, flow, maybe, set};
use crate::document::quantity;
use crate::draw::Draw;
use crate::traces;

pub(super) fn tables(draw: &mut Draw, scale: &Scale, shape: &Shape) -> Vec<Value> {
    let count = match draw.below(100) {
        0..55 => 0,
        55..85 => 1,
        _ => draw.between(2, 4),
    };
    (0..count).map(|_| table(draw, scale, shape).into()).collect()
}

fn table(draw: &mut Draw, scale: &Scale, shape: &Shape) -> Table {
    let mut source = Table::new();
    let kind = draw.pick(&[
        "constant",
        "exponential-on-off",
        "pareto-on-off",
        "poisson-transfers",
        "poisson-transfers",
        "tcplib",
        "connection-trace",
    ]);
    set(&mut source, "kind", kind);
    match kind {
        "constant" => {
            datagrams(draw, scale, &mut source);
        }
        "exponential-on-off" | "pareto-on-off" => {
            let interval = datagrams(draw, scale, &mut source);
            let on = interval.max(scale.some_time(draw, 10 * interval)).min(HOUR_NS).max(interval);
            set(&mut source, "on", quantity::time(draw, on));
            let off = scale.some_time(draw, 10 * interval);
            set(&mut source, "off", quantity::time(draw, off));
            maybe(draw, 30, &mut source, "whole_packets", |_| true);
        }
        "connection-trace" => replay(draw, scale, &mut source),
        _ => transfers(draw, scale, kind == "poisson-transfers", &mut source),
    }
    let shaped = kind == "pareto-on-off" || source.get("size_distribution").is_some_and(|sizes| sizes == "pareto");
    if shaped {
        maybe(draw, 60, &mut source, "shape", |draw| draw.between(1_010, 5_000) as f64 / 1_000.0);
    }
    let start = if draw.percent(50) { scale.some_instant(draw) } else { 0 };
    if start > 0 {
        set(&mut source, "start", quantity::time(draw, start));
    }
    maybe(draw, 25, &mut source, "stop", |draw| {
        let stop = start + scale.some_time(draw, scale.duration);
        quantity::time(draw, stop)
    });
    maybe(draw, 20, &mut source, "user", flow::user);
    shape.add_route(draw, scale, &mut source);
    if matches!(shape, Shape::Dumbbell) {
        maybe(draw, 50, &mut source, "direction", |draw| draw.pick(&["forward", "backward"]));
    }
    source
}

/// Draws a source of datagrams; returns the time between two packets, ns.
fn datagrams(draw: &mut Draw, scale: &Scale, source: &mut Table) -> u64 {
    let mut packet = 1_000;
    if scale.packet_max < packet || draw.percent(60) {
        packet = draw.log_between(1, scale.packet_max);
        set(source, "packet", quantity::size(draw, packet));
    }
    // at least a nanosecond between two packets
    let rate = scale.some_rate(draw).min(8_000_000_000 * packet);
    set(source, "rate", quantity::rate(draw, rate));
    8_000_000_000 * packet / rate + 1
}

/// Draws a source of connections that a trace describes.
fn replay(draw: &mut Draw, scale: &Scale, source: &mut Table) {
    set(source, "trace", draw.pick(&traces::CONNECTIONS));
    maybe(draw, 60, source, "side", |draw| draw.pick(&["responses", "requests"]));
    set(source, "flow", flow::connection(draw, scale, false));
}

/// Draws a source of transfers; sized ones may be QUIC's.
fn transfers(draw: &mut Draw, scale: &Scale, sized: bool, source: &mut Table) {
    let interarrival = scale.some_time(draw, scale.round_trip);
    set(source, "interarrival", quantity::time(draw, interarrival));
    if sized {
        let bytes = draw.log_between(1, 100_000);
        set(source, "size", quantity::size(draw, bytes));
        maybe(draw, 60, source, "size_distribution", |draw| draw.pick(&["fixed", "exponential", "pareto"]));
    } else {
        maybe(draw, 30, source, "items", |draw| draw.between(1, 3));
    }
    set(source, "flow", flow::connection(draw, scale, sized));
}
