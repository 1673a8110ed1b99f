//! Comparisons of two outcomes; errors say where they differ.

use std::fmt::Debug;

use vegas_sim::outcome::Outcome;

/// Compares everything but the number of events.
pub(super) fn same(one: &Outcome, other: &Outcome) -> Result<(), String> {
    same_but_for_series(one, other)?;
    match (one.flow_series == other.flow_series, one.link_series == other.link_series) {
        (true, true) => Ok(()),
        (false, _) => Err("the flow series differ".into()),
        (true, false) => Err("the link series differ".into()),
    }
}

/// Compares totals, incidents and packets.
pub(super) fn same_but_for_series(one: &Outcome, other: &Outcome) -> Result<(), String> {
    same_totals(one, other)?;
    rows("packet", &one.capture, &other.capture)
}

/// Compares totals and incidents.
pub(super) fn same_totals(one: &Outcome, other: &Outcome) -> Result<(), String> {
    rows("flow", &one.flows, &other.flows)?;
    rows("link", &one.links, &other.links)?;
    rows("traffic", &one.traffic, &other.traffic)?;
    rows("incident", &one.incidents, &other.incidents)?;
    rows("frame", &one.media, &other.media)?;
    value("end", &one.end_s, &other.end_s)?;
    value("delivered packets", &one.delivered_packets, &other.delivered_packets)
}

/// Compares rows; the error has the first row that differs.
pub(super) fn rows<T: PartialEq + Debug>(what: &str, one: &[T], other: &[T]) -> Result<(), String> {
    value(&format!("number of {what} rows"), &one.len(), &other.len()).or_else(|error| {
        // the first different row says more than two lengths
        one.iter()
            .zip(other)
            .enumerate()
            .try_for_each(|(id, (one, other))| value(&format!("{what} {id}"), one, other))?;
        Err(error)
    })?;
    one.iter().zip(other).enumerate().try_for_each(|(id, (one, other))| value(&format!("{what} {id}"), one, other))
}

/// Compares a value; the error has both.
pub(super) fn value<T: PartialEq + Debug>(what: &str, one: &T, other: &T) -> Result<(), String> {
    match one == other {
        true => Ok(()),
        false => Err(format!("{what}: {one:?}, and {other:?}")),
    }
}
