//! What the ends of a connection agree on, and what becomes of marks that the path or the receiver changes: seen in the
//! capture, in the queue's marks, and in the flow's totals.

use vegas_sim::outcome::{CapturePoint, CapturedPacket, Outcome};
use vegas_sim::scenario::Scenario;

const MARKING: &str = r#"
    name = "ecn"
    duration = "12s"
    capture = true
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck = { rate = "20mbit", delay = "10ms", queue = { kind = "step", limit = "60p", min = 20 } }
    flow = [{ algorithm = "prague", max_window = 200, host = { kind = "linux" } }]
"#;

fn run(overrides: &[(&str, &str)]) -> Outcome {
    let overrides: Vec<_> = overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scenario = Scenario::from_toml(MARKING, "ecn.toml", &overrides).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario)
}

fn marks(outcome: &Outcome) -> u64 {
    outcome.links.iter().map(|link| link.marks).sum()
}

fn drops(outcome: &Outcome) -> u64 {
    outcome.links.iter().map(|link| link.drops).sum()
}

fn flags(packet: &CapturedPacket) -> u8 {
    u8::from(packet.flags.ece) | u8::from(packet.flags.cwr) << 1 | u8::from(packet.flags.ae) << 2
}

/// The packets at a point, without or with data.
fn at(outcome: &Outcome, point: CapturePoint, data: bool) -> impl Iterator<Item = &CapturedPacket> {
    outcome.capture.iter().filter(move |packet| packet.point == point && (packet.payload > 0) == data)
}

/// The ECN fields of the data packets at a point, each once, ascending.
fn fields(outcome: &Outcome, point: CapturePoint) -> Vec<u8> {
    let fields: std::collections::BTreeSet<u8> = at(outcome, point, true).map(|packet| packet.codepoint).collect();
    fields.into_iter().collect()
}

/// The flags of SYN, SYN/ACK and the acknowledgement that ends the handshake (RFC 9768, section 3.1.2 and 3.2.2.1).
fn handshake(outcome: &Outcome) -> [u8; 3] {
    let mut sent = at(outcome, CapturePoint::SenderOut, false).map(flags);
    let answer = at(outcome, CapturePoint::ReceiverOut, false).find(|packet| packet.syn).map(flags);
    [sent.next(), answer, sent.next()].map(|flags| flags.expect("a packet of the handshake"))
}

const ACCEPTS: &str = "flow.0.host.accepts_ecn";

/// RFC 9768, table 2: a peer answers with the newest version that it has. Without counts the data have ECT(0), and
/// without any answer nothing.
#[test]
fn the_peer_decides_what_is_used() {
    for (accepts, shaken, sent) in
        [("accurate", [7, 2, 2], 0b01), ("classic", [7, 1, 0], 0b10), ("none", [7, 0, 0], 0b00)]
    {
        let outcome = run(&[(ACCEPTS, accepts)]);
        assert_eq!(handshake(&outcome), shaken, "{accepts}");
        // a retransmission has ECT where marks are counted only
        assert_eq!(fields(&outcome, CapturePoint::SenderOut).last(), Some(&sent), "{accepts}");
        assert!(drops(&outcome) > 0, "{accepts}");
        assert_eq!((marks(&outcome) > 0, outcome.flows[0].ecn_reductions > 0), (sent != 0, sent != 0), "{accepts}");
    }
}

/// A classic sender asks with two flags, and a peer without ECN leaves it without.
#[test]
fn a_classic_sender_needs_a_peer_too() {
    for (accepts, shaken, sent) in [("accurate", [3, 1, 0], 0b10), ("none", [3, 0, 0], 0b00)] {
        let outcome = run(&[(ACCEPTS, accepts), ("flow.0.algorithm", "cubic-linux"), ("flow.0.ecn", "true")]);
        assert_eq!((handshake(&outcome), fields(&outcome, CapturePoint::SenderOut)), (shaken, vec![sent]), "{accepts}");
    }
}

/// Where echoes do not count, those that answer each mark a little answer one of each window of data as Reno does: they
/// send what it sends. DCTCP counts in whole segments, as the kernel does, and grows a little earlier or later.
#[test]
fn without_counts_a_mark_is_answered_as_reno_does() {
    let of = |algorithm, kind| {
        let host = format!("{{ kind = \"{kind}\", handshake = \"full\", accepts_ecn = \"classic\" }}");
        let outcome = run(&[
            ("topology.bottleneck.queue.limit", "300p"),
            ("flow.0.algorithm", algorithm),
            ("flow.0.host", &host),
            ("flow.0.ecn", "true"),
            ("flow.0.initial_window", "10"),
        ]);
        assert!(outcome.flows[0].ecn_reductions > 5 && drops(&outcome) == 0, "{algorithm}");
        outcome
    };
    let scalable = of("{ preset = \"reno\", cut = \"scalable\" }", "bsd");
    assert_eq!(scalable.flow_series.cwnd_segments, of("reno", "bsd").flow_series.cwnd_segments);
    let goodput = |outcome: Outcome| outcome.flows[0].goodput_mbps;
    let (dctcp, reno) = (goodput(of("dctcp", "linux")), goodput(of("reno", "linux")));
    assert!((dctcp / reno - 1.0).abs() < 0.01, "{dctcp} {reno}");
}

/// Prague, which paces, halves its window then: 76 segments of 1000 bytes fill the path and the queue up to its
/// threshold, and it overshoots in the round trip until a mark is heard.
#[test]
fn without_counts_prague_halves_its_window() {
    let outcome = run(&[("topology.bottleneck.queue.limit", "300p"), (ACCEPTS, "classic")]);
    let windows = &outcome.flow_series.cwnd_segments;
    let settled = &windows[windows.len() / 2..];
    let greatest = settled.iter().copied().fold(0.0, f64::max);
    let least = settled.iter().copied().fold(f64::MAX, f64::min);
    assert!((70.0..=84.0).contains(&greatest) && (0.45..0.56).contains(&(least / greatest)), "{least} {greatest}");
    assert_eq!(drops(&outcome), 0);
}

/// RFC 9768, section 3.1.4.1: what loses the first SYN loses the second one less likely for its flags than for
/// congestion; the third one asks for nothing, and nothing leaves ECN-capable.
#[test]
fn the_third_syn_asks_for_nothing() {
    for (until, asks, sent) in [("500ms", vec![7, 7], 0b01), ("2s", vec![7, 7, 0], 0b00)] {
        let change = |time, loss| format!("{{ at = \"{time}\", link = \"r1->r2\", loss = {loss} }}");
        let outcome = run(&[("change", &format!("[{}, {}]", change("1us", 1), change(until, 0)))]);
        let syns: Vec<u8> =
            at(&outcome, CapturePoint::SenderOut, false).filter(|packet| packet.syn).map(flags).collect();
        assert_eq!((syns, fields(&outcome, CapturePoint::SenderOut)), (asks, vec![sent]), "{until}");
    }
}

/// Before the queue a bleached flow is dropped, not marked. Behind it marks vanish, and the flow hears of no congestion
/// but by losses; where all is marked, the window is the least.
#[test]
fn the_path_changes_marks() {
    let of = |link: &str, field: &str| run(&[(&format!("topology.{link}.ecn_field"), field)]);
    let bleached = of("access", "not-ect");
    assert_eq!((marks(&bleached), drops(&bleached) > 0), (0, true));
    assert_eq!(fields(&bleached, CapturePoint::SenderOut), [0b01]);
    assert_eq!(fields(&bleached, CapturePoint::ReceiverIn), [0b00]);
    let erased = of("bottleneck", "not-ect");
    assert_eq!(fields(&erased, CapturePoint::ReceiverIn), [0b00]);
    assert!(marks(&erased) > 100 && drops(&erased) > 0);
    assert_eq!(erased.flows[0].ecn_reductions, 0);
    let all = of("bottleneck", "ce");
    assert_eq!(fields(&all, CapturePoint::ReceiverIn), [0b11]);
    assert_eq!(all.flow_series.cwnd_segments.last().copied(), Some(2.0));
}

/// Re-marking changes the queue of an L4S network, not the marks: on DualPI2 CUBIC with ECT(1) has the L queue's, and
/// Prague with ECT(0) the classic queue's.
#[test]
fn remarked_packets_keep_their_marks() {
    let queue = ("topology.bottleneck.queue", r#"{ kind = "dualpi2", limit = "10000p" }"#);
    let cubic = [("flow.0.algorithm", "cubic-linux"), ("flow.0.ecn", "true")];
    for (field, seen, algorithm, waited_in) in
        [("ect1", 0b01, &cubic[..], "low-latency"), ("ect0", 0b10, &[], "classic")]
    {
        let outcome = run(&[&[queue, ("topology.access.ecn_field", field)], algorithm].concat());
        assert_eq!(fields(&outcome, CapturePoint::ReceiverIn), [seen, 0b11], "{field}");
        assert!(outcome.flows[0].ecn_reductions > 0, "{field}");
        let queues = outcome.links.iter().flat_map(|link| &link.queues);
        let marked: Vec<&str> = queues.filter(|queue| queue.marks > 0).map(|queue| &*queue.name).collect();
        assert_eq!(marked, [waited_in], "{field}");
    }
}

/// Packets that are not ECN-capable stay so.
#[test]
fn a_flow_without_ecn_is_not_changed() {
    let cubic = [("flow.0.algorithm", "cubic-linux"), ("topology.bottleneck.ecn_field", "ce")];
    assert_eq!(fields(&run(&cubic), CapturePoint::ReceiverIn), [0b00]);
}

/// A receiver may lie about counts, too: without marks the queue is full, with a mark of each packet the window is the
/// least.
#[test]
fn a_receiver_lies_about_marks() {
    let of = |rule: &str| run(&[("flow.0.receiver.misbehaves", rule)]);
    let (concealed, inflated) = (of("conceals-marks"), of("inflates-marks"));
    assert!(concealed.flows[0].ecn_reductions == 0 && drops(&concealed) > 0 && marks(&concealed) > 0);
    assert!(inflated.flows[0].ecn_reductions > 0 && marks(&inflated) == 0);
    assert_eq!(inflated.flow_series.cwnd_segments.last().copied(), Some(2.0));
}

/// After a timeout Prague opens its window again, on a host that knows no recovery from a timeout, too.
#[test]
fn prague_opens_its_window_after_a_timeout() {
    let hole = r#"[{ at = "3s", link = "r1->r2", loss = 1 }, { at = "4s", link = "r1->r2", loss = 0 }]"#;
    for host in ["bsd", "linux"] {
        let host = format!("{{ kind = \"{host}\" }}");
        let outcome = run(&[("change", hole), ("flow.0.host", &host)]);
        let window = outcome.flow_series.cwnd_segments.last().copied().expect("a row");
        assert!(outcome.flows[0].timeouts > 0 && window > 50.0, "{host}: {window}");
    }
}
