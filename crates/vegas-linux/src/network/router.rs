//! The network in real time: packets from TUN devices pass through the simulator's links and are delivered at the
//! simulated times, by the machine's clock.
//!
//! The times at which a packet passes links are computed, not waited for: only its delivery to the host is as late as
//! the machine makes it. The lateness of every packet is recorded ([`Lateness`]).

use std::collections::VecDeque;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::time::TimeSpec;
use vegas_core::aqt;
use vegas_core::units::{Span, Time};
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{EcnField, FlowSpec, Scenario};
use vegas_sim::{Carried, Carrier, Delivery, Direction};

use crate::Error;
use crate::clock::{Clock, Pace, pause};
use crate::network::capture::Capture;
use crate::network::lateness::Lateness;
use crate::network::packets::{Packets, parse, set_ecn_field};
use crate::network::processors::{Processors, Taken, stay_on};
use crate::network::segments::Segments;
use crate::network::shift::{SHIFTS, Shift};
use crate::sys;

/// The result of a router.
#[derive(Debug)]
pub struct Routed {
    /// Links, background traffic and drops, as of a simulated run; the flows in it are idle.
    pub outcome: Outcome,
    /// The packets delivered to receivers, data packets among them.
    pub delivered: Vec<Delivery>,
    /// When the run ended.
    pub end: Time,
    /// The lateness of all packets.
    pub lateness: Lateness,
    /// Packets from hosts that belong to no flow or are malformed; they are dropped.
    pub refused: u64,
}

/// The network between two TUN devices.
pub struct Router {
    carrier: Carrier,
    clock: Clock,
    end: Time,
    senders: File,
    receivers: File,
    packets: Packets,
    /// The packet that is being delivered.
    leaving: Vec<u8>,
    /// Whether a flow's packets may be marked, by flow.
    ecn: Vec<bool>,
    capture: Capture,
    segments: Segments,
    refused: u64,
    /// Packets that hosts have sent and that the network has not taken in yet, in the order of time.
    sent: VecDeque<(Time, Carried)>,
    delivered: Vec<Delivery>,
    late: Late,
    pace: Pace,
}

/// How late the packets left the router, and the lateness that changes no result.
struct Late {
    to_senders: Vec<Span>,
    to_receivers: Vec<Span>,
    bound: Span,
}

/// The priority of a thread that is always awake: above ordinary threads, below the kernel's own.
const PRIORITY_AWAKE: i32 = 40;
/// The priority of threads that sleep: their work is short, and a thread that is always awake would leave them no time.
const PRIORITY_ASLEEP: i32 = 41;
/// The longest sleep, so that a stop is noticed soon.
const NAP: Span = Span::from_millis(20);

impl Router {
    /// Makes the network of a scenario between the devices of the senders' and the receivers' namespaces.
    pub fn new(scenario: &Scenario, senders: File, receivers: File, pace: Pace) -> Self {
        // in virtual time nothing is locked, and memory is taken as it is needed
        let largest = if pace == Pace::Real { largest_packet(scenario) } else { 0 };
        Router {
            carrier: Carrier::new(scenario),
            clock: Clock::start(),
            end: Time::ZERO + scenario.duration,
            senders,
            receivers,
            packets: Packets::new(largest),
            leaving: Vec::new(),
            ecn: scenario.flows.iter().map(|flow| flow.ecn).collect(),
            // a packet appears once where it is sent, and once where it is received
            capture: Capture::with_room_for(scenario.capture.then(|| 2 * packets_at_most(scenario))),
            segments: Segments::new(scenario.flows.len(), packets_at_most(scenario)),
            refused: 0,
            sent: VecDeque::with_capacity(SENT_AT_ONCE),
            delivered: Vec::with_capacity(packets_at_most(scenario)),
            late: Late {
                to_senders: Vec::with_capacity(packets_at_most(scenario)),
                to_receivers: Vec::with_capacity(packets_at_most(scenario)),
                bound: half_a_packet(scenario),
            },
            pace,
        }
    }

    /// Carries packets until the scenario's end, or until `over` is set. Two real-time threads alternate; the active
    /// one does not sleep, since a thread that sleeps may wake late. If another run has the processors, one thread
    /// serves, and sleeps. `ready` gets the clock when time begins.
    pub fn run(mut self, processors: &Processors, over: &AtomicBool, ready: &Sender<Clock>) -> Result<Routed, Error> {
        if self.pace == Pace::Real {
            // page faults would make packets late
            mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE)
                .map_err(|error| Error::new("locking memory", error))?;
        }
        let devices = self.devices().map_err(|error| Error::new("a device of the router", error))?;
        let taken = processors.take()?;
        self.clock = match self.pace {
            Pace::Real => Clock::start(),
            Pace::Virtual => Clock::start_at_second(),
        };
        // the receiver of this message lives as long as this process
        let _ = ready.send(self.clock);
        let router = Mutex::new(&mut self);
        thread::scope(|scope| {
            let (router, devices) = (&router, &devices);
            let serve = |(number, shift): (usize, Option<Shift>)| {
                scope.spawn(move || {
                    stay_on(number)?;
                    let priority = if shift.is_some() { PRIORITY_AWAKE } else { PRIORITY_ASLEEP };
                    sys::real_time(priority).map_err(|error| Error::new("a real-time thread", error))?;
                    serve(router, devices, shift, over)
                })
            };
            let threads: Vec<_> = shifts(processors, taken.as_ref()).into_iter().map(serve).collect();
            let died = |_| Err(Error("the router died".into()));
            threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(died))
        })?;
        let end = self.clock.now().min(self.end);
        let mut outcome = Outcome { frames: self.capture.finish(end), ..self.carrier.finish(end) };
        self.segments.finish(&mut outcome.incidents, end.as_nanos() as f64 / 1e9);
        Ok(Routed {
            outcome,
            delivered: self.delivered,
            end,
            lateness: Lateness::of(self.late.to_senders, &self.late.to_receivers, self.late.bound),
            refused: self.refused,
        })
    }

    fn devices(&self) -> std::io::Result<[File; 2]> {
        Ok([self.senders.try_clone()?, self.receivers.try_clone()?])
    }

    /// Takes in the packets of hosts that have some, and does the work that is due; returns the time of the next work,
    /// or `None` at the end.
    fn turn(&mut self, have: HavePackets) -> Result<Option<Time>, Error> {
        if have.senders {
            self.take_in(Direction::Forward, None)?;
        }
        if have.receivers {
            self.take_in(Direction::Backward, None)?;
        }
        self.catch_up()?;
        let now = self.clock.now();
        let due = self.carrier.next_delivery().unwrap_or(self.end).min(self.end).min(now + NAP);
        Ok((now < self.end).then_some(due))
    }

    /// Processes all steps up to now, each at its simulated time, however late it is served.
    fn catch_up(&mut self) -> Result<(), Error> {
        while let Some(at) = self.next_step().filter(|at| *at <= self.clock.now()) {
            match self.sent.pop_front_if(|(sent, _)| *sent <= at) {
                Some((sent, packet)) => self.carrier.offer(sent, packet),
                None => self.carrier.advance_to(at),
            }
            for delivery in self.carrier.take_delivered() {
                self.deliver(delivery)?;
            }
        }
        Ok(())
    }

    fn next_step(&mut self) -> Option<Time> {
        let sent = self.sent.front().map(|(at, _)| *at);
        [sent, self.carrier.next_event()].into_iter().flatten().min()
    }

    fn deliver(&mut self, delivery: Delivery) -> Result<(), Error> {
        let Some(bytes) = self.packets.get(delivery.number) else { return Ok(()) };
        // a copy, since a link may duplicate the packet
        self.leaving.clear();
        self.leaving.extend_from_slice(bytes);
        aqt::stamp(&mut self.leaving, delivery.queued);
        if self.ecn[delivery.flow as usize] {
            set_ecn_field(&mut self.leaving, delivery.field);
        }
        self.capture.delivered(&delivery, &self.leaving);
        let (mut device, late) = match delivery.direction {
            Direction::Forward => (&self.receivers, &mut self.late.to_receivers),
            Direction::Backward => (&self.senders, &mut self.late.to_senders),
        };
        // measured before the write: the host answers, be it with a whole window, before `write` returns
        late.push(self.clock.now().since(delivery.at));
        // a receiver that goes away loses its packets
        if let Err(error) = device.write(&self.leaving)
            && error.kind() != ErrorKind::WouldBlock
        {
            return Err(Error::new("writing a packet", error));
        }
        match delivery.direction {
            Direction::Backward => self.take_in(Direction::Forward, None),
            Direction::Forward => {
                self.delivered.push(delivery);
                self.take_in(Direction::Backward, Some(delivery.at))
            }
        }
    }

    /// Takes in packets that the hosts of one side have sent. They enter the network now or, if they answer a delivery,
    /// at the time at which that was due. Other packets are taken in batches, so that work that becomes due meanwhile
    /// is not late.
    fn take_in(&mut self, direction: Direction, answers: Option<Time>) -> Result<(), Error> {
        let mut device = match direction {
            Direction::Forward => &self.senders,
            Direction::Backward => &self.receivers,
        };
        // all packets that answer belong to the delivery
        let most = if answers.is_some() { usize::MAX } else { TAKEN_AT_ONCE };
        for _ in 0..most {
            let length = match device.read(self.packets.room()) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                result => result.map_err(|error| Error::new("reading a packet", error))?,
            };
            let (number, bytes) = self.packets.keep(length);
            let of_a_flow = |packet: &Carried| packet.direction == direction && (packet.flow as usize) < self.ecn.len();
            let Some(mut packet) = parse(bytes, number).filter(of_a_flow) else {
                self.refused += 1;
                continue;
            };
            if !self.ecn[packet.flow as usize] {
                packet.field = EcnField::NotEct;
            }
            let at = answers.unwrap_or_else(|| self.clock.now());
            self.capture.sent(at, &packet, bytes);
            self.segments.note(at, &packet, bytes);
            match answers {
                Some(due) => self.carrier.offer(due, packet),
                None => self.sent.push_back((at, packet)),
            }
        }
        Ok(())
    }
}

/// The batch size, packets: some 20 us of work.
const TAKEN_AT_ONCE: usize = 16;
/// The room for sent packets: more than hosts send between two reads of their devices.
const SENT_AT_ONCE: usize = 4096;

/// Returns the processors on which threads serve, with their shifts. On a machine with one processor, and beside
/// another run, the router has none for itself; beside programs on a machine with two it has one thread.
fn shifts(processors: &Processors, taken: Option<&Taken>) -> Vec<(usize, Option<Shift>)> {
    match taken {
        Some(_) if processors.router_sleeps() => vec![(processors.of_router(), None)],
        Some(taken) => taken.numbers.into_iter().zip(SHIFTS.map(Some)).collect(),
        None => vec![(processors.relief().unwrap_or(processors.of_router()), None)],
    }
}

/// Serves during its shift; a thread without one always serves, and sleeps while there is nothing to do.
fn serve(
    router: &Mutex<&mut Router>,
    devices: &[File; 2],
    shift: Option<Shift>,
    over: &AtomicBool,
) -> Result<(), Error> {
    let Router { clock, pace, .. } = **lock(router);
    let mut have = HavePackets { senders: true, receivers: true };
    while !over.load(Ordering::Relaxed) {
        let rest = shift.map_or(Span::ZERO, |shift| shift.begins_in(clock.now()));
        if rest > Span::ZERO {
            pause(Duration::from_nanos(rest.min(NAP).as_nanos()));
            continue;
        }
        let Some(due) = lock(router).turn(have)? else { break };
        have = match (shift, pace) {
            (Some(_), _) => stay_awake_until(due, clock, devices)?,
            (None, Pace::Real) => have_packets(devices, due.since(clock.now()))?,
            (None, Pace::Virtual) => sleep_until(due, clock, devices)?,
        };
    }
    Ok(())
}

/// Looks for packets until this time, without sleep.
fn stay_awake_until(due: Time, clock: Clock, devices: &[File; 2]) -> Result<HavePackets, Error> {
    loop {
        let left = due.since(clock.now());
        let have = have_packets(devices, Span::ZERO)?;
        if left == Span::ZERO || have.senders || have.receivers {
            return Ok(have);
        }
    }
}

/// Sleeps until there is a packet, or it is this time. In virtual time the way from a timer's interrupt to the thread
/// that it wakes takes the same time again and again, so that the thread can be awake when something is due.
fn sleep_until(due: Time, clock: Clock, devices: &[File; 2]) -> Result<HavePackets, Error> {
    const WAKING: Span = Span::from_micros(15);
    let have = have_packets(devices, due.since(clock.now()).less(WAKING))?;
    while !have.senders && !have.receivers && clock.now() < due {}
    Ok(have)
}

/// The hosts that have packets for the router to take in.
#[derive(Clone, Copy)]
struct HavePackets {
    senders: bool,
    receivers: bool,
}

/// Returns which hosts have packets now, or as soon as one has within a time.
fn have_packets([senders, receivers]: &[File; 2], within: Span) -> Result<HavePackets, Error> {
    let mut files =
        [PollFd::new(senders.as_fd(), PollFlags::POLLIN), PollFd::new(receivers.as_fd(), PollFlags::POLLIN)];
    match ppoll(&mut files, Some(TimeSpec::from_duration(Duration::from_nanos(within.as_nanos()))), None) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(Error::new("waiting for packets", error)),
    }
    // without an answer, the devices are read
    let [senders, receivers] = files.map(|file| file.any().unwrap_or(true));
    Ok(HavePackets { senders, receivers })
}

/// Locks the router. A poisoned lock is accepted: a thread that died with it ends the run anyway.
fn lock<'a, 'r>(router: &'a Mutex<&'r mut Router>) -> MutexGuard<'a, &'r mut Router> {
    router.lock().unwrap_or_else(PoisonError::into_inner)
}

fn largest_packet(scenario: &Scenario) -> usize {
    scenario.flows.iter().map(|flow| flow.largest_packet().get() as usize).max().unwrap_or_default()
}

/// Returns how many packets, with an acknowledgement each, the flows' slowest links pass during the run. Memory is
/// reserved for them, since memory that grows while packets wait would make them late.
fn packets_at_most(scenario: &Scenario) -> usize {
    const MOST: u64 = 1 << 22;
    let packets = |flow: &FlowSpec| scenario.duration.as_nanos() / slowest_packet(scenario, flow).as_nanos().max(1);
    (2 * scenario.flows.iter().map(packets).sum::<u64>()).min(MOST) as usize
}

/// Returns the transmission time of a full packet on the slowest link of the flow's path.
fn slowest_packet(scenario: &Scenario, flow: &FlowSpec) -> Span {
    flow.path.iter().map(|link| scenario.links[*link].rate.time_for(flow.packet)).max().unwrap_or_default()
}

/// Returns half the shortest such time of all flows.
fn half_a_packet(scenario: &Scenario) -> Span {
    let packet = scenario.flows.iter().map(|flow| slowest_packet(scenario, flow)).min().unwrap_or_default();
    Span::from_nanos(packet.as_nanos() / 2)
}
