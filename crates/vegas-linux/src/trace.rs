//! The records of the kernel side: each call of the core, with its event and its answer.

use std::cell::RefCell;
use std::net::{Ipv6Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use libbpf_rs::{ErrorKind, MapCore, MapFlags, MapHandle, RingBuffer, RingBufferBuilder};

use crate::Error;
use crate::abi::{Decision, Event};
use crate::endpoints::pause;
use crate::object::{ONLY, only_value};
use crate::plain::from_bytes;
use crate::router::monotonic_ns;

/// One call of the core in the kernel; `vegas_record` in `vegas_abi.h`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The number of the socket in its installation, from 1.
    pub flow: u64,
    /// The core's event.
    pub event: Event,
    /// The core's answer.
    pub decision: Decision,
    /// The payload acknowledged in order since the connection's start, bytes, with the SYN's byte.
    pub bytes_acked: u64,
    /// The kernel's window after the call, segments; in recovery it is the kernel's own.
    pub snd_cwnd: u32,
    /// The payload of a full segment, bytes.
    pub mss_bytes: u32,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u32,
    /// Retransmissions.
    pub segments_retransmitted: u32,
    /// The sender's port.
    pub local_port: u32,
    /// The receiver's port.
    pub remote_port: u32,
    /// The sender's IPv6 address, as on the wire; an IPv4 address is mapped into it.
    pub local_address: [u8; 16],
    /// The receiver's IPv6 address, in the same form.
    pub remote_address: [u8; 16],
}

impl Record {
    /// Returns the sender's address and port.
    pub fn local(&self) -> SocketAddr {
        place(self.local_address, self.local_port)
    }

    /// Returns the receiver's address and port.
    pub fn remote(&self) -> SocketAddr {
        place(self.remote_address, self.remote_port)
    }
}

fn place(address: [u8; 16], port: u32) -> SocketAddr {
    // the kernel's ports have 16 bits
    SocketAddr::new(Ipv6Addr::from(address).to_canonical(), port as u16)
}

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
