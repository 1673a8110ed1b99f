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

/// A SYN takes minutes on this link, so that several are answered, and the echo of the last one is older than a packet
/// can say. Only the first answer ends the handshake, and it gives no sample.
#[test]
fn only_the_first_answer_to_a_syn_counts() {
    let text = r#"
        name = "answers"
        duration = "2000s"
        topology.kind = "graph"
        topology.nodes = ["n0", "n1"]
        topology.link = [{ between = ["n0", "n1"], rate = "1bit", delay = "10s", queue = "1p" }]
        flow = [{ algorithm = "bbr3-linux", application = [{ kind = "idle" }], from = "n0", to = "n1" }]
    "#;
    let scenario = Scenario::from_toml(text, "answers.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let flow = &vegas_sim::run(&scenario).flows[0];
    assert_eq!((flow.timeouts > 3, flow.base_rtt_ms), (true, None));
}
