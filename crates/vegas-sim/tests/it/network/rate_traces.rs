//! A link that follows a trace sends exactly what the trace's opportunities allow.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{RateTrace, Scenario};

use crate::traces;

/// A sender that always has data, through a link that follows the trace `name`, with a row every 500 ms. Its window is
/// bounded so that neither overflow nor timeout disturbs it.
fn saturated(name: &str, duration: &str) -> String {
    format!(
        r#"
        name = "trace"
        duration = "{duration}"
        sample = "500ms"
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1gbit", delay = "1ms" }}
        [topology.bottleneck]
        rate = {{ trace = "{name}" }}
        delay = "1ms"
        queue = "unlimited"
        backward = {{ rate = "1gbit" }}
        [[flow]]
        algorithm = "reno"
        packet = "1500b"
        initial_window = 2000
        max_window = 2000
        host = {{ rto_min = "60s", rto_max = "60s", rto_initial = "60s" }}
        "#
    )
}

/// Throughput of the link `r1->r2` in each step, Mb/s.
fn steps(outcome: &Outcome) -> Vec<f64> {
    let series = &outcome.link_series;
    let rows = series.link.iter().zip(&series.throughput_mbps);
    rows.filter(|(link, _)| **link == 0).map(|(_, throughput)| *throughput).collect()
}

fn run(scenario: &Path, text: &str) -> Outcome {
    let scenario = Scenario::from_toml(text, &scenario.display().to_string(), &[]).unwrap_or_else(|e| panic!("{e}"));
    assert!(scenario.links[0].trace.is_some(), "link 0 is the bottleneck");
    vegas_sim::run(&scenario)
}

/// The trace has a second of 12 Mb/s, half a second of nothing, one and a half seconds of 3 Mb/s, and repeats.
#[test]
fn a_made_up_trace_is_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let times = (1..=1000).chain((1504..=3000).step_by(4));
    let trace: String = times.map(|time| format!("{time}\n")).collect();
    fs::write(folder.path().join("made-up.down"), trace).expect("written");
    let outcome = run(&folder.path().join("scenario.toml"), &saturated("made-up.down", "9s"));
    let steps = steps(&outcome);
    assert_eq!(steps.len(), 18);
    // the first packet arrives after the first opportunities: at most 0.2 % of the first step
    assert!((11.9..=12.0).contains(&steps[0]), "{}", steps[0]);
    assert_eq!(steps[1..], [12., 0., 3., 3., 3., 12., 12., 0., 3., 3., 3., 12., 12., 0., 3., 3., 3.]);
}

/// Recorded cellular links lie beside the checkout; without them this test checks nothing.
#[test]
fn recorded_traces_are_followed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces");
    for name in ["Verizon-LTE-short.down", "Verizon-LTE-short.up", "ATT-LTE-driving-2016.down"] {
        let Ok(text) = fs::read_to_string(folder.join(name)) else {
            println!("{name} is not there");
            continue;
        };
        let trace = RateTrace::parse(&text).expect("a trace");
        let outcome = run(&folder.join("scenario.toml"), &saturated(name, "60s"));
        for (step, throughput) in steps(&outcome).into_iter().enumerate().skip(1) {
            let capacity = megabits_between(&trace, 500 * step as u64, 500 * (step as u64 + 1)) / 0.5;
            assert!((throughput - capacity).abs() < 1e-9, "{name}, step {step}: {throughput} of {capacity} Mb/s");
        }
    }
}

/// The opportunities in `(from, to]` ms as megabits, over the necessary number of passes.
fn megabits_between(trace: &RateTrace, from: u64, to: u64) -> f64 {
    let times = trace.opportunities_ms();
    let period = u64::from(*times.last().expect("not empty"));
    let passes = (0..=to / period).flat_map(|pass| times.iter().map(move |time| pass * period + u64::from(*time)));
    passes.filter(|time| (from + 1..=to).contains(time)).count() as f64 * 0.012
}

/// Lines that mostly are numbers, and mostly ascend.
fn any_text() -> impl Strategy<Value = String> {
    let step = prop_oneof![4 => 0u64..3, 3 => 0u64..1_000, 1 => 0u64..=u64::from(u32::MAX)];
    let ascending = prop::collection::vec(step, 0..40).prop_map(|steps| {
        let times = steps.iter().scan(0u64, |time, step| {
            *time += step;
            Some(format!("{time}\n"))
        });
        times.collect()
    });
    prop_oneof![4 => ascending, 1 => "[0-9\\n\\r \\x1b.é-]{0,40}", 1 => any::<String>()]
}

proptest! {
    #[test]
    fn any_text_is_a_trace_or_is_refused_in_a_line(text in any_text()) {
        traces::check(&text);
    }
}
