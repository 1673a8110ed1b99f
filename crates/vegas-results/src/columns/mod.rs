//! The only definition of every column of every table: its name, unit, meaning, and the source of its values.

pub mod media;
pub mod queues;

use vegas_sim::outcome::{
    CompletionTimes, FlowOutcome, FrameState, IncidentKind, LinkOutcome, Outcome, PHASES, QueueingTimes,
    Retransmission, TrafficOutcome, TransferOutcome,
};
use vegas_sim::scenario::{LinkId, Scenario};

use crate::values::Values;

/// A table: its name, which is also its file's, and its columns.
#[derive(Clone, Copy, Debug)]
pub struct TableSpec {
    /// The table's name and the stem of its file names.
    pub name: &'static str,
    /// The columns, in order.
    pub columns: &'static [Column],
}

/// The values of a column, from a run's scenario and outcome.
pub(crate) type Source = for<'a> fn(&'a Scenario, &'a Outcome) -> Values<'a>;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name; units that are not plain counts are its suffix.
    pub name: &'static str,
    /// The unit; `-` for names and ids, `1` for ratios.
    pub unit: &'static str,
    /// The meaning of a value, in one line.
    pub meaning: &'static str,
    /// Whether a value may be missing.
    pub nullable: bool,
    pub(crate) values: Source,
}

/// Every table, in the order in which they are documented.
pub const TABLES: [TableSpec; 7] = [FLOWS, LINKS, TRAFFIC, FLOW_SERIES, LINK_SERIES, INCIDENTS, MEDIA];

/// The table with a row for each flow. The summary's flows are these rows.
pub const FLOWS: TableSpec = TableSpec {
    name: "flows",
    columns: &[
        column("id", "-", "the flow, counted from 0 in the scenario's order", |_, o| ids(o.flows.len())),
        column("algorithm", "-", "the preset's name, or that of the table of parts", |s, _| {
            Values::Texts(s.flows.iter().map(|flow| flow.algorithm.clone()).collect())
        }),
        column("group", "-", "the flow's group: its own, or its algorithm and application", |s, _| {
            Values::Texts(s.flows.iter().map(|flow| flow.group_name()).collect())
        }),
        column(
            "application",
            "-",
            "the kinds of the application's phases; bulk if all data are there at once",
            |s, _| Values::Texts(s.flows.iter().map(|flow| flow.application_name()).collect()),
        ),
        column("start_s", "s", "when the flow starts", |_, o| flow_floats(o, |f| f.start_s)),
        column(
            "throughput_mbps",
            "Mb/s",
            "bytes on the wire that reached the receiver, over the active time",
            |_, o| flow_floats(o, |f| f.throughput_mbps),
        ),
        column("goodput_mbps", "Mb/s", "payload delivered in order, over the active time", |_, o| {
            flow_floats(o, |f| f.goodput_mbps)
        }),
        column("delivered_bytes", "bytes", "payload delivered in order", |_, o| flow_counts(o, |f| f.delivered_bytes)),
        column("completion_s", "s", "from the start to the acknowledgement of the last byte", |_, o| {
            flow_options(o, |f| f.completion_s)
        })
        .nullable(),
        column("segments_sent", "segments", "data segments sent, retransmissions included", |_, o| {
            flow_counts(o, |f| f.segments_sent)
        }),
        column("segments_retransmitted", "segments", "data segments retransmitted", |_, o| {
            flow_counts(o, |f| f.segments_retransmitted)
        }),
        column("timeouts", "timeouts", "retransmission timeouts", |_, o| flow_counts(o, |f| f.timeouts)),
        column(
            "ecn_reductions",
            "reductions",
            "answers to marks (ECN), at most one for each window of data",
            |_, o| flow_counts(o, |f| f.ecn_reductions),
        ),
        column("mean_rtt_ms", "ms", "mean of the round-trip samples", |_, o| flow_options(o, |f| f.mean_rtt_ms))
            .nullable(),
        column("base_rtt_ms", "ms", "least round-trip sample, or the algorithm's base RTT", |_, o| {
            flow_options(o, |f| f.base_rtt_ms)
        })
        .nullable(),
        column("slow_start_end_s", "s", "first exit from slow start", |_, o| flow_options(o, |f| f.slow_start_end_s))
            .nullable(),
        column("cwnd_at_slow_start_end", "segments", "window at that exit, before the cut", |_, o| {
            flow_options(o, |f| f.cwnd_at_slow_start_end)
        })
        .nullable(),
        column("final_cwnd_segments", "segments", "window at the end", |_, o| {
            flow_floats(o, |f| f.final_cwnd_segments)
        }),
        column("mean_cwnd_segments", "segments", "window, mean over the active time", |_, o| {
            flow_floats(o, |f| f.mean_cwnd_segments)
        }),
    ],
};

/// The table with a row for each one-way link. The summary's links are these rows.
pub const LINKS: TableSpec = TableSpec {
    name: "links",
    columns: &[
        column("id", "-", "the link, named from->to", |s, _| Values::Texts(link_names(s))),
        column("max_queue_packets", "packets", "most packets waiting, without the one being sent", |_, o| {
            link_counts(o, |l| l.max_queue_packets)
        }),
        column("mean_queue_packets", "packets", "packets waiting, mean over the run", |_, o| {
            link_floats(o, |l| l.mean_queue_packets)
        }),
        column("drops", "packets", "packets lost to a full queue or an impairment", |_, o| link_counts(o, |l| l.drops)),
        column("marks", "packets", "packets that the queue marked (ECN)", |_, o| link_counts(o, |l| l.marks)),
        column("utilisation", "1", "part of the run that the transmitter was busy", |_, o| {
            link_floats(o, |l| l.utilisation)
        }),
        column("mean_queueing_ms", "ms", "how long packets waited for the transmitter, mean", |_, o| {
            queueing(o, |q| q.mean_ms)
        })
        .nullable(),
        column("p50_queueing_ms", "ms", "median of these times, within 1 %", |_, o| queueing(o, |q| q.p50_ms))
            .nullable(),
        column("p95_queueing_ms", "ms", "95th percentile of these times, within 1 %", |_, o| queueing(o, |q| q.p95_ms))
            .nullable(),
        column("p99_queueing_ms", "ms", "99th percentile of these times, within 1 %", |_, o| queueing(o, |q| q.p99_ms))
            .nullable(),
        column("max_queueing_ms", "ms", "longest of these times", |_, o| queueing(o, |q| q.max_ms)).nullable(),
    ],
};

/// The table with a row for each source of traffic. The summary's traffic is these rows.
pub const TRAFFIC: TableSpec = TableSpec {
    name: "traffic",
    columns: &[
        column("id", "-", "the source, counted from 0 in the scenario's order", |_, o| ids(o.traffic.len())),
        column("kind", "-", "the kind of traffic", |s, _| {
            Values::Texts(s.traffic.iter().map(|traffic| traffic.kind().to_owned()).collect())
        }),
        column("start_s", "s", "when the source starts", |_, o| traffic_floats(o, |t| t.start_s)),
        column("sent_packets", "packets", "data packets sent", |_, o| traffic_counts(o, |t| t.sent_packets)),
        column("delivered_packets", "packets", "data packets that reached their receiver, doubles included", |_, o| {
            traffic_counts(o, |t| t.delivered_packets)
        }),
        column("lost_packets", "packets", "data packets lost on the way", |_, o| traffic_counts(o, |t| t.lost_packets)),
        column("sent_mbps", "Mb/s", "bytes on the wire sent, over the active time", |_, o| {
            traffic_floats(o, |t| t.sent_mbps)
        }),
        column(
            "throughput_mbps",
            "Mb/s",
            "bytes on the wire that reached the receiver, over the active time",
            |_, o| traffic_floats(o, |t| t.throughput_mbps),
        ),
        column("transfers_started", "transfers", "transfers started", |_, o| transfer_counts(o, |t| t.started))
            .nullable(),
        column("transfers_completed", "transfers", "transfers of which the last byte was acknowledged", |_, o| {
            transfer_counts(o, |t| t.completed)
        })
        .nullable(),
        column("goodput_mbps", "Mb/s", "payload delivered in order, over the active time", |_, o| {
            transfer_options(o, |t| Some(t.goodput_mbps))
        })
        .nullable(),
        column("completion_p50_s", "s", "median of the completed transfers' times", |_, o| completions(o, |t| t.p50_s))
            .nullable(),
        column("completion_p90_s", "s", "90th percentile of these times", |_, o| completions(o, |t| t.p90_s))
            .nullable(),
        column("completion_p99_s", "s", "99th percentile of these times", |_, o| completions(o, |t| t.p99_s))
            .nullable(),
    ],
};

/// The table with a row for each flow and sampling instant.
pub const FLOW_SERIES: TableSpec = TableSpec {
    name: "flow_series",
    columns: &[
        column("time_s", "s", "since the run began", |_, o| floats(&o.flow_series.time_s)),
        column("flow", "-", "the flow's id", |_, o| small_counts(&o.flow_series.flow)),
        column("cwnd_segments", "segments", "congestion window", |_, o| floats(&o.flow_series.cwnd_segments)),
        column("ssthresh_segments", "segments", "slow-start threshold; missing while unbounded", |_, o| {
            options(&o.flow_series.ssthresh_segments)
        })
        .nullable(),
        column("in_flight_segments", "segments", "sent and not yet acknowledged", |_, o| {
            small_counts(&o.flow_series.in_flight_segments)
        }),
        column("rtt_ms", "ms", "newest round-trip sample", |_, o| options(&o.flow_series.rtt_ms)).nullable(),
        column("base_rtt_ms", "ms", "the algorithm's base RTT", |_, o| options(&o.flow_series.base_rtt_ms)).nullable(),
        column("diff_segments", "segments", "the algorithm's newest diff: the backlog it measured", |_, o| {
            options(&o.flow_series.diff_segments)
        })
        .nullable(),
        column("phase", "-", "idle, slow-start, avoidance or recovery", |_, o| {
            let keys = o.flow_series.phase.iter().map(|&phase| Some(u32::from(phase)));
            names(keys, PHASES.map(str::to_owned).into())
        }),
        column("acked_bytes", "bytes", "payload acknowledged since the start", |_, o| {
            counts(&o.flow_series.acked_bytes)
        }),
        column("retransmits", "segments", "segments retransmitted since the start", |_, o| {
            counts(&o.flow_series.retransmits)
        }),
        column("timeouts", "timeouts", "retransmission timeouts since the start", |_, o| {
            counts(&o.flow_series.timeouts)
        }),
        column("throughput_mbps", "Mb/s", "wire rate received over the step that ends at this row", |_, o| {
            floats(&o.flow_series.throughput_mbps)
        }),
    ],
};

/// The table with a row for each link and sampling instant.
pub const LINK_SERIES: TableSpec = TableSpec {
    name: "link_series",
    columns: &[
        column("time_s", "s", "since the run began", |_, o| floats(&o.link_series.time_s)),
        column("link", "-", "the link, named from->to", |s, o| {
            names(o.link_series.link.iter().copied().map(Some), link_names(s))
        }),
        column("queue_packets", "packets", "waiting, without the one being sent", |_, o| {
            small_counts(&o.link_series.queue_packets)
        }),
        column("queue_bytes", "bytes", "waiting, without the packet being sent", |_, o| {
            counts(&o.link_series.queue_bytes)
        }),
        column("max_queue_packets", "packets", "most waiting during the step that ends at this row", |_, o| {
            small_counts(&o.link_series.max_queue_packets)
        }),
        column("drops", "packets", "packets lost since the run began", |_, o| counts(&o.link_series.drops)),
        column("throughput_mbps", "Mb/s", "sent by the transmitter over the step that ends at this row", |_, o| {
            floats(&o.link_series.throughput_mbps)
        }),
        column("utilisation", "1", "part of that step that the transmitter was busy", |_, o| {
            floats(&o.link_series.utilisation)
        }),
    ],
};

/// The table with a row for each incident, in the order of time.
pub const INCIDENTS: TableSpec = TableSpec {
    name: "incidents",
    columns: &[
        column("time_s", "s", "since the run began", |_, o| {
            Values::Floats(o.incidents.iter().map(|i| i.time_s).collect())
        }),
        column(
            "kind",
            "-",
            "queue-drop, loss, mark, retransmit, timeout, slow-start-exit or connection-lost",
            |_, o| {
                let kinds = IncidentKind::ALL.map(|kind| kind.name().to_string());
                names(o.incidents.iter().map(|i| Some(i.kind as u32)), kinds.into())
            },
        ),
        column("flow", "-", "the flow's id", |_, o| Values::Numbers(o.incidents.iter().map(|i| i.flow).collect())),
        column("link", "-", "the link of a drop, loss or mark, named from->to", |s, o| {
            names(o.incidents.iter().map(|i| i.link), link_names(s))
        })
        .nullable(),
        column(
            "sequence",
            "bytes",
            "first payload byte of the segment concerned; of QUIC datagrams sent before",
            |_, o| Values::Counts(o.incidents.iter().map(|i| i.sequence).collect()),
        ),
        column("retransmission", "-", "why it was retransmitted: fast, timeout, after-timeout or probe", |_, o| {
            let kinds = Retransmission::ALL.map(|kind| kind.name().to_string());
            names(o.incidents.iter().map(|i| i.retransmission.map(|kind| kind as u32)), kinds.into())
        })
        .nullable(),
    ],
};

/// The table with a row for each frame of media, flow by flow in the order in which they are made. It is written where
/// there are any.
pub const MEDIA: TableSpec = TableSpec {
    name: "media",
    columns: &[
        column("time_s", "s", "when the application makes the frame, since the run began", |_, o| {
            Values::Floats(o.media.iter().map(|frame| frame.time_s).collect())
        }),
        column("flow", "-", "the flow's id", |_, o| Values::Numbers(o.media.iter().map(|frame| frame.flow).collect())),
        column("layer", "-", "the frame's layer, counted from 0, the most important", |_, o| {
            Values::Numbers(o.media.iter().map(|frame| frame.layer).collect())
        }),
        column("bytes", "bytes", "payload of the frame", |_, o| {
            Values::Counts(o.media.iter().map(|frame| frame.bytes).collect())
        }),
        column("state", "-", "delivered, given-up by its application, or under-way at the end", |_, o| {
            let states = FrameState::ALL.map(|state| state.name().to_string());
            names(o.media.iter().map(|frame| Some(frame.state as u32)), states.into())
        }),
        column("delay_ms", "ms", "until the receiver has all of the frame", |_, o| {
            Values::SomeFloats(o.media.iter().map(|frame| frame.delay_ms).collect())
        })
        .nullable(),
    ],
};

pub(crate) const fn column(name: &'static str, unit: &'static str, meaning: &'static str, values: Source) -> Column {
    Column { name, unit, meaning, nullable: false, values }
}

impl Column {
    pub(crate) const fn nullable(self) -> Column {
        Column { nullable: true, ..self }
    }
}

fn ids(count: usize) -> Values<'static> {
    Values::Numbers((0..).take(count).collect())
}

fn flow_floats(outcome: &Outcome, of: fn(&FlowOutcome) -> f64) -> Values<'static> {
    Values::Floats(outcome.flows.iter().map(of).collect())
}

fn flow_options(outcome: &Outcome, of: fn(&FlowOutcome) -> Option<f64>) -> Values<'static> {
    Values::SomeFloats(outcome.flows.iter().map(of).collect())
}

fn flow_counts(outcome: &Outcome, of: fn(&FlowOutcome) -> u64) -> Values<'static> {
    Values::Counts(outcome.flows.iter().map(of).collect())
}

fn link_floats(outcome: &Outcome, of: fn(&LinkOutcome) -> f64) -> Values<'static> {
    Values::Floats(outcome.links.iter().map(of).collect())
}

fn link_counts(outcome: &Outcome, of: fn(&LinkOutcome) -> u64) -> Values<'static> {
    Values::Counts(outcome.links.iter().map(of).collect())
}

fn queueing(outcome: &Outcome, of: fn(&QueueingTimes) -> f64) -> Values<'static> {
    Values::SomeFloats(outcome.links.iter().map(|link| link.queueing.as_ref().map(of)).collect())
}

fn traffic_floats(outcome: &Outcome, of: fn(&TrafficOutcome) -> f64) -> Values<'static> {
    Values::Floats(outcome.traffic.iter().map(of).collect())
}

fn traffic_counts(outcome: &Outcome, of: fn(&TrafficOutcome) -> u64) -> Values<'static> {
    Values::Counts(outcome.traffic.iter().map(of).collect())
}

fn transfer_counts(outcome: &Outcome, of: fn(&TransferOutcome) -> u64) -> Values<'static> {
    Values::SomeCounts(outcome.traffic.iter().map(|traffic| traffic.transfers.as_ref().map(of)).collect())
}

fn transfer_options(outcome: &Outcome, of: impl Fn(&TransferOutcome) -> Option<f64>) -> Values<'static> {
    Values::SomeFloats(outcome.traffic.iter().map(|traffic| traffic.transfers.as_ref().and_then(&of)).collect())
}

fn completions(outcome: &Outcome, of: fn(&CompletionTimes) -> f64) -> Values<'static> {
    transfer_options(outcome, |transfers| transfers.completion.as_ref().map(of))
}

fn floats(values: &[f64]) -> Values<'_> {
    Values::Floats(values.into())
}

fn options(values: &[Option<f64>]) -> Values<'_> {
    Values::SomeFloats(values.into())
}

fn counts(values: &[u64]) -> Values<'_> {
    Values::Counts(values.into())
}

fn small_counts(values: &[u32]) -> Values<'_> {
    Values::Numbers(values.into())
}

fn names(keys: impl Iterator<Item = Option<u32>>, names: Vec<String>) -> Values<'static> {
    Values::Names { keys: keys.collect(), names }
}

fn link_names(scenario: &Scenario) -> Vec<String> {
    (0..scenario.links.len()).map(|link| link_name(scenario, link)).collect()
}

/// A one-way link's name in every table: `from->to`.
pub(crate) fn link_name(scenario: &Scenario, link: LinkId) -> String {
    let spec = &scenario.links[link];
    format!("{}->{}", scenario.nodes[spec.from], scenario.nodes[spec.to])
}
