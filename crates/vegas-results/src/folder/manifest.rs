//! The manifest: the scenario of a run, the version that ran it, and its results in short.

use std::io::Read;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vegas_sim::ENGINE_VERSION;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

use crate::run_id::{Contents, ENGINE_COMMIT, run_id};
use crate::summary::Summary;

/// The manifest's file name; a folder that holds a manifest of vegaslab may be replaced.
pub(crate) const MANIFEST: &str = "manifest.json";
const GENERATOR: &str = "vegaslab";
/// The version of the folder's format, raised when a file changes so that a reader has to distinguish the two.
const FORMAT: u64 = 1;

/// The manifest of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Manifest<'a> {
    generator: &'static str,
    format: u64,
    run_id: String,
    version: &'static str,
    commit: Option<&'static str>,
    seed: u64,
    scenario: &'a Value,
    #[serde(flatten)]
    contents: Contents,
    summary: Summary<'a>,
    files: &'a [String],
    /// Additional members, from the caller.
    #[serde(flatten)]
    about: &'a Map<String, Value>,
}

impl<'a> Manifest<'a> {
    /// The manifest of a run with these `files` in its folder.
    pub(crate) fn new(
        scenario: &'a Scenario,
        outcome: &'a Outcome,
        wall_s: f64,
        files: &'a [String],
        about: &'a Map<String, Value>,
    ) -> Self {
        Manifest {
            generator: GENERATOR,
            format: FORMAT,
            run_id: run_id(scenario),
            version: ENGINE_VERSION,
            commit: ENGINE_COMMIT,
            seed: scenario.seed,
            scenario: &scenario.document,
            contents: Contents::of(scenario),
            summary: Summary::new(scenario, outcome, wall_s),
            files,
            about,
        }
    }
}

/// Returns whether a file is a manifest that a run wrote, by its first member: the manifest of ten thousand flows has
/// 20 MB, which need not be read for that.
pub(crate) fn is_manifest(file: impl Read) -> bool {
    #[derive(Deserialize)]
    struct Origin {
        generator: String,
    }
    let mut begin = Vec::new();
    let is_read = file.take(64).read_to_end(&mut begin).is_ok();
    let first = begin.split(|byte| *byte == b',').next().unwrap_or_default();
    let origin = serde_json::from_slice::<Origin>(&[first, b"}"].concat());
    is_read && origin.is_ok_and(|origin| origin.generator == GENERATOR)
}
