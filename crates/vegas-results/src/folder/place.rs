//! The place of a results folder, which is written beside its place and moved there whole.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::error::ResultsError;
use crate::folder::ours;

/// The greatest number of characters of NAME in a workshop's name `.NAME.vegaslab-XXXXXX`; NAME is that of the results
/// folder.
const NAME_CHARACTERS_MAX: usize = 100;
const MARK: &str = ".vegaslab-";
const RANDOM_CHARACTERS: usize = 6;
const NEW: &str = "new";
const OLD: &str = "old";

/// The place of a results folder, and a hidden folder beside it, the workshop, in which the folder is written.
///
/// Dropping this value removes the workshop. The workshop of a killed process is removed when another process takes its
/// place.
#[derive(Debug)]
pub struct Place {
    dir: PathBuf,
    workshop: PathBuf,
    /// The lock that is held while the workshop is in use.
    lock: Option<File>,
    /// The parent folders created for it, the innermost first.
    made: Vec<PathBuf>,
}

impl Place {
    /// Takes the place `given`, and creates its missing parent folders; they stay only if a results folder is put
    /// there.
    ///
    /// # Errors
    /// One line that names the path: it cannot be written, or it exists and holds content that vegaslab does not write.
    /// After an error nothing is left behind.
    pub fn find(given: &Path) -> Result<Place, ResultsError> {
        let there = fs::symlink_metadata(given).is_ok();
        let dir = if there { check_replaceable(given)? } else { given.to_owned() };
        let Some(name) = dir.file_name().map(|name| name.to_string_lossy().into_owned()) else {
            return Err(not_ours(given, "is not the name of a folder".to_owned()));
        };
        let parent = match dir.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let made = Made::parents(parent)?;
        let prefix = workshop_prefix(&name);
        clear_abandoned(parent, &prefix, &dir);
        let (workshop, lock) =
            make_workshop(parent, &prefix).map_err(ResultsError::io(parent, "write in the folder"))?;
        let place = Place { dir, workshop, lock: Some(lock), made: made.keep() };
        fs::create_dir(place.new_folder()).map_err(ResultsError::io(&place.new_folder(), "create"))?;
        Ok(place)
    }

    /// The folder in which to write.
    pub fn new_folder(&self) -> PathBuf {
        self.workshop.join(NEW)
    }

    /// Moves the written folder to its place. An earlier folder there is replaced, unless content that vegaslab does
    /// not write was added to it meanwhile.
    ///
    /// # Errors
    /// The errors of [`Place::find`]; an earlier folder is then unchanged.
    pub fn put(mut self) -> Result<(), ResultsError> {
        if fs::symlink_metadata(&self.dir).is_ok() {
            check_replaceable(&self.dir)?;
            self.exchange()?;
        } else {
            fs::rename(self.new_folder(), &self.dir)
                .map_err(ResultsError::io(&self.dir, "move the new folder here"))?;
        }
        self.made.clear();
        Ok(())
    }

    /// Exchanges the new folder and the earlier one, in one step if the file system can do that: a reader sees one of
    /// them.
    fn exchange(&self) -> Result<(), ResultsError> {
        if renameat_with(CWD, self.new_folder(), CWD, &self.dir, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
        let old = self.workshop.join(OLD);
        fs::rename(&self.dir, &old).map_err(ResultsError::io(&self.dir, "move the earlier folder away"))?;
        let Err(error) = fs::rename(self.new_folder(), &self.dir) else {
            return Ok(());
        };
        // if this fails, too, the workshop keeps the earlier folder until the place is taken again
        let _ = fs::rename(&old, &self.dir);
        Err(ResultsError::io(&self.dir, "move the new folder here")(error))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // where files have run out, this one is needed to read the folder
        self.lock = None;
        clear(&self.workshop, &self.dir);
        remove_while_empty(&self.made);
    }
}

/// Returns the real path of an existing folder, if it holds only what vegaslab writes.
fn check_replaceable(given: &Path) -> Result<PathBuf, ResultsError> {
    let dir = given.canonicalize().map_err(ResultsError::io(given, "follow the link"))?;
    if !dir.is_dir() {
        return Err(not_ours(given, "is a file, not a folder".to_owned()));
    }
    match ours::check(&dir).map_err(ResultsError::io(given, "read the folder"))? {
        Ok(()) => Ok(dir),
        Err(stranger) => Err(not_ours(given, stranger)),
    }
}

fn not_ours(given: &Path, problem: String) -> ResultsError {
    ResultsError::NotOurs { path: given.to_owned(), problem }
}

fn workshop_prefix(name: &str) -> String {
    format!(".{}{MARK}", name.chars().take(NAME_CHARACTERS_MAX).collect::<String>())
}

/// Creates a workshop and locks it. Before the lock another process may take the workshop for abandoned and remove it;
/// then this function creates another.
fn make_workshop(parent: &Path, prefix: &str) -> io::Result<(PathBuf, File)> {
    const ATTEMPTS: usize = 20;
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(prefix).rand_bytes(RANDOM_CHARACTERS);
    for _ in 0..ATTEMPTS {
        let workshop = builder.tempdir_in(parent)?.keep();
        let lock = match File::open(&workshop) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            // files have run out
            Err(error) => {
                let _ = fs::remove_dir(&workshop);
                return Err(error);
            }
        };
        // a file system without locks has no workshop that counts as abandoned
        let taken = matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock));
        if !taken && workshop.exists() {
            return Ok((workshop, lock));
        }
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "other runs keep removing what is made there"))
}

/// Removes the workshops of processes that were killed.
fn clear_abandoned(parent: &Path, prefix: &str, dir: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(prefix));
        let named = random.is_some_and(|end| end.len() == RANDOM_CHARACTERS && end.chars().all(char::is_alphanumeric));
        if named && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let workshop = entry.path();
            if let Ok(lock) = File::open(&workshop)
                && lock.try_lock().is_ok()
            {
                clear(&workshop, dir);
            }
        }
    }
}

/// Removes a workshop, unless it holds content that vegaslab does not write. An earlier folder without a successor
/// returns to its place.
fn clear(workshop: &Path, dir: &Path) {
    let old = workshop.join(OLD);
    if old.exists() && !dir.exists() {
        let _ = fs::rename(&old, dir);
    }
    if ours::check_unfinished(workshop).unwrap_or(false) {
        let _ = fs::remove_dir_all(workshop);
    }
}

/// Folders that were created, the innermost first; they are removed when this value is dropped, unless they are kept.
struct Made(Vec<PathBuf>);

impl Made {
    fn parents(parent: &Path) -> Result<Made, ResultsError> {
        let missing = |path: &&Path| **path != *"" && fs::symlink_metadata(path).is_err();
        let missing = parent.ancestors().take_while(missing).map(Path::to_owned).collect();
        let made = Made(missing);
        fs::create_dir_all(parent).map_err(ResultsError::io(parent, "create the folder"))?;
        Ok(made)
    }

    fn keep(mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.0)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        remove_while_empty(&self.0);
    }
}

fn remove_while_empty(folders: &[PathBuf]) {
    for folder in folders {
        let _ = fs::remove_dir(folder);
    }
}
