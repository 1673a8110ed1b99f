//! The manifest: what was run, by what, and what came of it.

use std::io::Read;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::columns::link_name;
use super::summary::Summary;
use super::{ENGINE_COMMIT, ENGINE_VERSION};
use crate::measure::outcome::Outcome;
use crate::scenario::{Language, Scenario};

/// The manifest's file name; a folder that holds one of ours may be replaced.
pub(super) const MANIFEST: &str = "manifest.json";
const GENERATOR: &str = "vegaslab";
/// Raised when a file of the folder changes so that a reader has to know.
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
    /// More to say of it.
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

/// Whether a file is a manifest that a run wrote, as its first member says: that of ten thousand flows has 20 MB, which
/// need not be read for that.
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

/// What names a run: SHA-256, in hex, of the scenario document, the seed, the engine's version and the hashes of rate
/// traces, if there are any, as JSON with sorted keys and no white space. An algorithm from outside counts as its file's
/// name and the hash of its content, wherever it lies. Runs of the same id have the same tables.
pub fn run_id(scenario: &Scenario) -> String {
    let digest = run_digest(&scenario.document, scenario.seed, &Contents::of(scenario));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The 32 bytes of a [`run_id`], of a document that need not be a scenario that can run, and its [`Contents`].
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
    /// The rate trace of each link that follows one: SHA-256 of its file.
    traces: Map<String, Value>,
    /// Each algorithm from outside: SHA-256 of its content.
    #[serde(skip_serializing_if = "Map::is_empty")]
    algorithms: Map<String, Value>,
}

impl Contents {
    /// Of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let links = scenario.links.iter().enumerate();
        let traced =
            links.filter_map(|(id, link)| Some((link_name(scenario, id), link.trace.as_ref()?.sha256().into())));
        Contents {
            traces: traced.collect(),
            algorithms: scenario.own().map(|own| (own.source().to_owned(), own.sha256().into())).collect(),
        }
    }
}

/// A document that names algorithms by file and content, not by the way to the file: a copy elsewhere is the same one.
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

/// Writes JSON with every object's keys in order: the order in a file must not change a run's id.
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
