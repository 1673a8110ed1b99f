//! Runs scenario files with TCP and QUIC flows, and prints the results of each flow.
//!
//!     cargo run --release -p vegas-quic-sim --example quic -- scenarios/quic.toml

use std::process::ExitCode;

use vegas_sim::scenario::Scenario;

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    for file in &files {
        let loaded = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"));
        match loaded.and_then(|text| Scenario::from_toml(&text, file, &[]).map_err(|error| error.to_string())) {
            Ok(scenario) => print(&scenario),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::SUCCESS
}

fn print(scenario: &Scenario) {
    let outcome = vegas_quic_sim::run(scenario);
    for (spec, flow) in scenario.flows.iter().zip(&outcome.flows) {
        println!("{} {:?} {flow:#?}", spec.algorithm, spec.transport);
    }
    println!("{} events", outcome.events);
    for (spec, link) in scenario.links.iter().zip(&outcome.links) {
        println!("{}->{}: {link:?}", scenario.nodes[spec.from], scenario.nodes[spec.to]);
    }
}
