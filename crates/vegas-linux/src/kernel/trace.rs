//! The trace of an installation: its records, as the kernel side makes them.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use libbpf_rs::{ErrorKind, MapCore, MapFlags, MapHandle, RingBuffer, RingBufferBuilder};

use crate::Error;
use crate::clock::{monotonic_ns, pause};
use crate::kernel::maps::{ONLY, only_value};
use crate::kernel::plain::from_bytes;
use crate::kernel::records::Record;

/// The records of one installation, as they arrive.
pub struct Trace<'object> {
    ring: RingBuffer<'object>,
    records: Rc<RefCell<Vec<Record>>>,
    traced_until: MapHandle,
    until: Until,
}

/// When the kernel stops tracing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// With the object, which belongs to the reader.
    ObjectGoes,
    /// Three seconds after the reader last asked: a reader that was killed costs nothing afterwards.
    ReaderGoes,
}

const LEASE_NS: u64 = 3_000_000_000;

impl Trace<'_> {
    /// Begins to trace. An installation has one trace at a time, because the kernel hands each record to the first that
    /// reads.
    pub(crate) fn start(events: &MapHandle, traced_until: MapHandle, until: Until) -> Result<Self, Error> {
        let failed = |error: libbpf_rs::Error| Error::new("tracing", error);
        let records = Rc::new(RefCell::new(Vec::new()));
        let taken = Rc::clone(&records);
        let mut builder = RingBufferBuilder::new();
        let take = move |bytes: &[u8]| {
            taken.borrow_mut().extend(from_bytes::<Record>(bytes));
            0
        };
        builder.add(events, take).map_err(failed)?;
        let ring = builder.build().map_err(failed)?;
        // discards the records that an earlier reader left
        ring.consume().map_err(failed)?;
        records.borrow_mut().clear();
        let trace = Trace { ring, records, traced_until, until };
        trace.go_on()?;
        Ok(trace)
    }

    fn go_on(&self) -> Result<(), Error> {
        let until_ns = match self.until {
            Until::ObjectGoes => u64::MAX,
            Until::ReaderGoes => monotonic_ns() + LEASE_NS,
        };
        set(&self.traced_until, until_ns).map_err(|error| Error::new("tracing", error))
    }

    /// Returns the records that have arrived; if there are none, those that arrive within `longest`. The kernel does
    /// not wake the reader: that would cost more than to make the records.
    pub fn next(&self, longest: Duration) -> Result<Vec<Record>, Error> {
        if self.until == Until::ReaderGoes {
            self.go_on()?;
        }
        self.take()?;
        if self.records.borrow().is_empty() && !longest.is_zero() {
            pause(longest);
            self.take()?;
        }
        Ok(std::mem::take(&mut self.records.borrow_mut()))
    }

    fn take(&self) -> Result<(), Error> {
        match self.ring.consume() {
            Err(error) if error.kind() != ErrorKind::Interrupted => Err(Error::new("the trace", error)),
            _ => Ok(()),
        }
    }
}

impl Drop for Trace<'_> {
    fn drop(&mut self) {
        // fails if the algorithm was removed meanwhile
        let _ = set(&self.traced_until, 0);
    }
}

/// Returns whether a reader is there.
pub(crate) fn is_traced(traced_until: &MapHandle) -> bool {
    only_value(traced_until).and_then(|bytes| from_bytes(&bytes)).is_some_and(|until_ns: u64| until_ns > monotonic_ns())
}

fn set(traced_until: &MapHandle, time_ns: u64) -> Result<(), libbpf_rs::Error> {
    traced_until.update(&ONLY, &time_ns.to_ne_bytes(), MapFlags::ANY)
}
