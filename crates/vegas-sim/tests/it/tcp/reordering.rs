//! Segments that arrive out of order, at a Linux host.

use vegas_sim::scenario::Scenario;

/// One of 50 segments comes ten segments late. In Linux 6.12 over this path, in the kernel's world, 25 segments are
/// retransmitted, and the window ends at 81: once segments were late by more than three, acknowledgements that do not
/// advance let the window grow, too (`tcp_may_raise_cwnd`). Without that it ended at 74.
#[test]
fn the_window_grows_by_what_is_reported_out_of_order() {
    let text = r#"
        name = "reordering"
        duration = "3s"
        sample = "off"
        [topology]
        kind = "dumbbell"
        access = { rate = "1gbit", delay = "500us" }
        [topology.bottleneck]
        rate = "20mbit"
        delay = "15ms"
        queue = "200p"
        reorder = { probability = 0.02, delay = "6ms" }
        [[flow]]
        algorithm = "reno-linux"
        packet = "1500b"
        initial_window = 10
        [flow.host]
        kind = "linux"
        handshake = "full"
        delayed_ack = "linux"
        timestamps = false
        receive_window = 1048576
        "#;
    let scenario = Scenario::from_toml(text, "reordering", &[]).unwrap_or_else(|error| panic!("{error}"));
    let flow = vegas_sim::run(&scenario).flows.remove(0);
    assert_eq!((flow.final_cwnd_segments, flow.segments_retransmitted), (81.0, 25));
}
