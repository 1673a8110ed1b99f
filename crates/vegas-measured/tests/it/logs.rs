//! Each kind of log, in small: what it is taken for, and its values in the tables.

use crate::measure::{Measured, measured, refusal};

pub(crate) const SS: &str = "1700000000.0\nState Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n\
    ESTAB 0 0 10.0.0.1:40000 10.0.0.2:5201\n\
    \t cubic wscale:7,7 rto:240 rtt:40.5/2 mss:1448 cwnd:10 bytes_acked:14480 segs_out:12 data_segs_out:10 unacked:4 \
    retrans:0/1 snd_wnd:65536 minrtt:40\n\
    1700000000.1\nESTAB 0 0 10.0.0.1:40000 10.0.0.2:5201\n\
    \t cubic rtt:41/2 mss:1448 cwnd:12 ssthresh:12 bytes_acked:139480 data_segs_out:100 unacked:8 retrans:0/3 \
    snd_wnd:65536 minrtt:40\n";
pub(crate) const IPERF3: &str = r#"{"start": {"connected": [{"socket": 5, "local_host": "10.0.0.1", "local_port": 40000,
    "remote_host": "10.0.0.2", "remote_port": 5201}], "timestamp": {"timesecs": 1700000000}, "tcp_mss": 1000,
    "test_start": {"protocol": "TCP"}}, "intervals": [
    {"streams": [{"socket": 5, "start": 0, "end": 0.1, "bytes": 125000, "bits_per_second": 1e7, "retransmits": 1,
        "snd_cwnd": 10000, "rtt": 40500, "omitted": false}]},
    {"streams": [{"socket": 5, "start": 0.1, "end": 0.2, "bytes": 125000, "bits_per_second": 1e7, "retransmits": 2,
        "snd_cwnd": 12000, "rtt": 41000, "omitted": false}]}], "end": {"sender_tcp_congestion": "cubic"}}"#;
pub(crate) const QLOG: &str = r#"{"qlog_version": "0.3", "qlog_format": "JSON", "traces": [{
    "vantage_point": {"type": "server"},
    "common_fields": {"ODCID": "abcd", "time_format": "relative", "reference_time": 1700000000000}, "events": [
    {"time": 0, "name": "transport:packet_sent", "data": {
        "header": {"packet_type": "1RTT", "packet_number": 0}, "raw": {"length": 1250}}},
    {"time": 1, "name": "transport:packet_sent", "data": {
        "header": {"packet_type": "1RTT", "packet_number": 1}, "raw": {"length": 1250}}},
    {"time": 40, "name": "transport:packet_received", "data": {"header": {"packet_type": "1RTT", "packet_number": 0},
        "frames": [{"frame_type": "ack", "acked_ranges": [[0, 0]]}]}},
    {"time": 40, "name": "recovery:metrics_updated", "data": {
        "congestion_window": 12500, "latest_rtt": 40.5, "min_rtt": 40}},
    {"time": 60, "name": "recovery:packet_lost", "data": {"header": {"packet_type": "1RTT", "packet_number": 1}}},
    {"time": 60, "name": "recovery:metrics_updated", "data": {
        "congestion_window": 15000, "latest_rtt": 41, "min_rtt": 40}}]}]}"#;
pub(crate) const QLOG_SEQUENCE: &str = "\u{1e}{\"qlog_version\": \"0.3\", \"qlog_format\": \"JSON-SEQ\", \"trace\": \
    {\"vantage_point\": {\"type\": \"server\"}, \"common_fields\": {\"ODCID\": \"abcd\"}}}\n\
    \u{1e}{\"time\": 0, \"name\": \"quic:packet_sent\", \"data\": {\"header\": {\"packet_type\": \"1RTT\", \
    \"packet_number\": 0}, \"raw\": {\"length\": 1250}}}\n\
    \u{1e}{\"time\": 40, \"name\": \"quic:packet_received\", \"data\": {\"frames\": [{\"frame_type\": \"ack\", \
    \"acked_ranges\": [[0]]}]}}\n\
    \u{1e}{\"time\": 40, \"name\": \"recovery:metrics_updated\", \"data\": {\"congestion_window\": 12500, \"latest_rtt\": \
    40.5, \"min_rtt\": 40}}\n\
    \u{1e}{\"time\": 60, \"name\": \"recovery:metrics_updated\", \"data\": {\"congestion_window\": 15000, \"latest_rtt\": \
    41, \"min_rtt\": 40}}\n";
pub(crate) const TCP_PROBE: &str = "# tracer: nop\n\
    iperf3-77 [001] ..s. 5321.0: tcp_probe: src=10.0.0.1:40000 dest=10.0.0.2:5201 mark=0x0 data_len=32 snd_nxt=0x2000 \
    snd_una=0x1000 snd_cwnd=10 ssthresh=2147483647 snd_wnd=65536 srtt=40500 rcv_wnd=64256\n\
    iperf3-77 [001] ..s. 5321.1: tcp_probe: src=10.0.0.1:40000 dest=10.0.0.2:5201 mark=0x0 data_len=32 snd_nxt=0x4000 \
    snd_una=0x2000 snd_cwnd=12 ssthresh=12 snd_wnd=65536 srtt=41000 rcv_wnd=64256\n";
pub(crate) const LINK_LOG: &str = "# mahimahi mm-link (down) [trace] > log\n# queue: droptail [bytes=6000]\n\
    100 + 1504\n100 + 1504\n104 d 1 1504\n112 # 1504\n112 - 1504 12\n124 # 1504\n124 - 1504 24\n136 # 1504\n";
pub(crate) const CSV: &str = "time_s,flow,cwnd,rtt_ms,acked_bytes,temperature\n0,a,10,40.5,14480,21\n\
    0.1,a,12,41,139480,21\n";

fn of(name: &str, text: &str) -> Measured {
    measured(name, text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// A window of 10, then of 12, with round-trip times of 40.5 and 41 ms: all logs of a flow say so.
#[test]
fn the_same_flow_in_every_log() {
    let logs = [
        ("ss.txt", SS, "log of ss -ti", 0.1),
        ("iperf3.json", IPERF3, "report of iperf3", 0.2),
        ("server.qlog", QLOG, "qlog", 0.06),
        ("server.sqlog", QLOG_SEQUENCE, "qlog", 0.06),
        ("probe.txt", TCP_PROBE, "log of tcp_probe", 0.1),
        ("windows.csv", CSV, "CSV table", 0.1),
    ];
    for (name, text, taken_for, duration_s) in logs {
        for text in [text.to_owned(), format!("\u{feff}{text}"), text.replace('\n', "\r\n")] {
            let found = of(name, &text);
            assert_eq!((found.report.taken_for.as_str(), found.report.flows), (taken_for, 1), "{name}");
            assert!((found.report.duration_s - duration_s).abs() < 0.021, "{name}: {}", found.report.duration_s);
            let windows: Vec<f64> = found.numbers("flow_series", "cwnd_segments").into_iter().flatten().collect();
            assert_eq!(windows, [10.0, 12.0], "{name}");
            let times: Vec<f64> = found.numbers("flow_series", "rtt_ms").into_iter().flatten().collect();
            assert_eq!(times, [40.5, 41.0], "{name}");
            assert_eq!(found.numbers("flows", "final_cwnd_segments"), [Some(12.0)], "{name}");
        }
    }
}

#[test]
fn what_ss_counts() {
    let found = of("ss.txt", SS);
    assert_eq!(found.texts("flows", "connection"), [Some("10.0.0.1:40000 -> 10.0.0.2:5201".to_owned())]);
    assert_eq!(found.texts("flows", "algorithm"), [Some("cubic".to_owned())]);
    // 125,000 bytes in 0.1 s
    assert_eq!(found.numbers("flow_series", "delivered_mbps"), [None, Some(10.0)]);
    assert_eq!(found.numbers("flow_series", "in_flight_bytes"), [Some(4.0 * 1448.0), Some(8.0 * 1448.0)]);
    assert_eq!(found.numbers("flows", "segments_retransmitted"), [Some(3.0)]);
    assert_eq!(found.report.began_s, Some(1.7e9));
}

#[test]
fn what_iperf3_counts() {
    let found = of("iperf3.json", IPERF3);
    assert_eq!(found.texts("flows", "algorithm"), [Some("cubic".to_owned())]);
    assert_eq!(found.numbers("flows", "delivered_bytes"), [Some(250_000.0)]);
    assert_eq!(found.numbers("flows", "goodput_mbps"), [Some(10.0)]);
    assert_eq!(found.numbers("flows", "segments_retransmitted"), [Some(3.0)]);
    let stream = "{\"event\":\"start\",\"data\":{\"tcp_mss\":1000}}\n\
        {\"event\":\"interval\",\"data\":{\"streams\":[{\"socket\":5,\"start\":0,\"end\":1,\"bytes\":1250000,\
        \"snd_cwnd\":10000}]}}\n{\"event\":\"end\",\"data\":{\"sender_tcp_congestion\":\"reno\"}}\n";
    let found = of("stream.json", stream);
    assert_eq!(found.numbers("flows", "goodput_mbps"), [Some(10.0)]);
    assert_eq!(found.texts("flows", "algorithm"), [Some("reno".to_owned())]);
}

#[test]
fn what_qlog_counts() {
    let found = of("server.qlog", QLOG);
    assert_eq!(found.texts("flows", "connection"), [Some("server abcd".to_owned())]);
    assert_eq!(found.numbers("flows", "segments_sent"), [Some(2.0)]);
    assert_eq!(found.numbers("flows", "delivered_bytes"), [Some(1250.0)]);
    assert_eq!(found.texts("incidents", "kind"), [Some("loss".to_owned())]);
}

#[test]
fn what_a_link_counts() {
    let found = of("down.log", LINK_LOG);
    assert_eq!((found.report.taken_for.as_str(), found.report.links), ("log of Mahimahi's link", 1));
    assert_eq!(found.numbers("links", "drops"), [Some(1.0)]);
    assert_eq!(found.numbers("links", "max_queue_packets"), [Some(2.0)]);
    assert_eq!(found.numbers("links", "max_queueing_ms"), [Some(24.0)]);
    let used = found.numbers("links", "utilisation")[0].expect("a part");
    assert!((used - 2.0 / 3.0).abs() < 1e-9, "{used}");
}

#[test]
fn columns_that_are_not_read_are_named() {
    assert_eq!(of("windows.csv", CSV).report.odd, ["columns that are not read: temperature"]);
}

#[test]
fn one_line_names_the_place() {
    let cases: [(&str, &[u8], &str); 11] = [
        ("empty", b"", "empty: is none of the files that are read: pcap, pcapng, "),
        ("notes.txt", b"rather windy\n", "notes.txt: is none of the files that are read: pcap, pcapng, "),
        (
            "t.parquet",
            b"PAR1",
            "t.parquet: is a Parquet file, which is not read; write its table as CSV with named columns, ",
        ),
        ("c.pcap.gz", &[0x1f, 0x8b, 8, 0], "c.pcap.gz: is a gzip file; unpack it first, with gunzip"),
        ("ss.txt", b"\t cubic rtt:1/1 cwnd:10\n", "ss.txt:1: a socket's numbers without its addresses"),
        (
            "ss2.txt",
            b"ESTAB 0 0 1.1.1.1:1 2.2.2.2:2\n\t cubic rtt:1/1 cwnd:10\n",
            "ss2.txt:2: a sample without a time; write one",
        ),
        ("i.json", b"{\"intervals\": [\n{\"streams\": 7}]}", "i.json:2:14: invalid type: integer `7`"),
        ("q.qlog", b"{\"qlog_version\": \"0.3\",\n \"traces\": 7}", "q.qlog:2:13: invalid type: integer `7`"),
        ("p.txt", b"a [1] 5.0: tcp_probe: src=1\n", "p.txt:1: is no whole line of tcp_probe"),
        ("w.csv", b"time_s,cwnd\n0,1\n1,x\n", "w.csv:3: a value is no number"),
        ("l.log", b"100 + 1504\n90 + 1504\n", "l.log:2: is earlier than the line before"),
    ];
    for (name, content, beginning) in cases {
        let line = refusal(name, content);
        assert!(line.starts_with(beginning) && !line.contains('\n'), "{line}");
    }
}
