//! What the guest needs before a run: the kernel's file systems, its modules, and a generator of random numbers that
//! has been seeded.

use std::fs::{self, File};
use std::path::Path;

use nix::errno::Errno;
use nix::kmod::{ModuleInitFlags, finit_module};
use nix::mount::{MsFlags, mount};

use crate::{Error, sys};

/// The kernel's file systems, and where they are mounted.
const MOUNTS: [(&str, &str); 5] =
    [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("tmpfs", "/tmp"), ("bpf", "/sys/fs/bpf")];
/// The modules, and the file with their names in the order in which they are loaded.
const MODULES: &str = "/modules";
const MODULES_ORDER: &str = "/modules/order";

/// Gets the machine ready for any request.
pub(crate) fn get_ready() -> Result<(), Error> {
    for (kind, place) in MOUNTS {
        let failed = |error: Errno| Error::new(format!("mounting {place}"), error);
        // a folder of the kernel's own exists
        drop(fs::create_dir_all(place));
        mount(Some(kind), place, Some(kind), MsFlags::empty(), None::<&str>).map_err(failed)?;
    }
    // without entropy, of which the machine has none, whatever asks for random numbers would wait for ever
    sys::seed_kernel(0).map_err(|error| Error::new("/dev/urandom", error))?;
    let order = fs::read_to_string(MODULES_ORDER).map_err(|error| Error::new(MODULES_ORDER, error))?;
    order.lines().try_for_each(load)
}

fn load(name: &str) -> Result<(), Error> {
    let file = File::open(Path::new(MODULES).join(name)).map_err(|error| Error::new(name, error))?;
    finit_module(file, c"", ModuleInitFlags::empty()).map_err(|error| Error::new(format!("module {name}"), error))
}
