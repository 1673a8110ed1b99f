//! RoVegas's option as users see it: at a device from `install` or `echo` until `remove`, and in the packets meanwhile.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use nix::sched::{CloneFlags, unshare};
use socket2::{Domain, Protocol, Socket, Type};

use crate::support;

fn vegas_linux(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vegas-linux")).args(arguments).output().expect("the program runs")
}

fn refusal(arguments: &[&str]) -> String {
    let output = vegas_linux(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

fn accepted(arguments: &[&str]) -> String {
    let output = vegas_linux(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the numbers in the status line of the loopback device.
fn counts() -> Option<Vec<u64>> {
    let status = accepted(&["status"]);
    let line = status.lines().find(|line| line.starts_with("lo "))?;
    Some(line.split_whitespace().filter_map(|word| word.parse().ok()).collect())
}

/// Both ends are on this machine's loopback device; nothing of a user's is touched.
#[test]
fn the_option_is_at_a_device_until_it_is_removed() {
    if !support::kernel_is_ready() || counts().is_some() || accepted(&["status"]).contains("vegas_rovegas") {
        return;
    }
    assert!(refusal(&["install", "rovegas", "--device", "nosuch0"]).starts_with("nosuch0: no such device"));
    assert!(refusal(&["install", "gallop", "--device", "lo"]).contains("gallop asks no routers"));
    if accepted(&["status"]).starts_with("nothing") {
        assert!(refusal(&["install", "rovegas"]).contains("--device"));
    }
    accepted(&["install", "rovegas", "--device", "lo"]);
    assert!(refusal(&["echo", "lo"]).contains("lo has the option already"));
    assert_eq!(counts(), Some(vec![0, 0, 0, 0]));
    const ROUNDS: u64 = 50;
    exchange(ROUNDS);
    let counts_after = counts().expect("still there");
    let [sent, heard, without_room, malformed] = counts_after[..] else { panic!("{counts_after:?}") };
    // a round has two packets with data, and acknowledgements may travel with them
    assert!(sent >= 2 * ROUNDS && heard >= 2 * ROUNDS, "{counts_after:?}");
    assert_eq!((without_room, malformed), (0, 0));
    accepted(&["remove", "lo"]);
    assert_eq!(counts(), None);
    assert!(shared().exists(), "a later device has to tell the algorithm too");
    accepted(&["remove", "rovegas"]);
    if !accepted(&["status"]).contains("option:") {
        assert!(!shared().exists(), "{} is left", shared().display());
    }
}

/// A VLAN's device has a dot in its name, which the BPF file system does not take.
#[test]
fn devices_may_have_dots_and_the_last_one_takes_all_away() {
    if !support::kernel_is_ready() || accepted(&["status"]).contains("option:") {
        return;
    }
    thread::scope(|scope| {
        scope
            .spawn(|| {
                // a network namespace for this thread and for the programs that it starts
                unshare(CloneFlags::CLONE_NEWNET).expect("root may");
                ip(&["link", "add", "a.b", "type", "veth", "peer", "name", "a.c"]);
                accepted(&["echo", "a.b", "a.c"]);
                let status = accepted(&["status"]);
                assert!(
                    ["a.b ", "a.c "].iter().all(|device| status.lines().any(|line| line.starts_with(device))),
                    "{status}"
                );
                assert!(refusal(&["echo", "a.b"]).contains("a.b has the option already"));
                accepted(&["remove", "a.b"]);
                assert!(shared().exists(), "the other device needs it");
                accepted(&["remove", "a.c"]);
                assert!(!accepted(&["status"]).contains("option:"));
                if !accepted(&["status"]).contains("vegas_rovegas") {
                    assert!(!shared().exists(), "{} is left", shared().display());
                }
            })
            .join()
    })
    .expect("no panic");
}

/// The folder that all devices and algorithms share.
fn shared() -> &'static Path {
    Path::new("/sys/fs/bpf/vegaslab-option")
}

fn ip(arguments: &[&str]) {
    assert!(Command::new("ip").args(arguments).status().expect("iproute2").success(), "{arguments:?}");
}

/// Exchanges kilobytes in both directions over one connection with RoVegas.
fn exchange(rounds: u64) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address: SocketAddr = listener.local_addr().expect("bound");
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).expect("a socket");
    socket.set_tcp_congestion(b"vegas_rovegas").expect("installed");
    socket.set_tcp_nodelay(true).expect("a socket");
    socket.connect(&address.into()).expect("a listener");
    let (mut near, mut far) = (std::net::TcpStream::from(socket), listener.accept().expect("a connection").0);
    let mut room = [0; 1000];
    for _ in 0..rounds {
        near.write_all(&[1; 1000]).expect("written");
        far.read_exact(&mut room).expect("read");
        far.write_all(&[2; 1000]).expect("written");
        near.read_exact(&mut room).expect("read");
    }
}
