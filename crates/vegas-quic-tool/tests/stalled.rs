//! Peers that stop answering: the memory that they cost, and how soon the server forgets them.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::process::{Child, Command};

use support::{Server, end_of, eventually};

/// Limits of a transfer: a slow machine has no bytes within the first ones.
const LIMITS_S: [&str; 4] = ["4", "16", "64", "256"];

fn signal(process: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &process.id().to_string()]).status().unwrap();
    assert!(sent.success(), "kill {name}");
}

/// Clients that are stopped in the middle of a transfer; they are killed with the test.
struct Stalled(Vec<Child>);

impl Stalled {
    fn of(server: &Server, count: usize) -> Self {
        Stalled::unless_ended(server, count).expect("transfers that begin")
    }

    /// `None` if the server's limit has ended one before it had any bytes.
    fn unless_ended(server: &Server, count: usize) -> Option<Self> {
        let stalled = Stalled((0..count).map_while(|_| server.begin_limited_fetch(&[])).collect());
        stalled.0.iter().for_each(|client| signal(client, "-STOP"));
        (stalled.0.len() == count).then_some(stalled)
    }
}

impl Drop for Stalled {
    fn drop(&mut self) {
        for client in &mut self.0 {
            let _ = client.kill();
            let _ = client.wait();
        }
    }
}

fn resident_bytes(process: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

/// Returns whether every thread of a process sleeps; one that only other processes keep waiting does not.
fn sleeps(process: &Child) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", process.id())).unwrap();
    threads.flatten().all(|thread| {
        let status = fs::read_to_string(thread.path().join("stat")).unwrap();
        status.rsplit_once(") ").is_some_and(|(_, fields)| fields.starts_with('S'))
    })
}

/// A stalled client costs a few MiB at most, whatever is left of its bytes.
#[test]
fn a_stalled_client_costs_little() {
    let server = Server::start(&[]);
    let before = resident_bytes(&server.process);
    let clients = Stalled::of(&server, 4);
    // the buffers are full when the server has nothing to do but wait, but for a probe now and then
    eventually("a server that waits", || (0..20).all(|_| sleeps(&server.process)).then_some(()));
    let each = resident_bytes(&server.process).saturating_sub(before) / clients.0.len() as u64;
    assert!(each < 6 << 20, "{each} bytes a client");
}

#[test]
fn no_place_is_free_while_clients_stall() {
    let server = Server::start(&["--max-connections", "2"]);
    let _clients = Stalled::of(&server, 2);
    server.refuses("1000", "vegas", &server.fingerprint, "refused");
}

#[test]
fn a_place_is_free_when_its_time_is_over() {
    let begun = LIMITS_S.iter().find_map(|limit| {
        let server = Server::start(&["--max-connections", "2", "--max-seconds", limit]);
        Stalled::unless_ended(&server, 2).map(|clients| (server, clients))
    });
    let (server, _clients) = begun.expect("transfers that begin");
    server.fetches_eventually("vegas");
}

#[test]
fn a_signal_ends_the_server_whatever_its_clients_do() {
    for name in ["-INT", "-TERM"] {
        let mut server = Server::start(&[]);
        let _clients = Stalled::of(&server, 2);
        signal(&server.process, name);
        let status = end_of(&mut server.process);
        assert!(status.success(), "{name}: {status:?}");
    }
}

#[test]
fn a_fetch_that_is_interrupted_leaves_its_place() {
    for (name, status) in [("-INT", 130), ("-TERM", 143)] {
        let server = Server::start(&["--max-connections", "1"]);
        let mut client = server.begin_fetch();
        signal(&client, name);
        assert_eq!(end_of(&mut client).code(), Some(status), "{name}");
        server.fetches_eventually("vegas");
    }
}

#[test]
fn a_server_that_stalls_is_given_up_in_time() {
    let server = Server::start(&[]);
    let begun = LIMITS_S.iter().find_map(|limit| server.begin_limited_fetch(&["--max-seconds", limit]));
    let mut client = begun.expect("a transfer that begins");
    signal(&server.process, "-STOP");
    assert_eq!(end_of(&mut client).code(), Some(2));
}
