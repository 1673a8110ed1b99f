//! A server on loopback, and its clients.
#![allow(dead_code, reason = "each test binary uses its own part of this module")]

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_vegaslab-quic");

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
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(limits);
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
        Command::new(PROGRAM).args(arguments).args(["--max-seconds", "60"]).output().unwrap()
    }

    /// Begins a transfer that lasts long.
    pub(crate) fn begin_fetch(&self, more: &[&str]) -> Child {
        let arguments = ["fetch", &self.address, "4000000000", "-a", "cubic", "--fingerprint", &self.fingerprint];
        let mut command = Command::new(PROGRAM);
        command.args(arguments).args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        // the first of the lines that come once a second: bytes have been received
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("received_bytes"), "{line}");
        process
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
