//! Sources that replay a trace of connections: when they send, how much, and what they wait for.

use vegas_sim::outcome::{TrafficOutcome, TransferOutcome};
use vegas_sim::scenario::{Folder, NamedText, Scenario};
use vegas_sim::{Limits, Watch, run};

/// A packet of 1000 bytes needs 8 us on an access link and 0.8 ms on the bottleneck, an acknowledgement 0.32 us and 32
/// us.
const NETWORK: &str = r#"
name = "replayed"
duration = "DURATION"
topology.kind = "dumbbell"
topology.access = { rate = "1gbit", delay = "1ms" }
topology.bottleneck = { rate = "10mbit", delay = "8ms", queue = "50p" }
flow = [{ algorithm = "reno", size = "1b" }]
[[traffic]]
kind = "connection-trace"
trace = "connections.csv"
flow = { algorithm = "reno", packet = "1000b", header = "40b", ack = "40b" }
"#;

/// 8 + 1000 + 800 + 8000 + 8 + 1000 us for one packet, and 0.32 + 1000 + 32 + 8000 + 0.32 + 1000 us for its
/// acknowledgement.
const ROUND_TRIP_S: f64 = 0.020_848_64;

/// The file that the scenarios name, without its first line.
#[derive(Debug)]
struct Epochs<'a>(&'a str);

impl Folder for Epochs<'_> {
    fn trace(&self, name: &str) -> Result<NamedText, String> {
        Ok(NamedText { name: name.into(), text: format!("start_s,request_bytes,response_bytes,think_s\n{}", self.0) })
    }
}

fn load(network: &str, epochs: &str) -> Scenario {
    let mut stop = |_| None;
    let watch = &mut Watch::new(Limits::default(), &mut stop);
    Scenario::read_toml_in(&Epochs(epochs), network, "replayed.toml", &[], watch)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn replayed(network: &str, epochs: &str) -> (TrafficOutcome, TransferOutcome) {
    let traffic = run(&load(network, epochs)).traffic.remove(0);
    let transfers = traffic.transfers.clone().expect("connections");
    (traffic, transfers)
}

/// A connection starts 0.5 s after the source. It has three responses of a packet, each acknowledged after a round
/// trip, and thinks for 0.25 s and for 1 s between them; what it thinks after the last delays nothing. So it is over 3
/// round trips and 1.75 s after the source's start, 2.81254592 s from the beginning.
#[test]
fn think_times_pass_between_the_epochs() {
    let epochs = "0.5,300,960,0.25\n,100,960,1\n,50,960,7\n";
    let network = |duration: &str| format!("{}start = \"1s\"\n", NETWORK.replace("DURATION", duration));
    let before = replayed(&network("2.8125s"), epochs);
    assert_eq!((before.0.delivered_packets, before.1.started, before.1.completed), (3, 1, 0));
    let after = replayed(&network("2.8126s"), epochs);
    assert_eq!((after.0.delivered_packets, after.1.started, after.1.completed), (3, 1, 1));
    let completion = after.1.completion.expect("it is over");
    assert!((completion.p50_s - 3.0 * ROUND_TRIP_S).abs() < 1e-12, "think times do not count: {completion:?}");
    // the third response leaves at 1.5 s + 1.25 s + 2 round trips = 2.79169728 s
    let sent = |duration: &str| replayed(&network(duration), epochs).0.sent_packets;
    assert_eq!((sent("2.7916s"), sent("2.7917s")), (2, 3));
}

/// A response of 2500 bytes fills three packets of 960 bytes of payload, one of 961 two. Where there is no response,
/// only time passes.
#[test]
fn every_epoch_has_its_bytes() {
    let epochs = "0,1,2500,0\n,70,0,0.5\n,1,961,0\n0.125,0,1,0\n";
    let network = NETWORK.replace("DURATION", "1s");
    for (side, packets, payload, connections) in [("responses", 6, 3_462, 2), ("requests", 3, 72, 1)] {
        let (traffic, transfers) = replayed(&format!("{network}side = \"{side}\"\n"), epochs);
        assert_eq!((traffic.sent_packets, transfers.started, transfers.completed), (packets, connections, connections));
        assert!((transfers.goodput_mbps - payload as f64 * 8e-6).abs() < 1e-12, "{side}: {transfers:?}");
        let wire = payload + 40 * packets;
        assert!((traffic.sent_mbps - wire as f64 * 8e-6).abs() < 1e-12, "{side}: {traffic:?}");
    }
}

/// Connections may begin at one instant; none begins at `stop` or later.
#[test]
fn connections_begin_until_the_stop() {
    let epochs = "0.2,1,5,0\n0.2,1,5,0\n0.3,1,5,0\n";
    let network = NETWORK.replace("DURATION", "1s");
    let started = |stop: &str| replayed(&format!("{network}stop = \"{stop}\"\n"), epochs).1.started;
    assert_eq!([started("200ms"), started("201ms"), started("300ms"), started("301ms")], [0, 2, 2, 3]);
}

/// On any network every connection delivers exactly its bytes.
#[test]
fn what_is_lost_is_sent_again() {
    let impaired = "queue = \"50p\", loss = 0.03, reorder = { probability = 0.1, delay = \"50ms\" } }";
    let network = NETWORK.replace("DURATION", "600s").replace("queue = \"50p\" }", impaired);
    let epochs: String =
        (0..100).map(|number| format!("{number},1,1,0.3\n,1,1921,0\n,1,20000,0.01\n,1,77,0\n")).collect();
    let linux = "{ kind = \"linux\", handshake = \"full\" }";
    for (algorithm, host) in [("reno", "{}"), ("sack", "{ handshake = \"full\" }"), ("vegas", "{}"), ("cubic", linux)] {
        let flow = format!("algorithm = \"{algorithm}\", host = {host}, packet");
        let network = network.replace("algorithm = \"reno\", packet", &flow);
        let (traffic, transfers) = replayed(&network, &epochs);
        assert_eq!((transfers.started, transfers.completed), (100, 100), "{algorithm}");
        let bytes = transfers.goodput_mbps * 600e6 / 8.0;
        assert!((bytes - 100.0 * 21_999.0).abs() < 1.0, "{algorithm}: {bytes} bytes");
        assert!(traffic.lost_packets > 0);
    }
}

/// The shipped trace follows the formula that `replayed-connections.toml` states: connection k, of 101, starts at 0.55
/// k s and has 1 + k mod 3 epochs. Epoch j of all asks with 300 + 13 j mod 700 bytes, is answered with 28700 x 101 /
/// (101 - 37 j mod 101) bytes, rounded down, and thinks for (1 + 3 j mod 10) tenths of a second.
#[test]
fn the_shipped_trace_follows_its_formula() {
    let text = include_str!("../../../../../scenarios/replayed-connections.csv");
    let mut lines = text.lines().skip(1).enumerate();
    for connection in 0..101 {
        for epoch in 0..=connection % 3 {
            let (number, line) = lines.next().expect("an epoch");
            let fields: Vec<f64> = line.split(',').map(|field| field.parse().unwrap_or(-1.0)).collect();
            let start = if epoch == 0 { 0.55 * f64::from(connection) } else { -1.0 };
            assert!((fields[0] - start).abs() < 1e-9, "{line}");
            let exact = [300 + 13 * number % 700, 2_898_700 / (101 - 37 * number % 101), 1 + 3 * number % 10];
            let given = [fields[1], fields[2], (10.0 * fields[3]).round()].map(|value| value as usize);
            assert_eq!(given, exact, "{line}");
        }
    }
    assert_eq!(lines.next(), None);
}
