//! The `[[flow]]` tables: algorithm, numbers and hosts.

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use vegas_core::registry::{self, Preset};
use vegas_core::units::{Bytes, Segments, Span};
use vegas_core::{Avoidance, BaseRtt, Cut, Mechanisms, Recovery, Rivals, Signal, SlowStart};

use super::{ApplicationPhase, DelaySchedule, Link};
use crate::scenario::document::scalar::{Burst, CompositionName, Count, Gro, Name, Named, Whole};
use crate::scenario::model::{DelayedAck, EcnVersion, Handshake, HostKind, Transport};
use crate::scenario::read::error::suggestion;
use crate::scenario::read::field::{Either, Field, FromGiven, Given, ScalarOrTable, Table};

/// The most flows of a file, in one table or in several: they take some gigabytes with their links.
pub(in crate::scenario) const FLOWS_MAX: u64 = 1_000_000;

/// The most parts of an acknowledgement: a run has as many packets for each segment.
const PARTS_MAX: u64 = 100;

/// One connection that sends data one way, or many alike.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Flow {
    /// The number of such flows; 1000000 in the whole file at most. Default: `1`.
    pub(in crate::scenario) count: Option<Field<Whole<1, FLOWS_MAX>>>,
    /// The congestion control: a preset, or [a table of parts](#a-table-of-parts).
    pub(in crate::scenario) algorithm: Either<Algorithm>,
    /// The transport of the flow. QUIC's ends are quinn's, in simulated time: [QUIC flows](quic.md#simulated). Default:
    /// `"tcp"`.
    pub(in crate::scenario) transport: Option<Field<Transport>>,
    /// The departure of the first packet; before the run ends. Default: `"0s"`.
    pub(in crate::scenario) start: Option<Field<Span>>,
    /// The time at which the application stops giving data; after `start`. Default: never.
    pub(in crate::scenario) stop: Option<Field<Span>>,
    /// The payload of the flow. Default: no end.
    pub(in crate::scenario) size: Option<Field<Bytes>>,
    /// The data that the application gives the flow, phase by phase: [`application`](#application). Default: bulk data.
    #[serde(default)]
    pub(in crate::scenario) application: Vec<Table<ApplicationPhase>>,
    /// A full data packet on the wire, headers and their options included; 65535 bytes at most. QUIC's has 28 bytes of
    /// UDP and IP headers, and 1228 at least. Default: `"1000b"`, QUIC `"1480b"`.
    pub(in crate::scenario) packet: Option<Field<Bytes>>,
    /// An acknowledgement on the wire, to which SACK blocks come; 65535 bytes at most. Default: `"40b"`; on host
    /// `"linux"` with [time stamps](networks.md#time-stamps) `"52b"`.
    pub(in crate::scenario) ack: Option<Field<Bytes>>,
    /// Header bytes within `packet`, less than it; the rest is payload. Default: `"40b"`; on host `"linux"`
    /// with [time stamps](networks.md#time-stamps) `"52b"`.
    pub(in crate::scenario) header: Option<Field<Bytes>>,
    /// Backlog below which the window grows in congestion avoidance; not above `beta`. Default: the preset's.
    pub(in crate::scenario) alpha: Option<Field<Count<0>>>,
    /// Backlog above which the window shrinks in congestion avoidance. Default: the preset's.
    pub(in crate::scenario) beta: Option<Field<Count<0>>>,
    /// Backlog above which slow start ends. Default: the preset's.
    pub(in crate::scenario) gamma: Option<Field<Count<0>>>,
    /// Window at the start. Default: the preset's.
    pub(in crate::scenario) initial_window: Option<Field<Count<1>>>,
    /// Window after a timeout. Default: the preset's.
    pub(in crate::scenario) restart_window: Option<Field<Count<1>>>,
    /// Slow-start threshold before the first loss. None means no bound; for `mid-speed` (`dynamic`), which jumps to
    /// half of it, it is 64.
    pub(in crate::scenario) ssthresh: Option<Field<Count<2>>>,
    /// The window never exceeds this; the receiver's window also bounds it. Default: the receiver's window.
    pub(in crate::scenario) max_window: Option<Field<Count<2>>>,
    /// The host's fast recovery: RFC 5681, RFC 6582 or RFC 6675. It also overrides that of a table of parts. Default:
    /// the algorithm's.
    pub(in crate::scenario) recovery: Option<Field<Recovery>>,
    /// The receiver acknowledges every second segment, or one alone after this time; 500 ms at most (RFC 1122).
    /// `"linux"`, for a Linux host: [as the kernel](#delayed-acknowledgements-of-linux). Default: `false`.
    pub(in crate::scenario) delayed_ack: Option<Field<DelayedAck>>,
    /// Whether both hosts use [explicit congestion notification](networks.md#marks-instead-of-drops) (RFC 3168, or RFC
    /// 9768 where the algorithm counts marks). Default: `false`; `true` where the algorithm counts marks.
    pub(in crate::scenario) ecn: Option<bool>,
    /// Additional delay of this flow's packets behind the last link of their path, which changes at given times:
    /// [`delay_schedule`](#delay_schedule).
    pub(in crate::scenario) delay_schedule: Option<Table<DelaySchedule>>,
    /// dumbbell, parking-lot: the flow's own access links, both sides; for flows of different delays. It replaces the
    /// topology's as a whole. Default: the topology's `access`.
    pub(in crate::scenario) access: Option<Table<Link>>,
    /// graph: the sender's node. Required in graph.
    pub(in crate::scenario) from: Option<Field<Name>>,
    /// graph: the receiver's node. Required in graph.
    pub(in crate::scenario) to: Option<Field<Name>>,
    /// graph: nodes to pass on the way, in order, by least delay from each to the next.
    pub(in crate::scenario) via: Option<Vec<Field<Name>>>,
    /// parking-lot: the sender's router. Default: `"r1"`.
    pub(in crate::scenario) enter: Option<Field<Name>>,
    /// parking-lot: the receiver's router. Default: the last.
    pub(in crate::scenario) leave: Option<Field<Name>>,
    /// The flow's user, for [queues that isolate users](networks.md#a-queue-for-each-user). Default: one of its own.
    pub(in crate::scenario) user: Option<Field<Name>>,
    /// The flow's group, which has figures of its own in comparisons. Default: flows of one algorithm and application.
    pub(in crate::scenario) group: Option<Field<Name>>,
    /// A rule that the receiver breaks: [`receiver`](#receiver).
    pub(in crate::scenario) receiver: Option<Table<Receiver>>,
    /// The behaviour of the hosts: [`[flow.host]`](#flowhost). Default: [that of the
    /// algorithm](networks.md#which-host).
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
    /// The recovery and the timers of BSD or of Linux. Default: [that of the algorithm](networks.md#which-host).
    pub(in crate::scenario) kind: Option<Field<HostKind>>,
    /// The number of duplicate acknowledgements that means a loss (RFC 5681, section 3.2). Default: `3`.
    pub(in crate::scenario) dupack_threshold: Option<Field<Whole<1, 1000>>>,
    /// New data on the first two duplicate acknowledgements (RFC 3042). Mechanism C uses these for its own check. bsd.
    /// Default: `true`; `false` with `fine_retransmit`.
    pub(in crate::scenario) limited_transmit: Option<bool>,
    /// The greatest number of segments sent in answer to one acknowledgement during fast recovery; ns-2's NewReno
    /// allows two. bsd. Default: `"none"`; `2` with `newreno` recovery.
    pub(in crate::scenario) recovery_burst: Option<Field<Burst>>,
    /// Equivalent to the flow's own `delayed_ack`; give one of the two. Default: `false`.
    pub(in crate::scenario) delayed_ack: Option<Field<DelayedAck>>,
    /// The longest time for which the receiver's network interface holds segments in order to
    /// [merge](networks.md#merged-segments) those that follow, so that one acknowledgement covers them (GRO;
    /// `gro_flush_timeout`). `"0s"`: those that arrive at one instant. 10 ms at most. Default: `false`.
    pub(in crate::scenario) gro: Option<Field<Gro>>,
    /// The time from the arrival of data until the application has been woken and reads, 10 ms at most: with `"linux"`
    /// [acknowledgements may wait for that](networks.md#merged-acknowledgements). linux. Default: `"0s"`.
    pub(in crate::scenario) reads_after: Option<Field<Span>>,
    /// Whether acknowledgements are selective (`net.ipv4.tcp_sack`). Without them three duplicates mean a loss, and
    /// recovery repairs one loss a round trip. linux. Default: `true`.
    pub(in crate::scenario) sack: Option<bool>,
    /// Whether segments have time stamps (`net.ipv4.tcp_timestamps`; [what they are for](networks.md#time-stamps)).
    /// linux. Default: `true`.
    pub(in crate::scenario) timestamps: Option<bool>,
    /// The receiver's window: constant, or [as Linux tunes it](networks.md#the-receive-window). Default:
    /// `1048576`, which limits no sender; linux: `"linux"`.
    pub(in crate::scenario) receive_window: Option<Either<Window>>,
    /// Least retransmission timeout; linux: the least addition to the smoothed RTT. The default is that of ns-2 and
    /// Linux; RFC 6298, section 2.4 says 1 s. Default: `"200ms"`.
    pub(in crate::scenario) rto_min: Option<Field<Span>>,
    /// Greatest retransmission timeout (RFC 6298, section 2.5). Default: `"60s"`; linux: `"120s"`.
    pub(in crate::scenario) rto_max: Option<Field<Span>>,
    /// Retransmission timeout before the first sample. The default is that of ns-2; RFC 6298, section 2.1 says 1 s.
    /// Default: `"3s"`; linux: `"1s"`.
    pub(in crate::scenario) rto_initial: Option<Field<Span>>,
    /// Granularity of the retransmission clock (G of RFC 6298). The default is that of ns-2; Reno of the papers had 500
    /// ms. bsd. Default: `"10ms"`.
    pub(in crate::scenario) rto_grain: Option<Field<Span>>,
    /// Ticks a second of the kernel's clock by which `cubic-linux`, `westwood`, `htcp` and `bic` count time and the
    /// timers of this host and of delayed acknowledgements expire (`CONFIG_HZ`); pacing has nanoseconds. The default is
    /// that of Debian's kernels. linux. Default: `250`.
    pub(in crate::scenario) ticks_per_second: Option<Field<Whole<100, 1000>>>,
    /// `"full"`: a SYN, its acknowledgement, and the acknowledgement of that right before the first data, which leave
    /// one round trip after `start`. Each is as large as an acknowledgement, and takes its place in queues. Default:
    /// `"none"`; linux: `"full"`.
    pub(in crate::scenario) handshake: Option<Field<Handshake>>,
    /// Whether the window grows by what is acknowledged, by a segment at most for each acknowledgement (RFC 5681,
    /// section 3.1). `false`: by a segment for each acknowledgement of new data, as RFC 2581 allowed; the two differ
    /// where an [acknowledgement is divided](networks.md#misbehaving-receivers). bsd. Default: `true`.
    pub(in crate::scenario) byte_counting: Option<bool>,
    /// Whether the window [shrinks while it is not used](networks.md#a-window-that-is-not-used): to the initial window
    /// after a retransmission timeout of silence (RFC 5681, section 4.1); linux: by a half for each timeout, and after
    /// a timeout with less to send (`net.ipv4.tcp_slow_start_after_idle`). Default: `true`.
    pub(in crate::scenario) slow_start_after_idle: Option<bool>,
    /// The newest version of ECN that the receiver takes where the sender asks for it: none, echoes (RFC 3168) or
    /// counts (RFC 9768); [what a sender does without](networks.md#a-peer-without-accurate-ecn). Default: `"accurate"`.
    pub(in crate::scenario) accepts_ecn: Option<Field<EcnVersion>>,
    /// Of an algorithm that asks routers, as [`rovegas`](algorithms/rovegas.md#probes-on-some-packets) does: the number
    /// of data packets to one that carries the option, with its acknowledgement. Default: `1`.
    pub(in crate::scenario) aqt_every: Option<Field<Whole<1, 1000>>>,
}

/// A receiver that breaks the rules.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Receiver {
    /// The rule that it breaks.
    pub(in crate::scenario) misbehaves: Field<BrokenRule>,
    /// optimistic-acks: the number of segments beyond the newest one that has arrived which it acknowledges; with 0 it
    /// only conceals losses. Default: `10`.
    pub(in crate::scenario) ahead: Option<Field<Count<0>>>,
    /// ack-division: the number of parts into which it divides an acknowledgement. Default: `10`.
    pub(in crate::scenario) parts: Option<Field<Whole<2, PARTS_MAX>>>,
}

/// A rule that a receiver breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum BrokenRule {
    DupackSpoofing,
    ConcealsMarks,
    InflatesMarks,
    OptimisticAcks,
    AckDivision,
}

impl Named for BrokenRule {
    const WHAT: &'static str = "a misbehaviour";
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("dupack-spoofing", BrokenRule::DupackSpoofing),
        ("conceals-marks", BrokenRule::ConcealsMarks),
        ("inflates-marks", BrokenRule::InflatesMarks),
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

/// A receive window.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenario) enum Window {
    Constant(Segments),
    Linux(LinuxWindow),
}

/// The limits of a receive window as Linux tunes it. linux.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct LinuxWindow {
    /// The window of the handshake, in whole segments; two at least. It is half of the buffer (`tcp_rmem[1]`). Default:
    /// `"65535b"`.
    pub(in crate::scenario) initial: Option<Field<Bytes>>,
    /// The greatest window; 1 GiB at most. Default: what `tcp_rmem[2]`, 6 MiB, leaves for data, 3.75 MiB in packets of
    /// 1500 bytes.
    pub(in crate::scenario) max: Option<Field<Bytes>>,
}

/// A receive window without limits of its own.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenario) enum PlainWindow {
    Constant(Segments),
    Linux,
}

impl FromGiven for PlainWindow {
    const EXPECTED: &'static str = "a number of segments, or \"linux\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        if let Given::Text("linux") = given {
            return Ok(PlainWindow::Linux);
        }
        let count = Count::<2>::from_given(given).map_err(|problem| format!("{problem}, or \"linux\""))?;
        Ok(PlainWindow::Constant(count.segments()))
    }

    fn schema() -> Schema {
        schemars::json_schema!({ "anyOf": [Count::<2>::schema(), { "enum": ["linux"] }] })
    }
}

impl ScalarOrTable for Window {
    type Scalar = PlainWindow;
    type Table = LinuxWindow;

    const EXPECTED: &'static str = "a number of segments, \"linux\", or a table";
    const NAME: &'static str = "ReceiveWindow";
    const DESCRIPTION: &'static str = "Segments, \"linux\", or a table.";

    fn of_scalar(window: PlainWindow) -> Self {
        match window {
            PlainWindow::Constant(segments) => Window::Constant(segments),
            PlainWindow::Linux => Window::Linux(LinuxWindow::default()),
        }
    }

    fn of_table(limits: LinuxWindow) -> Self {
        Window::Linux(limits)
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
    /// The algorithm's name in tables, pictures and folders; no preset's name, 60 characters at most. Default: the
    /// preset and the differences, such as `vegas+gallop`.
    pub(in crate::scenario) name: Option<Field<CompositionName>>,
    /// [An algorithm of your own](own-algorithm.md): a file and its class, such as `"mine.py:Mine"`, relative to the
    /// scenario file. It decides the window; the host's parts (`recovery`, `fine_retransmit`,
    /// `recheck_after_retransmit`, `burst`) and the numbers are those of `preset`.
    pub(in crate::scenario) python: Option<String>,
    /// An algorithm of your own as a [WebAssembly module](own-algorithm.md#as-webassembly), such as `"mine.wasm"`.
    pub(in crate::scenario) wasm: Option<String>,
    /// An algorithm of your own as a type of the Rust program that runs the scenario.
    pub(in crate::scenario) rust: Option<String>,
    /// An algorithm of your own as a [class in JavaScript](own-algorithm.md#in-javascript) that the playground's page
    /// holds, such as `"mine.js"`, or `"mine.js:Mine"` where it has several.
    pub(in crate::scenario) javascript: Option<String>,
    /// The source of the parts that are left out. Default: `"reno"`, of an algorithm of your own `"sack"`.
    pub(in crate::scenario) preset: Option<Field<PresetName>>,
    /// Instead of `preset`: these mechanisms over Reno. `"ABCDEFGHI"` is `vegas`, `""` is `reno`.
    pub(in crate::scenario) mechanisms: Option<Field<Mechanisms>>,
    /// The measurement of the backlog: none; from round-trip times; as the [released
    /// version](algorithms/vegas.md#the-released-version-vegas-1994) or
    /// [ns-2](algorithms/vegas.md#the-dialect-of-ns-2-vegas-ns2), or [Linux and ns-3](algorithms/vegas-linux.md) do it;
    /// with the queueing times that routers stamp. Default: the preset's.
    pub(in crate::scenario) signal: Option<Field<Signal>>,
    /// [Where the base RTT comes from](parts/base-rtt.md). Default: the preset's.
    pub(in crate::scenario) base_rtt: Option<Field<BaseRtt>>,
    /// [What happens beside flows that fill the queue](parts/rivals.md). Default: the preset's.
    pub(in crate::scenario) rivals: Option<Field<Rivals>>,
    /// The rule by which the window opens. Default: the preset's.
    pub(in crate::scenario) slow_start: Option<Field<SlowStart>>,
    /// The rule of congestion avoidance. Default: the preset's.
    pub(in crate::scenario) avoidance: Option<Field<Avoidance>>,
    /// The rule for the window after a loss. Default: the preset's.
    pub(in crate::scenario) cut: Option<Field<Cut>>,
    /// E: cut only for the loss of a segment that was sent after the last cut. Default: the preset's.
    pub(in crate::scenario) once_per_window: Option<bool>,
    /// The host's actions between a loss and its repair. Default: the preset's.
    pub(in crate::scenario) recovery: Option<Field<Recovery>>,
    /// C: a duplicate acknowledgement retransmits a segment that is older than its fine-grained timeout. Default: the
    /// preset's.
    pub(in crate::scenario) fine_retransmit: Option<bool>,
    /// D: the first two new acknowledgements after a retransmission check the next segment likewise. Default: the
    /// preset's.
    pub(in crate::scenario) recheck_after_retransmit: Option<bool>,
    /// H: the greatest number of segments sent back to back in answer to one acknowledgement. Default: the preset's.
    pub(in crate::scenario) burst: Option<Field<Burst>>,
    /// I: no growth while the window exceeds the segments in flight by more than two. Default: the preset's.
    pub(in crate::scenario) keep_up: Option<bool>,
    /// J: segments are paced to at most twice the number that left in the newest round trip. bsd. Default: the
    /// preset's.
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
