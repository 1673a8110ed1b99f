//! Flows that have less to send than the path carries.

use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

const PATH: &str = r#"
    name = "applications"
    duration = "20s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck = { rate = "20mbit", delay = "18ms", queue = "100p" }
"#;

fn run(flow: &str) -> Outcome {
    let scenario = Scenario::from_toml(&format!("{PATH}\n[[flow]]\n{flow}"), "applications.toml", &[]);
    vegas_sim::run(&scenario.expect("a scenario"))
}

/// Payload of a full segment, bytes.
const PAYLOAD: u64 = 960;

#[test]
fn a_rate_is_what_is_delivered() {
    for host in ["bsd", "linux"] {
        let flow = format!(
            "algorithm = \"cubic\"\nhost = \"{host}\"\napplication = [{{ kind = \"rate\", rate = \"2mbit\" }}]"
        );
        let flow = &run(&flow).flows[0];
        // 20 s at 2 Mb/s, except for the last round trip
        let written = 20 * 2_000_000 / 8;
        assert!((written - 15_000..=written + PAYLOAD).contains(&flow.delivered_bytes), "{host}: {flow:?}");
        assert_eq!(flow.segments_retransmitted, 0);
    }
}

#[test]
fn silence_follows_a_phase_and_bulk_data_a_silence() {
    let flow = "algorithm = \"vegas\"\napplication = [{ kind = \"bulk\", duration = \"5s\" }, { kind = \"idle\" }]";
    let (early, whole) = (&run(&flow.replace("idle", "bulk")).flows[0], &run(flow).flows[0]);
    assert!(
        whole.delivered_bytes < early.delivered_bytes / 3,
        "{} of {}",
        whole.delivered_bytes,
        early.delivered_bytes
    );
    let late = "algorithm = \"vegas\"\napplication = [{ kind = \"idle\", duration = \"5s\" }, { kind = \"bulk\" }]";
    let started = "algorithm = \"vegas\"\nstart = \"5s\"";
    let [late, started] = [late, started].map(|flow| run(flow).flows[0].delivered_bytes);
    assert_eq!(late, started, "an application that waits is a flow that starts later");
}

/// A response of 200 kB is 209 segments. After 0.5 s of thinking the window is 2 again, and Vegas doubles it every
/// second round trip of 40 ms: 2, 2, 4, 4, and so on, twelve of them. That is a second for each response.
#[test]
fn responses_follow_each_other() {
    let flow = "algorithm = \"vegas\"\napplication = [{ kind = \"requests\", size = \"200kb\", think = \"500ms\" }]";
    let flow = &run(flow).flows[0];
    let responses = flow.delivered_bytes / 200_000;
    assert!((17..=20).contains(&responses), "{responses} responses");
}

#[test]
fn a_size_ends_an_application() {
    let flow = "algorithm = \"vegas\"\nsize = \"100kb\"\napplication = [{ kind = \"rate\", rate = \"1mbit\" }]";
    let flow = &run(flow).flows[0];
    assert_eq!(flow.delivered_bytes, 100_000);
    // the last of 105 segments is written after 104 times 7.68 ms, and acknowledged a round trip later
    let completion_s = flow.completion_s.expect("it completes");
    assert!((0.798 + 0.04..0.85).contains(&completion_s), "{completion_s} s");
}

/// Four fifths of 20 Mb/s are 16 Mb/s: the middle step, except for segments that arrive while the window is small. A
/// host that restarts slowly measures that in each segment of the first step: 131 packets, 10, 20, 40 and 61 in four
/// round trips of 40 ms, are 6 Mb/s.
#[test]
fn video_takes_the_step_that_the_link_carries() {
    let mbps = |restarts: bool| {
        let flow = format!(
            "algorithm = \"cubic\"\nhost.slow_start_after_idle = {restarts}\napplication = [{{ kind = \"video\", \
             ladder = [\"1mbit\", \"8mbit\", \"40mbit\"], segment = \"1s\", buffer = \"2s\" }}]"
        );
        run(&flow).flows[0].delivered_bytes as f64 * 8.0 / 20e6
    };
    let (kept, restarted) = (mbps(false), mbps(true));
    assert!((4.0..=8.5).contains(&kept), "{kept} Mb/s");
    assert!((0.9..=1.2).contains(&restarted), "{restarted} Mb/s");
}

/// 50 Mb/s and 100 ms hold 417 segments.
const LONG_PATH: &str = r#"
    name = "applications"
    sample = "100ms"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck = { rate = "50mbit", delay = "48ms", queue = "400p" }
"#;

fn long(algorithm: &str, host: &str, application: &str, duration: &str) -> Outcome {
    let flow = format!("algorithm = \"{algorithm}\"\npacket = \"1500b\"\nhost = {host}\napplication = {application}");
    let text = format!("duration = \"{duration}\"\n{LONG_PATH}\n[[flow]]\n{flow}");
    let scenario = Scenario::from_toml(&text, "applications.toml", &[]);
    vegas_sim::run(&scenario.unwrap_or_else(|error| panic!("{algorithm}: {error}")))
}

const A_MEGABIT: &str = "[{ kind = \"rate\", rate = \"1mbit\" }]";

/// 1 Mb/s is 9 segments of 1460 bytes in flight at most. By hand: a window that limits the sender is one of 10; slow
/// start of a Linux host stops below twice 9; Vegas of Linux adds 9 a round, and its host takes half of what is above
/// the 10 once in 300 ms, three rounds: it stays below 10 + 2 x 27 and one round's growth.
#[test]
fn a_window_that_does_not_limit_the_sender_does_not_grow() {
    let cases: [(&str, &str, f64); 12] = [
        ("cubic-linux", "linux", 18.0),
        ("cubic", "linux", 18.0),
        ("reno-linux", "linux", 18.0),
        ("reno", "linux", 18.0),
        ("sack", "linux", 18.0),
        ("vegas-ns3", "linux", 18.0),
        ("illinois", "linux", 18.0),
        ("nv", "linux", 18.0),
        ("cubic-linux", "bsd", 10.0),
        ("cubic", "bsd", 10.0),
        ("reno-linux", "bsd", 10.0),
        ("vegas-linux", "linux", 73.0),
    ];
    for (algorithm, host, most) in cases {
        let series = long(algorithm, &format!("\"{host}\""), A_MEGABIT, "20s").flow_series;
        // what was written during the handshake leaves at once, and lets the window grow further at first
        let late = series.time_s.iter().zip(&series.cwnd_segments).filter(|(time, _)| **time > 5.0);
        let greatest = late.map(|(_, window)| *window).fold(0.0, f64::max);
        assert!(greatest <= most && greatest > most / 2.0, "{algorithm} on {host}: {greatest}");
    }
}

/// RFC 5681 and FreeBSD have no such rule: the window grows by what is acknowledged, 85.6 segments a second.
#[test]
fn reno_of_bsd_grows_while_the_application_limits() {
    for algorithm in ["reno", "vegas-ns3"] {
        let window = long(algorithm, "\"bsd\"", A_MEGABIT, "20s").flows[0].final_cwnd_segments;
        assert!((1600.0..1720.0).contains(&window), "{algorithm}: {window}");
    }
}

const SILENT: &str =
    "[{ kind = \"bulk\", duration = \"15s\" }, { kind = \"idle\", duration = \"10s\" }, { kind = \"bulk\" }]";

/// After 10 s of silence the window is the initial one, and slow start takes it back to three quarters of what it was.
#[test]
fn silence_takes_the_window_back() {
    for (algorithm, host) in [("cubic-linux", "linux"), ("sack", "linux"), ("cubic", "bsd")] {
        let windows = |switch: &str| {
            let host = format!("{{ kind = \"{host}\", slow_start_after_idle = {switch} }}");
            let series = long(algorithm, &host, SILENT, "30s").flow_series;
            let at = |time: f64| series.cwnd_segments[series.time_s.iter().position(|at| *at > time).expect("a row")];
            (at(24.75), at(25.05), at(29.5))
        };
        let (before, restarted, later) = windows("true");
        assert!(before > 150.0 && restarted <= 20.0, "{algorithm} on {host}: {before}, {restarted}");
        assert!(later > 0.7 * before, "{algorithm} on {host}: {later} after {before}");
        let (before, kept, _) = windows("false");
        assert!(kept >= before - 1.0, "{algorithm} on {host}: {kept} after {before}");
    }
}

/// A host leaves a control that decides on recovery alone (Linux: `cong_control`).
#[test]
fn silence_leaves_bbr_its_window() {
    let series = long("bbr3", "\"linux\"", SILENT, "26s").flow_series;
    let at = |time: f64| series.cwnd_segments[series.time_s.iter().position(|at| *at > time).expect("a row")];
    assert!(at(25.05) > 300.0, "{}", at(25.05));
}

/// During 10 s of silence the path becomes 100 ms longer: Vegas of Linux takes the longer base RTT after it
/// (`tcp_vegas_cwnd_event`), and its window grows by a segment a round towards the 834 that the path then holds.
#[test]
fn vegas_of_linux_measures_anew_after_silence() {
    let text = format!(
        "duration = \"60s\"\n{LONG_PATH}\n[[flow]]\nalgorithm = \"vegas-linux\"\npacket = \"1500b\"\nhost = \"linux\"\n\
         application = {SILENT}\n[[change]]\nat = \"20s\"\nlink = \"r1->r2\"\ndelay = \"148ms\"\n"
    );
    let scenario = Scenario::from_toml(&text, "applications.toml", &[]).expect("a scenario");
    let series = vegas_sim::run(&scenario).flow_series;
    let base = series.base_rtt_ms.last().copied().flatten().expect("a base RTT");
    assert!((200.0..202.0).contains(&base), "{base} ms");
    let at = |time: f64| series.cwnd_segments[series.time_s.iter().position(|at| *at > time).expect("a row")];
    assert!(at(40.0) > 400.0 && at(59.5) > at(40.0) + 50.0, "{}, {}", at(40.0), at(59.5));
}

/// 40 Mb/s carry nothing from 20 s to 20.5 s; one timeout follows, on a BSD host two. Slow start is over within 3 s:
/// without RTTs, as all segments in flight were retransmitted (Karn's rule), and for a second timeout of one segment
/// with the threshold of the first (RFC 5681, section 3.1). Time stamps give RTTs of retransmissions, of which a burst
/// shows a queue: a window that does not pace them ends its slow start early.
#[test]
fn a_timeout_costs_seconds() {
    for algorithm in ["vegas-next", "fast"] {
        for host in ["'bsd'", "'linux'", "{ kind = 'linux', timestamps = true }"] {
            let outage = "[[change]]\nat = \"20s\"\nlink = \"r1->r2\"\nloss = 1.0\n\
                          [[change]]\nat = \"20.5s\"\nlink = \"r1->r2\"\nloss = 0\n";
            let flow = format!("[[flow]]\nalgorithm = \"{algorithm}\"\npacket = \"1500b\"\nhost = {host}");
            let path = LONG_PATH.replace("50mbit", "40mbit").replace("400p", "800p");
            let text = format!("duration = \"25s\"\n{path}\n{flow}\n{outage}");
            let scenario = Scenario::from_toml(&text, "outage.toml", &[]).expect("a scenario");
            let series = vegas_sim::run(&scenario).flow_series;
            let after = series.time_s.iter().position(|at| *at > 23.5).expect("a row");
            assert!(series.cwnd_segments[after] > 300.0, "{algorithm} on {host}: {}", series.cwnd_segments[after]);
        }
    }
}
