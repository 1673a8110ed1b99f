//! RoVegas with real sockets: the option travels from the sender through stamping routers to the receiver and back.
//! Where a part of that is missing, the algorithm is Vegas: what it does with the whole is tested in virtual time
//! (`python/tests/measuring/guest/test_decisions.py`). Makes namespaces of its own.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use vegas_linux::abi::{EVENT_ACK, FLAG_FEEDBACK};
use vegas_linux::kernel::records::Record;
use vegas_linux::run::{Manner, Receivers, Run, run_in};
use vegas_sim::scenario::Scenario;

use crate::support;

/// A scenario with 10 Mb/s forward, 1 Mb/s backward with bursts against the acknowledgements, and a round trip of 40
/// ms.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/rovegas-narrow-return.toml");
/// Only the routers of the return path stamp.
const BACKWARD_ONLY: [(&str, &str); 2] =
    [("topology.bottleneck.aqt", "false"), ("topology.bottleneck.backward.aqt", "true")];

fn scenario(sets: &[(&str, &str)]) -> Scenario {
    let sets: Vec<_> = sets.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let text = std::fs::read_to_string(Path::new(FILE)).expect("the scenario");
    Scenario::from_toml(&text, FILE, &sets).expect("a scenario")
}

fn carry_out(sets: &[(&str, &str)], receivers: Receivers) -> Run {
    let manner = Manner { receivers, ..Manner::default() };
    let run = run_in(&scenario(sets), manner, &AtomicBool::new(false)).expect("the run succeeds");
    println!("{sets:?}, {receivers:?}: {:.2} Mb/s, {}", goodput_mbps(&run), run.to_json());
    run
}

fn goodput_mbps(run: &Run) -> f64 {
    run.outcome.flows[0].goodput_mbps
}

fn acknowledgements(run: &Run) -> Vec<&Record> {
    run.records_of(0).filter(|record| record.event.kind == EVENT_ACK).collect()
}

fn with_times(run: &Run) -> Vec<&Record> {
    acknowledgements(run).into_iter().filter(|record| record.event.flags & FLAG_FEEDBACK != 0).collect()
}

/// The receiver ignores the option, or no router stamps: all times are 0, and the base RTT is the least RTT.
#[test]
fn a_receiver_without_the_option_leaves_vegas() {
    if !support::kernel_is_ready() {
        return;
    }
    let short = ("duration", "2s");
    let ignored = carry_out(&[short], Receivers::Ignore);
    assert_eq!(with_times(&ignored).len(), 0);
    let unstamped = carry_out(&[short, ("topology.bottleneck.aqt", "false")], Receivers::Echo);
    let told = with_times(&unstamped);
    assert!(told.len() > 100 && told.iter().all(|ack| ack.event.forward_ns + ack.event.backward_ns == 0));
    for run in [ignored, unstamped] {
        let records = acknowledgements(&run);
        let least = records.iter().map(|ack| ack.event.rtt_ns).filter(|rtt| *rtt > 0).min();
        assert_eq!(records.last().map(|ack| ack.decision.base_rtt_ns), least);
        assert!(goodput_mbps(&run) > 0.1, "it carries on");
    }
}

#[test]
fn some_of_the_routers_are_enough() {
    if !support::kernel_is_ready() {
        return;
    }
    let run = carry_out(&[&BACKWARD_ONLY[..], &[("duration", "2s")]].concat(), Receivers::Echo);
    let told = with_times(&run);
    assert!(
        told.iter().all(|ack| ack.event.forward_ns == 0) && told.iter().any(|ack| ack.event.backward_ns > 1_000_000)
    );
}
