//! The map in which the option's programs at all devices find sockets, pinned in the BPF file system beside the
//! devices' folders.

use std::fs;
use std::path::{Path, PathBuf};

use libbpf_rs::MapHandle;

use crate::Error;
use crate::kernel::maps::FEEDBACK;
use crate::machine::host;

/// Returns the map; `None` before the first device. It outlives the devices while an installed algorithm holds it, so
/// that a later device uses it, too.
pub(super) fn map() -> Result<Option<MapHandle>, Error> {
    let path = path();
    let open = || MapHandle::from_pinned_path(&path).map_err(|error| Error::new(path.display(), error));
    path.exists().then(open).transpose()
}

/// Removes the map once no device needs it, and no installed algorithm either.
pub(super) fn sweep(is_read: impl FnOnce() -> Result<bool, Error>) -> Result<(), Error> {
    if !folder().exists() || !host::names_in(&devices())?.is_empty() || is_read()? {
        return Ok(());
    }
    fs::remove_dir_all(folder()).map_err(|error| Error::new(folder().display(), error))
}

pub(super) fn path() -> PathBuf {
    folder().join(FEEDBACK)
}

/// The folder that has one for each device.
pub(super) fn devices() -> PathBuf {
    folder().join("devices")
}

fn folder() -> PathBuf {
    Path::new(host::BPFFS).join("vegaslab-option")
}
