//! The network in real time: packets from TUN devices go through the simulator's own links and come out when those
//! say, by the machine's clock.
//!
//! A packet's times on its way are computed, not waited for: only its last delivery is as late as the machine makes it.
//! How late is counted for every packet.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use vegas_core::units::{Span, Time};
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;
use vegas_sim::{Carried, Carrier, Delivery, Direction};

use crate::Error;
use crate::addresses::flow_to;
use crate::sys;

/// The machine's monotonic clock from a beginning of one's own; the kernel side stamps its records by the same clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    began_ns: u64,
}

impl Clock {
    /// A clock that shows 0 now.
    pub fn start() -> Self {
        Clock { began_ns: monotonic_ns() }
    }

    /// What it shows.
    pub fn now(&self) -> Time {
        self.at(monotonic_ns())
    }

    /// What it shows at an instant of the monotonic clock; 0 before its beginning.
    pub fn at(&self, monotonic_ns: u64) -> Time {
        Time::from_nanos(monotonic_ns.saturating_sub(self.began_ns))
    }
}

fn monotonic_ns() -> u64 {
    // Linux always has this clock
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map_or(0, |time| time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
}

/// How late packets were delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lateness {
    /// Half of them were later.
    pub median: Span,
    /// One in a hundred was.
    pub p99: Span,
    /// The latest.
    pub greatest: Span,
    /// Half the time that a full packet takes on the slowest link that carries a flow: more lateness could be taken for
    /// a queue.
    pub bound: Span,
}

impl Lateness {
    /// Whether delays can be believed.
    pub fn is_trustworthy(&self) -> bool {
        self.greatest <= self.bound
    }

    /// For manifest and summary.
    pub fn to_json(&self) -> Value {
        let micros = |span: Span| span.as_nanos() as f64 / 1e3;
        json!({
            "lateness_median_us": micros(self.median),
            "lateness_p99_us": micros(self.p99),
            "lateness_max_us": micros(self.greatest),
            "lateness_bound_us": micros(self.bound),
            "trustworthy": self.is_trustworthy(),
        })
    }

    fn of(mut late: Vec<Span>, bound: Span) -> Self {
        late.sort_unstable();
        let at = |part: usize| late.get((late.len() * part / 100).min(late.len().saturating_sub(1))).copied();
        let at = |part| at(part).unwrap_or_default();
        Lateness { median: at(50), p99: at(99), greatest: at(100), bound }
    }
}

/// What a router has seen.
#[derive(Debug)]
pub struct Routed {
    /// Links, background traffic and drops, as of a simulated run; the flows are idle ones.
    pub outcome: Outcome,
    /// Data packets and others that came to a receiver.
    pub delivered: Vec<Delivery>,
    /// How late all packets were.
    pub lateness: Lateness,
}

/// The network between two TUN devices.
pub struct Router {
    carrier: Carrier,
    clock: Clock,
    end: Time,
    senders: File,
    receivers: File,
    packets: Packets,
    delivered: Vec<Delivery>,
    late: Vec<Span>,
    bound: Span,
}

/// Above ordinary threads; the kernel's own stay above it.
const PRIORITY: i32 = 40;
/// Longest sleep, so that a stop is seen soon.
const NAP: Span = Span::from_millis(20);

impl Router {
    /// The network of a scenario between the devices of the senders' and the receivers' namespaces.
    pub fn new(scenario: &Scenario, clock: Clock, senders: File, receivers: File) -> Self {
        Router {
            carrier: Carrier::new(scenario),
            clock,
            end: Time::ZERO + scenario.duration,
            senders,
            receivers,
            packets: Packets::default(),
            delivered: Vec::new(),
            late: Vec::new(),
            bound: half_a_packet(scenario),
        }
    }

    /// Carries packets until the scenario's end, or until it is told to stop. Makes its thread a real-time one.
    pub fn run(mut self, stop: &AtomicBool) -> Result<Routed, Error> {
        // page faults and other threads would make packets late
        mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE)
            .map_err(|error| Error::new("locking memory", error))?;
        sys::real_time(PRIORITY).map_err(|error| Error::new("a real-time thread", error))?;
        while self.clock.now() < self.end && !stop.load(Ordering::Relaxed) {
            self.deliver()?;
            self.take_in()?;
            self.sleep()?;
        }
        Ok(Routed {
            outcome: self.carrier.finish(),
            delivered: self.delivered,
            lateness: Lateness::of(self.late, self.bound),
        })
    }

    fn deliver(&mut self) -> Result<(), Error> {
        self.carrier.advance_to(self.clock.now());
        for delivery in self.carrier.take_delivered() {
            let Some(bytes) = self.packets.get(delivery.number) else { continue };
            let mut device = match delivery.direction {
                Direction::Forward => &self.receivers,
                Direction::Backward => &self.senders,
            };
            match device.write(bytes) {
                // a receiver that goes away loses its packets
                Err(error) if error.kind() != ErrorKind::WouldBlock => {
                    return Err(Error::new("writing a packet", error));
                }
                _ => self.late.push(self.clock.now().since(delivery.at)),
            }
            if delivery.direction == Direction::Forward {
                self.delivered.push(delivery);
            }
        }
        Ok(())
    }

    fn take_in(&mut self) -> Result<(), Error> {
        for mut device in [&self.senders, &self.receivers] {
            loop {
                let length = match device.read(self.packets.room()) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    result => result.map_err(|error| Error::new("reading a packet", error))?,
                };
                let (number, bytes) = self.packets.keep(length);
                if let Some(packet) = parse(bytes, number) {
                    self.carrier.offer(self.clock.now(), packet);
                }
            }
        }
        Ok(())
    }

    fn sleep(&self) -> Result<(), Error> {
        let now = self.clock.now();
        let wake = self.carrier.next_event().unwrap_or(self.end).min(self.end).min(now + NAP);
        let timeout = TimeSpec::from_duration(std::time::Duration::from_nanos(wake.since(now).as_nanos()));
        let mut files = [
            PollFd::new(self.senders.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.receivers.as_fd(), PollFlags::POLLIN),
        ];
        match ppoll(&mut files, Some(timeout), None) {
            Err(error) if error != nix::errno::Errno::EINTR => Err(Error::new("waiting for packets", error)),
            _ => Ok(()),
        }
    }
}

/// Packets under way, each in the slot of its number; a slot's room is used again.
struct Packets {
    slots: Vec<Vec<u8>>,
    next: u64,
    incoming: Vec<u8>,
}

/// More than any queue and path that a machine carries in real time hold.
const SLOTS: u64 = 1 << 16;
/// The largest IPv4 packet.
const LARGEST: usize = 65_535;

impl Default for Packets {
    fn default() -> Self {
        Packets { slots: vec![Vec::new(); SLOTS as usize], next: 0, incoming: vec![0; LARGEST] }
    }
}

impl Packets {
    /// Where to read the next packet to.
    fn room(&mut self) -> &mut [u8] {
        &mut self.incoming
    }

    /// Keeps what was read, and gives it its number.
    fn keep(&mut self, length: usize) -> (u64, &[u8]) {
        let number = self.next;
        self.next += 1;
        let slot = &mut self.slots[(number % SLOTS) as usize];
        slot.clear();
        slot.extend_from_slice(&self.incoming[..length]);
        (number, slot)
    }

    /// The packet of a number; none if so many have come since that its slot is another's.
    fn get(&self, number: u64) -> Option<&[u8]> {
        (self.next - number <= SLOTS).then(|| self.slots[(number % SLOTS) as usize].as_slice())
    }
}

/// What the network has to know of an IPv4 packet; none of another kind, or for somebody else.
fn parse(bytes: &[u8], number: u64) -> Option<Carried> {
    const TCP: u8 = 6;
    let (first, protocol) = (*bytes.first()?, *bytes.get(9)?);
    let header = usize::from(first & 0xf) * 4;
    let destination = bytes.get(16..20)?.try_into().ok()?;
    let (flow, direction) = flow_to(destination).filter(|_| first >> 4 == 4)?;
    let tcp_header = usize::from(bytes.get(header + 12)? >> 4) * 4;
    let is_data = protocol == TCP && bytes.len() > header + tcp_header;
    Some(Carried { flow: flow as u32, direction, is_data, wire: bytes.len().try_into().ok()?, number })
}

/// Half the time that the largest packet of a flow takes on the slowest link of its path.
fn half_a_packet(scenario: &Scenario) -> Span {
    let slowest = |flow: &vegas_sim::scenario::FlowSpec| {
        flow.path.iter().map(|link| scenario.links[*link].rate.time_for(flow.packet)).max()
    };
    let packet = scenario.flows.iter().filter_map(slowest).min().unwrap_or_default();
    Span::from_nanos(packet.as_nanos() / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: of 1 to 200 us, the hundredth-first is the median, the 199th is at 99 %.
    #[test]
    fn lateness_in_order() {
        let late = (1..=200).rev().map(Span::from_micros).collect();
        let lateness = Lateness::of(late, Span::from_micros(150));
        let micros = [lateness.median, lateness.p99, lateness.greatest].map(|span| span.as_nanos() / 1000);
        assert_eq!(micros, [101, 199, 200]);
        assert!(!lateness.is_trustworthy());
        assert!(Lateness::of(Vec::new(), Span::ZERO).is_trustworthy());
    }

    #[test]
    fn packets_that_are_not_ours_are_left() {
        let mut packet = vec![0u8; 60];
        (packet[0], packet[9], packet[32]) = (0x45, 6, 0x50);
        packet[16..20].copy_from_slice(&[10, 82, 0, 3]);
        let carried = parse(&packet, 7).expect("ours");
        assert_eq!((carried.flow, carried.is_data, carried.wire, carried.number), (2, true, 60, 7));
        assert!(!parse(&packet[..40], 7).expect("ours").is_data);
        packet[16] = 224;
        assert_eq!(parse(&packet, 7), None);
        assert!((0..20).all(|length| parse(&packet[..length], 0).is_none()));
        packet[0] = 0x60;
        assert_eq!(parse(&packet, 7), None);
    }
}
