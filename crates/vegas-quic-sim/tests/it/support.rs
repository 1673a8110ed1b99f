//! Scenarios for QUIC flows.

use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

/// Returns a scenario of thirty seconds over a bottleneck with a queue of 50 packets; `faults` and `flows` as in a
/// file.
pub(crate) fn dumbbell(rate: &str, delay: &str, faults: &str, flows: &str) -> String {
    let faults = if faults.is_empty() { String::new() } else { format!(", {faults}") };
    format!(
        "name = \"quic\"\nduration = \"30s\"\n{flows}\ntopology.kind = \"dumbbell\"\n\
         topology.access = {{ rate = \"1gbit\", delay = \"1ms\" }}\n\
         topology.bottleneck = {{ rate = \"{rate}\", delay = \"{delay}\", queue = \"50p\"{faults} }}\n"
    )
}

pub(crate) fn run(text: &str) -> Outcome {
    vegas_quic_sim::run(&Scenario::from_toml(text, "test.toml", &[]).unwrap())
}
