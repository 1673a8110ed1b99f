//! The module as a Rust object: its tables are those of a results folder, and it refuses bad input in a line.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vegas_results::{WriteOptions, write_folder};
use vegas_sim::scenario::Scenario;
use vegas_web::{FLOW_COLUMNS, LINK_COLUMNS, Laboratory, edit};

const SHORT: &str = r#"# kept
name = "short"
duration = "3s" # kept too

[topology]
kind = "dumbbell"
access = { rate = "1gbit", delay = "1ms" }
bottleneck = { rate = "50mbit", delay = "48ms", queue = "100p" }

[[flow]]
algorithm = "vegas"
"#;

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name)
}

fn finished(text: &str) -> Laboratory {
    let mut laboratory = Laboratory::default();
    let trace = fs::read_to_string(shipped("rate-trace.txt")).expect("a shipped trace");
    laboratory.keep_trace(&format!("rate-trace.txt\0{trace}")).expect("a trace");
    laboratory.begin(text, None).expect("a scenario");
    while !laboratory.advance(10_000).expect("a run") {}
    laboratory.finish(0.0).expect("a summary");
    laboratory
}

fn failure(text: &str) -> Value {
    let failure = Laboratory::default().check(text).expect_err("it is wrong");
    serde_json::from_slice(&failure.json()).expect("JSON")
}

#[test]
fn tables_are_the_files_of_a_results_folder() {
    for name in ["rate-trace.toml", "lossy.toml", "quic.toml"] {
        let path = shipped(name);
        let text = fs::read_to_string(&path).expect("a shipped scenario").replace("60s", "5s");
        let laboratory = finished(&text);

        let scenario = Scenario::from_toml(&text, path.to_str().expect("text"), &[]).expect("a scenario");
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("run");
        let options = WriteOptions { csv: true, pcapng: false };
        write_folder(&folder, &scenario, &vegas_quic_sim::run(&scenario), 0.0, options).expect("a results folder");
        let mut compared = 0;
        for entry in fs::read_dir(&folder).expect("a results folder").flatten() {
            let file = entry.file_name().into_string().expect("text");
            if file.ends_with(".csv") {
                let here = laboratory.table(&file).expect("a table");
                assert!(here == fs::read(entry.path()).expect("a file"), "{name}: {file}");
                compared += 1;
            }
        }
        assert_eq!(compared, 6, "{name}");
    }
}

#[test]
fn a_quic_flow_runs_beside_one_that_is_steered() {
    let quic = fs::read_to_string(shipped("quic.toml")).expect("a shipped scenario").replace("30s", "5s");
    let text = format!("{quic}\n[[flow]]\nalgorithm = \"vegas\"\ntransport = \"quic\"\n");
    let mut laboratory = Laboratory::default();
    laboratory.begin(&text, Some(1)).expect("a scenario");
    while !laboratory.advance(10_000).expect("a run") {}
    let summary: Value = serde_json::from_slice(&laboratory.finish(0.0).expect("a summary")).expect("JSON");
    let named = |flow: usize| summary["flows"][flow]["algorithm"].as_str().expect("a name").to_owned();
    assert_eq!([named(0), named(1)], ["gallop", "you"]);
    let delivered = |flow: usize| summary["flows"][flow]["delivered_bytes"].as_u64().expect("a number");
    assert!(delivered(0) > 1_000_000 && delivered(1) > 100_000, "{} and {}", delivered(0), delivered(1));
}

#[test]
fn rows_come_once_and_are_all_there() {
    let mut laboratory = Laboratory::default();
    laboratory.begin(SHORT, None).expect("a scenario");
    let mut flows = Vec::new();
    let mut links = Vec::new();
    loop {
        let finished = laboratory.advance(1_000).expect("a run");
        laboratory.take_rows(0, &mut flows);
        laboratory.take_rows(1, &mut links);
        if finished {
            break;
        }
    }
    laboratory.finish(0.0).expect("a summary");
    laboratory.take_rows(0, &mut flows);
    laboratory.take_rows(1, &mut links);
    let outcome = vegas_sim::run(&Scenario::from_toml(SHORT, "short", &[]).expect("a scenario"));
    let times: Vec<f64> = flows.chunks(FLOW_COLUMNS.len()).map(|row| row[0]).collect();
    assert_eq!(times, outcome.flow_series.time_s);
    let queues: Vec<u32> = links.chunks(LINK_COLUMNS.len()).map(|row| row[2] as u32).collect();
    assert_eq!(queues, outcome.link_series.queue_packets);
}

#[test]
fn rows_of_links_at_every_change_come_in_order() {
    let mut laboratory = Laboratory::default();
    laboratory.begin(&format!("sample = \"change\"\n{SHORT}"), None).expect("a scenario");
    let mut links = Vec::new();
    while !laboratory.advance(1_000).expect("a run") {
        laboratory.take_rows(1, &mut links);
    }
    laboratory.finish(0.0).expect("a summary");
    laboratory.take_rows(1, &mut links);
    let times: Vec<f64> = links.chunks(LINK_COLUMNS.len()).map(|row| row[0]).collect();
    assert!(times.len() > 100 && times.is_sorted(), "{} rows", times.len());
}

#[test]
fn errors_name_their_line() {
    let wrong = failure(&SHORT.replace("\"50mbit\"", "\"50mbps\""));
    assert_eq!((&wrong["line"], &wrong["key"]), (&json!(8), &json!("topology.bottleneck.rate")));
    assert_eq!(failure("name = ")["line"], 1);
}

#[test]
fn what_does_not_run_here_is_refused_before_the_run() {
    let traced = SHORT.replace("rate = \"50mbit\"", "rate = { trace = \"/etc/passwd\" }");
    let message = failure(&traced)["message"].to_string();
    assert!(message.contains("/etc/passwd: is no trace of this page"), "{message}");
    let huge = SHORT.replace("3s", "2400h").replace("[[flow]]", "[[flow]]\nalgorithm = \"reno\"\n\n[[flow]]");
    let huge = format!("sample = \"3s\"\n{huge}");
    let mut laboratory = Laboratory::default();
    let refused = laboratory.begin(&huge, None).expect_err("34 million rows");
    assert!(String::from_utf8_lossy(&refused.json()).contains("memory limit"));
}

#[test]
fn an_edit_leaves_the_rest_of_the_text() {
    let edits = json!([
        { "set": { "key": "topology.bottleneck.rate", "value": "10mbit" } },
        { "set": { "key": "duration", "value": "4s" } },
        { "copy": { "key": "flow.0" } },
        { "set": { "key": "flow.1.algorithm", "value": "reno" } },
    ]);
    let edited = edit(&json!({ "text": SHORT, "edits": edits }).to_string()).expect("an edit");
    let expected = SHORT.replace("50mbit", "10mbit").replace("3s", "4s") + "\n[[flow]]\nalgorithm = \"reno\"\n";
    assert_eq!(String::from_utf8_lossy(&edited), expected);
    let back = json!({ "text": expected, "edits": [{ "remove": { "key": "flow.1" } }] }).to_string();
    let back = edit(&back).expect("an edit");
    assert_eq!(String::from_utf8_lossy(&back), SHORT.replace("50mbit", "10mbit").replace("3s", "4s"));
}

#[test]
fn an_edit_of_what_is_not_there_is_refused() {
    for edits in [
        json!([{ "set": { "key": "topology.middle.rate", "value": "1mbit" } }]),
        json!([{ "remove": { "key": "flow.1" } }]),
        json!([{ "copy": { "key": "name" } }]),
    ] {
        let refused = edit(&json!({ "text": SHORT, "edits": edits }).to_string()).expect_err("no such key");
        assert!(String::from_utf8_lossy(&refused.json()).contains("no such key"));
    }
}
