//! "Towards Fair and Robust Congestion Control", NSDI 2026: what the design promises, as its proof's code states it.

use super::{Dumbbell, median, queue, rate_mbps};

const FRCC: Dumbbell<'_> =
    Dumbbell { rate_mbps: 48, rtt_ms: 50, queue: 2_000, duration_s: 90, flows: &[("frcc", 0)], more: "" };

/// The contract: n flows keep a queue of theta = 10 ms each, whatever the link's rate, and share evenly. The median
/// leaves out most of what probes add.
#[test]
fn flows_keep_ten_milliseconds_each() {
    for (link_mbps, flows) in [(12, 1), (48, 1), (48, 2), (96, 4)] {
        let path = Dumbbell { rate_mbps: link_mbps, flows: &vec![("frcc", 0); flows], ..FRCC };
        let outcome = path.run();
        let of_each_ms = median(queue(&outcome, 65.0, 90.0)) * path.packet_ms() / flows as f64;
        println!("{flows} flows on {link_mbps} Mb/s: {of_each_ms:.1} ms each");
        assert!((7.5..=13.5).contains(&of_each_ms), "{flows} on {link_mbps} Mb/s: {of_each_ms} ms");
        assert!(outcome.links[0].utilisation > 0.95, "{flows} on {link_mbps} Mb/s");
        for flow in 0..flows {
            let part = rate_mbps(&outcome, flow, 35.0, 90.0) * flows as f64 / f64::from(link_mbps);
            assert!((0.75..=1.25).contains(&part), "flow {flow} of {flows} on {link_mbps} Mb/s: {part} of its part");
        }
    }
}

/// Theorem of the proof (Lemma B.6: a flow counts 6.6 flows at most, so that two flows differ by 5.6): 10 ms of delay
/// on one flow that are no queue, whatever the link's rate. They come 5 s after the start and stay.
#[test]
fn ten_milliseconds_of_jitter_starve_no_flow() {
    for link_mbps in [6, 24, 96] {
        let more = "delay_schedule = { limit = \"10ms\", points = [[\"5s\", \"10ms\"]] }";
        let path = Dumbbell { rate_mbps: link_mbps, flows: &[("frcc", 0), ("frcc", 0)], more, ..FRCC };
        let outcome = path.run();
        let ratio = rate_mbps(&outcome, 0, 35.0, 90.0) / rate_mbps(&outcome, 1, 35.0, 90.0);
        println!("{link_mbps} Mb/s: {ratio:.2}");
        assert!((1.0 / 5.6..=5.6).contains(&ratio), "{link_mbps} Mb/s: {ratio}");
    }
}
