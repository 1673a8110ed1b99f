//! A server on loopback, and its clients.
#![allow(dead_code, reason = "each test binary uses its own part of this module")]

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_vegaslab-quic");
/// The longest wait of a test: a busy machine is slow, not wrong. Shorter than what ends a program by itself, 600 s.
const PATIENCE: Duration = Duration::from_secs(400);

/// Returns the first value that `look` gives.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what}: not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn end_of(process: &mut Child) -> ExitStatus {
    eventually("the program's end", || process.try_wait().unwrap())
}

/// More bytes than any machine transfers in a test.
pub(crate) const ENDLESS: &str = "1000000000000000";

/// A server on a free port; it ends with the test.
pub(crate) struct Server {
    pub(crate) process: Child,
    pub(crate) output: BufReader<ChildStdout>,
    pub(crate) address: String,
    pub(crate) fingerprint: String,
}

impl Server {
    pub(crate) fn start(limits: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        // so that no transfer of `begin_fetch` comes to its end
        let bytes = if limits.contains(&"--max-bytes") { &[][..] } else { &["--max-bytes", ENDLESS] };
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(limits).args(bytes);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let (address, fingerprint) = line.trim().split_once(' ').unwrap();
        Server { address: address.into(), fingerprint: fingerprint.into(), output, process }
    }

    pub(crate) fn fetch(&self, bytes: &str, algorithm: &str, fingerprint: &str) -> Output {
        let arguments = ["fetch", &self.address, bytes, "-a", algorithm, "--fingerprint", fingerprint];
        Command::new(PROGRAM).args(arguments).output().unwrap()
    }

    /// Begins a transfer that does not end.
    pub(crate) fn begin_fetch(&self) -> Child {
        self.begin_limited_fetch(&[]).unwrap()
    }

    /// Begins a transfer that does not end, unless limits do that before it has any bytes.
    pub(crate) fn begin_limited_fetch(&self, limits: &[&str]) -> Option<Child> {
        let arguments = ["fetch", &self.address, ENDLESS, "-a", "cubic", "--fingerprint", &self.fingerprint];
        let mut command = Command::new(PROGRAM);
        command.args(arguments).args(limits).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        // the first of the lines that come once a second: bytes have been received
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        if line.contains("received_bytes") {
            return Some(process);
        }
        process.wait().unwrap();
        None
    }

    /// Transfers, when there is a place.
    pub(crate) fn fetches_eventually(&self, algorithm: &str) {
        eventually("a transfer", || self.fetch("1000", algorithm, &self.fingerprint).status.success().then_some(()));
        self.fetches(algorithm);
    }

    pub(crate) fn fetches(&self, algorithm: &str) {
        let done = self.fetch("300000", algorithm, &self.fingerprint);
        let line = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let result: serde_json::Value = serde_json::from_str(line.lines().last().unwrap()).unwrap();
        let (seconds, mbps) = (result["completion_s"].as_f64().unwrap(), result["throughput_mbps"].as_f64().unwrap());
        assert!((seconds * mbps - 2.4).abs() < 1e-9, "{line}");
        assert!(result["sender"]["sent_packets"].as_u64().unwrap() > 200, "{line}");
    }

    pub(crate) fn refuses(&self, bytes: &str, algorithm: &str, fingerprint: &str, why: &str) {
        let refused = self.fetch(bytes, algorithm, fingerprint);
        let complaint = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        assert!(complaint.contains(why), "{complaint}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // the process may have ended already
        let _ = self.process.kill();
        self.process.wait().unwrap();
    }
}

/// A path of 200 ms to a server, for one client. It loses every third of the server's packets from the hundredth to the
/// sixth thousandth.
pub(crate) fn lossy_path_to(server: &str) -> String {
    let (near, far) = (UdpSocket::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    far.connect(server).unwrap();
    let address = near.local_addr().unwrap().to_string();
    let client = Arc::new(OnceLock::new());
    let (near, far) = (Arc::new(near), Arc::new(far));
    let (to_server, known) = (Arc::clone(&far), Arc::clone(&client));
    carry(
        Arc::clone(&near),
        |_| false,
        move |packet, from| {
            known.get_or_init(|| from);
            let _ = to_server.send(packet); // the server may have ended
        },
    );
    let is_lost = |packet| (100..6000).contains(&packet) && packet % 3 == 0;
    carry(far, is_lost, move |packet, _| {
        let _ = near.send_to(packet, client.get().unwrap());
    });
    address
}

/// Carries packets in one direction until the test ends.
fn carry(
    from: Arc<UdpSocket>,
    is_lost: impl Fn(u32) -> bool + Send + 'static,
    deliver: impl Fn(&[u8], SocketAddr) + Send + 'static,
) {
    let (sender, receiver) = mpsc::channel::<(Instant, Vec<u8>, SocketAddr)>();
    thread::spawn(move || {
        for (due, packet, source) in receiver {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            deliver(&packet, source);
        }
    });
    thread::spawn(move || {
        let mut buffer = [0; 2048];
        for number in 0.. {
            let Ok((size, source)) = from.recv_from(&mut buffer) else { return };
            let due = Instant::now() + Duration::from_millis(100);
            if !is_lost(number) && sender.send((due, buffer[..size].to_vec(), source)).is_err() {
                return;
            }
        }
    });
}
