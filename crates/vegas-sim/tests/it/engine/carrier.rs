//! The network without its hosts: packets from outside leave it at the times that the links' arithmetic gives.

use vegas_core::units::{Span, Time};
use vegas_sim::scenario::{EcnField, Scenario};
use vegas_sim::{Carried, Carrier, Delivery, Direction, WireSize};

/// 8 Mb/s and 10 ms, so that 1000 bytes take 1 ms; access links of 8 Gb/s and 1 ms, on which they take 1 us.
const DUMBBELL: &str = r#"
    name = "carrier"
    duration = "1s"
    topology.kind = "dumbbell"
    topology.access = { rate = "8gbit", delay = "1ms" }
    topology.bottleneck = { rate = "8mbit", delay = "10ms", queue = "2p", aqt = true }
    flow = [{ algorithm = "reno", packet = "1000b" }]
"#;

fn micros(micros: u64) -> Time {
    Time::ZERO + Span::from_micros(micros)
}

fn forward(number: u64) -> Carried {
    Carried {
        flow: 0,
        direction: Direction::Forward,
        is_data: true,
        field: EcnField::NotEct,
        wire: WireSize::new(1000),
        number,
    }
}

/// By hand: 1001 us to the bottleneck, 1 ms in its transmitter, 10 ms of delay, and 1001 us on the other side are
/// 13,002 us. The second packet reaches the bottleneck 1 us later and waits 999 us; the third finds two packets and is
/// dropped.
#[test]
fn packets_come_out_when_the_links_let_them() {
    let scenario = Scenario::from_toml(DUMBBELL, "carrier.toml", &[]).expect("a scenario");
    let mut carrier = Carrier::new(&scenario);
    assert_eq!(carrier.next_event().map(|time| time > micros(13_002)), Some(true), "no flow starts by itself");
    (0..3).for_each(|number| carrier.offer(Time::ZERO, forward(number)));
    carrier.advance_to(micros(13_001));
    assert_eq!(carrier.take_delivered(), []);
    assert_eq!(carrier.next_event(), Some(micros(13_002)));
    carrier.advance_to(micros(20_000));
    let delivery = |number, at, queued_us| Delivery {
        at: micros(at),
        flow: 0,
        direction: Direction::Forward,
        wire: WireSize::new(1000),
        number,
        queued: Span::from_micros(queued_us),
        field: EcnField::NotEct,
    };
    assert_eq!(carrier.take_delivered(), [delivery(0, 13_002, 0), delivery(1, 14_002, 999)]);
    // an acknowledgement of 40 bytes: 0.04 us on access links, 40 us on the bottleneck
    carrier.offer(
        micros(20_000),
        Carried { direction: Direction::Backward, is_data: false, wire: WireSize::new(40), ..forward(9) },
    );
    carrier.advance_to(micros(40_000));
    let back = carrier.take_delivered();
    assert_eq!(back.iter().map(|it| (it.number, it.direction)).collect::<Vec<_>>(), [(9, Direction::Backward)]);
    assert_eq!(back[0].at, Time::from_nanos(20_000_000 + 12_000_000 + 40_000 + 2 * 40));
    let outcome = carrier.finish(Time::ZERO + scenario.duration);
    let drops: u64 = outcome.links.iter().map(|link| link.drops).sum();
    assert_eq!((drops, outcome.incidents.len(), outcome.incidents[0].sequence), (1, 1, 2));
}

/// Data packets that come to the receiver's host before 20 ms are held for 5 ms and keep their order: the one that
/// comes at 20.002 ms is due at once, and waits for the one before it. Acknowledgements are not held.
#[test]
fn a_schedule_holds_packets_from_outside() {
    let schedule = r#"{ limit = "5ms", points = [["0s", "5ms"], ["20ms", "0ms"]] }"#;
    let overrides = [("flow.0.delay_schedule".to_owned(), schedule.to_owned())];
    let scenario = Scenario::from_toml(DUMBBELL, "carrier.toml", &overrides).expect("a scenario");
    let mut carrier = Carrier::new(&scenario);
    for (at, number) in [(0, 0), (6_000, 1), (7_000, 2), (12_000, 3)] {
        carrier.offer(micros(at), forward(number));
    }
    carrier.offer(micros(12_000), Carried { direction: Direction::Backward, ..forward(4) });
    carrier.advance_to(micros(40_000));
    let out = carrier.take_delivered().into_iter().map(|it| (it.number, it.at)).collect::<Vec<_>>();
    let at = [(0, 18_002), (1, 24_002), (2, 24_002), (3, 25_002), (4, 25_002)];
    let (mut found, expected) = (out, at.map(|(number, at)| (number, micros(at))));
    found.sort_unstable();
    assert_eq!(found, expected);
}

/// A packet that takes 1 ms arrives every half millisecond, so the wait grows to 30 ms. CoDel selects some packets; it
/// marks those that are ECN-capable.
#[test]
fn queues_mark_what_may_be_marked() {
    let queue = ("topology.bottleneck.queue".to_owned(), CODEL.to_owned());
    let scenario = Scenario::from_toml(DUMBBELL, "carrier.toml", &[queue]).expect("a scenario");
    for (ecn_capable, field) in [(true, EcnField::Ect0), (true, EcnField::Ect1), (false, EcnField::NotEct)] {
        let mut carrier = Carrier::new(&scenario);
        for number in 0..60 {
            carrier.offer(micros(500 * number), Carried { field, ..forward(number) });
        }
        carrier.advance_to(micros(300_000));
        let delivered = carrier.take_delivered();
        let marked = delivered.iter().filter(|delivery| delivery.field == EcnField::Ce).count();
        let marks: u64 = carrier.finish(Time::ZERO + scenario.duration).links.iter().map(|link| link.marks).sum();
        assert_eq!(marks, marked as u64);
        assert_eq!((delivered.len() == 60, marked > 3), (ecn_capable, ecn_capable));
    }
}

const CODEL: &str = r#"{ kind = "codel", limit = "100p", target = "1ms", interval = "10ms", ecn = true }"#;

/// Offers a packet each 400 us, and one back each 700 us, with work at these times and at those of `next_delivery`
/// alone; returns how many packets came out, and how often there was work.
fn carry_by_deliveries(overrides: &[(&str, &str)]) -> (usize, usize) {
    let overrides: Vec<_> = overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scenario = Scenario::from_toml(DUMBBELL, "carrier.toml", &overrides).expect("a scenario");
    let mut carrier = Carrier::new(&scenario);
    let forwards = (0..500).map(|number| (micros(400 * number), forward(number)));
    let back = |number| Carried { direction: Direction::Backward, is_data: false, ..forward(1000 + number) };
    let backwards = (0..250).map(|number| (micros(700 * number), back(number)));
    let mut offers: Vec<_> = forwards.chain(backwards).collect();
    offers.sort_by_key(|(at, packet)| (*at, packet.number));
    let (mut offers, mut out, mut turns) = (offers.into_iter().peekable(), 0, 0);
    while let Some(now) = [offers.peek().map(|(at, _)| *at), carrier.next_delivery()].into_iter().flatten().min() {
        match offers.next_if(|(at, _)| *at == now) {
            Some((at, packet)) => carrier.offer(at, packet),
            None => carrier.advance_to(now),
        }
        let delivered = carrier.take_delivered();
        assert!(delivered.iter().all(|delivery| delivery.at == now), "late: {delivered:?} at {now:?}");
        out += delivered.len();
        turns += 1;
    }
    (out, turns)
}

/// On the way of a packet are three links, and a caller that waits for deliveries has nothing to do at the first two.
/// By hand: packets come to the bottleneck for 200 ms in one direction and for 175 ms in the other; it sends one a
/// millisecond, and one more waits at the end.
#[test]
fn deliveries_are_known_before_they_are_due() {
    let (out, turns) = carry_by_deliveries(&[]);
    assert_eq!(out, 201 + 176);
    assert!(turns <= 750 + out + 20, "{turns} turns for 750 packets in and {out} out");
}

/// What delays, loses, doubles or reorders packets makes no delivery come before it is announced.
#[test]
fn no_delivery_comes_unannounced() {
    const FAULTS: &str = r#"{ rate = "8mbit", delay = "10ms", queue = "5p", loss = 0.05, duplicate = 0.05, reorder = { probability = 0.1, delay = "3ms" }, jitter = "5ms" }"#;
    const CHANGE: &str =
        r#"[{ at = "50ms", link = "r1->r2", delay = "1ms" }, { at = "100ms", link = "r1->r2", rate = "80mbit" }]"#;
    const TRAFFIC: &str = r#"[{ kind = "constant", rate = "4mbit", packet = "500b" }]"#;
    for overrides in [
        vec![("topology.bottleneck", FAULTS)],
        vec![("change", CHANGE)],
        vec![("traffic", TRAFFIC)],
        vec![("topology.bottleneck.queue", CODEL), ("change", CHANGE), ("traffic", TRAFFIC)],
        vec![("sample", "change"), ("topology.bottleneck", FAULTS), ("traffic", TRAFFIC)],
    ] {
        let (out, _) = carry_by_deliveries(&overrides);
        assert!(out > 300, "{out} came out");
    }
}
