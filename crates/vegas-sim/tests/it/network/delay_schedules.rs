//! Delays by a schedule, seen in the capture: a flow's packets come out of the last link at times that follow from when
//! they left the sender, and are held there for what the schedule allows.

use vegas_core::units::{Span, Time};
use vegas_sim::outcome::{CapturePoint, CapturedPacket, Outcome};
use vegas_sim::scenario::Scenario;

/// 1000 bytes take 1 ms at the bottleneck, and 80 us on an access link. The queue holds the largest window, so that no
/// packet is lost.
const TWO_FLOWS: &str = r#"
    name = "held"
    duration = "10s"
    sample = "off"
    capture = true
    topology.kind = "dumbbell"
    topology.access = { rate = "100mbit", delay = "1ms" }
    topology.bottleneck = { rate = "8mbit", delay = "10ms", queue = "200p" }

    [[flow]]
    algorithm = "reno"
    max_window = 60
    ack = "40b"
    delay_schedule = { limit = "10ms", points = [["0s", "0ms"], ["2s", "10ms"], ["2.1s", "2ms"], ["5s", "7ms"], ["5.004s", "0ms"], ["7s", "4ms"]] }

    [[flow]]
    algorithm = "vegas"
"#;

fn run(overrides: &[(&str, &str)]) -> Outcome {
    let overrides: Vec<_> = overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scenario = Scenario::from_toml(TWO_FLOWS, "held.toml", &overrides).unwrap_or_else(|error| panic!("{error}"));
    let outcome = vegas_sim::run(&scenario);
    assert!(outcome.incidents.iter().all(|incident| incident.link.is_none()), "no packet is lost");
    outcome
}

fn seen(outcome: &Outcome, flow: u32, point: CapturePoint, is_data: bool) -> Vec<&CapturedPacket> {
    let of = |packet: &&CapturedPacket| packet.flow == flow && packet.point == point && (packet.payload > 0) == is_data;
    outcome.capture.iter().filter(of).collect()
}

/// Returns when packets come out of a FIFO link of 8 Mb/s that is never idle while one waits, by flow: the arrival rule
/// of a queue (Lindley 1952), packet by packet. A packet reaches the queue 1.08 ms after it was sent, and the
/// receiver's host 11.08 ms after it left the transmitter.
fn out_of_fifo(outcome: &Outcome) -> [Vec<Time>; 2] {
    let mut entered: Vec<(Time, u32)> = [0, 1]
        .into_iter()
        .flat_map(|flow| seen(outcome, flow, CapturePoint::SenderOut, true))
        .map(|packet| (packet.at + Span::from_micros(1_080), packet.flow))
        .collect();
    entered.sort_unstable();
    let (mut free, mut out) = (Time::ZERO, [Vec::new(), Vec::new()]);
    for (at, flow) in entered {
        free = free.max(at) + Span::from_millis(1);
        out[flow as usize].push(free + Span::from_micros(11_080));
    }
    out
}

/// Returns by how much each packet was held, with when it came.
fn held(came: &[Time], left: &[Time]) -> Vec<(u64, u64)> {
    // packets at the end of the run are still on their way
    assert!(came.len() - left.len() < 60 && !left.is_empty());
    assert!(left.is_sorted(), "packets overtake");
    let late = |(came, left): (&Time, &Time)| {
        assert!(left >= came, "a packet left before it came");
        (came.as_nanos() / 1_000, left.since(*came).as_nanos() / 1_000)
    };
    came.iter().zip(left).map(late).collect()
}

fn times(packets: &[&CapturedPacket]) -> Vec<Time> {
    packets.iter().map(|packet| packet.at).collect()
}

/// The bottleneck itself does not change: only the flow with a schedule is held, and that as written, except shortly
/// after the delay falls, when packets wait for those before them.
#[test]
fn only_the_flow_is_held_and_only_as_written() {
    let outcome = run(&[]);
    let [came, others] = out_of_fifo(&outcome);
    let held_others = held(&others, &times(&seen(&outcome, 1, CapturePoint::ReceiverIn, true)));
    assert!(held_others.iter().all(|(_, late_us)| *late_us == 0));
    let held = held(&came, &times(&seen(&outcome, 0, CapturePoint::ReceiverIn, true)));
    assert!(held.iter().all(|(_, late_us)| *late_us <= 10_000));
    for (from_s, to_s, late_us) in [
        (0.0, 2.0, 0),
        (2.0, 2.1, 10_000),
        (2.11, 5.0, 2_000),
        (5.0, 5.004, 7_000),
        (5.012, 7.0, 0),
        (7.0, 10.0, 4_000),
    ] {
        let within = |(at_us, _): &&(u64, u64)| (from_s..to_s).contains(&(*at_us as f64 / 1e6));
        let mut late = held.iter().filter(within).map(|(_, late_us)| *late_us).peekable();
        assert!(late.peek().is_some(), "no packet comes from {from_s} s to {to_s} s");
        assert!(late.all(|late| late == late_us), "from {from_s} s to {to_s} s");
    }
    // a packet that comes when the delay has just fallen from 10 to 2 ms waits longer than 2 ms
    assert!(held.iter().any(|(at_us, late_us)| (2_100_000..2_108_000).contains(at_us) && *late_us > 2_000));
}

/// From 2 s on, the first half of each second has 10 ms, the second half 2 ms.
#[test]
fn a_schedule_begins_anew() {
    let schedule = r#"{ limit = "10ms", points = [["2s", "10ms"], ["2.5s", "2ms"]], every = "1s" }"#;
    let outcome = run(&[("flow.0.delay_schedule", schedule)]);
    let [came, _] = out_of_fifo(&outcome);
    let held = held(&came, &times(&seen(&outcome, 0, CapturePoint::ReceiverIn, true)));
    let mut halves = [0; 2];
    for (at_us, late_us) in held {
        let within_us = at_us % 1_000_000;
        match (at_us < 2_000_000, within_us) {
            (true, _) => assert_eq!(late_us, 0, "at {at_us} us"),
            (false, ..500_000) => assert_eq!(late_us, 10_000, "at {at_us} us"),
            // packets wait for those before them, until the greater delay is over
            (false, 500_000..510_000) => assert!((2_000..=10_000).contains(&late_us), "at {at_us} us"),
            _ => assert_eq!(late_us, 2_000, "at {at_us} us"),
        }
        if at_us >= 9_000_000 {
            halves[usize::from(within_us >= 500_000)] += 1;
        }
    }
    assert!(halves.iter().all(|packets| *packets > 10), "few packets come in the last second: {halves:?}");
}

/// An acknowledgement of 40 bytes takes 3.2 us on access links and 40 us on the bottleneck, where none waits: 12.0464
/// ms in all.
#[test]
fn acknowledgements_are_held_instead() {
    let schedule = r#"{ limit = "10ms", points = [["3s", "10ms"]], backward = true }"#;
    let outcome = run(&[("flow.0.delay_schedule", schedule)]);
    let [came, _] = out_of_fifo(&outcome);
    let data = held(&came, &times(&seen(&outcome, 0, CapturePoint::ReceiverIn, true)));
    assert!(data.iter().all(|(_, late_us)| *late_us == 0));
    let sent = seen(&outcome, 0, CapturePoint::ReceiverOut, false);
    let came: Vec<Time> = sent.iter().map(|packet| packet.at + Span::from_nanos(12_046_400)).collect();
    let acks = held(&came, &times(&seen(&outcome, 0, CapturePoint::SenderIn, false)));
    assert!(acks.iter().all(|(at_us, late_us)| *late_us == if *at_us < 3_000_000 { 0 } else { 10_000 }));
    assert!(acks.iter().any(|(at_us, _)| *at_us > 3_000_000));
}

/// A schedule on the bottleneck holds the packets of both flows, each where it leaves the link.
#[test]
fn a_link_holds_the_packets_of_all() {
    let schedule = r#"{ limit = "6ms", points = [["1s", "6ms"]] }"#;
    let none = r#"{ limit = "0s", points = [["0s", "0s"]] }"#;
    let outcome = run(&[("topology.bottleneck.delay_schedule", schedule), ("flow.0.delay_schedule", none)]);
    for (flow, came) in (0..).zip(out_of_fifo(&outcome)) {
        let held = held(&came, &times(&seen(&outcome, flow, CapturePoint::ReceiverIn, true)));
        // a packet comes to the far end of the bottleneck 1.08 ms before it is at the receiver's host
        let expected = |at_us: u64| if at_us < 1_001_080 { 0 } else { 6_000 };
        assert!(held.iter().all(|(at_us, late_us)| *late_us == expected(*at_us)), "flow {flow}");
    }
}

const TRACED: &str = r#"
    name = "traced"
    duration = "50s"
    capture = true
    topology.kind = "dumbbell"
    topology.access = { rate = "100mbit", delay = "1ms" }
    topology.bottleneck = { rate = "8mbit", delay = { trace = "leo-delay.csv" }, queue = "200p" }
    flow = [{ algorithm = "reno", max_window = 60 }]
"#;

fn read_traced(text: &str) -> Result<Scenario, String> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/traced.toml");
    Scenario::from_toml(text, beside, &[]).map_err(|error| error.to_string().replace(beside, "traced.toml"))
}

/// Returns the delay of the shipped trace, as its formula in `leo-hand-over.toml` says, us.
fn leo_delay_us(at_ns: u64) -> u64 {
    let (interval, within_us) = (at_ns / 15_000_000_000, at_ns % 15_000_000_000 / 1_000);
    let hand_over = if within_us < 100_000 { 30_000 } else { 0 };
    20_000 + 1_000 * (7 * interval % 13) + 200 * (within_us / 3_000_000) + hand_over
}

/// A packet has the delay of the instant at which it leaves the transmitter, and none overtakes.
#[test]
fn a_link_follows_a_delay_trace() {
    let scenario = read_traced(TRACED).expect("a scenario");
    let outcome = vegas_sim::run(&scenario);
    let [came, _] = out_of_fifo(&outcome);
    let left = times(&seen(&outcome, 0, CapturePoint::ReceiverIn, true));
    assert!(left.is_sorted() && left.len() > 10_000, "packets overtake, or few come");
    let mut waiting = 0;
    for (came, left) in came.iter().zip(&left) {
        // the other tests' bottleneck has 10 ms of delay, and the access link takes 1.08 ms
        let departure_ns = came.as_nanos() - 11_080_000;
        let delay_us = (left.as_nanos() - departure_ns) / 1_000 - 1_080;
        let expected_us = leo_delay_us(departure_ns);
        // a hand-over ends 0.1 s after it begins; for the 30 ms after that, packets wait for those before them
        let waits = delay_us > expected_us;
        waiting += u32::from(waits);
        let since_us = departure_ns % 15_000_000_000 / 1_000;
        assert!(delay_us == expected_us || waits && (100_000..130_000).contains(&since_us), "{delay_us} us");
    }
    assert!(waiting > 0);
    let backward = &scenario.links[1];
    assert_eq!((backward.delay, backward.impairments.delay_schedule.points().len()), (Span::from_millis(20), 78));
}

#[test]
fn what_goes_beside_a_delay_trace() {
    let queue = "queue = \"200p\"";
    let with = |keys: &str| read_traced(&TRACED.replace(queue, &format!("{queue}, {keys}")));
    assert_eq!(
        with(r#"delay_schedule = { limit = "1s", points = [["0s", "1s"]] }"#),
        Err("traced.toml:7: topology.bottleneck.delay_schedule: stands beside a delay that follows a trace; give one of the two".into())
    );
    assert!(
        with(r#"backward = { delay = "5ms", delay_schedule = { limit = "1s", points = [["0s", "1s"]] } }"#).is_ok()
    );
    let change = r#"change = [{ at = "1s", link = "r1->r2", delay = "1ms" }]"#;
    assert_eq!(
        read_traced(&TRACED.replace("capture = true", change)),
        Err("traced.toml:4: change.0.delay: the link's delay follows a trace; leave it out".into())
    );
}
