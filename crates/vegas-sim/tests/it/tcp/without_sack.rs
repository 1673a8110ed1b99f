//! A Linux host without selective acknowledgements: repairs end.

use vegas_sim::outcome::FlowOutcome;
use vegas_sim::scenario::Scenario;

/// Returns the totals of a scenario's only flow.
fn flow_of(text: &str) -> FlowOutcome {
    let scenario = Scenario::from_toml(text, "without-sack", &[]).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario).flows.remove(0)
}

/// A flow in small packets over 200 kb/s, with a queue of 16 packets.
fn slow_path(algorithm: &str) -> String {
    format!(
        r#"
        name = "slow-path"
        duration = "30s"
        sample = "off"
        [topology]
        kind = "dumbbell"
        access = {{ rate = "100mbit", delay = "1ms" }}
        bottleneck = {{ rate = "200kbit", delay = "49ms", queue = "5200b" }}
        [[flow]]
        algorithm = "{algorithm}"
        packet = "310b"
        header = "52b"
        host = {{ kind = "linux", sack = false, timestamps = true, delayed_ack = "linux", handshake = "full" }}
        "#
    )
}

/// A queue overflows, and the first retransmission is lost with it. The timeout's repair retransmits segments that had
/// arrived or were on their way; their duplicates began recovery after recovery, with 1429 retransmissions and a
/// goodput of 0.48 Mb/s. By hand: 268 segments of the receive window are outstanding at most, and about half of them
/// wait to be acknowledged when the timeout's repair begins.
#[test]
fn a_lost_retransmission_begins_no_endless_recovery() {
    let text = r#"
        name = "without-sack"
        duration = "60s"
        sample = "off"
        [topology]
        kind = "dumbbell"
        access = { rate = "1gbit", delay = "1ms" }
        bottleneck = { rate = "2mbit", delay = "49ms", queue = "100p", drop = [100] }
        [[flow]]
        algorithm = "reno-linux"
        packet = "1500b"
        host = { kind = "linux", sack = false, receive_window = 268 }
        "#;
    let flow = flow_of(text);
    assert!(flow.segments_retransmitted < 134 && flow.goodput_mbps > 1.8, "{flow:?}");
}

/// BBR version 1 on a slow path. Linux 6.12 over it, in the kernel's world, leaves STARTUP with a window of 28, which
/// counts bursts in bytes and the SYN as delivered, retransmits 6 segments, one of them after a timeout (what is in
/// flight is counted again at a recovery's end: `tcp_reset_reno_sack`), and has 0.159 Mb/s. With duplicates that
/// counted for nothing, and a flight that began from scratch with each timeout, the samples of the rate were twice and
/// eight times too high (`tcp_add_reno_sack`, `tcp_rate_skb_sent`): 1062 segments and 0.081 Mb/s.
#[test]
fn rate_samples_count_duplicates_as_arrivals() {
    let flow = flow_of(&slow_path("bbr1"));
    assert!((flow.goodput_mbps - 0.159).abs() < 0.01 * 0.159, "{flow:?}");
    assert_eq!((flow.segments_retransmitted, flow.timeouts), (6, 1));
    assert_eq!(flow.cwnd_at_slow_start_end, Some(28.0));
}

/// Two more over the same path: in Linux 6.12 Scalable TCP retransmits 96 segments without a timeout and has 0.155
/// Mb/s, YeAH 85 and as much. Each partial acknowledgement of a recovery finds a loss, and so takes a segment of the
/// window once what arrived before is used up (`tcp_cwnd_reduction`): with one that leaves at once the queue overflows
/// in the recovery, and what was lost there waits for a timeout.
#[test]
fn a_recovery_gives_no_more_than_has_arrived() {
    for (algorithm, retransmitted) in [("scalable", 96_u64), ("yeah", 85)] {
        let flow = flow_of(&slow_path(algorithm));
        assert!(flow.segments_retransmitted.abs_diff(retransmitted) <= 3, "{flow:?}");
        assert!(flow.timeouts == 0 && (flow.goodput_mbps - 0.155).abs() < 0.01 * 0.155, "{flow:?}");
    }
}
