//! Long runs on a path with random losses, reordering, duplicates and delays: no stall, no window below two packets,
//! every byte right (the receiver checks each).
//!
//! `VEGASLAB_QUIC_HOURS=24 cargo test --release -p vegas-quic-sim --test it endurance::gallop -- --nocapture` runs a
//! day of one preset and prints its results (`make quic-day` runs all presets); without the variable each runs for two
//! minutes.

use vegas_quic::VegasQuic;

use crate::support::{dumbbell, run};

/// Defines a test for each preset that QUIC carries, so that they run in parallel, or one by its name.
macro_rules! presets {
    ($($test:ident: $preset:literal),* $(,)?) => {
        const PRESETS: &[&str] = &[$($preset),*];
        $(#[test]
        fn $test() {
            nothing_stalls_on_a_path_with_faults($preset);
        })*
    };
}

presets! {
    reno: "reno",
    newreno: "newreno",
    sack: "sack",
    vegas: "vegas",
    vegas_1994: "vegas-1994",
    gallop: "gallop",
    dynamic: "dynamic",
    vegas_ns2: "vegas-ns2",
    vegas_linux: "vegas-linux",
    vegas_ns3: "vegas-ns3",
    cubic: "cubic",
    cubic_linux: "cubic-linux",
    tor_vegas: "tor-vegas",
    vegas_next: "vegas-next",
    nv: "nv",
    veno: "veno",
    westwood: "westwood",
    yeah: "yeah",
    illinois: "illinois",
    htcp: "htcp",
    copa: "copa",
    copa_mvfst: "copa-mvfst",
    ledbat_plus_plus: "ledbat++",
    fast: "fast",
    cdg: "cdg",
    reno_linux: "reno-linux",
    bbr1: "bbr1",
    bbr3: "bbr3",
    bbr3_linux: "bbr3-linux",
}

#[test]
fn no_preset_is_left_out() {
    assert_eq!(PRESETS, VegasQuic::presets().collect::<Vec<_>>());
}

fn nothing_stalls_on_a_path_with_faults(preset: &str) {
    let given = std::env::var("VEGASLAB_QUIC_HOURS").ok();
    let hours = given.map(|hours| hours.parse::<u64>().expect("VEGASLAB_QUIC_HOURS: a whole number of hours"));
    let duration_s = hours.map_or(120, |hours| 3600 * hours);
    let faults = "jitter = \"15ms\", duplicate = 0.005, reorder = { probability = \"2%\", delay = \"30ms\" }, \
                  loss = { model = \"gilbert-elliott\", good_to_bad = 0.002, bad_to_good = 0.1, loss_good = 0.002, loss_bad = 0.4 }, \
                  backward = { loss = \"2%\" }";
    let ssthresh = if preset == "dynamic" { ", ssthresh = 30" } else { "" };
    let flow = format!("flow = [{{ algorithm = \"{preset}\", transport = \"quic\"{ssthresh} }}]");
    let seed = PRESETS.iter().position(|name| *name == preset).unwrap();
    let run_for = format!("duration = \"{duration_s}s\"\nsample = \"1s\"\nseed = {seed}");
    let outcome = run(&dumbbell("2mbit", "30ms", faults, &flow).replace("duration = \"30s\"", &run_for));
    let series = &outcome.flow_series;
    assert_eq!(series.time_s.len() as u64, duration_s);
    let least = series.cwnd_segments.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(least >= 2.0, "a window of {least}");
    let stall = longest_stall(&series.acked_bytes);
    assert!(stall < 30, "a stall of {stall} s");
    let flow = &outcome.flows[0];
    assert!(flow.segments_retransmitted > duration_s / 2, "{flow:?}");
    println!(
        "{preset}: {duration_s} s, {} bytes, least window {least}, at most {stall} s without an acknowledgement, \
         {} packets sent, {} lost, {} times persistent congestion",
        flow.delivered_bytes, flow.segments_sent, flow.segments_retransmitted, flow.timeouts
    );
}

/// Returns the longest time in which nothing was acknowledged, s; there is a value for each second.
fn longest_stall(acked_bytes: &[u64]) -> usize {
    acked_bytes.chunk_by(|earlier, later| earlier == later).map(|same| same.len() - 1).max().unwrap_or(0)
}
