//! Devices with RoVegas's option: each has a folder in the BPF file system that keeps the programs there.

use std::fs;
use std::path::{Path, PathBuf};

use libbpf_rs::MapHandle;

use crate::Error;
use crate::choice::NEEDS_ROUTERS;
use crate::host;
use crate::installed::Installed;
use crate::option::{self, Counts, Device, Programs};

/// A device that adds the option to its packets, where a connection asks for it.
#[derive(Clone, Debug)]
pub struct Attached {
    /// The device's name.
    pub device: String,
    folder: PathBuf,
}

/// What is pinned of a device, by its name in the folder.
const COUNTS: &str = "counts";
const LINKS: [&str; 2] = ["in", "out"];

impl Attached {
    /// Puts the programs at a device; they stay until they are removed, the device goes or the machine restarts.
    pub fn attach(device: &str) -> Result<Self, Error> {
        let found = Device::find(device)?;
        host::mount_bpffs()?;
        let attached = Attached::at(device);
        if attached.folder.exists() {
            return Err(Error(format!("{device} has the option already; remove it first")));
        }
        let programs = Programs::load(found.link_header_bytes, feedback()?.as_ref())?;
        fs::create_dir_all(&attached.folder).map_err(|error| Error::new(attached.folder.display(), error))?;
        attached.pin(&programs, &found).inspect_err(|_| drop(fs::remove_dir_all(&attached.folder)))?;
        Ok(attached)
    }

    /// All devices with the option, by name.
    pub fn all() -> Result<Vec<Self>, Error> {
        let names = host::names_in(&devices())?;
        Ok(names.iter().map(|name| Attached::at(&device_of(name))).collect())
    }

    /// The device of this name.
    pub fn find(device: &str) -> Result<Option<Self>, Error> {
        Ok(Attached::all()?.into_iter().find(|attached| attached.device == device))
    }

    /// Takes the programs away from the device.
    pub fn remove(&self) -> Result<(), Error> {
        fs::remove_dir_all(&self.folder).map_err(|error| Error::new(self.folder.display(), error))?;
        sweep()
    }

    /// What they have counted.
    pub fn counts(&self) -> Result<Counts, Error> {
        let path = self.folder.join(COUNTS);
        option::counts(&MapHandle::from_pinned_path(&path).map_err(|error| Error::new(path.display(), error))?)
    }

    fn at(device: &str) -> Self {
        Attached { device: device.into(), folder: devices().join(pin_of(device)) }
    }

    fn pin(&self, programs: &Programs, device: &Device) -> Result<(), Error> {
        let failed = |error| Error::new(self.folder.display(), error);
        if !feedback_path().exists() {
            programs.feedback()?.pin(feedback_path()).map_err(failed)?;
        }
        programs.counts_map()?.pin(self.folder.join(COUNTS)).map_err(failed)?;
        for (mut link, name) in programs.attach(device)?.into_iter().zip(LINKS) {
            link.pin(self.folder.join(name)).map_err(failed)?;
        }
        Ok(())
    }
}

/// The map in which programs at all devices find sockets; none before the first device. It outlives the devices while an
/// installed algorithm holds it, so that a later device serves it, too.
pub(crate) fn feedback() -> Result<Option<MapHandle>, Error> {
    let path = feedback_path();
    let open = || MapHandle::from_pinned_path(&path).map_err(|error| Error::new(path.display(), error));
    path.exists().then(open).transpose()
}

/// Removes the shared map once neither a device nor an installed algorithm needs it.
pub(crate) fn sweep() -> Result<(), Error> {
    let asks_routers = |it: &Installed| it.status().map_or(true, |status| status.config.needs & NEEDS_ROUTERS != 0);
    if !folder().exists() || !Attached::all()?.is_empty() || Installed::all()?.iter().any(asks_routers) {
        return Ok(());
    }
    fs::remove_dir_all(folder()).map_err(|error| Error::new(folder().display(), error))
}

fn feedback_path() -> PathBuf {
    folder().join(option::FEEDBACK)
}

fn devices() -> PathBuf {
    folder().join("devices")
}

fn folder() -> PathBuf {
    Path::new(host::BPFFS).join("vegaslab-option")
}

/// The BPF file system reserves names with a dot, which devices have: eth0.100.
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
