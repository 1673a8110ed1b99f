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

/// The names under which the maps and links of a device are pinned in its folder.
const COUNTS: &str = "counts";
const LINKS: [&str; 2] = ["in", "out"];

impl Attached {
    /// Attaches the programs to a device; they stay until they are removed, the device disappears or the machine
    /// restarts.
    pub fn attach(device: &str) -> Result<Self, Error> {
        let found = Device::find(device)?;
        host::mount_bpffs()?;
        let attached = Attached::at(device);
        if attached.folder.exists() {
            return Err(Error(format!("{device} has the option already; remove it first")));
        }
        let programs = Programs::load(found.link_header_bytes, feedback::map()?.as_ref())?;
        fs::create_dir_all(&attached.folder).map_err(|error| Error::new(attached.folder.display(), error))?;
        attached.pin(&programs, &found).inspect_err(|_| drop(fs::remove_dir_all(&attached.folder)))?;
        Ok(attached)
    }

    /// Returns all devices with the option, by name.
    pub fn all() -> Result<Vec<Self>, Error> {
        let names = host::names_in(&feedback::devices())?;
        Ok(names.iter().map(|name| Attached::at(&device_of(name))).collect())
    }

    /// Returns the device of this name.
    pub fn find(device: &str) -> Result<Option<Self>, Error> {
        Ok(Attached::all()?.into_iter().find(|attached| attached.device == device))
    }

    /// Detaches the programs from the device.
    pub fn remove(&self) -> Result<(), Error> {
        fs::remove_dir_all(&self.folder).map_err(|error| Error::new(self.folder.display(), error))?;
        feedback::sweep(installed::any_needs_routers)
    }

    /// Returns the programs' counts.
    pub fn counts(&self) -> Result<Counts, Error> {
        let path = self.folder.join(COUNTS);
        option::counts(&MapHandle::from_pinned_path(&path).map_err(|error| Error::new(path.display(), error))?)
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
