//! The kernel's programs read and write RoVegas's option as the core does. Ten million packets that are right, nearly
//! right or arbitrary are read by the kernel and here; a million each pass the programs that run at a device.
//!
//! The kernel itself runs the programs (BPF_PROG_TEST_RUN), as its verifier and compiler left them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use vegas_core::aqt::{HEADER_WITH_OPTION_BYTES, Head, PLAIN_HEADER_BYTES, Stamps};
use vegas_linux::abi::{READ_MALFORMED, READ_PAYLOAD, READ_SEGMENT, READ_STAMPS, Reading, with_echo};
use vegas_linux::kernel::PROOF_STEPS;
use vegas_linux::kernel::option::{Counts, Programs};
use vegas_linux::kernel::records::OptionStep;

use crate::packets;
use crate::support;

const PACKETS_READ: usize = 10_000_000;
const PACKETS_PASSED: usize = 1_000_000;
/// The number of parallel parts; each has its own packets, programs and maps.
const PARTS: usize = 4;
/// An Ethernet header: destination, source, and IPv4's type.
const ETHERNET: [u8; 14] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];

#[test]
fn the_kernel_reads_ten_million_packets_as_the_core_does() {
    if !support::kernel_is_ready() {
        return;
    }
    let batches = PACKETS_READ.div_ceil(PROOF_STEPS * PARTS);
    let seen = support::on_all_processors(PARTS, |part| read_batches(batches, part as u64));
    let seen =
        seen.into_iter().fold([0; 4], |sum: [usize; 4], part| std::array::from_fn(|kind| sum[kind] + part[kind]));
    // packets that are all alike would prove little
    println!("segments, with payload, with the option, malformed: {seen:?}");
    assert!(seen.iter().all(|count| *count > PACKETS_READ / 20), "{seen:?}");
}

/// Reads batches of packets; returns the number of packets of each kind.
fn read_batches(batches: usize, seed: u64) -> [usize; 4] {
    let programs = Programs::load(0, None).expect("the object loads");
    let mut source = Source::new(seed);
    let mut seen = [0; 4];
    for _ in 0..batches {
        let mut step = || OptionStep { head: Head::of(&source.packet()), reading: Reading::default() };
        let mut steps: Vec<_> = (0..PROOF_STEPS).map(|_| step()).collect();
        programs.read(steps.as_mut_slice().try_into().expect("a batch")).expect("the proof program runs");
        for step in &steps {
            assert_eq!(step.reading, Reading::of(&step.head), "{:?}", step.head);
            let flags = [READ_SEGMENT, READ_PAYLOAD, READ_STAMPS, READ_MALFORMED];
            seen.iter_mut().zip(flags).for_each(|(count, flag)| *count += usize::from(step.reading.flags & flag != 0));
        }
    }
    seen
}

#[test]
fn a_million_packets_come_and_as_many_leave() {
    if !support::kernel_is_ready() {
        return;
    }
    let passed = support::on_all_processors(PARTS, |part| pass(PACKETS_PASSED / PARTS, (PARTS + part) as u64));
    let echoes: usize = passed.into_iter().sum();
    println!("{echoes} packets left with an echo");
    assert!(echoes > PACKETS_PASSED / 100);
}

/// Receives this number of packets and sends answers to them; returns how many answers left with an echo.
fn pass(packets: usize, seed: u64) -> usize {
    let programs = Programs::load(ETHERNET.len() as u32, None).expect("the object loads");
    let mut source = Source::new(seed);
    let (mut echoes, mut expected) = (0, Counts::default());
    for _ in 0..packets {
        let packet = source.packet();
        if packet.len() < PLAIN_HEADER_BYTES {
            continue;
        }
        let came = Reading::of(&Head::of(&packet));
        let before = programs.heard(came.addresses, came.ports).expect("a map");
        programs.receive(&on_ethernet(&packet)).expect("the program runs");
        let heard = programs.heard(came.addresses, came.ports).expect("a map");
        assert_eq!(heard, remembered(before, &came), "{packet:?}");

        let reply = source.reply(&packet);
        let left = programs.send(&on_ethernet(&reply)).expect("the program runs");
        let as_echo = with_option(&reply, |back| programs.heard(back.0, back.1).expect("a map"));
        echoes += usize::from(as_echo.is_some());
        assert_eq!(left, on_ethernet(as_echo.as_ref().unwrap_or(&reply)), "{reply:?}");

        expected.heard += u64::from(is_data(&came) && came.flags & READ_STAMPS != 0);
        expected.inserted += u64::from(as_echo.is_some());
        expected.malformed += u64::from(came.flags & READ_MALFORMED != 0);
        expected.malformed += u64::from(Reading::of(&Head::of(&reply)).flags & READ_MALFORMED != 0);
    }
    assert_eq!(programs.counts().expect("the counts"), expected);
    echoes
}

fn is_data(reading: &Reading) -> bool {
    reading.flags & READ_SEGMENT != 0 && reading.flags & READ_PAYLOAD != 0
}

/// Returns the time that the receiver remembers after a packet: that of the newest data packet.
fn remembered(before: Option<u32>, came: &Reading) -> Option<u32> {
    match is_data(came) {
        true => (came.flags & READ_STAMPS != 0).then_some(came.aqt_us),
        false => before,
    }
}

/// Returns the packet as sent with an echo; `None` if it is sent unchanged.
fn with_option(packet: &[u8], heard: impl Fn(([u32; 2], [u32; 2])) -> Option<u32>) -> Option<Vec<u8>> {
    let head = Head::of(packet);
    let reading = Reading::of(&head);
    let ([source, destination], [from, to]) = (reading.addresses, reading.ports);
    let echo_us = (reading.flags & READ_SEGMENT != 0).then(|| heard(([destination, source], [to, from]))).flatten()?;
    let header: [u8; HEADER_WITH_OPTION_BYTES] = with_echo(&head, echo_us)?;
    Some([&header[..], &packet[PLAIN_HEADER_BYTES..]].concat())
}

fn on_ethernet(packet: &[u8]) -> Vec<u8> {
    [&ETHERNET[..], packet].concat()
}

/// A source of packets of a few connections, most of them well-formed.
struct Source {
    rng: ChaCha8Rng,
}

impl Source {
    fn new(seed: u64) -> Self {
        Source { rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    fn packet(&mut self) -> Vec<u8> {
        let options = match self.below(4) {
            0 => Vec::new(),
            1 => any_times(self.rng.next_u64()),
            _ => {
                let choices: Vec<u8> = (0..self.below(6)).map(|_| self.rng.next_u32() as u8).collect();
                packets::options(&choices)
            }
        };
        let mut packet = packets::segment(&options);
        // one of eight connections
        packet[PLAIN_HEADER_BYTES + options.len() + 1] = self.below(8) as u8;
        for _ in 0..self.below(8).saturating_sub(5) {
            let at = self.below(packet.len());
            packet[at] = self.rng.next_u32() as u8;
        }
        if self.below(8) == 0 {
            let length = self.below(packet.len());
            packet.truncate(length);
        }
        packet
    }

    /// Makes a packet of the other direction; most have no options.
    fn reply(&mut self, packet: &[u8]) -> Vec<u8> {
        let options = if self.below(8) == 0 { vec![0x94, 4, 0, 0] } else { Vec::new() };
        let mut reply = packets::segment(&options);
        let tcp = PLAIN_HEADER_BYTES + options.len();
        let came = usize::from(packet[0] & 0xf) * 4;
        reply[12..16].copy_from_slice(&packet[16..20]);
        reply[16..20].copy_from_slice(&packet[12..16]);
        if let Some(ports) = packet.get(came..came + 4) {
            reply[tcp..tcp + 4].copy_from_slice(&[ports[2], ports[3], ports[0], ports[1]]);
        }
        if self.below(8) == 0 {
            let at = self.below(reply.len());
            reply[at] = self.rng.next_u32() as u8;
        }
        reply
    }

    fn below(&mut self, bound: usize) -> usize {
        self.rng.next_u32() as usize % bound
    }
}

/// Makes the option with arbitrary times.
fn any_times(bits: u64) -> Vec<u8> {
    let mut option = Stamps::default().to_bytes();
    option[2..].copy_from_slice(&bits.to_le_bytes()[..6]);
    option.to_vec()
}
