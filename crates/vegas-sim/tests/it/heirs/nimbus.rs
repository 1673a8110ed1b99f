//! "Elasticity Detection: A Building Block for Internet Congestion Control", SIGCOMM 2022: low delay where cross
//! traffic is inelastic, about CUBIC's share where it is elastic. The path is the paper's: 96 Mb/s, 50 ms, a queue of
//! 100 ms.

use vegas_sim::outcome::Outcome;

use super::{mean, queue, rate_mbps, run, share};

const LINK_MBPS: f64 = 96.0;
/// No receiver's window limits a flow: with one that is tuned, of 2.46 MiB at most, Nimbus has 0.26 to 0.42 beside
/// CUBIC.
const HOST: &str = "{ kind = \"linux\", receive_window = 1048576 }";

/// The flow, and what else there is from 5 s on.
fn beside(others: &str) -> Outcome {
    run(&format!(
        r#"
        name = "nimbus"
        duration = "90s"
        sample = "10ms"
        [topology]
        kind = "dumbbell"
        access = {{ rate = "1gbit", delay = "1ms" }}
        bottleneck = {{ rate = "{LINK_MBPS}mbit", delay = "23ms", queue = "1200p" }}
        [[flow]]
        algorithm = "nimbus"
        packet = "1000b"
        host = {HOST}
        {others}
        "#
    ))
}

fn queueing_ms(outcome: &Outcome, from_s: f64, to_s: f64) -> f64 {
    mean(queue(outcome, from_s, to_s)) * 8.0 / LINK_MBPS
}

/// The delay mode wants a fourth of the base RTT, 12.5 ms, and takes what the cross traffic leaves.
#[test]
fn beside_inelastic_traffic_the_delay_is_low() {
    let constant = "[[traffic]]\nkind = \"constant\"\nrate = \"48mbit\"\npacket = \"1000b\"\nstart = \"5s\"\n";
    let bursts = "[[traffic]]\nkind = \"exponential-on-off\"\nrate = \"12mbit\"\non = \"500ms\"\noff = \"500ms\"\n\
                  packet = \"1000b\"\nstart = \"5s\"\n";
    for (others, cross_mbps) in [(String::new(), 0.0), (constant.into(), 48.0), (bursts.repeat(8), 48.0)] {
        let outcome = beside(&others);
        let queueing_ms = queueing_ms(&outcome, 25.0, 90.0);
        let part = rate_mbps(&outcome, 0, 25.0, 90.0) / (LINK_MBPS - cross_mbps);
        println!("{cross_mbps} Mb/s: {queueing_ms:.1} ms, {part:.2} of what is left");
        assert!((8.0..=25.0).contains(&queueing_ms), "{queueing_ms} ms");
        assert!(part > 0.9, "{part} of what is left");
    }
}

/// CUBIC fills the queue, and Nimbus keeps its share with it; once CUBIC has stopped, the delay is low again.
#[test]
fn beside_cubic_it_competes_until_cubic_stops() {
    let cubic = "[[flow]]\nalgorithm = \"cubic\"\npacket = \"1000b\"\nstart = \"5s\"\nstop = \"60s\"\n";
    let outcome = beside(&format!("{cubic}host = {HOST}\n"));
    let (own, beside_ms) = (share(&outcome, 0, 20.0, 60.0), queueing_ms(&outcome, 20.0, 60.0));
    let (alone_ms, alone_mbps) = (queueing_ms(&outcome, 75.0, 90.0), rate_mbps(&outcome, 0, 75.0, 90.0));
    println!("beside CUBIC {own:.2}, {beside_ms:.0} ms; then {alone_mbps:.0} Mb/s, {alone_ms:.1} ms");
    assert!((0.35..=0.65).contains(&own), "{own}");
    assert!(beside_ms > 50.0, "{beside_ms} ms");
    assert!(alone_ms < 25.0 && alone_mbps > 90.0, "{alone_mbps} Mb/s, {alone_ms} ms");
}
