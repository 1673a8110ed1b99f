//! RoVegas's option on real hosts: the tc programs at a device that insert and read it.
//!
//! Senders and receivers use the same two programs (`kernel/option.bpf.c`); the connections of a host decide which one
//! it is.

use std::os::fd::AsFd;

use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, Object, ObjectBuilder, ProgramInput};
use nix::net::if_::if_nametoindex;

use crate::Error;
use crate::kernel::maps::{FEEDBACK, PROOF_STEPS, map, missing, only_value, program, run_over};
use crate::kernel::plain::{bytes_of, from_bytes};
use crate::kernel::records::OptionStep;
use crate::sys;

/// The object that build.rs made of core and glue.
static OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/option.bpf.o"));

/// The map of the link header's length.
const DEVICE: &str = ".rodata.device";
const HEARD: &str = "heard";
/// A network device that can carry the option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The device's name.
    pub name: String,
    /// The kernel's index of the device, in this thread's network namespace.
    pub index: i32,
    /// The bytes before a packet's IPv4 header.
    pub link_header_bytes: u32,
}

impl Device {
    /// Finds the device of this name in this thread's network namespace.
    pub fn find(name: &str) -> Result<Self, Error> {
        let unknown = |_| Error(format!("{name}: no such device; `ip link` lists them"));
        let index = if_nametoindex(name).map_err(unknown)?;
        let link_header_bytes = match sys::hardware_type(name).map_err(|error| Error::new(name, error))? {
            libc::ARPHRD_ETHER | libc::ARPHRD_LOOPBACK => 14,
            libc::ARPHRD_NONE => 0,
            _ => return Err(Error(format!("{name}: the option needs a device of Ethernet or of plain IP packets"))),
        };
        let index = i32::try_from(index).map_err(|error| Error::new(name, error))?;
        Ok(Device { name: name.into(), index, link_header_bytes })
    }
}

/// The two programs, loaded for devices of one kind.
pub struct Programs {
    object: Object,
    /// The times that acknowledgements echo, by connection.
    heard: MapHandle,
}

/// The counters of the programs, in the order of their section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets sent with the option.
    pub inserted: u64,
    /// Data packets and acknowledgements received with the option, of connections that use it.
    pub heard: u64,
    /// Packets sent without the option, since it did not fit into the device's MTU.
    pub without_room: u64,
    /// Packets sent or received with options that cannot be read.
    pub malformed: u64,
}

impl Programs {
    /// Loads the programs. They use a feedback map of their own, or `feedback`, that of the programs at other devices.
    pub fn load(link_header_bytes: u32, feedback: Option<&MapHandle>) -> Result<Self, Error> {
        let failed = |error: libbpf_rs::Error| Error::new("the option's BPF object", error);
        let mut open = ObjectBuilder::default().open_memory(OBJECT).map_err(failed)?;
        for mut map in open.maps_mut() {
            let name = map.name().to_string_lossy().into_owned();
            if name.ends_with(DEVICE) {
                map.set_initial_value(bytes_of(&link_header_bytes)).map_err(failed)?;
            } else if let Some(shared) = feedback.filter(|_| name == FEEDBACK) {
                map.reuse_fd(shared.as_fd()).map_err(failed)?;
            }
        }
        let object = open.load().map_err(failed)?;
        Ok(Programs { heard: map(&object, HEARD)?, object })
    }

    /// Attaches the programs to a device, behind programs that are there already, for as long as the links live.
    pub fn attach(&self, device: &Device) -> Result<[Link; 2], Error> {
        let attach = |name: &str| {
            sys::attach_tcx(&program(&self.object, name)?, device.index)
                .map_err(|error| Error::new(&device.name, error))
        };
        Ok([attach("option_in")?, attach("option_out")?])
    }

    /// Returns the feedback map; congestion controls take it when they are loaded.
    pub fn feedback(&self) -> Result<MapHandle, Error> {
        map(&self.object, FEEDBACK)
    }

    /// Returns the programs' counters.
    pub fn counts(&self) -> Result<Counts, Error> {
        counts(&self.counts_map()?)
    }

    pub(crate) fn counts_map(&self) -> Result<MapHandle, Error> {
        map(&self.object, ".data.counts")
    }
}

pub(crate) fn counts(map: &MapHandle) -> Result<Counts, Error> {
    let value = only_value(map).ok_or_else(missing)?;
    let words = || value.chunks_exact(8).filter_map(from_bytes::<u64>).collect::<Vec<_>>();
    let [inserted, heard, without_room, malformed] = words()[..] else { return Err(missing()) };
    Ok(Counts { inserted, heard, without_room, malformed })
}

/// Runs of the programs for the proof, without a device.
impl Programs {
    /// Computes the programs' reading of each packet.
    pub fn read(&self, steps: &mut [OptionStep; PROOF_STEPS]) -> Result<(), Error> {
        run_over(&self.object, "option_prove", "readings", steps)
    }

    /// Runs the receiving program on a packet, which includes its link header.
    pub fn receive(&self, packet: &[u8]) -> Result<(), Error> {
        self.pass("option_in", packet, &mut vec![0; packet.len()]).map(drop)
    }

    /// Runs the sending program on a packet, which includes its link header; returns the packet as sent.
    pub fn send(&self, packet: &[u8]) -> Result<Vec<u8>, Error> {
        let mut room = vec![0; packet.len() + 64];
        let length = self.pass("option_out", packet, &mut room)?;
        room.truncate(length);
        Ok(room)
    }

    /// Returns the time that acknowledgements of a connection would echo, us; addresses and ports are those of received
    /// packets.
    pub fn heard(&self, addresses: [u32; 2], ports: [u32; 2]) -> Result<Option<u32>, Error> {
        let key: Vec<u8> = [addresses, ports].concat().into_iter().flat_map(u32::to_ne_bytes).collect();
        let value = self.heard.lookup(&key, MapFlags::ANY).map_err(|error| Error::new(HEARD, error))?;
        Ok(value.and_then(|bytes| from_bytes(&bytes)))
    }

    fn pass(&self, name: &str, packet: &[u8], room: &mut [u8]) -> Result<usize, Error> {
        let input = ProgramInput { data_in: Some(packet), data_out: Some(room), ..ProgramInput::default() };
        let output = program(&self.object, name)?.test_run(input).map_err(|error| Error::new(name, error))?;
        output.data.map(|data| data.len()).ok_or_else(missing)
    }
}
