//! Invariants: what must hold of every run. Each is a function that says in a line what does not hold.

mod applications;
mod capacity;
mod capture;
mod elements;
mod numbers;
mod queues;

use vegas_sim::scenario::{Change, LinkChange, LinkId, Scenario};

use crate::run::Case;

/// An invariant; an error says what does not hold.
pub type Invariant = fn(&Case<'_>) -> Result<(), String>;

/// All invariants, by name.
pub const ALL: &[(&str, Invariant)] = &[
    ("numbers_finite", numbers::numbers_finite),
    ("counts_nest", numbers::counts_nest),
    ("times_in_order", numbers::times_in_order),
    ("counters_rise", numbers::counters_rise),
    ("base_rtt_at_least_propagation", numbers::base_rtt_at_least_propagation),
    ("windows_bounded", numbers::windows_bounded),
    ("goodput_within_capacity", capacity::goodput_within_capacity),
    ("goodput_within_throughput", capacity::goodput_within_throughput),
    ("queue_within_limit", queues::queue_within_limit),
    ("queueing_times_ordered", queues::queueing_times_ordered),
    ("queues_are_parts_of_links", queues::queues_are_parts_of_links),
    ("marked_beyond_step", queues::marked_beyond_step),
    ("utilisation_within_one", queues::utilisation_within_one),
    ("drops_have_rows", queues::drops_have_rows),
    ("traffic_conserved", queues::traffic_conserved),
    ("bytes_once_and_in_order", capture::bytes_once_and_in_order),
    ("marks_are_counted", capture::marks_are_counted),
    ("sender_within_window", capture::sender_within_window),
    ("packets_counted", capture::packets_counted),
    ("no_stall", capture::no_stall),
    ("timeouts_back_off", capture::timeouts_back_off),
    ("first_packet_on_time", elements::first_packet_on_time),
    ("within_policed_rate", elements::within_policed_rate),
    ("written_before_sent", applications::written_before_sent),
    ("layers_in_order", applications::layers_in_order),
];

/// Returns an error unless `holds`.
fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

/// Returns a time of results in ns.
fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// Returns a link's name in results.
fn link_name(scenario: &Scenario, link: LinkId) -> String {
    let spec = &scenario.links[link];
    format!("{}->{}", scenario.nodes[spec.from], scenario.nodes[spec.to])
}

/// Returns the changes of a link, with their times in ns.
fn changes_of(scenario: &Scenario, link: LinkId) -> impl Iterator<Item = (u64, &LinkChange)> {
    scenario.changes.iter().filter_map(move |scheduled| match &scheduled.change {
        Change::Link(change) if change.link == link => {
            Some((scheduled.at.since(vegas_core::units::Time::ZERO).as_nanos(), change))
        }
        _ => None,
    })
}

/// Returns whether a flow takes another route during the run.
fn is_rerouted(scenario: &Scenario, flow: usize) -> bool {
    scenario.changes.iter().any(|scheduled| matches!(&scheduled.change, Change::Route(route) if route.flow == flow))
}
