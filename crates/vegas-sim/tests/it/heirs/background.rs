//! Algorithms that yield to other flows: LEDBAT (RFC 6817), LEDBAT++ and TCP-LP.

use super::{Dumbbell, median, queue, rate_mbps, share};

const PATH: Dumbbell<'_> =
    Dumbbell { rate_mbps: 10, rtt_ms: 40, queue: 200, duration_s: 60, flows: &[("ledbat", 0)], more: "" };

/// LEDBAT's target is 25 ms. LEDBAT++'s is 60 ms, which its slowdowns leave for a tenth of the time.
#[test]
fn alone_they_hold_their_target() {
    for (algorithm, target_ms, use_min) in [("ledbat", 25.0, 0.97), ("ledbat++", 60.0, 0.85)] {
        let path = Dumbbell { flows: &[(algorithm, 0)], ..PATH };
        let outcome = path.run();
        let delay_ms = median(queue(&outcome, 20.0, 60.0)) * path.packet_ms();
        let rate = rate_mbps(&outcome, 0, 20.0, 60.0);
        println!("{algorithm}: {delay_ms:.1} ms, {rate:.2} Mb/s");
        assert!((delay_ms - target_ms).abs() < 0.1 * target_ms, "{algorithm}: {delay_ms} ms");
        assert!(rate > 10.0 * use_min, "{algorithm}: {rate} Mb/s");
    }
}

#[test]
fn they_yield_to_reno_and_take_what_it_leaves() {
    for algorithm in ["ledbat", "ledbat++", "lp"] {
        let outcome = Dumbbell { flows: &[(algorithm, 0), ("sack", 20)], ..PATH }.run();
        let (alone, beside) = (rate_mbps(&outcome, 0, 10.0, 20.0), share(&outcome, 0, 30.0, 60.0));
        println!("{algorithm}: {alone:.2} Mb/s alone, {beside:.3} of the link beside Reno");
        assert!(alone > 6.0, "{algorithm}: {alone} Mb/s alone");
        assert!(beside < 0.12, "{algorithm}: {beside} beside Reno");
    }
}

/// A later LEDBAT flow takes the first one's queue for the path's own delay; LEDBAT++'s slowdowns reveal the path's
/// delay.
#[test]
fn slowdowns_take_the_latecomers_advantage() {
    let latecomer = |algorithm| {
        let outcome = Dumbbell { flows: &[(algorithm, 0), (algorithm, 10)], duration_s: 120, ..PATH }.run();
        share(&outcome, 1, 60.0, 120.0)
    };
    let (plain, plus) = (latecomer("ledbat"), latecomer("ledbat++"));
    println!("the latecomer's part: LEDBAT {plain:.2}, LEDBAT++ {plus:.2}");
    assert!(plain > 0.8, "{plain}");
    assert!((0.3..=0.7).contains(&plus), "{plus}");
}

/// RFC 6817: the delay is one-way, so a queue on the way back does not count. LEDBAT++ uses round-trip times, and
/// yields to it.
#[test]
fn a_queue_on_the_way_back_does_not_stop_ledbat() {
    let rate = |algorithm| {
        let outcome = super::run(&format!(
            r#"
            name = "both-ways"
            duration = "150s"
            sample = "10ms"
            [topology]
            kind = "graph"
            nodes = ["a", "b"]
            [[topology.link]]
            between = ["a", "b"]
            rate = "10mbit"
            delay = "20ms"
            queue = "200p"
            [[flow]]
            algorithm = "{algorithm}"
            from = "a"
            to = "b"
            [[flow]]
            algorithm = "sack"
            from = "b"
            to = "a"
            "#
        ));
        rate_mbps(&outcome, 0, 100.0, 150.0)
    };
    let (one_way, both_ways) = (rate("ledbat"), rate("ledbat++"));
    println!("against Reno's queue: LEDBAT {one_way:.2}, LEDBAT++ {both_ways:.2} Mb/s");
    assert!(one_way > 4.0, "{one_way}");
    assert!(10.0 * both_ways < one_way, "{both_ways}");
}
