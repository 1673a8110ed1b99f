//! Peers that stop answering: the memory that they cost, and how soon the server forgets them.
#![cfg(target_os = "linux")]

mod support;

use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use support::Server;

fn signal(process: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &process.id().to_string()]).status().unwrap();
    assert!(sent.success(), "kill {name}");
}

/// Returns the status of a process that ends within the span.
fn ends_within(process: &mut Child, span: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < span {
        if let Some(status) = process.try_wait().unwrap() {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(20));
    }
    None
}

/// Clients that are stopped in the middle of a transfer; they are killed with the test.
struct Stalled(Vec<Child>);

impl Stalled {
    fn of(server: &Server, count: usize) -> Self {
        let stalled = Stalled((0..count).map(|_| server.begin_fetch(&[])).collect());
        stalled.0.iter().for_each(|client| signal(client, "-STOP"));
        stalled
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
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

/// A stalled client costs a few MiB at most, whatever is left of its 4 GB.
#[test]
fn a_stalled_client_costs_little() {
    let server = Server::start(&[]);
    let before = resident_bytes(&server.process);
    let clients = Stalled::of(&server, 4);
    // data in flight fills the buffers
    thread::sleep(Duration::from_secs(1));
    let each = (resident_bytes(&server.process) - before) / clients.0.len() as u64;
    assert!(each < 6 << 20, "{each} bytes a client");
}

#[test]
fn a_place_is_free_when_its_time_is_over() {
    let server = Server::start(&["--max-connections", "2", "--max-seconds", "4"]);
    let began = Instant::now();
    let _clients = Stalled::of(&server, 2);
    server.refuses("1000", "vegas", &server.fingerprint, "refused");
    thread::sleep(Duration::from_secs(7).saturating_sub(began.elapsed()));
    server.fetches("vegas");
}

#[test]
fn a_signal_ends_the_server_whatever_its_clients_do() {
    for name in ["-INT", "-TERM"] {
        let mut server = Server::start(&[]);
        let _clients = Stalled::of(&server, 2);
        signal(&server.process, name);
        let status = ends_within(&mut server.process, Duration::from_secs(2));
        assert!(status.is_some_and(|status| status.success()), "{name}: {status:?}");
    }
}

#[test]
fn a_fetch_that_is_interrupted_leaves_its_place() {
    for (name, status) in [("-INT", 130), ("-TERM", 143)] {
        let server = Server::start(&["--max-connections", "1"]);
        let mut client = server.begin_fetch(&[]);
        signal(&client, name);
        let ended = ends_within(&mut client, Duration::from_secs(2));
        assert_eq!(ended.and_then(|ended| ended.code()), Some(status), "{name}");
        server.fetches("vegas");
    }
}

#[test]
fn a_server_that_stalls_is_given_up_in_time() {
    let server = Server::start(&[]);
    let mut client = server.begin_fetch(&["--max-seconds", "4"]);
    signal(&server.process, "-STOP");
    let ended = ends_within(&mut client, Duration::from_secs(7));
    assert_eq!(ended.and_then(|ended| ended.code()), Some(2));
}
