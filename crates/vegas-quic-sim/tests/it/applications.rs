//! Applications of QUIC flows give what those of TCP flows give.

use vegas_sim::outcome::Outcome;

use crate::support::{dumbbell, run};

/// Payload of a segment: a packet of 1480 bytes without the headers at their longest.
const PAYLOAD: u64 = 1408;

/// Thirty seconds of 20 Mb/s and 44 ms.
fn quic(flow: &str) -> Outcome {
    run(&dumbbell("20mbit", "20ms", "", &format!("flow = [{{ transport = \"quic\", {flow} }}]")))
}

#[test]
fn a_rate_is_what_is_delivered() {
    for algorithm in ["vegas", "cubic", "nv", "copa"] {
        let outcome =
            quic(&format!("algorithm = \"{algorithm}\", application = [{{ kind = \"rate\", rate = \"2mbit\" }}]"));
        let flow = &outcome.flows[0];
        // 30 s of 2 Mb/s, but for the last round trip
        let written = 30 * 2_000_000 / 8;
        assert!((written - 15_000..=written + PAYLOAD).contains(&flow.delivered_bytes), "{algorithm}: {flow:?}");
        // each segment has a packet of 1480 bytes, but for headers shorter than the longest
        let overhead = flow.throughput_mbps / flow.goodput_mbps;
        assert!((1.03..1480.0 / 1408.0 + 0.01).contains(&overhead), "{algorithm}: {flow:?}");
        assert_eq!(flow.segments_retransmitted, 0);
    }
}

/// 4 Mb/s for 0.5 s of each second. While it is off nothing lies in the network.
#[test]
fn silence_lies_between_periods_of_sending() {
    let application = "{ kind = \"on-off\", rate = \"4mbit\", on = \"500ms\", off = \"500ms\" }";
    let outcome = quic(&format!("algorithm = \"vegas\", application = [{application}]"));
    let delivered = outcome.flows[0].delivered_bytes;
    assert!((7_400_000..=7_600_000).contains(&delivered), "{delivered}");
    let series = &outcome.flow_series;
    let rows = series.time_s.iter().zip(&series.in_flight_segments);
    let in_flight: Vec<_> = rows
        .filter(|(time, _)| **time > 1.0 && (0.6..0.98).contains(&(**time % 1.0)))
        .map(|(_, count)| *count)
        .collect();
    assert!(in_flight.len() > 100 && in_flight.iter().all(|count| *count == 0), "{in_flight:?}");
}

/// What has not left after 5 s of bulk data never does. A path of 74 packets and a queue of 50 are under way then, and
/// no more than two lie in quinn's buffer.
#[test]
fn what_has_not_left_at_the_end_of_a_phase_is_withdrawn() {
    let phases = "{ kind = \"bulk\", duration = \"5s\" }, { kind = \"idle\" }";
    for algorithm in ["vegas", "cubic"] {
        let flow =
            format!("flow = [{{ transport = \"quic\", algorithm = \"{algorithm}\", application = [{phases}] }}]");
        let text = dumbbell("20mbit", "20ms", "", &flow);
        let until = |duration: &str| run(&text.replace("\"30s\"", duration)).flows[0].delivered_bytes;
        let [phase, soon, late] = ["\"5s\"", "\"5300ms\"", "\"30s\""].map(until);
        assert!(phase > 10_000_000, "{algorithm}: {phase}");
        assert!((1..=126 * PAYLOAD).contains(&(late - phase)), "{algorithm}: {phase} and {late}");
        assert_eq!(soon, late, "{algorithm}");
    }
}

/// 200 kB are 143 packets, 85 ms of the link; 44 ms of the path and 500 ms of thinking follow: 47.7 responses in 30 s
/// at most. TCP's segments hold as much here, and its window survives the thinking, as quinn's does.
#[test]
fn responses_follow_each_other_as_by_tcp() {
    let flow = "algorithm = \"vegas\", application = [{ kind = \"requests\", size = \"200kb\", think = \"500ms\" }]";
    let by_tcp = "flow = [{ packet = \"1480b\", header = \"72b\", initial_window = 10, \
                  host = { handshake = \"full\", slow_start_after_idle = false }, ";
    let tcp = run(&dumbbell("20mbit", "20ms", "", &format!("{by_tcp}{flow} }}]")));
    let [quic, tcp] =
        [&quic(flow), &tcp].map(|outcome| outcome.flows[0].delivered_bytes as f64 / (143 * PAYLOAD) as f64);
    assert!((42.0..47.8).contains(&tcp) && (42.0..47.8).contains(&quic), "{quic} and {tcp} responses");
}

/// A loss in each response of some hundred packets: all of it is repaired before the next one begins.
#[test]
fn responses_are_whole_under_losses() {
    let flow = "algorithm = \"cubic\", transport = \"quic\", stop = \"25s\", \
                application = [{ kind = \"requests\", size = \"200kb\" }]";
    let outcome = run(&dumbbell("20mbit", "20ms", "loss = \"1%\"", &format!("flow = [{{ {flow} }}]")));
    let flow = &outcome.flows[0];
    assert!(flow.segments_retransmitted > 20, "{flow:?}");
    let responses = flow.delivered_bytes as f64 / (143 * PAYLOAD) as f64;
    assert!(responses > 20.0, "{responses} responses");
}

#[test]
fn a_size_ends_an_application() {
    let outcome =
        quic("algorithm = \"vegas\", size = \"100kb\", application = [{ kind = \"rate\", rate = \"1mbit\" }]");
    let flow = &outcome.flows[0];
    assert_eq!(flow.delivered_bytes, 100_000);
    // the last of 72 segments is given after 71 times 11.264 ms, and acknowledged a round trip later
    let completion_s = flow.completion_s.expect("it completes");
    assert!((0.799 + 0.044..0.86).contains(&completion_s), "{completion_s} s");
}

/// An application that waits for nothing ends with its flow's stop.
#[test]
fn a_stop_in_a_silence_ends_the_run() {
    let flow = "transport = \"quic\", algorithm = \"vegas\", size = \"1gb\", stop = \"3s\", \
                application = [{ kind = \"rate\", rate = \"1mbit\", duration = \"1s\" }, { kind = \"idle\" }]";
    let text = dumbbell("20mbit", "20ms", "", &format!("until_complete = true\nflow = [{{ {flow} }}]"));
    let outcome = run(&text);
    assert!((3.0..3.2).contains(&outcome.end_s), "{}", outcome.end_s);
    assert!(outcome.flows[0].delivered_bytes.abs_diff(125_000) < 2 * PAYLOAD, "{:?}", outcome.flows[0]);
}

/// Four fifths of 20 Mb/s are 16 Mb/s: the middle step, but for segments that come while the window is small.
#[test]
fn video_takes_the_step_that_the_link_carries() {
    let outcome = quic(
        "algorithm = \"cubic\", application = [{ kind = \"video\", ladder = [\"1mbit\", \"8mbit\", \"40mbit\"], segment = \
         \"1s\", buffer = \"2s\" }]",
    );
    let mbps = outcome.flows[0].delivered_bytes as f64 * 8.0 / 30e6;
    assert!((4.0..=8.5).contains(&mbps), "{mbps} Mb/s");
}
