//! Changes during the run.

use serde_json::Value;

use super::scale::Scale;
use super::topology::Shape;
use super::{Table, maybe, queue, set};
use crate::document::quantity;
use crate::draw::Draw;

pub(super) fn tables(draw: &mut Draw, scale: &Scale, shape: &Shape, flows: usize) -> Vec<Value> {
    let count = match draw.below(100) {
        0..60 => 0,
        60..95 => draw.between(1, 5),
        _ => draw.between(6, 20),
    };
    (0..count).map(|_| table(draw, scale, shape, flows).into()).collect()
}

fn table(draw: &mut Draw, scale: &Scale, shape: &Shape, flows: usize) -> Table {
    let mut change = Table::new();
    let at = scale.some_instant(draw);
    set(&mut change, "at", quantity::time(draw, at));
    if let Shape::Graph { nodes, .. } = shape
        && draw.percent(20)
    {
        set(&mut change, "flow", draw.below(flows as u64));
        let via =
            if draw.percent(40) { Vec::new() } else { vec![nodes[draw.below(nodes.len() as u64) as usize].clone()] };
        set(&mut change, "via", via);
        return change;
    }
    set(&mut change, "link", shape.some_link(draw, flows));
    // a link that follows a trace gets neither a delay nor, below, a rate
    maybe(draw, if scale.traced { 0 } else { 60 }, &mut change, "delay", |draw| {
        let delay = scale.some_delay(draw);
        quantity::time(draw, delay)
    });
    maybe(draw, 40, &mut change, "queue", |draw| queue::limit(draw, scale));
    maybe(draw, 15, &mut change, "loss", |draw| {
        let ppm = if draw.percent(30) { 1_000_000 } else { draw.log_between(1, 1_000_000) };
        quantity::probability(draw, ppm)
    });
    // a change has at least one new value
    if change.len() == 2 || draw.percent(50) {
        if scale.traced {
            set(&mut change, "queue", queue::limit(draw, scale));
            return change;
        }
        let rate = scale.some_rate(draw);
        set(&mut change, "rate", quantity::rate(draw, rate));
    }
    change
}
