//! One link table: both directions, with every value in range.

use std::sync::Arc;

use vegas_core::units::{Bytes, Rate, Span};

use crate::scenario::document::{self, Backward, BurstLoss, Faults, GraphLink, Link, LinkRate, Loss};
use crate::scenario::model::trace::{self, Folder};
use crate::scenario::model::{
    Discipline, GilbertElliott, Impairments, Jitter, LinkKind, Policer, QueueLimit, RateTrace,
};
use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::field::Either;

use super::delay::within_an_hour;
use super::product::{self, Product};
use super::{delay as varying, queue};

/// The greatest rate: a packet's transmission must take at least a part of the simulator's nanosecond.
const RATE_MAX: Rate = Rate::from_bits_per_second(1_000_000_000_000);

/// Resolves a link between routers in a row, forward and backward; without `default_queue` the file must have its
/// queue, which may be given in multiples of `product`.
pub(super) fn of_chain(
    key: &str,
    link: &Link,
    default_queue: Option<QueueLimit>,
    product: Product,
    folder: &dyn Folder,
) -> Checked<[Arc<LinkKind>; 2]> {
    let (rate, trace) = rate(key, &link.rate.0, folder)?;
    let given = link.queue.as_ref().map(|given| queue::resolve(&child(key, "queue"), &given.0, product)).transpose()?;
    let queue = given.or(default_queue.map(|limit| (limit, Discipline::DropTail)));
    let (queue, discipline) = queue.ok_or_else(|| Problem::missing(child(key, "queue")))?;
    let mut impairments = impairments(key, &link.faults())?;
    let delay = varying::resolve(key, &link.delay.0, &mut impairments, folder)?;
    let forward = LinkKind { rate, trace, delay, queue, discipline, aqt: link.aqt.unwrap_or(false), impairments };
    both_ways(key, forward, link.backward.as_deref(), folder)
}

/// Resolves a link of a graph, forward and backward.
pub(super) fn of_graph(key: &str, link: &GraphLink, folder: &dyn Folder) -> Checked<[Arc<LinkKind>; 2]> {
    let (rate, trace) = rate(key, &link.rate.0, folder)?;
    let (queue, discipline) = queue::resolve(&child(key, "queue"), &link.queue.0, product::NONE)?;
    let mut impairments = impairments(key, &link.faults())?;
    let delay = varying::resolve(key, &link.delay.0, &mut impairments, folder)?;
    let forward = LinkKind { rate, trace, delay, queue, discipline, aqt: link.aqt.unwrap_or(false), impairments };
    both_ways(key, forward, link.backward.as_deref(), folder)
}

/// Derives the backward direction, which equals the forward one except for the file's values; impairments are not
/// copied.
fn both_ways(
    key: &str,
    forward: LinkKind,
    backward: Option<&Backward>,
    folder: &dyn Folder,
) -> Checked<[Arc<LinkKind>; 2]> {
    let Some(given) = backward else {
        let mut impairments = Impairments::default();
        varying::follow(key, &forward, &mut impairments)?;
        let backward = LinkKind { impairments, ..forward.clone() };
        return Ok([forward, backward].map(Arc::new));
    };
    let key = &child(key, "backward");
    let (rate, trace) = match &given.rate {
        Some(Either(given)) => rate(key, given, folder)?,
        None => (forward.rate, forward.trace.clone()),
    };
    let (queue, discipline) = match &given.queue {
        Some(Either(given)) => queue::resolve(&child(key, "queue"), given, product::NONE)?,
        None => (forward.queue, forward.discipline),
    };
    let mut impairments = impairments(key, &given.faults())?;
    let delay = match &given.delay {
        Some(Either(given)) => varying::resolve(key, given, &mut impairments, folder)?,
        None => varying::follow(key, &forward, &mut impairments)?,
    };
    let aqt = given.aqt.unwrap_or(forward.aqt);
    let backward = LinkKind { rate, trace, delay, queue, discipline, aqt, impairments };
    Ok([forward, backward].map(Arc::new))
}

/// Resolves the rate: a constant, or the mean of a trace with the trace.
fn rate(key: &str, rate: &LinkRate, folder: &dyn Folder) -> Checked<(Rate, Option<Arc<RateTrace>>)> {
    match rate {
        LinkRate::Constant(rate) => Ok((constant_rate(key, *rate)?, None)),
        LinkRate::Trace(file) => {
            let step = trace::step(&child(key, "rate.step"), file.step)?;
            let parse = |text: &str| RateTrace::parse_stepped(text, step);
            let trace = trace::load(&child(key, "rate.trace"), &file.trace, folder, parse)?;
            Ok((trace.mean_rate(), Some(Arc::new(trace))))
        }
    }
}

pub(in crate::scenario) fn constant_rate(key: &str, rate: Rate) -> Checked<Rate> {
    if rate.as_bits_per_second() == 0 {
        return Err(Problem::new(child(key, "rate"), "a rate of 0 sends nothing; write 1bit or more"));
    }
    if rate > RATE_MAX {
        return Err(Problem::new(child(key, "rate"), "is beyond the simulator's nanosecond; write 1tbit at most"));
    }
    Ok(rate)
}

pub(in crate::scenario) fn delay(key: &str, delay: Span) -> Checked<Span> {
    within_an_hour(child(key, "delay"), delay)
}

fn impairments(key: &str, faults: &Faults<'_>) -> Checked<Impairments> {
    let mut impairments = Impairments {
        policer: faults.policer.map(|given| policer(&child(key, "policer"), given)).transpose()?,
        jitter: faults.jitter.map_or(Ok(Jitter::default()), |given| jitter(child(key, "jitter"), given))?,
        delay_schedule: faults
            .delay_schedule
            .map(|given| varying::of_link(&child(key, "delay_schedule"), given))
            .transpose()?
            .unwrap_or_default(),
        batch: faults.batch.map_or(Ok(Span::ZERO), |batch| within_an_hour(child(key, "batch"), batch.0))?,
        duplicate_ppm: faults.duplicate.map_or(0, |duplicate| duplicate.0.ppm),
        ecn_field: faults.ecn_field.map(|field| field.0),
        drop_data: faults.drop.iter().map(|packet| packet.0.0).collect(),
        ..Impairments::default()
    };
    match faults.loss {
        None => {}
        Some(Loss::Random(probability)) => impairments.loss_ppm = probability.ppm,
        Some(Loss::Burst(model)) => impairments.burst_loss = Some(burst_loss(&child(key, "loss"), model)?),
    }
    if !impairments.drop_data.is_sorted_by(|earlier, later| earlier < later) {
        let message = "the packets to drop are out of order; write each once, ascending, such as [5, 9]";
        return Err(Problem::new(child(key, "drop"), message));
    }
    if let Some(reorder) = faults.reorder {
        let key = child(key, "reorder");
        impairments.reorder_ppm = reorder.probability.0.ppm;
        impairments.reorder_delay = delay(&key, reorder.delay.0)?;
        if reorder.delay.0 == Span::ZERO {
            let message = "a packet held back for 0 s is not reordered; write a time, such as \"5ms\"";
            return Err(Problem::new(child(&key, "delay"), message));
        }
    }
    Ok(impairments)
}

fn policer(key: &str, given: &document::Policer) -> Checked<Policer> {
    if given.burst.0 == Bytes::new(0) {
        return Err(Problem::new(child(key, "burst"), "0 bytes let nothing pass; write 1b or more"));
    }
    Ok(Policer { rate: constant_rate(key, given.rate.0)?, burst: given.burst.0 })
}

fn jitter(key: String, given: &document::Jitter) -> Checked<Jitter> {
    match given {
        document::Jitter::Uniform(most) => Ok(Jitter::Uniform(within_an_hour(key, *most)?)),
        document::Jitter::Model(model) => Ok(Jitter::Wifi(within_an_hour(child(&key, "mean"), model.mean.0)?)),
    }
}

fn burst_loss(key: &str, model: &BurstLoss) -> Checked<GilbertElliott> {
    if model.bad_to_good.0.ppm == 0 {
        let message = "0 never leaves the bad state; write a probability above 0, such as \"25%\"";
        return Err(Problem::new(child(key, "bad_to_good"), message));
    }
    Ok(GilbertElliott {
        good_to_bad_ppm: model.good_to_bad.0.ppm,
        bad_to_good_ppm: model.bad_to_good.0.ppm,
        loss_good_ppm: model.loss_good.map_or(0, |loss| loss.0.ppm),
        loss_bad_ppm: model.loss_bad.map_or(1_000_000, |loss| loss.0.ppm),
    })
}
