//! Queues: limits and disciplines.

use serde_json::Value;

use super::scale::Scale;
use super::{Table, maybe, set};
use crate::document::quantity;
use crate::draw::Draw;

/// The size of the options that a packet may carry beyond its size, bytes.
const OPTION_BYTES: u64 = 60;
/// The longest of a discipline's times, ns.
const SPAN_MAX_NS: u64 = 60_000_000_000;

pub(super) fn any(draw: &mut Draw, scale: &Scale) -> Value {
    let kind = match draw.below(100) {
        0..60 => return limit(draw, scale).into(),
        60..65 => "drop-tail",
        65..74 => "red",
        74..82 => "codel",
        82..90 => "pie",
        _ => "fq-codel",
    };
    let mut queue = Table::new();
    set(&mut queue, "kind", kind);
    set(&mut queue, "limit", limit(draw, scale));
    if kind != "drop-tail" {
        maybe(draw, 40, &mut queue, "ecn", |draw| draw.percent(80));
    }
    let span = |draw: &mut Draw| {
        let about = if draw.percent(70) { scale.round_trip } else { 10_000_000 };
        let nanos = scale.some_time(draw, about).min(SPAN_MAX_NS);
        quantity::time(draw, nanos)
    };
    match kind {
        "red" => red(draw, &mut queue),
        "codel" | "fq-codel" => {
            maybe(draw, 60, &mut queue, "target", span);
            maybe(draw, 60, &mut queue, "interval", span);
        }
        "pie" => {
            maybe(draw, 60, &mut queue, "target", span);
            maybe(draw, 60, &mut queue, "update", span);
            maybe(draw, 60, &mut queue, "max_burst", span);
        }
        _ => {}
    }
    if kind == "fq-codel" {
        maybe(draw, 60, &mut queue, "queues", |draw| draw.log_between(1, 65_536));
        maybe(draw, 60, &mut queue, "quantum", |draw| draw.log_between(1, 1_000_000));
        maybe(draw, 50, &mut queue, "isolate", |draw| draw.pick(&["flows", "users", "users"]));
    }
    queue.into()
}

/// Returns a limit that every packet of the network fits.
pub(super) fn limit(draw: &mut Draw, scale: &Scale) -> String {
    match draw.below(10) {
        0 => "unlimited".into(),
        1..4 => {
            let least = scale.packet_max + OPTION_BYTES;
            let bytes = draw.log_between(least, 300 * least);
            quantity::size(draw, bytes)
        }
        4..7 => format!("{}p", draw.log_between(1, 20)),
        _ => format!("{}p", draw.log_between(1, 5_000)),
    }
}

fn red(draw: &mut Draw, queue: &mut Table) {
    let mut least = 5;
    if draw.percent(60) {
        least = draw.log_between(1, 100);
        set(queue, "min", least);
    }
    maybe(draw, 50, queue, "max", |draw| least + draw.log_between(1, 200));
    maybe(draw, 50, queue, "max_probability", |draw| {
        let ppm = draw.below(1_000_001);
        quantity::probability(draw, ppm)
    });
    maybe(draw, 50, queue, "weight", |draw| {
        let ppm = draw.log_between(1, 1_000_000);
        quantity::probability(draw, ppm)
    });
}
