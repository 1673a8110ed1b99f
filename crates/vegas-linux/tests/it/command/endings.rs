//! Runs that end by themselves, by Ctrl-C, by kill -9 or by an error leave nothing but results.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{caught, command, eventually, folder, interfaces, registered, stderr, text, vegas_linux};
use crate::support;

const SHORT: &str = r#"
    name = "short"
    duration = "3s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck = { rate = "10mbit", delay = "8ms", queue = "50p" }

    [[flow]]
    algorithm = "gallop"
    packet = "1000b"
"#;

/// Longer than any test waits.
const FOR_AGES: &str = "duration=1h";

/// Two runs at once, one of which is killed.
#[test]
fn runs_leave_nothing_behind_and_do_not_meet() {
    if !support::kernel_is_ready() {
        return;
    }
    let folder = folder("two");
    let file = scenario(&folder);
    let before = interfaces();
    let start = |name: &str, duration: &str| -> Child {
        let output = folder.join(name);
        let run = ["run", &text(&file), "--json", "-o", &text(&output), "--set", duration];
        command(&run).spawn().expect("the program runs")
    };
    let mut killed = start("killed", FOR_AGES);
    // each has a congestion control of its own
    let both = |run: u32| [killed.id(), run].iter().all(|run| registered_by(*run).len() == 1);
    let finished = caught(|duration| start("finished", duration), both);
    let runs = [killed.id(), finished.id()];
    killed.kill().expect("a running program");
    killed.wait().expect("its end");
    let output = finished.wait_with_output().expect("its end");
    assert!(output.status.success(), "{}", stderr(&output));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a summary");
    let mbps = summary["flows"][0]["throughput_mbps"].as_f64().expect("a throughput");
    assert!((1.0..10.0).contains(&mbps), "{mbps} Mb/s over 10 Mb/s");
    assert!(summary["linux"]["lateness_median_us"].is_number());
    assert!(folder.join("finished/flow_series.parquet").exists());
    assert!(!folder.join("killed").exists(), "a run that was killed wrote nothing");
    assert!(eventually(|| is_as_before(&runs, &before)), "{:?}", left(&runs));
    fs::remove_dir_all(&folder).expect("the test's own folder");
}

#[test]
fn a_signal_ends_a_run_and_leaves_nothing() {
    if !support::kernel_is_ready() {
        return;
    }
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let folder = folder(signal.as_str());
        let (file, output) = (scenario(&folder), folder.join("results"));
        let before = interfaces();
        let mut run = command(&["run", &text(&file), "-o", &text(&output), "--set", FOR_AGES]);
        let run = run.spawn().expect("the program runs");
        let runs = [run.id()];
        assert!(eventually(|| !registered_by(run.id()).is_empty()));
        kill(Pid::from_raw(run.id() as i32), signal).expect("a running program");
        let ended = run.wait_with_output().expect("its end");
        assert_eq!(ended.status.code(), Some(code));
        assert_eq!(stderr(&ended), "interrupted; nothing was written");
        assert_eq!(fs::read_dir(&folder).expect("the test's own folder").count(), 1, "the scenario alone is there");
        assert!(eventually(|| is_as_before(&runs, &before)), "{:?}", left(&runs));
        fs::remove_dir_all(&folder).expect("the test's own folder");
    }
}

/// The program of a flow by QUIC is missing; namespaces, devices and congestion control exist already when the run
/// fails.
#[test]
fn an_error_halfway_leaves_nothing() {
    if !support::kernel_is_ready() {
        return;
    }
    let folder = folder("error");
    let file = folder.join("both.toml");
    fs::write(&file, format!("{SHORT}\n[[flow]]\nalgorithm = \"vegas\"\ntransport = \"quic\"\n")).expect("a scenario");
    // QUIC's program lies beside the original
    let alone = folder.join("vegas-linux");
    fs::copy(env!("CARGO_BIN_EXE_vegas-linux"), &alone).expect("a copy of the program");
    let before = interfaces();
    let mut run = Command::new(&alone);
    let run =
        run.args(["run", &text(&file), "--json"]).env("PATH", &folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = run.spawn().expect("the program runs");
    let runs = [run.id()];
    let ended = run.wait_with_output().expect("its end");
    assert_eq!(ended.status.code(), Some(2));
    let line = stderr(&ended);
    assert!(line.starts_with("vegaslab-quic is not built") && line.lines().count() == 1, "{line}");
    assert!(eventually(|| is_as_before(&runs, &before)), "{:?}", left(&runs));
    fs::remove_dir_all(&folder).expect("the test's own folder");
}

/// 200 kB take about a fifth of a second over 10 Mb/s, and the handshake comes on top: much less than the run's 60 s.
#[test]
fn a_run_ends_when_its_flows_have_completed() {
    if !support::kernel_is_ready() {
        return;
    }
    let folder = folder("complete");
    let file = text(&scenario(&folder));
    let sets = ["duration=60s", "until_complete=true", "flow.0.size=200kb", "flow.0.algorithm=vegas"];
    let sets = sets.iter().flat_map(|set| ["--set", set]).collect::<Vec<_>>();
    let results = folder.join("results");
    let output = vegas_linux(&[&["run", &file, "--json", "-o", &text(&results)][..], &sets].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let summary = summary(&output);
    let (flow, end_s) = (&summary["flows"][0], summary["duration_s"].as_f64().expect("an end"));
    let completion_s = flow["completion_s"].as_f64().expect("it completed");
    assert_eq!(flow["algorithm"], "vegas");
    assert_eq!(summary["seed"], 1);
    assert!(completion_s > 0.16, "{completion_s} s");
    assert!((completion_s..60.0).contains(&end_s), "{completion_s} s, but the run ended at {end_s} s");
    assert!(results.join("flow_series.parquet").exists());
    assert!(!folder.join("results/results").exists());
    fs::remove_dir_all(&folder).expect("the test's own folder");
}

/// As in the simulator, there is a folder only if one is asked for.
#[test]
fn json_alone_writes_nothing() {
    if !support::kernel_is_ready() {
        return;
    }
    let folder = folder("json");
    let file = scenario(&folder);
    let run = ["run", &text(&file), "--json", "--seed", "7", "--set", "duration=1s"];
    let output = command(&run).current_dir(&folder).output().expect("the program runs");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(summary(&output)["seed"], 7);
    assert_eq!(fs::read_dir(&folder).expect("the test's own folder").count(), 1, "the scenario alone is there");
    fs::remove_dir_all(&folder).expect("the test's own folder");
}

fn scenario(folder: &Path) -> PathBuf {
    let file = folder.join("short.toml");
    fs::write(&file, SHORT).expect("a scenario");
    file
}

fn summary(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).expect("a summary")
}

/// Returns whether nothing of these runs is left, and the devices are those of before. Other users of this machine may
/// have runs too.
fn is_as_before(runs: &[u32], devices: &[String]) -> bool {
    left(runs) == (Vec::new(), devices.to_vec())
}

/// Returns the congestion controls of these runs, and all devices.
fn left(runs: &[u32]) -> (Vec<String>, Vec<String>) {
    (runs.iter().flat_map(|run| registered_by(*run)).collect(), interfaces())
}

/// Returns the congestion controls of the run with this process id.
fn registered_by(run: u32) -> Vec<String> {
    let own = format!("vl{run}_");
    registered().into_iter().filter(|name| name.starts_with(&own)).collect()
}
