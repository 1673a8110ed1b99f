//! Whether what a run counts as held is what the process has grown by. Each run is made by a process of its own, as memory that
//! was freed is used again: a test calls [`check`], and another one, `one_run`, which is ignored, calls [`measure`].

use std::fs;
use std::process::Command;

use vegas_sim::Simulation;
use vegas_sim::scenario::Scenario;

/// What tells a process of its own which run it makes.
const RUN: &str = "MEMORY_OF";
/// Growth below this drowns in what else a process takes.
const LEAST_GROWTH_BYTES: f64 = 20e6;

/// Has each run be made, and compares.
pub(crate) fn check<'a>(names: impl Iterator<Item = &'a str>) {
    for name in names {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "one_run", "--ignored", "--nocapture"]).env(RUN, name);
        let output = child.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout);
        let figures = text.lines().find_map(|line| line.split_once("counted ")).unwrap().1;
        let (counted, grown) = figures.split_once(" grown ").unwrap();
        let (counted, grown): (f64, f64) = (counted.parse().unwrap(), grown.trim().parse().unwrap());
        println!("{name}: counted {:.0} MB, grown by {:.0} MB", counted / 1e6, grown / 1e6);
        assert!(grown > LEAST_GROWTH_BYTES, "{name}: {grown} are too few to tell");
        assert!((0.75..1.3333).contains(&(counted / grown)), "{name}: counted {counted}, but grown by {grown}");
    }
}

/// In such a process: makes its run, given its name, and says what it holds, with the scenario. Nothing where the test was
/// started by hand.
pub(crate) fn measure(make: impl FnOnce(&str) -> (Scenario, Simulation)) {
    let Ok(name) = std::env::var(RUN) else { return };
    let before = resident_bytes();
    let (_scenario, simulation) = make(&name);
    println!("counted {} grown {}", simulation.memory_bytes(), resident_bytes() - before);
}

/// Memory of this process that is there, bytes.
fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    1024 * line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
}
