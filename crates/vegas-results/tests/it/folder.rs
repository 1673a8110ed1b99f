//! The folder: its files, which have equal bytes each time, and which are written all or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use vegas_results::{ResultsError, WriteOptions, check_folder, run_id, summary, tables, write_folder};
use vegas_sim::outcome::{CapturedPacket, Outcome};

use crate::sample;

const PLAIN: WriteOptions = WriteOptions { csv: false, pcapng: false };
const EVERYTHING: WriteOptions = WriteOptions { csv: true, pcapng: true };

fn write(dir: &Path, options: WriteOptions) -> Result<(), ResultsError> {
    write_outcome(dir, &sample::outcome(), options)
}

fn write_outcome(dir: &Path, outcome: &Outcome, options: WriteOptions) -> Result<(), ResultsError> {
    write_folder(dir, &sample::scenario(), outcome, 0.5, options)
}

/// A run with a capture that cannot be written; the error occurs only after the tables are written.
fn unwritable_outcome() -> Outcome {
    Outcome { capture: vec![CapturedPacket { payload: 70_000, ..sample::data(0, 0) }], ..sample::outcome() }
}

fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn assert_one_line_naming(error: &ResultsError, path: &Path) {
    let message = error.to_string();
    assert!(message.contains(path.to_str().unwrap()), "{message}");
    assert!(!message.contains('\n'), "{message}");
}

#[test]
fn a_run_has_its_files() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("deep/run");
    write(&dir, PLAIN).unwrap();
    let parquet =
        ["flow_series", "flows", "incidents", "link_series", "links", "traffic"].map(|name| format!("{name}.parquet"));
    // media has a file only where there are frames
    let mut expected = parquet.to_vec();
    expected.insert(5, "manifest.json".to_owned());
    assert_eq!(names(&dir), expected);
    assert_eq!(names(dir.parent().unwrap()), ["run"]);

    write(&dir, EVERYTHING).unwrap();
    assert_eq!(names(&dir).len(), 15);
    assert_eq!(names(dir.parent().unwrap()), ["run"]);
}

#[test]
fn repeated_runs_give_the_same_bytes() {
    let parent = tempfile::tempdir().unwrap();
    let folders = ["a", "b"].map(|name| parent.path().join(name));
    for (folder, wall_s) in folders.iter().zip([0.5, 0.7]) {
        let outcome = Outcome { capture: vec![sample::data(0, 0)], ..sample::outcome() };
        write_folder(folder, &sample::scenario(), &outcome, wall_s, EVERYTHING).unwrap();
    }
    let [mut a, mut b] = folders.map(|folder| contents(&folder));
    let [manifest_a, manifest_b] =
        [&mut a, &mut b].map(|files| String::from_utf8(files.remove("manifest.json").unwrap()).unwrap());
    assert_eq!(a, b);
    assert_ne!(manifest_a, manifest_b);
    assert_eq!(manifest_a, manifest_b.replace("\"wall_s\": 0.7", "\"wall_s\": 0.5"));
}

#[test]
fn parquet_gives_back_the_tables() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write(&dir, PLAIN).unwrap();
    let tables = tables(&sample::scenario(), &sample::outcome()).unwrap();
    for (name, table) in tables.named().into_iter().filter(|(_, table)| table.num_rows() > 0) {
        let file = fs::File::open(dir.join(format!("{name}.parquet"))).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        assert_eq!(batches.len(), 1, "{name}");
        assert_eq!(&batches[0], table, "{name}");
        assert_eq!(batches[0].schema(), table.schema(), "{name}"); // with every column's unit and meaning
    }
}

#[test]
fn csv_is_plain_text() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write(&dir, WriteOptions { csv: true, pcapng: false }).unwrap();
    let text = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(
        text("links.csv"),
        "id,max_queue_packets,mean_queue_packets,drops,marks,utilisation,\
         mean_queueing_ms,p50_queueing_ms,p95_queueing_ms,p99_queueing_ms,max_queueing_ms\n\
         client->server,19,2.25,3,5,0.875,1.8,1.5,9.5,14.0,15.2\n\
         server->client,0,0.0,0,0,0.0,,,,,\n"
    );
    assert_eq!(text("incidents.csv").lines().nth(4), Some("0.19,retransmit,0,,960,after-timeout"));
    let series = text("flow_series.csv");
    assert_eq!(series.lines().nth(2), Some("0.1,1,1.0,,0,,,,idle,0,0,0,0.0"));
}

#[test]
fn the_manifest_says_what_was_run() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write(&dir, EVERYTHING).unwrap();
    let manifest: Value = serde_json::from_str(&fs::read_to_string(dir.join("manifest.json")).unwrap()).unwrap();
    let scenario = sample::scenario();
    assert_eq!(manifest["scenario"], scenario.document);
    assert_eq!(manifest["seed"], scenario.seed);
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["run_id"], run_id(&scenario));
    assert_eq!(manifest["summary"], summary(&scenario, &sample::outcome(), 0.5));
    let mut listed: Vec<String> = serde_json::from_value(manifest["files"].clone()).unwrap();
    listed.push("manifest.json".to_owned());
    listed.sort();
    assert_eq!(listed, names(&dir));
}

#[test]
fn an_earlier_run_is_replaced_whole() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write(&dir, EVERYTHING).unwrap();
    fs::write(dir.join("picture.png"), "a picture of the earlier run").unwrap();
    write(&dir, PLAIN).unwrap();
    assert_eq!(names(&dir).len(), 7);
    assert_eq!(names(parent.path()), ["run"]);
}

#[test]
fn an_empty_folder_is_taken() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    fs::create_dir(&dir).unwrap();
    write(&dir, PLAIN).unwrap();
    assert_eq!(names(&dir).len(), 7);
}

#[test]
fn files_of_others_are_never_deleted() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("thesis");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("chapter.tex"), "years of work").unwrap();
    let before = contents(&dir);
    assert_one_line_naming(&write(&dir, PLAIN).unwrap_err(), &dir);

    fs::write(dir.join("manifest.json"), r#"{"generator": "something else", "format": 1}"#).unwrap();
    assert_one_line_naming(&write(&dir, PLAIN).unwrap_err(), &dir);
    fs::remove_file(dir.join("manifest.json")).unwrap();
    assert_eq!(contents(&dir), before);
    assert_eq!(names(parent.path()), ["thesis"]);
}

#[test]
fn a_note_in_an_earlier_run_is_never_deleted() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write(&dir, PLAIN).unwrap();
    fs::write(dir.join("notes.md"), "what I saw").unwrap();
    let before = contents(&dir);
    let error = write(&dir, PLAIN).unwrap_err();
    assert_one_line_naming(&error, &dir);
    assert!(error.to_string().contains("notes.md"), "{error}");
    assert_eq!(contents(&dir), before);
}

#[test]
fn a_failure_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    let error = write_outcome(&dir, &unwritable_outcome(), EVERYTHING).unwrap_err();
    assert!(matches!(error, ResultsError::PacketTooLarge { flow: 0, .. }), "{error}");
    assert_eq!(names(parent.path()), [""; 0]);
}

#[test]
fn a_failure_leaves_the_earlier_run() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write(&dir, PLAIN).unwrap();
    let before = contents(&dir);
    write_outcome(&dir, &unwritable_outcome(), EVERYTHING).unwrap_err();
    assert_eq!(contents(&dir), before);
    assert_eq!(names(parent.path()), ["run"]);
}

#[test]
fn an_unwritable_place_is_one_clear_line() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    assert_one_line_naming(&write(&file.join("run"), PLAIN).unwrap_err(), &file);
    assert_one_line_naming(&write(&file.join("deep/run"), PLAIN).unwrap_err(), &file);
    assert_one_line_naming(&write(&file, PLAIN).unwrap_err(), &file);
    assert_one_line_naming(&write(Path::new("/"), PLAIN).unwrap_err(), Path::new("/"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a folder");
    assert_eq!(names(parent.path()), ["file"]);
}

#[test]
fn a_place_can_be_checked_before_the_run() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    assert_one_line_naming(&check_folder(&file.join("run")).unwrap_err(), &file);
    assert_one_line_naming(&check_folder(parent.path()).unwrap_err(), parent.path());
    check_folder(&parent.path().join("run")).unwrap();
    assert_eq!(names(parent.path()), ["file"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_run_stays_a_link() {
    let parent = tempfile::tempdir().unwrap();
    let (dir, link) = (parent.path().join("run"), parent.path().join("latest"));
    write(&dir, PLAIN).unwrap();
    std::os::unix::fs::symlink(&dir, &link).unwrap();
    write(&link, WriteOptions { csv: true, pcapng: false }).unwrap();
    assert!(link.is_symlink());
    assert_eq!(names(&dir).len(), 13);
}

#[test]
fn a_capture_of_a_run_that_kept_no_packets_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let mut scenario = sample::scenario();
    scenario.capture = false;
    let dir = parent.path().join("run");
    let error = write_folder(&dir, &scenario, &sample::outcome(), 0.5, EVERYTHING).unwrap_err();
    assert!(error.to_string().contains("capture = true"), "{error}");
    assert!(!dir.exists());
}
