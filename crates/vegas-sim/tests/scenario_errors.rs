//! Every kind of bad input, with the line that the user sees.
//!
//! Each case changes one thing in [`GOOD`]; the line numbers in the messages are those of [`GOOD`].

use vegas_sim::scenario::Scenario;

const GOOD: &str = r#"name = "test"
duration = "60s"
seed = 1

[topology]
kind = "dumbbell"
access = { rate = "1gbit", delay = "1ms" }
bottleneck = { rate = "50mbit", delay = "48ms", queue = "100p" }

[[flow]]
algorithm = "vegas"
start = "5s"
packet = "1000b"
"#;

const PARKING_LOT: &str = r#"name = "test"
duration = "60s"
topology.kind = "parking-lot"
topology.access = { rate = "1gbit", delay = "1ms" }
topology.hops = 3
topology.bottleneck = { rate = "50mbit", delay = "48ms", queue = "100p" }
[[flow]]
algorithm = "vegas"
enter = "r1"
"#;

const GRAPH: &str = r#"name = "test"
duration = "60s"
[topology]
kind = "graph"
nodes = ["a", "r", "b", "far"]
[[topology.link]]
between = ["a", "r"]
rate = "1mbit"
delay = "1ms"
queue = "9p"
[[topology.link]]
between = ["r", "b"]
rate = "1mbit"
delay = "1ms"
queue = "9p"
[[flow]]
algorithm = "vegas"
from = "a"
to = "b"
"#;

/// What is replaced, by what, and the message without the file's name.
type Case = (&'static str, &'static str, &'static str);

fn check(good: &str, cases: &[Case]) {
    Scenario::from_toml(good, "x.toml", &[]).expect("the scenario to be spoilt is good");
    for (from, to, expected) in cases {
        assert_eq!(good.matches(from).count(), 1, "{from} is not unique");
        let error = Scenario::from_toml(&good.replace(from, to), "x.toml", &[]).expect_err(to);
        assert_eq!(error.to_string(), format!("x.toml{expected}"), "for {to}");
    }
}

#[test]
fn counts_of_flows() {
    let too_many = format!("{}\n", "[[flow]]\nalgorithm = \"vegas\"\ncount = 100_000\n".repeat(11));
    let tables = GOOD.replace("[[flow]]\nalgorithm = \"vegas\"\nstart = \"5s\"\npacket = \"1000b\"\n", &too_many);
    let error = Scenario::from_toml(&tables, "x.toml", &[]).expect_err("1.1 million flows");
    assert_eq!(error.to_string(), "x.toml:10: flow: there are 1100000 flows; write 1000000 at most");
    check(
        GOOD,
        &[
            (
                "packet =",
                "count = 0\npacket =",
                ":13: flow.0.count: 0 was given; expected a whole number from 1 to 100000",
            ),
            // the second table is flow.1, though its flows are 3 and 4
            (
                "packet = \"1000b\"",
                "count = 3\n[[flow]]\nalgorithm = \"vegas\"\ncount = 2\nheader = \"1000b\"",
                ":17: flow.1.header: the header fills the packet: 1000b of 1000b; write less than the packet",
            ),
        ],
    );
}

#[test]
fn keys() {
    check(
        GOOD,
        &[
            ("duration =", "duraton =", r#":2: duraton: unknown key; did you mean "duration"?"#),
            ("packet =", "pakcet =", r#":13: flow.0.pakcet: unknown key; did you mean "packet"?"#),
            (
                "delay = \"48ms\"",
                "dely = \"48ms\"",
                r#":8: topology.bottleneck.dely: unknown key; did you mean "delay"?"#,
            ),
            (
                "seed = 1",
                "colour = 1",
                ":3: colour: unknown key; expected one of name, description, duration, until_complete, seed, sample, capture, topology, flow, change, traffic",
            ),
            ("duration = \"60s\"\n", "", r#": duration: is missing; give one, such as duration = "60s""#),
            (
                "delay = \"48ms\", ",
                "",
                r#":8: topology.bottleneck.delay: is missing; give one, such as delay = "48ms""#,
            ),
            (
                ", queue = \"100p\"",
                "",
                r#":8: topology.bottleneck.queue: is missing; give one, such as queue = "100p""#,
            ),
            (
                "algorithm = \"vegas\"\n",
                "",
                r#":10: flow.0.algorithm: is missing; give one, such as algorithm = "vegas""#,
            ),
            ("[[flow]]", "[flow]", ":10: flow: a table was given; expected a list (of tables: [[...]])"),
            (
                "{ rate = \"1gbit\", delay = \"1ms\" }",
                "[\"1gbit\", \"1ms\"]",
                ":7: topology.access: a list was given; expected one table",
            ),
            (
                "{ rate = \"1gbit\", delay = \"1ms\" }",
                "\"1gbit\"",
                r#":7: topology.access: "1gbit" was given; expected a table"#,
            ),
            (
                "packet = \"1000b\"",
                "host = { rto_mim = \"1s\" }",
                r#":13: flow.0.host.rto_mim: unknown key; did you mean "rto_min"?"#,
            ),
        ],
    );
}

#[test]
fn no_toml_and_no_json() {
    check(
        GOOD,
        &[
            ("\"60s\"", "\"60s", ":2:16: not TOML: invalid basic string, expected `\"`"),
            ("seed = 1", "name = \"again\"", ":3:1: not TOML: duplicate key"),
            (
                "seed = 1",
                "seed = 18446744073709551616",
                ":3: seed: 18446744073709551616 is too large; whole numbers have 64 bits",
            ),
            ("seed = 1", "sample = nan", ":3: sample: nan is not finite; write a finite number"),
        ],
    );
    let error = Scenario::from_json("{\"name\": }", "dict", &[]).unwrap_err();
    assert_eq!(error.to_string(), "dict:1:10: not JSON: expected value");
    let error = Scenario::from_json("[]", "dict", &[]).unwrap_err();
    assert_eq!(error.to_string(), "dict: a list was given; expected one table");
    let error = Scenario::from_json(r#"{"name": "a", "duration": 60}"#, "dict", &[]).unwrap_err();
    let right = r#"write a number with a unit (ns, us, ms, s, min, h), such as "48ms""#;
    assert_eq!(error.to_string(), format!("dict: duration: 60 has no unit; {right}"));
}

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
            (
                "\"60s\"",
                "\"60 sec\"",
                r#":2: duration: "60 sec" is not a time; write a number with a unit (ns, us, ms, s, min, h), such as "48ms""#,
            ),
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
                r#":8: topology.bottleneck.rate: "50mbps" is not a rate; write a number with a unit (bit, kbit, mbit, gbit, tbit), such as "50mbit""#,
            ),
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
fn algorithms() {
    let names: Vec<&str> = vegas_core::registry::PRESETS.iter().map(|preset| preset.name).collect();
    let no_preset =
        format!(r#":11: flow.0.algorithm: "bbr" is no preset; expected one of {}"#, names.join(", ")).leak();
    check(
        GOOD,
        &[
            ("\"vegas\"", "\"vagas\"", r#":11: flow.0.algorithm: "vagas" is no preset; did you mean "vegas"?"#),
            ("\"vegas\"", "\"bbr\"", no_preset),
            (
                "\"vegas\"",
                "{ mechanisms = \"AK\" }",
                r#":11: flow.0.algorithm.mechanisms: "AK": K is no mechanism; write letters from A to J"#,
            ),
            (
                "\"vegas\"",
                "{ mechanisms = 3 }",
                r#":11: flow.0.algorithm.mechanisms: 3 was given; expected letters from A to J, such as "ACF""#,
            ),
            (
                "\"vegas\"",
                "{ mechanisms = \"A\", preset = \"vegas\" }",
                ":11: flow.0.algorithm.mechanisms: stands beside preset; give one of the two",
            ),
            (
                "\"vegas\"",
                "5",
                r#":11: flow.0.algorithm: 5 was given; expected a preset's name such as "vegas", or a table of parts"#,
            ),
            (
                "\"vegas\"",
                "{ preset = \"vgas\" }",
                r#":11: flow.0.algorithm.preset: "vgas" is no preset; did you mean "vegas"?"#,
            ),
            (
                "\"vegas\"",
                "{ slow_strt = \"reno\" }",
                r#":11: flow.0.algorithm.slow_strt: unknown key; did you mean "slow_start"?"#,
            ),
            (
                "\"vegas\"",
                "{ slow_start = \"rino\" }",
                r#":11: flow.0.algorithm.slow_start: "rino" is not a slow start; did you mean "reno"?"#,
            ),
            (
                "\"vegas\"",
                "{ cut = \"third\" }",
                r#":11: flow.0.algorithm.cut: "third" is not a cut; expected one of half, three-quarters, cubic, vegas-ns3"#,
            ),
            (
                "\"vegas\"",
                "{ avoidance = \"vegas\" }",
                r#":11: flow.0.algorithm.avoidance: measures the backlog, which signal = "none" does not give"#,
            ),
            (
                "\"vegas\"",
                "{ burst = 0 }",
                r#":11: flow.0.algorithm.burst: 0 was given; expected a whole number from 1 to 1048576, or "none""#,
            ),
            ("packet =", "alpha = 4\npacket =", ":13: flow.0.alpha: must not exceed beta"),
            (
                "packet =",
                "alpha = -1\npacket =",
                ":13: flow.0.alpha: -1 was given; expected a whole number from 0 to 1048576",
            ),
            (
                "packet =",
                "initial_window = 0\npacket =",
                ":13: flow.0.initial_window: 0 was given; expected a whole number from 1 to 1048576",
            ),
            (
                "packet =",
                "initial_window = 9\nmax_window = 8\npacket =",
                ":14: flow.0.max_window: must not be below the initial and the restart window",
            ),
            (
                "packet =",
                "initial_window = 9\nhost.receive_window = 8\npacket =",
                ":14: flow.0.host.receive_window: must not be below the initial and the restart window",
            ),
            (
                "packet =",
                "recovery = \"tahoe\"\npacket =",
                r#":13: flow.0.recovery: "tahoe" is not a fast recovery; expected one of reno, newreno, sack"#,
            ),
        ],
    );
}

#[test]
fn quic() {
    check(
        GOOD,
        &[
            (
                "packet =",
                "transport = \"udp\"\npacket =",
                r#":13: flow.0.transport: "udp" is not a transport; expected one of tcp, quic"#,
            ),
            (
                "packet =",
                "transport = \"quic\"\npacket =",
                ":14: flow.0.packet: 1000b was given; a QUIC packet has 1228b at least, headers included",
            ),
            (
                "packet =",
                "transport = \"quic\"\nack = \"40b\"\npacket =",
                r#":14: flow.0.ack: is TCP's; leave it out, or write transport = "tcp""#,
            ),
            (
                "packet =",
                "transport = \"quic\"\nhost = \"linux\"\npacket =",
                r#":14: flow.0.host: is TCP's; leave it out, or write transport = "tcp""#,
            ),
        ],
    );
    let quic = GOOD.replace("packet =", "transport = \"quic\"\npacket = \"1480b\"\n#");
    check(
        &quic,
        &[
            ("seed = 1", "capture = true", ":3: capture: holds packets of TCP only; leave it out beside a QUIC flow"),
            (
                "algorithm = \"vegas\"",
                "algorithm = { preset = \"vegas\", fine_retransmit = true }",
                ":11: flow.0.algorithm.fine_retransmit: mechanism C needs the retransmission path; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = \"rovegas\"",
                ":11: flow.0.algorithm.signal: needs a host that carries the queueing times of routers; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = { mechanisms = \"ABC\" }",
                ":11: flow.0.algorithm.fine_retransmit: mechanism C needs the retransmission path; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = \"dynamic\"",
                ":10: flow.0.ssthresh: must be given for slow_start = \"mid-speed\", which jumps to half of it; \
                 host \"quic\" cannot carry it out: write it, or transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = \"streak\"",
                ":11: flow.0.algorithm.slow_start: needs a host that paces; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
        ],
    );
}

#[test]
fn hosts() {
    check(
        GOOD,
        &[
            (
                "packet =",
                "delayed_ack = true\npacket =",
                r#":13: flow.0.delayed_ack: true does not say for how long; write the longest wait, such as "200ms""#,
            ),
            (
                "packet =",
                "delayed_ack = \"0ms\"\npacket =",
                r#":13: flow.0.delayed_ack: a delay of 0 is none; write false, or a time such as "200ms""#,
            ),
            (
                "packet =",
                "host.delayed_ack = \"1s\"\npacket =",
                ":13: flow.0.host.delayed_ack: is longer than RFC 1122 allows; write 500ms at most",
            ),
            (
                "packet =",
                "delayed_ack = false\nhost.delayed_ack = false\npacket =",
                ":14: flow.0.host.delayed_ack: stands beside flow.0.delayed_ack; give one of the two",
            ),
            (
                "packet =",
                "host.rto_min = \"0s\"\npacket =",
                r#":13: flow.0.host.rto_min: is 0; write a time above 0, such as "200ms""#,
            ),
            (
                "packet =",
                "host.rto_min = \"61s\"\npacket =",
                ":13: flow.0.host.rto_min: is above rto_max; write less, or raise rto_max",
            ),
            (
                "packet =",
                "host.rto_max = \"2s\"\npacket =",
                ":13: flow.0.host.rto_max: is below rto_initial; write more, or lower rto_initial",
            ),
            (
                "packet =",
                "host.rto_grain = \"2h\"\npacket =",
                ":13: flow.0.host.rto_grain: is longer than an hour; write 1h at most",
            ),
            (
                "packet =",
                "host.handshake = \"half\"\npacket =",
                r#":13: flow.0.host.handshake: "half" is not a handshake; expected one of none, full"#,
            ),
            (
                "packet =",
                "host = \"linus\"\npacket =",
                r#":13: flow.0.host: "linus" is not a kind of host; did you mean "linux"?"#,
            ),
            ("packet =", "host = 3\npacket =", r#":13: flow.0.host: 3 was given; expected "bsd", "linux", or a table"#),
            (
                "packet =",
                "host = \"linux\"\npacket =",
                ":11: flow.0.algorithm.fine_retransmit: mechanism C needs the retransmission path; host \"linux\" cannot \
                 carry it out: leave it out, or write host = \"bsd\"",
            ),
            (
                "packet =",
                "host.kind = \"linux\"\nrecovery = \"newreno\"\npacket =",
                ":14: flow.0.recovery: is fixed for host \"linux\"; leave it out, or write host \"bsd\"",
            ),
            (
                "packet =",
                "host = { kind = \"linux\", rto_grain = \"1ms\" }\npacket =",
                ":13: flow.0.host.rto_grain: is fixed for host \"linux\"; leave it out, or write host \"bsd\"",
            ),
        ],
    );
}

#[test]
fn impairments() {
    let right = r#"write a probability from 0 to below 1, such as 0.01 or "1%""#;
    let cases = [
        ("loss = 1", format!(":8: topology.bottleneck.loss: 1 is not below 1; {right}")),
        ("loss = -0.1", format!(":8: topology.bottleneck.loss: -0.1 is no probability; {right}")),
        ("loss = \"1\"", format!(":8: topology.bottleneck.loss: \"1\" is no probability; {right}")),
        ("loss = 0.0000001", format!(":8: topology.bottleneck.loss: 0.0000001 is finer than one in a million; {right}")),
        ("loss = { model = \"gilbert-elliott\", bad_to_good = 0.5 }", r#":8: topology.bottleneck.loss.good_to_bad: is missing; give one, such as good_to_bad = "1%""#.into()),
        ("loss = { model = \"gilbert\", good_to_bad = 0, bad_to_good = 1 }", r#":8: topology.bottleneck.loss.model: "gilbert" is not a loss model; expected one of gilbert-elliott"#.into()),
        ("loss = { model = \"gilbert-elliott\", good_to_bad = 0.1, bad_to_good = 0 }", r#":8: topology.bottleneck.loss.bad_to_good: 0 never leaves the bad state; write a probability above 0, such as "25%""#.into()),
        ("loss = { model = \"gilbert-elliott\", good_to_bad = 2, bad_to_good = 1 }", r#":8: topology.bottleneck.loss.good_to_bad: 2 is above 1; write a probability from 0 to 1, such as 0.01 or "1%""#.into()),
        ("loss = true", format!(":8: topology.bottleneck.loss: true is no probability; {right}")),
        ("loss = [1]", r#":8: topology.bottleneck.loss: a list was given; expected a probability such as 0.01 or "1%", or a table with a model"#.into()),
        ("jitter = \"2h\"", ":8: topology.bottleneck.jitter: is longer than an hour; write 1h at most".into()),
        ("drop = [5, 5]", ":8: topology.bottleneck.drop: the packets to drop are out of order; write each once, ascending, such as [5, 9]".into()),
        ("drop = [0]", ":8: topology.bottleneck.drop.0: 0 was given; expected a whole number from 1 to 18446744073709551615".into()),
        ("reorder = { probability = \"1%\" }", r#":8: topology.bottleneck.reorder.delay: is missing; give one, such as delay = "48ms""#.into()),
        ("reorder = { probability = \"1%\", delay = \"0s\" }", r#":8: topology.bottleneck.reorder.delay: a packet held back for 0 s is not reordered; write a time, such as "5ms""#.into()),
        ("backward = { rate = { trace = \"no-such.down\" } }", ":8: topology.bottleneck.backward.rate.trace: no-such.down: No such file or directory (os error 2); write the name of a trace, relative to the scenario file".into()),
        ("backward = { rate = {} }", r#":8: topology.bottleneck.backward.rate.trace: is missing; give one, such as trace = "lte.down""#.into()),
        ("backward = { rate = \"0bit\" }", ":8: topology.bottleneck.backward.rate: a rate of 0 sends nothing; write 1bit or more".into()),
    ];
    for (keys, expected) in cases {
        let text = GOOD.replace("\"100p\"", &format!("\"100p\", {keys}"));
        let error = Scenario::from_toml(&text, "x.toml", &[]).expect_err(keys);
        assert_eq!(error.to_string(), format!("x.toml{expected}"));
    }
}

#[test]
fn topologies() {
    check(
        GOOD,
        &[
            (
                "\"dumbbell\"",
                "\"dumbell\"",
                r#":6: topology.kind: "dumbell" is not a kind of topology; did you mean "dumbbell"?"#,
            ),
            (
                "\"dumbbell\"",
                "\"graph\"",
                r#":7: topology.access: means nothing in a graph; leave it out, or set topology.kind to "dumbbell" or "parking-lot""#,
            ),
            (
                "\"dumbbell\"",
                "\"dumbbell\"\nhops = 2",
                r#":7: topology.hops: means nothing in a dumbbell; leave it out, or set topology.kind to "parking-lot""#,
            ),
            ("\"dumbbell\"", "\"parking-lot\"", ":5: topology.hops: is missing; give one, such as hops = 3"),
            (
                "packet =",
                "from = \"a\"\npacket =",
                r#":13: flow.0.from: means nothing in a dumbbell; leave it out, or set topology.kind to "graph""#,
            ),
        ],
    );
    check(
        PARKING_LOT,
        &[
            ("hops = 3", "hops = 0", ":5: topology.hops: 0 was given; expected a whole number from 1 to 1000"),
            (
                "bottleneck =",
                "bottlenecks = []\ntopology.bottleneck =",
                ":6: topology.bottlenecks: stands beside topology.bottleneck; give one of the two",
            ),
            ("\"r1\"", "\"r5\"", r#":9: flow.0.enter: "r5" is no router; expected one of r1 to r4"#),
            ("\"r1\"", "\"r4\"", ":7: flow.0.leave: r4 is also where the flow enters; name another of r1 to r4"),
        ],
    );
    let one = "{ rate = \"50mbit\", delay = \"48ms\", queue = \"100p\" }";
    check(
        &PARKING_LOT.replace(&format!("bottleneck = {one}"), &format!("bottlenecks = [{one}, {one}, {one}]")),
        &[("hops = 3", "hops = 2", ":5: topology.hops: there are 3 bottlenecks; write 3 or leave it out")],
    );
    check(
        GRAPH,
        &[
            ("to = \"b\"", "to = \"far\"", ":19: flow.0.to: there is no path from a to far; add links between them"),
            ("to = \"b\"", "to = \"a\"", ":19: flow.0.to: is also where the flow comes from; name another node"),
            ("to = \"b\"", "to = \"fra\"", r#":19: flow.0.to: "fra" is not in topology.nodes; did you mean "far"?"#),
            ("to = \"b\"\n", "", r#":16: flow.0.to: is missing; give one, such as to = "b""#),
            (
                "to = \"b\"",
                "to = \"b\"\nvia = [\"b\", \"r\"]",
                ":20: flow.0.via: the path passes r twice; name nodes that lie on one way",
            ),
            (
                "to = \"b\"",
                "to = \"b\"\nvia = [\"far\"]",
                ":20: flow.0.via.0: there is no path from a to far; add links between them",
            ),
            ("\"far\"]", "\"a\"]", r#":5: topology.nodes.3: "a" stands there twice; name each once"#),
            (
                "[\"r\", \"b\"]",
                "[\"r\"]",
                r#":12: topology.link.1.between: names 1 nodes; name two, such as ["a", "b"]"#,
            ),
            ("[\"r\", \"b\"]", "[\"r\", \"r\"]", ":12: topology.link.1.between: names one node twice; name two"),
            (
                "[\"r\", \"b\"]",
                "[\"r\", \"a\"]",
                ":12: topology.link.1.between: these two nodes have a link already; write one link for each pair",
            ),
        ],
    );
}

#[test]
fn overrides() {
    let cases = [
        ("flow.0.algorithm", "vagas", r#"flow.0.algorithm: "vagas" is no preset; did you mean "vegas"?"#),
        ("flow.1.algorithm", "reno", "flow.1: no such entry of flow; expected an index from 0 to 0"),
        ("flow.all.algorithm", "reno", "flow.all: no such entry of flow; expected an index from 0 to 0"),
        ("topolgy.kind", "graph", r#"topolgy: unknown key; did you mean "topology"?"#),
        (
            "flow.0.host.rto",
            "1s",
            "flow.0.host.rto: unknown key; expected one of kind, dupack_threshold, limited_transmit, recovery_burst, delayed_ack, receive_window, rto_min, rto_max, rto_initial, rto_grain, handshake",
        ),
        ("flow.0.access.rate", "1mbit", r#"flow.0.access.delay: is missing; give one, such as delay = "48ms""#),
        (
            "flow.0.algorithm.cut",
            "half",
            "flow.0.algorithm.cut: flow.0.algorithm is \"vegas\", not a table; set flow.0.algorithm to a table first, such as flow.0.algorithm={ cut = ... }",
        ),
        ("flow..start", "1s", "flow..start: is no key; write names with dots between them, such as flow.0.algorithm"),
        (
            "flow.0.start",
            "70s",
            "flow.0.start: the flow never starts: the run is over by then; write a time before duration",
        ),
    ];
    for (key, value, expected) in cases {
        let set = [(key.to_string(), value.to_string())];
        let error = Scenario::from_toml(GOOD, "x.toml", &set).expect_err(key);
        assert_eq!(error.to_string(), format!("x.toml: --set {key}={value}: {expected}"));
    }
}

#[test]
fn the_error_tells_key_and_line() {
    let error = Scenario::from_toml(&GOOD.replace("\"5s\"", "\"99s\""), "x.toml", &[]).unwrap_err();
    assert_eq!((error.key(), error.line()), ("flow.0.start", Some(12)));
}

#[test]
fn traffic() {
    let good = format!(
        "{GOOD}[[traffic]]\nkind = \"pareto-on-off\"\nrate = \"1mbit\"\non = \"400ms\"\noff = \"600ms\"\nshape = 1.5\n"
    );
    check(
        &good,
        &[
            (
                "\"pareto-on-off\"",
                "\"pareto\"",
                ":15: traffic.0.kind: \"pareto\" is not a kind of traffic; expected one of constant, exponential-on-off, \
                 pareto-on-off, poisson-transfers, tcplib",
            ),
            (
                "\"pareto-on-off\"",
                "\"exponential-on-off\"",
                ":19: traffic.0.shape: means nothing in exponential-on-off traffic; leave it out, or set traffic.0.kind \
                 to \"pareto-on-off\" or \"poisson-transfers\"",
            ),
            (
                "\"pareto-on-off\"",
                "\"constant\"",
                ":17: traffic.0.on: means nothing in constant traffic; leave it out, or set traffic.0.kind to \
                 \"exponential-on-off\" or \"pareto-on-off\"",
            ),
            ("rate = \"1mbit\"\n", "", r#":14: traffic.0.rate: is missing; give one, such as rate = "50mbit""#),
            ("on = \"400ms\"\n", "", r#":14: traffic.0.on: is missing; give one, such as on = "500ms""#),
            ("off = \"600ms\"\n", "", r#":14: traffic.0.off: is missing; give one, such as off = "500ms""#),
            (
                "rate = \"1mbit\"",
                "rate = \"0bit\"",
                ":16: traffic.0.rate: a rate of 0 sends nothing; write 1bit or more",
            ),
            (
                "rate = \"1mbit\"",
                "rate = \"1tbit\"\npacket = \"40b\"",
                ":16: traffic.0.rate: packets would be less than a nanosecond apart; write a lower rate, 1tbit at most",
            ),
            (
                "400ms",
                "7999us",
                ":17: traffic.0.on: is shorter than one packet takes at this rate; write 8000000ns or more",
            ),
            ("600ms", "0ms", r#":18: traffic.0.off: is 0; write a time above 0, such as "500ms""#),
            ("600ms", "2h", ":18: traffic.0.off: is longer than an hour; write 1h at most"),
            (
                "shape = 1.5",
                "shape = 1",
                ":19: traffic.0.shape: 1 was given; expected a number from 1.01 to 100 in steps of 0.001, such as 1.5",
            ),
            (
                "shape = 1.5",
                "shape = \"1.5\"",
                ":19: traffic.0.shape: \"1.5\" was given; expected a number from 1.01 to 100 in steps of 0.001, such as 1.5",
            ),
            (
                "shape = 1.5",
                "start = \"60s\"",
                ":19: traffic.0.start: the traffic never starts: the run is over by then; write a time before duration",
            ),
            (
                "shape = 1.5",
                "stop = \"0s\"",
                ":19: traffic.0.stop: the traffic stops before it starts; write a time after start",
            ),
            (
                "shape = 1.5",
                "enter = \"r1\"",
                ":19: traffic.0.enter: means nothing in a dumbbell; leave it out, or set topology.kind to \"parking-lot\"",
            ),
            (
                "shape = 1.5",
                "direction = \"up\"",
                ":19: traffic.0.direction: \"up\" is not a direction; expected one of forward, backward",
            ),
            (
                "queue = \"100p\"",
                "queue = \"900b\"",
                ":13: flow.0.packet: 1000b do not fit the 900b of the queue of r1->r2; lengthen it",
            ),
            (
                "shape = 1.5",
                "packet = \"1500b\"\naccess = { rate = \"1gbit\", delay = \"1ms\", queue = \"1200b\" }",
                ":19: traffic.0.packet: 1500b do not fit the queue of ts0->r1; write 1200b at most",
            ),
        ],
    );
}

#[test]
fn transfers() {
    let good = format!(
        "{GOOD}[[traffic]]\nkind = \"poisson-transfers\"\ninterarrival = \"30ms\"\nsize = \"20kb\"\n\
         size_distribution = \"pareto\"\nshape = 1.2\n[traffic.flow]\nalgorithm = \"reno\"\n"
    );
    check(
        &good,
        &[
            (
                "interarrival = \"30ms\"\n",
                "",
                r#":14: traffic.0.interarrival: is missing; give one, such as interarrival = "100ms""#,
            ),
            ("size = \"20kb\"\n", "", r#":14: traffic.0.size: is missing; give one, such as size = "10kb""#),
            (
                "[traffic.flow]\nalgorithm = \"reno\"\n",
                "",
                ":14: traffic.0.flow: is missing; give one, such as a [[flow]] table with algorithm = \"vegas\"",
            ),
            ("30ms", "0ms", r#":16: traffic.0.interarrival: is 0; write a time above 0, such as "500ms""#),
            ("20kb", "0b", ":17: traffic.0.size: a transfer of 0 bytes sends nothing; write 1b or more"),
            (
                "\"pareto\"",
                "\"exponential\"",
                ":19: traffic.0.shape: means nothing here; leave it out, or set traffic.0.size_distribution to \"pareto\"",
            ),
            (
                "\"pareto\"",
                "\"normal\"",
                ":18: traffic.0.size_distribution: \"normal\" is not a distribution of sizes; expected one of fixed, \
                 exponential, pareto",
            ),
            (
                "shape = 1.2",
                "rate = \"1mbit\"",
                ":19: traffic.0.rate: means nothing in poisson-transfers traffic; leave it out, or set traffic.0.kind to \
                 \"constant\" or \"exponential-on-off\" or \"pareto-on-off\"",
            ),
            (
                "algorithm = \"reno\"",
                "algorithm = \"reno\"\nsize = \"1kb\"",
                ":22: traffic.0.flow.size: is the source's and not one connection's; write it as traffic.0.size",
            ),
            (
                "algorithm = \"reno\"",
                "algorithm = \"reno\"\ncount = 2",
                ":22: traffic.0.flow.count: the source opens as many as traffic.0.interarrival says; leave it out",
            ),
            (
                "algorithm = \"reno\"",
                "algorithm = \"rino\"",
                r#":21: traffic.0.flow.algorithm: "rino" is no preset; did you mean "reno"?"#,
            ),
        ],
    );
}

#[test]
fn conversations() {
    let good = format!(
        "{GOOD}[[traffic]]\nkind = \"tcplib\"\ninterarrival = \"30ms\"\n[traffic.flow]\nalgorithm = \"reno\"\n"
    );
    check(
        &good,
        &[
            (
                "interarrival = \"30ms\"\n",
                "size = \"20kb\"\n",
                ":16: traffic.0.size: means nothing in tcplib traffic; leave it out, or set traffic.0.kind to \
                 \"poisson-transfers\"",
            ),
            (
                "interarrival = \"30ms\"\n",
                "",
                r#":14: traffic.0.interarrival: is missing; give one, such as interarrival = "100ms""#,
            ),
            (
                "[traffic.flow]\nalgorithm = \"reno\"\n",
                "",
                ":14: traffic.0.flow: is missing; give one, such as a [[flow]] table with algorithm = \"vegas\"",
            ),
        ],
    );
}
