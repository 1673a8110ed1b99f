//! The packets of a handshake take places in queues.

use vegas_sim::outcome::CapturePoint;
use vegas_sim::scenario::Scenario;

/// Runs a flow of this host on 1.6 Mb/s and 100 ms with a queue of ten packets; returns the drops of its first window,
/// and the packets without data that its sender sends.
fn drops_and_bare_packets(host: &str) -> (usize, usize) {
    let text = format!(
        r#"
        name = "handshake"
        duration = "1s"
        capture = true
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1tbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "1600kbit", delay = "48ms", queue = "10p" }}
        [[flow]]
        algorithm = "reno"
        packet = "1040b"
        initial_window = 10
        host = {host}
        "#
    );
    let scenario = Scenario::from_toml(&text, "handshake.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let outcome = vegas_sim::run(&scenario);
    let drops = outcome.incidents.iter().filter(|incident| incident.link.is_some() && incident.time_s < 0.15).count();
    let sent = outcome.capture.iter().filter(|packet| packet.point == CapturePoint::SenderOut);
    (drops, sent.filter(|packet| packet.payload == 0).count())
}

/// The kernel loses the last of ten segments in a queue of ten, where the packet in the transmitter counts: the
/// handshake's acknowledgement is in front of them (`S8_iw10`). Without a handshake all find room.
#[test]
fn a_handshake_takes_places() {
    for kind in ["linux", "bsd"] {
        for (handshake, drops, bare) in [("full", 1, 2), ("none", 0, 0)] {
            let host = format!("{{ kind = \"{kind}\", handshake = \"{handshake}\" }}");
            assert_eq!(drops_and_bare_packets(&host), (drops, bare), "{host}");
        }
    }
}
