//! Delays that vary: those of links, and the links that hold one flow's packets.

use std::sync::Arc;

use vegas_core::units::{Rate, Span, Time};

use super::Network;
use crate::scenario::document::{self, LinkDelay};
use crate::scenario::model::trace::{self, Folder};
use crate::scenario::model::{DelaySchedule, Discipline, Impairments, LinkId, LinkKind, LinkSpec, QueueLimit};
use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::field::Field;

/// A rate at which the largest packet takes less than half a nanosecond, so that it takes none.
const AT_ONCE: Rate = Rate::from_bits_per_second(10_000_000_000_000_000);

/// Resolves the delay of a link: a constant, or the least one of a trace, of which the schedule goes to the
/// impairments.
pub(super) fn resolve(
    key: &str,
    given: &LinkDelay,
    impairments: &mut Impairments,
    folder: &dyn Folder,
) -> Checked<Span> {
    let file = match given {
        LinkDelay::Constant(delay) => return within_an_hour(child(key, "delay"), *delay),
        LinkDelay::Trace(file) => file,
    };
    let key_trace = child(key, "delay.trace");
    let step = trace::step(&child(key, "delay.step"), file.step)?;
    let (least, schedule) = trace::load(&key_trace, &file.trace, folder, |text| DelaySchedule::parse(text, step))?;
    for (_, above) in schedule.points() {
        within_an_hour(key_trace.clone(), least + *above)?;
    }
    set_trace(key, schedule, impairments)?;
    Ok(least)
}

/// Returns the delay of a link as that of the other direction, which may follow a trace.
pub(super) fn follow(key: &str, other: &LinkKind, impairments: &mut Impairments) -> Checked<Span> {
    let schedule = &other.impairments.delay_schedule;
    if schedule.sha256().is_some() {
        set_trace(key, schedule.clone(), impairments)?;
    }
    Ok(other.delay)
}

fn set_trace(key: &str, schedule: DelaySchedule, impairments: &mut Impairments) -> Checked<()> {
    if impairments.delay_schedule != DelaySchedule::default() {
        let message = "stands beside a delay that follows a trace; give one of the two";
        return Err(Problem::new(child(key, "delay_schedule"), message));
    }
    impairments.delay_schedule = schedule;
    Ok(())
}

/// Resolves the schedule of a link, which is in the table of its direction.
pub(super) fn of_link(key: &str, given: &document::DelaySchedule) -> Checked<DelaySchedule> {
    if given.backward.is_some() {
        let message = "is a flow's; leave it out, and write the schedule in the link's table \"backward\"";
        return Err(Problem::new(child(key, "backward"), message));
    }
    schedule(key, given)
}

fn schedule(key: &str, given: &document::DelaySchedule) -> Checked<DelaySchedule> {
    let limit = within_an_hour(child(key, "limit"), given.limit.0)?;
    let key_points = child(key, "points");
    let mut points: Vec<(Time, Span)> = Vec::with_capacity(given.points.len());
    for (index, point) in given.points.iter().enumerate() {
        let key = child(&key_points, index);
        let &[Field(from), Field(delay)] = point.as_slice() else {
            let message = format!("has {} values; write a time and a delay, such as [\"3.5s\", \"10ms\"]", point.len());
            return Err(Problem::new(key, message));
        };
        if points.last().is_some_and(|(before, _)| *before >= Time::ZERO + from) {
            return Err(Problem::new(key, "is not later than the point before; write the times ascending"));
        }
        if delay > limit {
            return Err(Problem::new(key, "has a delay above the limit; write less, or raise the limit"));
        }
        points.push((Time::ZERO + from, delay));
    }
    let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) else {
        return Err(Problem::new(key_points, "is empty; write one point at least, such as [\"0s\", \"10ms\"]"));
    };
    match given.every {
        None => Ok(DelaySchedule::new(points)),
        Some(Field(every)) if last.since(*first) < every => Ok(DelaySchedule::repeating(points, every)),
        Some(_) => {
            let message = "is not longer than from the first point to the last; write a longer time";
            Err(Problem::new(child(key, "every"), message))
        }
    }
}

/// A link behind the last link of a flow's path, which holds the flow's packets. It takes no time by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    link: LinkId,
    backward: bool,
}

impl Network {
    /// Adds the link that holds the packets of flow `id`. The link ends where the flow's path ends, and begins at a
    /// node of its own, with a name that no node of a file has.
    pub(super) fn add_hold(&mut self, key: &str, id: usize, given: &document::DelaySchedule) -> Checked<()> {
        let schedule = schedule(key, given)?;
        let backward = given.backward.unwrap_or(false);
        let path = &self.paths[id];
        let to = match backward {
            false => self.links[path[path.len() - 1]].to,
            true => self.links[path[0]].from,
        };
        let kind = LinkKind {
            rate: AT_ONCE,
            trace: None,
            delay: Span::ZERO,
            queue: QueueLimit::Unlimited,
            discipline: Discipline::DropTail,
            aqt: false,
            impairments: Impairments { delay_schedule: schedule, ..Impairments::default() },
        };
        let from = self.add_node(format!("hold:{id}"));
        self.links.push(LinkSpec { from, to, kind: Arc::new(kind) });
        self.holds.insert(id, Hold { link: self.links.len() - 1, backward });
        Ok(())
    }

    /// Leads the paths of flow `id` through the link that holds its packets, if it has one.
    pub(in crate::scenario) fn lead_through_hold(&self, id: usize, path: &mut Vec<LinkId>, reverse: &mut Vec<LinkId>) {
        if let Some(Hold { link, backward }) = self.holds.get(&id) {
            if *backward { reverse } else { path }.push(*link);
        }
    }
}

/// The greatest delay: Mars is at most 22 minutes away.
const DELAY_MAX: Span = Span::from_secs(3600);

pub(super) fn within_an_hour(key: String, delay: Span) -> Checked<Span> {
    if delay > DELAY_MAX {
        return Err(Problem::new(key, "is longer than an hour; write 1h at most"));
    }
    Ok(delay)
}
