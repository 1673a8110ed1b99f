//! A network that changes during the run, by the scenario's changes.

use std::fs;
use std::path::Path;

use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

fn shipped(name: &str, overrides: &[(&str, &str)]) -> Scenario {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    let text = fs::read_to_string(file).expect("a shipped scenario");
    let overrides: Vec<_> = overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Scenario::from_toml(&text, name, &overrides).unwrap_or_else(|error| panic!("{error}"))
}

/// Mean throughput of a link from one second to another, Mb/s.
fn throughput(scenario: &Scenario, outcome: &Outcome, link: &str, from_s: f64, to_s: f64) -> f64 {
    let name =
        |link: &vegas_sim::scenario::LinkSpec| format!("{}->{}", scenario.nodes[link.from], scenario.nodes[link.to]);
    let id = scenario.links.iter().position(|spec| name(spec) == link).expect("a link") as u32;
    let series = &outcome.link_series;
    let rows: Vec<f64> = (0..series.time_s.len())
        .filter(|&row| series.link[row] == id && series.time_s[row] > from_s && series.time_s[row] <= to_s + 1e-9)
        .map(|row| series.throughput_mbps[row])
        .collect();
    rows.iter().sum::<f64>() / rows.len() as f64
}

/// The route leads over the north at 10 Mb/s, then at 4 Mb/s, then over the south at 8 Mb/s: Reno fills each.
#[test]
fn a_flow_follows_rate_and_route() {
    let scenario = shipped("changing-network.toml", &[("flow.0.algorithm", "newreno")]);
    let outcome = vegas_sim::run(&scenario);
    let mean = |link, from_s, to_s| throughput(&scenario, &outcome, link, from_s, to_s);
    assert!((9.5..=10.01).contains(&mean("west->north", 5., 20.)), "{}", mean("west->north", 5., 20.));
    assert!((3.9..=4.01).contains(&mean("west->north", 21., 40.)), "{}", mean("west->north", 21., 40.));
    assert!((7.4..=8.01).contains(&mean("west->south", 50., 60.)), "{}", mean("west->south", 50., 60.));
    assert_eq!(mean("west->south", 0., 40.), 0.);
    assert_eq!(mean("west->north", 41., 60.), 0.);
}

/// Vegas counts the additional 20 ms of the longer route as backlog. With beta = 3 it holds a window w with w (1 -
/// 44/64) = 3, so w = 9.6 segments of 8000 bits per round trip of 64 ms: 1.2 Mb/s and a part of a segment more.
#[test]
fn vegas_takes_a_longer_route_for_a_backlog() {
    let scenario = shipped("changing-network.toml", &[]);
    let outcome = vegas_sim::run(&scenario);
    let after = throughput(&scenario, &outcome, "west->south", 50., 60.);
    assert!((1.0..1.4).contains(&after), "{after} Mb/s");
}

#[test]
fn a_change_at_the_start_is_as_if_written_so() {
    let change = r#"[{ at = "0s", link = "r1->r2", rate = "5mbit", delay = "7ms", queue = "20p" }]"#;
    let changed = shipped("gallop-50mbit.toml", &[("duration", "10s"), ("change", change)]);
    let backward = r#"{ rate = "50mbit", delay = "48ms", queue = "100p" }"#;
    let written = shipped(
        "gallop-50mbit.toml",
        &[
            ("duration", "10s"),
            ("topology.bottleneck.rate", "5mbit"),
            ("topology.bottleneck.delay", "7ms"),
            ("topology.bottleneck.queue", "20p"),
            ("topology.bottleneck.backward", backward),
        ],
    );
    let (mut changed, written) = (vegas_sim::run(&changed), vegas_sim::run(&written));
    // the engine does not feed packets ahead of time to a link that changes
    changed.events = written.events;
    assert_eq!(changed, written);
}

#[test]
fn what_is_wrong_is_named() {
    let text = r#"
name = "test"
duration = "10s"
topology.kind = "dumbbell"
topology.access = { rate = "1gbit", delay = "1ms" }
topology.bottleneck = { rate = "10mbit", delay = "10ms", queue = "20p" }
flow = [{ algorithm = "vegas" }]
change = [{ CHANGE }]
"#;
    let cases = [
        (
            "at = \"10s\", link = \"r1->r2\", rate = \"1mbit\"",
            "0.at: the run is over by then; write a time before duration",
        ),
        ("link = \"r1->r2\", rate = \"1mbit\"", "0.at: is missing; give one, such as at = \"20s\""),
        ("at = \"1s\"", "0.link: is missing; give one, such as link = \"r1->r2\""),
        ("at = \"1s\", link = \"r1->r3\", rate = \"1mbit\"", "0.link: \"r1->r3\" is no link; did you mean \"r1->r2\"?"),
        ("at = \"1s\", link = \"r1->r2\"", "0: changes nothing; write rate, delay, queue or loss"),
        ("at = \"1s\", link = \"r1->r2\", via = []", "0.via: means nothing for a link; write flow instead of link"),
        ("at = \"1s\", link = \"r1->r2\", rate = \"0bit\"", "0.rate: a rate of 0 sends nothing; write 1bit or more"),
        ("at = \"1s\", link = \"r1->r2\", delay = \"2h\"", "0.delay: is longer than an hour; write 1h at most"),
        (
            "at = \"1s\", link = \"r1->r2\", queue = \"500b\"",
            "0.queue: packets of 1000b do not fit; write 1000b or more",
        ),
        ("at = \"1s\", link = \"r1->r2\", flow = 0", "0.flow: stands beside link; write a change for each"),
        ("at = \"1s\", flow = 1, via = []", "0.flow: 1 is no flow; write a number from 0 to 0"),
        (
            "at = \"1s\", flow = 0, via = []",
            "0.flow: has one route only here; leave it out, or set topology.kind to \"graph\"",
        ),
    ];
    for (change, expected) in cases {
        let error = Scenario::from_toml(&text.replace("CHANGE", change), "x.toml", &[]).expect_err(change);
        assert_eq!(error.to_string(), format!("x.toml:8: change.{expected}"));
    }
}

#[test]
fn wrong_routes_are_named() {
    let cases = [
        (r#"{ at = "1s", flow = 0 }"#, "change.0.via: is missing; give one, such as via = [\"south\"]"),
        (
            r#"{ at = "1s", flow = 0, via = ["soth"] }"#,
            r#"change.0.via.0: "soth" is not in topology.nodes; did you mean "south"?"#,
        ),
        (
            r#"{ at = "1s", flow = 0, via = ["east", "north"] }"#,
            "change.0.via: the path passes north twice; name nodes that lie on one way",
        ),
        (
            r#"{ at = "1s", flow = 0, via = [], rate = "1bit" }"#,
            "change.0: rate, delay, queue and loss are a link's; write link instead of flow",
        ),
    ];
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/changing-network.toml");
    let text = fs::read_to_string(file).expect("a shipped scenario");
    for (change, expected) in cases {
        let overrides = [("change".to_string(), format!("[{change}]"))];
        let error = Scenario::from_toml(&text, "x.toml", &overrides).expect_err(change).to_string();
        assert!(error.ends_with(expected), "{error}");
    }
}
