//! A fair queue for each user: users share a link equally, whatever the number of their connections.

use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;
use vegas_sim::{Engine, Simulation};

const TWO_USERS: &str = r#"
    name = "users"
    duration = "30s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck = { rate = "20mbit", delay = "9ms" }
    flow = [
        { algorithm = "cubic", count = 8, user = "anna" },
        { algorithm = "cubic", user = "bert" },
    ]
"#;
const QUEUE: &str = "topology.bottleneck.queue";

fn run_on(engine: Engine, text: &str, overrides: &[(&str, &str)]) -> Outcome {
    let overrides: Vec<_> = overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scenario = Scenario::from_toml(text, "users.toml", &overrides).expect("a scenario");
    let mut simulation = Simulation::with_engine(engine, &scenario, None);
    while !simulation.advance(u64::MAX).finished {}
    simulation.finish()
}

/// Returns what the eight flows of one user have, of what the other's flow has.
fn ratio(outcome: &Outcome) -> f64 {
    let goodput: Vec<f64> = outcome.flows.iter().map(|flow| flow.goodput_mbps).collect();
    goodput[..8].iter().sum::<f64>() / goodput[8]
}

const ENGINES: [Engine; 2] = [Engine::Fast, Engine::Reference];

/// With a queue for each user both have half; with one for each connection the user with eight has eight times as much.
/// The way back carries acknowledgements only.
#[test]
fn users_share_equally() {
    for engine in ENGINES {
        let of = |isolate: &str| {
            let queue = format!(r#"{{ kind = "fq-codel", limit = "400p", isolate = "{isolate}" }}"#);
            ratio(&run_on(engine, TWO_USERS, &[(QUEUE, &queue)]))
        };
        let (users, flows) = (of("users"), of("flows"));
        assert!((0.97..1.03).contains(&users), "{users}");
        assert!((7.6..8.4).contains(&flows), "{flows}");
    }
}

/// A flow that names no user is one of its own.
#[test]
fn flows_without_a_user_are_users_of_their_own() {
    let text = TWO_USERS.replace(r#", user = "anna""#, "").replace(r#", user = "bert""#, "");
    for engine in ENGINES {
        let queue = r#"{ kind = "fq-codel", limit = "400p", isolate = "users" }"#;
        let found = ratio(&run_on(engine, &text, &[(QUEUE, queue)]));
        assert!((7.6..8.4).contains(&found), "{found}");
    }
}

/// Background traffic belongs to users, too: a stream that takes all of its user's half leaves that user's flow what is
/// left of it, and the other user half.
#[test]
fn traffic_belongs_to_users() {
    let text = format!(
        r#"{TWO_USERS}
        traffic = [
            {{ kind = "constant", rate = "9mbit", user = "bert" }},
            {{ kind = "poisson-transfers", interarrival = "2s", size = "10kb", user = "bert", flow.algorithm = "reno" }},
        ]"#
    );
    for engine in ENGINES {
        let of = |isolate: &str| {
            let queue = format!(r#"{{ kind = "fq-codel", limit = "400p", isolate = "{isolate}" }}"#);
            let outcome = run_on(engine, &text, &[(QUEUE, &queue)]);
            let anna: f64 = outcome.flows[..8].iter().map(|flow| flow.throughput_mbps).sum();
            let bert: f64 = outcome.traffic.iter().map(|source| source.throughput_mbps).sum();
            (anna, bert + outcome.flows[8].throughput_mbps)
        };
        let (anna, bert) = of("users");
        assert!((9.5..10.5).contains(&anna) && (9.5..10.5).contains(&bert), "{anna} and {bert} Mb/s");
        let (anna, bert) = of("flows");
        assert!(anna > 1.5 * bert, "{anna} and {bert} Mb/s");
    }
}

#[test]
fn where_users_mean_nothing() {
    let error = |text: &str, key: &str, value: &str| {
        let overrides = [(key.to_owned(), value.to_owned())];
        Scenario::from_toml(text, "users.toml", &overrides).expect_err(value).to_string()
    };
    let queue = r#"{ kind = "codel", limit = "400p", isolate = "users" }"#;
    let found = error(TWO_USERS, QUEUE, queue);
    let right = "topology.bottleneck.queue.isolate: means nothing to codel; leave it out, or set kind to \"fq-codel\"";
    assert!(found.ends_with(right), "{found}");
    let text = TWO_USERS.replace("delay = \"9ms\"", "delay = \"9ms\", queue = \"100p\"")
        + r#"traffic = [{ kind = "tcplib", interarrival = "1s", flow = { algorithm = "reno", user = "anna" } }]"#;
    let found = error(&text, "seed", "1");
    let right = "traffic.0.flow.user: is the source's and not one connection's; write it as traffic.0.user";
    assert!(found.ends_with(right), "{found}");
}
