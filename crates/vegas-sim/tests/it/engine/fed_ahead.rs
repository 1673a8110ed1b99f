//! Work ahead of time (`network/fast/lookahead/plan.rs`) gives the results of links with an event at each hop.

use std::path::Path;

use proptest::prelude::*;
use vegas_core::units::Rate;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{Sampling, Scenario};

/// Runs 4 s of a shipped scenario.
fn run_file(file: &str, unfed: bool) -> Outcome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(file);
    let text = std::fs::read_to_string(&path).expect("a shipped scenario");
    run(&text, path.to_str().expect("a path in UTF-8"), unfed)
}

/// Runs 4 s of a scenario. With `unfed`, every link has a change at the last moment that changes no value, but prevents
/// that the link is fed ahead of time.
fn run(text: &str, name: &str, unfed: bool) -> Outcome {
    let short = [("duration".to_owned(), "4s".to_owned())];
    let scenario = Scenario::from_toml(text, name, &short).expect("a scenario");
    assert_ne!(scenario.sampling, Sampling::EveryChange, "{name}: nothing is fed");
    let changes: Vec<String> = scenario
        .links
        .iter()
        .map(|link| {
            let (from, to) = (&scenario.nodes[link.from], &scenario.nodes[link.to]);
            format!(r#"{{ at = "3.999999999s", link = "{from}->{to}", rate = "{}bit" }}"#, bits(link.rate))
        })
        .collect();
    let changes = ("change".to_owned(), format!("[{}]", changes.join(", ")));
    let overrides = if unfed { [short.to_vec(), vec![changes]].concat() } else { short.to_vec() };
    let mut outcome = vegas_sim::run(&Scenario::from_toml(text, name, &overrides).expect("a scenario"));
    outcome.events = 0;
    outcome
}

fn bits(rate: Rate) -> u64 {
    rate.as_bits_per_second()
}

#[test]
fn same_outcome() {
    for file in [
        "burst-loss.toml",
        "dynamic-vegas-and-reno.toml",
        "gallop-50mbit-queue30.toml",
        "graph.toml",
        "on-off-traffic.toml",
        "parking-lot.toml",
        "rovegas-asymmetric.toml",
        "short-transfers.toml",
        "slow-start-10mbit.toml",
    ] {
        assert!(run_file(file, false) == run_file(file, true), "{file} gives something else");
    }
}

/// Flows of one kind, each with separate access links.
fn flows() -> impl Strategy<Value = String> {
    let kinds = [
        ("vegas", "{}"),
        ("sack", "{}"),
        ("reno", "{}"),
        ("newreno", "{}"),
        ("rovegas", "{}"),
        ("cubic", "{}"),
        ("vegas", r#"{ handshake = "full" }"#),
        ("sack", r#""linux""#),
    ];
    let extras = ["", "", "", "size = \"333333b\"", "delayed_ack = \"40ms\"", "start = \"100ms\""];
    let access = (10u64..200, 0u64..3_000);
    let packets = prop::sample::select(vec![(1000, 40), (1000, 40), (1500, 52), (300, 300)]);
    (
        1u32..4,
        prop::sample::select(kinds.to_vec()),
        prop::sample::select(extras.to_vec()),
        packets,
        prop::option::of(access),
    )
        .prop_map(|(count, (algorithm, host), extra, (packet, ack), access)| {
            let access = access.map_or(String::new(), |(rate, delay)| {
                format!(r#"access = {{ rate = "{rate}mbit", delay = "{delay}us" }}"#)
            });
            format!(
                r#"
                [[flow]]
                algorithm = "{algorithm}"
                count = {count}
                packet = "{packet}b"
                ack = "{ack}b"
                host = {host}
                {extra}
                {access}
                "#
            )
        })
}

/// One to three bottlenecks in a row; their spacing of packets may or may not suffice for the links behind them.
fn networks() -> impl Strategy<Value = String> {
    let rates = (2u64..200, prop::sample::select(vec![1u64, 2, 5, 10, 12, 100]));
    let queues = prop::sample::select(vec![
        r#""5p""#,
        r#""30p""#,
        r#""20000b""#,
        r#""unlimited""#,
        r#"{ kind = "fq-codel", limit = "100p" }"#,
    ]);
    let sample = prop::sample::select(vec!["off", "7ms", "100ms", "1.3s"]);
    let all = (rates, 0u64..20_000, 1u32..4, queues, sample, prop::collection::vec(flows(), 1..4));
    all.prop_map(|((rate, slower), delay, hops, queue, sample, flows)| {
        let bottleneck = 1_000 * rate / slower;
        format!(
            r#"
            name = "random"
            duration = "4s"
            sample = "{sample}"
            [topology]
            kind = "parking-lot"
            hops = {hops}
            access = {{ rate = "{rate}mbit", delay = "1ms" }}
            bottleneck = {{ rate = "{bottleneck}kbit", delay = "{delay}us", queue = {queue} }}
            {}
            "#,
            flows.concat()
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn same_outcome_on_random_networks(text in networks()) {
        prop_assert!(run(&text, "random.toml", false) == run(&text, "random.toml", true), "{}", text);
    }
}

/// Work ahead of time saves events: a single flow needs one event per packet instead of six.
#[test]
fn events_are_saved() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/gallop-50mbit.toml");
    let text = std::fs::read_to_string(path).expect("a shipped scenario");
    let outcome = vegas_sim::run(&Scenario::from_toml(&text, "gallop-50mbit.toml", &[]).expect("a scenario"));
    assert!(outcome.events < outcome.delivered_packets + 2_000, "{} events", outcome.events);
}

/// A run that ends early, in which nothing after its end may count: the results are equal whether or not links list the
/// packets on them, as links that may change do.
#[test]
fn an_early_end_counts_nothing_of_later() {
    let text = |change: &str| {
        format!(
            r#"
            name = "early"
            duration = "600s"
            until_complete = true
            flow = [{{ algorithm = "reno", size = "300kb", from = "a", to = "d" }}]
            traffic = [{{ kind = "constant", rate = "1500kbit", from = "a", to = "d" }}]
            change = [{change}]
            [topology]
            kind = "graph"
            nodes = ["a", "b", "c", "d"]
            link = [
                {{ between = ["a", "b"], rate = "4mbit", delay = "40ms", queue = "unlimited" }},
                {{ between = ["b", "c"], rate = "2mbit", delay = "20ms", queue = "5p" }},
                {{ between = ["c", "d"], rate = "1600kbit", delay = "20ms", queue = "5p" }},
            ]
            "#
        )
    };
    let links = ["a->b", "b->a", "b->c", "c->b", "c->d", "d->c"];
    let kept = links.map(|link| format!(r#"{{ at = "599s", link = "{link}", delay = "20ms" }}"#)).join(", ");
    let [plain, mut listed] = [String::new(), kept]
        .map(|change| vegas_sim::run(&Scenario::from_toml(&text(&change), "early.toml", &[]).expect("a scenario")));
    assert!(plain.end_s < 300.0 && plain.links.iter().any(|link| link.drops > 0), "{}", plain.end_s);
    listed.events = plain.events;
    assert!(plain == listed, "packets of after the end count");
}
