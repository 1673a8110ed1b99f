//! System calls that no crate wraps safely.
#![allow(unsafe_code, reason = "ioctl and sched_setscheduler take pointers")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

/// `struct ifreq` as TUNSETIFF reads it: a name, flags, and room for the union's largest member.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; libc::IFNAMSIZ],
    flags: libc::c_short,
    rest: [u8; 22],
}

/// Makes a TUN device in this thread's network namespace: each read is a packet that the namespace sends, each write one
/// that it receives, IPv4 without Ethernet. It vanishes with the file.
pub(crate) fn tun(name: &str) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
    let flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    let mut request = InterfaceRequest { name: [0; libc::IFNAMSIZ], flags, rest: [0; 22] };
    request.name[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: the request is as large as the kernel's, and outlives the call
    let result = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(file) }
}

/// Lets this thread run before all ordinary ones, as soon as it wakes.
pub(crate) fn real_time(priority: i32) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the parameters outlive the call; 0 is this thread
    let result = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
