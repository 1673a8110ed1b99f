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

/// A response of 200 kB takes 0.08 s at 20 Mb/s, and 0.5 s of thinking follow: with slow start, 20 to 34 responses in
/// 20 s.
#[test]
fn responses_follow_each_other() {
    let flow = "algorithm = \"vegas\"\napplication = [{ kind = \"requests\", size = \"200kb\", think = \"500ms\" }]";
    let flow = &run(flow).flows[0];
    let responses = flow.delivered_bytes / 200_000;
    assert!((20..=34).contains(&responses), "{responses} responses");
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

/// Four fifths of 20 Mb/s are 16 Mb/s: the middle step, except for segments that arrive while the window is small.
#[test]
fn video_takes_the_step_that_the_link_carries() {
    let flow = "algorithm = \"cubic\"\napplication = [{ kind = \"video\", ladder = [\"1mbit\", \"8mbit\", \"40mbit\"], \
                segment = \"1s\", buffer = \"2s\" }]";
    let flow = &run(flow).flows[0];
    let mbps = flow.delivered_bytes as f64 * 8.0 / 20e6;
    assert!((4.0..=8.5).contains(&mbps), "{mbps} Mb/s");
}
