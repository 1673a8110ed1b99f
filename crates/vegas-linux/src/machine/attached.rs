//! Devices that carry RoVegas's option. A folder in the BPF file system for each device keeps the programs there.

use std::fs;
use std::path::PathBuf;

use libbpf_rs::MapHandle;

use crate::Error;
use crate::kernel::option::{self, Counts, Device, Programs};
use crate::machine::feedback;
use crate::machine::host;
use crate::machine::installed;

/// A device that adds the option to the packets of connections that ask for it.
#[derive(Clone, Debug)]
pub struct Attached {
    /// The device's name.
    pub device: String,
    folder: PathBuf,
}

/// The names under which the maps and links of a device are pinned in its folder. The last link is pinned last: a
/// folder without it remains from a call that was killed.
const COUNTS: &str = "counts";
const LINKS: [&str; 2] = ["in", LAST];
const LAST: &str = "out";

impl Attached {
    /// Attaches the programs to a device; they stay until they are removed, the device disappears or the machine
    /// restarts.
    pub fn attach(device: &str) -> Result<Self, Error> {
        let found = Device::find(device)?;
        host::mount_bpffs()?;
        clear()?;
        let _alone = host::alone_in(&feedback::devices())?;
        let attached = Attached::at(device);
        attached.make(&found).inspect_err(|_| drop(feedback::sweep(installed::any_needs_routers)))?;
        Ok(attached)
    }

    /// Loads the programs, and pins what keeps them.
    fn make(&self, found: &Device) -> Result<(), Error> {
        if self.is_whole() {
            return Err(Error(format!("{} has the option already; remove it first", self.device)));
        }
        let programs = Programs::load(found.link_header_bytes, feedback::map()?.as_ref())?;
        fs::create_dir(&self.folder).map_err(|error| Error::new(self.folder.display(), error))?;
        self.pin(&programs, found).inspect_err(|_| drop(fs::remove_dir_all(&self.folder)))
    }

    /// Returns all devices with the option, by name.
    pub fn all() -> Result<Vec<Self>, Error> {
        Ok(folders()?.into_iter().filter(Attached::is_whole).collect())
    }

    /// Returns the device of this name.
    pub fn find(device: &str) -> Result<Option<Self>, Error> {
        Ok(Attached::all()?.into_iter().find(|attached| attached.device == device))
    }

    /// Detaches the programs from the device.
    pub fn remove(&self) -> Result<(), Error> {
        host::remove_pins(&self.folder)?;
        feedback::sweep(installed::any_needs_routers)
    }

    /// Returns the programs' counts.
    pub fn counts(&self) -> Result<Counts, Error> {
        let counts = || option::counts(&MapHandle::from_pinned_path(self.folder.join(COUNTS)).ok()?).ok();
        counts().ok_or_else(|| Error::new(self.folder.display(), "made by another version; remove it"))
    }

    fn is_whole(&self) -> bool {
        self.folder.join(LAST).exists()
    }

    fn at(device: &str) -> Self {
        Attached { device: device.into(), folder: feedback::devices().join(pin_of(device)) }
    }

    fn pin(&self, programs: &Programs, device: &Device) -> Result<(), Error> {
        let failed = |error| Error::new(self.folder.display(), error);
        if !feedback::path().exists() {
            programs.feedback()?.pin(feedback::path()).map_err(failed)?;
        }
        programs.counts_map()?.pin(self.folder.join(COUNTS)).map_err(failed)?;
        for (mut link, name) in programs.attach(device)?.into_iter().zip(LINKS) {
            link.pin(self.folder.join(name)).map_err(failed)?;
        }
        Ok(())
    }
}

/// Removes what killed calls left behind.
pub fn clear() -> Result<(), Error> {
    if feedback::devices().exists() {
        let _alone = host::alone_in(&feedback::devices())?;
        sweep()?;
    }
    feedback::sweep(installed::any_needs_routers)
}

/// Returns all folders by name, of whole devices or not.
fn folders() -> Result<Vec<Attached>, Error> {
    let names = host::names_in(&feedback::devices())?;
    Ok(names.iter().map(|name| Attached::at(&device_of(name))).collect())
}

fn sweep() -> Result<(), Error> {
    folders()?.iter().filter(|it| !it.is_whole()).try_for_each(|it| host::remove_pins(&it.folder))
}

/// The escapes of "." and "%" in a folder's name: the BPF file system reserves names with a dot, which devices such as
/// eth0.100 have.
const DOT: &str = "%2E";
const PERCENT: &str = "%25";

fn pin_of(device: &str) -> String {
    device.replace('%', PERCENT).replace('.', DOT)
}

fn device_of(pin: &str) -> String {
    pin.replace(DOT, ".").replace(PERCENT, "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_come_back_from_their_pins() {
        for device in ["eth0", "eth0.100", "a.b.c", "%2E", "50%.x", "%252E."] {
            let pin = pin_of(device);
            assert!(!pin.contains('.'), "{pin}");
            assert_eq!(device_of(&pin), device);
        }
        assert_eq!(pin_of("eth0.100"), "eth0%2E100");
    }
}
