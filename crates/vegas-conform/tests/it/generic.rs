//! The case that asks which signals of congestion a control answers.

use vegas_conform::{Case, Preset, Report, Verdict, cases, conform, grid, write};
use vegas_core::registry;

fn responds(name: &str, points: &[grid::Point]) -> Report {
    let case: Vec<Case> = cases::generic().iter().filter(|case| case.name == "responds").copied().collect();
    conform(&Preset::named(name).expect("a preset"), &case, points, 2)
}

/// The signals that a preset answers on the reference path.
fn answered(name: &str) -> Vec<&'static str> {
    let report = responds(name, &[grid::REFERENCE]);
    let Verdict::Pass(seen) = &report.findings[0].verdict else { panic!("{}", write::text(&report)) };
    ["loss", "delay", "marks"].into_iter().filter(|signal| seen.contains(&format!("{signal}: yes"))).collect()
}

/// Vegas answers all three; what is steered by losses takes no queue for congestion, what is steered by delay no loss.
#[test]
fn each_signal_is_told_from_the_others() {
    assert_eq!(answered("vegas"), ["loss", "delay", "marks"]);
    assert_eq!(answered("cubic"), ["loss", "marks"]);
    assert_eq!(answered("copa"), ["delay", "marks"]);
    // its queue is too short for a mark
    assert_eq!(answered("streak"), ["loss", "delay"]);
    // an estimate of the path's rate follows the rate
    assert_eq!(answered("bbr1"), ["loss", "delay"]);
    assert_eq!(answered("vegas-ns3"), ["delay"]);
}

#[test]
fn every_preset_answers_a_signal() {
    for preset in registry::PRESETS {
        let report = responds(preset.name, &grid::QUICK);
        assert!(report.passed(), "{}", write::text(&report));
    }
}

/// A window of a few packets cannot fall.
#[test]
fn a_path_of_few_packets_shows_nothing() {
    let report = responds("vegas", &[grid::Point::new(64_000, 1)]);
    assert!(matches!(report.findings[0].verdict, Verdict::NotApplicable(_)), "{}", write::text(&report));
}
