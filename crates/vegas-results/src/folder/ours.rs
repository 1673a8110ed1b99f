//! The folders that may be replaced or removed: those that hold only files that vegaslab writes.
//!
//! All code that replaces a folder checks it here, from Rust and from Python.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use sha2::{Digest, Sha256};

use crate::capture::pcapng::View;
use crate::columns;
use crate::folder::manifest::{MANIFEST, is_manifest};

const COMPARISON: &str = "comparison.json";
const FACTORIAL: &str = "factorial.json";
const ANALYSIS: &str = "analysis.json";
const PICTURES: [&str; 4] = ["picture.html", "picture.pdf", "picture.png", "picture.svg"];
/// What a measurement has beside the tables of a run: `vegaslab measured`.
const MEASURED_TABLES: [&str; 1] = ["rtt_samples"];
/// The path of a measurement: files that a user may edit.
const PATH: [&str; 2] = ["path.toml", "rate.trace"];
const SEED_TABLES: [&str; 2] = ["differences", "runs"];
const ANALYSIS_TABLES: [&str; 5] = ["cells.csv", "cells.tex", "effects.csv", "effects.tex", "residuals.csv"];
/// The greatest depth of folders in a folder that is being written; content at a greater depth is of other origin.
const DEPTH_MAX: usize = 8;

/// The reason why a folder must not be replaced, as the rest of a sentence about it.
pub(crate) type Stranger = String;

/// Checks whether a folder is empty, or is of a kind that vegaslab writes and holds nothing else.
pub(crate) fn check(folder: &Path) -> io::Result<Result<(), Stranger>> {
    let names = entries(folder)?;
    let has = |name: &str| names.iter().any(|entry| entry.name == name);
    if names.is_empty() {
        return Ok(Ok(()));
    }
    if has(MANIFEST) {
        return check_run(folder, "");
    }
    if has(COMPARISON) {
        return check_comparison(folder);
    }
    if has(FACTORIAL) {
        return check_factorial(folder);
    }
    if has(ANALYSIS) {
        return check_analysis(folder);
    }
    Ok(Err(format!("holds {:?} but no {MANIFEST} of an earlier run", names[0].name)))
}

/// Returns whether every file in an unfinished folder, at any depth, has a name that vegaslab writes.
pub(crate) fn check_unfinished(folder: &Path) -> io::Result<bool> {
    fn check(folder: &Path, depth: usize) -> io::Result<bool> {
        for entry in entries(folder)? {
            let ours = match entry.kind {
                Kind::File => written(&entry.name),
                Kind::Folder => depth < DEPTH_MAX && check(&folder.join(&entry.name), depth + 1)?,
                Kind::Other => false,
            };
            if !ours {
                return Ok(false);
            }
        }
        Ok(true)
    }
    check(folder, 0)
}

fn written(name: &str) -> bool {
    let first = [COMPARISON, FACTORIAL, ANALYSIS].contains(&name);
    first || of_a_run(name) || of_seeds(name) || of_an_analysis(name)
}

fn of_a_run(name: &str) -> bool {
    let capture = View::ALL.iter().any(|view| view.file_name() == name);
    let table = is_table(name, columns::TABLES.map(|table| table.name)) || is_table(name, MEASURED_TABLES);
    name == MANIFEST || capture || PICTURES.contains(&name) || PATH.contains(&name) || table
}

fn of_seeds(name: &str) -> bool {
    name == COMPARISON || PICTURES.contains(&name) || is_table(name, SEED_TABLES)
}

fn of_an_analysis(name: &str) -> bool {
    ANALYSIS_TABLES.contains(&name) || PICTURES.contains(&name)
}

fn is_table<const N: usize>(name: &str, tables: [&str; N]) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(stem, extension)| ["parquet", "csv"].contains(&extension) && tables.contains(&stem))
}

/// Checks a run's folder; `at` is its path in the folder that is to be replaced.
fn check_run(folder: &Path, at: &str) -> io::Result<Result<(), Stranger>> {
    if !File::open(folder.join(MANIFEST)).is_ok_and(is_manifest) {
        return Ok(Err(format!("holds \"{at}{MANIFEST}\", which no run wrote")));
    }
    match check_files(folder, at, of_a_run)? {
        Ok(()) => check_unedited(folder, at),
        stranger => Ok(stranger),
    }
}

/// Checks that the files of a path are as they were written, by the hashes in the manifest.
fn check_unedited(folder: &Path, at: &str) -> io::Result<Result<(), Stranger>> {
    #[derive(Deserialize)]
    struct Manifest {
        #[serde(default)]
        written: BTreeMap<String, String>,
    }
    let there: Vec<&str> = PATH.into_iter().filter(|name| folder.join(name).exists()).collect();
    if there.is_empty() {
        return Ok(Ok(()));
    }
    let written = read::<Manifest>(&folder.join(MANIFEST)).map(|manifest| manifest.written).unwrap_or_default();
    for name in there {
        let what = match written.get(name) {
            Some(hash) if *hash == sha256(&fs::read(folder.join(name))?) => continue,
            Some(_) => "which was edited since vegaslab wrote it",
            None => "which may have been edited, as its manifest has no hash of it",
        };
        return Ok(Err(format!("holds {:?}, {what}", format!("{at}{name}"))));
    }
    Ok(Ok(()))
}

/// Returns the SHA-256 of a file's content in hex, by which a manifest tells whether the file was edited.
pub fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn check_files(folder: &Path, at: &str, ours: fn(&str) -> bool) -> io::Result<Result<(), Stranger>> {
    let is_stranger = |entry: &Entry| entry.kind != Kind::File || !ours(&entry.name);
    Ok(match entries(folder)?.iter().find(|entry| is_stranger(entry)) {
        Some(stranger) => Err(stranger_at(at, &stranger.name)),
        None => Ok(()),
    })
}

/// Checks a comparison: the runs of several algorithms, in a folder each, or figures of many seeds.
fn check_comparison(folder: &Path) -> io::Result<Result<(), Stranger>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Comparison {
        #[serde(rename = "scenario")]
        _scenario: String,
        runs: BTreeMap<String, IgnoredAny>,
        /// Of `vegaslab identify`: the answer.
        #[serde(rename = "identified")]
        _identified: Option<IgnoredAny>,
    }
    if seeds_wrote(&folder.join(COMPARISON)) {
        return check_files(folder, "", of_seeds);
    }
    let Some(comparison) = read::<Comparison>(&folder.join(COMPARISON)) else {
        return Ok(Err(format!("holds \"{COMPARISON}\", which no comparison wrote")));
    };
    let runs = comparison.runs.into_keys().collect();
    check_folders(folder, |name| name == COMPARISON || PICTURES.contains(&name), &runs, check_run)
}

fn seeds_wrote(file: &Path) -> bool {
    const KEYS: [&str; 9] =
        ["scenario", "duration_s", "bottleneck", "seeds", "level", "seeds_matter", "baseline", "means", "differences"];
    // the flows that have figures of their own; the algorithms, which `cite` reads, are not in older folders
    const SOMETIMES: [&str; 2] = ["flows", "algorithms"];
    let mut found = read::<BTreeMap<String, IgnoredAny>>(file).unwrap_or_default();
    found.retain(|key, _| !SOMETIMES.contains(&key.as_str()));
    found.len() == KEYS.len() && KEYS.iter().all(|key| found.contains_key(*key))
}

/// Checks a factorial analysis: the analyses of several responses, in a folder each.
fn check_factorial(folder: &Path) -> io::Result<Result<(), Stranger>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Factorial {
        #[serde(rename = "plan")]
        _plan: String,
        #[serde(rename = "factors")]
        _factors: IgnoredAny,
        analyses: Vec<Analysis>,
    }
    #[derive(Deserialize)]
    struct Analysis {
        response: String,
    }
    let Some(factorial) = read::<Factorial>(&folder.join(FACTORIAL)) else {
        return Ok(Err(format!("holds \"{FACTORIAL}\", which no factorial design wrote")));
    };
    let column = |response: String| response.strip_prefix("log10 ").map(str::to_owned).unwrap_or(response);
    let responses = factorial.analyses.into_iter().map(|analysis| column(analysis.response)).collect();
    check_folders(folder, |name| name == FACTORIAL, &responses, |folder, at| check_files(folder, at, of_an_analysis))
}

/// Checks the analysis of a sweep: the figures of its cells, in a folder each.
fn check_analysis(folder: &Path) -> io::Result<Result<(), Stranger>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sweep {
        #[serde(rename = "sweep")]
        _sweep: String,
        #[serde(rename = "keys")]
        _keys: IgnoredAny,
        #[serde(rename = "baseline")]
        _baseline: IgnoredAny,
        #[serde(rename = "level")]
        _level: IgnoredAny,
        figures: Vec<String>,
        #[serde(rename = "cells")]
        _cells: IgnoredAny,
    }
    let Some(sweep) = read::<Sweep>(&folder.join(ANALYSIS)) else {
        return Ok(Err(format!("holds \"{ANALYSIS}\", which no analysis wrote")));
    };
    let figures = sweep.figures.into_iter().collect();
    check_folders(folder, |name| name == ANALYSIS, &figures, |folder, at| check_files(folder, at, of_an_analysis))
}

/// Checks a folder of files with vegaslab's names, and of the folders that its first file names.
fn check_folders(
    folder: &Path,
    ours: fn(&str) -> bool,
    folders: &BTreeSet<String>,
    check: fn(&Path, &str) -> io::Result<Result<(), Stranger>>,
) -> io::Result<Result<(), Stranger>> {
    for entry in entries(folder)? {
        let found = match entry.kind {
            Kind::File if ours(&entry.name) => Ok(()),
            Kind::Folder if folders.contains(&entry.name) => {
                check(&folder.join(&entry.name), &format!("{}/", entry.name))?
            }
            _ => Err(stranger_at("", &entry.name)),
        };
        if found.is_err() {
            return Ok(found);
        }
    }
    Ok(Ok(()))
}

fn stranger_at(at: &str, name: &str) -> Stranger {
    format!("holds {:?}, which vegaslab does not write", format!("{at}{name}"))
}

fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    serde_json::from_reader(BufReader::new(File::open(file).ok()?)).ok()
}

struct Entry {
    name: String,
    kind: Kind,
}

#[derive(PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    /// Another kind, such as a symlink: it is not followed, and vegaslab writes none.
    Other,
}

/// The entries of a folder, in the order of their names.
fn entries(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let kind = if kind.is_file() {
            Kind::File
        } else if kind.is_dir() {
            Kind::Folder
        } else {
            Kind::Other
        };
        // a name that is not valid text is replaced by one that vegaslab does not write
        found.push(Entry { name: entry.file_name().to_string_lossy().into_owned(), kind });
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}
