//! "FAST TCP: motivation, architecture, algorithms, performance", 2006.

use super::{Dumbbell, mean, queue, rate_mbps, run};

/// Section III: in equilibrium each flow has alpha = 20 packets in the queue, and the link is full.
#[test]
fn each_flow_keeps_alpha_packets_in_the_queue() {
    for flows in [1, 2, 4] {
        let path = Dumbbell {
            rate_mbps: 40,
            rtt_ms: 40,
            queue: 600,
            duration_s: 40,
            flows: &vec![("fast", 0); flows],
            more: "",
        };
        let outcome = path.run();
        let packets = mean(queue(&outcome, 20.0, 40.0));
        println!("{flows} flows: {packets:.1} packets");
        assert!((packets / (20 * flows) as f64 - 1.0).abs() < 0.1, "{flows} flows: {packets} packets");
        for flow in 0..flows {
            let part = rate_mbps(&outcome, flow, 20.0, 40.0) * flows as f64 / 40.0;
            assert!((part - 1.0).abs() < 0.1, "flow {flow} of {flows}: {part}");
        }
    }
}

/// Section III.C: the equilibrium maximises the sum of alpha log(rate). Over two links of 40 Mb/s the flow that crosses
/// both then has a third of each, for all round-trip times.
#[test]
fn rates_are_proportionally_fair() {
    let short = |enter, leave| format!("[[flow]]\nalgorithm = \"fast\"\nenter = \"{enter}\"\nleave = \"{leave}\"\n");
    let (first, second) = (short("r1", "r2"), short("r2", "r3"));
    let outcome = run(&format!(
        r#"
        name = "proportional"
        duration = "60s"
        sample = "10ms"
        [topology]
        kind = "parking-lot"
        access = {{ rate = "1gbit", delay = "1ms" }}
        bottlenecks = [
          {{ rate = "40mbit", delay = "10ms", queue = "400p" }},
          {{ rate = "40mbit", delay = "10ms", queue = "400p" }},
        ]
        [[flow]]
        algorithm = "fast"
        {first}
        {second}
        "#
    ));
    let rates: Vec<f64> = (0..3).map(|flow| rate_mbps(&outcome, flow, 30.0, 60.0)).collect();
    println!("over both links {:.1}, over one {:.1} and {:.1} Mb/s", rates[0], rates[1], rates[2]);
    for (rate, fair) in rates.iter().zip([40.0 / 3.0, 80.0 / 3.0, 80.0 / 3.0]) {
        assert!((rate / fair - 1.0).abs() < 0.1, "{rates:?}");
    }
}
