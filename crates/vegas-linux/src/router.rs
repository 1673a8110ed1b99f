//! The network in real time: packets from TUN devices go through the simulator's own links and come out when those
//! say, by the machine's clock.
//!
//! A packet's times on its way are computed, not waited for: only its last delivery is as late as the machine makes it.
//! How late is counted for every packet.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;
use serde_json::{Value, json};
use vegas_core::units::{Span, Time};
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{FlowSpec, Scenario};
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

pub(crate) fn monotonic_ns() -> u64 {
    nanos(ClockId::CLOCK_MONOTONIC)
}

/// One instant by the clock of the date, in which other programs write times down, and by the monotonic one.
pub(crate) fn real_and_monotonic_ns() -> (u64, u64) {
    (nanos(ClockId::CLOCK_REALTIME), monotonic_ns())
}

fn nanos(clock: ClockId) -> u64 {
    // Linux always has these clocks
    clock_gettime(clock).map_or(0, |time| time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
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
    /// When it ended.
    pub end: Time,
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

/// More would only wake each other.
const THREADS_MAX: usize = 4;
/// Above ordinary threads; the kernel's own stay above it.
const PRIORITY: i32 = 40;
/// Longest sleep, so that a stop is seen soon.
const NAP: Span = Span::from_millis(20);

impl Router {
    /// The network of a scenario between the devices of the senders' and the receivers' namespaces.
    pub fn new(scenario: &Scenario, senders: File, receivers: File) -> Self {
        Router {
            carrier: Carrier::new(scenario),
            clock: Clock::start(),
            end: Time::ZERO + scenario.duration,
            senders,
            receivers,
            packets: Packets::new(largest_packet(scenario)),
            delivered: Vec::with_capacity(packets_at_most(scenario)),
            late: Vec::with_capacity(packets_at_most(scenario)),
            bound: half_a_packet(scenario),
        }
    }

    /// Carries packets until the scenario's end, or until `over` is set: with one real-time thread a processor, of
    /// which the first to wake serves all. A kernel without preemption can keep one of them waiting for milliseconds,
    /// but hardly all. `ready` is told when time begins.
    pub fn run(mut self, over: &AtomicBool, ready: &Sender<Clock>) -> Result<Routed, Error> {
        // page faults would make packets late
        mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE)
            .map_err(|error| Error::new("locking memory", error))?;
        let processors = thread::available_parallelism().map_or(1, |count| count.get().min(THREADS_MAX));
        let gate = Barrier::new(processors);
        let router = Mutex::new(&mut self);
        thread::scope(|scope| {
            let serve = |processor| {
                let (gate, router) = (&gate, &router);
                scope.spawn(move || {
                    let prepared = prepare(processor);
                    if gate.wait().is_leader() {
                        let mut router = lock(router);
                        router.clock = Clock::start();
                        // whoever waits for it is gone only if this process is
                        let _ = ready.send(router.clock);
                    }
                    gate.wait();
                    prepared?;
                    serve(router, over)
                })
            };
            let threads: Vec<_> = (0..processors).map(serve).collect();
            let died = |_| Err(Error("the router died".into()));
            threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(died))
        })?;
        let end = self.clock.now().min(self.end);
        Ok(Routed {
            outcome: self.carrier.finish(end),
            delivered: self.delivered,
            end,
            lateness: Lateness::of(self.late, self.bound),
        })
    }

    /// Does what is due, and says how long there will be nothing to do; none at the end.
    fn turn(&mut self) -> Result<Option<Span>, Error> {
        self.deliver()?;
        self.take_in()?;
        let now = self.clock.now();
        let wake = self.carrier.next_event().unwrap_or(self.end).min(self.end).min(now + NAP);
        Ok((now < self.end).then(|| wake.since(now)))
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
}

/// Makes this thread a real-time one of one processor.
fn prepare(processor: usize) -> Result<(), Error> {
    let failed = |error| Error::new("a real-time thread", error);
    let mut own = CpuSet::new();
    // a processor that is not ours to use leaves the thread where it is
    let _ = own.set(processor).and_then(|()| sched_setaffinity(Pid::from_raw(0), &own));
    sys::real_time(PRIORITY).map_err(failed)
}

fn serve(router: &Mutex<&mut Router>, over: &AtomicBool) -> Result<(), Error> {
    let devices = |router: &Router| Ok((router.senders.try_clone()?, router.receivers.try_clone()?));
    let (senders, receivers) =
        devices(&lock(router)).map_err(|error: std::io::Error| Error::new("a device of the router", error))?;
    while !over.load(Ordering::Relaxed) {
        let Some(idle) = lock(router).turn()? else { break };
        let mut files =
            [PollFd::new(senders.as_fd(), PollFlags::POLLIN), PollFd::new(receivers.as_fd(), PollFlags::POLLIN)];
        match ppoll(&mut files, Some(TimeSpec::from_duration(Duration::from_nanos(idle.as_nanos()))), None) {
            Err(error) if error != Errno::EINTR => return Err(Error::new("waiting for packets", error)),
            _ => {}
        }
    }
    Ok(())
}

/// A thread that died with the lock ends the run anyway.
fn lock<'a, 'r>(router: &'a Mutex<&'r mut Router>) -> MutexGuard<'a, &'r mut Router> {
    router.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Packets under way, each in the slot of its number; a slot's room is used again.
struct Packets {
    slots: Vec<Vec<u8>>,
    next: u64,
    incoming: Vec<u8>,
}

/// More than any queue and path that a machine carries in real time hold.
const SLOTS: u64 = 1 << 15;
/// The largest IPv4 packet.
const LARGEST: usize = 65_535;

impl Packets {
    /// Room for packets that are seldom larger than this; all of it is there before the first comes.
    fn new(usual: usize) -> Self {
        Packets { slots: (0..SLOTS).map(|_| Vec::with_capacity(usual)).collect(), next: 0, incoming: vec![0; LARGEST] }
    }

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
    const UDP: u8 = 17;
    let (first, protocol) = (*bytes.first()?, *bytes.get(9)?);
    let header = usize::from(first & 0xf) * 4;
    let destination = bytes.get(16..20)?.try_into().ok()?;
    let (flow, direction) = flow_to(destination).filter(|_| first >> 4 == 4)?;
    let is_data = match protocol {
        TCP => bytes.len() > header + usize::from(bytes.get(header + 12)? >> 4) * 4,
        // what a QUIC packet holds is encrypted
        UDP => direction == Direction::Forward,
        _ => false,
    };
    Some(Carried { flow: flow as u32, direction, is_data, wire: bytes.len().try_into().ok()?, number })
}

fn largest_packet(scenario: &Scenario) -> usize {
    scenario.flows.iter().map(|flow| flow.largest_packet().get() as usize).max().unwrap_or_default()
}

/// How many packets, with an acknowledgement each, the flows' slowest links pass during the run; memory that grows while
/// packets wait would make them late.
fn packets_at_most(scenario: &Scenario) -> usize {
    const MOST: u64 = 1 << 22;
    let packets = |flow: &FlowSpec| scenario.duration.as_nanos() / slowest_packet(scenario, flow).as_nanos().max(1);
    (2 * scenario.flows.iter().map(packets).sum::<u64>()).min(MOST) as usize
}

/// The time that a full packet takes on the slowest link of its path.
fn slowest_packet(scenario: &Scenario, flow: &FlowSpec) -> Span {
    flow.path.iter().map(|link| scenario.links[*link].rate.time_for(flow.packet)).max().unwrap_or_default()
}

/// Half the shortest such time of all flows.
fn half_a_packet(scenario: &Scenario) -> Span {
    let packet = scenario.flows.iter().map(|flow| slowest_packet(scenario, flow)).min().unwrap_or_default();
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
