//! A link's queue: limit and discipline, with every value in range.

use vegas_core::units::Bytes;

use super::product::Product;
use crate::scenario::document::scalar::{Capacity, Chance, Whole};
use crate::scenario::document::{LinkQueue, ManagedQueue};
use crate::scenario::model::{Discipline, DisciplineKind, Keys, QueueLimit, Value};
use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::field::Field;

/// Resolves the queue at `key` of a link with this bandwidth-delay product.
pub(super) fn resolve(key: &str, queue: &LinkQueue, product: Product) -> Checked<(QueueLimit, Discipline)> {
    match queue {
        LinkQueue::DropTail(capacity) => Ok((limit(key, *capacity, product)?, Discipline::DropTail)),
        LinkQueue::Managed(queue) => {
            let (kind, given) = (queue.kind.0, given(queue));
            check_keys(key, &kind, &given)?;
            let limit = limit(&child(key, "limit"), queue.limit.0, product)?;
            Ok((limit, (kind.read)(&mut Keys::new(key, &given))?))
        }
    }
}

/// Returns the capacity at `key` in packets or bytes; a fraction of a byte is dropped.
fn limit(key: &str, capacity: Capacity, product: Product) -> Checked<QueueLimit> {
    let milli = match capacity {
        Capacity::Limit(limit) => return Ok(limit),
        Capacity::BdpMilli(milli) => milli,
    };
    let bytes = product.map_err(|reason| {
        Problem::new(
            key,
            format!("is given in bandwidth-delay products, {reason}; write packets (\"100p\") or bytes (\"64kb\")"),
        )
    })?;
    let bytes = u128::from(bytes.get()) * u128::from(milli) / 1_000;
    Ok(QueueLimit::Bytes(Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX))))
}

/// Returns the keys beside `kind` and `limit`, each with its value if it is given.
fn given(queue: &ManagedQueue) -> [(&'static str, Option<Value>); 13] {
    // every field by name, so that the compiler reports a new one
    let ManagedQueue {
        kind: _,
        limit: _,
        ecn,
        target,
        interval,
        ce_threshold,
        update,
        max_burst,
        queues,
        quantum,
        isolate,
        min,
        max,
        max_probability,
        weight,
    } = *queue;
    let time = |given: Option<Field<_>>| given.map(|span| Value::Time(span.0));
    let chance = |given: Option<Field<Chance>>| given.map(|chance| Value::ChancePpm(chance.0.ppm));
    [
        ("ecn", ecn.map(Value::Switch)),
        ("target", time(target)),
        ("interval", time(interval)),
        ("ce_threshold", time(ce_threshold)),
        ("update", time(update)),
        ("max_burst", time(max_burst)),
        ("queues", count(queues)),
        ("quantum", count(quantum)),
        ("isolate", isolate.map(|isolation| Value::Isolation(isolation.0))),
        ("min", count(min)),
        ("max", count(max)),
        ("max_probability", chance(max_probability)),
        ("weight", chance(weight)),
    ]
}

fn count<const LEAST: u64, const MOST: u64>(given: Option<Field<Whole<LEAST, MOST>>>) -> Option<Value> {
    given.map(|count| Value::Count(count.0.0 as u32))
}

/// Refuses keys that have no meaning for the discipline.
fn check_keys(key: &str, kind: &DisciplineKind, given: &[(&'static str, Option<Value>)]) -> Checked<()> {
    let known = kind.keys();
    match given.iter().find(|(name, value)| value.is_some() && !known.contains(name)) {
        None => Ok(()),
        Some((name, _)) => {
            let kinds = Discipline::KINDS.iter().filter(|(_, kind)| kind.keys().contains(name));
            let kinds: Vec<String> = kinds.map(|(kind, _)| format!("\"{kind}\"")).collect();
            let right = format!("leave it out, or set kind to {}", kinds.join(" or "));
            Err(Problem::new(child(key, name), format!("means nothing to {}; {right}", kind.name)))
        }
    }
}
