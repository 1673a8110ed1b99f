//! Background traffic: the packets sent, delivered and lost, and its independence from the flows' random numbers.

use vegas_sim::outcome::{Outcome, TrafficOutcome, TransferOutcome};
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
    // 2 s with a packet every 4 ms, the first at once; the packet due at the stop is not sent
    let expected = TrafficOutcome {
        start_s: 1.0,
        sent_packets: 500,
        delivered_packets: 500,
        lost_packets: 0,
        sent_mbps: 1.0,
        throughput_mbps: 1.0,
        transfers: None,
    };
    assert_eq!(outcome.traffic, [expected]);
}

/// 20 Mb/s enter a link of 10 Mb/s: half of the packets arrive, and the queue's 50 places delay the last by 40 ms.
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

/// A duplicated datagram is delivered twice; a lost one counts as lost for every cause.
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

fn transfers(lines: &str) -> String {
    format!("[[traffic]]\nkind = \"poisson-transfers\"\nflow = {{ algorithm = \"reno\" }}\n{lines}\n")
}

fn of(traffic: &TrafficOutcome) -> &TransferOutcome {
    traffic.transfers.as_ref().expect("a source of transfers")
}

/// A single transfer on the network takes the time of a flow of its size.
#[test]
fn a_transfer_alone_is_a_sized_flow() {
    let flow = DUMBBELL.replace("start = \"9.9s\"", "size = \"50kb\"");
    let alone = outcome(&flow).flows[0].completion_s.unwrap();
    let quiet = transfers("interarrival = \"2s\"\nsize = \"50kb\"");
    let outcome = outcome(&format!("{}{quiet}", DUMBBELL.replace("\"10s\"", "\"100s\"").replace("9.9s", "99.9s")));
    let completion = of(&outcome.traffic[0]).completion.unwrap();
    assert_eq!(completion.p50_s, alone, "most have it for themselves");
    assert!(completion.p99_s < 3.0 * alone, "{completion:?}");
}

/// 100 s with 50 arrivals per second: 5000, with a standard deviation of 71. Sizes with a mean of 10 kB are 4 Mb/s; the
/// standard deviation of a sum of 5000 exponential sizes is 1.4 % of it, and that of the arrivals adds as much.
#[test]
fn arrivals_and_sizes_have_their_means() {
    let long = DUMBBELL.replace("\"10s\"", "\"103s\"").replace("9.9s", "102.9s").replace("10mbit", "100mbit");
    let source =
        transfers("interarrival = \"20ms\"\nsize = \"10kb\"\nsize_distribution = \"exponential\"\nstop = \"100s\"");
    let outcome = outcome(&format!("{long}{source}"));
    let (traffic, transfers) = (&outcome.traffic[0], of(&outcome.traffic[0]));
    assert!((4750..5250).contains(&transfers.started), "{transfers:?}");
    assert_eq!(transfers.completed, transfers.started, "all have had three seconds");
    assert!((3.75..4.25).contains(&transfers.goodput_mbps), "{transfers:?}");
    assert_eq!(traffic.sent_packets, traffic.delivered_packets + traffic.lost_packets);
    assert!(traffic.throughput_mbps > transfers.goodput_mbps, "headers");
    let completion = transfers.completion.unwrap();
    assert!(0.02 < completion.p50_s && completion.p50_s < completion.p90_s && completion.p90_s < completion.p99_s);
}

/// On any network every transfer delivers exactly its bytes: no packet of a connection that is over meets the next one
/// in its place.
#[test]
fn places_are_reused_without_mixing_connections() {
    let bad = "queue = \"50p\", loss = 0.03, duplicate = 0.1, reorder = { probability = 0.1, delay = \"300ms\" }, \
               backward = { loss = 0.03, duplicate = 0.1, reorder = { probability = 0.1, delay = \"300ms\" } } }";
    let network = DUMBBELL.replace("queue = \"50p\" }", bad).replace("\"10s\"", "\"600s\"").replace("9.9s", "599.9s");
    for algorithm in ["reno", "newreno", "sack", "vegas"] {
        let source = transfers("interarrival = \"50ms\"\nsize = \"9600b\"\nstop = \"300s\"").replace("reno", algorithm);
        let source = source.replace("\" }", "\", delayed_ack = \"200ms\", host = { handshake = \"full\" } }");
        let outcome = outcome(&format!("{network}{source}"));
        let transfers = of(&outcome.traffic[0]);
        assert!((5_600..6_400).contains(&transfers.started), "{transfers:?}");
        assert_eq!(transfers.completed, transfers.started, "{algorithm}");
        let delivered_bytes = transfers.goodput_mbps * 300.0 * 1e6 / 8.0;
        assert!((delivered_bytes - transfers.started as f64 * 9600.0).abs() < 1.0, "{algorithm}: {transfers:?}");
        assert!(outcome.traffic[0].lost_packets > 0);
    }
}

/// Transfers are no flows: they have no rows, series, incidents or captured packets.
#[test]
fn transfers_stay_out_of_the_flows_tables() {
    let source = transfers("interarrival = \"10ms\"\nsize = \"20kb\"");
    for sampling in ["", "sample = \"change\"\n", "sample = \"off\"\n"] {
        let text = format!("capture = true\n{sampling}{DUMBBELL}{source}");
        let busy = outcome(&text);
        assert_eq!(busy, outcome(&text), "a run repeats itself");
        assert_eq!(busy.flows.len(), 1);
        assert!(busy.traffic[0].lost_packets > 0, "16 Mb/s into 10");
        assert!(busy.flow_series.flow.iter().all(|flow| *flow == 0));
        assert!(busy.incidents.iter().all(|incident| incident.flow == 0));
        assert!(busy.capture.iter().all(|packet| packet.flow == 0));
        let unfinished = of(&busy.traffic[0]);
        assert!(unfinished.completed < unfinished.started);
    }
}

const TCPLIB: &str = r#"[[traffic]]
kind = "tcplib"
interarrival = "100ms"
flow = { algorithm = "reno", host = { handshake = "full" } }
"#;

/// 100 s with ten conversations per second. An eighth of them are TELNET's, most of which continue; half of the others
/// carry less than 500 bytes, and are over after two round trips.
#[test]
fn conversations_come_and_go() {
    let long = DUMBBELL.replace("\"10s\"", "\"100s\"").replace("9.9s", "99.9s").replace("10mbit", "100mbit");
    let text = format!("{long}{TCPLIB}");
    let busy = outcome(&text);
    assert_eq!(busy, outcome(&text));
    let (traffic, conversations) = (&busy.traffic[0], of(&busy.traffic[0]));
    assert!((890..1110).contains(&conversations.started), "{conversations:?}");
    let open = conversations.started - conversations.completed;
    assert!((60..140).contains(&open), "{conversations:?}");
    let completion = conversations.completion.unwrap();
    assert!((0.036..0.06).contains(&completion.p50_s), "{completion:?}");
    assert!(traffic.delivered_packets > 10_000);
}

/// The longest TELNET conversation takes two hours: a run of three hours ends them all, on any network.
#[test]
fn every_conversation_ends() {
    let bad = "queue = \"50p\", loss = 0.02, duplicate = 0.05, reorder = { probability = 0.05, delay = \"300ms\" } }";
    let network = DUMBBELL
        .replace("queue = \"50p\" }", bad)
        .replace("\"10s\"", "\"3h\"")
        .replace("start = \"9.9s\"", "size = \"1b\"");
    let source = TCPLIB.replace("100ms", "500ms").replace("kind", "stop = \"60s\"\nkind");
    for algorithm in ["reno", "sack", "vegas"] {
        let outcome = outcome(&format!("sample = \"off\"\n{network}{}", source.replace("reno", algorithm)));
        let conversations = of(&outcome.traffic[0]);
        assert!((80..160).contains(&conversations.started), "{conversations:?}");
        assert_eq!(conversations.completed, conversations.started, "{algorithm}");
        assert!(outcome.traffic[0].lost_packets > 0);
    }
}

/// A run that ends when its flow has completed gives the results of a run of exactly that duration.
#[test]
fn a_run_may_end_when_its_flows_have_completed() {
    let source = "[[traffic]]\nkind = \"poisson-transfers\"\ninterarrival = \"20ms\"\nsize = \"20kb\"\n\
                  size_distribution = \"exponential\"\nflow = { algorithm = \"reno\" }\n";
    let busy = format!("{DUMBBELL}{source}")
        .replace("duration = \"10s\"", "duration = \"1h\"\nsample = \"off\"")
        .replace("start = \"9.9s\"", "start = \"1s\", size = \"1mb\"");
    for seed in 1..=20 {
        let text = format!("seed = {seed}\n{busy}");
        let early = outcome(&format!("until_complete = true\n{text}"));
        let completion_s = early.flows[0].completion_s.expect("it completes within the hour");
        assert!((early.end_s - 1.0 - completion_s).abs() < 1e-9);
        let end_ns = (early.end_s * 1e9).round();
        let timed = outcome(&text.replace("\"1h\"", &format!("\"{end_ns}ns\"")));
        assert_eq!((&early.flows, &early.traffic), (&timed.flows, &timed.traffic), "seed {seed}");
        assert_eq!(early.links, timed.links, "seed {seed}");
        assert!(early.incidents == timed.incidents, "seed {seed}");
    }
}
