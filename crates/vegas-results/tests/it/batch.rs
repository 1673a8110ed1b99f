//! Many runs of one template: each equals the run of its own file, and a failure affects no other run.

use std::sync::atomic::{AtomicU32, Ordering};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value, json};
use vegas_results::{Contents, Rows, Series, run_digest, run_id, run_row, summary, tables};
use vegas_sim::Limits;
use vegas_sim::scenario::{Scenario, Template};

const SHORT: &str = r#"
    name = "short"
    duration = "2s"
    sample = "change"
    topology.kind = "dumbbell"
    topology.access = { rate = "100mbit", delay = "1ms" }
    topology.bottleneck = { rate = "10mbit", delay = "8ms", queue = "10p" }
    flow = [{ algorithm = "reno" }, { algorithm = "vegas" }]
"#;

fn template() -> Template {
    Template::from_toml(SHORT, "short.toml").unwrap()
}

fn replaced(values: Value) -> Map<String, Value> {
    values.as_object().unwrap().clone()
}

fn failure(values: Value, limits: Limits) -> String {
    run_row(&template(), &replaced(values), 1, limits, &Rows::default(), None, || None).unwrap_err()
}

/// The fast path omits series and captures, which must not change the totals.
#[test]
fn a_row_holds_the_figures_of_the_same_run_by_itself() {
    let values = replaced(json!({"topology.bottleneck.queue": "20p", "flow.1.alpha": 2}));
    let row = run_row(&template(), &values, 7, Limits::default(), &Rows::default(), None, || None).unwrap();

    let overrides = [("topology.bottleneck.queue", "20p"), ("flow.1.alpha", "2"), ("seed", "7"), ("capture", "true")];
    let scenario = Scenario::from_toml(SHORT, "short.toml", &overrides.map(|(k, v)| (k.into(), v.into()))).unwrap();
    let summary = summary(&scenario, &vegas_sim::run(&scenario), 0.0);

    let mut compared = 0;
    for (part, rows) in [("flow", &summary["flows"]), ("link", &summary["links"])] {
        for figures in rows.as_array().unwrap() {
            let id = figures["id"].as_str().map_or_else(|| figures["id"].to_string(), String::from);
            for (name, value) in figures.as_object().unwrap() {
                let Some(column) = row.column_by_name(&format!("{part}.{id}.{name}")) else {
                    assert!(
                        ["id", "algorithm", "group", "application"].contains(&name.as_str()),
                        "{part} {name} is missing"
                    );
                    continue;
                };
                let given = match column.is_null(0) {
                    true => Value::Null,
                    false => column
                        .as_primitive_opt::<UInt64Type>()
                        .map_or_else(|| column.as_primitive::<Float64Type>().value(0).into(), |c| c.value(0).into()),
                };
                assert_eq!(&given, value, "{part}.{id}.{name}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, row.num_columns());
}

#[test]
fn a_row_with_series_holds_the_files_of_the_same_run_and_the_same_totals() {
    let values = replaced(json!({"flow.1.alpha": 2}));
    let run = |rows| run_row(&template(), &values, 7, Limits::default(), &rows, None, || None).unwrap();
    let (plain, kept) = (run(Rows::default()), run(Rows::with_series(Series::ALL.into())));
    assert_eq!(kept.project(&(0..plain.num_columns()).collect::<Vec<_>>()).unwrap(), plain);

    let overrides = [("flow.1.alpha", "2"), ("seed", "7")].map(|(key, value)| (key.into(), value.into()));
    let scenario = Scenario::from_toml(SHORT, "short.toml", &overrides).unwrap();
    let tables = tables(&scenario, &vegas_sim::run(&scenario)).unwrap();
    for (name, expected) in [("series.flows", &tables.flow_series), ("series.links", &tables.link_series)] {
        let file = kept.column_by_name(name).unwrap().as_binary::<i64>().value(0).to_vec();
        let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(file)).unwrap().with_batch_size(1 << 20);
        let batches: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
        assert_eq!(batches.len(), 1);
        let ids = batches[0].column(0).as_dictionary::<Int32Type>();
        assert_eq!(ids.values().as_string::<i32>().iter().flatten().collect::<Vec<_>>(), [run_id(&scenario)]);
        assert!(expected.num_rows() > 0);
        assert_eq!(&batches[0].columns()[1..], expected.columns(), "{name}");
    }
}

#[test]
fn series_of_a_run_without_samples_are_refused() {
    let rows = Rows::with_series(vec![Series::Links]);
    let off = replaced(json!({"sample": "off"}));
    let error = run_row(&template(), &off, 1, Limits::default(), &rows, None, || None).unwrap_err();
    assert_eq!(error, "sample: \"off\" leaves nothing to keep as series; give a step, such as \"100ms\"");
}

#[test]
fn a_run_has_the_id_that_the_command_line_gives_it() {
    let values = replaced(json!({"flow.0.algorithm": "vegas", "flow.0.start": "100ms", "flow.1.alpha": 2}));
    let overrides = [("flow.1.alpha", "2"), ("flow.0.start", "100ms"), ("flow.0.algorithm", "vegas"), ("seed", "9")];
    let scenario = Scenario::from_toml(SHORT, "short.toml", &overrides.map(|(k, v)| (k.into(), v.into()))).unwrap();
    let digest = run_digest(&template().document(&values, 9).unwrap(), 9, &Contents::default());
    assert_eq!(digest.map(|byte| format!("{byte:02x}")).concat(), run_id(&scenario));
}

#[test]
fn a_bad_value_is_named_with_its_key() {
    let error = failure(json!({"flow.0.algorithm": "vagas"}), Limits::default());
    assert_eq!(
        error,
        "short.toml: with flow.0.algorithm=\"vagas\": flow.0.algorithm: \"vagas\" is no preset; did you mean \"vegas\"?"
    );
    let error = failure(json!({"flow.9.alpha": 1}), Limits::default());
    assert_eq!(error, "short.toml: with flow.9.alpha=1: flow.9: no such entry of flow; expected an index from 0 to 1");
}

#[test]
fn limits_end_a_run_and_say_which() {
    let events = Limits { events: Some(1000), ..Limits::default() };
    assert_eq!(failure(json!({}), events), "limit of 1000 events reached");
    let memory = Limits { memory_bytes: Some(1), ..Limits::default() };
    assert_eq!(failure(json!({"duration": "60s"}), memory), "memory limit of 1 bytes reached");
}

#[test]
fn a_run_stops_when_it_is_told_to() {
    let asked = AtomicU32::new(0);
    let values = replaced(json!({"duration": "60s"}));
    let stop = move || (asked.fetch_add(1, Ordering::Relaxed) == 1).then(|| "enough".to_owned());
    let ended = run_row(&template(), &values, 1, Limits::default(), &Rows::default(), None, stop);
    assert_eq!(ended.unwrap_err(), "enough");
}

/// Twelve hours of updates at intervals of a microsecond, in a run that its limit ends after a few hundred events.
#[test]
fn a_limit_ends_a_run_in_which_a_queue_is_updated_billions_of_times() {
    let queue = json!({"kind": "pie", "limit": "9p", "update": "1us"});
    let values = json!({
        "topology.bottleneck.rate": "8bit",
        "topology.bottleneck.queue": queue,
        "duration": "12h",
        "sample": "off",
    });
    assert_eq!(failure(values, Limits { events: Some(100), ..Limits::default() }), "limit of 100 events reached");
}

/// 8,000 links with 65,536 queues each would take 34 GB.
#[test]
fn queues_that_no_packet_comes_to_take_no_memory() {
    let queue = json!({"kind": "fq-codel", "limit": "100p", "queues": 65_536});
    let values = json!({
        "flow.0.count": 2_000,
        "flow.0.access": {"rate": "100mbit", "delay": "1ms", "queue": queue},
        "duration": "5ms",
    });
    let limits = Limits { memory_bytes: Some(150_000_000), ..Limits::default() };
    run_row(&template(), &replaced(values), 1, limits, &Rows::default(), None, || None).unwrap();
}
