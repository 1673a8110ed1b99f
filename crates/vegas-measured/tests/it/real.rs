//! One download of CUBIC from a network namespace over a second to a third, as iperf3, `ss` and tcpdump saw it at the
//! sender. The second had `tc qdisc add dev v2 root tbf rate 4mbit burst 3k limit 30k` (Linux 6.18).

use vegas_measured::PathOf;

use crate::measure::{Measured, input, of_file};

fn of(name: &str) -> Measured {
    of_file(&input(name), PathOf::Largest).unwrap_or_else(|error| panic!("{error}"))
}

/// Each of the three tells the rate, the retransmissions and the congestion control.
#[test]
fn three_views_of_a_download() {
    let [iperf3, ss, capture] = ["iperf3.json", "ss-tin.txt", "tcpdump.pcap"].map(of);
    let algorithms = iperf3.texts("flows", "algorithm");
    assert_eq!(algorithms, [Some("cubic".to_owned())]);
    assert!(ss.texts("flows", "algorithm").contains(&Some("cubic".to_owned())));
    let largest =
        |found: &Measured, column: &str| found.numbers("flows", column).into_iter().flatten().fold(0.0, f64::max);
    // iperf3 counts what has gone into the socket's buffer
    for found in [&iperf3, &capture] {
        let rate = largest(found, "goodput_mbps");
        assert!((3.5..4.6).contains(&rate), "{rate} Mb/s");
    }
    // a queue of 30 kB at 4 Mb/s, on a path without delay
    let rtt = largest(&capture, "p50_rtt_ms");
    assert!((40.0..60.0).contains(&rtt), "{rtt} ms");
    let resent = |found: &Measured| largest(found, "segments_retransmitted");
    assert_eq!([resent(&capture), resent(&iperf3)], [11.0, 11.0]);
    assert_eq!(ss.numbers("flows", "base_rtt_ms").len(), 2, "the connection of control has numbers, too");
}

#[test]
fn the_path_of_the_download() {
    let capture = of("tcpdump.pcap");
    let path = capture.report.path.as_ref().expect("a path");
    let value =
        |what: &str| path.findings.iter().find(|finding| finding.what == what).map(|found| found.value.as_str());
    assert_eq!(value("SACK"), Some("on"));
    // 4 Mb/s of Ethernet frames, each 14 bytes longer than its packet; 20 of them fit in 30 KiB, and what the bucket
    // has tokens for has left the queue earlier than at a constant rate: 2 more
    assert_eq!(value("rate"), Some("3.963 Mb/s, constant"));
    assert_eq!(value("queue limit"), Some("33000 bytes"));
}
