//! A receive window that grows as Linux tunes it.

use vegas_sim::outcome::{CapturePoint, CapturedPacket};
use vegas_sim::scenario::Scenario;

/// Runs a flow with these keys of its host on 1.6 Mb/s and 100 ms, where its first segment is lost; returns what
/// leaves.
fn sent(host: &str) -> Vec<CapturedPacket> {
    let text = format!(
        r#"
        name = "receive-window"
        duration = "1s"
        capture = true
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1tbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "1600kbit", delay = "48ms", queue = "unlimited", drop = [1] }}
        [[flow]]
        algorithm = "reno"
        packet = "1052b"
        initial_window = 200
        host = {{ kind = "linux", sack = false{host} }}
        "#
    );
    let scenario = Scenario::from_toml(&text, "receive-window.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let outcome = vegas_sim::run(&scenario);
    outcome.capture.into_iter().filter(|packet| packet.point == CapturePoint::SenderOut).collect()
}

/// The first segment is lost: nothing is delivered, so the receiver's window stands, and of 200 segments that the
/// congestion window has room for those within 65,535 bytes leave. A constant window has room for all.
#[test]
fn no_window_opens_over_a_hole() {
    let sent_before_repair = |window: &str| {
        let data: Vec<u64> =
            sent(window).iter().filter(|packet| packet.payload > 0).map(|packet| packet.sequence).collect();
        let repair = data.iter().skip(1).position(|first| *first == 0).expect("the lost segment leaves again");
        data[..=repair].iter().max().expect("data") / 1000 + 1
    };
    assert_eq!(sent_before_repair(", receive_window = \"linux\""), 65);
    assert_eq!(sent_before_repair(", receive_window = 1000"), 202, "limited transmit adds two");
}
