//! Results that an additional flow must not change: the flow is added at the end, and starts at the last nanosecond.

use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{Discipline, Scenario};

/// Each discipline; fair ones with few queues, so that many connections share one.
fn queues() -> Vec<String> {
    let of_each = Discipline::KINDS.iter().flat_map(|(kind, which)| {
        let queue = |more: &str| format!("{{ kind = \"{kind}\", limit = \"20p\" {more} }}");
        match which.keys().contains(&"queues") {
            true => vec![queue(", queues = 2"), queue(", queues = 2, isolate = \"users\"")],
            false => vec![queue("")],
        }
    });
    of_each.collect()
}

const TRAFFIC: [&str; 6] = [
    "kind = \"constant\", rate = \"300kbit\"",
    "kind = \"exponential-on-off\", rate = \"600kbit\", on = \"300ms\", off = \"300ms\"",
    "kind = \"pareto-on-off\", rate = \"600kbit\", on = \"300ms\", off = \"300ms\"",
    "kind = \"poisson-transfers\", interarrival = \"300ms\", size = \"20kb\", flow = { algorithm = \"reno\" }",
    "kind = \"tcplib\", interarrival = \"300ms\", flow = { algorithm = \"reno\" }",
    concat!(
        "kind = \"connection-trace\", flow = { algorithm = \"reno\" }, trace = \"",
        env!("CARGO_MANIFEST_DIR"),
        "/../../scenarios/replayed-connections.csv\""
    ),
];

/// The topology, the ends of flows and sources, and the number of links that the idle flow does not reach.
const DUMBBELL: (&str, &str, usize) = (
    r#"
        kind = "dumbbell"
        access = { rate = "100mbit", delay = "1ms" }
        bottleneck = { rate = "1mbit", delay = "20ms", queue = QUEUE, IMPAIRED }
    "#,
    "",
    2,
);

/// All flows come from one host: the ports of the connections that it opens must not depend on the flow that comes
/// later.
const GRAPH: (&str, &str, usize) = (
    r#"
        kind = "graph"
        nodes = ["a", "b"]
        link = [{ between = ["a", "b"], rate = "1mbit", delay = "20ms", queue = QUEUE, IMPAIRED }]
    "#,
    ", from = \"a\", to = \"b\"",
    0,
);

#[test]
fn an_idle_flow_changes_nothing() {
    for (topology, ends, links) in [DUMBBELL, GRAPH] {
        for queue in queues() {
            for traffic in TRAFFIC {
                let impaired = "loss = 0.01, jitter = \"1ms\", \
                                delay_schedule = { limit = \"9ms\", points = [[\"1s\", \"9ms\"], [\"2s\", \"3ms\"]] }";
                let topology = topology.replace("QUEUE", &queue).replace("IMPAIRED", impaired);
                let run = |flows: &str| run(&topology, flows, &format!("{{ {traffic} {ends} }}"));
                let flows =
                    format!("{{ algorithm = \"reno\" {ends} }}, {{ algorithm = \"vegas\", start = \"100ms\" {ends} }}");
                let idle = format!("{{ algorithm = \"reno\", start = \"4999999999ns\" {ends} }}");
                let alone = run(&flows);
                let beside = run(&format!("{flows}, {idle}"));
                assert_same(&alone, &beside, links, &format!("{queue}, {traffic} {ends}"));
            }
        }
    }
}

fn run(topology: &str, flows: &str, traffic: &str) -> Outcome {
    let text = format!(
        "name = \"x\"\nduration = \"5s\"\nflow = [{flows}]\ntraffic = [{traffic}, {traffic}]\n[topology]\n{topology}"
    );
    let scenario = Scenario::from_toml(&text, "x.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario)
}

/// Checks that the common results are equal, except on links that the idle flow's first packet may have reached.
fn assert_same(alone: &Outcome, beside: &Outcome, links: usize, what: &str) {
    assert_eq!(alone.flows[..], beside.flows[..2], "{what}");
    assert_eq!(alone.traffic, beside.traffic, "{what}");
    assert_eq!(alone.links[..links], beside.links[..links], "{what}");
    let incidents: Vec<_> = beside.incidents.iter().filter(|incident| incident.flow < 2).copied().collect();
    assert_eq!(alone.incidents, incidents, "{what}");
}
