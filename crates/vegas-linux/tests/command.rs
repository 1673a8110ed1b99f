//! The command as users meet it: what it registers, what it refuses, and that nothing is left however it ends.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

const SHORT: &str = r#"
    name = "short"
    duration = "6s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck = { rate = "10mbit", delay = "8ms", queue = "50p" }
    flow = [{ algorithm = "gallop", packet = "1000b" }]
"#;

fn vegas_linux(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program runs")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vegas-linux"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

fn registered() -> Vec<String> {
    let text = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").expect("Linux has TCP");
    text.split_whitespace().map(str::to_owned).collect()
}

/// Names that only tests take, so that nothing of a user's is touched.
#[test]
fn what_is_installed_is_there_until_it_is_removed() {
    if !support::kernel_is_ready() || registered().contains(&"vegas_ns3".to_owned()) {
        return;
    }
    let installed = vegas_linux(&["install", "vegas-ns3", "--set", "alpha=1"]);
    assert!(installed.status.success(), "{}", stderr(&installed));
    assert!(registered().contains(&"vegas_ns3".to_owned()));
    let again = vegas_linux(&["install", "vegas-ns3"]);
    assert_eq!(stderr(&again), "vegas_ns3 is installed already; remove it first");
    assert_eq!(again.status.code(), Some(2));
    let status = vegas_linux(&["status"]);
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.lines().any(|line| line.starts_with("vegas_ns3") && line.contains("alpha 1 ")), "{status}");
    assert!(vegas_linux(&["remove", "vegas-ns3"]).status.success());
    // the kernel takes its time
    assert!(eventually(|| !registered().contains(&"vegas_ns3".to_owned())));
    assert!(stderr(&vegas_linux(&["remove", "vegas-ns3"])).starts_with("vegas-ns3 is not installed"));
}

#[test]
fn what_linux_cannot_carry_is_refused_by_name() {
    if !support::kernel_is_ready() {
        return;
    }
    let cases = [
        (vec!["vegas", "--set", "fine_retransmit=true"], "mechanism C"),
        (vec!["vegas", "--set", "recheck_after_retransmit=true"], "mechanism D"),
        (vec!["vegas", "--set", "burst=3"], "mechanism H"),
        (vec!["vegas", "--set", "mechanisms=ABEFGIJ"], "mechanism J"),
        (vec!["vegas", "--set", "mechanisms=ABCEFGI"], "mechanism C"),
        (vec!["cubic"], "cubic"),
        (vec!["rovegas"], "signal"),
        (vec!["vagas"], "did you mean \"vegas\""),
        (vec!["vegas", "--set", "alpha=9"], "must not exceed beta"),
    ];
    for (arguments, named) in cases {
        let output = vegas_linux(&[&["install"][..], &arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = stderr(&output);
        assert!(message.contains(named) && message.lines().count() == 1, "{arguments:?}: {message}");
    }
}

/// Two at once; one of them is killed.
#[test]
fn runs_leave_nothing_behind_and_do_not_meet() {
    if !support::kernel_is_ready() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("vegas-linux-test-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the test");
    let file = folder.join("short.toml");
    fs::write(&file, SHORT).expect("a scenario");
    let before = (registered(), interfaces());
    let start = |name: &str| -> Child {
        let output = folder.join(name);
        command(&["run", &text(&file), "--json", "-o", &text(&output)]).spawn().expect("the program runs")
    };
    let (mut killed, finished) = (start("killed"), start("finished"));
    let both = eventually(|| registered().len() == before.0.len() + 2);
    assert!(both, "each has a congestion control of its own: {:?}", registered());
    killed.kill().expect("a running program");
    killed.wait().expect("its end");
    let output = finished.wait_with_output().expect("its end");
    assert!(output.status.success(), "{}", stderr(&output));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a summary");
    let mbps = summary["flows"][0]["throughput_mbps"].as_f64().expect("a throughput");
    assert!((5.0..10.0).contains(&mbps), "{mbps} Mb/s over 10 Mb/s");
    assert!(summary["linux"]["lateness_median_us"].is_number());
    assert!(folder.join("finished/flow_series.parquet").exists());
    assert!(!folder.join("killed").exists(), "a run that was killed wrote nothing");
    assert!(eventually(|| (registered(), interfaces()) == before), "{:?} {:?}", registered(), interfaces());
    fs::remove_dir_all(&folder).expect("the test's own folder");
}

fn interfaces() -> Vec<String> {
    let entries = fs::read_dir("/sys/class/net").expect("Linux lists its devices");
    let mut names: Vec<_> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Whether it comes true within five seconds.
#[allow(clippy::disallowed_methods, reason = "the program runs in real time")]
fn eventually(holds: impl Fn() -> bool) -> bool {
    (0..100).any(|_| {
        thread::sleep(Duration::from_millis(50));
        holds()
    })
}
