//! How a guest stops its machine at an instant that its own clock decides, so that the machine can be saved: by a
//! watchdog that QEMU emulates (i6300esb). A monitor that stops it, or the guest itself by a device, does so while the
//! processor runs, some instructions sooner or later each time.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use super::exchange::find;
use crate::Error;
use crate::clock::pause;

/// The PCI vendor and device.
const WATCHDOG: (&str, &str) = ("0x8086", "0x25ab");
/// The register of its clock: 1 MHz, and no interrupt after the first of two stages.
const CLOCK: (u64, [u8; 2]) = (0x60, [0x07, 0x00]);
/// The register that starts it.
const START: (u64, [u8; 1]) = (0x68, [0x02]);
/// Longer than both stages, of 1.007 s each: the processor is idle when the machine stops.
const ASLEEP: Duration = Duration::from_secs(4);

/// Sleeps; meanwhile the machine stops, and it or a copy of it goes on.
pub(super) fn stop_machine() -> Result<(), Error> {
    let start = || -> io::Result<()> {
        let place = find(WATCHDOG.0, WATCHDOG.1)?;
        let registers = OpenOptions::new().write(true).open(place.join("config"))?;
        registers.write_all_at(&CLOCK.1, CLOCK.0)?;
        registers.write_all_at(&START.1, START.0)
    };
    start().map_err(|error| Error::new("the watchdog", error))?;
    pause(ASLEEP);
    Ok(())
}
