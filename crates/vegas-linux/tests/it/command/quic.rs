//! Flows by QUIC. The program of their ends is expected beside this one, where `make test-linux` builds it.

use std::path::Path;
use std::{env, fs};

use serde_json::Value;

use super::{DURATIONS, folder, stderr, text, vegas_linux};
use crate::support;

const FLOWS: &str = r#"
    name = "quic"
    duration = "3s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck.rate = "10mbit"
    topology.bottleneck.delay = "8ms"
    topology.bottleneck.queue = { kind = "codel", limit = "50p", ecn = true }
    flow = [
        { algorithm = "gallop", gamma = 3, transport = "quic", size = "500kb" },
        { algorithm = "cubic", transport = "quic", start = "500ms", stop = "2500ms", ecn = true },
        { algorithm = "vegas" },
    ]
"#;

fn quic_is_ready() -> bool {
    let beside = Path::new(env!("CARGO_BIN_EXE_vegas-linux")).with_file_name("vegaslab-quic");
    let is_there = beside.exists();
    assert!(is_there || env::var("CI").as_deref() != Ok("true"), "{} is missing", beside.display());
    if !is_there {
        eprintln!("SKIPPED: {} is not built", beside.display());
    }
    is_there
}

/// Runs a transfer, one that is cut short, and the kernel's TCP beside them. By hand: 1,250,000 bytes a second pass, so
/// 500 kB take at least 0.4 s; the path's RTT is 20 ms.
#[test]
fn flows_by_quic_run_beside_those_of_the_kernel() {
    if !support::kernel_is_ready() || !quic_is_ready() {
        return;
    }
    let folder = folder("quic");
    let file = text(&folder.join("quic.toml"));
    fs::write(&file, FLOWS).expect("a file");
    let run = |duration: &&str| {
        let run = vegas_linux(&["run", &file, "--json", "-o", &text(&folder.join("results")), "--set", duration]);
        assert!(run.status.success(), "{}", stderr(&run));
        serde_json::from_slice::<Value>(&run.stdout).expect("JSON")
    };
    let is_complete = |summary: &Value| summary["flows"][0]["completion_s"].is_f64();
    let summary = DURATIONS.iter().map(run).find(is_complete).expect("a transfer that completes");
    let flow = |index: usize| &summary["flows"][index];
    let number = |index, key| flow(index)[key].as_f64().unwrap_or_else(|| panic!("{key}: {}", flow(index)));
    assert_eq!(number(0, "delivered_bytes"), 500_000.0);
    assert!(number(0, "completion_s") > 0.4, "{}", flow(0));
    assert!(flow(1)["completion_s"].is_null() && number(1, "delivered_bytes") > 0.0, "{}", flow(1));
    assert_eq!(number(0, "ecn_reductions"), 0.0, "it does not take part");
    assert!(number(1, "ecn_reductions") > 0.0, "{}", flow(1));
    for quic in [0, 1] {
        assert!((20.0..30.0).contains(&number(quic, "base_rtt_ms")), "{}", flow(quic));
        assert!(number(quic, "segments_sent") > 300.0 && number(quic, "mean_cwnd_segments") >= 2.0, "{}", flow(quic));
    }
    assert!(number(2, "segments_sent") > 300.0, "{}", flow(2));
    fs::remove_dir_all(&folder).expect("the folder goes");
}

#[test]
fn what_quic_cannot_have_over_the_router_is_refused_by_name() {
    if !support::kernel_is_ready() {
        return;
    }
    let folder = folder("quic-refused");
    let file = text(&folder.join("quic.toml"));
    fs::write(&file, FLOWS).expect("a file");
    for (set, complaint) in [
        ("flow.0.delayed_ack=25ms", "flow.0.delayed_ack: over the router QUIC"),
        ("flow.0.algorithm={ preset = \"vegas\", avoidance = \"dynamic\" }", "flow.0.algorithm: over the router QUIC"),
    ] {
        let refused = vegas_linux(&["run", &file, "--set", set]);
        assert_eq!(refused.status.code(), Some(2), "{set}: {}", stderr(&refused));
        assert!(stderr(&refused).starts_with(complaint), "{set}: {}", stderr(&refused));
    }
    fs::remove_dir_all(&folder).expect("the folder goes");
}
