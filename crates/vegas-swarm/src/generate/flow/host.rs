//! Hosts of TCP flows.

use serde_json::Value;

use super::parts;
use crate::document::quantity;
use crate::draw::Draw;
use crate::generate::scale::{HOUR_NS, Scale};
use crate::generate::{Table, maybe, set};

/// Returns a kind of host, or a table of a host's properties. `delayed_ack` says whether the table may have that key.
pub(super) fn any(draw: &mut Draw, scale: &Scale, delayed_ack: bool) -> Value {
    if draw.percent(30) {
        return draw.pick(&["bsd", "linux"]).into();
    }
    let mut host = Table::new();
    maybe(draw, 60, &mut host, "kind", |draw| draw.pick(&["bsd", "linux"]));
    let is_linux = host.get("kind").is_some_and(|kind| kind == "linux");
    maybe(draw, 30, &mut host, "dupack_threshold", |draw| draw.log_between(1, 1_000));
    if !is_linux {
        maybe(draw, 30, &mut host, "limited_transmit", |draw| draw.percent(50));
        maybe(draw, 30, &mut host, "recovery_burst", parts::segments_or_none);
        maybe(draw, 30, &mut host, "byte_counting", |draw| draw.percent(40));
        maybe(draw, 40, &mut host, "rto_grain", |draw| timeout(draw, scale));
    }
    if is_linux {
        maybe(draw, 40, &mut host, "sack", |draw| draw.percent(30));
        maybe(draw, 40, &mut host, "timestamps", |draw| draw.percent(30));
        maybe(draw, 15, &mut host, "reads_after", |draw| short(draw, scale));
        maybe(draw, 15, &mut host, "ticks_per_second", |draw| draw.pick(&[100, 250, 300, 1000]));
    }
    if delayed_ack {
        maybe(draw, 30, &mut host, "delayed_ack", |draw| match is_linux && draw.percent(60) {
            true => "linux".into(),
            false => self::delayed_ack(draw, scale),
        });
    }
    maybe(draw, 15, &mut host, "gro", |draw| gro(draw, scale));
    maybe(draw, 25, &mut host, "receive_window", |draw| match is_linux {
        true => linux_window(draw),
        false => draw.log_between(2, 1 << 20).into(),
    });
    if draw.percent(60) {
        timeouts(draw, scale, &mut host);
    }
    maybe(draw, 20, &mut host, "slow_start_after_idle", |draw| draw.percent(30));
    maybe(draw, 10, &mut host, "aqt_every", |draw| draw.log_between(1, 1_000));
    maybe(draw, 10, &mut host, "accepts_ecn", |draw| draw.pick(&["none", "classic", "accurate"]));
    maybe(draw, 40, &mut host, "handshake", |draw| draw.pick(&["none", "full"]));
    host.into()
}

/// Returns a receive window of a Linux host: constant, or one that grows.
fn linux_window(draw: &mut Draw) -> Value {
    match draw.below(4) {
        0 => draw.log_between(2, 1 << 20).into(),
        1 => "linux".into(),
        _ => {
            // two of the largest segments at least
            let initial = draw.log_between(131_072, 1 << 20);
            let mut window = Table::new();
            maybe(draw, 60, &mut window, "initial", |_| format!("{initial}b"));
            maybe(draw, 60, &mut window, "max", |draw| format!("{}b", draw.log_between(initial, 1 << 30)));
            window.into()
        }
    }
}

/// Returns `false`, or the longest wait for a second segment.
pub(super) fn delayed_ack(draw: &mut Draw, scale: &Scale) -> Value {
    const DELAYED_ACK_MAX_NS: u64 = 500_000_000;
    if draw.percent(20) {
        return false.into();
    }
    let about = if draw.percent(50) { scale.round_trip } else { 40_000_000 };
    let nanos = scale.some_time(draw, about).clamp(2, DELAYED_ACK_MAX_NS);
    quantity::time(draw, nanos).into()
}

/// Returns `false`, or the longest time for which an interface holds segments.
fn gro(draw: &mut Draw, scale: &Scale) -> Value {
    match draw.below(5) {
        0 => false.into(),
        1 => "0s".into(),
        _ => short(draw, scale),
    }
}

/// Returns a time as hosts take to handle what has come.
fn short(draw: &mut Draw, scale: &Scale) -> Value {
    const MOST_NS: u64 = 10_000_000;
    let nanos = scale.some_time(draw, scale.round_trip / 100).min(MOST_NS);
    quantity::time(draw, nanos).into()
}

/// Sets timeouts. Neither the least nor the first one exceeds the greatest.
fn timeouts(draw: &mut Draw, scale: &Scale, host: &mut Table) {
    let greatest = scale.even(draw.log_between(2 * scale.round_trip.min(HOUR_NS / 4), HOUR_NS));
    set(host, "rto_max", quantity::time(draw, greatest));
    for key in ["rto_min", "rto_initial"] {
        let nanos = scale.some_time(draw, 3 * scale.round_trip.min(HOUR_NS)).min(greatest);
        set(host, key, quantity::time(draw, nanos));
    }
}

fn timeout(draw: &mut Draw, scale: &Scale) -> String {
    let nanos = scale.some_time(draw, scale.round_trip).min(HOUR_NS);
    quantity::time(draw, nanos)
}
