//! "Copa: practical delay-based congestion control for the Internet", NSDI 2018.

use super::{Dumbbell, mean, queue, rate_mbps, share};

const COPA: Dumbbell<'_> =
    Dumbbell { rate_mbps: 20, rtt_ms: 40, queue: 400, duration_s: 30, flows: &[("copa", 0)], more: "" };

fn range(values: Vec<f64>) -> (f64, f64) {
    (values.iter().copied().fold(f64::MAX, f64::min), values.into_iter().fold(0.0, f64::max))
}

/// Section 2.1: each flow's rate is 1 / (delta dq), so n flows hold n / delta = 2 n packets in the queue on average.
/// The queue varies between empty and 2.5 n / delta (section 3). The link is full.
#[test]
fn flows_keep_the_rate_of_the_equilibrium() {
    for flows in [1, 2, 4] {
        let outcome = Dumbbell { flows: &vec![("copa", 0); flows], ..COPA }.run();
        let packets = mean(queue(&outcome, 10.0, 30.0));
        let of_equilibrium = packets / (2 * flows) as f64;
        println!("{flows} flows: {packets:.2} packets, {of_equilibrium:.2} of the equilibrium");
        assert!((0.75..=2.0).contains(&of_equilibrium), "{flows} flows: {packets} packets");
        assert!(outcome.links[0].utilisation > 0.95, "{flows} flows: {}", outcome.links[0].utilisation);
        for flow in 0..flows {
            let part = rate_mbps(&outcome, flow, 10.0, 30.0) * flows as f64 / 20.0;
            assert!((0.75..=1.25).contains(&part), "flow {flow} of {flows}: {part} of its part");
        }
    }
}

/// Section 2.1: the velocity doubles. From 10 to 40 Mb/s the window grows by 150 packets; at 2 per round trip that
/// would take 75 round trips, 3 s.
#[test]
fn velocity_finds_new_capacity_soon() {
    let more = "[[change]]\nat = \"15s\"\nlink = \"r1->r2\"\nrate = \"40mbit\"";
    let outcome = Dumbbell { rate_mbps: 10, more, duration_s: 20, ..COPA }.run();
    let found = (0..500).map(|step| 15.0 + f64::from(step) / 100.0);
    let at = found.clone().find(|time| rate_mbps(&outcome, 0, *time, time + 0.1) > 36.0).expect("found");
    println!("36 Mb/s {:.2} s after the change", at - 15.0);
    assert!(at - 15.0 < 1.0, "{at}");
}

/// Section 2.2: beside a flow that fills the queue Copa competes. The default mode would leave it 1 / (delta dq) = 2
/// segments per queueing delay. Once CUBIC has stopped, the queue varies by no more than in the default mode, 2.5 /
/// delta = 5 packets and one in the transmitter, above the least RTT beside CUBIC.
#[test]
fn the_competitive_mode_holds_its_own_beside_cubic() {
    let path =
        Dumbbell { flows: &[("copa", 0), ("cubic", 1)], more: "stop = \"60s\"", queue: 200, duration_s: 90, ..COPA };
    let outcome = path.run();
    let own = share(&outcome, 0, 20.0, 60.0);
    let packets = mean(queue(&outcome, 20.0, 60.0));
    let default = 2.0 / packets;
    let (least, most) = range(queue(&outcome, 75.0, 90.0));
    println!("beside CUBIC {own:.2}, {default:.3} in the default mode; {least:.0} to {most:.0} packets afterwards");
    assert!((0.25..=0.75).contains(&own), "{own}");
    assert!(own > 10.0 * default, "{own}, {default}");
    assert!(most - least <= 6.0, "{least} to {most}");
}

/// A single flow stays in the default mode: a queue as in the competitive mode would be far above 2.5 / delta.
#[test]
fn alone_it_does_not_compete() {
    for rtt_ms in [10, 40, 160] {
        let outcome = Dumbbell { rtt_ms, ..COPA }.run();
        let (_, most) = range(queue(&outcome, 15.0, 30.0));
        println!("{rtt_ms} ms: at most {most} packets");
        assert!(most <= 7.0, "{rtt_ms} ms: {most}");
    }
}

/// mvfst's delta is 0.05: 1 / delta = 20 packets of each flow wait in equilibrium, ten times the paper's 2 (section
/// 2.1).
#[test]
fn the_dialect_of_mvfst_keeps_ten_times_the_queue() {
    let of = |preset| {
        let outcome = Dumbbell { flows: &[(preset, 0)], ..COPA }.run();
        (mean(queue(&outcome, 10.0, 30.0)), outcome.links[0].utilisation)
    };
    let ((paper, _), (mvfst, utilisation)) = (of("copa"), of("copa-mvfst"));
    println!("{paper:.2} packets, of mvfst {mvfst:.2}; {utilisation:.3} of the link");
    assert!((15.0..=40.0).contains(&mvfst), "{mvfst}");
    assert!(mvfst > 5.0 * paper, "{mvfst}, {paper}");
    assert!(utilisation > 0.95, "{utilisation}");
}
