//! Applications, which give flows data to send.

use serde_json::Value;

use crate::document::quantity;
use crate::draw::Draw;
use crate::generate::scale::{HOUR_NS, Scale};
use crate::generate::{Table, maybe, set};

/// Returns phases. Each has an end, except that the last one may have none.
pub(super) fn phases(draw: &mut Draw, scale: &Scale) -> Value {
    if draw.percent(12) {
        let mut phase = Table::new();
        set(&mut phase, "kind", "media");
        set(&mut phase, "layers", (0..draw.between(1, 3)).map(|_| layer(draw, scale).into()).collect::<Vec<Value>>());
        return vec![Value::from(phase)].into();
    }
    let count = if draw.percent(60) { 1 } else { draw.between(2, 4) };
    let phases = (1..=count).map(|number| {
        let mut phase = phase(draw, scale);
        if number < count || draw.percent(20) {
            let length = scale.some_time(draw, scale.duration / count);
            set(&mut phase, "duration", quantity::time(draw, length));
        }
        Value::from(phase)
    });
    phases.collect::<Vec<_>>().into()
}

fn phase(draw: &mut Draw, scale: &Scale) -> Table {
    let mut phase = Table::new();
    let kind = draw.pick(&["bulk", "idle", "rate", "on-off", "requests", "video"]);
    set(&mut phase, "kind", kind);
    let about = scale.round_trip.clamp(1_000, HOUR_NS / 20);
    match kind {
        "rate" => rate(draw, scale, &mut phase),
        "on-off" => {
            rate(draw, scale, &mut phase);
            for key in ["on", "off"] {
                let period = scale.some_time(draw, 10 * about);
                set(&mut phase, key, quantity::time(draw, period));
            }
        }
        "requests" => {
            let size = draw.log_between(1, 1_000_000);
            set(&mut phase, "size", quantity::size(draw, size));
            maybe(draw, 70, &mut phase, "think", |draw| {
                let think = scale.some_time(draw, about);
                quantity::time(draw, think)
            });
        }
        "video" => video(draw, scale, &mut phase),
        _ => {}
    }
    phase
}

/// Returns a layer of media: a hundred frames in the run, or fewer.
fn layer(draw: &mut Draw, scale: &Scale) -> Table {
    let mut layer = Table::new();
    let every = scale.some_time(draw, scale.duration / 100).clamp(100_000.max(scale.duration / 10_000), HOUR_NS);
    set(&mut layer, "every", quantity::time(draw, every));
    let size = draw.log_between(1, 10_000);
    set(&mut layer, "size", quantity::size(draw, size));
    maybe(draw, 50, &mut layer, "key_size", |draw| quantity::size(draw, 10 * size));
    maybe(draw, 50, &mut layer, "group", |draw| draw.between(1, 30));
    maybe(draw, 40, &mut layer, "give_up", |draw| {
        let limit = scale.some_time(draw, 4 * every).clamp(1, HOUR_NS);
        quantity::time(draw, limit)
    });
    layer
}

fn rate(draw: &mut Draw, scale: &Scale, phase: &mut Table) {
    let bits = draw.log_between(1, scale.rate.max(2));
    set(phase, "rate", quantity::rate(draw, bits));
}

fn video(draw: &mut Draw, scale: &Scale, phase: &mut Table) {
    let first = draw.log_between(1, scale.rate.max(2));
    let ladder: Vec<Value> = (0..draw.between(1, 5)).map(|step| quantity::rate(draw, first << step).into()).collect();
    set(phase, "ladder", ladder);
    let segment = scale.some_time(draw, 10 * scale.round_trip.clamp(1_000, HOUR_NS / 200));
    set(phase, "segment", quantity::time(draw, segment));
    let buffer = (segment * draw.between(1, 5)).min(HOUR_NS);
    set(phase, "buffer", quantity::time(draw, buffer));
}
