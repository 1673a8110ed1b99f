//! What the machine must have; it is checked before anything is created.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use nix::mount::{MsFlags, mount};
use nix::sys::statfs::statfs;
use nix::unistd::Uid;

use crate::Error;

/// Where the BPF file system is usually mounted.
pub const BPFFS: &str = "/sys/fs/bpf";
/// The oldest kernel that serves: struct_ops links came with 6.4, signed division (version 4 of BPF's instructions)
/// with 6.6.
const KERNEL_MIN: (u32, u32) = (6, 6);
/// What is needed of root (capabilities(7)), by bit: CAP_SYS_ADMIN makes namespaces, and has CAP_BPF in it.
const CAPABILITIES: [(u32, &str); 2] = [(12, "CAP_NET_ADMIN"), (21, "CAP_SYS_ADMIN")];
const KERNEL_TYPES: &str = "/sys/kernel/btf/vmlinux";
/// BPF_FS_MAGIC in linux/magic.h.
const BPFFS_MAGIC: u64 = 0xcafe_4a11;

/// Checks that this process on this machine can load congestion controls; the error says in one line what is missing.
pub fn check() -> Result<(), Error> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let missing = missing(Uid::effective().is_root(), &status, release.trim(), Path::new(KERNEL_TYPES));
    missing.map_or(Ok(()), |missing| Err(Error(missing)))
}

/// Returns the first requirement that is not met.
fn missing(is_root: bool, status: &str, release: &str, kernel_types: &Path) -> Option<String> {
    let (major, minor) = KERNEL_MIN;
    if !is_root {
        return Some("vegaslab linux needs root: run it with sudo".into());
    }
    if let Some((_, name)) = CAPABILITIES.into_iter().find(|(bit, _)| effective(status) >> bit & 1 == 0) {
        return Some(format!("vegaslab linux needs {name}, which this root lacks, as in most containers"));
    }
    if version(release).is_none_or(|version| version < KERNEL_MIN) {
        return Some(format!("vegaslab linux needs Linux {major}.{minor} or newer; this is {release}"));
    }
    if !kernel_types.exists() {
        let file = kernel_types.display();
        return Some(format!("{file} is missing: vegaslab linux needs a kernel with CONFIG_DEBUG_INFO_BTF"));
    }
    None
}

/// Returns the effective capabilities of the process with this /proc/self/status; all, if it does not say.
fn effective(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(u64::MAX)
}

/// Mounts the BPF file system if it is not mounted.
pub fn mount_bpffs() -> Result<(), Error> {
    let mounted = statfs(BPFFS).is_ok_and(|about| about.filesystem_type().0 as u64 == BPFFS_MAGIC);
    if mounted {
        return Ok(());
    }
    mount(Some("bpf"), BPFFS, Some("bpf"), MsFlags::empty(), None::<&str>)
        .map_err(|error| Error::new(format!("mounting {BPFFS}"), error))
}

/// Makes a folder of the BPF file system, if need be, and waits until no other process is at work there. The lock lasts
/// as long as the returned file.
pub(crate) fn alone_in(folder: &Path) -> Result<File, Error> {
    fs::create_dir_all(folder)
        .and_then(|()| File::open(folder))
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|error| Error::new(folder.display(), error))
}

/// Removes a folder of pins, or what lies in its place.
pub(crate) fn remove_pins(folder: &Path) -> Result<(), Error> {
    let removed = if folder.is_dir() { fs::remove_dir_all(folder) } else { fs::remove_file(folder) };
    removed.map_err(|error| Error::new(folder.display(), error))
}

/// Returns the names in a folder of the BPF file system, in order; none if the folder does not exist.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| Error::new(folder.display(), error))?,
    };
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|digits| digits.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read() {
        assert_eq!(version("6.18.44-fc-v657\n"), Some((6, 18)));
        assert_eq!(version("5.10"), Some((5, 10)));
        assert_eq!(version("unknown"), None);
    }

    #[test]
    fn what_is_missing_is_said_in_a_line() {
        let there = Path::new("/proc/self/status");
        const ALL: &str = "CapPrm:\t0000000000000000\nCapEff:\t000001ffffffffff\n";
        assert_eq!(missing(true, ALL, "6.6.1", there), None);
        let line =
            |is_root, release, types| missing(is_root, ALL, release, Path::new(types)).expect("something is missing");
        let contained = missing(true, "CapEff:\t00000000a80425fb\n", "6.6.1", there);
        let said = "vegaslab linux needs CAP_NET_ADMIN, which this root lacks, as in most containers";
        assert_eq!(contained.as_deref(), Some(said));
        assert_eq!(line(false, "6.6.1", "/proc/self/status"), "vegaslab linux needs root: run it with sudo");
        let old = line(true, "6.5.9-generic", "/proc/self/status");
        assert_eq!(old, "vegaslab linux needs Linux 6.6 or newer; this is 6.5.9-generic");
        let bare = line(true, "6.12.0", "/proc/none/vmlinux");
        assert!(bare.starts_with("/proc/none/vmlinux is missing: ") && bare.contains("CONFIG_DEBUG_INFO_BTF"));
    }
}
