//! Links that are fed ahead of time (`engine/feeding.rs`) give what links with an event at each hop give.

use std::path::Path;

use vegas_core::units::Rate;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{Sampling, Scenario};

/// Runs a shipped scenario; with a change of every link at the last moment, if told so, that changes nothing but keeps
/// the link from being fed.
fn run(file: &str, unfed: bool) -> Outcome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(file);
    let text = std::fs::read_to_string(&path).expect("a shipped scenario");
    let name = path.to_str().expect("a path in UTF-8");
    let short = [("duration".to_owned(), "4s".to_owned())];
    let scenario = Scenario::from_toml(&text, name, &short).expect("a scenario");
    assert_ne!(scenario.sampling, Sampling::EveryChange, "{file}: nothing is fed");
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
    let mut outcome = vegas_sim::run(&Scenario::from_toml(&text, name, &overrides).expect("a scenario"));
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
        assert!(run(file, false) == run(file, true), "{file} gives something else");
    }
}

/// What is fed is worth it: a lone flow needs two events a packet instead of six.
#[test]
fn events_are_saved() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/gallop-50mbit.toml");
    let text = std::fs::read_to_string(path).expect("a shipped scenario");
    let outcome = vegas_sim::run(&Scenario::from_toml(&text, "gallop-50mbit.toml", &[]).expect("a scenario"));
    assert!(outcome.events < 2 * outcome.delivered_packets + 2_000, "{} events", outcome.events);
}

/// A run that ends before its time, with packets already offered to, and dropped by, what lies ahead of them: a chain
/// on which only the first link has its packets from hosts.
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
    let [fed, mut unfed] = [String::new(), kept]
        .map(|change| vegas_sim::run(&Scenario::from_toml(&text(&change), "early.toml", &[]).expect("a scenario")));
    assert!(fed.end_s < 300.0 && fed.links.iter().any(|link| link.drops > 0), "{}", fed.end_s);
    assert!(fed.events < unfed.events);
    unfed.events = fed.events;
    assert!(fed == unfed, "packets of after the end count");
}
