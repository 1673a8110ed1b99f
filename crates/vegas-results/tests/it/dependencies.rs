//! What other crates depend on: Arrow and Parquet are built for results alone.

use std::process::Command;

/// The most crates of the conformance kit, itself included: what a project that tests its congestion control builds.
const CONFORM_MOST: usize = 45;

/// Returns the names of the crates that `package` is built of.
fn crates(package: &str) -> Vec<String> {
    let arguments = ["tree", "--offline", "--locked", "--edges", "normal", "--prefix", "none", "--package", package];
    let tree = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let lines = String::from_utf8(tree.stdout).unwrap();
    let mut names: Vec<String> = lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

fn has_arrow(names: &[String]) -> bool {
    names.iter().any(|name| name.starts_with("arrow") || name == "parquet")
}

#[test]
fn arrow_is_for_results_alone() {
    assert!(has_arrow(&crates("vegas-results")));
    for package in ["vegas-sim", "vegas-quic-sim", "vegas-conform", "vegas-swarm", "vegas-web"] {
        assert!(!has_arrow(&crates(package)), "{package}");
    }
}

#[test]
fn the_conformance_kit_is_built_of_few_crates() {
    let names = crates("vegas-conform");
    assert!(names.len() <= CONFORM_MOST, "{}: {}", names.len(), names.join(", "));
}
