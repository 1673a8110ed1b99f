//! The identity of a run.

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use vegas_sim::ENGINE_VERSION;
use vegas_sim::scenario::{Language, Load, Scenario};

use crate::columns::link_name;

/// The source revision, if `VEGASLAB_COMMIT` was set at build time.
pub const ENGINE_COMMIT: Option<&str> = option_env!("VEGASLAB_COMMIT");

/// Returns the identity of a run: the SHA-256, in hex, of the scenario document, the seed, the engine's version and the
/// hashes of traces, if there are any, as JSON with sorted keys and no white space. A user's own algorithm counts
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
    /// The SHA-256 of the rate trace, and of the delay trace, of each link that follows one, and of the connection
    /// trace of each source of traffic.
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
        let of_connections = scenario.traffic.iter().enumerate().filter_map(|(id, source)| match &source.load {
            Load::Replay(replay) => Some((format!("connections of traffic {id}"), replay.trace.sha256())),
            Load::Datagrams(_) | Load::Transfers(_) | Load::Conversations(_) => None,
        });
        Contents {
            traces: of_rates.chain(of_delays).chain(of_connections).map(|(name, hash)| (name, hash.into())).collect(),
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
