//! Topologies, links and impairments.

use vegas_sim::scenario::Scenario;

use super::{GOOD, GRAPH, PARKING_LOT, check};

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
        ("policer = { rate = \"1mbit\", burst = \"0b\" }", ":8: topology.bottleneck.policer.burst: 0 bytes let nothing pass; write 1b or more".into()),
        ("batch = \"2h\"", ":8: topology.bottleneck.batch: is longer than an hour; write 1h at most".into()),
        ("jitter = { model = \"wifi\", mean = \"2h\" }", ":8: topology.bottleneck.jitter.mean: is longer than an hour; write 1h at most".into()),
        ("jitter = \"2h\"", ":8: topology.bottleneck.jitter: is longer than an hour; write 1h at most".into()),
        ("delay_schedule = { limit = \"2h\", points = [[\"0s\", \"1s\"]] }", ":8: topology.bottleneck.delay_schedule.limit: is longer than an hour; write 1h at most".into()),
        ("delay_schedule = { limit = \"1s\", points = [] }", r#":8: topology.bottleneck.delay_schedule.points: is empty; write one point at least, such as ["0s", "10ms"]"#.into()),
        ("delay_schedule = { limit = \"1s\", points = [[\"0s\"]] }", r#":8: topology.bottleneck.delay_schedule.points.0: has 1 values; write a time and a delay, such as ["3.5s", "10ms"]"#.into()),
        ("delay_schedule = { limit = \"1s\", points = [[\"0s\", \"1s\"], [\"0s\", \"0s\"]] }", ":8: topology.bottleneck.delay_schedule.points.1: is not later than the point before; write the times ascending".into()),
        ("delay_schedule = { limit = \"1s\", points = [[\"0s\", \"1001ms\"]] }", ":8: topology.bottleneck.delay_schedule.points.0: has a delay above the limit; write less, or raise the limit".into()),
        ("delay_schedule = { limit = \"1s\", points = [[\"1s\", \"1s\"]], every = \"0s\" }", ":8: topology.bottleneck.delay_schedule.every: is not longer than from the first point to the last; write a longer time".into()),
        ("delay_schedule = { limit = \"1s\", points = [[\"1s\", \"1s\"], [\"3s\", \"0s\"]], every = \"2s\" }", ":8: topology.bottleneck.delay_schedule.every: is not longer than from the first point to the last; write a longer time".into()),
        ("delay_schedule = { limit = \"1s\", points = [[\"0s\", \"1s\"]], backward = true }", ":8: topology.bottleneck.delay_schedule.backward: is a flow's; leave it out, and write the schedule in the link's table \"backward\"".into()),
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
