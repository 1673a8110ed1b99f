//! Each check can fail: it is given an outcome, or a scenario, in which one thing is wrong.

use serde_json::{Value, json};
use vegas_core::units::{Bytes, Rate, Segments, Span, Time};
use vegas_sim::outcome::{CapturePoint, Incident, IncidentKind, QueueOutcome};
use vegas_sim::scenario::{Activity, QueueLimit, ReceiveWindow};
use vegas_swarm::run::{self, Case};
use vegas_swarm::{invariants, relations};

/// Returns a scenario with flows of several kinds, a source, a policer, losses and a capture, so that every check has
/// something to check.
fn document() -> Value {
    json!({
        "name": "checked",
        "duration": "4s",
        "capture": true,
        "topology": {
            "kind": "graph",
            "nodes": ["a", "b", "c", "d"],
            "link": [
                { "between": ["a", "b"], "rate": "8mbit", "delay": "10ms", "queue": "8p" },
                { "between": ["b", "c"], "rate": "4mbit", "delay": "10ms", "queue": "8p",
                  "policer": { "rate": "3.9mbit", "burst": "20kb" } },
                { "between": ["c", "d"], "rate": "4mbit", "delay": "10ms",
                  "queue": { "kind": "dualpi2", "limit": "100p" } },
            ],
        },
        "flow": [
            { "algorithm": "reno", "from": "a", "to": "c", "size": "200kb" },
            { "algorithm": "vegas", "from": "b", "to": "c", "start": "501ms", "count": 2 },
            { "algorithm": "reno", "from": "b", "to": "c", "start": "502ms", "application": [
                { "kind": "requests", "size": "3kb", "think": "100ms" },
            ] },
            { "algorithm": "reno", "from": "b", "to": "c", "start": "503ms", "application": [
                { "kind": "media", "layers": [
                    { "every": "20ms", "size": "100b" },
                    { "every": "40ms", "size": "1kb" },
                ] },
            ] },
            { "algorithm": "prague", "from": "c", "to": "d", "start": "505ms" },
        ],
        "traffic": [{ "kind": "constant", "rate": "1mbit", "from": "a", "to": "c", "start": "504ms" }],
    })
}

fn case() -> Case<'static> {
    case_of(document())
}

fn case_of(document: Value) -> Case<'static> {
    run::fitted(document, "checked", 1_000_000).unwrap().expect("a short run")
}

/// The flow that uses Accurate ECN.
const PRAGUE: usize = 5;

type Mutant = (&'static str, fn(&mut Case<'_>));

/// For each invariant, a change that makes it fail.
const MUTANTS: &[Mutant] = &[
    ("numbers_finite", |case| case.outcome.links[0].utilisation = f64::NAN),
    ("counts_nest", |case| case.outcome.flows[0].delivered_bytes = 200_001),
    ("times_in_order", |case| case.outcome.incidents.reverse()),
    ("counters_rise", |case| case.outcome.flow_series.acked_bytes.reverse()),
    ("base_rtt_at_least_propagation", |case| case.outcome.flows[1].base_rtt_ms = Some(19.9)),
    ("windows_bounded", |case| case.scenario.flows[1].parameters.max_window.0 = 2),
    ("goodput_within_capacity", |case| case.outcome.flows[1].delivered_bytes = 2_100_000),
    ("goodput_within_throughput", |case| case.outcome.flows[1].goodput_mbps = 100.0),
    ("queue_within_limit", |case| case.scenario.links[2].queue = QueueLimit::Packets(3)),
    ("queueing_times_ordered", |case| case.outcome.links[2].queueing.as_mut().unwrap().p50_ms = 1e3),
    ("queues_are_parts_of_links", |case| {
        case.outcome.links[2].queues.push(QueueOutcome { packets: 1, ..QueueOutcome::default() });
    }),
    ("marked_beyond_step", |case| case.outcome.links[4].queues[0].marks = 0),
    ("utilisation_within_one", |case| case.outcome.links[2].utilisation = 1.01),
    ("drops_have_rows", |case| case.outcome.links[2].drops = 0),
    ("traffic_conserved", |case| case.outcome.traffic[0].lost_packets = 1_000_000),
    ("bytes_once_and_in_order", |case| {
        let lost =
            |packet: &vegas_sim::outcome::CapturedPacket| packet.point == CapturePoint::ReceiverIn && packet.flow == 1;
        let first = case.outcome.capture.iter().position(lost).expect("data");
        case.outcome.capture.remove(first);
    }),
    ("marks_are_counted", |case| {
        let is_of_prague = |packet: &&mut vegas_sim::outcome::CapturedPacket| packet.flow as usize == PRAGUE;
        case.outcome.capture.iter_mut().filter(is_of_prague).for_each(|packet| packet.codepoint = 1);
    }),
    ("sender_within_window", |case| case.scenario.flows[1].host.receive_window = ReceiveWindow::Constant(Segments(1))),
    ("packets_counted", |case| case.outcome.flows[1].segments_sent += 1),
    ("no_stall", |case| {
        let last = Time::from_nanos(1_000_000_000);
        case.scenario.flows[1].host.rto.max = Span::from_secs(1);
        case.outcome.capture.retain(|packet| packet.flow != 1 || packet.at < last);
    }),
    ("timeouts_back_off", |case| {
        let timeout = |time_s| Incident {
            time_s,
            kind: IncidentKind::Timeout,
            flow: 1,
            link: None,
            sequence: 0,
            retransmission: None,
        };
        drop(case.outcome.incidents.splice(..0, [0.1, 0.2, 0.3].map(timeout)));
    }),
    ("first_packet_on_time", |case| case.scenario.links[0].delay = Span::from_millis(11)),
    ("within_policed_rate", |case| {
        let policer = case.scenario.links[2].impairments.policer.as_mut().expect("a policer");
        policer.rate = Rate::from_bits_per_second(2_000_000);
    }),
    ("written_before_sent", |case| {
        let size = Bytes::new(3_000);
        case.scenario.flows[3].application[0].activity = Activity::Requests { size, think: Span::from_millis(101) };
    }),
    ("layers_in_order", |case| case.outcome.media[0].delay_ms = Some(3_000.0)),
];

#[test]
fn each_invariant_holds_and_can_fail() {
    for (name, invariant) in invariants::ALL {
        assert_eq!(invariant(&case()), Ok(()), "{name}");
        let (_, break_it) =
            MUTANTS.iter().find(|(mutant, _)| mutant == name).unwrap_or_else(|| panic!("{name} has no mutant"));
        let mut broken = case();
        break_it(&mut broken);
        let found = invariant(&broken);
        assert!(found.as_ref().is_err_and(|message| !message.contains('\n')), "{name}: {found:?}");
    }
}

/// A relation runs its other scenario itself; it must find a first outcome that is not the scenario's own.
#[test]
fn each_relation_holds_and_can_fail() {
    // This relation compares two runs of its own; only a simulator that depends on flows' numbers would break it.
    let runs_both = "flows_permuted";
    for relation in relations::ALL.iter().filter(|relation| relation.name != runs_both) {
        let mut broken = match relation.name {
            "scaled" => case_of(exact()),
            _ => case(),
        };
        assert_eq!((relation.check)(&broken), Ok(relations::Compared::Yes), "{}", relation.name);
        match relation.name {
            // these relations compare documents, or two runs of their own
            "as_toml" | "keys_reversed" => broken.scenario.seed += 1,
            "prefix" => drop(broken.outcome.capture.remove(0)),
            _ => broken.outcome.flows[0].delivered_bytes += 1,
        }
        assert!((relation.check)(&broken).is_err(), "{} finds nothing", relation.name);
    }
}

/// Returns a scenario in which all rates are whole nanoseconds a byte.
fn exact() -> Value {
    json!({
        "name": "exact",
        "duration": "200ms",
        "topology": {
            "kind": "dumbbell",
            "access": { "rate": "1gbit", "delay": "1ms" },
            "bottleneck": { "rate": "125mbit", "delay": "2ms", "queue": "40p" },
        },
        "flow": [{ "algorithm": "reno", "initial_window": 4, "max_window": 30, "ssthresh": 8 }],
    })
}
