//! Quantities, and values without a meaning.

use vegas_sim::scenario::Scenario;

use super::{GOOD, GRAPH, PARKING_LOT, check};

#[test]
fn quantities() {
    check(
        GOOD,
        &[
            (
                "\"60s\"",
                "60",
                r#":2: duration: 60 has no unit; write a number with a unit (ns, us, ms, s, min, h), such as "48ms""#,
            ),
            (
                "\"60s\"",
                "\"60\"",
                r#":2: duration: "60" has no unit; write a number with a unit (ns, us, ms, s, min, h), such as "48ms""#,
            ),
            (
                "\"60s\"",
                "\"-60s\"",
                r#":2: duration: "-60s" is negative; write a number with a unit (ns, us, ms, s, min, h), such as "48ms""#,
            ),
            ("\"60s\"", "\"60 sec\"", r#":2: duration: "60 sec" is not a time; did you mean "60s"?"#),
            (
                "\"60s\"",
                "\"0.5ns\"",
                r#":2: duration: "0.5ns" is finer than 1ns; write a number with a unit (ns, us, ms, s, min, h), such as "48ms""#,
            ),
            (
                "\"60s\"",
                "\"99999999999s\"",
                r#":2: duration: "99999999999s" is too large; write a number with a unit (ns, us, ms, s, min, h), such as "48ms""#,
            ),
            (
                "\"60s\"",
                "true",
                r#":2: duration: true is not a time; write a number with a unit (ns, us, ms, s, min, h), such as "48ms""#,
            ),
            (
                "\"50mbit\"",
                "\"50mbps\"",
                r#":8: topology.bottleneck.rate: "50mbps" is not a rate; did you mean "50mbit"?"#,
            ),
            (
                "\"50mbit\"",
                "\"50Mbit\"",
                r#":8: topology.bottleneck.rate: "50Mbit" is not a rate; did you mean "50mbit"?"#,
            ),
            // eight times the same number of bits
            (
                "\"50mbit\"",
                "\"50MB/s\"",
                r#":8: topology.bottleneck.rate: "50MB/s" is not a rate; write a number with a unit (bit, kbit, mbit, gbit, tbit), such as "50mbit""#,
            ),
            (
                "\"1000b\"",
                "\"8kbit\"",
                r#":13: flow.0.packet: "8kbit" is not a size; write a number with a unit (b, kb, mb, gb, tb, kib, mib, gib), such as "1000b""#,
            ),
            ("\"1000b\"", "\"1.5 KiB\"", r#":13: flow.0.packet: "1.5 KiB" is not a size; did you mean "1.5kib"?"#),
            ("\"60s\"", "\"5m\"", r#":2: duration: "5m" is not a time; did you mean "5ms" or "5min"?"#),
            ("\"60s\"", "\"5minutes\"", r#":2: duration: "5minutes" is not a time; did you mean "5min"?"#),
            (
                "\"100p\"",
                "\"100 packets\"",
                r#":8: topology.bottleneck.queue: "100 packets" is no queue; did you mean "100p"?"#,
            ),
            ("\"100p\"", "\"64KB\"", r#":8: topology.bottleneck.queue: "64KB" is no queue; did you mean "64kb"?"#),
            (
                "\"50mbit\"",
                "\"1..6mbit\"",
                r#":8: topology.bottleneck.rate: "1..6mbit" is not a rate; write a number with a unit (bit, kbit, mbit, gbit, tbit), such as "50mbit""#,
            ),
            (
                "\"1000b\"",
                "1000",
                r#":13: flow.0.packet: 1000 has no unit; write a number with a unit (b, kb, mb, gb, tb, kib, mib, gib), such as "1000b""#,
            ),
            (
                "\"1000b\"",
                "\"1000p\"",
                r#":13: flow.0.packet: "1000p" is not a size; write a number with a unit (b, kb, mb, gb, tb, kib, mib, gib), such as "1000b""#,
            ),
            (
                "\"100p\"",
                "100",
                r#":8: topology.bottleneck.queue: 100 has no unit; write packets ("100p"), bytes ("64kb") or "unlimited""#,
            ),
            (
                "\"100p\"",
                "\"0p\"",
                r#":8: topology.bottleneck.queue: "0p" lets nothing through: the packet being sent counts; write packets ("100p"), bytes ("64kb") or "unlimited""#,
            ),
            (
                "\"100p\"",
                "\"0b\"",
                r#":8: topology.bottleneck.queue: "0b" lets nothing through; write packets ("100p"), bytes ("64kb") or "unlimited""#,
            ),
            (
                "\"100p\"",
                "\"1.5p\"",
                r#":8: topology.bottleneck.queue: "1.5p" is no whole number of packets; write packets ("100p"), bytes ("64kb") or "unlimited""#,
            ),
            (
                "\"100p\"",
                "\"long\"",
                r#":8: topology.bottleneck.queue: "long" is no queue; write packets ("100p"), bytes ("64kb") or "unlimited""#,
            ),
        ],
    );
}

#[test]
fn absurd_values() {
    check(
        GOOD,
        &[
            ("\"60s\"", "\"0s\"", r#":2: duration: a run of 0 s shows nothing; write a time above 0, such as "60s""#),
            ("\"60s\"", "\"2401h\"", ":2: duration: is longer than 100 days; write 2400h at most"),
            ("\"50mbit\"", "\"0mbit\"", ":8: topology.bottleneck.rate: a rate of 0 sends nothing; write 1bit or more"),
            (
                "\"50mbit\"",
                "\"1.1tbit\"",
                ":8: topology.bottleneck.rate: is beyond the simulator's nanosecond; write 1tbit at most",
            ),
            ("\"48ms\"", "\"61min\"", ":8: topology.bottleneck.delay: is longer than an hour; write 1h at most"),
            (
                "\"5s\"",
                "\"60s\"",
                ":12: flow.0.start: the flow never starts: the run is over by then; write a time before duration",
            ),
            (
                "start =",
                "stop = \"5s\"\nstart =",
                ":12: flow.0.stop: the flow stops before it starts; write a time after start",
            ),
            ("\"1000b\"", "\"70kb\"", ":13: flow.0.packet: 70000b was given; expected 1b to 65535b"),
            (
                "\"1000b\"",
                "\"40b\"",
                ":10: flow.0.header: the header fills the packet: 40b of 40b; write less than the packet",
            ),
            ("packet =", "ack = \"0b\"\npacket =", ":13: flow.0.ack: 0b was given; expected 1b to 65535b"),
            (
                "packet =",
                "size = \"0b\"\npacket =",
                ":13: flow.0.size: a transfer of 0 bytes sends nothing; write 1b or more",
            ),
            (
                "packet =",
                "size = \"9008tb\"\npacket =",
                ":13: flow.0.size: is too large; write 9007199254740992b at most",
            ),
            (
                "\"100p\"",
                "\"500b\"",
                ":13: flow.0.packet: 1000b do not fit the 500b of the queue of r1->r2; lengthen it",
            ),
            (
                "\"100p\"",
                "\"9kb\", backward = { queue = \"39b\" }",
                ":10: flow.0.ack: 40b do not fit the 39b of the queue of r2->r1; lengthen it",
            ),
            (
                "\"100p\"",
                "\"9kb\", backward = { queue = \"67b\" } }\n[[flow]]\nalgorithm = \"sack\" #",
                ":9: flow.0.ack: 40b with 28b of options do not fit the 67b of the queue of r2->r1; lengthen it",
            ),
            (
                "seed = 1",
                "sample = \"0s\"",
                r#":3: sample: a step of 0 has no end; write a time above 0, such as "100ms""#,
            ),
            (
                "seed = 1",
                "sample = \"1us\"",
                ":3: sample: would give 420000000 rows; write a longer step: 50000000 rows at most",
            ),
            (
                "seed = 1",
                "sample = 5",
                r#":3: sample: 5 has no unit; write a number with a unit (ns, us, ms, s, min, h), such as "48ms", or write "change" or "off""#,
            ),
            ("seed = 1", "seed = -1", ":3: seed: -1 was given; expected a whole number from 0 to 18446744073709551615"),
            (
                "seed = 1",
                "seed = 1.5",
                ":3: seed: 1.5 was given; expected a whole number from 0 to 18446744073709551615",
            ),
            ("seed = 1", "capture = \"yes\"", r#":3: capture: "yes" was given; expected true or false"#),
            (
                "seed = 1",
                "until_complete = true",
                ":3: until_complete: flow.0 has no size and never completes; give each flow a size, or leave it out",
            ),
            ("seed = 1", "description = 7", ":3: description: 7 was given; expected a text"),
            (
                "\"test\"",
                "\"../x\"",
                r#":1: name: "../x" is no name; write letters, digits, - _ . and begin with none of - ."#,
            ),
            ("\"test\"", "\"\"", ":1: name: is empty; expected letters, digits, - _ ."),
            (
                "\"test\"",
                "\"a\\nb\"",
                r#":1: name: "a\nb" is no name; write letters, digits, - _ . and begin with none of - ."#,
            ),
        ],
    );
    let no_flows = GOOD.split("[[flow]]").next().unwrap();
    let error = Scenario::from_toml(&format!("flow = []\n{no_flows}"), "x.toml", &[]).unwrap_err();
    assert_eq!(error.to_string(), "x.toml:1: flow: there are no flows; give at least one [[flow]] table");
}

#[test]
fn bandwidth_delay_products() {
    let no = "is given in bandwidth-delay products, which only the bottleneck of a dumbbell has; \
              write packets (\"100p\") or bytes (\"64kb\")";
    let out_of_range = |given: &str| {
        format!(
            ":8: topology.bottleneck.queue: {given:?} was given; expected bandwidth-delay products from \"0.001bdp\" to \
             \"1000bdp\""
        )
    };
    let of_trace = |reason: &str| {
        format!(
            ":8: topology.bottleneck.queue: is given in bandwidth-delay products, {reason}; \
                 write packets (\"100p\") or bytes (\"64kb\")"
        )
    };
    check(
        GOOD,
        &[
            (
                "\"100p\"",
                "\"0.5 BDP\"",
                r#":8: topology.bottleneck.queue: "0.5 BDP" is no queue; did you mean "0.5bdp"?"#,
            ),
            ("\"100p\"", "\"0bdp\"", &out_of_range("0bdp")),
            ("\"100p\"", "\"0.0001bdp\"", &out_of_range("0.0001bdp")),
            (
                "\"100p\"",
                "\"0.001bdp\"",
                ":13: flow.0.packet: 1000b do not fit the 625b of the queue of r1->r2; lengthen it",
            ),
            ("delay = \"1ms\"", "delay = \"1ms\", queue = \"1bdp\"", &format!(":7: topology.access.queue: {no}")),
            (
                "\"100p\"",
                "\"100p\", backward = { queue = { kind = \"red\", limit = \"1bdp\" } }",
                &format!(":8: topology.bottleneck.backward.queue.limit: {no}"),
            ),
            (
                "rate = \"50mbit\", delay = \"48ms\", queue = \"100p\"",
                "rate = \"50mbit\", delay = { trace = \"d.csv\" }, queue = \"1bdp\"",
                &of_trace("which a path with a trace of delays does not have"),
            ),
        ],
    );
    let bottleneck = ("\"100p\"", "\"1bdp\"", &*format!(":6: topology.bottleneck.queue: {no}"));
    check(PARKING_LOT, &[bottleneck]);
    let link = format!(":10: topology.link.0.queue: {no}");
    check(
        GRAPH,
        &[(
            "delay = \"1ms\"\nqueue = \"9p\"\n[[topology.link]]",
            "delay = \"1ms\"\nqueue = \"1bdp\"\n[[topology.link]]",
            &link,
        )],
    );
}
