//! "Revisiting TCP congestion control using delay gradients", IFIP Networking 2011.

use super::{Dumbbell, mean, queue, rate_mbps};

/// Section 3: CDG backs off when the delay rises, long before the queue is full, and the link stays busy.
#[test]
fn the_queue_stays_short_without_losses() {
    let path = Dumbbell { rate_mbps: 10, rtt_ms: 40, queue: 200, duration_s: 60, flows: &[("cdg", 0)], more: "" };
    let outcome = path.run();
    let (packets, rate) = (mean(queue(&outcome, 10.0, 60.0)), rate_mbps(&outcome, 0, 10.0, 60.0));
    println!("{packets:.1} packets, {rate:.2} Mb/s, {} lost", outcome.links[0].drops);
    assert_eq!(outcome.links[0].drops, 0);
    assert!(packets < 20.0, "{packets}");
    assert!(rate > 8.0, "{rate}");
}
