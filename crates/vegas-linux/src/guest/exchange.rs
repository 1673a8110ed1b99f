//! How the guest exchanges data with the program that started its machine: by shared memory. No byte passes an emulated
//! wire: its interrupts would come at times of the host.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::PathBuf;

use crate::Error;
use crate::sys::Mapped;

/// The PCI vendor and device of QEMU's ivshmem-plain, with the memory as its third region.
const MEMORY: (&str, &str) = ("0x1af4", "0x1110");

/// The layout of the memory: lengths of request and answer, the request, the answer.
/// `python/vegaslab/measuring/guest/exchange.py` has the other side.
const REQUEST_LENGTH: usize = 0;
const ANSWER_LENGTH: usize = 8;
const REQUEST: usize = 4096;
const ANSWER: usize = 64 << 20;

/// The guest's side of the memory.
pub(crate) struct Exchange {
    memory: Mapped,
}

impl Exchange {
    /// Maps the memory.
    pub(crate) fn open() -> Result<Self, Error> {
        Ok(Exchange { memory: region(MEMORY, 2)? })
    }

    pub(crate) fn request(&self) -> Result<Vec<u8>, Error> {
        let failed = |error| Error::new("the request", error);
        let length = self.memory.read(REQUEST_LENGTH, size_of::<u64>()).map_err(failed)?;
        let length = u64::from_le_bytes(length.try_into().unwrap_or_default());
        self.memory.read(REQUEST, length as usize).map_err(failed)
    }

    pub(crate) fn answer(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let failed = |error| Error::new("the answer", error);
        self.memory.write(ANSWER, bytes).map_err(failed)?;
        self.memory.write(ANSWER_LENGTH, &(bytes.len() as u64).to_le_bytes()).map_err(failed)
    }
}

/// Maps a region of the PCI device of this vendor and kind.
fn region((vendor, device): (&str, &str), number: usize) -> Result<Mapped, Error> {
    let failed = |error| Error::new(format!("PCI device {vendor}:{device}"), error);
    let place = find(vendor, device).map_err(failed)?;
    let open = || -> io::Result<Mapped> {
        fs::write(place.join("enable"), "1")?;
        // a line for each region: first and last address, and flags
        let table = fs::read_to_string(place.join("resource"))?;
        let mut ends = table.lines().nth(number).unwrap_or_default().split(' ').map(address);
        let (Some(Some(first)), Some(Some(last))) = (ends.next(), ends.next()) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let file: File = OpenOptions::new().read(true).write(true).open(place.join(format!("resource{number}")))?;
        Mapped::new(&file, first % PAGE, last - first + 1)
    };
    open().map_err(failed)
}

const PAGE: usize = 4096;

fn address(text: &str) -> Option<usize> {
    usize::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

pub(super) fn find(vendor: &str, device: &str) -> io::Result<PathBuf> {
    let is =
        |place: &PathBuf, file: &str, id: &str| fs::read_to_string(place.join(file)).is_ok_and(|it| it.trim() == id);
    for entry in fs::read_dir("/sys/bus/pci/devices")? {
        let place = entry?.path();
        if is(&place, "vendor", vendor) && is(&place, "device", device) {
            return Ok(place);
        }
    }
    Err(io::ErrorKind::NotFound.into())
}
