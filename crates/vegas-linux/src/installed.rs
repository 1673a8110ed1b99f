//! Congestion controls that are registered: each has a folder in the BPF file system that keeps it alive.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use libbpf_rs::{MapCore, MapHandle, Object};

use crate::Error;
use crate::abi::Config;
use crate::attached;
use crate::choice::Choice;
use crate::host;
use crate::object::{self, Counts};
use crate::plain::from_bytes;
use crate::trace::{self, Trace, Until};

/// What is pinned, by its name in the folder; the names of maps in the object are in [`PINNED`].
mod pin {
    /// The registration: without it, no new connection can take the algorithm.
    pub(super) const LINK: &str = "link";
    /// The algorithm's numbers.
    pub(super) const CONFIG: &str = "config";
    /// Calls of the core.
    pub(super) const TRACE: &str = "trace";
    /// Until when they are traced.
    pub(super) const TRACED_UNTIL: &str = "traced_until";
    /// Connections, and records lost.
    pub(super) const COUNTS: &str = "counts";
}

const PINNED: [(&str, &str); 4] = [
    (".rodata.config", pin::CONFIG),
    ("trace", pin::TRACE),
    (".data.traced", pin::TRACED_UNTIL),
    (".data.counts", pin::COUNTS),
];

/// An algorithm in the kernel.
#[derive(Clone, Debug)]
pub struct Installed {
    /// What `TCP_CONGESTION` takes.
    pub kernel_name: String,
    folder: PathBuf,
}

/// The state of an installed algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Its numbers.
    pub config: Config,
    /// Its counters.
    pub counts: Counts,
    /// Whether a command watches it.
    pub watched: bool,
}

impl Installed {
    /// Registers an algorithm; it stays until it is removed or the machine restarts.
    pub fn install(choice: &Choice) -> Result<Self, Error> {
        choice.check_name()?;
        host::mount_bpffs()?;
        let installed = Installed::named(&choice.kernel_name);
        let parent = folder();
        fs::create_dir_all(&parent).map_err(|error| Error::new(parent.display(), error))?;
        let _alone = File::open(&parent)
            .and_then(|parent| parent.lock().map(|()| parent))
            .map_err(|error| Error::new(parent.display(), error))?;
        sweep()?;
        if installed.is_registered() {
            return Err(Error(format!("{} is installed already; remove it first", choice.kernel_name)));
        }
        let feedback = attached::feedback()?.filter(|_| choice.composition.signal.needs_routers());
        let mut object = object::load(&choice.kernel_name, &choice.config(), feedback.as_ref())?;
        fs::create_dir(&installed.folder).map_err(|error| Error::new(installed.folder.display(), error))?;
        installed.pin(&mut object).inspect_err(|_| drop(fs::remove_dir_all(&installed.folder)))?;
        Ok(installed)
    }

    /// All that are registered, by name.
    pub fn all() -> Result<Vec<Self>, Error> {
        Ok(folders()?.into_iter().filter(Installed::is_registered).collect())
    }

    /// The algorithm of this name: the preset's or the kernel's.
    pub fn find(name: &str) -> Result<Self, Error> {
        let all = Installed::all()?;
        let found = all.iter().find(|it| it.kernel_name == name || it.kernel_name == crate::choice::kernel_name(name));
        found.cloned().ok_or_else(|| Error(format!("{name} is not installed; {}", installed_names(&all))))
    }

    /// Removes it from the kernel's list. Connections that use it keep it until they end. The last algorithm removes
    /// what all share.
    pub fn remove(&self) -> Result<(), Error> {
        self.remove_own()?;
        // whatever else it holds stays
        let _ = fs::remove_dir(folder());
        attached::sweep()
    }

    fn remove_own(&self) -> Result<(), Error> {
        fs::remove_dir_all(&self.folder).map_err(|error| Error::new(self.folder.display(), error))
    }

    /// Its state.
    pub fn status(&self) -> Result<Status, Error> {
        let config = from_bytes(&self.value(pin::CONFIG)?);
        let config = config.ok_or_else(|| Error::new(self.folder.display(), "made by another version; remove it"))?;
        let watched = trace::is_traced(&self.map(pin::TRACED_UNTIL)?);
        Ok(Status { config, counts: object::counts(&self.map(pin::COUNTS)?)?, watched })
    }

    /// Begins to trace, for one reader at a time: records go to the first that reads. The lock goes with the file.
    pub fn trace(&self) -> Result<(Trace<'static>, File), Error> {
        let lock = File::open(&self.folder).map_err(|error| Error::new(self.folder.display(), error))?;
        lock.try_lock().map_err(|_| Error(format!("{} is being watched already", self.kernel_name)))?;
        let trace = Trace::start(&self.map(pin::TRACE)?, self.map(pin::TRACED_UNTIL)?, Until::ReaderGoes)?;
        Ok((trace, lock))
    }

    /// How many records found no room so far.
    pub fn records_lost(&self) -> Result<u64, Error> {
        Ok(object::counts(&self.map(pin::COUNTS)?)?.records_lost)
    }

    /// The registration is made last: a folder without it is what a start that was killed left behind.
    fn is_registered(&self) -> bool {
        self.folder.join(pin::LINK).exists()
    }

    fn map(&self, name: &str) -> Result<MapHandle, Error> {
        let path = self.folder.join(name);
        MapHandle::from_pinned_path(&path).map_err(|error| Error::new(path.display(), error))
    }

    fn value(&self, name: &str) -> Result<Vec<u8>, Error> {
        let path = self.folder.join(name);
        object::only_value(&self.map(name)?).ok_or_else(|| Error::new(path.display(), "has no value"))
    }

    fn named(kernel_name: &str) -> Self {
        Installed { kernel_name: kernel_name.into(), folder: folder().join(kernel_name) }
    }

    fn pin(&self, object: &mut Object) -> Result<(), Error> {
        let failed = |what: &str, error: libbpf_rs::Error| Error::new(self.folder.join(what).display(), error);
        for mut map in object.maps_mut() {
            let name = map.name().to_string_lossy().into_owned();
            for (suffix, pin) in PINNED {
                if name.ends_with(suffix) {
                    map.pin(self.folder.join(pin)).map_err(|error| failed(pin, error))?;
                }
            }
        }
        let mut link = object::register(object)?;
        link.pin(self.folder.join(pin::LINK)).map_err(|error| failed(pin::LINK, error))
    }
}

fn folder() -> PathBuf {
    Path::new(host::BPFFS).join("vegaslab")
}

/// Registered or not, by name.
fn folders() -> Result<Vec<Installed>, Error> {
    let names = host::names_in(&folder())?;
    Ok(names.iter().map(|name| Installed::named(name)).collect())
}

/// Removes what starts that were killed left behind.
fn sweep() -> Result<(), Error> {
    folders()?.iter().filter(|it| !it.is_registered()).try_for_each(Installed::remove_own)
}

fn installed_names(all: &[Installed]) -> String {
    match all {
        [] => "nothing is".into(),
        _ => all.iter().map(|it| it.kernel_name.as_str()).collect::<Vec<_>>().join(", ") + " are",
    }
}
