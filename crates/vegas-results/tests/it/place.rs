//! The folders that may be replaced, and the remains of a killed process.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use vegas_results::{Place, WriteOptions, check_folder, write_folder};

use crate::sample;

/// The name and the text of each file.
type Files = &'static [(&'static str, &'static str)];

/// Creates a folder of files, each with its own text, and of complete runs.
fn folder(at: &Path, files: &[(&str, &str)], runs: &[&str]) {
    for (name, text) in files {
        let file = at.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    for run in runs {
        let options = WriteOptions { csv: false, pcapng: false };
        write_folder(
            &at.join(run).components().collect::<PathBuf>(),
            &sample::scenario(),
            &sample::outcome(),
            0.5,
            options,
        )
        .unwrap();
    }
}

/// Returns every entry below a folder, with the content of each file.
fn tree(at: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(at).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.insert(entry.path(), None);
            found.append(&mut tree(&entry.path()));
        } else {
            found.insert(entry.path(), fs::read(entry.path()).ok());
        }
    }
    found
}

const COMPARISON: (&str, &str) = ("comparison.json", r#"{"scenario": "s", "runs": {"vegas": {}, "reno": {}}}"#);
const SEEDS: (&str, &str) = (
    "comparison.json",
    r#"{"scenario": "s", "duration_s": 1, "bottleneck": "a->b", "seeds": [1], "level": 0.95, "seeds_matter": true,
        "baseline": "vegas", "means": {}, "differences": []}"#,
);
const SEEDS_OF_FLOWS: (&str, &str) = (
    "comparison.json",
    r#"{"scenario": "s", "duration_s": 1, "bottleneck": "a->b", "seeds": [1], "level": 0.95, "seeds_matter": true,
        "baseline": "vegas", "means": {}, "differences": [], "algorithms": ["vegas"], "flows": [0]}"#,
);
const FACTORIAL: (&str, &str) = (
    "factorial.json",
    r#"{"plan": "p", "factors": {}, "analyses": [{"response": "log10 goodput", "level": 0.95}, {"response": "drops"}]}"#,
);
const ANALYSIS: (&str, &str) = (
    "analysis.json",
    r#"{"sweep": "s", "keys": [], "baseline": {}, "level": 0.95, "figures": ["drops", "link.a->b.drops"], "cells": []}"#,
);
/// The manifest of a measurement with a path: printf 'name = "a"' | sha256sum
const MEASURED: &str = r#"{"generator": "vegaslab", "format": 1, "version": "1", "written":
    {"path.toml": "eb1b159dbfd2feb36ccbc5bf66416ce17daa529429bbe6e17ab16ea066be72a9"}}"#;
const OURS: &str = r#"{"generator": "vegaslab", "format": 1}"#;

#[test]
fn what_vegaslab_wrote_is_replaced() {
    let cases: [(Files, &[&str]); 9] = [
        (&[("picture.png", ""), ("picture.svg", ""), ("picture.pdf", ""), ("picture.html", "")], &[""]),
        (&[COMPARISON, ("picture.html", "")], &["vegas", "reno"]),
        (&[("comparison.json", r#"{"scenario": "s", "runs": {"vegas": {}}, "identified": {}}"#)], &["vegas"]),
        (&[SEEDS, ("runs.csv", ""), ("differences.parquet", ""), ("picture.svg", "")], &[]),
        (&[SEEDS_OF_FLOWS, ("runs.csv", "")], &[]),
        (&[FACTORIAL, ("goodput/effects.csv", ""), ("goodput/effects.tex", ""), ("drops/picture.png", "")], &[]),
        (&[ANALYSIS, ("drops/cells.csv", ""), ("link.a->b.drops/cells.tex", ""), ("drops/picture.svg", "")], &[]),
        (&[("manifest.json", OURS), ("capture.pcapng", ""), ("capture-receiver.pcapng", "")], &[]),
        (&[("manifest.json", MEASURED), ("path.toml", "name = \"a\"")], &[]),
    ];
    for (files, runs) in cases {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("results");
        // the run first: it creates the folder
        folder(&dir, &[], runs);
        folder(&dir, files, &[]);
        let place = Place::find(&dir).unwrap();
        fs::write(place.new_folder().join("manifest.json"), OURS).unwrap();
        place.put().unwrap();
        let left: Vec<_> = tree(parent.path()).into_keys().collect();
        assert_eq!(left, [dir.clone(), dir.join("manifest.json")], "{files:?}");
    }
}

#[test]
fn a_stranger_is_named_and_stays() {
    let cases: [(Files, &[&str], &str); 18] = [
        (&[("manifest.json", r#"{"name":"my web app"}"#), ("measurements.csv", "a")], &[], "manifest.json"),
        (&[("manifest.json", "[]")], &[], "manifest.json"),
        (&[("manifest.json", OURS), ("thesis.png", "x")], &[], "thesis.png"),
        (&[("manifest.json", OURS), ("flows.svg", "x")], &[], "flows.svg"),
        (&[("manifest.json", OURS), ("sub/flows.csv", "x")], &[], "sub"),
        (&[("manifest.json", OURS), ("comparison.json", "{}")], &[], "comparison.json"),
        (&[("comparison.json", r#"{"scenario": "s", "runs": {}, "mine": 1}"#)], &[], "comparison.json"),
        (&[COMPARISON, ("vegas/flows.csv", "")], &["reno"], "vegas/manifest.json"),
        (&[COMPARISON, ("cubic/manifest.json", OURS)], &["vegas", "reno"], "cubic"),
        (&[COMPARISON, ("vegas/manifest.json", OURS), ("vegas/thesis.tex", "x")], &["reno"], "vegas/thesis.tex"),
        (&[SEEDS, ("runs.csv", ""), ("flows.csv", "")], &[], "flows.csv"),
        (&[("manifest.json", MEASURED), ("path.toml", "name = \"b\"")], &[], "path.toml"),
        (&[("manifest.json", MEASURED), ("rate.trace", "1")], &[], "rate.trace"),
        (&[("manifest.json", OURS), ("path.toml", "")], &[], "path.toml"),
        (&[COMPARISON, ("reno/manifest.json", MEASURED), ("reno/path.toml", "b")], &["vegas"], "reno/path.toml"),
        (&[FACTORIAL, ("drops/effects.csv", ""), ("drops/sub/effects.csv", "")], &[], "drops/sub"),
        (&[FACTORIAL, ("queue/effects.csv", "")], &[], "queue"),
        (&[("plan.json", OURS), ("runs/00000.parquet", "")], &[], "plan.json"),
    ];
    for (files, runs, stranger) in cases {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("results");
        folder(&dir, files, runs);
        let before = tree(parent.path());
        let said = Place::find(&dir).unwrap_err().to_string();
        assert!(said.contains(&format!("{stranger:?}")) && said.contains(dir.to_str().unwrap()), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert_eq!(tree(parent.path()), before);
    }
}

#[test]
fn a_link_inside_is_a_stranger_and_is_not_followed() {
    let parent = tempfile::tempdir().unwrap();
    let (dir, aim) = (parent.path().join("results"), parent.path().join("thesis.png"));
    fs::write(&aim, "x").unwrap();
    folder(&dir, &[("manifest.json", OURS)], &[]);
    symlink(&aim, dir.join("picture.png")).unwrap();
    assert!(check_folder(&dir).unwrap_err().to_string().contains("picture.png"));
    assert!(dir.join("picture.png").is_symlink());
}

#[test]
fn what_came_in_during_the_run_stays() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("results");
    folder(&dir, &[("manifest.json", OURS)], &[]);
    let place = Place::find(&dir).unwrap();
    fs::write(dir.join("thesis.tex"), "x").unwrap();
    let before = tree(&dir);
    assert!(place.put().unwrap_err().to_string().contains("thesis.tex"));
    assert_eq!(tree(&dir), before);
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_that_another_run_finished_meanwhile_is_replaced() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("results");
    let places = [(); 2].map(|()| Place::find(&dir).unwrap());
    for place in places {
        fs::write(place.new_folder().join("manifest.json"), OURS).unwrap();
        place.put().unwrap();
    }
    assert_eq!(tree(parent.path()).into_keys().collect::<Vec<_>>(), [dir.clone(), dir.join("manifest.json")]);
}

#[test]
fn parents_that_were_made_go_if_nothing_comes_of_it() {
    let parent = tempfile::tempdir().unwrap();
    drop(Place::find(&parent.path().join("a/b/c")).unwrap());
    assert!(tree(parent.path()).is_empty());
}

#[test]
fn what_a_killed_process_left_goes_with_the_next_start() {
    let parent = tempfile::tempdir().unwrap();
    let left = parent.path().join(".results.vegaslab-a1B2c3");
    folder(&left, &[("new/vegas/flows.parquet", ""), ("new/.vegas.vegaslab-x1y2z3/new/links.parquet", "")], &[]);
    fs::create_dir(parent.path().join(".results.vegaslab-empty0")).unwrap();
    check_folder(&parent.path().join("results")).unwrap();
    assert!(tree(parent.path()).is_empty());
}

#[test]
fn an_earlier_folder_that_a_killed_process_moved_away_comes_back() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("results");
    let left = parent.path().join(".results.vegaslab-a1B2c3");
    folder(&left, &[("new/flows.parquet", ""), ("old/manifest.json", OURS)], &[]);
    check_folder(&dir).unwrap();
    assert_eq!(tree(parent.path()).into_keys().collect::<Vec<_>>(), [dir.clone(), dir.join("manifest.json")]);
}

#[test]
fn hidden_folders_of_others_stay() {
    let parent = tempfile::tempdir().unwrap();
    let at = |name: &str| parent.path().join(name);
    folder(&at(".results.vegaslab-a1B2c3"), &[("new/thesis.tex", "x")], &[]);
    folder(&at(".results.abcdefgh"), &[("flows.csv", "x")], &[]);
    folder(&at(".results.vegaslab-notes1s"), &[("flows.csv", "x")], &[]);
    folder(&at(".other.vegaslab-a1B2c3"), &[("new/flows.csv", "x")], &[]);
    folder(&at("elsewhere"), &[("new/flows.csv", "x")], &[]);
    symlink(at("elsewhere"), at(".results.vegaslab-linked")).unwrap();
    // the workshop of a running process
    folder(&at(".results.vegaslab-living"), &[("new/flows.csv", "x")], &[]);
    let lock = File::open(at(".results.vegaslab-living")).unwrap();
    lock.try_lock().unwrap();
    let before = tree(parent.path());
    check_folder(&at("results")).unwrap();
    assert_eq!(tree(parent.path()), before);
    drop(lock);
    check_folder(&at("results")).unwrap();
    assert!(!at(".results.vegaslab-living").exists());
}
