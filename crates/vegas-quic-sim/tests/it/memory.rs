//! The memory that QUIC flows report equals the growth of the process.

use vegas_quic_sim::Quic;
use vegas_sim::Simulation;
use vegas_sim::scenario::Scenario;

use crate::growth;

/// What grows in the run, the flows, and the number of events after which the run is measured.
const RUNS: [(&str, &str, u64); 2] = [
    ("connections", "{ algorithm = 'reno', transport = 'quic', count = 1000 }", 60_000),
    (
        "packets in flight",
        "{ algorithm = 'reno', transport = 'quic', initial_window = 30000, access = { rate = '10gbit', delay = '5s' } }",
        60_000,
    ),
];

#[test]
fn what_quic_flows_hold_is_what_the_process_has_grown_by() {
    growth::check("memory::one_run", RUNS.iter().map(|run| run.0));
}

/// Runs in a process that the test above starts.
#[test]
#[ignore = "a part of the other test"]
fn one_run() {
    growth::measure(|name| {
        let (_, flows, events) = RUNS.into_iter().find(|run| run.0 == name).unwrap();
        let text = format!(
            r#"
            name = "memory"
            duration = "60s"
            sample = "off"
            flow = [{flows}]
            [topology]
            kind = "dumbbell"
            access = {{ rate = "1gbit", delay = "1ms" }}
            bottleneck = {{ rate = "1gbit", delay = "48ms", queue = "unlimited" }}
            "#
        );
        let scenario = Scenario::from_toml(&text, "memory.toml", &[]).unwrap();
        let mut simulation = Simulation::with_stack(&scenario, Some(&Quic));
        while simulation.events() < events && !simulation.advance(1_000).finished {}
        (scenario, simulation)
    });
}
