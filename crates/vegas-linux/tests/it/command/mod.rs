//! The command as users see it: what it registers, shows and refuses, and that it leaves nothing behind however it
//! ends.

mod endings;
mod install;
mod missing;
mod packets;
mod quic;
mod watch;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

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

fn interfaces() -> Vec<String> {
    let entries = fs::read_dir("/sys/class/net").expect("Linux lists its devices");
    let mut names: Vec<_> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Makes an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("vegas-linux-test-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Sleeps between two checks, so that a test does not fill a processor.
#[allow(clippy::disallowed_methods, reason = "the program runs in real time")]
fn pause() {
    thread::sleep(Duration::from_millis(1));
}

/// Returns whether the condition becomes true within five minutes: a busy machine is slow, not wrong.
#[allow(clippy::disallowed_methods, reason = "the program runs in real time")]
fn eventually(holds: impl Fn() -> bool) -> bool {
    (0..30_000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        holds()
    })
}

/// On a busy machine the shorter of these runs may end too soon.
const DURATIONS: [&str; 3] = ["duration=3s", "duration=12s", "duration=48s"];

/// Starts a run and returns it while it runs, as soon as the condition is true of its process. If it ends before, the
/// next one lasts longer.
fn caught(start: impl Fn(&str) -> Child, holds: impl Fn(u32) -> bool) -> Child {
    for duration in DURATIONS {
        let mut run = start(duration);
        while run.try_wait().expect("a child").is_none() {
            if holds(run.id()) {
                return run;
            }
            pause();
        }
    }
    panic!("in no run it became true")
}
