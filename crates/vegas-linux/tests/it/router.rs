//! The router between two ends held by the test, packet by packet: what it refuses, marks and captures.

use std::fs::File;
use std::net::UdpSocket;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use vegas_core::units::Span;
use vegas_linux::clock::Pace;
use vegas_linux::network::processors::Processors;
use vegas_linux::network::router::{Routed, Router};
use vegas_sim::outcome::{CapturePoint, Frame};
use vegas_sim::scenario::Scenario;

use crate::packets::{self, checksum_error};
use crate::support;

const ONE_FLOW: &str = r#"
    name = "router"
    duration = "60s"
    capture = true
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck = { rate = "10mbit", delay = "1ms", queue = "50p" }
    flow = [{ algorithm = "vegas", packet = "1000b", ecn = true }]
"#;
/// A queue that marks or drops packets that have waited for a while.
const MARKS: &str =
    r#"topology.bottleneck.queue={ kind = "codel", limit = "50p", target = "10us", interval = "1ms", ecn = true }"#;

/// The test's ends of the router's devices; sockets stand for the namespaces.
struct Ends {
    sender: UdpSocket,
    receiver: UdpSocket,
}

/// Runs a router while `exchange` uses the other ends of its devices.
fn route<T>(sets: &[&str], exchange: impl FnOnce(&Ends) -> T) -> (T, Routed) {
    let sets: Vec<_> = sets.iter().filter_map(|set| set.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect();
    let scenario = Scenario::from_toml(ONE_FLOW, "router.toml", &sets).expect("a scenario");
    let ((sender, senders), (receiver, receivers)) = (device(), device());
    let router = Router::new(&scenario, senders, receivers, Pace::Real);
    let (over, processors) = (AtomicBool::new(false), Processors::ours().expect("processors"));
    let (ready, started) = mpsc::channel();
    // open until the router has ended: a closed end would refuse what it still sends
    let ends = Ends { sender, receiver };
    thread::scope(|scope| {
        let (over, processors) = (&over, &processors);
        let routing = scope.spawn(move || router.run(processors, over, &ready));
        started.recv().expect("the router starts");
        let exchanged = exchange(&ends);
        over.store(true, Ordering::Relaxed);
        (exchanged, routing.join().expect("no panic").expect("no error"))
    })
}

/// Returns a socket that stands for a namespace, and the router's end; each read gives one packet.
fn device() -> (UdpSocket, File) {
    let [outside, inside] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").expect("a port"));
    for (one, other) in [(&outside, &inside), (&inside, &outside)] {
        one.connect(other.local_addr().expect("bound")).expect("loopback");
    }
    outside.set_read_timeout(Some(Duration::from_secs(30))).expect("a socket");
    inside.set_nonblocking(true).expect("a socket");
    (outside, File::from(OwnedFd::from(inside)))
}

fn received(end: &UdpSocket) -> Vec<u8> {
    let mut room = vec![0; 2000];
    let length = end.recv(&mut room).expect("a packet within half a minute");
    room.truncate(length);
    room
}

/// Makes a packet of a hundred bytes from the only flow's sender, 60 of them data, with ECT(0) and a right checksum.
fn data(number: u8) -> Vec<u8> {
    let mut packet = packets::segment(&[]);
    packet[1] = 0b10;
    packet[12..20].copy_from_slice(&[10, 81, 0, 1, 10, 82, 0, 1]);
    packet[27] = number;
    packet[10..12].fill(0);
    let sum = checksum_error(&packet);
    packet[10..12].copy_from_slice(&(0xffff - sum as u16).to_be_bytes());
    packet
}

fn changed(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut packet = data(0);
    packet[at..at + bytes.len()].copy_from_slice(bytes);
    packet
}

fn shortened(mut packet: Vec<u8>, length: u8) -> Vec<u8> {
    packet.truncate(length.into());
    packet[3] = length;
    packet
}

#[test]
fn hostile_packets_go_nowhere_and_are_counted() {
    if !support::kernel_is_ready() {
        return;
    }
    let whole = data(0);
    let hostile = [
        vec![0],
        whole[..39].to_vec(),
        // flows that do not exist, and addresses that no host has
        changed(12, &[10, 81, 0, 2, 10, 82, 0, 2]),
        changed(12, &[10, 81, 0, 255, 10, 82, 0, 255]),
        changed(12, &[10, 81, 0, 0, 10, 82, 0, 0]),
        changed(12, &[10, 81, 0, 9]),
        changed(16, &[224, 0, 0, 1]),
        // packets from the wrong side
        changed(12, &[10, 82, 0, 1, 10, 81, 0, 1]),
        // version, headers' lengths, total length, a fragment
        changed(0, &[0x60]),
        changed(0, &[0x4f]),
        changed(0, &[0x41]),
        changed(2, &[0xff, 0xff]),
        changed(6, &[0x20]),
        shortened(changed(32, &[0xf0]), 60),
        changed(32, &[0x00]),
        vec![0xff; 1500],
    ];
    let (came, routed) = route(&[], |ends| {
        for packet in &hostile {
            ends.sender.send(packet).expect("the router reads");
        }
        ends.receiver.send(&[0xff; 60]).expect("the router reads");
        ends.sender.send(&whole).expect("the router reads");
        received(&ends.receiver)
    });
    assert_eq!(came, whole, "what is right passes unchanged");
    assert_eq!(routed.refused, hostile.len() as u64 + 1);
    assert_eq!(routed.delivered.len(), 1);
}

/// Forty packets at once wait up to three milliseconds before a link of 10 Mb/s; those of a flow without ECN are not
/// marked.
#[test]
fn queues_mark_real_packets() {
    if !support::kernel_is_ready() {
        return;
    }
    const PACKETS: u8 = 40;
    let send = |ends: &Ends| {
        for number in 0..PACKETS {
            ends.sender.send(&data(number)).expect("the router reads");
        }
    };
    let (came, routed) = route(&[MARKS], |ends| {
        send(ends);
        (0..PACKETS).map(|_| received(&ends.receiver)).collect::<Vec<_>>()
    });
    let marked = came.iter().filter(|packet| packet[1] == 0b11).count();
    assert!(marked > 0 && came.iter().all(|packet| checksum_error(packet) == 0), "{marked} marked");
    let marks: u64 = routed.outcome.links.iter().map(|link| link.marks).sum();
    assert_eq!(marks, marked as u64);

    let (last, routed) = route(&[MARKS, "flow.0.ecn=false"], |ends| {
        send(ends);
        received(&ends.receiver)
    });
    assert_eq!((last[1], routed.outcome.links.iter().map(|link| link.marks).sum::<u64>()), (0b10, 0));
}

/// Captures a data packet and its acknowledgement at both ends, with the headers and nothing else.
#[test]
fn captures_have_what_both_ends_saw() {
    if !support::kernel_is_ready() {
        return;
    }
    let answer = shortened(changed(12, &[10, 82, 0, 1, 10, 81, 0, 1]), 40);
    let ((), routed) = route(&[], |ends| {
        ends.sender.send(&data(0)).expect("the router reads");
        received(&ends.receiver);
        ends.receiver.send(&answer).expect("the router reads");
        received(&ends.sender);
    });
    let frames = &routed.outcome.frames;
    let of = |frame: &Frame| (frame.point, frame.wire.get(), frame.head().len());
    let expected = [
        (CapturePoint::SenderOut, 100, 40),
        (CapturePoint::ReceiverIn, 100, 40),
        (CapturePoint::ReceiverOut, 40, 40),
        (CapturePoint::SenderIn, 40, 40),
    ];
    assert_eq!(frames.iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(frames[0].head(), &data(0)[..40]);
    // 3 ms of propagation, and 80 us for 100 bytes at 10 Mb/s
    assert!(frames[1].at.since(frames[0].at) >= Span::from_nanos(3_080_000));
}
