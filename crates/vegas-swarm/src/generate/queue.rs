//! Queues: limits and disciplines.

use serde_json::Value;
use vegas_sim::scenario::Discipline;

use super::scale::Scale;
use super::{Table, set};
use crate::document::quantity;
use crate::draw::Draw;

/// The size of the options that a packet may carry beyond its size, bytes.
const OPTION_BYTES: u64 = 60;
/// The longest of a discipline's times, ns.
const SPAN_MAX_NS: u64 = 60_000_000_000;

pub(super) fn any(draw: &mut Draw, scale: &Scale) -> Value {
    if draw.percent(60) {
        return limit(draw, scale).into();
    }
    let (name, kind) = draw.pick(Discipline::KINDS);
    let mut queue = Table::new();
    set(&mut queue, "kind", name);
    set(&mut queue, "limit", limit(draw, scale));
    for key in kind.keys() {
        if draw.percent(55) {
            let value = value(draw, scale, key, &queue);
            set(&mut queue, key, value);
        }
    }
    queue.into()
}

/// Draws what a key of a discipline gives; `queue` has the keys before it.
fn value(draw: &mut Draw, scale: &Scale, key: &str, queue: &Table) -> Value {
    match key {
        "ecn" => draw.percent(80).into(),
        "target" | "interval" | "update" | "max_burst" | "ce_threshold" => {
            let about = if draw.percent(70) { scale.round_trip } else { 10_000_000 };
            let nanos = scale.some_time(draw, about).min(SPAN_MAX_NS);
            quantity::time(draw, nanos).into()
        }
        "queues" => draw.log_between(1, 65_536).into(),
        "quantum" => draw.log_between(1, 1_000_000).into(),
        "isolate" => draw.pick(&["flows", "users", "users"]).into(),
        "min" => draw.log_between(1, 100).into(),
        "max" => (queue.get("min").and_then(Value::as_u64).unwrap_or(5) + draw.log_between(1, 200)).into(),
        "max_probability" => {
            let ppm = draw.below(1_000_001);
            quantity::probability(draw, ppm)
        }
        "weight" => {
            let ppm = draw.log_between(1, 1_000_000);
            quantity::probability(draw, ppm)
        }
        _ => panic!("{key}: how is it drawn?"),
    }
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
