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
        error(MISBEHAVES, "ack-division"),
        "misbehaving.toml: with flow.0.receiver.misbehaves=ack-division: flow.0.receiver.misbehaves: \"ack-division\" is \
         not a misbehaviour; expected one of dupack-spoofing, conceals-marks"
    );
}
