//! Segments that a receiver's interface merges (GRO).

use vegas_sim::outcome::{CapturePoint, CapturedPacket};
use vegas_sim::scenario::Scenario;

/// Segments of 1000 bytes take 8 us on the slowest link.
fn packets(host: &str, bottleneck: &str) -> Vec<CapturedPacket> {
    let text = format!(
        r#"
        name = "merging"
        duration = "500ms"
        capture = true
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1tbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "1040mbit", delay = "48ms", queue = "unlimited"{bottleneck} }}
        [[flow]]
        algorithm = "newreno"
        packet = "1040b"
        initial_window = 10
        size = "10kb"
        host = {{ handshake = "none"{host} }}
        "#
    );
    let scenario = Scenario::from_toml(&text, "merging.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario).capture
}

/// Returns the acknowledgements: when each leaves, ns from the arrival of the first segment on, and the segments before
/// what it expects.
fn acks(host: &str, bottleneck: &str) -> Vec<(u64, u64)> {
    let packets = packets(host, bottleneck);
    let first = packets.iter().find(|packet| packet.point == CapturePoint::ReceiverIn).expect("data arrive").at;
    let acks = packets.iter().filter(|packet| packet.point == CapturePoint::ReceiverOut);
    acks.map(|ack| (ack.at.since(first).as_nanos(), ack.acknowledgement / 1000)).collect()
}

/// Ten segments arrive 8 us apart. An interface that holds them for 20 us merges three, and passes them on 20 us after
/// the first; the tenth is alone.
#[test]
fn what_arrives_in_time_is_merged() {
    assert_eq!(acks(r#", gro = "20us""#, ""), [(20_000, 3), (44_000, 6), (68_000, 9), (92_000, 10)]);
    let each: Vec<_> = (1..=10).map(|segment| (8_000 * (segment - 1), segment)).collect();
    assert_eq!(acks(r#", gro = "0s""#, ""), each);
    assert_eq!(acks(r#", gro = "20us", delayed_ack = "100ms""#, "")[..3], [(20_000, 3), (44_000, 6), (68_000, 9)]);
}

/// All ten come out of the bottleneck at one instant, and arrive 8 ns apart: they are one segment to TCP.
#[test]
fn a_batch_is_one_segment() {
    assert_eq!(acks(r#", gro = "1us""#, ", batch = \"10ms\""), [(1_000, 10)]);
}

/// The third segment is lost, and takes no time of the link. The two before it are passed on when the fourth does not
/// continue them; behind the hole there are two duplicates for seven segments, of which four and three are merged.
#[test]
fn what_lies_behind_a_hole_is_merged() {
    assert_eq!(acks(r#", gro = "24us""#, ", drop = [3]")[..3], [(16_000, 2), (40_000, 2), (72_000, 2)]);
}

/// Each packet of a merged segment counts as marked: a control that answers their number keeps the queue as without
/// merging, on a queue that marks above 20 packets.
#[test]
fn marks_of_merged_segments_are_counted_each() {
    let mean_queue = |host: &str| {
        let text = format!(
            r#"
            name = "counted"
            duration = "4s"
            topology.kind = "dumbbell"
            topology.access = {{ rate = "10gbit", delay = "1ms" }}
            topology.bottleneck.rate = "100mbit"
            topology.bottleneck.delay = "1ms"
            topology.bottleneck.queue = {{ kind = "step", min = 20, limit = "1000p" }}
            [[flow]]
            algorithm = "dctcp"
            host = {{ kind = "linux"{host} }}
            "#
        );
        let scenario = Scenario::from_toml(&text, "counted.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        let link = vegas_sim::run(&scenario).links.into_iter().max_by_key(|link| link.marks).expect("links");
        assert!(link.marks > 100);
        link.mean_queue_packets
    };
    let (each, merged) = (mean_queue(""), mean_queue(r#", gro = "1ms""#));
    assert!((merged / each - 1.0).abs() < 0.25, "{merged} packets for {each}");
}
