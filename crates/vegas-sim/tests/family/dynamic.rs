//! "Dynamic Vegas", section 4.1: a lone flow, table 1.

use super::{BOTTLENECK, run};

/// Table 1: 3948.0 kb/s for Vegas, 3933.6 kb/s for Dynamic Vegas, 0.36 % apart (the unit cannot be right on 1 Mb/s).
/// True for every threshold that the path, 12 packets, and its queue of 50 can hold.
#[test]
fn it_fills_the_single_link_as_vegas_does() {
    let vegas = run("dynamic-single", &[]).flows[0].throughput_mbps;
    for ssthresh in ["16", "32", "60"] {
        let outcome = run("dynamic-single", &[DYNAMIC, ("flow.0.ssthresh", ssthresh)]);
        let dynamic = outcome.flows[0].throughput_mbps;
        assert!((dynamic / vegas - 1.0).abs() <= 0.004, "{ssthresh}: Vegas {vegas} Mb/s, Dynamic Vegas {dynamic} Mb/s");
        assert_eq!(outcome.links[BOTTLENECK].drops, 0, "{ssthresh}");
    }
}

/// Section 4.2 names it: mid-speed start overshoots. With the paper's window of 1024 segments as the threshold, the
/// jump to 512 loses most of what the path and its queue, 62 packets together, cannot hold.
#[test]
fn a_threshold_beyond_path_and_queue_overshoots() {
    let outcome = run("dynamic-single", &[DYNAMIC, ("flow.0.ssthresh", "1024")]);
    assert_eq!(outcome.flows[0].cwnd_at_slow_start_end, Some(512.0));
    assert!(outcome.links[BOTTLENECK].drops > 100, "{} drops", outcome.links[BOTTLENECK].drops);
    assert!(outcome.flows[0].timeouts > 0, "no timeout");
}

const DYNAMIC: (&str, &str) = ("flow.0.algorithm", "dynamic");
