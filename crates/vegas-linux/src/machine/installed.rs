//! Registered congestion controls. A folder in the BPF file system for each keeps it alive.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use libbpf_rs::{MapCore, MapHandle, Object};

use crate::Error;
use crate::abi::Config;
use crate::choice::{Choice, NEEDS_ROUTERS};
use crate::kernel::maps::{missing, only_value};
use crate::kernel::object::{self, Counts};
use crate::kernel::plain::from_bytes;
use crate::kernel::trace::{self, Trace, Until};
use crate::machine::feedback;
use crate::machine::host;

/// The names of what is pinned in the folder; the names of the maps in the object are in [`PINNED`].
mod pin {
    /// The registration: without it, no new connection can select the algorithm.
    pub(super) const LINK: &str = "link";
    /// The algorithm's numbers.
    pub(super) const CONFIG: &str = "config";
    /// The records of the core's calls.
    pub(super) const TRACE: &str = "trace";
    /// The time until which calls are traced.
    pub(super) const TRACED_UNTIL: &str = "traced_until";
    /// The counts of connections and of lost records.
    pub(super) const COUNTS: &str = "counts";
}

const PINNED: [(&str, &str); 4] = [
    (".rodata.config", pin::CONFIG),
    ("trace", pin::TRACE),
    (".data.traced", pin::TRACED_UNTIL),
    (".data.counts", pin::COUNTS),
];

/// An algorithm registered in the kernel.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The name for `TCP_CONGESTION`.
    pub kernel_name: String,
    folder: PathBuf,
}

/// The state of an installed algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The algorithm's numbers.
    pub config: Config,
    /// The algorithm's counters.
    pub counts: Counts,
    /// Whether a command watches the algorithm now.
    pub watched: bool,
}

impl Installed {
    /// Registers an algorithm; it stays until it is removed or the machine restarts.
    pub fn install(choice: &Choice) -> Result<Self, Error> {
        choice.check_name()?;
        host::mount_bpffs()?;
        let installed = Installed::named(&choice.kernel_name);
        let parent = folder();
        let _alone = host::alone_in(&parent)?;
        // a folder that holds nothing goes again
        installed.make(choice).inspect_err(|_| drop(fs::remove_dir(&parent)))?;
        Ok(installed)
    }

    /// Loads the algorithm, and pins what keeps it.
    fn make(&self, choice: &Choice) -> Result<(), Error> {
        sweep()?;
        if self.is_registered() {
            return Err(Error(format!("{} is installed already; remove it first", choice.kernel_name)));
        }
        let feedback = feedback::map()?.filter(|_| choice.composition.signal.needs_routers());
        let mut object = object::load(&choice.kernel_name, &choice.config(), feedback.as_ref())?;
        fs::create_dir(&self.folder).map_err(|error| Error::new(self.folder.display(), error))?;
        self.pin(&mut object).inspect_err(|_| drop(fs::remove_dir_all(&self.folder)))
    }

    /// Returns all registered algorithms, by name.
    pub fn all() -> Result<Vec<Self>, Error> {
        Ok(folders()?.into_iter().filter(Installed::is_registered).collect())
    }

    /// Finds the algorithm by its preset's or its kernel name.
    pub fn find(name: &str) -> Result<Self, Error> {
        let all = Installed::all()?;
        let found = all.iter().find(|it| it.kernel_name == name || it.kernel_name == crate::choice::kernel_name(name));
        found.cloned().ok_or_else(|| Error(format!("{name} is not installed; {}", installed_names(&all))))
    }

    /// Removes the algorithm from the kernel's list. Connections that use it keep it until they end. Removing the last
    /// algorithm also removes what all algorithms share.
    pub fn remove(&self) -> Result<(), Error> {
        self.remove_own()?;
        // anything else in the folder stays
        let _ = fs::remove_dir(folder());
        feedback::sweep(any_needs_routers)
    }

    fn remove_own(&self) -> Result<(), Error> {
        host::remove_pins(&self.folder)
    }

    /// Returns the algorithm's state.
    pub fn status(&self) -> Result<Status, Error> {
        let status = || {
            let config =
                only_value(&self.map(pin::CONFIG)?).and_then(|bytes| from_bytes(&bytes)).ok_or_else(missing)?;
            let watched = trace::is_traced(&self.map(pin::TRACED_UNTIL)?);
            Ok(Status { config, counts: object::counts(&self.map(pin::COUNTS)?)?, watched })
        };
        status().map_err(|_: Error| self.is_others())
    }

    /// Pins that this version did not make, such as maps of other sizes.
    fn is_others(&self) -> Error {
        Error::new(self.folder.display(), "made by another version; remove it")
    }

    /// Begins to trace. There is one reader at a time, because the kernel hands each record to the first that reads.
    /// The lock lasts as long as the returned file.
    pub fn trace(&self) -> Result<(Trace<'static>, File), Error> {
        let lock = File::open(&self.folder).map_err(|error| Error::new(self.folder.display(), error))?;
        lock.try_lock().map_err(|_| Error(format!("{} is being watched already", self.kernel_name)))?;
        let start = || Trace::start(&self.map(pin::TRACE)?, self.map(pin::TRACED_UNTIL)?, Until::ReaderGoes);
        Ok((start().map_err(|_| self.is_others())?, lock))
    }

    /// Returns the number of records so far for which the trace had no room.
    pub fn records_lost(&self) -> Result<u64, Error> {
        Ok(object::counts(&self.map(pin::COUNTS)?)?.records_lost)
    }

    /// Returns whether the registration exists. It is made last: a folder without it remains from a start that was
    /// killed.
    fn is_registered(&self) -> bool {
        self.folder.join(pin::LINK).exists()
    }

    fn map(&self, name: &str) -> Result<MapHandle, Error> {
        let path = self.folder.join(name);
        MapHandle::from_pinned_path(&path).map_err(|error| Error::new(path.display(), error))
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

/// Returns whether an installed algorithm reads the routers' times, or may.
pub(super) fn any_needs_routers() -> Result<bool, Error> {
    let needs = |it: &Installed| it.status().map_or(true, |status| status.config.needs & NEEDS_ROUTERS != 0);
    Ok(Installed::all()?.iter().any(needs))
}

fn folder() -> PathBuf {
    Path::new(host::BPFFS).join("vegaslab")
}

/// Returns all folders by name, with or without a registration.
fn folders() -> Result<Vec<Installed>, Error> {
    let names = host::names_in(&folder())?;
    Ok(names.iter().map(|name| Installed::named(name)).collect())
}

/// Removes what killed calls left behind.
pub fn clear() -> Result<(), Error> {
    if folder().exists() {
        let _alone = host::alone_in(&folder())?;
        sweep()?;
        // anything else in the folder stays
        let _ = fs::remove_dir(folder());
    }
    Ok(())
}

/// Removes the folders that killed starts left behind.
fn sweep() -> Result<(), Error> {
    folders()?.iter().filter(|it| !it.is_registered()).try_for_each(Installed::remove_own)
}

fn installed_names(all: &[Installed]) -> String {
    match all {
        [] => "nothing is".into(),
        _ => all.iter().map(|it| it.kernel_name.as_str()).collect::<Vec<_>>().join(", ") + " are",
    }
}
