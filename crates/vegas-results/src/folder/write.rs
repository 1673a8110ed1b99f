//! The results folder: written beside its place and moved there whole.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Map, Value};
use vegas_sim::Watch;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

use crate::arrow::parquet::{origin, write_parquet};
use crate::arrow::{Tables, tables};
use crate::capture::pcapng::{self, View};
use crate::columns::{MEDIA, TABLES};
use crate::error::ResultsError;
use crate::folder::manifest::{MANIFEST, Manifest};
use crate::folder::place::Place;
use crate::table::Table;

/// The files to write beside the manifest and the Parquet tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Whether every table is also written as CSV.
    pub csv: bool,
    /// Whether packets are written, as `capture.pcapng` (seen at the senders) and `capture-receiver.pcapng`.
    pub pcapng: bool,
}

/// Writes a run's folder, whole or not at all. Missing parent folders are created.
///
/// An earlier results folder at `dir`, or an empty one, is replaced whole. A reader sees the old or the new folder,
/// never a mixture; on a file system that cannot exchange two folders in one step there is none for a moment.
///
/// # Errors
/// One line that names the path: it cannot be written, or it is a folder that holds content that vegaslab does not
/// write. Packets cannot be written for a run that kept none. After an error nothing is left behind, and an earlier
/// folder is unchanged.
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

/// Does what [`write_folder`] does, with additional members `about` in the manifest, for a run by a host other than the
/// simulator.
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
    Watch::without_limits(|watch| write(dir, scenario, outcome, wall_s, options, about, watch))
}

/// Does what [`write_folder`] does, unless the watch stops it.
///
/// # Errors
/// As [`write_folder`].
///
/// # Panics
/// As [`write_folder`].
pub fn write_folder_watched(
    dir: &Path,
    scenario: &Scenario,
    outcome: &Outcome,
    wall_s: f64,
    options: WriteOptions,
    watch: &mut Watch<'_>,
) -> Result<(), ResultsError> {
    write(dir, scenario, outcome, wall_s, options, &Map::new(), watch)
}

fn write(
    dir: &Path,
    scenario: &Scenario,
    outcome: &Outcome,
    wall_s: f64,
    options: WriteOptions,
    about: &Map<String, Value>,
    watch: &mut Watch<'_>,
) -> Result<(), ResultsError> {
    if options.pcapng && !scenario.capture {
        return Err(ResultsError::NoCapture { scenario: scenario.name.clone() });
    }
    let tables = tables(scenario, outcome)?;
    let place = Place::find(dir)?;
    let new = place.new_folder();
    let mut files = write_tables(&new, &tables, scenario, outcome, options, watch)?;
    if options.pcapng {
        files.extend(write_captures(&new, scenario, outcome, watch)?);
    }
    write_manifest(&new, &Manifest::new(scenario, outcome, wall_s, &files, about))?;
    place.put()
}

/// Checks that [`write_folder`] could write at `dir`, for callers that ask before a long run.
///
/// # Errors
/// The errors of [`write_folder`] about the place.
pub fn check_folder(dir: &Path) -> Result<(), ResultsError> {
    Place::find(dir).map(drop)
}

fn write_tables(
    folder: &Path,
    tables: &Tables,
    scenario: &Scenario,
    outcome: &Outcome,
    options: WriteOptions,
    watch: &mut Watch<'_>,
) -> Result<Vec<String>, ResultsError> {
    let mut files = Vec::new();
    for (spec, (name, table)) in TABLES.iter().zip(tables.named()) {
        if name == MEDIA.name && table.num_rows() == 0 {
            continue;
        }
        files.push(format!("{name}.parquet"));
        write_parquet(&folder.join(format!("{name}.parquet")), table, origin(scenario), watch)?;
        if options.csv {
            files.push(format!("{name}.csv"));
            Table::new(spec, scenario, outcome).write_csv(&folder.join(format!("{name}.csv")), watch)?;
        }
    }
    Ok(files)
}

fn write_captures(
    folder: &Path,
    scenario: &Scenario,
    outcome: &Outcome,
    watch: &mut Watch<'_>,
) -> Result<Vec<String>, ResultsError> {
    let mut files = Vec::new();
    for view in View::ALL {
        pcapng::write_file(&folder.join(view.file_name()), view, scenario, outcome, watch)?;
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
