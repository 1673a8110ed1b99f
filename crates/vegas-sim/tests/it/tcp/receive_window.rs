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

/// Packets come out of the bottleneck every 50 ms, nine or ten at an instant, and the application reads 10 us later.
/// The first 16 segments are acknowledged one by one. Then what the application has not read leaves less of the window
/// than was offered, and one acknowledgement covers all that came (`__tcp_ack_snd_check`), until the receiver has timed
/// a window, without time stamps, and its buffer grows. A buffer of fixed size with room beyond its window has every
/// segment acknowledged while the window grows.
#[test]
fn one_acknowledgement_covers_what_came_before_the_application_reads() {
    let covered = |window: &str| -> Vec<(u64, u64)> {
        let text = format!(
            r#"
            name = "batches"
            duration = "1s"
            capture = true
            topology.kind = "dumbbell"
            topology.access = {{ rate = "1tbit", delay = "1ms" }}
            topology.bottleneck = {{ rate = "1600kbit", delay = "48ms", queue = "unlimited", batch = "50ms" }}
            [[flow]]
            algorithm = "reno"
            packet = "1040b"
            initial_window = 10
            [flow.host]
            kind = "linux"
            delayed_ack = "linux"
            reads_after = "10us"
            timestamps = false
            receive_window = {window}
            "#
        );
        let scenario = Scenario::from_toml(&text, "batches.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        let outcome = vegas_sim::run(&scenario);
        let acks = outcome.capture.iter().filter(|packet| packet.point == CapturePoint::ReceiverOut && !packet.syn);
        let mut before = 0;
        let acks = acks.map(|ack| {
            let covered = (ack.acknowledgement - before) / 1000;
            before = ack.acknowledgement;
            (ack.at.as_nanos() / 1_000_000, covered)
        });
        acks.collect()
    };
    let tuned = covered("\"linux\"");
    assert!(tuned[..16].iter().all(|(_, segments)| *segments == 1), "{tuned:?}");
    let merged: Vec<_> = tuned[16..].iter().take_while(|(at, _)| *at < 600).collect();
    assert!(merged.windows(2).all(|pair| pair[0].0 < pair[1].0), "{tuned:?}");
    assert!(merged.iter().filter(|(_, segments)| *segments >= 9).count() >= 3, "{tuned:?}");
    assert!(covered("1000").iter().all(|(_, segments)| *segments == 1));
}
