//! The claims of the family's papers about each algorithm, tested in the simulator.

mod dynamic;
mod gallop;
mod parts;
mod rovegas;
mod streak;

use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

/// Runs a shipped scenario with some of its values changed.
fn run(scenario: &str, overrides: &[(&str, &str)]) -> Outcome {
    let path = format!("{}/../../scenarios/{scenario}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scenario = Scenario::from_toml(&text, &path, &overrides).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario)
}

/// The dumbbell's bottleneck, forward.
const BOTTLENECK: usize = 0;

/// A link's column as pairs of time, s, and value.
fn link_series(outcome: &Outcome, link: usize, column: &[f64]) -> Vec<(f64, f64)> {
    let series = &outcome.link_series;
    let of_link = (0..series.time_s.len()).filter(|&row| series.link[row] as usize == link);
    of_link.map(|row| (series.time_s[row], column[row])).collect()
}
