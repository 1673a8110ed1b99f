//! The marks alpha, beta and gamma that a composition uses: a change of the others has no effect.

use vegas_core::{Avoidance, SlowStart};
use vegas_sim::scenario::Scenario;

/// Pairs of alpha, beta, gamma and the first window, in segments, that differ in the named mark: for an empty path, and
/// for a backlog in the first round; later another flow fills the queue.
const PAIRS: [(&str, [u32; 4], [u32; 4]); 6] = [
    ("alpha", [2, 60, 1, 2], [50, 60, 1, 2]),
    ("alpha", [2, 60, 1, 48], [50, 60, 1, 48]),
    ("beta", [2, 3, 40, 2], [2, 60, 40, 2]),
    ("beta", [2, 3, 1, 48], [2, 60, 1, 48]),
    ("gamma", [2, 60, 1, 2], [2, 60, 40, 2]),
    ("gamma", [1, 2, 1, 60], [1, 2, 60, 60]),
];

/// The totals of a flow with these marks and first window, in segments.
fn totals(slow_start: &str, avoidance: &str, [alpha, beta, gamma, first]: [u32; 4]) -> (Scenario, String) {
    let text = format!(
        r#"
        name = "marks"
        duration = "10s"
        topology.kind = "dumbbell"
        topology.access = {{ rate = "100mbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "10mbit", delay = "20ms", queue = "70p" }}
        [[flow]]
        algorithm = {{ preset = "vegas", slow_start = "{slow_start}", avoidance = "{avoidance}" }}
        alpha = {alpha}
        beta = {beta}
        gamma = {gamma}
        initial_window = {first}
        [[flow]]
        algorithm = "reno"
        start = "3s"
        "#
    );
    let scenario = Scenario::from_toml(&text, "marks.toml", &[]).expect("the scenario is good");
    let outcome = vegas_sim::run(&scenario);
    let totals = format!("{:?}", outcome.flows);
    (scenario, totals)
}

#[test]
fn a_mark_has_an_effect_just_where_the_composition_says_so() {
    for (slow_start, _) in SlowStart::NAMES {
        for (avoidance, _) in Avoidance::NAMES {
            for mark in ["alpha", "beta", "gamma"] {
                let changes = |(_, one, other): &(_, _, _)| {
                    totals(slow_start, avoidance, *one).1 != totals(slow_start, avoidance, *other).1
                };
                let changed = PAIRS.iter().filter(|(name, _, _)| *name == mark).any(changes);
                let uses = totals(slow_start, avoidance, [2, 4, 1, 2]).0.flows[0].composition.uses();
                let used = [("alpha", uses.alpha), ("beta", uses.beta), ("gamma", uses.gamma)];
                assert!(used.contains(&(mark, changed)), "{mark} with {slow_start} and {avoidance}: {changed}");
            }
        }
    }
}

#[test]
fn a_mark_without_effect_is_a_warning_with_its_line() {
    let (scenario, _) = totals("reno", "cubic", [2, 4, 1, 2]);
    let name = "vegas+reno-slow-start+cubic";
    let expected = [("alpha", 9), ("beta", 10), ("gamma", 11)]
        .map(|(mark, line)| format!("marks.toml:{line}: flow.0.{mark}: has no effect: {name} does not look at it"));
    assert_eq!(scenario.warnings, expected);
    assert!(totals("mid-speed", "cubic", [2, 4, 1, 2]).0.warnings.is_empty());
}
