//! The properties of any text that is given as a rate trace, for the property test and for the fuzz target.

use std::sync::Arc;

use vegas_sim::Simulation;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{RateTrace, Scenario};

const ONE_FLOW: &str = r#"
    name = "trace"
    duration = "100s"
    sample = "off"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck = { rate = "1mbit", delay = "1ms", queue = "9p" }
    flow = [{ algorithm = "reno", packet = "1500b" }, { algorithm = "vegas", packet = "100b" }]
"#;
const EVENTS_MAX: u64 = 2_000;

/// Reads `text` as a trace, and runs two flows over a link that follows it. Returns whether the text was a trace.
///
/// Panics if an error takes more than one line, if a trace is invalid, or if the link sends more than the trace allows.
pub(crate) fn check(text: &str) -> bool {
    match RateTrace::parse(text) {
        Ok(trace) => check_trace(Arc::new(trace)),
        Err(error) => {
            assert!(!error.contains(char::is_control), "more than one line: {error:?}");
            assert!(error.len() < 300, "too long: {error}");
            return false;
        }
    }
    true
}

fn check_trace(trace: Arc<RateTrace>) {
    let times = trace.opportunities_ms();
    assert!(times.is_sorted() && times.last().is_some_and(|last| *last > 0), "{times:?}");
    assert!(trace.mean_rate().as_bits_per_second() > 0);
    let mut scenario = Scenario::from_toml(ONE_FLOW, "trace.toml", &[]).expect("a scenario");
    let bottleneck = &mut scenario.links[0];
    bottleneck.rate = trace.mean_rate();
    bottleneck.trace = Some(Arc::clone(&trace));
    let mut simulation = Simulation::new(&scenario);
    if simulation.advance(EVENTS_MAX).finished {
        check_sent(&trace, &simulation.finish());
    }
}

/// Checks that what arrived did not exceed the opportunities.
fn check_sent(trace: &RateTrace, outcome: &Outcome) {
    let seconds = outcome.end_s;
    let passes = (seconds * 1e9 / trace.period().as_nanos() as f64).ceil();
    let most = passes * trace.opportunities_ms().len() as f64 * f64::from(RateTrace::OPPORTUNITY_BYTES);
    let arrived: f64 = outcome.flows.iter().map(|flow| flow.throughput_mbps * 1e6 / 8.0 * seconds).sum();
    assert!(arrived <= most + 1.0, "{arrived} bytes in {most}");
}
