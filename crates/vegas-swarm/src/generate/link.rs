//! Links of every kind of topology.

use serde_json::{Value, json};

use super::scale::Scale;
use super::{Table, fault, maybe, queue, set};
use crate::document::quantity;
use crate::draw::Draw;
use crate::traces;

/// Returns a link between two routers.
pub(super) fn between_routers(draw: &mut Draw, scale: &Scale) -> Table {
    let mut link = Table::new();
    set(&mut link, "rate", rate(draw, scale));
    set(&mut link, "delay", delay(draw, scale));
    set(&mut link, "queue", queue::any(draw, scale));
    extras(draw, scale, &mut link, 50);
    link
}

/// Returns a host's own link: mostly faster than the links behind it, and mostly without impairments.
pub(super) fn access(draw: &mut Draw, scale: &Scale) -> Table {
    let mut link = Table::new();
    let faster = draw.percent(70) && !scale.exact;
    let rate = match faster {
        true => quantity::rate(draw, scale.rate.saturating_mul(20).min(super::scale::RATE_MAX)).into(),
        false => rate(draw, scale),
    };
    set(&mut link, "rate", rate);
    set(&mut link, "delay", delay(draw, scale));
    maybe(draw, 25, &mut link, "queue", |draw| queue::any(draw, scale));
    extras(draw, scale, &mut link, 20);
    link
}

fn extras(draw: &mut Draw, scale: &Scale, link: &mut Table, faulty_percent: u64) {
    maybe(draw, 25, link, "aqt", |draw| draw.percent(80));
    if draw.percent(faulty_percent) {
        fault::add(draw, scale, link);
    }
    maybe(draw, 30, link, "backward", |draw| backward(draw, scale, faulty_percent));
}

fn backward(draw: &mut Draw, scale: &Scale, faulty_percent: u64) -> Table {
    let mut link = Table::new();
    maybe(draw, 50, &mut link, "rate", |draw| rate(draw, scale));
    maybe(draw, 50, &mut link, "delay", |draw| delay(draw, scale));
    maybe(draw, 50, &mut link, "queue", |draw| queue::any(draw, scale));
    maybe(draw, 20, &mut link, "aqt", |draw| draw.percent(50));
    if draw.percent(faulty_percent) {
        fault::add(draw, scale, &mut link);
    }
    link
}

fn rate(draw: &mut Draw, scale: &Scale) -> Value {
    if scale.traced && draw.percent(30) {
        return trace(draw, &traces::NAMES, traces::RATES_IN_STEPS);
    }
    let rate = scale.some_rate(draw);
    quantity::rate(draw, rate).into()
}

fn delay(draw: &mut Draw, scale: &Scale) -> Value {
    if scale.traced && draw.percent(20) {
        return trace(draw, &traces::DELAYS, traces::DELAYS_IN_STEPS);
    }
    let delay = scale.some_delay(draw);
    quantity::time(draw, delay).into()
}

/// Draws one of the files, or the one that needs the time that each of its values holds.
fn trace(draw: &mut Draw, names: &[&str], in_steps: &str) -> Value {
    const STEP_NS: (u64, u64) = (1_000_000, 500_000_000);
    if draw.percent(25) {
        let step = draw.between(STEP_NS.0, STEP_NS.1);
        return json!({ "trace": in_steps, "step": quantity::time(draw, step) });
    }
    json!({ "trace": draw.pick(names) })
}
