//! What the kernel side tells of its flows: each call of the core, with what it was told and what it answered.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use libbpf_rs::{ErrorKind, MapCore, MapFlags, MapHandle, RingBuffer, RingBufferBuilder};

use crate::Error;
use crate::abi::{Decision, Event};
use crate::plain::from_bytes;

/// One call of the core in the kernel. `vegas_abi.h` has the same as `vegas_record`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Counts the sockets of an installation, from 1.
    pub flow: u64,
    /// What the core was told.
    pub event: Event,
    /// What it answered.
    pub decision: Decision,
    /// Payload acknowledged in order since the connection's start, the SYN's byte included.
    pub bytes_acked: u64,
    /// The kernel's window afterwards, in segments; in recovery the kernel's own.
    pub snd_cwnd: u32,
    /// Payload of a full segment, bytes.
    pub mss_bytes: u32,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u32,
    /// Retransmissions.
    pub segments_retransmitted: u32,
    /// The sender's port.
    pub local_port: u32,
    /// The receiver's port.
    pub remote_port: u32,
    /// The sender's IPv4 address, in network order.
    pub local_ipv4: u32,
    /// The receiver's.
    pub remote_ipv4: u32,
}

/// Calls of the core as they come, of one installation.
pub struct Trace<'object> {
    ring: RingBuffer<'object>,
    records: Rc<RefCell<Vec<Record>>>,
    tracing: MapHandle,
}

impl Trace<'_> {
    /// Begins to trace. One trace an installation at a time: records go to whoever reads first.
    pub(crate) fn start(events: &MapHandle, tracing: MapHandle) -> Result<Self, Error> {
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
        // what an earlier reader left behind
        ring.consume().map_err(failed)?;
        records.borrow_mut().clear();
        set(&tracing, 1).map_err(failed)?;
        Ok(Trace { ring, records, tracing })
    }

    /// The records that have come; waits for the first of them up to `longest`.
    pub fn next(&self, longest: Duration) -> Result<Vec<Record>, Error> {
        match self.ring.poll(longest) {
            Err(error) if error.kind() != ErrorKind::Interrupted => Err(Error::new("the trace", error)),
            _ => Ok(std::mem::take(&mut self.records.borrow_mut())),
        }
    }
}

impl Drop for Trace<'_> {
    fn drop(&mut self) {
        // it may have been removed meanwhile
        let _ = set(&self.tracing, 0);
    }
}

fn set(tracing: &MapHandle, value: u32) -> Result<(), libbpf_rs::Error> {
    tracing.update(&0u32.to_ne_bytes(), &value.to_ne_bytes(), MapFlags::ANY)
}
