//! The manifest: the scenario of a run, the version that ran it, and its results in short.

use std::io::Read;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::columns::link_name;
use super::summary::Summary;
use super::{ENGINE_COMMIT, ENGINE_VERSION};
use crate::measure::outcome::Outcome;
use crate::scenario::{Language, Scenario};

/// The manifest's file name; a folder that holds a manifest of vegaslab may be replaced.
pub(super) const MANIFEST: &str = "manifest.json";
const GENERATOR: &str = "vegaslab";
/// The version of the folder's format, raised when a file changes so that a reader has to distinguish the two.
const FORMAT: u64 = 1;

/// The manifest of a run.
#[derive(Debug, Serialize)]
pub(super) struct Manifest<'a> {
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
    pub(super) fn new(
        scenario: &'a Scenario,
        outcome: &Outcome,
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
pub(super) fn is_manifest(file: impl Read) -> bool {
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

/// Returns the identity of a run: the SHA-256, in hex, of the scenario document, the seed, the engine's version and the
/// hashes of rate traces, if there are any, as JSON with sorted keys and no white space. A user's own algorithm counts
/// as its file's name and the hash of its content, in any folder. Runs of equal identity have equal tables.
pub fn run_id(scenario: &Scenario) -> String {
    let digest = run_digest(&scenario.document, scenario.seed, &Contents::of(scenario));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the 32 bytes of a [`run_id`], from a document and its [`Contents`]. The document need not be a scenario that
/// can run.
pub fn run_digest(document: &Value, seed: u64, contents: &Contents) -> [u8; 32] {
    let mut identity = b"{\"scenario\":".to_vec();
    match contents.algorithms.is_empty() {
        true => write_sorted(&mut identity, document),
        false => write_sorted(&mut identity, &with_contents(document, &contents.algorithms)),
    }
    identity.extend_from_slice(format!(",\"seed\":{seed},").as_bytes());
    if !contents.traces.is_empty() {
        identity.extend_from_slice(b"\"traces\":");
        write_sorted(&mut identity, &Value::Object(contents.traces.clone()));
        identity.push(b',');
    }
    identity.extend_from_slice(b"\"version\":");
    write_sorted(&mut identity, &Value::from(ENGINE_VERSION));
    identity.push(b'}');
    Sha256::digest(identity).into()
}

/// The files that a scenario names, by their hashes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Contents {
    /// The SHA-256 of the rate trace, and of the delay trace, of each link that follows one.
    traces: Map<String, Value>,
    /// The SHA-256 of each of the user's own algorithms.
    #[serde(skip_serializing_if = "Map::is_empty")]
    algorithms: Map<String, Value>,
}

impl Contents {
    /// The hashes of the files that a scenario names.
    pub fn of(scenario: &Scenario) -> Self {
        let links = || scenario.links.iter().enumerate();
        let of_rates = links().filter_map(|(id, link)| Some((link_name(scenario, id), link.trace.as_ref()?.sha256())));
        let of_delays = links().filter_map(|(id, link)| {
            Some((format!("delay of {}", link_name(scenario, id)), link.impairments.delay_schedule.sha256()?))
        });
        Contents {
            traces: of_rates.chain(of_delays).map(|(name, hash)| (name, hash.into())).collect(),
            algorithms: scenario.own().map(|own| (own.source().to_owned(), own.sha256().into())).collect(),
        }
    }
}

/// Returns the document with algorithms named by file name and content instead of by path, so that a copy elsewhere is
/// equal.
fn with_contents(document: &Value, hashes: &Map<String, Value>) -> Value {
    let language = |key: &str| Language::ALL.into_iter().any(|language| language.key() == key);
    let named = |key: &str, value: &Value| {
        let name = value.as_str().filter(|_| language(key))?;
        let hash = hashes.get(name)?.as_str()?;
        Some(Value::from(format!("{} {hash}", name.rsplit('/').next().unwrap_or(name))))
    };
    match document {
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| {
                (key.clone(), named(key, value).unwrap_or_else(|| with_contents(value, hashes)))
            };
            Value::Object(map.iter().map(entry).collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(|value| with_contents(value, hashes)).collect()),
        scalar => scalar.clone(),
    }
}

/// Writes JSON with every object's keys sorted: their order in a file must not change a run's id.
fn write_sorted(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            write_items(out, b"{}", &entries, |out, (key, value)| {
                write_sorted(out, &Value::String((*key).clone()));
                out.push(b':');
                write_sorted(out, value);
            });
        }
        Value::Array(values) => write_items(out, b"[]", values, write_sorted),
        scalar => out.extend_from_slice(scalar.to_string().as_bytes()),
    }
}

fn write_items<T>(out: &mut Vec<u8>, brackets: &[u8; 2], items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    out.push(brackets[0]);
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(brackets[1]);
}
