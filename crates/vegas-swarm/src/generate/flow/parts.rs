//! Algorithms: presets, and tables of parts.

use serde_json::{Value, json};
use vegas_core::{Avoidance, BaseRtt, Cut, Recovery, Rivals, Signal, SlowStart, registry};

use crate::draw::Draw;
use crate::generate::{Table, maybe, set};

/// Returns a preset's name.
pub(super) fn preset(draw: &mut Draw) -> &'static str {
    registry::PRESETS[draw.below(registry::PRESETS.len() as u64) as usize].name
}

/// Returns a preset, or a table of parts, which may not go together.
pub(super) fn algorithm(draw: &mut Draw) -> Value {
    match draw.percent(60) {
        true => preset(draw).into(),
        false => table(draw).into(),
    }
}

fn table(draw: &mut Draw) -> Table {
    let mut parts = Table::new();
    if draw.percent(25) {
        let letters: String = ('A'..='J').filter(|_| draw.percent(50)).collect();
        set(&mut parts, "mechanisms", letters);
    } else {
        maybe(draw, 75, &mut parts, "preset", preset);
    }
    maybe(draw, 45, &mut parts, "signal", |draw| named(draw, Signal::NAMES));
    maybe(draw, 30, &mut parts, "base_rtt", |draw| named(draw, BaseRtt::NAMES));
    maybe(draw, 30, &mut parts, "rivals", |draw| named(draw, Rivals::NAMES));
    maybe(draw, 45, &mut parts, "slow_start", |draw| named(draw, SlowStart::NAMES));
    maybe(draw, 45, &mut parts, "avoidance", |draw| named(draw, Avoidance::NAMES));
    maybe(draw, 25, &mut parts, "cut", |draw| named(draw, Cut::NAMES));
    maybe(draw, 25, &mut parts, "recovery", |draw| named(draw, Recovery::NAMES));
    for switch in ["once_per_window", "fine_retransmit", "recheck_after_retransmit", "keep_up", "suppress_spikes"] {
        maybe(draw, 20, &mut parts, switch, |draw| draw.percent(50));
    }
    maybe(draw, 25, &mut parts, "burst", segments_or_none);
    maybe(draw, 20, &mut parts, "name", |draw| draw.pick(&["mine", "a+b", "x_1-y"]));
    left_to_standalone(parts)
}

/// Leaves beside a standalone algorithm only what may go with it: a slow start in place of its own, recovery and a
/// name, and the parts of one that consists of them.
fn left_to_standalone(mut parts: Table) -> Table {
    let preset = parts.get("preset").and_then(Value::as_str).and_then(registry::preset);
    if let Some(standalone) = preset.and_then(|preset| preset.standalone) {
        parts.retain(|key, _| {
            matches!(key.as_str(), "preset" | "recovery" | "name") || standalone.parts().contains(&key.as_str())
        });
    }
    parts
}

/// Returns the name of a part.
fn named<T>(draw: &mut Draw, names: &[(&'static str, T)]) -> &'static str {
    names[draw.below(names.len() as u64) as usize].0
}

/// Returns the greatest number of segments in a burst, or `"none"`.
pub(super) fn segments_or_none(draw: &mut Draw) -> Value {
    match draw.percent(30) {
        true => json!("none"),
        false => json!(draw.log_between(1, 1 << 20)),
    }
}
