//! Tables and summary: names, values, gaps, metadata.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt32Type};
use serde_json::{Value, json};
use vegas_results::columns::TABLES;
use vegas_results::{run_id, summary, tables};
use vegas_sim::ENGINE_VERSION;
use vegas_sim::outcome::{FrameState, MediaFrame, Outcome, QueueOutcome};
use vegas_sim::scenario::RateTrace;

use crate::sample;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn column_names(table: &arrow_array::RecordBatch) -> Vec<String> {
    table.schema().fields().iter().map(|field| field.name().clone()).collect()
}

#[test]
fn the_summary_has_the_stable_names() {
    let summary = summary(&sample::scenario(), &sample::outcome(), 0.5);
    assert_eq!(
        keys(&summary),
        [
            "scenario",
            "seed",
            "version",
            "duration_s",
            "events",
            "delivered_packets",
            "wall_s",
            "flows",
            "links",
            "traffic"
        ]
    );
    assert_eq!(
        keys(&summary["flows"][0]),
        [
            "id",
            "algorithm",
            "group",
            "application",
            "start_s",
            "throughput_mbps",
            "goodput_mbps",
            "delivered_bytes",
            "completion_s",
            "segments_sent",
            "segments_retransmitted",
            "timeouts",
            "ecn_reductions",
            "mean_rtt_ms",
            "base_rtt_ms",
            "slow_start_end_s",
            "cwnd_at_slow_start_end",
            "final_cwnd_segments",
            "mean_cwnd_segments"
        ]
    );
    assert_eq!(
        keys(&summary["links"][0]),
        [
            "id",
            "max_queue_packets",
            "mean_queue_packets",
            "drops",
            "marks",
            "utilisation",
            "mean_queueing_ms",
            "p50_queueing_ms",
            "p95_queueing_ms",
            "p99_queueing_ms",
            "max_queueing_ms",
        ]
    );
    assert_eq!(
        keys(&summary["traffic"][0]),
        [
            "id",
            "kind",
            "start_s",
            "sent_packets",
            "delivered_packets",
            "lost_packets",
            "sent_mbps",
            "throughput_mbps",
            "transfers_started",
            "transfers_completed",
            "goodput_mbps",
            "completion_p50_s",
            "completion_p90_s",
            "completion_p99_s"
        ]
    );
}

/// Queues of a link have rows of their own; a run without such a link has none.
#[test]
fn the_summary_has_the_queues() {
    let mut outcome = sample::outcome();
    assert_eq!(summary(&sample::scenario(), &outcome, 0.5).get("queues"), None);
    let queueing = outcome.links[0].queueing;
    let low_latency = QueueOutcome { name: "low-latency".into(), packets: 70, marks: 5, drops: 1, queueing };
    outcome.links[0].queues = vec![low_latency, QueueOutcome { name: "classic".into(), ..QueueOutcome::default() }];
    let times = json!({"mean": 1.8, "p50": 1.5, "p95": 9.5, "p99": 14.0, "max": 15.2});
    let row = |queue: &str, counts: [u64; 3], time: &dyn Fn(&str) -> Value| {
        json!({
            "link": "client->server", "queue": queue, "packets": counts[0], "marks": counts[1], "drops": counts[2],
            "mean_queueing_ms": time("mean"), "p50_queueing_ms": time("p50"), "p95_queueing_ms": time("p95"),
            "p99_queueing_ms": time("p99"), "max_queueing_ms": time("max")
        })
    };
    let expected =
        [row("low-latency", [70, 5, 1], &|name| times[name].clone()), row("classic", [0; 3], &|_| Value::Null)];
    assert_eq!(summary(&sample::scenario(), &outcome, 0.5)["queues"], json!(expected));
}

#[test]
fn the_summary_has_the_values() {
    let summary = summary(&sample::scenario(), &sample::outcome(), 0.5);
    assert_eq!(summary["scenario"], "sample");
    assert_eq!(summary["seed"], 7);
    assert_eq!(summary["version"], ENGINE_VERSION);
    assert_eq!(summary["duration_s"], 2.5);
    assert_eq!(summary["wall_s"], 0.5);
    assert_eq!((&summary["events"], &summary["delivered_packets"]), (&json!(1234), &json!(567)));
    assert_eq!(
        summary["flows"][0],
        json!({
            "id": 0, "algorithm": "vegas", "group": "vegas", "application": "bulk", "start_s": 0.0, "throughput_mbps": 9.5, "goodput_mbps": 9.12,
            "delivered_bytes": 960_000, "completion_s": 0.85, "segments_sent": 1003, "segments_retransmitted": 3,
            "timeouts": 1, "ecn_reductions": 2, "mean_rtt_ms": 31.5, "base_rtt_ms": 20.8, "slow_start_end_s": 0.2,
            "cwnd_at_slow_start_end": 32.0, "final_cwnd_segments": 27.0, "mean_cwnd_segments": 24.5
        })
    );
    let second = &summary["flows"][1];
    assert_eq!((&second["id"], &second["algorithm"], &second["start_s"]), (&json!(1), &json!("sack"), &json!(1.5)));
    for key in ["completion_s", "mean_rtt_ms", "base_rtt_ms", "slow_start_end_s", "cwnd_at_slow_start_end"] {
        assert_eq!(second[key], Value::Null, "{key}");
    }
    assert_eq!(
        summary["links"],
        json!([
            {
                "id": "client->server", "max_queue_packets": 19, "mean_queue_packets": 2.25, "drops": 3,
                "marks": 5, "utilisation": 0.875, "mean_queueing_ms": 1.8, "p50_queueing_ms": 1.5,
                "p95_queueing_ms": 9.5, "p99_queueing_ms": 14.0, "max_queueing_ms": 15.2
            },
            {
                "id": "server->client", "max_queue_packets": 0, "mean_queue_packets": 0.0, "drops": 0,
                "marks": 0, "utilisation": 0.0, "mean_queueing_ms": null, "p50_queueing_ms": null,
                "p95_queueing_ms": null, "p99_queueing_ms": null, "max_queueing_ms": null
            }
        ])
    );
    assert_eq!(
        summary["traffic"],
        json!([
            {
                "id": 0, "kind": "constant", "start_s": 0.0, "sent_packets": 625, "delivered_packets": 600,
                "lost_packets": 20, "sent_mbps": 1.0, "throughput_mbps": 0.96, "transfers_started": null,
                "transfers_completed": null, "goodput_mbps": null, "completion_p50_s": null,
                "completion_p90_s": null, "completion_p99_s": null
            },
            {
                "id": 1, "kind": "poisson-transfers", "start_s": 0.5, "sent_packets": 0, "delivered_packets": 0,
                "lost_packets": 0, "sent_mbps": 0.0, "throughput_mbps": 0.0, "transfers_started": 12,
                "transfers_completed": 10, "goodput_mbps": 3.25, "completion_p50_s": 0.25,
                "completion_p90_s": 0.75, "completion_p99_s": 1.5
            }
        ])
    );
}

#[test]
fn series_have_the_promised_columns() {
    let tables = tables(&sample::scenario(), &sample::outcome()).unwrap();
    assert_eq!(
        column_names(&tables.flow_series).join(" "),
        "time_s flow cwnd_segments ssthresh_segments in_flight_segments rtt_ms base_rtt_ms diff_segments phase \
         acked_bytes retransmits timeouts throughput_mbps"
    );
    assert_eq!(
        column_names(&tables.link_series).join(" "),
        "time_s link queue_packets queue_bytes max_queue_packets drops throughput_mbps utilisation"
    );
    assert_eq!(column_names(&tables.incidents).join(" "), "time_s kind flow link sequence retransmission");
    let lengths = tables.named().map(|(_, table)| table.num_rows());
    assert_eq!(lengths, [2, 2, 2, 3, 2, 6, 0]);
}

#[test]
fn names_stand_for_indices() {
    let tables = tables(&sample::scenario(), &sample::outcome()).unwrap();
    let named = |table: &arrow_array::RecordBatch, column: &str| -> Vec<Option<String>> {
        let names = table[column].as_dictionary::<Int32Type>().clone();
        let names = names.downcast_dict::<arrow_array::StringArray>().unwrap();
        names.into_iter().map(|name| name.map(str::to_owned)).collect()
    };
    let some = |names: &[&str]| names.iter().map(|name| Some((*name).to_owned())).collect::<Vec<_>>();
    assert_eq!(named(&tables.flow_series, "phase"), some(&["slow-start", "idle", "avoidance"]));
    assert_eq!(named(&tables.link_series, "link"), some(&["client->server", "server->client"]));
    assert_eq!(
        named(&tables.incidents, "kind"),
        some(&["queue-drop", "loss", "mark", "retransmit", "slow-start-exit", "timeout"])
    );
    assert_eq!(named(&tables.incidents, "link")[1..3], some(&["server->client", "client->server"]));
    assert_eq!(named(&tables.incidents, "link")[3], None);
    assert_eq!(tables.flow_series["flow"].as_primitive::<UInt32Type>().values(), &[0, 1, 0]);
    assert_eq!(tables.flow_series["ssthresh_segments"].null_count(), 2);
}

#[test]
fn frames_have_a_row_each() {
    let frame = |time_s, layer, state, delay_ms| MediaFrame { time_s, flow: 0, layer, bytes: 80, state, delay_ms };
    let media = vec![
        frame(0.0, 0, FrameState::Delivered, Some(12.5)),
        frame(0.02, 1, FrameState::GivenUp, None),
        frame(0.04, 0, FrameState::UnderWay, None),
    ];
    let frames = media.clone();
    let tables = tables(&sample::scenario(), &Outcome { media, ..sample::outcome() }).unwrap();
    assert_eq!(column_names(&tables.media).join(" "), "time_s flow layer bytes state delay_ms");
    let states = tables.media["state"].as_dictionary::<Int32Type>().clone();
    let states = states.downcast_dict::<arrow_array::StringArray>().unwrap();
    assert_eq!(states.into_iter().flatten().collect::<Vec<_>>(), ["delivered", "given-up", "under-way"]);
    assert_eq!(tables.media["delay_ms"].null_count(), 2);
    let summary = summary(&sample::scenario(), &Outcome { media: frames, ..sample::outcome() }, 0.5);
    let layer = |row: usize, key| summary["media"][row][key].clone();
    assert_eq!((layer(0, "id"), layer(1, "id")), (json!("0.0"), json!("0.1")));
    assert_eq!(
        (layer(0, "frames"), layer(0, "delivered_frames"), layer(0, "given_up_frames")),
        (2.into(), 1.into(), 0.into())
    );
    assert_eq!((layer(0, "p99_delay_ms"), layer(1, "p99_delay_ms")), (json!(12.5), Value::Null));
    assert_eq!(layer(1, "given_up_frames"), 1);
}

#[test]
fn every_field_carries_its_unit_and_meaning() {
    let tables = tables(&sample::scenario(), &sample::outcome()).unwrap();
    for (spec, (name, table)) in TABLES.iter().zip(tables.named()) {
        assert_eq!(spec.name, name);
        for (column, field) in spec.columns.iter().zip(table.schema().fields()) {
            assert_eq!(field.metadata()["unit"], column.unit);
            assert_eq!(field.metadata()["meaning"], column.meaning);
            assert!(!column.unit.is_empty() && !column.meaning.is_empty(), "{name}.{}", column.name);
        }
    }
}

#[test]
fn a_name_says_its_unit() {
    let suffixes = [("_s", "s"), ("_ms", "ms"), ("_mbps", "Mb/s"), ("_segments", "segments"), ("_bytes", "bytes")];
    for column in TABLES.iter().flat_map(|table| table.columns) {
        if let Some((_, unit)) = suffixes.iter().find(|(suffix, _)| column.name.ends_with(suffix)) {
            assert_eq!(column.unit, *unit, "{}", column.name);
        }
    }
}

#[test]
fn an_empty_run_has_the_same_schemas() {
    let scenario = sample::scenario();
    let full = tables(&scenario, &sample::outcome()).unwrap();
    let empty = tables(&scenario, &Outcome { flows: sample::outcome().flows, ..Outcome::default() });
    // there must be two links, as in the scenario: an outcome of another scenario is refused
    let refusal = empty.unwrap_err().to_string();
    assert!(refusal.starts_with("table links: the outcome is not of this scenario"), "{refusal}");

    let Outcome { flows, links, traffic, .. } = sample::outcome();
    let outcome = Outcome { flows, links, traffic, ..Outcome::default() };
    let empty = tables(&scenario, &outcome).unwrap();
    for ((name, full), (_, empty)) in full.named().into_iter().zip(empty.named()) {
        assert_eq!(full.schema(), empty.schema(), "{name}");
    }
    assert_eq!(empty.flow_series.num_rows(), 0);
}

#[test]
fn the_run_id_follows_content_not_order() {
    let scenario = sample::scenario();
    let id = run_id(&scenario);
    assert_eq!(id.len(), 64);

    let mut reordered = scenario.clone();
    reordered.document =
        json!({"duration": "2.5s", "flow": [{"algorithm": "vegas"}, {"algorithm": "sack"}], "name": "sample"});
    assert_eq!(run_id(&reordered), id);

    let mut other_seed = scenario.clone();
    other_seed.seed += 1;
    assert_ne!(run_id(&other_seed), id);

    let mut other_flows = scenario;
    other_flows.document["flow"].as_array_mut().unwrap().reverse();
    assert_ne!(run_id(&other_flows), id);
}

/// Two traces of one name give two run ids, and two manifests; line ends are content, too.
#[test]
fn the_run_id_follows_the_traces() {
    let with_trace = |text: &str| {
        let mut scenario = sample::scenario();
        scenario.links[0].trace = Some(Arc::new(RateTrace::parse(text).unwrap()));
        scenario
    };
    let ids = ["1\n2\n", "1\n3\n"].map(|text| run_id(&with_trace(text)));
    assert_ne!(ids[0], ids[1]);
    assert_eq!(ids[0], run_id(&with_trace("1\n2\n")));
    assert_ne!(ids[0], run_id(&sample::scenario()));
}
