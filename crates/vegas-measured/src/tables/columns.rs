//! The columns of the tables: name, unit, meaning, and the source of the values. A column that a run's table has too
//! has its name and unit.

use std::sync::Arc;

use vegas_results::arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, StringArray, UInt32Array, UInt64Array,
};

use super::rows::{Flow, FlowSample, Half, Incident, IncidentKind, Link, LinkSample, RETRANSMISSIONS, RttSample};

/// A table of rows of one type.
#[derive(Clone, Copy, Debug)]
pub struct TableSpec<R: 'static> {
    /// The table's name, and the stem of its file's.
    pub name: &'static str,
    /// The columns, in order.
    pub columns: &'static [Column<R>],
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column<R: 'static> {
    /// The name; units that are not plain counts are its suffix.
    pub name: &'static str,
    /// The unit; `-` for names and ids, `1` for ratios.
    pub unit: &'static str,
    /// The meaning of a value, in one line.
    pub meaning: &'static str,
    /// Whether a value may be missing.
    pub nullable: bool,
    pub(super) values: fn(&[R]) -> ArrayRef,
}

const fn column<R>(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    values: fn(&[R]) -> ArrayRef,
) -> Column<R> {
    Column { name, unit, meaning, nullable: false, values }
}

const fn nullable<R>(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    values: fn(&[R]) -> ArrayRef,
) -> Column<R> {
    Column { name, unit, meaning, nullable: true, values }
}

/// The table with a row for each flow.
pub const FLOWS: TableSpec<Flow> = TableSpec {
    name: "flows",
    columns: &[
        column("id", "-", "the flow, counted from 0 in the order of the first data", |r| small(r, |f| f.id)),
        column("connection", "-", "the ends, the data's sender first; or the name that the source gives", |r| {
            text(r, |f| Some(&f.connection))
        }),
        column("transport", "-", "tcp, quic or udp", |r| text(r, |f| Some(f.transport))),
        nullable("algorithm", "-", "the congestion control, where the source names it", |r| {
            text(r, |f| f.algorithm.as_deref())
        }),
        column("start_s", "s", "when the first data left", |r| floats(r, |f| f.start_s)),
        column("end_s", "s", "when the last packet was seen, or the last sample taken", |r| floats(r, |f| f.end_s)),
        nullable("sent_mbps", "Mb/s", "bytes of IP packets with data, over the active time", |r| {
            options(r, |f| f.sent_mbps)
        }),
        nullable("goodput_mbps", "Mb/s", "payload delivered in order, over the active time", |r| {
            options(r, |f| f.goodput_mbps)
        }),
        nullable("delivered_bytes", "bytes", "payload delivered in order", |r| counts(r, |f| f.delivered_bytes)),
        nullable("completion_s", "s", "from the start to the acknowledgement of the last byte", |r| {
            options(r, |f| f.completion_s)
        }),
        nullable("segments_sent", "segments", "data segments sent, retransmissions included", |r| {
            counts(r, |f| f.segments_sent)
        }),
        nullable("segments_retransmitted", "segments", "data segments retransmitted", |r| {
            counts(r, |f| f.segments_retransmitted)
        }),
        nullable("retransmitted_fast", "segments", "after duplicate or selective acknowledgements", |r| {
            counts(r, |f| f.retransmitted_fast)
        }),
        nullable("timeouts", "timeouts", "retransmission timeouts", |r| counts(r, |f| f.timeouts)),
        nullable(
            "retransmitted_after_timeout",
            "segments",
            "after a timeout, until what was outstanding is acknowledged",
            |r| counts(r, |f| f.retransmitted_after_timeout),
        ),
        nullable("retransmitted_probe", "segments", "tail-loss probes", |r| counts(r, |f| f.retransmitted_probe)),
        nullable(
            "retransmitted_spurious",
            "segments",
            "retransmitted though the acknowledgement had passed the capture",
            |r| counts(r, |f| f.retransmitted_spurious),
        ),
        nullable(
            "retransmitted_lost_before",
            "segments",
            "retransmitted after the first was lost before it came to the capture",
            |r| counts(r, |f| f.retransmitted_lost_before),
        ),
        nullable("reported_twice", "segments", "received twice, as the receiver reported (DSACK)", |r| {
            counts(r, |f| f.reported_twice)
        }),
        nullable("reordered", "segments", "behind later ones, without having been retransmitted", |r| {
            counts(r, |f| f.reordered)
        }),
        nullable("duplicate_acks", "packets", "acknowledgements of nothing new in order", |r| {
            counts(r, |f| f.duplicate_acks)
        }),
        nullable("missing_bytes", "bytes", "payload that was acknowledged and is not in the capture", |r| {
            counts(r, |f| f.missing_bytes)
        }),
        nullable("ecn_reductions", "reductions", "answers to marks (ECN), at most one for each window of data", |r| {
            counts(r, |f| f.ecn_reductions)
        }),
        nullable("marks", "packets", "segments that came marked to the capture", |r| counts(r, |f| f.marks)),
        nullable("marked_acks", "packets", "acknowledgements with the echo of a mark", |r| {
            counts(r, |f| f.marked_acks)
        }),
        nullable("mean_rtt_ms", "ms", "mean of the round-trip samples", |r| options(r, |f| f.mean_rtt_ms)),
        nullable("base_rtt_ms", "ms", "least round-trip sample", |r| options(r, |f| f.base_rtt_ms)),
        nullable("p50_rtt_ms", "ms", "median of the round-trip samples, within 1 %", |r| options(r, |f| f.p50_rtt_ms)),
        nullable("p95_rtt_ms", "ms", "95th percentile of the round-trip samples, within 1 %", |r| {
            options(r, |f| f.p95_rtt_ms)
        }),
        nullable("upstream_rtt_ms", "ms", "part of the RTT on the sender's side of the capture, least", |r| {
            options(r, |f| f.upstream_rtt_ms)
        }),
        nullable("capture_point", "-", "sender, middle or receiver", |r| text(r, |f| f.capture_point)),
        nullable("max_in_flight_bytes", "bytes", "most bytes sent and not yet acknowledged", |r| {
            counts(r, |f| f.max_in_flight_bytes)
        }),
        nullable("first_flight_bytes", "bytes", "payload that left before the first acknowledgement of any", |r| {
            counts(r, |f| f.first_flight_bytes)
        }),
        nullable("mss_bytes", "bytes", "payload of a full segment", |r| smalls(r, |f| f.mss_bytes)),
        nullable("first_window_bytes", "bytes", "receiver's window in its SYN", |r| {
            counts(r, |f| f.first_window_bytes)
        }),
        nullable("max_window_bytes", "bytes", "receiver's largest window", |r| counts(r, |f| f.max_window_bytes)),
        nullable("window_limited", "segments", "left while the receiver's window had no room for another", |r| {
            counts(r, |f| f.window_limited)
        }),
        nullable("zero_windows", "packets", "windows of 0", |r| counts(r, |f| f.zero_windows)),
        nullable("sack", "-", "whether the hosts agreed on SACK", |r| truths(r, |f| f.sack)),
        nullable("timestamps", "-", "whether the hosts agreed on time stamps", |r| truths(r, |f| f.timestamps)),
        nullable("ecn", "-", "what the hosts agreed on about ECN: off, classic or accurate", |r| text(r, |f| f.ecn)),
        nullable("final_cwnd_segments", "segments", "window at the end", |r| options(r, |f| f.final_cwnd_segments)),
        nullable("mean_cwnd_segments", "segments", "window, mean of the samples", |r| {
            options(r, |f| f.mean_cwnd_segments)
        }),
    ],
};

/// The table with a row for each flow and step in which something was seen of it.
pub const FLOW_SERIES: TableSpec<FlowSample> = TableSpec {
    name: "flow_series",
    columns: &[
        column("time_s", "s", "since the measurement began", |r| floats(r, |s| s.time_s)),
        column("flow", "-", "the flow's id", |r| small(r, |s| s.flow)),
        nullable("cwnd_segments", "segments", "congestion window", |r| options(r, |s| s.cwnd_segments)),
        nullable("ssthresh_segments", "segments", "slow-start threshold; missing while unbounded", |r| {
            options(r, |s| s.ssthresh_segments)
        }),
        nullable("in_flight_segments", "segments", "sent and not yet acknowledged", |r| {
            smalls(r, |s| s.in_flight_segments)
        }),
        nullable("in_flight_bytes", "bytes", "sent and not yet acknowledged, without what SACK blocks cover", |r| {
            counts(r, |s| s.in_flight_bytes)
        }),
        nullable("rtt_ms", "ms", "newest round-trip sample", |r| options(r, |s| s.rtt_ms)),
        nullable("base_rtt_ms", "ms", "least round-trip time so far", |r| options(r, |s| s.base_rtt_ms)),
        nullable("acked_bytes", "bytes", "payload acknowledged since the start", |r| counts(r, |s| s.acked_bytes)),
        nullable("retransmits", "segments", "segments retransmitted since the start", |r| counts(r, |s| s.retransmits)),
        nullable("timeouts", "timeouts", "retransmission timeouts since the start", |r| counts(r, |s| s.timeouts)),
        nullable("sent_mbps", "Mb/s", "bytes of IP packets with data, over the step that ends at this row", |r| {
            options(r, |s| s.sent_mbps)
        }),
        nullable("delivered_mbps", "Mb/s", "payload newly acknowledged or in SACK blocks, over this step", |r| {
            options(r, |s| s.delivered_mbps)
        }),
        nullable("window_bytes", "bytes", "receiver's window", |r| counts(r, |s| s.window_bytes)),
        nullable("delivery_rate_mbps", "Mb/s", "sender's estimate of the rate at which segments arrive", |r| {
            options(r, |s| s.delivery_rate_mbps)
        }),
        nullable("pacing_rate_mbps", "Mb/s", "sender's pace", |r| options(r, |s| s.pacing_rate_mbps)),
        nullable("marks", "packets", "marked segments or echoes of marks since the start", |r| counts(r, |s| s.marks)),
    ],
};

/// The table with a row for each round-trip sample.
pub const RTT_SAMPLES: TableSpec<RttSample> = TableSpec {
    name: "rtt_samples",
    columns: &[
        column("time_s", "s", "when the acknowledgement, or the echo, was seen", |r| floats(r, |s| s.time_s)),
        column("flow", "-", "the flow's id", |r| small(r, |s| s.flow)),
        column("rtt_ms", "ms", "the time that the sample covers", |r| floats(r, |s| s.rtt_ms)),
        column("half", "-", "whole, or downstream or upstream of the capture", |r| {
            names(r, |s| Some(s.half as u32), Half::ALL.map(Half::name))
        }),
        column("sequence", "bytes", "first payload byte of the segment that was timed", |r| {
            counts(r, |s| Some(s.sequence))
        }),
    ],
};

/// The table with a row for each incident, in the order of time.
pub const INCIDENTS: TableSpec<Incident> = TableSpec {
    name: "incidents",
    columns: &[
        column("time_s", "s", "since the measurement began", |r| floats(r, |i| i.time_s)),
        column(
            "kind",
            "-",
            "retransmit, timeout, mark, reordered, zero-window, missing, clock-step, queue-drop or loss",
            |r| names(r, |i| Some(i.kind as u32), IncidentKind::ALL.map(IncidentKind::name)),
        ),
        nullable("flow", "-", "the flow's id", |r| smalls(r, |i| i.flow)),
        nullable("link", "-", "the link of a drop", |r| smalls(r, |i| i.link)),
        column("sequence", "bytes", "first payload byte of the segment concerned", |r| counts(r, |i| Some(i.sequence))),
        nullable("retransmission", "-", "what made the sender send it again", |r| {
            names(r, |i| i.retransmission, RETRANSMISSIONS)
        }),
    ],
};

/// The table with a row for each step of a link's log.
pub const LINK_SERIES: TableSpec<LinkSample> = TableSpec {
    name: "link_series",
    columns: &[
        column("time_s", "s", "since the measurement began", |r| floats(r, |s| s.time_s)),
        column("link", "-", "the link's name", |r| names(r, |_| Some(0), ["link"])),
        column("queue_packets", "packets", "waiting", |r| small(r, |s| s.queue_packets)),
        column("queue_bytes", "bytes", "waiting", |r| counts(r, |s| Some(s.queue_bytes))),
        column("max_queue_packets", "packets", "most waiting during the step that ends at this row", |r| {
            small(r, |s| s.max_queue_packets)
        }),
        column("drops", "packets", "packets lost since the start", |r| counts(r, |s| Some(s.drops))),
        column("throughput_mbps", "Mb/s", "bytes that left, over the step that ends at this row", |r| {
            floats(r, |s| s.throughput_mbps)
        }),
        nullable("capacity_mbps", "Mb/s", "bytes that the link could have sent, over this step", |r| {
            options(r, |s| s.capacity_mbps)
        }),
        nullable("utilisation", "1", "part of this step's capacity that was used", |r| options(r, |s| s.utilisation)),
        nullable("max_delay_ms", "ms", "longest wait of the packets that left during this step", |r| {
            options(r, |s| s.max_delay_ms)
        }),
    ],
};

/// The table with a row for each link of a link's log.
pub const LINKS: TableSpec<Link> = TableSpec {
    name: "links",
    columns: &[
        column("id", "-", "the link's name", |r| text(r, |l| Some(&l.id))),
        column("max_queue_packets", "packets", "most packets waiting", |r| counts(r, |l| Some(l.max_queue_packets))),
        column("mean_queue_packets", "packets", "packets waiting, mean over the time", |r| {
            floats(r, |l| l.mean_queue_packets)
        }),
        column("drops", "packets", "packets lost", |r| counts(r, |l| Some(l.drops))),
        nullable("utilisation", "1", "part of the capacity that was used", |r| options(r, |l| l.utilisation)),
        nullable("mean_queueing_ms", "ms", "how long packets waited, mean", |r| options(r, |l| l.mean_queueing_ms)),
        nullable("p50_queueing_ms", "ms", "median of these times, within 1 %", |r| options(r, |l| l.p50_queueing_ms)),
        nullable("p95_queueing_ms", "ms", "95th percentile of these times, within 1 %", |r| {
            options(r, |l| l.p95_queueing_ms)
        }),
        nullable("p99_queueing_ms", "ms", "99th percentile of these times, within 1 %", |r| {
            options(r, |l| l.p99_queueing_ms)
        }),
        nullable("max_queueing_ms", "ms", "longest of these times", |r| options(r, |l| l.max_queueing_ms)),
    ],
};

fn floats<R>(rows: &[R], of: impl Fn(&R) -> f64) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(rows.iter().map(of)))
}

fn options<R>(rows: &[R], of: impl Fn(&R) -> Option<f64>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<Float64Array>())
}

fn small<R>(rows: &[R], of: impl Fn(&R) -> u32) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values(rows.iter().map(of)))
}

fn smalls<R>(rows: &[R], of: impl Fn(&R) -> Option<u32>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<UInt32Array>())
}

fn counts<R>(rows: &[R], of: impl Fn(&R) -> Option<u64>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<UInt64Array>())
}

fn truths<R>(rows: &[R], of: impl Fn(&R) -> Option<bool>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<BooleanArray>())
}

fn text<R>(rows: &[R], of: impl for<'a> Fn(&'a R) -> Option<&'a str>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<StringArray>())
}

/// A column of names by index, with each name stored once. The keys are signed because pandas refuses unsigned ones.
fn names<R, const N: usize>(rows: &[R], of: impl Fn(&R) -> Option<u32>, all: [&str; N]) -> ArrayRef {
    let keys: Int32Array = rows.iter().map(|row| of(row).map(|key| key as i32)).collect();
    Arc::new(DictionaryArray::new(keys, Arc::new(StringArray::from_iter_values(all))))
}
