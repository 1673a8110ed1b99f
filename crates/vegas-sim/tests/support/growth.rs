//! Compares the memory that a run reports with the growth of the process. Each run has a separate process, because a
//! process uses freed memory again: a test calls [`check`], and another one, which is ignored, calls [`measure`].

use std::fs;
use std::process::Command;

use vegas_sim::Simulation;
use vegas_sim::scenario::Scenario;

/// The variable that tells a process which run to make.
const RUN: &str = "MEMORY_OF";
/// The least growth that counts: below it a process's other memory hides the growth, bytes.
const LEAST_GROWTH_BYTES: f64 = 20e6;

/// Starts a process for each run, in which the ignored test `one_run` calls [`measure`], and compares.
pub(crate) fn check<'a>(one_run: &str, names: impl Iterator<Item = &'a str>) {
    for name in names {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", one_run, "--ignored", "--nocapture"]).env(RUN, name);
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

/// Makes the run of this process, by its name, and prints its memory. It does nothing if the test was started by hand.
pub(crate) fn measure(make: impl FnOnce(&str) -> (Scenario, Simulation)) {
    let Ok(name) = std::env::var(RUN) else { return };
    let before = resident_bytes();
    let (_scenario, simulation) = make(&name);
    println!("counted {} grown {}", simulation.memory_bytes(), resident_bytes() - before);
}

/// The resident memory of this process, bytes.
fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    1024 * line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
}
