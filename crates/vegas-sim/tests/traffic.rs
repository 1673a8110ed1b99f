//! Background traffic: what is sent, what arrives, what is lost, and that it leaves the flows' draws alone.

use vegas_sim::outcome::{Outcome, TrafficOutcome};
use vegas_sim::run;
use vegas_sim::scenario::Scenario;

const DUMBBELL: &str = r#"
name = "traffic"
duration = "10s"
topology.kind = "dumbbell"
topology.access = { rate = "1gbit", delay = "1ms" }
topology.bottleneck = { rate = "10mbit", delay = "8ms", queue = "50p" }
flow = [{ algorithm = "reno", start = "9.9s" }]
"#;

fn load(text: &str) -> Scenario {
    Scenario::from_toml(text, "test.toml", &[]).unwrap()
}

fn outcome(text: &str) -> Outcome {
    run(&load(text))
}

fn path(scenario: &Scenario, source: usize) -> String {
    let links = &scenario.traffic[source].path;
    let names = links.iter().map(|link| &scenario.nodes[scenario.links[*link].to]);
    let first = &scenario.nodes[scenario.links[links[0]].from];
    [first].into_iter().chain(names).cloned().collect::<Vec<_>>().join(" ")
}

#[test]
fn constant_traffic_is_counted_to_the_packet() {
    let source = "kind = \"constant\"\nrate = \"1mbit\"\npacket = \"500b\"\nstart = \"1s\"\nstop = \"3s\"";
    let outcome = outcome(&format!("{DUMBBELL}[[traffic]]\n{source}"));
    // 2 s of a packet every 4 ms, the first at once; the one due at the stop is not sent
    let expected = TrafficOutcome {
        start_s: 1.0,
        sent_packets: 500,
        delivered_packets: 500,
        lost_packets: 0,
        sent_mbps: 1.0,
        throughput_mbps: 1.0,
    };
    assert_eq!(outcome.traffic, [expected]);
}

/// 20 Mb/s into 10: half of it arrives, and the queue's 50 places delay the last by 40 ms.
#[test]
fn what_does_not_fit_is_lost() {
    let source = "kind = \"constant\"\nrate = \"20mbit\"\nstop = \"9s\"";
    let outcome = outcome(&format!("{DUMBBELL}[[traffic]]\n{source}"));
    let traffic = &outcome.traffic[0];
    assert_eq!(traffic.sent_packets, 22_500);
    assert_eq!(traffic.delivered_packets + traffic.lost_packets, traffic.sent_packets, "all were gone after a second");
    assert!((11_250..11_310).contains(&traffic.delivered_packets), "{traffic:?}");
    let drops: u64 = outcome.links.iter().map(|link| link.drops).sum();
    assert_eq!(drops, traffic.lost_packets);
    assert!(outcome.incidents.is_empty(), "incidents are of flows");
}

#[test]
fn sources_have_streams_of_their_own() {
    let source = "[[traffic]]\nkind = \"exponential-on-off\"\nrate = \"1mbit\"\non = \"50ms\"\noff = \"50ms\"\n";
    let pareto = source.replace("exponential", "pareto");
    let alone = outcome(&format!("{DUMBBELL}{source}"));
    let beside = outcome(&format!("{DUMBBELL}{source}{pareto}{source}"));
    let again = outcome(&format!("{DUMBBELL}{source}{pareto}{source}"));
    assert_eq!(beside, again);
    assert_eq!(alone.traffic[0].sent_packets, beside.traffic[0].sent_packets, "another source shifts no draw");
    assert_ne!(beside.traffic[0].sent_packets, beside.traffic[2].sent_packets);
    let reseeded = outcome(&format!("seed = 2\n{DUMBBELL}{source}"));
    assert_ne!(alone.traffic[0].sent_packets, reseeded.traffic[0].sent_packets);
}

#[test]
fn flows_and_their_links_keep_their_places() {
    let source = "[[traffic]]\nkind = \"constant\"\nrate = \"1mbit\"\n";
    let without = load(DUMBBELL);
    let with = load(&format!("{DUMBBELL}{source}"));
    assert_eq!(with.flows, without.flows);
    assert_eq!(with.links[..without.links.len()], without.links);
    assert_eq!(with.nodes[..without.nodes.len()], without.nodes);
}

#[test]
fn paths_follow_the_topology() {
    let constant = "kind = \"constant\", rate = \"1mbit\"";
    let dumbbell = load(&format!("{DUMBBELL}traffic = [{{ {constant} }}, {{ {constant}, direction = \"backward\" }}]"));
    assert_eq!(path(&dumbbell, 0), "ts0 r1 r2 td0");
    assert_eq!(path(&dumbbell, 1), "ts1 r2 r1 td1");

    let lot = DUMBBELL.replace("dumbbell", "parking-lot") + "topology.hops = 3\n";
    let lot = load(&format!("{lot}traffic = [{{ {constant}, enter = \"r2\" }}, {{ {constant}, leave = \"r2\" }}]"));
    assert_eq!(path(&lot, 0), "ts0 r2 r3 r4 td0");
    assert_eq!(path(&lot, 1), "ts1 r1 r2 td1");

    let link = "rate = \"1mbit\", delay = \"1ms\", queue = \"9p\"";
    let graph = load(&format!(
        r#"
        name = "graph"
        duration = "1s"
        flow = [{{ algorithm = "reno", from = "a", to = "b" }}]
        traffic = [{{ {constant}, from = "b", to = "a" }}]
        [topology]
        kind = "graph"
        nodes = ["a", "r", "b"]
        link = [{{ between = ["a", "r"], {link} }}, {{ between = ["r", "b"], {link} }}]
        "#
    ));
    assert_eq!(path(&graph, 0), "b r a");
}

/// A doubled datagram is delivered twice, and a lost one is lost whatever loses it.
#[test]
fn impairments_are_counted() {
    let impaired = DUMBBELL.replace("queue = \"50p\" }", "queue = \"50p\", loss = 0.2, duplicate = 0.5 }");
    let source = "[[traffic]]\nkind = \"constant\"\nrate = \"1mbit\"\nstop = \"9s\"\n";
    let traffic = &outcome(&format!("{impaired}{source}")).traffic[0];
    assert_eq!(traffic.sent_packets, 1125);
    assert!((190..260).contains(&traffic.lost_packets), "a fifth: {traffic:?}");
    let arrived = traffic.sent_packets - traffic.lost_packets;
    let doubled = traffic.delivered_packets - arrived;
    assert!((arrived * 45 / 100..arrived * 55 / 100).contains(&doubled), "half of them: {traffic:?}");
}
