//! A link's queue: limit and discipline, with every value in range.

use vegas_core::units::Span;

use crate::scenario::document::scalar::{Named, QueueKind};
use crate::scenario::document::{LinkQueue, ManagedQueue};
use crate::scenario::model::{CoDelSpec, Discipline, FqCoDelSpec, Isolation, PieSpec, QueueLimit, RedSpec};
use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::field::Field;

/// A time above any waiting time that a queue should have.
const SPAN_MAX: Span = Span::from_secs(60);

/// Resolves the queue at `key`.
pub(super) fn resolve(key: &str, queue: &LinkQueue) -> Checked<(QueueLimit, Discipline)> {
    match queue {
        LinkQueue::Limit(limit) => Ok((*limit, Discipline::DropTail)),
        LinkQueue::Managed(queue) => {
            check_keys(key, queue)?;
            Ok((queue.limit.0, discipline(key, queue)?))
        }
    }
}

fn discipline(key: &str, queue: &ManagedQueue) -> Checked<Discipline> {
    Ok(match queue.kind.0 {
        QueueKind::DropTail => Discipline::DropTail,
        QueueKind::Red => Discipline::Red(red(key, queue)?),
        QueueKind::CoDel => Discipline::CoDel(codel(key, queue)?),
        QueueKind::Pie => Discipline::Pie(PieSpec {
            target: span(key, "target", queue.target, 15)?,
            update: span(key, "update", queue.update, 15)?,
            max_burst: span(key, "max_burst", queue.max_burst, 150)?,
            ecn: queue.ecn.unwrap_or(false),
        }),
        QueueKind::FqCoDel => Discipline::FqCoDel(FqCoDelSpec {
            codel: codel(key, queue)?,
            queues: queue.queues.map_or(1024, |queues| queues.0.0 as u32),
            quantum_bytes: queue.quantum.map_or(1514, |quantum| quantum.0.0 as u32),
            isolation: queue.isolate.map_or(Isolation::Flows, |isolation| isolation.0),
        }),
    })
}

fn codel(key: &str, queue: &ManagedQueue) -> Checked<CoDelSpec> {
    Ok(CoDelSpec {
        target: span(key, "target", queue.target, 5)?,
        interval: span(key, "interval", queue.interval, 100)?,
        ecn: queue.ecn.unwrap_or(false),
    })
}

fn red(key: &str, queue: &ManagedQueue) -> Checked<RedSpec> {
    let min_packets = queue.min.map_or(5, |min| min.0.0 as u32);
    let max_packets = queue.max.map_or(3 * min_packets, |max| max.0.0 as u32);
    if max_packets <= min_packets {
        let message = format!("is not above min, {min_packets}; write {} or more", min_packets + 1);
        return Err(Problem::new(child(key, "max"), message));
    }
    let weight_ppm = queue.weight.map_or(2_000, |weight| weight.0.ppm);
    if weight_ppm == 0 {
        return Err(Problem::new(child(key, "weight"), "0 never averages; write a weight above 0, such as 0.002"));
    }
    let max_probability_ppm = queue.max_probability.map_or(100_000, |most| most.0.ppm);
    Ok(RedSpec { min_packets, max_packets, max_probability_ppm, weight_ppm, ecn: queue.ecn.unwrap_or(false) })
}

fn span(key: &str, name: &str, given: Option<Field<Span>>, default_ms: u64) -> Checked<Span> {
    match given.map(|span| span.0) {
        None => Ok(Span::from_millis(default_ms)),
        Some(Span::ZERO) => Err(Problem::new(child(key, name), "is 0; write a time above 0, such as \"15ms\"")),
        Some(span) if span > SPAN_MAX => {
            Err(Problem::new(child(key, name), "is longer than a minute; write 1min at most"))
        }
        Some(span) => Ok(span),
    }
}

/// Returns the keys of a discipline, beside `kind` and `limit`.
fn keys_of(kind: QueueKind) -> &'static [&'static str] {
    match kind {
        QueueKind::DropTail => &[],
        QueueKind::Red => &["ecn", "min", "max", "max_probability", "weight"],
        QueueKind::CoDel => &["ecn", "target", "interval"],
        QueueKind::Pie => &["ecn", "target", "update", "max_burst"],
        QueueKind::FqCoDel => &["ecn", "target", "interval", "queues", "quantum", "isolate"],
    }
}

/// Refuses keys that have no meaning for the discipline.
fn check_keys(key: &str, queue: &ManagedQueue) -> Checked<()> {
    // every field by name, so that the compiler reports a new one
    let ManagedQueue {
        kind: Field(kind),
        limit: _,
        ecn,
        target,
        interval,
        update,
        max_burst,
        queues,
        quantum,
        isolate,
        min,
        max,
        max_probability,
        weight,
    } = queue;
    let given = [
        ("ecn", ecn.is_some()),
        ("target", target.is_some()),
        ("interval", interval.is_some()),
        ("update", update.is_some()),
        ("max_burst", max_burst.is_some()),
        ("queues", queues.is_some()),
        ("quantum", quantum.is_some()),
        ("isolate", isolate.is_some()),
        ("min", min.is_some()),
        ("max", max.is_some()),
        ("max_probability", max_probability.is_some()),
        ("weight", weight.is_some()),
    ];
    match given.iter().find(|(name, given)| *given && !keys_of(*kind).contains(name)) {
        None => Ok(()),
        Some((name, _)) => {
            let kinds = QueueKind::CHOICES.iter().filter(|(_, kind)| keys_of(*kind).contains(name));
            let kinds: Vec<String> = kinds.map(|(kind, _)| format!("\"{kind}\"")).collect();
            let right = format!("leave it out, or set kind to {}", kinds.join(" or "));
            Err(Problem::new(child(key, name), format!("means nothing to {}; {right}", name_of(*kind))))
        }
    }
}

fn name_of(kind: QueueKind) -> &'static str {
    QueueKind::CHOICES.iter().find(|(_, choice)| *choice == kind).map_or("", |(name, _)| name)
}
