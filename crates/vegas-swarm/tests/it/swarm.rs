//! A small swarm, and every finding of earlier swarms: all hold.

use std::path::{Path, PathBuf};

use vegas_sim::scenario::read_toml;
use vegas_swarm::network::{Network, examine_file};
use vegas_swarm::{Verdict, traces};

#[test]
fn two_hundred_networks_hold() {
    let traces = traces::Folder::new().unwrap();
    let source = traces.source();
    let mut compared = 0;
    for number in 0..200 {
        match (Network { seed: 7, number }).examine(&source.to_string_lossy()) {
            Verdict::Failed(document, failure) => {
                panic!("network {number}: {failure:?}\n{}", vegas_swarm::document::to_toml(&document))
            }
            Verdict::Held { compared: relations, .. } => compared += relations.len(),
            Verdict::Refused(_) | Verdict::TooLong => {}
        }
    }
    assert!(compared > 300, "only {compared} comparisons: the relations do not apply any more");
}

/// Returns the verdict of each scenario file in a folder beside this one, with the file's name; none if there is no
/// such folder.
fn verdicts(folder: &str) -> Vec<(String, Verdict)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else { return Vec::new() };
    let files = entries.map(|entry| entry.unwrap().path());
    let scenarios = files.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let verdict = |path: PathBuf| {
        let name = path.to_string_lossy().into_owned();
        let (document, _) = read_toml(&std::fs::read_to_string(&path).unwrap(), &name).unwrap();
        let verdict = examine_file(&document, &name);
        (name, verdict)
    };
    scenarios.map(verdict).collect()
}

#[test]
fn regressions_hold() {
    let found = verdicts("regressions");
    assert!(!found.is_empty(), "no regression was replayed");
    for (name, verdict) in found {
        assert!(matches!(verdict, Verdict::Held { .. }), "{name}: {verdict:?}");
    }
}

/// An open finding that a repair makes hold has to move to the regressions.
#[test]
fn open_findings_fail() {
    for (name, verdict) in verdicts("open") {
        assert!(!matches!(verdict, Verdict::Held { .. }), "{name} holds: move it to tests/regressions");
    }
}
