//! Receivers that break the rules, seen in the capture and in the flow's totals.

use vegas_sim::outcome::{CapturePoint, Outcome};
use vegas_sim::scenario::Scenario;

const ONE_FLOW: &str = r#"
    name = "misbehaving"
    duration = "20s"
    capture = true
    topology.kind = "dumbbell"
    topology.access = { rate = "100mbit", delay = "1ms" }
    topology.bottleneck = { rate = "10mbit", delay = "20ms", queue = "60p" }
    flow = [{ algorithm = "reno", max_window = 30 }]
"#;

fn run(overrides: &[(&str, &str)]) -> Outcome {
    let overrides: Vec<_> = overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scenario = Scenario::from_toml(ONE_FLOW, "misbehaving.toml", &overrides).expect("a scenario");
    vegas_sim::run(&scenario)
}

fn count(outcome: &Outcome, point: CapturePoint) -> usize {
    outcome.capture.iter().filter(|packet| packet.point == point).count()
}

const MISBEHAVES: &str = "flow.0.receiver.misbehaves";

/// On a path that loses nothing, three duplicates make a sender of Reno retransmit; an honest receiver never does.
#[test]
fn spoofed_duplicates_look_like_losses() {
    let honest = run(&[]);
    assert_eq!(count(&honest, CapturePoint::ReceiverOut), count(&honest, CapturePoint::ReceiverIn));
    assert_eq!(honest.flows[0].segments_retransmitted, 0);
    let spoofed = run(&[(MISBEHAVES, "dupack-spoofing")]);
    assert_eq!(count(&spoofed, CapturePoint::ReceiverOut), 4 * count(&spoofed, CapturePoint::ReceiverIn));
    assert!(spoofed.flows[0].segments_retransmitted > 0);
    assert!(spoofed.links.iter().all(|link| link.drops == 0));
}

/// The queue marks what it would drop: an honest receiver has the sender reduce its window, the other does not.
#[test]
fn concealed_marks_reduce_nothing() {
    let queue = r#"{ kind = "codel", limit = "60p", target = "1ms", interval = "20ms", ecn = true }"#;
    let of = |more: &[(&str, &str)]| {
        let mut overrides =
            vec![("topology.bottleneck.queue", queue), ("flow.0.ecn", "true"), ("flow.0.max_window", "200")];
        overrides.extend(more);
        run(&overrides)
    };
    let (honest, concealed) = (of(&[]), of(&[(MISBEHAVES, "conceals-marks")]));
    let marks = |outcome: &Outcome| outcome.links.iter().map(|link| link.marks).sum::<u64>();
    assert!(marks(&honest) > 0 && honest.flows[0].ecn_reductions > 0);
    assert!(marks(&concealed) > marks(&honest));
    assert_eq!(concealed.flows[0].ecn_reductions, 0);
}

/// Losses that the receiver conceals reduce nothing, and what is lost is never delivered. The sender never sees an
/// acknowledgement of what it has not sent as one of what it has.
#[test]
fn losses_of_an_optimistic_receiver_are_concealed() {
    let lossy = [("topology.bottleneck.loss", "1%"), ("flow.0.size", "3mb")];
    let honest = run(&lossy);
    assert!(honest.flows[0].segments_retransmitted > 0);
    assert_eq!(honest.flows[0].delivered_bytes, 3_000_000);
    let mut round_trips = Vec::new();
    for ahead in ["0", "10"] {
        let mut overrides = lossy.to_vec();
        overrides.extend([(MISBEHAVES, "optimistic-acks"), ("flow.0.receiver.ahead", ahead)]);
        let optimistic = run(&overrides);
        let flow = &optimistic.flows[0];
        assert_eq!((flow.segments_retransmitted, flow.timeouts), (0, 0), "ahead {ahead}");
        let lost: u64 = optimistic.links.iter().map(|link| link.drops).sum();
        assert!(lost > 0);
        // full segments have 960 bytes of payload
        assert_eq!(flow.delivered_bytes, 3_000_000 - 960 * lost, "ahead {ahead}");
        assert_eq!(flow.completion_s, None, "what the receiver lacks is not complete");
        round_trips.push(flow.mean_rtt_ms.expect("samples"));
    }
    // ten segments of 1000 bytes take 8 ms at 10 Mb/s: what is acknowledged ahead seems to return that much earlier, or
    // more
    assert!(round_trips[1] < round_trips[0] - 7.0, "{round_trips:?}");
}

/// On a path that loses nothing the receiver has everything, later than the sender believes: a transfer is complete
/// when its last byte has arrived.
#[test]
fn a_transfer_acknowledged_ahead_is_complete_when_it_has_arrived() {
    let overrides = [
        ("topology.bottleneck.queue", "200p"),
        ("flow.0.size", "960kb"),
        ("flow.0.max_window", "60"),
        (MISBEHAVES, "optimistic-acks"),
        ("flow.0.receiver.ahead", "40"),
    ];
    for until_complete in ["true", "false"] {
        let outcome = run(&[&overrides[..], &[("until_complete", until_complete)]].concat());
        let flow = &outcome.flows[0];
        let arrived = outcome.capture.iter().rfind(|packet| packet.point == CapturePoint::ReceiverIn).expect("data");
        assert_eq!(flow.delivered_bytes, 960_000);
        assert_eq!(flow.completion_s, Some(arrived.at.as_nanos() as f64 / 1e9));
        // some acknowledgements were ahead of the data that came in at that time
        let mut newest = 0;
        let mut ahead = 0;
        for packet in &outcome.capture {
            match packet.point {
                CapturePoint::ReceiverIn => newest = newest.max(packet.sequence + u64::from(packet.payload)),
                CapturePoint::ReceiverOut => ahead += u32::from(packet.acknowledgement > newest),
                _ => {}
            }
        }
        assert_eq!(ahead, 1_000, "one for each segment");
    }
}

/// An acknowledgement of what was not sent is ignored: with a window of four segments none that is ahead by twelve
/// counts, and the flow is that of a receiver that is ahead by nothing.
#[test]
fn acknowledgements_of_unsent_data_are_ignored() {
    let of = |ahead| {
        run(&[("flow.0.max_window", "4"), (MISBEHAVES, "optimistic-acks"), ("flow.0.receiver.ahead", ahead)]).flows
    };
    assert_eq!(of("12")[0], of("0")[0]);
    assert_ne!(of("1")[0], of("0")[0]);
}

/// A sender that counts bytes grows as if acknowledgements were whole; one that counts acknowledgements opens its
/// window as many times as fast in slow start.
#[test]
fn divided_acknowledgements_open_the_window_of_a_sender_that_counts_them() {
    const DIVIDED: &[(&str, &str)] = &[(MISBEHAVES, "ack-division"), ("flow.0.receiver.parts", "4")];
    let of = |more: &[(&str, &str)]| {
        run(&[&[("duration", "160ms"), ("flow.0.max_window", "500"), ("topology.bottleneck.queue", "600p")], more]
            .concat())
    };
    let honest = of(&[]);
    let bytes = of(DIVIDED);
    assert_eq!(count(&bytes, CapturePoint::ReceiverOut), 4 * count(&bytes, CapturePoint::ReceiverIn));
    assert_eq!(bytes.flows[0].final_cwnd_segments, honest.flows[0].final_cwnd_segments);
    let acks = of(&[DIVIDED, &[("flow.0.host", "{ byte_counting = false }")]].concat());
    // in three round trips: 1, 2, 4, 8; and 1, 2 (before the first whole segment nothing counts), 10, 50
    assert_eq!((honest.flows[0].final_cwnd_segments, acks.flows[0].final_cwnd_segments), (8.0, 50.0));
    assert_eq!(acks.flows[0].segments_retransmitted, 0);
}

/// Parts that repair a hole, or that repeat, are neither duplicates nor counted twice.
#[test]
fn divided_acknowledgements_survive_losses() {
    for recovery in ["reno", "newreno", "sack"] {
        for host in ["{ byte_counting = false }", "linux"] {
            let mut overrides = vec![
                ("topology.bottleneck.loss", "1%"),
                ("topology.bottleneck.backward", r#"{ reorder = { probability = "20%", delay = "1ms" } }"#),
                ("flow.0.size", "3mb"),
                (MISBEHAVES, "ack-division"),
                ("flow.0.host", host),
            ];
            if host != "linux" {
                overrides.push(("flow.0.recovery", recovery));
            }
            let outcome = run(&overrides);
            assert_eq!(outcome.flows[0].delivered_bytes, 3_000_000, "{recovery}, {host}");
            assert!(outcome.flows[0].completion_s.is_some(), "{recovery}, {host}");
        }
    }
}

#[test]
fn what_a_receiver_cannot_do() {
    let error = |key: &str, value: &str| {
        let overrides = [(key.to_owned(), value.to_owned())];
        Scenario::from_toml(ONE_FLOW, "misbehaving.toml", &overrides).expect_err(value).to_string()
    };
    assert_eq!(
        error(MISBEHAVES, "conceals-marks"),
        "misbehaving.toml: with flow.0.receiver.misbehaves=conceals-marks: flow.0.receiver.misbehaves: conceals what is \
         not there; write flow.0.ecn = true, or leave it out"
    );
    assert_eq!(
        error(MISBEHAVES, "bribes"),
        "misbehaving.toml: with flow.0.receiver.misbehaves=bribes: flow.0.receiver.misbehaves: \"bribes\" is not a \
         misbehaviour; expected one of dupack-spoofing, conceals-marks, inflates-marks, optimistic-acks, ack-division"
    );
    let receiver = |given| error("flow.0.receiver", given);
    let key = "misbehaving.toml: with flow.0.receiver=";
    assert_eq!(
        receiver(r#"{ misbehaves = "ack-division", ahead = 3 }"#),
        format!(
            "{key}{{ misbehaves = \"ack-division\", ahead = 3 }}: flow.0.receiver.ahead: has no meaning here; leave it out, \
             or write misbehaves = \"optimistic-acks\""
        )
    );
    assert_eq!(
        receiver(r#"{ misbehaves = "ack-division", parts = 1 }"#),
        format!(
            "{key}{{ misbehaves = \"ack-division\", parts = 1 }}: flow.0.receiver.parts: 1 was given; expected a whole \
             number from 2 to 100"
        )
    );
}

/// A flow by QUIC refuses the receivers of TCP, with the reason.
#[test]
fn quic_refuses_receivers_of_tcp() {
    let overrides = [("flow.0.transport", "quic"), ("capture", "false"), (MISBEHAVES, "optimistic-acks")];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let error =
        Scenario::from_toml(ONE_FLOW, "misbehaving.toml", &overrides).expect_err("no such receiver").to_string();
    assert!(error.contains("flow.0.receiver: is TCP's: a QUIC sender skips packet numbers"), "{error}");
    assert!(error.contains("(RFC 9000, section 21.4); leave it out, or write transport = \"tcp\""), "{error}");
}

#[test]
fn an_optimistic_receiver_delays_nothing() {
    let overrides = [(MISBEHAVES, "optimistic-acks"), ("flow.0.delayed_ack", "100ms")];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let error = Scenario::from_toml(ONE_FLOW, "misbehaving.toml", &overrides).expect_err("no delay").to_string();
    assert!(error.ends_with("acknowledges each segment at once; leave delayed_ack out"), "{error}");
}
