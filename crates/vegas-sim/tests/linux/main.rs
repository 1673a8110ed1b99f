//! Agreement with TCP of Linux 6.1, trace by trace. `cargo test -p vegas-sim --test linux -- --nocapture` prints the
//! table.
//!
//! The limits are those the project set itself before the first comparison: the window at the end of slow start within
//! one segment, its time within one round trip, period and peak of the saw-tooth within 5 %. What lies outside is named
//! in [`EXPLAINED`] with the section of docs/deviations.md that says why; an explanation that is no longer needed fails
//! too.

mod reference;

use std::fmt::Write as _;

use reference::Trace;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

/// A trace and what runs it here.
struct Case {
    trace: &'static str,
    algorithm: &'static str,
    rate: &'static str,
    /// Propagation, both ways together.
    rtt_ms: u32,
    queue: u32,
    duration_s: u32,
    /// Payload, for a transfer that ends.
    size: Option<&'static str>,
}

const CASES: &[Case] = &[
    case("S3_reno", "\"reno\"", "10mbit", 100, 50, 40),
    case("S4_reno", "\"reno\"", "5mbit", 20, 20, 20),
    Case { size: Some("1000000b"), ..case("S8_reno", "\"reno\"", "1600kbit", 100, 10, 40) },
    case("S3_cubic_hystart", "\"cubic\"", "10mbit", 100, 50, 40),
    case("S4_cubic_nohystart", "\"cubic\"", "5mbit", 20, 20, 20),
];

const fn case(
    trace: &'static str,
    algorithm: &'static str,
    rate: &'static str,
    rtt_ms: u32,
    queue: u32,
    duration_s: u32,
) -> Case {
    Case { trace, algorithm, rate, rtt_ms, queue, duration_s, size: None }
}

/// Trace, what differs, section of docs/deviations.md.
const EXPLAINED: &[(&str, &str, &str)] = &[
    ("S8_reno", "window there", "A packet that arrives as another leaves"),
    ("S3_cubic_hystart", "slow start ends, s", HYSTART),
    ("S3_cubic_hystart", "window there", HYSTART),
];

const HYSTART: &str = "Linux leaves slow start by HyStart";

/// One figure of Linux beside ours.
struct Row {
    what: &'static str,
    theirs: f64,
    ours: f64,
    agrees: bool,
}

#[test]
fn every_reference_trace() {
    let Some(folder) = reference::folder() else {
        println!("SKIPPED: no reference traces beside this checkout (../shared/reference/linux)");
        return;
    };
    let mut table = String::new();
    let mut wrong = Vec::new();
    let mut needed = Vec::new();
    for case in CASES {
        let trace = Trace::read(&folder, case.trace);
        for row in compare(case, &trace, &run(case)) {
            let explained = EXPLAINED.iter().find(|(name, what, _)| *name == case.trace && *what == row.what);
            let verdict = match (row.agrees, explained) {
                (true, _) => "agrees".to_string(),
                (false, Some((_, _, section))) => {
                    needed.push((case.trace, row.what));
                    format!("differs: {section}")
                }
                (false, None) => {
                    wrong.push(format!("{}: {}: Linux {}, ours {}", case.trace, row.what, row.theirs, row.ours));
                    "DIFFERS".to_string()
                }
            };
            let _ =
                writeln!(table, "| {} | {} | {:.3} | {:.3} | {verdict} |", case.trace, row.what, row.theirs, row.ours);
        }
    }
    println!("| trace | figure | Linux | ours | |\n|---|---|---|---|---|\n{table}");
    for (name, what, _) in EXPLAINED {
        if !needed.iter().any(|(trace, figure)| trace == name && figure == what) {
            wrong.push(format!("{name}: {what}: agrees now; take it out of EXPLAINED and of docs/deviations.md"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The sender's own interface is the bottleneck; acknowledgements come back over a link that takes them no time.
fn run(case: &Case) -> Outcome {
    let Case { algorithm, rate, rtt_ms, queue, duration_s, .. } = case;
    let size = case.size.map_or(String::new(), |size| format!("size = \"{size}\""));
    let one_way_us = rtt_ms * 500;
    let text = format!(
        r#"
        name = "linux"
        duration = "{duration_s}s"
        sample = "change"
        [topology]
        kind = "graph"
        nodes = ["a", "b"]
        [[topology.link]]
        between = ["a", "b"]
        rate = "{rate}"
        delay = "{one_way_us}us"
        queue = "{queue}p"
        backward = {{ rate = "1tbit", queue = "unlimited" }}
        [[flow]]
        algorithm = {algorithm}
        from = "a"
        to = "b"
        host = "linux"
        packet = "1040b"
        initial_window = 2
        {size}
        "#
    );
    let scenario = Scenario::from_toml(&text, case.trace, &[]).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario)
}

fn compare(case: &Case, trace: &Trace, outcome: &Outcome) -> Vec<Row> {
    let mut rows = Vec::new();
    let rtt_s = f64::from(case.rtt_ms) / 1000.0;
    let flow = &outcome.flows[0];
    let (time, window) = trace.slow_start_end();
    push(&mut rows, "slow start ends, s", time, flow.slow_start_end_s.expect("an end of slow start"), rtt_s);
    push(&mut rows, "window there", window, flow.cwnd_at_slow_start_end.expect("a window"), 1.0);
    let (theirs, ours) = (SawTooth::of(&trace.cuts()), SawTooth::of(&cuts(outcome)));
    push(&mut rows, "saw-tooth period, s", theirs.period, ours.period, 0.05 * theirs.period);
    push(&mut rows, "saw-tooth peak", theirs.peak, ours.peak, 0.05 * theirs.peak);
    let acked = flow.delivered_bytes as f64;
    push(&mut rows, "bytes delivered", trace.acked_bytes(), acked, 0.02 * trace.acked_bytes());
    rows
}

fn push(rows: &mut Vec<Row>, what: &'static str, theirs: f64, ours: f64, within: f64) {
    rows.push(Row { what, theirs, ours, agrees: (ours - theirs).abs() <= within });
}

/// Mean period and peak of the later half of the cuts.
struct SawTooth {
    period: f64,
    peak: f64,
}

impl SawTooth {
    /// Of cuts: time, and window before.
    fn of(cuts: &[(f64, f64)]) -> SawTooth {
        let later = &cuts[cuts.len() / 2..];
        let (first, last) = (later[0].0, later[later.len() - 1].0);
        SawTooth {
            period: (last - first) / (later.len() - 1) as f64,
            peak: later.iter().map(|(_, window)| window).sum::<f64>() / later.len() as f64,
        }
    }
}

/// When our window was cut, and from what.
fn cuts(outcome: &Outcome) -> Vec<(f64, f64)> {
    let series = &outcome.flow_series;
    let windows = series.cwnd_segments.windows(2).zip(&series.time_s[1..]);
    windows.filter(|(pair, _)| pair[1] < 0.9 * pair[0]).map(|(pair, time)| (*time, pair[0])).collect()
}
