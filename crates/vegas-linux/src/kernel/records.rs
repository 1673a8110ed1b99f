//! What the kernel side writes: each call of the core, with its event and its answer, and the steps of the proofs.

use std::net::{Ipv6Addr, SocketAddr};

use vegas_core::aqt::Head;

use crate::abi::{Decision, Event, Reading};

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

/// One step of the proof: an event of the core, and the answer of the object's copy.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProofStep {
    /// The event.
    pub event: Event,
    /// The answer.
    pub decision: Decision,
}

/// One step of the option's proof: the beginning of a packet, and the programs' reading of it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OptionStep {
    /// The beginning of the packet.
    pub head: Head,
    /// The programs' reading of it.
    pub reading: Reading,
}
