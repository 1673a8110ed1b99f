//! A Linux host without selective acknowledgements: repairs end.

use vegas_sim::outcome::FlowOutcome;
use vegas_sim::scenario::Scenario;

/// Returns the totals of a scenario's only flow.
fn flow_of(text: &str) -> FlowOutcome {
    let scenario = Scenario::from_toml(text, "without-sack", &[]).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario).flows.remove(0)
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
/// counts bursts in bytes and the SYN as delivered, retransmits 6 segments and has 0.159 Mb/s.
/// With duplicates that counted for nothing, and a flight that began from scratch with each timeout, the samples of the
/// rate were twice and eight times too high (`tcp_add_reno_sack`, `tcp_rate_skb_sent`): 1062 segments and 0.081 Mb/s.
#[test]
fn rate_samples_count_duplicates_as_arrivals() {
    let text = r#"
        name = "bbr-without-sack"
        duration = "30s"
        sample = "off"
        [topology]
        kind = "dumbbell"
        access = { rate = "100mbit", delay = "1ms" }
        bottleneck = { rate = "200kbit", delay = "49ms", queue = "5200b" }
        [[flow]]
        algorithm = "bbr1"
        packet = "310b"
        header = "52b"
        host = { kind = "linux", sack = false, timestamps = true, delayed_ack = "linux", handshake = "full" }
        "#;
    let flow = flow_of(text);
    let is_near = (flow.goodput_mbps - 0.159).abs() < 0.15 * 0.159;
    assert!(is_near && flow.segments_retransmitted <= 12, "{flow:?}");
    assert_eq!(flow.cwnd_at_slow_start_end, Some(28.0));
}
