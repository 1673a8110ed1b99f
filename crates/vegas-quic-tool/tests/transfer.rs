//! The program itself, over loopback: it transfers, refuses strangers, keeps its limits, and survives a flood.

use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::process::{Child, Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_vegaslab-quic");

/// A server on a free port; gone with the test.
struct Server {
    process: Child,
    address: String,
    fingerprint: String,
}

impl Server {
    fn start(limits: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(limits);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (address, fingerprint) = line.trim().split_once(' ').unwrap();
        Server { address: address.into(), fingerprint: fingerprint.into(), process }
    }

    fn fetch(&self, bytes: &str, algorithm: &str, fingerprint: &str) -> Output {
        let arguments = ["fetch", &self.address, bytes, "-a", algorithm, "--fingerprint", fingerprint];
        Command::new(PROGRAM).args(arguments).args(["--max-seconds", "60"]).output().unwrap()
    }

    fn fetches(&self, algorithm: &str) {
        let done = self.fetch("300000", algorithm, &self.fingerprint);
        let line = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let result: serde_json::Value = serde_json::from_str(line.lines().last().unwrap()).unwrap();
        let (seconds, mbps) = (result["completion_s"].as_f64().unwrap(), result["throughput_mbps"].as_f64().unwrap());
        assert!((seconds * mbps - 2.4).abs() < 1e-9, "{line}");
        assert!(result["sender"]["sent_packets"].as_u64().unwrap() > 200, "{line}");
    }

    fn refuses(&self, bytes: &str, algorithm: &str, fingerprint: &str, why: &str) {
        let refused = self.fetch(bytes, algorithm, fingerprint);
        let complaint = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        assert!(complaint.contains(why), "{complaint}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn each_connection_has_the_algorithm_it_asks_for() {
    let server = Server::start(&[]);
    for algorithm in ["gallop", "vegas", "cubic", "dynamic", "quinn-cubic"] {
        server.fetches(algorithm);
    }
    server.refuses("1000", "rovegas", &server.fingerprint, "rovegas: signal: needs a host");
    server.refuses("1000", "tahoe", &server.fingerprint, "no algorithm is called \"tahoe\"; there are reno");
}

#[test]
fn another_certificate_is_refused() {
    let (server, other) = (Server::start(&[]), Server::start(&[]));
    server.refuses("1000", "vegas", &other.fingerprint, "not the one that was asked for");
}

#[test]
fn more_than_is_allowed_is_refused_and_the_server_goes_on() {
    let server = Server::start(&["--max-bytes", "300000"]);
    server.refuses("300001", "vegas", &server.fingerprint, &server.address);
    server.fetches("vegas");
}

/// Noise, and packets that look like QUIC's: long headers of version 1 with a connection id that names nothing.
#[test]
fn a_flood_of_bad_packets_leaves_it_serving() {
    let server = Server::start(&[]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for packet in 0..20_000_u32 {
        let mut bytes = vec![(packet * 7 + 3) as u8; 1200 - packet as usize % 1100];
        if packet % 2 == 0 {
            bytes[0] = 0xc0;
            let header = [0, 0, 0, 1, 8];
            let fits = header.len().min(bytes.len() - 1);
            bytes[1..=fits].copy_from_slice(&header[..fits]);
        }
        socket.send_to(&bytes, &server.address).unwrap();
    }
    server.fetches("gallop");
}
