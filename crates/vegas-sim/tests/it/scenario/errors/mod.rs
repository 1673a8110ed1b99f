//! Every kind of wrong input, with the line that the user reads.
//!
//! Each case changes one thing in [`GOOD`]; the line numbers in the messages are those of [`GOOD`].

mod application;
mod flows;
mod networks;
mod traffic;
mod values;

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

/// The text that is replaced, its replacement, and the message without the file's name.
type Case<'a> = (&'a str, &'a str, &'a str);

fn check(good: &str, cases: &[Case<'_>]) {
    Scenario::from_toml(good, "x.toml", &[]).expect("the scenario to be spoilt is good");
    for (from, to, expected) in cases {
        assert_eq!(good.matches(from).count(), 1, "{from} is not unique");
        let error = Scenario::from_toml(&good.replace(from, to), "x.toml", &[]).expect_err(to);
        assert_eq!(error.to_string(), format!("x.toml{expected}"), "for {to}");
    }
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
fn overrides() {
    let cases = [
        ("flow.0.algorithm", "vagas", r#"flow.0.algorithm: "vagas" is no preset; did you mean "vegas"?"#),
        ("flow.1.algorithm", "reno", "flow.1: no such entry of flow; expected an index from 0 to 0"),
        ("flow.all.algorithm", "reno", "flow.all: no such entry of flow; expected an index from 0 to 0"),
        ("topolgy.kind", "graph", r#"topolgy: unknown key; did you mean "topology"?"#),
        (
            "flow.0.host.rto",
            "1s",
            "flow.0.host.rto: unknown key; expected one of kind, dupack_threshold, limited_transmit, recovery_burst, delayed_ack, gro, reads_after, sack, timestamps, receive_window, rto_min, rto_max, rto_initial, rto_grain, ticks_per_second, handshake, byte_counting, slow_start_after_idle, accepts_ecn, aqt_every",
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
        assert_eq!(error.to_string(), format!("x.toml: with {key}={value}: {expected}"));
    }
}

#[test]
fn the_error_tells_key_and_line() {
    let error = Scenario::from_toml(&GOOD.replace("\"5s\"", "\"99s\""), "x.toml", &[]).unwrap_err();
    assert_eq!((error.key(), error.line()), ("flow.0.start", Some(12)));
}
