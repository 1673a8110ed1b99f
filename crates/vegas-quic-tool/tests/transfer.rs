//! The program over loopback: it transfers, refuses unknown peers, keeps its limits, and survives a flood.

mod support;

use std::fs;
use std::io::Read;
use std::net::UdpSocket;
use std::process::Command;

use support::{ENDLESS, PROGRAM, Server, eventually, lossy_path_to};

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

/// With 6000 packets in flight every third loss is a gap of its own in the data, and quinn takes 1024 of them in what
/// is read in order.
#[test]
fn a_burst_of_losses_ends_no_transfer() {
    let server = Server::start(&["--set", "initial_window=6000"]);
    let path = lossy_path_to(&server.address);
    let arguments = ["fetch", &path, "8000000", "-a", "reno", "--fingerprint", &server.fingerprint];
    let done = Command::new(PROGRAM).args(arguments).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let told = String::from_utf8(done.stdout).unwrap();
    let result: serde_json::Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    assert_eq!((&result["lost"], &result["bytes"]), (&serde_json::Value::Null, &8_000_000.into()), "{told}");
    assert!(result["sender"]["lost_packets"].as_u64().unwrap() > 1500, "{told}");
}

/// A flood of random bytes, and of packets that look like QUIC's: long headers of version 1 with a connection id that
/// names nothing.
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

/// Checks what qvis and other viewers of qlog 0.3 expect: a record separator before each record, the format, the end of
/// the connection that wrote it, events in the order of time by the names of "QUIC event definitions for qlog", lengths
/// of sent packets, and times in milliseconds.
#[test]
fn qlog_files_are_as_viewers_want_them() {
    let folder = std::env::temp_dir().join(format!("vegaslab-qlog-{}", std::process::id()));
    fs::create_dir(&folder).unwrap();
    let server = Server::start(&["--qlog", folder.to_str().unwrap()]);
    let client = folder.join("client.sqlog");
    let arguments = ["fetch", &server.address, "300000", "-a", "gallop", "--fingerprint", &server.fingerprint];
    let done = Command::new(PROGRAM).args(arguments).args(["--qlog", client.to_str().unwrap()]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    is_qlog(&fs::read_to_string(client).unwrap(), "client");
    let from_server = folder.join("server-1.sqlog");
    let whole = || fs::read_to_string(&from_server).ok().filter(|text| text.matches("packet_sent").count() > 200);
    // the last record may not be complete yet
    let text = eventually("the server's qlog file", whole);
    is_qlog(&text[..=text.rfind('\n').unwrap()], "server");
    assert!(text.contains("\"congestion_window\":12001"), "ten packets of 1200 bytes");
    assert!(
        text.contains("\"smoothed_rtt\":333.0"),
        "milliseconds, as long as none was measured (RFC 9002, section 6.2.2)"
    );
    fs::remove_dir_all(&folder).unwrap();
}

fn is_qlog(text: &str, side: &str) {
    let mut records = text.split_terminator('\n').map(|record| {
        let json = record.strip_prefix('\u{1e}').unwrap_or_else(|| panic!("no separator: {record}"));
        serde_json::from_str::<serde_json::Value>(json).unwrap()
    });
    let header = records.next().unwrap();
    assert_eq!((&header["qlog_version"], &header["qlog_format"]), (&"0.3".into(), &"JSON-SEQ".into()));
    assert_eq!(header["trace"]["vantage_point"]["type"], side);
    let mut before_ms = 0.0;
    for event in records {
        let (name, data) = (event["name"].as_str().unwrap(), &event["data"]);
        let is_known = match name {
            "transport:packet_sent" | "transport:packet_received" | "recovery:packet_lost" => {
                let kind = data["header"]["packet_type"].as_str().unwrap();
                let has_length = name != "transport:packet_sent" || data["raw"]["length"].as_u64() > Some(20);
                let has_number = data["header"]["packet_number"].is_u64();
                ["initial", "handshake", "0RTT", "1RTT"].contains(&kind) && has_number && has_length
            }
            "recovery:metrics_updated" => data.as_object().is_some_and(|metrics| !metrics.is_empty()),
            _ => false,
        };
        assert!(is_known, "{event}");
        let time_ms = event["time"].as_f64().unwrap();
        assert!(time_ms >= before_ms, "{event}");
        before_ms = time_ms;
    }
}

/// A fetch that would last long ends in time; the server uses the given numbers; the server ends with its input.
#[test]
fn a_server_can_be_driven_by_another_program() {
    let mut server = Server::start(&["--tied", "--trace", "--set", "gamma=3", "--set", "initial_window=4"]);
    let arguments = ["fetch", &server.address, ENDLESS, "-a", "gallop", "--fingerprint", &server.fingerprint];
    // on a slow machine the bytes come late
    let has_bytes = ["3", "12", "48", "192"].iter().any(|seconds| {
        let done = Command::new(PROGRAM).args(arguments).args(["--for", seconds]).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let told = String::from_utf8(done.stdout).unwrap();
        let result: serde_json::Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
        assert!(result["completion_s"].is_null(), "{result}");
        result["bytes"].as_u64().unwrap() > 1_000_000
    });
    assert!(has_bytes);
    drop(server.process.stdin.take());
    let mut trace = String::new();
    server.output.read_to_string(&mut trace).unwrap();
    let mut lines = trace.lines();
    let columns: Vec<_> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| columns.iter().position(|column| *column == name).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(rows.len() > 10, "{trace}");
    assert!(rows.iter().all(|row| row.len() == columns.len()), "{trace}");
    assert_eq!((rows[0][column("event")], rows[0][column("cwnd_segments")]), ("start", "4"));
    assert!(server.process.wait().unwrap().success());
    let refused =
        Command::new(PROGRAM).args(["serve", "--listen", "127.0.0.1:0", "--set", "delta=1"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("there are alpha, beta, gamma"));
}
