//! The totals of a link's queues, where its discipline has several with names.

use vegas_sim::outcome::{Outcome, QueueOutcome, QueueingTimes};

use crate::columns::{TableSpec, column, link_names};
use crate::values::Values;

/// The totals with a row for each queue of each link that has several, in the summary.
pub const QUEUE_TOTALS: TableSpec = TableSpec {
    name: "queues",
    columns: &[
        column("link", "-", "the link, named from->to", |s, o| {
            let names = link_names(s);
            Values::Texts(queues(o).map(|(link, _)| names[link].clone()).collect())
        }),
        column("queue", "-", "the queue: low-latency or classic", |_, o| {
            Values::Texts(queues(o).map(|(_, queue)| queue.name.to_string()).collect())
        }),
        column("packets", "packets", "packets that left the queue for the transmitter", |_, o| {
            counts(o, |q| q.packets)
        }),
        column("marks", "packets", "packets that the queue marked (ECN)", |_, o| counts(o, |q| q.marks)),
        column("drops", "packets", "packets that the queue dropped, or that found no room", |_, o| {
            counts(o, |q| q.drops)
        }),
        column("mean_queueing_ms", "ms", "how long packets waited in this queue, mean", |_, o| times(o, |t| t.mean_ms))
            .nullable(),
        column("p50_queueing_ms", "ms", "median of these times, within 1 %", |_, o| times(o, |t| t.p50_ms)).nullable(),
        column("p95_queueing_ms", "ms", "95th percentile of these times, within 1 %", |_, o| times(o, |t| t.p95_ms))
            .nullable(),
        column("p99_queueing_ms", "ms", "99th percentile of these times, within 1 %", |_, o| times(o, |t| t.p99_ms))
            .nullable(),
        column("max_queueing_ms", "ms", "longest of these times", |_, o| times(o, |t| t.max_ms)).nullable(),
    ],
};

/// The queues with the numbers of their links.
fn queues(outcome: &Outcome) -> impl Iterator<Item = (usize, &QueueOutcome)> {
    let links = outcome.links.iter().enumerate();
    links.flat_map(|(number, link)| link.queues.iter().map(move |queue| (number, queue)))
}

fn counts(outcome: &Outcome, of: fn(&QueueOutcome) -> u64) -> Values<'static> {
    Values::Counts(queues(outcome).map(|(_, queue)| of(queue)).collect())
}

fn times(outcome: &Outcome, of: fn(&QueueingTimes) -> f64) -> Values<'static> {
    Values::SomeFloats(queues(outcome).map(|(_, queue)| queue.queueing.as_ref().map(of)).collect())
}
