//! Rows of the time series as numbers, one row after another; NaN stands for a missing value.

use vegas_sim::outcome::{FlowSeries, LinkSeries};

/// The columns of a flow's row. Names and units are those of the table `flow_series`; the phase is an index into
/// [`vegas_sim::outcome::PHASES`].
pub const FLOW_COLUMNS: [&str; 10] = [
    "time_s",
    "flow",
    "cwnd_segments",
    "in_flight_segments",
    "rtt_ms",
    "base_rtt_ms",
    "diff_segments",
    "phase",
    "throughput_mbps",
    "retransmits",
];

/// The columns of a link's row, as in the table `link_series`; the link is its index in the scenario.
pub const LINK_COLUMNS: [&str; 7] =
    ["time_s", "link", "queue_packets", "max_queue_packets", "drops", "throughput_mbps", "utilisation"];

/// Appends the rows from `from` on; returns the total number of rows.
pub(crate) fn of_flows(series: &FlowSeries, from: usize, into: &mut Vec<f64>) -> usize {
    let count = series.time_s.len();
    into.reserve((count - from) * FLOW_COLUMNS.len());
    for row in from..count {
        into.extend([
            series.time_s[row],
            f64::from(series.flow[row]),
            series.cwnd_segments[row],
            f64::from(series.in_flight_segments[row]),
            series.rtt_ms[row].unwrap_or(f64::NAN),
            series.base_rtt_ms[row].unwrap_or(f64::NAN),
            series.diff_segments[row].unwrap_or(f64::NAN),
            f64::from(series.phase[row]),
            series.throughput_mbps[row],
            series.retransmits[row] as f64,
        ]);
    }
    count
}

/// Appends rows of links as [`of_flows`] appends rows of flows.
pub(crate) fn of_links(series: &LinkSeries, from: usize, into: &mut Vec<f64>) -> usize {
    let count = series.time_s.len();
    into.reserve((count - from) * LINK_COLUMNS.len());
    for row in from..count {
        into.extend([
            series.time_s[row],
            f64::from(series.link[row]),
            f64::from(series.queue_packets[row]),
            f64::from(series.max_queue_packets[row]),
            series.drops[row] as f64,
            series.throughput_mbps[row],
            series.utilisation[row],
        ]);
    }
    count
}
