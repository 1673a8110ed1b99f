//! `watch` follows a transfer over loopback while it runs.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use socket2::SockRef;

use super::{command, eventually, folder, registered, stderr, text, vegas_linux};
use crate::support;

#[test]
fn a_transfer_is_seen_while_it_is_watched() {
    if !support::kernel_is_ready() || registered().contains(&"vegas_ns2".to_owned()) {
        return;
    }
    let nothing = vegas_linux(&["watch", "vegas-ns2"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(stderr(&nothing).starts_with("vegas-ns2 is not installed"));
    let folder = folder("watch");
    let file = folder.join("series.csv");
    let installed = vegas_linux(&["install", "vegas-ns2"]);
    assert!(installed.status.success(), "{}", stderr(&installed));
    let transfer = Transfer::begin("vegas_ns2", "127.0.0.1:0");
    let by_ipv6 = TcpListener::bind("[::1]:0").is_ok().then(|| Transfer::begin("vegas_ns2", "[::1]:0"));

    let mut watch = watch(&["--json", "--every", "0.1", "-o", &text(&file)]);
    let mut lines = BufReader::new(watch.stdout.take().expect("it is piped"));
    let row = until_seen(&mut lines, transfer.port);
    assert_eq!(row["algorithm"], "vegas_ns2");
    assert!(row["cwnd_segments"].as_f64().is_some_and(|window| window >= 2.0), "{row}");
    assert!(row["base_rtt_ms"].as_f64().is_some_and(|base| base > 0.0), "{row}");
    assert!(["slow-start", "avoidance", "recovery"].contains(&row["phase"].as_str().expect("a phase")), "{row}");
    assert_eq!(row["local"], format!("127.0.0.1:{}", transfer.port));
    if let Some(by_ipv6) = &by_ipv6 {
        let row = until_seen(&mut lines, by_ipv6.port);
        assert_eq!(row["local"], format!("[::1]:{}", by_ipv6.port));
        assert!(row["remote"].as_str().is_some_and(|remote| remote.starts_with("[::1]:")), "{row}");
    }
    let other = vegas_linux(&["watch", "vegas-ns2"]);
    assert_eq!(stderr(&other), "vegas_ns2 is being watched already");
    assert!(is_watched());
    interrupt(&watch);
    drain(&mut lines);
    assert_eq!(watch.wait().expect("its end").code(), Some(0));
    assert!(!is_watched());
    let csv = fs::read_to_string(&file).expect("it was written");
    let titles = "time_s,flow,cwnd_segments,ssthresh_segments,in_flight_segments,rtt_ms,base_rtt_ms,diff_segments,\
                  phase,acked_bytes,retransmits,timeouts,throughput_mbps";
    assert_eq!(csv.lines().next(), Some(titles));
    assert!(csv.lines().count() > 1);

    // the kernel goes on tracing for three seconds after a watch is killed, and then stops
    let mut killed = self::watch(&["--json"]);
    assert!(eventually(is_watched));
    killed.kill().expect("a running program");
    killed.wait().expect("its end");
    assert!(eventually(|| !is_watched()));

    // the watch ends when its reader leaves
    let mut left = self::watch(&["--every", "0.1"]);
    let mut lines = BufReader::new(left.stdout.take().expect("it is piped"));
    let mut line = String::new();
    lines.read_line(&mut line).expect("a line");
    assert!(line.contains("vegas_ns2") && line.contains("cwnd"), "{line}");
    drop(lines);
    assert_eq!(left.wait().expect("its end").code(), Some(0));

    [Some(transfer), by_ipv6].into_iter().flatten().for_each(Transfer::end);
    assert!(vegas_linux(&["remove", "vegas-ns2"]).status.success());
    fs::remove_dir_all(&folder).expect("the test's own folder");
}

#[test]
fn a_file_that_cannot_be_written_is_found_before() {
    if !support::kernel_is_ready() {
        return;
    }
    let cases =
        [("series.txt", "neither .parquet nor .csv"), ("/none/series.csv", "no file in a folder that is there")];
    for (file, named) in cases {
        let ended = vegas_linux(&["watch", "-o", file]);
        let line = stderr(&ended);
        assert_eq!(ended.status.code(), Some(2));
        assert!(line.contains(file) && line.contains(named) && line.lines().count() == 1, "{line}");
    }
}

fn watch(options: &[&str]) -> Child {
    command(&[&["watch", "vegas-ns2"], options].concat()).spawn().expect("the program runs")
}

fn interrupt(process: &Child) {
    kill(Pid::from_raw(process.id() as i32), Signal::SIGINT).expect("a running program");
}

fn drain(lines: &mut impl BufRead) {
    lines.read_to_end(&mut Vec::new()).expect("the rest can be read");
}

/// Returns the first row of the connection from this port in which bytes were acknowledged and a base RTT was measured.
fn until_seen(lines: &mut BufReader<ChildStdout>, port: u16) -> Value {
    // one comes each tenth of a second
    for line in lines.lines().take(3_000) {
        let mut step: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let rows = step["connections"].as_array_mut().expect("rows");
        let of_port = |row: &Value| row["local"].as_str().is_some_and(|local| local.ends_with(&format!(":{port}")));
        let is_told = |row: &Value| row["throughput_mbps"].as_f64() > Some(0.0) && row["base_rtt_ms"].is_f64();
        if let Some(place) = rows.iter().position(|row| of_port(row) && is_told(row)) {
            return rows.swap_remove(place);
        }
    }
    panic!("not seen in five minutes")
}

fn is_watched() -> bool {
    String::from_utf8_lossy(&vegas_linux(&["status"]).stdout).contains("watched")
}

/// A transfer over loopback that lasts as long as a test needs it.
struct Transfer {
    port: u16,
    over: std::sync::Arc<AtomicBool>,
    ends: Vec<thread::JoinHandle<()>>,
}

impl Transfer {
    fn begin(kernel_name: &str, address: &str) -> Self {
        let listener = TcpListener::bind(address).expect("a port");
        let address = listener.local_addr().expect("a port");
        let domain = socket2::Domain::for_address(address);
        let socket = socket2::Socket::new(domain, socket2::Type::STREAM, None).expect("a socket");
        SockRef::from(&socket).set_tcp_congestion(kernel_name.as_bytes()).expect("it is installed");
        socket.connect(&address.into()).expect("loopback");
        let mut sender: TcpStream = socket.into();
        let (mut receiver, _) = listener.accept().expect("loopback");
        let port = sender.local_addr().expect("a port").port();
        let over = std::sync::Arc::new(AtomicBool::new(false));
        let ends = vec![
            thread::spawn({
                let over = std::sync::Arc::clone(&over);
                move || {
                    while !over.load(Ordering::Relaxed) {
                        // full segments, which have 64 KiB on loopback: shorter ones give no sample
                        sender.write_all(&[0; 262_144]).expect("loopback");
                        super::pause();
                    }
                }
            }),
            thread::spawn(move || while receiver.read(&mut [0; 65_536]).is_ok_and(|length| length > 0) {}),
        ];
        Transfer { port, over, ends }
    }

    fn end(self) {
        self.over.store(true, Ordering::Relaxed);
        self.ends.into_iter().for_each(|end| end.join().expect("no panic"));
    }
}
