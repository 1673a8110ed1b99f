//! "Gallop-Vegas", section V, on 50 Mb/s and 100 ms.

use super::{BOTTLENECK, link_series, run};

const GALLOP: (&str, &str) = ("flow.0.algorithm", "gallop");

/// Section III: increments 0, 1, 2, ... from window 2. The samples are in the middle of each round trip of 100 ms.
#[test]
fn the_window_grows_by_one_more_each_round() {
    let outcome = run("gallop-50mbit", &[GALLOP, ("sample", "50ms"), ("duration", "1.1s")]);
    let windows: Vec<f64> = outcome.flow_series.cwnd_segments.iter().step_by(2).map(|window| window.floor()).collect();
    assert_eq!(windows, [2.0, 2.0, 3.0, 5.0, 8.0, 12.0, 17.0, 23.0, 30.0, 38.0, 47.0]);
}

/// Figure 4: congestion avoidance begins at 11.4 s, at the available bandwidth; figure 5: the link is full 0.4 s later.
#[test]
fn slow_start_ends_when_the_link_is_full() {
    let outcome = run("gallop-50mbit", &[GALLOP, ("duration", "20s")]);
    let end = outcome.flows[0].slow_start_end_s.expect("slow start ends");
    assert!((11.2..=11.6).contains(&end), "slow start ended at {end} s");
    let busy = link_series(&outcome, BOTTLENECK, &outcome.link_series.utilisation);
    // a sample gives the utilisation of the step that it ends
    let full = busy.iter().find(|(_, busy)| *busy > 0.999).expect("the link fills").0;
    assert!(full <= end + 0.5, "full at {full} s, slow start ended at {end} s");
    let idle = busy.iter().filter(|(time, busy)| *time > end + 0.5 && *busy < 0.99).count();
    assert_eq!(idle, 0, "steps with an idle link after it was full");
    assert_eq!((outcome.links[BOTTLENECK].drops, outcome.flows[0].timeouts), (0, 0));
}

/// Figures 6 and 7: with a queue of 30 packets Vegas loses packets, Gallop none.
#[test]
fn a_queue_of_thirty_is_enough() {
    let gallop = run("gallop-50mbit-queue30", &[GALLOP]);
    assert_eq!((gallop.links[BOTTLENECK].drops, gallop.flows[0].segments_retransmitted), (0, 0));
    let vegas = run("gallop-50mbit-queue30", &[]);
    assert_eq!(vegas.links[BOTTLENECK].drops, 3 + 16);
}
