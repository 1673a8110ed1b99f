//! Compares totals and series with the packets and with each other: the tests calculate a run's totals again from the
//! capture and from the rows of `sample = "change"`. They also compare networks with times worked out by hand.

use std::cmp::Reverse;

use vegas_core::units::{Span, Time};
use vegas_sim::outcome::{CapturePoint, CapturedPacket, IncidentKind, Outcome};
use vegas_sim::scenario::Scenario;

fn scenario(text: &str) -> Scenario {
    let mut scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    scenario.capture = true;
    scenario
}

/// Different flows over one bottleneck that begin and end at different times, with losses; all of them end.
const CROWD: &str = r#"
name = "crowd"
duration = "30s"
sample = "change"
seed = 3
topology = { kind = "dumbbell", access = { rate = "100mbit", delay = "1ms" }, bottleneck = { rate = "4mbit", delay = "10ms", queue = "8p", loss = 0.01, duplicate = 0.01, reorder = { probability = 0.01, delay = "3ms" } } }

[[flow]]
algorithm = "reno"
size = "480000b"

[[flow]]
algorithm = "sack"
start = "700ms"
size = "300kb"
delayed_ack = "40ms"

[[flow]]
algorithm = "vegas"
start = "300ms"
stop = "3s"

[[flow]]
algorithm = "newreno"
start = "2s"
size = "200001b"
packet = "1500b"
"#;

const BOTTLENECK: &str = "r1->r2";

fn link(scenario: &Scenario, name: &str) -> usize {
    let name_of =
        |link: &vegas_sim::scenario::LinkSpec| format!("{}->{}", scenario.nodes[link.from], scenario.nodes[link.to]);
    scenario.links.iter().position(|link| name_of(link) == name).expect("a link")
}

fn seen(outcome: &Outcome, flow: usize, point: CapturePoint) -> impl Iterator<Item = &CapturedPacket> {
    outcome.capture.iter().filter(move |packet| packet.flow as usize == flow && packet.point == point)
}

/// The integral of a step function over time, from its rows (time, value); 0 before the first.
fn integral(rows: impl Iterator<Item = (f64, f64)>, end: f64) -> f64 {
    let (mut sum, mut since, mut held) = (0.0, 0.0, 0.0);
    for (time, value) in rows {
        assert!(time >= since, "rows are out of order: {time} after {since}");
        sum += held * (time - since);
        (since, held) = (time, value);
    }
    sum + held * (end - since)
}

fn assert_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {found}, but worked out {expected}");
}

#[test]
fn mean_queue_is_the_integral_of_its_rows() {
    let scenario = scenario(CROWD);
    let outcome = vegas_sim::run(&scenario);
    let series = &outcome.link_series;
    for (id, total) in outcome.links.iter().enumerate() {
        let rows: Vec<usize> = (0..series.link.len()).filter(|&row| series.link[row] as usize == id).collect();
        let packets = rows.iter().map(|&row| (series.time_s[row], f64::from(series.queue_packets[row])));
        assert_close(integral(packets, 30.0) / 30.0, total.mean_queue_packets, "mean queue");
        let most = rows.iter().map(|&row| u64::from(series.queue_packets[row])).max().unwrap_or(0);
        assert_eq!(most, total.max_queue_packets, "greatest queue");
        let last = *rows.last().expect("rows");
        assert_eq!((series.queue_packets[last], series.queue_bytes[last]), (0, 0), "all flows have ended");
        assert_eq!(series.drops[last], total.drops);
    }
    assert!(outcome.links[link(&scenario, BOTTLENECK)].mean_queue_packets > 0.1);
    assert!(series.time_s.is_sorted());
    assert!(outcome.flow_series.time_s.is_sorted());
}

/// The busy time is the transmission time of all packets that were not dropped; the rows add up to it, too.
#[test]
fn utilisation_is_the_time_of_the_bits() {
    let scenario = scenario(CROWD);
    let outcome = vegas_sim::run(&scenario);
    let id = link(&scenario, BOTTLENECK);
    let header = 40;
    let sent = |packet: &CapturedPacket| packet.point == CapturePoint::SenderOut;
    let offered: u64 =
        outcome.capture.iter().filter(|packet| sent(packet)).map(|p| u64::from(p.payload) + header).sum();
    let drops = outcome.incidents.iter().filter(|incident| incident.link == Some(id as u32));
    let dropped: u64 = drops
        .map(|drop| {
            assert!(matches!(drop.kind, IncidentKind::QueueDrop | IncidentKind::Loss));
            let same = |p: &&CapturedPacket| sent(p) && (p.flow, p.sequence) == (drop.flow, drop.sequence);
            u64::from(outcome.capture.iter().find(same).expect("it was sent").payload) + header
        })
        .sum();
    assert!(dropped > 10_000, "too little goes wrong to test anything: {dropped}");
    let busy_s = (offered - dropped) as f64 * 8.0 / 4e6;
    assert_close(outcome.links[id].utilisation, busy_s / 30.0, "utilisation");

    let series = &outcome.link_series;
    let (mut since, mut busy, mut bits) = (0.0, 0.0, 0.0);
    for row in (0..series.link.len()).filter(|&row| series.link[row] as usize == id) {
        let step = series.time_s[row] - since;
        busy += series.utilisation[row] * step;
        bits += series.throughput_mbps[row] * 1e6 * step;
        since = series.time_s[row];
    }
    assert_close(busy, busy_s, "busy time of the rows");
    assert_close(bits, busy_s * 4e6, "bits of the rows");
}

#[test]
fn a_flows_totals_are_those_of_its_packets_and_rows() {
    let scenario = scenario(CROWD);
    let outcome = vegas_sim::run(&scenario);
    let series = &outcome.flow_series;
    for (id, total) in outcome.flows.iter().enumerate() {
        let last_ack = seen(&outcome, id, CapturePoint::SenderIn).max_by_key(|p| (p.acknowledgement, Reverse(p.at)));
        let end = last_ack.expect("acknowledgements").at.as_nanos() as f64 / 1e9;
        let active = end - total.start_s;
        let wire: u64 = seen(&outcome, id, CapturePoint::ReceiverIn).map(|packet| u64::from(packet.wire)).sum();
        assert_close(total.throughput_mbps, wire as f64 * 8e-6 / active, "throughput");
        let bytes = last_ack.map_or(0, |packet| packet.acknowledgement);
        assert_eq!(total.delivered_bytes, bytes);
        assert_close(total.goodput_mbps, bytes as f64 * 8e-6 / active, "goodput");
        assert_eq!(total.segments_sent, seen(&outcome, id, CapturePoint::SenderOut).count() as u64);
        let rows = (0..series.flow.len()).filter(|&row| series.flow[row] as usize == id);
        let window = rows.map(|row| (series.time_s[row], series.cwnd_segments[row]));
        assert_close(total.mean_cwnd_segments, integral(window, end) / active, "mean window");
        match scenario.flows[id].size {
            Some(size) => {
                assert_eq!(bytes, size.get());
                assert_close(total.completion_s.expect("it has ended"), active, "completion");
            }
            None => assert_eq!(total.completion_s, None, "a flow without a size that was stopped is cut short"),
        }
    }
    let stopped =
        seen(&outcome, 2, CapturePoint::SenderOut).filter(|packet| packet.at > Time::ZERO + Span::from_secs(3));
    let new = stopped.filter(|late| {
        !seen(&outcome, 2, CapturePoint::SenderOut).any(|p| p.sequence == late.sequence && p.at < late.at)
    });
    assert_eq!(new.count(), 0, "nothing new after the stop");
}

/// Five packets arrive at once at a queue of three, 1 ms each, as in golden/drop-tail.txt. Each offer and each
/// departure has a row, in their order within an instant.
#[test]
fn every_change_of_a_queue_is_a_row() {
    let outcome = vegas_sim::run(&scenario(
        r#"
        name = "x"
        duration = "9ms"
        sample = "change"
        topology = { kind = "graph", nodes = ["s", "d"], link = [{ between = ["s", "d"], rate = "8mbit", delay = "20ms", queue = "3p" }] }
        [[flow]]
        algorithm = "reno"
        from = "s"
        to = "d"
        initial_window = 5
        "#,
    ));
    let series = &outcome.link_series;
    let rows: Vec<_> = (0..series.link.len())
        .map(|row| {
            let milliseconds = (series.time_s[row] * 1e3).round() as u32;
            assert_eq!(series.link[row], 0, "nothing has arrived yet");
            (milliseconds, series.queue_packets[row], series.queue_bytes[row], series.drops[row])
        })
        .collect();
    let expected = [
        (0, 0, 0, 0), // the first packet is in the transmitter
        (0, 1, 1000, 0),
        (0, 2, 2000, 0),
        (0, 2, 2000, 1),
        (0, 2, 2000, 2),
        (1, 1, 1000, 2),
        (2, 0, 0, 2),
        (3, 0, 0, 2), // the last packet has left
    ];
    assert_eq!(rows, expected);
    assert_eq!(series.utilisation[5..], [1.0, 1.0, 1.0]);
    // waiting: 2 for 1 ms and 1 for 1 ms, of 9 ms; busy 3 ms
    assert_close(outcome.links[0].mean_queue_packets, 3.0 / 9.0, "mean queue");
    assert_close(outcome.links[0].utilisation, 3.0 / 9.0, "utilisation");
}

/// Returns the time of a transfer of one segment, which is one unloaded round trip, ms.
fn round_trip_ms(text: &str) -> f64 {
    let outcome = vegas_sim::run(&scenario(text));
    outcome.flows[0].completion_s.expect("it has ended") * 1e3
}

/// All links have 8 Mb/s: 1000 bytes take 1 ms per link, 40 bytes 0.04 ms.
fn parking_lot(hops: u32, flow: &str) -> String {
    format!(
        r#"
        name = "x"
        duration = "10s"
        [topology]
        kind = "parking-lot"
        hops = {hops}
        access = {{ rate = "8mbit", delay = "1ms" }}
        bottleneck = {{ rate = "8mbit", delay = "10ms", queue = "10p" }}
        [[flow]]
        algorithm = "reno"
        size = "960b"
        {flow}
        "#
    )
}

#[test]
fn a_parking_lots_delays() {
    // five links: 5 x 1 + 1 + 3 x 10 + 1 = 37 forward, 5 x 0.04 + 32 = 32.2 back
    assert_close(round_trip_ms(&parking_lot(3, "")), 69.2, "three hops");
    // three links: 3 + 12 forward, 0.12 + 12 back; in either direction
    assert_close(round_trip_ms(&parking_lot(3, "enter = \"r3\"\nleave = \"r4\"")), 27.12, "one hop");
    assert_close(round_trip_ms(&parking_lot(3, "enter = \"r3\"\nleave = \"r2\"")), 27.12, "one hop against the row");
    // 1002 links: 1002 + 2 + 10 000 forward, 40.08 + 10 002 back
    assert_close(round_trip_ms(&parking_lot(1000, "").replace("10s", "30s")), 21_046.08, "a thousand hops");
}

/// The path over `c` takes 5 + 6 ms, the direct one 20 ms; the way back leads over the same nodes, and takes 50 ms from
/// c to a.
#[test]
fn a_graphs_delays() {
    let text = r#"
        name = "x"
        duration = "1s"
        [topology]
        kind = "graph"
        nodes = ["a", "b", "c"]
        link = [
            { between = ["a", "b"], rate = "8mbit", delay = "20ms", queue = "9p" },
            { between = ["a", "c"], rate = "8mbit", delay = "5ms", queue = "9p", backward = { delay = "50ms" } },
            { between = ["b", "c"], rate = "4mbit", delay = "6ms", queue = "9p" },
        ]
        [[flow]]
        algorithm = "reno"
        size = "960b"
        from = "a"
        to = "b"
        "#;
    // forward: 1 + 5 + 2 + 6 = 14; back: 0.08 + 6 + 0.04 + 50 = 56.12
    assert_close(round_trip_ms(text), 70.12, "over c");
    // from b: 2 + 6 + 1 + 50 = 59, or 1 + 20 = 21 directly; back 20.04
    let opposite = text.replace("from = \"a\"", "from = \"b\"").replace("to = \"b\"", "to = \"a\"");
    assert_close(round_trip_ms(&opposite), 41.04, "directly");
}

/// The timer runs out after 100 ms, before the first ACK can arrive at 161 ms. That is 61 ms after the second copy,
/// which is no round trip (Karn's rule, RFC 6298, section 3): no round trip on this path is shorter than 161 ms.
#[test]
fn a_retransmission_gives_no_sample() {
    for algorithm in ["reno", "sack", "vegas"] {
        let outcome = vegas_sim::run(&scenario(&format!(
            r#"
            name = "x"
            duration = "3s"
            [[topology.link]]
            between = ["s", "d"]
            rate = "8mbit"
            delay = "80ms"
            queue = "unlimited"
            backward = {{ rate = "1tbit" }}
            [topology]
            kind = "graph"
            nodes = ["s", "d"]
            [[flow]]
            algorithm = "{algorithm}"
            from = "s"
            to = "d"
            initial_window = 1
            host = {{ rto_initial = "100ms", rto_min = "100ms" }}
            "#
        )));
        let flow = &outcome.flows[0];
        assert_eq!((flow.timeouts, flow.segments_retransmitted), (1, 1), "{algorithm}");
        assert_eq!(flow.base_rtt_ms, Some(161.0), "{algorithm}");
    }
}

#[test]
fn a_thousand_flows_share_a_bottleneck() {
    let flows = (0..1000).map(|id| {
        let algorithm = ["reno", "newreno", "sack", "vegas"][id % 4];
        format!("[[flow]]\nalgorithm = \"{algorithm}\"\nstart = \"{id}ms\"\n")
    });
    let head = r#"
        name = "x"
        duration = "6s"
        sample = "off"
        topology = { kind = "dumbbell", access = { rate = "1gbit", delay = "1ms" }, bottleneck = { rate = "20mbit", delay = "10ms", queue = "100p" } }
        "#;
    let scenario = scenario(&(head.to_owned() + &flows.collect::<String>()));
    let outcome = vegas_sim::run(&scenario); // the engine itself checks that packets are conserved
    let bottleneck = &outcome.links[link(&scenario, BOTTLENECK)];
    assert!(bottleneck.drops > 1000 && bottleneck.utilisation > 0.99, "{bottleneck:?}");
    let arrived: u64 =
        outcome.capture.iter().filter(|p| p.point == CapturePoint::ReceiverIn).map(|p| u64::from(p.wire)).sum();
    // bytes in the transmitter, or in the 11 ms to the receiver, at the end
    let on_the_way = 6.0 * 20e6 / 8.0 * bottleneck.utilisation - arrived as f64;
    assert!((0.0..30_000.0).contains(&on_the_way), "{on_the_way} bytes");
}

/// Transfers at the limits of a scenario's values are complete.
#[test]
fn transfers_at_the_extremes_end() {
    let cases = [
        ("1tbit", "0s", "1000b", "40b", "900kb"),
        ("1tbit", "1h", "1000b", "40b", "100kb"),
        ("1bit", "1h", "1000b", "40b", "9kb"),
        ("100bit", "0s", "65535b", "65535b", "900kb"),
        ("1tbit", "1h", "65535b", "65535b", "900kb"),
    ];
    for (rate, delay, packet, ack, size) in cases {
        for algorithm in ["reno", "newreno", "sack", "vegas"] {
            let text = format!(
                r#"
                name = "x"
                duration = "2400h"
                sample = "off"
                topology = {{ kind = "graph", nodes = ["s", "d"], link = [{{ between = ["s", "d"], rate = "{rate}", delay = "{delay}", queue = "9p", drop = [3, 5, 6] }}] }}
                [[flow]]
                algorithm = "{algorithm}"
                from = "s"
                to = "d"
                size = "{size}"
                packet = "{packet}"
                ack = "{ack}"
                header = "40b"
                initial_window = 4
                host = {{ rto_initial = "1h", rto_max = "1h" }}
                "#
            );
            let small = text.replace("initial_window = 4", "max_window = 2\ninitial_window = 2");
            for text in [text, small] {
                let outcome = vegas_sim::run(&scenario(&text));
                let flow = &outcome.flows[0];
                assert!(flow.completion_s.is_some(), "{algorithm} at {rate}, {delay}, {packet}: {flow:?}");
            }
        }
    }
}

/// 40,000 packets of six days each: a time beyond 64 bits of nanoseconds.
#[test]
fn an_absurd_backlog_overflows_nothing() {
    let text = r#"
        name = "x"
        duration = "2400h"
        sample = "off"
        topology = { kind = "graph", nodes = ["s", "d"], link = [{ between = ["s", "d"], rate = "1bit", delay = "1h", queue = "unlimited" }] }
        [[flow]]
        algorithm = "sack"
        from = "s"
        to = "d"
        packet = "65535b"
        initial_window = 40000
        host = { rto_initial = "1h", rto_max = "1h" }
        "#;
    let outcome = vegas_sim::run(&Scenario::from_toml(text, "x", &[]).unwrap());
    assert_close(outcome.links[0].utilisation, 1.0, "utilisation");
}
