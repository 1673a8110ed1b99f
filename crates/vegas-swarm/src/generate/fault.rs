//! Impairments of a link, in the direction in which the link is written.

use serde_json::{Value, json};

use super::scale::Scale;
use super::{Table, maybe, set};
use crate::document::quantity;
use crate::draw::Draw;

/// Adds impairments to a link, or to its reverse direction.
pub(super) fn add(draw: &mut Draw, scale: &Scale, link: &mut Table) {
    maybe(draw, 15, link, "loss", loss);
    maybe(draw, 8, link, "policer", |draw| policer(draw, scale));
    if !scale.exact {
        maybe(draw, 12, link, "jitter", |draw| jitter(draw, scale));
    }
    maybe(draw, 12, link, "delay_schedule", |draw| delay_schedule(draw, scale));
    maybe(draw, 8, link, "batch", |draw| {
        let nanos = if draw.percent(10) { 0 } else { scale.some_time(draw, scale.delay + 10) };
        quantity::time(draw, nanos)
    });
    maybe(draw, 10, link, "duplicate", |draw| {
        let ppm = draw.log_between(1, 300_000);
        quantity::probability(draw, ppm)
    });
    maybe(draw, 12, link, "reorder", |draw| {
        let ppm = draw.log_between(1, 500_000);
        let nanos = scale.some_time(draw, scale.delay + 10);
        json!({ "probability": quantity::probability(draw, ppm), "delay": quantity::time(draw, nanos) })
    });
    maybe(draw, 8, link, "ecn_field", |draw| draw.pick(&["not-ect", "ect0", "ect1", "ce"]));
    maybe(draw, 10, link, "drop", |draw| {
        let mut packets: Vec<u64> = (0..draw.below(6)).map(|_| draw.log_between(1, 300)).collect();
        packets.sort_unstable();
        packets.dedup();
        packets
    });
}

/// Returns a schedule of a few changes, at times of which some are beyond the run.
pub(super) fn delay_schedule(draw: &mut Draw, scale: &Scale) -> Table {
    let limit = scale.some_time(draw, scale.delay + 10);
    let first = if draw.percent(60) { 0 } else { scale.some_instant(draw) };
    let (mut from, mut last) = (first, first);
    let mut points = Vec::new();
    for _ in 0..draw.between(1, 8) {
        let delay = if draw.percent(20) { limit } else { scale.even(draw.below(limit + 1)) };
        points.push(json!([quantity::time(draw, from), quantity::time(draw, delay)]));
        last = from;
        from += scale.some_time(draw, 4 * scale.round_trip);
    }
    let mut schedule = Table::new();
    set(&mut schedule, "limit", quantity::time(draw, limit));
    set(&mut schedule, "points", points);
    maybe(draw, 40, &mut schedule, "every", |draw| {
        let after = scale.some_time(draw, 4 * scale.round_trip);
        quantity::time(draw, last - first + after)
    });
    schedule
}

fn policer(draw: &mut Draw, scale: &Scale) -> Value {
    let rate = scale.some_rate(draw);
    let burst = draw.log_between(1000, 100_000);
    json!({ "rate": quantity::rate(draw, rate), "burst": format!("{burst}b") })
}

fn jitter(draw: &mut Draw, scale: &Scale) -> Value {
    let nanos = if draw.percent(10) { 0 } else { scale.some_time(draw, scale.delay + 10) };
    let time = quantity::time(draw, nanos);
    match draw.percent(25) {
        true => json!({ "model": "wifi", "mean": time }),
        false => time.into(),
    }
}

fn loss(draw: &mut Draw) -> Value {
    if draw.percent(60) {
        let ppm = draw.log_between(1, 300_000);
        return quantity::probability(draw, ppm);
    }
    let mut model = Table::new();
    set(&mut model, "model", "gilbert-elliott");
    for (key, percent, least, most) in [
        ("good_to_bad", 100, 0, 200_000),
        ("bad_to_good", 100, 1, 1_000_000),
        ("loss_good", 40, 0, 100_000),
        ("loss_bad", 40, 0, 1_000_000),
    ] {
        maybe(draw, percent, &mut model, key, |draw| {
            let ppm = draw.log_between(least, most);
            quantity::probability(draw, ppm)
        });
    }
    model.into()
}
