//! Published figures of ns-2 2.35, for checkouts without the traces.

use super::{bursts, flow_column, link_column, run};

#[test]
fn vegas_leaves_slow_start_early_and_fills_the_path_late() {
    for (gamma, ends_s, window, full_s) in [("1", 1.20, 64.0, 58.6), ("3", 1.40, 128.0, 53.2)] {
        for preset in ["vegas", "vegas-ns2"] {
            let outcome = run("gallop-50mbit", &[("flow.0.algorithm", preset), ("flow.0.gamma", gamma)]);
            let flow = &outcome.flows[0];
            assert_eq!(flow.cwnd_at_slow_start_end, Some(window), "{preset}, gamma {gamma}");
            assert!((flow.slow_start_end_s.expect("an end") - ends_s).abs() < 0.01, "{preset}, gamma {gamma}");
            // 50 Mb/s x 100.18 ms hold 626.1 segments of 1000 bytes
            let windows = flow_column(&outcome, 0, &outcome.flow_series.cwnd_segments);
            let full = 0.1 * (1 + windows.iter().position(|&window| window >= 627.0).expect("a full path")) as f64;
            assert!((full - full_s).abs() < 0.02 * full_s, "{preset}, gamma {gamma}: full after {full} s");
        }
    }
}

#[test]
fn a_short_queue_loses_three_and_then_sixteen() {
    let outcome = run("gallop-50mbit-queue30", &[("flow.0.algorithm", "vegas-ns2")]);
    let bursts = bursts(&outcome, 0);
    assert_eq!(bursts.iter().map(|burst| burst.1).collect::<Vec<_>>(), [3, 16]);
    assert!((bursts[0].0 - 1.0075).abs() < 0.010 && (bursts[1].0 - 1.504).abs() < 0.010, "{bursts:?}");
    assert_eq!(outcome.flows[0].timeouts, 1);
    // with mechanism H the recovery's burst is limited, and only the three packets are lost
    let corrected = run("gallop-50mbit-queue30", &[("flow.0.algorithm", "vegas")]);
    assert_eq!((corrected.links[0].drops, corrected.flows[0].timeouts), (3, 0));
}

#[test]
fn slow_start_surges_double_every_other_round() {
    let outcome = run("slow-start-10mbit", &[("flow.0.algorithm", "vegas-ns2")]);
    let queue: Vec<f64> = outcome.link_series.max_queue_packets.iter().map(|&packets| f64::from(packets)).collect();
    let queue = link_column(&outcome, 0, &queue);
    // rows are 10 ms apart; the flow starts at 1 s, and the surge of a round comes with its first packets
    let surge_at = |second: f64| queue[(second * 100.0) as usize..][..4].iter().copied().fold(0.0, f64::max);
    assert_eq!([1.2, 1.4, 1.6, 1.8].map(surge_at), [2.0, 4.0, 8.0, 16.0]);
    assert_eq!([1.3, 1.5, 1.7].map(|second| surge_at(second) <= 1.0), [true; 3], "no surge in the rounds between");
}

#[test]
fn reno_overshoots_by_the_dozen() {
    let outcome = run("gallop-50mbit", &[("flow.0.algorithm", "reno")]);
    let bursts = bursts(&outcome, 0);
    for (burst, time) in bursts.iter().zip([0.72, 0.82]) {
        assert!((burst.0 - time).abs() < 0.010 && burst.1 >= 12, "{bursts:?}");
    }
}
