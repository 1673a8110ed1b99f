//! The results folder: written beside its place and moved there whole.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tempfile::TempDir;

use super::columns;
use super::error::ResultsError;
use super::manifest::{MANIFEST, Manifest, is_manifest};
use super::pcapng::{self, View};
use super::table_files::{write_csv, write_parquet};
use super::tables::{Tables, tables};
use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// What is written besides the manifest and the Parquet tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Every table as CSV too.
    pub csv: bool,
    /// The packets, as `capture.pcapng` (seen by the senders) and `capture-receiver.pcapng`.
    pub pcapng: bool,
}

/// Extensions of the pictures that others may have added to a folder and that go when it is replaced.
const PICTURE_EXTENSIONS: [&str; 3] = ["png", "svg", "html"];

/// Writes a run's folder: whole or not at all. Missing parent folders are made and stay.
///
/// An earlier results folder at `dir` is replaced whole; so is an empty folder. A reader sees the old or the new one
/// (or, between two renames, none), never a mixture.
///
/// # Errors
/// One line that names the path: it cannot be written, or it is a folder that holds anything no run wrote. Asking for
/// the packets of a run that kept none is refused too. Nothing is left behind then, and an earlier folder stays.
///
/// # Panics
/// The outcome names a flow or a link that the scenario does not have.
pub fn write_folder(
    dir: &Path,
    scenario: &Scenario,
    outcome: &Outcome,
    wall_s: f64,
    options: WriteOptions,
) -> Result<(), ResultsError> {
    write_folder_about(dir, scenario, outcome, wall_s, options, &Map::new())
}

/// As [`write_folder`], with more to say in the manifest: of a run by another host than the simulator.
///
/// # Errors
/// As [`write_folder`].
///
/// # Panics
/// As [`write_folder`].
pub fn write_folder_about(
    dir: &Path,
    scenario: &Scenario,
    outcome: &Outcome,
    wall_s: f64,
    options: WriteOptions,
    about: &Map<String, Value>,
) -> Result<(), ResultsError> {
    if options.pcapng && !scenario.capture {
        return Err(ResultsError::NoCapture { scenario: scenario.name.clone() });
    }
    let tables = tables(scenario, outcome)?;
    let place = Place::find(dir)?;
    let new = place.workshop.path().join("new");
    fs::create_dir(&new).map_err(ResultsError::io(&new, "create"))?;
    let mut files = write_tables(&new, &tables, options)?;
    if options.pcapng {
        files.extend(write_captures(&new, scenario, outcome)?);
    }
    write_manifest(&new, &Manifest::new(scenario, outcome, wall_s, &files, about))?;
    place.put(&new)
}

/// Whether [`write_folder`] could write at `dir`, for callers who want to know before a long run. Makes missing parents.
///
/// # Errors
/// As [`write_folder`] gives for its place.
pub fn check_folder(dir: &Path) -> Result<(), ResultsError> {
    Place::find(dir).map(drop)
}

fn write_tables(folder: &Path, tables: &Tables, options: WriteOptions) -> Result<Vec<String>, ResultsError> {
    let mut files = Vec::new();
    for (name, table) in tables.named() {
        files.push(format!("{name}.parquet"));
        write_parquet(&folder.join(format!("{name}.parquet")), table)?;
        if options.csv {
            files.push(format!("{name}.csv"));
            write_csv(&folder.join(format!("{name}.csv")), table)?;
        }
    }
    Ok(files)
}

fn write_captures(folder: &Path, scenario: &Scenario, outcome: &Outcome) -> Result<Vec<String>, ResultsError> {
    let mut files = Vec::new();
    for view in View::ALL {
        pcapng::write_file(&folder.join(view.file_name()), view, scenario, outcome)?;
        files.push(view.file_name().to_owned());
    }
    Ok(files)
}

fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<(), ResultsError> {
    let path = folder.join(MANIFEST);
    let write = || {
        let mut file = BufWriter::new(File::create(&path)?);
        serde_json::to_writer_pretty(&mut file, manifest)?;
        file.write_all(b"\n")?;
        file.flush()
    };
    write().map_err(ResultsError::io(&path, "write"))
}

/// Where the folder goes, and the temporary folder beside it, which vanishes with this value.
struct Place {
    dir: PathBuf,
    replaces: bool,
    workshop: TempDir,
}

impl Place {
    fn find(given: &Path) -> Result<Place, ResultsError> {
        let replaces = fs::symlink_metadata(given).is_ok();
        let dir = if replaces { check_replaceable(given)? } else { given.to_owned() };
        let name = dir.file_name().ok_or_else(|| ResultsError::NotOurs {
            path: given.to_owned(),
            problem: "is not the name of a folder".to_owned(),
        })?;
        let parent = match dir.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(ResultsError::io(parent, "create the folder"))?;
        let prefix = format!(".{}.", name.to_string_lossy());
        let workshop = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(parent)
            .map_err(ResultsError::io(parent, "write in the folder"))?;
        Ok(Place { dir, replaces, workshop })
    }

    /// Moves the finished folder to its place; puts the earlier one back if that fails.
    fn put(mut self, new: &Path) -> Result<(), ResultsError> {
        let old = self.workshop.path().join("old");
        if self.replaces {
            fs::rename(&self.dir, &old).map_err(ResultsError::io(&self.dir, "move the earlier folder away"))?;
        }
        let Err(error) = fs::rename(new, &self.dir) else {
            return Ok(());
        };
        if self.replaces && fs::rename(&old, &self.dir).is_err() {
            self.workshop.disable_cleanup(true);
            return Err(ResultsError::io(&old, "move the earlier folder, kept here, back to its place")(error));
        }
        Err(ResultsError::io(&self.dir, "move the new folder here")(error))
    }
}

/// The real path of an existing folder, if nothing in it would be missed.
fn check_replaceable(given: &Path) -> Result<PathBuf, ResultsError> {
    let refuse = |problem: String| Err(ResultsError::NotOurs { path: given.to_owned(), problem });
    let dir = given.canonicalize().map_err(ResultsError::io(given, "follow the link"))?;
    if !dir.is_dir() {
        return refuse("is a file, not a folder".to_owned());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(&dir).map_err(ResultsError::io(given, "read the folder"))? {
        names.push(entry.map_err(ResultsError::io(given, "read the folder"))?.file_name());
    }
    names.sort();
    if names.is_empty() {
        return Ok(dir);
    }
    if !File::open(dir.join(MANIFEST)).is_ok_and(is_manifest) {
        return refuse(format!("holds files but no {MANIFEST} of an earlier run"));
    }
    match names.iter().map(|name| name.to_string_lossy()).find(|name| !written_by_a_run(name)) {
        Some(foreign) => refuse(format!("holds {foreign:?}, which no run writes")),
        None => Ok(dir),
    }
}

fn written_by_a_run(name: &str) -> bool {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let table = columns::TABLES.iter().any(|table| table.name == stem) && ["parquet", "csv"].contains(&extension);
    table
        || name == MANIFEST
        || View::ALL.iter().any(|view| view.file_name() == name)
        || PICTURE_EXTENSIONS.contains(&extension)
}
