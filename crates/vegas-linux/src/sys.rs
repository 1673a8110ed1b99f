//! System calls that no crate wraps safely.
#![allow(unsafe_code, reason = "ioctl, mmap, sched_setscheduler and libbpf take pointers")]

use std::fs::{File, OpenOptions};
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::{AsRawFd, BorrowedFd};
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

/// Sets how many bytes a receiver waits for (SO_RCVLOWAT).
pub(crate) fn receive_low_water(socket: BorrowedFd<'_>, bytes: libc::c_int) -> io::Result<()> {
    let length = size_of_val(&bytes) as libc::socklen_t;
    let bytes = (&raw const bytes).cast();
    // SAFETY: the number outlives the call, and the length is its own
    let result = unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_RCVLOWAT, bytes, length) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Lets this thread run before all ordinary ones, as soon as it wakes.
pub(crate) fn real_time(priority: i32) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the parameters outlive the call; 0 is this thread
    let result = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Lets the kernel's random numbers follow from a seed, on a machine that has no other source of them.
pub(crate) fn seed_kernel(seed: u64) -> io::Result<()> {
    /// `struct rand_pool_info` with its bytes; RNDADDENTROPY and RNDRESEEDCRNG of linux/random.h.
    #[repr(C)]
    struct Entropy {
        bits: libc::c_int,
        length: libc::c_int,
        bytes: [u8; 64],
    }
    const ADD_ENTROPY: libc::Ioctl = 0x4008_5203;
    const RESEED: libc::Ioctl = 0x5207;
    let mut entropy = Entropy { bits: 512, length: 64, bytes: [0; 64] };
    entropy.bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let file = OpenOptions::new().write(true).open("/dev/urandom")?;
    // SAFETY: the structure is the kernel's, and outlives the calls
    let results = unsafe {
        [
            libc::ioctl(file.as_raw_fd(), ADD_ENTROPY, &raw const entropy),
            libc::ioctl(file.as_raw_fd(), RESEED, ptr::null::<u8>()),
        ]
    };
    if results.contains(&-1) { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A device's memory.
pub(crate) struct Mapped {
    first: NonNull<u8>,
    length: usize,
}

impl Mapped {
    /// Maps `length` bytes of a device's file, which begin at `offset` of its first page. It stays mapped.
    pub(crate) fn new(file: &File, offset: usize, length: usize) -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping overlaps nothing
        let first =
            unsafe { libc::mmap(ptr::null_mut(), offset + length, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if first == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let first = NonNull::new(first.cast::<u8>()).ok_or(io::ErrorKind::InvalidData)?;
        // SAFETY: the offset lies within the mapping
        Ok(Mapped { first: unsafe { first.add(offset) }, length })
    }

    pub(crate) fn read(&self, at: usize, length: usize) -> io::Result<Vec<u8>> {
        self.check(at, length)?;
        // SAFETY: the range lies within the mapping; another side writes while this one does not read
        Ok((at..at + length).map(|at| unsafe { self.first.add(at).read_volatile() }).collect())
    }

    pub(crate) fn write(&mut self, at: usize, bytes: &[u8]) -> io::Result<()> {
        self.check(at, bytes.len())?;
        for (at, byte) in (at..).zip(bytes) {
            // SAFETY: as above
            unsafe { self.first.add(at).write_volatile(*byte) };
        }
        Ok(())
    }

    fn check(&self, at: usize, length: usize) -> io::Result<()> {
        let fits = at.checked_add(length).is_some_and(|end| end <= self.length);
        if fits { Ok(()) } else { Err(io::Error::new(io::ErrorKind::OutOfMemory, "more than the shared memory holds")) }
    }
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
