//! System calls that no crate wraps safely.
#![allow(unsafe_code, reason = "ioctl, sched_setscheduler and libbpf take pointers")]

use std::fs::{File, OpenOptions};
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::ptr::{self, NonNull};

use libbpf_rs::{AsRawLibbpf, Link, ProgramMut};

/// `struct ifreq` as TUNSETIFF reads and SIOCGIFHWADDR writes it: a name, flags, and room for the union's largest
/// member.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; libc::IFNAMSIZ],
    flags: libc::c_short,
    rest: [u8; 22],
}

/// Makes a TUN device in this thread's network namespace. Each read gives a packet that the namespace sends, each write
/// one that it receives: IPv4 without Ethernet. The device vanishes with the file.
pub(crate) fn tun(name: &str) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
    let flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    let mut request = InterfaceRequest { flags, ..request(name) };
    // SAFETY: the request is as large as the kernel's, and outlives the call
    let result = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(file) }
}

/// Returns the kind of a device in this thread's network namespace: one of the ARPHRD constants.
pub(crate) fn hardware_type(name: &str) -> io::Result<u16> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    let mut request = request(name);
    // SAFETY: the request is as large as the kernel's, and outlives the call
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFHWADDR, &raw mut request) };
    // the union begins with an address; its family is the type
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(request.flags as u16) }
}

fn request(name: &str) -> InterfaceRequest {
    let mut request = InterfaceRequest { name: [0; libc::IFNAMSIZ], flags: 0, rest: [0; 22] };
    // the last byte stays zero
    request.name.iter_mut().zip(name.bytes()).take(libc::IFNAMSIZ - 1).for_each(|(to, from)| *to = from);
    request
}

/// Lets this thread run before all ordinary ones, as soon as it wakes.
pub(crate) fn real_time(priority: i32) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the parameters outlive the call; 0 is this thread
    let result = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Attaches a tc program to a device in this thread's network namespace, behind those that are there (a tcx link).
pub(crate) fn attach_tcx(program: &ProgramMut<'_>, device: i32) -> io::Result<Link> {
    let program = program.as_libbpf_object().as_ptr();
    // SAFETY: the program is loaded and outlives the call; no options are the defaults
    let link = unsafe { libbpf_sys::bpf_program__attach_tcx(program, device, ptr::null()) };
    let link = NonNull::new(link).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the link is new, and nothing else owns it
    Ok(unsafe { Link::from_ptr(link) })
}
