//! Packets of a run as other programs see them: captures read by tshark, and packets that belong to no flow.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::thread;

use libc::IPPROTO_RAW;
use nix::sched::{CloneFlags, setns};
use serde_json::Value;
use socket2::{Domain, Protocol, Socket, Type};

use super::{caught, command, folder, stderr, text, vegas_linux};
use crate::support;

const MARKED: &str = r#"
    name = "packets"
    duration = "2s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck.rate = "10mbit"
    topology.bottleneck.delay = "8ms"
    topology.bottleneck.queue = { kind = "codel", limit = "60p", target = "2ms", interval = "20ms", ecn = true }
    flow = [{ algorithm = "newreno", packet = "1000b", ecn = true }, { algorithm = "vegas", packet = "1000b" }]
"#;

/// Marks reach the receiver and do not come from the sender, echoes reach the sender; a flow without ECN has neither.
#[test]
fn captures_are_those_of_real_packets() {
    if !support::kernel_is_ready() {
        return;
    }
    let folder = folder("captures");
    let (file, results) = (folder.join("packets.toml"), folder.join("results"));
    fs::write(&file, MARKED).expect("a file");
    let run = vegas_linux(&["run", &text(&file), "--json", "--pcapng", "-o", &text(&results)]);
    assert!(run.status.success(), "{}", stderr(&run));
    let summary: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let (sender, receiver) = (results.join("capture.pcapng"), results.join("capture-receiver.pcapng"));
    assert!(sender.exists() && receiver.exists());
    if let (Some(sent), Some(received)) = (tshark(&sender), tshark(&receiver)) {
        let told = summary["flows"][0]["segments_sent"].as_u64().expect("a count");
        let data = |packet: &&Seen| packet.source == "10.81.0.1" && packet.payload > 0;
        // the packets sent last may be in one of the two counts alone
        assert!(told.abs_diff(sent.iter().filter(data).count() as u64) <= 50, "{told} segments");
        const CAPABLE: u32 = 2;
        const MARKED: u32 = 3;
        let has = |packets: &[Seen], source: &str, is_it: &dyn Fn(&Seen) -> bool| {
            packets.iter().any(|packet| packet.source == source && is_it(packet))
        };
        assert!(has(&sent, "10.81.0.1", &|packet| packet.ecn == CAPABLE));
        assert!(!has(&sent, "10.81.0.1", &|packet| packet.ecn == MARKED));
        assert!(has(&received, "10.81.0.1", &|packet| packet.ecn == MARKED));
        assert!(has(&sent, "10.82.0.1", &|packet| packet.echo && !packet.syn), "the receiver echoes marks");
        assert!(!has(&received, "10.81.0.2", &|packet| packet.ecn > 0 || packet.echo));
        assert!(sent.iter().chain(&received).all(|packet| packet.checksum_is_right));
    }
    fs::remove_dir_all(&folder).expect("the test's own folder");
}

/// A packet, as tshark reads it.
struct Seen {
    source: String,
    payload: u32,
    ecn: u32,
    echo: bool,
    syn: bool,
    checksum_is_right: bool,
}

/// Reads a capture with tshark; `None` if it is not installed.
fn tshark(capture: &Path) -> Option<Vec<Seen>> {
    let fields = ["ip.src", "tcp.len", "ip.dsfield.ecn", "tcp.flags.ece", "tcp.flags.syn", "ip.checksum.status"];
    let fields = fields.iter().flat_map(|field| ["-e", field]);
    let options = ["-o", "ip.check_checksum:TRUE", "-T", "fields", "-E", "separator=;", "-r"];
    let Ok(output) = Command::new("tshark").args(options).arg(capture).args(fields).output() else {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "tshark cannot be run; install it (Debian: tshark)");
        eprintln!("SKIPPED: tshark is not installed (Debian: tshark), so captures are not read with it");
        return None;
    };
    assert!(output.status.success(), "{}", stderr(&output));
    let lines = String::from_utf8_lossy(&output.stdout);
    Some(lines.lines().map(|line| seen(line).unwrap_or_else(|| panic!("{line}"))).collect())
}

/// Parses a line of tshark's. Versions of tshark write flags as 0 and 1 or as words, and the status of a checksum as a
/// number.
fn seen(line: &str) -> Option<Seen> {
    let [source, payload, ecn, echo, syn, checksum] = line.split(';').collect::<Vec<_>>()[..] else { return None };
    let is_set = |flag: &str| ["1", "True"].contains(&flag);
    Some(Seen {
        source: source.into(),
        payload: payload.parse().ok()?,
        ecn: ecn.parse().ok()?,
        echo: is_set(echo),
        syn: is_set(syn),
        checksum_is_right: checksum == "1",
    })
}

/// Packets sent from within the senders' namespace of a run: to a flow that does not exist, from an unknown address,
/// without TCP's header.
#[test]
fn packets_that_are_no_flow_s_do_no_harm() {
    if !support::kernel_is_ready() {
        return;
    }
    let folder = folder("hostile");
    let file = folder.join("packets.toml");
    fs::write(&file, MARKED).expect("a file");
    let start = |duration: &str| {
        command(&["run", &text(&file), "--json", "--set", duration]).spawn().expect("the program runs")
    };
    let routed = |run: u32| namespace_with_address(run, Ipv4Addr::new(10, 81, 0, 1));
    let run = caught(start, |run| routed(run).is_some_and(|namespace| send_hostile(&namespace)));
    let ended = run.wait_with_output().expect("its end");
    assert!(ended.status.success(), "{}", stderr(&ended));
    let summary: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(summary["linux"]["packets_refused"], 3);
    assert!(summary["flows"][0]["throughput_mbps"].as_f64() > Some(1.0), "{summary}");
    fs::remove_dir_all(&folder).expect("the test's own folder");
}

/// Returns the network namespace, among those of the process's threads, that has this address.
fn namespace_with_address(process: u32, address: Ipv4Addr) -> Option<File> {
    let own = fs::metadata("/proc/self/ns/net").expect("Linux").ino();
    let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten();
    let mut others = threads.filter_map(|thread| File::open(thread.path().join("ns/net")).ok());
    others.find(|namespace| {
        namespace.metadata().is_ok_and(|about| about.ino() != own)
            && within(namespace, || Socket::new(Domain::IPV4, Type::DGRAM, None)?.bind(&place(address))).is_ok()
    })
}

fn place(address: Ipv4Addr) -> socket2::SockAddr {
    SocketAddrV4::new(address, 0).into()
}

/// Runs `work` in a network namespace, in a thread of its own.
fn within<T: Send>(namespace: &File, work: impl FnOnce() -> T + Send) -> T {
    let enter_and_work = || {
        setns(namespace, CloneFlags::CLONE_NEWNET).expect("a network namespace");
        work()
    };
    thread::scope(|scope| scope.spawn(enter_and_work).join()).expect("no panic")
}

/// Sends the packets; returns whether all were sent, since routes may not be there yet.
fn send_hostile(namespace: &File) -> bool {
    let mut whole = vec![0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 81, 0, 1, 10, 82, 0, 1];
    whole.extend([0x27, 0x10, 0x13, 0x89, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10, 0, 0, 0, 0, 0, 0]);
    let with = |at: usize, byte: u8| {
        let mut packet = whole.clone();
        packet[at] = byte;
        packet
    };
    let packets = [with(19, 77), with(15, 200), with(32, 0)];
    within(namespace, || {
        let socket = Socket::new(Domain::IPV4, Type::RAW, Some(Protocol::from(IPPROTO_RAW)))?;
        for packet in &packets {
            let to = Ipv4Addr::new(packet[16], packet[17], packet[18], packet[19]);
            socket.send_to(packet, &place(to))?;
        }
        Ok::<_, std::io::Error>(())
    })
    .is_ok()
}
