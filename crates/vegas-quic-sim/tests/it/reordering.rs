//! Packets that arrive after their keys and numbers are discarded are lost, but the connection is not.

use crate::support::run;

/// The server discards its first keys three probe timeouts after the client's key update (RFC 9001, section 6.5);
/// packets that were held back for 600 ms arrive later.
#[test]
fn packets_from_before_a_key_update_are_dropped() {
    let outcome = run(r#"
        name = "late"
        duration = "20s"
        topology.kind = "dumbbell"
        topology.access = { rate = "5mbit", delay = "1s" }
        topology.bottleneck = { rate = "3mbit", delay = "1ms", queue = "unlimited", reorder = { probability = 0.1, delay = "600ms" } }
        flow = [
            { algorithm = "vegas-1994" },
            { algorithm = "sack" },
            { algorithm = "reno", transport = "quic", initial_window = 1000 },
        ]
        "#);
    let quic = &outcome.flows[2];
    assert!(quic.delivered_bytes > 1_000_000, "{quic:?}");
}
