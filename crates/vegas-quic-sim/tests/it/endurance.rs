//! Long runs on a path with random losses, reordering, duplicates and delays: no stall, no window below two packets,
//! every byte right (the receiver checks each).
//!
//! `VEGASLAB_QUIC_HOURS=24 VEGASLAB_QUIC_PRESET=gallop cargo test --release -p vegas-quic-sim --test it endurance --
//! --nocapture` runs a day of one preset and prints its results (`make quic-day` runs all presets); without the
//! variables each preset runs for two minutes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, thread};

use vegas_quic::VegasQuic;

use crate::support::{dumbbell, run};

#[test]
fn no_preset_stalls_on_a_path_with_faults() {
    let only = env::var("VEGASLAB_QUIC_PRESET").ok();
    let presets: Vec<_> = VegasQuic::presets().enumerate().collect();
    let chosen: Vec<_> = presets.iter().filter(|(_, preset)| only.as_ref().is_none_or(|only| only == preset)).collect();
    assert!(!chosen.is_empty(), "{only:?} is no preset of QUIC");
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((number, preset)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            nothing_stalls_on_a_path_with_faults(preset, *number);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
}

fn nothing_stalls_on_a_path_with_faults(preset: &str, seed: usize) {
    let given = env::var("VEGASLAB_QUIC_HOURS").ok();
    let hours = given.map(|hours| hours.parse::<u64>().expect("VEGASLAB_QUIC_HOURS: a whole number of hours"));
    let duration_s = hours.map_or(120, |hours| 3600 * hours);
    let faults = "jitter = \"15ms\", duplicate = 0.005, reorder = { probability = \"2%\", delay = \"30ms\" }, \
                  loss = { model = \"gilbert-elliott\", good_to_bad = 0.002, bad_to_good = 0.1, loss_good = 0.002, loss_bad = 0.4 }, \
                  backward = { loss = \"2%\" }";
    let ssthresh = if preset == "dynamic" { ", ssthresh = 30" } else { "" };
    let flow = format!("flow = [{{ algorithm = \"{preset}\", transport = \"quic\"{ssthresh} }}]");
    let run_for = format!("duration = \"{duration_s}s\"\nsample = \"1s\"\nseed = {seed}");
    let outcome = run(&dumbbell("2mbit", "30ms", faults, &flow).replace("duration = \"30s\"", &run_for));
    let series = &outcome.flow_series;
    assert_eq!(series.time_s.len() as u64, duration_s, "{preset}");
    let least = series.cwnd_segments.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(least >= 2.0, "{preset}: a window of {least}");
    let stall = longest_stall(&series.acked_bytes);
    assert!(stall < 30, "{preset}: a stall of {stall} s");
    let flow = &outcome.flows[0];
    assert!(flow.segments_retransmitted > duration_s / 2, "{preset}: {flow:?}");
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
