//! Rapid Start (draft-kazuho-ccwg-rapid-start) on 50 Mb/s and 100 ms, a path of 625 segments, with and without pacing.

use super::run;

/// The window when the first loss over a queue of 30 packets is found.
fn overflow(slow_start: &str) -> f64 {
    let outcome = run(&format!(
        r#"
        name = "rapid-start"
        duration = "3s"
        flow = [{{ algorithm = {{ preset = "cubic", slow_start = "{slow_start}" }}, initial_window = 10 }}]
        [topology]
        kind = "dumbbell"
        access = {{ rate = "1gbit", delay = "1ms" }}
        bottleneck = {{ rate = "50mbit", delay = "48ms", queue = "30p" }}
        "#
    ));
    outcome.flows[0].cwnd_at_slow_start_end.unwrap()
}

/// Three segments leave for each one acknowledged. Acknowledgements come 0.16 ms apart in trains of 30, so 60 of the 90
/// that they let out meet at the bottleneck: a queue of 30 overflows with a window below 90. Spread over the round trip
/// they fill the path of 625 first. What is lost is found a round trip later, when the window has trebled at most.
#[test]
fn pacing_lets_the_path_fill_before_the_queue() {
    let (early, late) = (overflow("rapid-start"), overflow("rapid-start-paced"));
    assert!((30.0..3.0 * 90.0).contains(&early), "{early}");
    assert!((625.0..3.0 * 655.0).contains(&late), "{late}");
}
