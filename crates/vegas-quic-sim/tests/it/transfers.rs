//! Transfers of traffic by QUIC: what they deliver, and that they differ from TCP's only by transport.

use vegas_quic_sim::Quic;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;
use vegas_sim::{Engine, Simulation};

fn text(transport: &str, loss: &str) -> String {
    format!(
        r#"
        name = "transfers"
        duration = "30s"
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1gbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "20mbit", delay = "18ms", queue = "67p", loss = "{loss}" }}
        flow = [{{ algorithm = "vegas", packet = "1500b" }}]
        [[traffic]]
        kind = "poisson-transfers"
        interarrival = "200ms"
        size = "100kb"
        flow = {{ algorithm = "cubic", packet = "1500b", transport = "{transport}" }}
        "#
    )
}

fn run(text: &str, engine: Engine, seed: u64) -> Outcome {
    let scenario = Scenario::from_toml(text, "transfers.toml", &[("seed".into(), seed.to_string())]).unwrap();
    let mut simulation = Simulation::with_engine(engine, &scenario, Some(&Quic));
    while !simulation.advance(u64::MAX).finished {}
    simulation.finish()
}

#[test]
fn quic_opens_the_connections_of_a_source() {
    let [tcp, quic] = ["tcp", "quic"].map(|transport| run(&text(transport, "0%"), Engine::Fast, 1));
    let [of_tcp, of_quic] = [&tcp, &quic].map(|outcome| outcome.traffic[0].transfers.as_ref().unwrap());
    assert_eq!(of_tcp.started, of_quic.started, "the draws of a source do not depend on the transport");
    assert!(of_quic.completed + 5 >= of_quic.started, "{of_quic:?}");
    let [p50_tcp, p50_quic] = [of_tcp, of_quic].map(|transfers| transfers.completion.as_ref().unwrap().p50_s);
    // a handshake more, of a round trip of 40 ms and what it waits in the queue
    assert!((0.02..0.2).contains(&(p50_quic - p50_tcp)), "{p50_tcp} s by TCP, {p50_quic} s by QUIC");
    // 100,000 bytes each, and those of the last ones in part
    let delivered_mb = of_quic.goodput_mbps * 30.0 / 8.0;
    let whole_mb = of_quic.completed as f64 * 0.1;
    assert!((whole_mb - 0.001..whole_mb + 0.5).contains(&delivered_mb), "{delivered_mb} of {whole_mb}");
}

#[test]
fn both_engines_and_two_runs_agree() {
    for loss in ["0%", "3%"] {
        let text = text("quic", loss);
        let first = run(&text, Engine::Fast, 7);
        let again = run(&text, Engine::Fast, 7);
        let reference = run(&text, Engine::Reference, 7);
        assert_eq!(first.traffic, again.traffic);
        assert_eq!((first.traffic, first.flows), (reference.traffic, reference.flows), "{loss}");
    }
}

#[test]
fn connections_of_a_trace_stay_with_tcp() {
    let text = text("quic", "0%").replace("poisson-transfers", "tcplib").replace("size = \"100kb\"", "");
    let error = Scenario::from_toml(&text, "transfers.toml", &[]).unwrap_err().to_string();
    assert!(error.contains("traffic.0.flow.transport: connections of tcplib are TCP's; leave it out"), "{error}");
}
