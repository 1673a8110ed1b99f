//! The `[[flow]]` tables: algorithm, numbers and hosts.

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use vegas_core::registry::{self, Preset};
use vegas_core::units::{Bytes, Span};
use vegas_core::{Avoidance, BaseRtt, Cut, Mechanisms, Recovery, Rivals, Signal, SlowStart};

use super::{ApplicationPhase, DelaySchedule, Link};
use crate::scenario::document::scalar::{Burst, CompositionName, Count, Name, Named, Whole};
use crate::scenario::model::{DelayedAck, Handshake, HostKind, Transport};
use crate::scenario::read::error::suggestion;
use crate::scenario::read::field::{Either, Field, FromGiven, Given, ScalarOrTable, Table};

/// The most flows of a table: more than a run holds in the memory of most machines.
const COUNT_MAX: u64 = 100_000;

/// The most parts of an acknowledgement: a run has as many packets for each segment.
const PARTS_MAX: u64 = 100;

/// One connection that sends data one way, or many alike.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Flow {
    /// How many such flows there are, each with hosts of its own, up to 100000. Default: 1.
    pub(in crate::scenario) count: Option<Field<Whole<1, COUNT_MAX>>>,
    /// The congestion control: a preset's name, or a table of parts.
    pub(in crate::scenario) algorithm: Either<Algorithm>,
    /// What carries it: "tcp", or "quic", with quinn's ends. Default: "tcp".
    pub(in crate::scenario) transport: Option<Field<Transport>>,
    /// When the flow starts. Default: "0s".
    pub(in crate::scenario) start: Option<Field<Span>>,
    /// When the application stops giving data. Default: never.
    pub(in crate::scenario) stop: Option<Field<Span>>,
    /// How much payload is sent. Default: no end.
    pub(in crate::scenario) size: Option<Field<Bytes>>,
    /// What the application gives the flow to send, phase by phase. Default: all of it at the start.
    #[serde(default)]
    pub(in crate::scenario) application: Vec<Table<ApplicationPhase>>,
    /// A full data packet on the wire, headers included, 1 to 65535 bytes; for QUIC with those of UDP and IP, from 1228. Default: "1000b", for
    /// QUIC "1480b".
    pub(in crate::scenario) packet: Option<Field<Bytes>>,
    /// An acknowledgement on the wire, 1 to 65535 bytes. Default: "40b".
    pub(in crate::scenario) ack: Option<Field<Bytes>>,
    /// The header bytes in a data packet, less than `packet`. Default: "40b".
    pub(in crate::scenario) header: Option<Field<Bytes>>,
    /// Backlog in segments below which the window grows in congestion avoidance. Default: the preset's.
    pub(in crate::scenario) alpha: Option<Field<Count<0>>>,
    /// Backlog in segments above which the window shrinks in congestion avoidance. Default: the preset's.
    pub(in crate::scenario) beta: Option<Field<Count<0>>>,
    /// Backlog in segments above which slow start ends. Default: the preset's.
    pub(in crate::scenario) gamma: Option<Field<Count<0>>>,
    /// Window at the start, in segments. Default: the preset's.
    pub(in crate::scenario) initial_window: Option<Field<Count<1>>>,
    /// Window after a timeout, in segments. Default: the preset's.
    pub(in crate::scenario) restart_window: Option<Field<Count<1>>>,
    /// Slow-start threshold before the first loss, in segments. Default: none, but for `mid-speed` 64.
    pub(in crate::scenario) ssthresh: Option<Field<Count<2>>>,
    /// The window never exceeds this many segments. Default: the receiver's window.
    pub(in crate::scenario) max_window: Option<Field<Count<2>>>,
    /// The host's fast recovery. Default: the algorithm's.
    pub(in crate::scenario) recovery: Option<Field<Recovery>>,
    /// The receiver's delayed acknowledgements: the longest wait for a second segment, "linux" for those of Linux with its
    /// quick-ack phase, or false. Default: false.
    pub(in crate::scenario) delayed_ack: Option<Field<DelayedAck>>,
    /// Whether both hosts use explicit congestion notification (RFC 3168). Default: false.
    pub(in crate::scenario) ecn: Option<bool>,
    /// Additional delay of the flow's packets behind the last link, which changes at given times; packets are kept in
    /// order. Default: none.
    pub(in crate::scenario) delay_schedule: Option<Table<DelaySchedule>>,
    /// dumbbell, parking-lot: the flow's own access links, instead of the topology's.
    pub(in crate::scenario) access: Option<Table<Link>>,
    /// graph: the sender's node.
    pub(in crate::scenario) from: Option<Field<Name>>,
    /// graph: the receiver's node.
    pub(in crate::scenario) to: Option<Field<Name>>,
    /// graph: nodes to pass on the way, in order. Default: none, the path of least delay.
    pub(in crate::scenario) via: Option<Vec<Field<Name>>>,
    /// parking-lot: the router of the sender. Default: the first.
    pub(in crate::scenario) enter: Option<Field<Name>>,
    /// parking-lot: the router of the receiver. Default: the last.
    pub(in crate::scenario) leave: Option<Field<Name>>,
    /// The flow's user, for queues that isolate users. Default: one of its own.
    pub(in crate::scenario) user: Option<Field<Name>>,
    /// What the receiver does that it should not do. Default: nothing.
    pub(in crate::scenario) receiver: Option<Table<Receiver>>,
    /// How the flow's hosts behave: a kind, or a table. Default: "bsd".
    pub(in crate::scenario) host: Option<Either<HostChoice>>,
}

impl Flow {
    /// The number of flows that the table stands for.
    pub(in crate::scenario) fn count(&self) -> usize {
        self.count.map_or(1, |count| count.0.0 as usize)
    }
}

/// One flow, as if it were written out, and the number of its table.
#[derive(Clone, Copy)]
pub(in crate::scenario) struct Numbered<'a> {
    pub(in crate::scenario) table: usize,
    pub(in crate::scenario) flow: &'a Flow,
}

/// Returns every flow of the tables, in the order of their ids.
pub(in crate::scenario) fn numbered(tables: &[Table<Flow>]) -> Vec<Numbered<'_>> {
    let repeated = |(table, flow): (usize, &'_ Table<Flow>)| std::iter::repeat_n(table, flow.count());
    tables.iter().enumerate().flat_map(repeated).map(|table| Numbered { table, flow: &tables[table] }).collect()
}

/// How a flow's hosts behave: what belongs to TCP and not to the congestion control.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Host {
    /// Which recovery and timers: "bsd", the papers', or "linux". Default: "bsd".
    pub(in crate::scenario) kind: Option<Field<HostKind>>,
    /// Duplicate acknowledgements that mean a loss (RFC 5681, section 3.2). Default: 3.
    pub(in crate::scenario) dupack_threshold: Option<Field<Whole<1, 1000>>>,
    /// New data on the first two duplicate acknowledgements (RFC 3042). Default: true, but false for an algorithm
    /// with `fine_retransmit`. bsd only.
    pub(in crate::scenario) limited_transmit: Option<bool>,
    /// Most segments sent in answer to one acknowledgement during fast recovery, or "none". Default: "none", but 2
    /// for `newreno`, as in ns-2. bsd only.
    pub(in crate::scenario) recovery_burst: Option<Field<Burst>>,
    /// The receiver's delayed acknowledgements: the longest wait for a second segment, "linux" for those of Linux with its
    /// quick-ack phase, or false. Default: false.
    pub(in crate::scenario) delayed_ack: Option<Field<DelayedAck>>,
    /// Whether acknowledgements are selective. Default: true. linux only.
    pub(in crate::scenario) sack: Option<bool>,
    /// The receiver's window in segments. Default: 1048576.
    pub(in crate::scenario) receive_window: Option<Field<Count<2>>>,
    /// Least retransmission timeout. Default: "200ms", as in ns-2 and Linux (RFC 6298: 1 s).
    pub(in crate::scenario) rto_min: Option<Field<Span>>,
    /// Greatest retransmission timeout. Default: "60s" (RFC 6298, section 2.5); linux: "120s".
    pub(in crate::scenario) rto_max: Option<Field<Span>>,
    /// Retransmission timeout before the first sample. Default: "3s", as in ns-2; linux: "1s" (RFC 6298).
    pub(in crate::scenario) rto_initial: Option<Field<Span>>,
    /// Grain of the retransmission clock. Default: "10ms", as in ns-2. bsd only.
    pub(in crate::scenario) rto_grain: Option<Field<Span>>,
    /// What precedes the data: "none", or a "full" handshake of one round trip. Default: "none"; linux: "full".
    pub(in crate::scenario) handshake: Option<Field<Handshake>>,
    /// Whether the window grows by what is acknowledged, a segment at most for each acknowledgement (RFC 5681, section
    /// 3.1); else by a segment for each acknowledgement of new data (RFC 2581). Default: true. bsd only.
    pub(in crate::scenario) byte_counting: Option<bool>,
}

/// A receiver that breaks the rules.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Receiver {
    /// Which rule it breaks.
    pub(in crate::scenario) misbehaves: Field<BrokenRule>,
    /// optimistic-acks: how many segments beyond the newest one that has arrived it acknowledges. Default: 10.
    pub(in crate::scenario) ahead: Option<Field<Count<0>>>,
    /// ack-division: into how many parts it divides an acknowledgement. Default: 10.
    pub(in crate::scenario) parts: Option<Field<Whole<2, PARTS_MAX>>>,
}

/// A rule that a receiver breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum BrokenRule {
    DupackSpoofing,
    ConcealsMarks,
    OptimisticAcks,
    AckDivision,
}

impl Named for BrokenRule {
    const WHAT: &'static str = "a misbehaviour";
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("dupack-spoofing", BrokenRule::DupackSpoofing),
        ("conceals-marks", BrokenRule::ConcealsMarks),
        ("optimistic-acks", BrokenRule::OptimisticAcks),
        ("ack-division", BrokenRule::AckDivision),
    ];
}

/// A host by its kind, or by a table.
#[derive(Debug)]
pub(in crate::scenario) struct HostChoice(pub(in crate::scenario) Host);

impl ScalarOrTable for HostChoice {
    type Scalar = HostKind;
    type Table = Host;

    const EXPECTED: &'static str = "\"bsd\", \"linux\", or a table";
    const NAME: &'static str = "HostChoice";
    const DESCRIPTION: &'static str = "A kind of host, or a table.";

    fn of_scalar(kind: HostKind) -> Self {
        HostChoice(Host { kind: Some(Field(kind)), ..Host::default() })
    }

    fn of_table(host: Host) -> Self {
        HostChoice(host)
    }
}

/// A congestion control.
#[derive(Debug)]
pub(in crate::scenario) enum Algorithm {
    /// By a preset's name.
    Preset(&'static Preset),
    /// By its parts.
    Parts(Box<Parts>),
}

/// The parts of a congestion control; what is left out is the preset's.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Parts {
    /// What results call the algorithm: letters, digits, - _ +. Default: the preset and what differs from it, such as
    /// "vegas+gallop".
    pub(in crate::scenario) name: Option<Field<CompositionName>>,
    /// A class in a Python file, relative to the scenario file, such as "mine.py:Mine": it sets the window, and host's
    /// parts and numbers are those of `preset`.
    pub(in crate::scenario) python: Option<String>,
    /// An algorithm of one's own: a WebAssembly module, such as "mine.wasm".
    pub(in crate::scenario) wasm: Option<String>,
    /// An algorithm of one's own: a type of the Rust program that runs the scenario, by the name that it gives.
    pub(in crate::scenario) rust: Option<String>,
    /// An algorithm of one's own: a class in JavaScript that the playground's page holds, such as "mine.js" or "mine.js:Mine".
    pub(in crate::scenario) javascript: Option<String>,
    /// Where the parts come from that are left out. Default: "reno".
    pub(in crate::scenario) preset: Option<Field<PresetName>>,
    /// Letters from A to J: these mechanisms of "Revisited" over Reno, instead of `preset`.
    pub(in crate::scenario) mechanisms: Option<Field<Mechanisms>>,
    /// How the backlog is measured.
    pub(in crate::scenario) signal: Option<Field<Signal>>,
    /// Where the base RTT comes from.
    pub(in crate::scenario) base_rtt: Option<Field<BaseRtt>>,
    /// What happens beside flows that fill the queue.
    pub(in crate::scenario) rivals: Option<Field<Rivals>>,
    /// How the window opens.
    pub(in crate::scenario) slow_start: Option<Field<SlowStart>>,
    /// How the window is held.
    pub(in crate::scenario) avoidance: Option<Field<Avoidance>>,
    /// How far a loss cuts the window (F of "Revisited": three-quarters).
    pub(in crate::scenario) cut: Option<Field<Cut>>,
    /// Cut only if what was lost had been sent after the last cut (E of "Revisited").
    pub(in crate::scenario) once_per_window: Option<bool>,
    /// What happens between a loss and its repair.
    pub(in crate::scenario) recovery: Option<Field<Recovery>>,
    /// A duplicate acknowledgement retransmits a segment older than its fine-grained timeout (C of "Revisited").
    pub(in crate::scenario) fine_retransmit: Option<bool>,
    /// The first two new acknowledgements after a retransmission check the next segment likewise (D of "Revisited").
    pub(in crate::scenario) recheck_after_retransmit: Option<bool>,
    /// Most segments sent in answer to one acknowledgement, or "none" (H of "Revisited").
    pub(in crate::scenario) burst: Option<Field<Burst>>,
    /// No growth while the window is more than two segments above what is in flight (I of "Revisited").
    pub(in crate::scenario) keep_up: Option<bool>,
    /// What leaves is paced to at most twice what left in the newest round trip (J of "Revisited"). bsd only.
    pub(in crate::scenario) suppress_spikes: Option<bool>,
}

/// A preset by its name.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenario) struct PresetName(pub(in crate::scenario) &'static Preset);

impl FromGiven for PresetName {
    const EXPECTED: &'static str = "a preset's name";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        let preset = match given {
            Given::Text(name) => registry::preset(name),
            _ => None,
        };
        let names = registry::PRESETS.iter().map(|preset| preset.name);
        preset.map(PresetName).ok_or_else(|| format!("{given} is no preset; {}", suggestion(&given.to_string(), names)))
    }

    fn schema() -> Schema {
        let names: Vec<&str> = registry::PRESETS.iter().map(|preset| preset.name).collect();
        schemars::json_schema!({ "enum": names })
    }
}

impl ScalarOrTable for Algorithm {
    type Scalar = PresetName;
    type Table = Parts;

    const EXPECTED: &'static str = "a preset's name such as \"vegas\", or a table of parts";
    const NAME: &'static str = "Algorithm";
    const DESCRIPTION: &'static str = "A preset's name, or a table of parts.";

    fn of_scalar(PresetName(preset): PresetName) -> Self {
        Algorithm::Preset(preset)
    }

    fn of_table(parts: Parts) -> Self {
        Algorithm::Parts(Box::new(parts))
    }
}
