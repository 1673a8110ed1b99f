//! Incidents say why a segment was retransmitted.

use vegas_sim::scenario::Scenario;

/// The number and the reason of each retransmitted segment of a transfer of ten, all of which leave at once. Of the
/// data packets those in `drop` are lost, counted from 1.
fn retransmitted(flow: &str, drop: &[u64]) -> Vec<(u64, &'static str)> {
    let text = format!(
        r#"
        name = "retransmissions"
        duration = "20s"
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1gbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "10mbit", delay = "49ms", queue = "100p", drop = {drop:?} }}
        flow = [{{ {flow}, packet = "1040b", header = "40b", size = "10000b", initial_window = 10 }}]
        "#
    );
    let scenario = Scenario::from_toml(&text, "retransmissions", &[]).unwrap_or_else(|error| panic!("{error}"));
    let outcome = vegas_sim::run(&scenario);
    let reason = |incident: &vegas_sim::outcome::Incident| {
        incident.retransmission.map(|reason| (incident.sequence / 1000, reason.name()))
    };
    outcome.incidents.iter().filter_map(reason).collect()
}

#[test]
fn a_linux_host_tells_acknowledgements_probes_and_timeouts_apart() {
    let of_linux = |drop: &[u64]| retransmitted(r#"algorithm = "reno-linux", host.timestamps = false"#, drop);
    assert_eq!(of_linux(&[3]), [(2, "fast")]);
    assert_eq!(of_linux(&[10]), [(9, "probe")]);
    assert_eq!(of_linux(&[10, 11]), [(9, "probe"), (9, "timeout")]);
    let all: Vec<u64> = (1..=11).collect();
    let repaired = (1..10).map(|segment| (segment, "after-timeout"));
    assert_eq!(of_linux(&all), [(9, "probe"), (0, "timeout")].into_iter().chain(repaired).collect::<Vec<_>>());
}

#[test]
fn a_bsd_host_tells_acknowledgements_and_timeouts_apart() {
    for algorithm in ["reno", "newreno", "sack", "vegas"] {
        let of_bsd = |drop: &[u64]| retransmitted(&format!("algorithm = \"{algorithm}\""), drop);
        assert_eq!(of_bsd(&[3]), [(2, "fast")], "{algorithm}");
        assert_eq!(of_bsd(&[9, 10]), [(8, "timeout"), (9, "after-timeout")], "{algorithm}");
    }
}
