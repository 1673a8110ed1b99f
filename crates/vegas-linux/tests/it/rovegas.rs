//! RoVegas with real sockets: the option travels from the sender through stamping routers to the receiver and back.
//! Where a part of that is missing, the algorithm is Vegas. Takes half a minute; makes namespaces of its own.

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

/// Returns a run in which the router was late for one of a hundred packets at most: the sender takes what is later for
/// a queue. On a machine that is too busy for that it says so; in CI it fails.
fn carry_out_in_time(sets: &[(&str, &str)]) -> Option<Run> {
    const TIMES: usize = 20;
    let mut runs = (0..TIMES).map(|_| carry_out(sets, Receivers::Echo));
    let found = runs.find(|run| run.lateness.p99 <= run.lateness.bound);
    if found.is_none() {
        let late = format!("the router was late in each of {TIMES} runs: this machine is too busy for real time");
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{late}");
        eprintln!("SKIPPED: {late}");
    }
    found
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

/// The RTT minus the routers' times is that of the empty path: 40 ms, and the transmission of 1508 bytes at 10 Mb/s
/// (1.2 ms) and 48 at 1 Mb/s (0.4 ms). The host adds some of its own.
#[test]
fn rovegas_sees_the_empty_path_and_outdoes_vegas_on_a_narrow_return() {
    if !support::kernel_is_ready() {
        return;
    }
    let part = ("duration", "6s");
    let Some(run) = carry_out_in_time(&[part]) else { return };
    let (acks, told) = (acknowledgements(&run).len(), with_times(&run));
    // a reader that wakes late finds the times of sixteen acknowledgements, and may have missed some
    assert!(told.len() * 20 > acks * 19, "{} of {acks} acknowledgements have times", told.len());
    assert!(told.iter().any(|ack| ack.event.forward_ns > 1_000_000));
    let sampled = told.iter().map(|ack| &ack.event).filter(|event| event.rtt_ns > 0);
    let mut bases: Vec<u64> = sampled.map(|event| event.rtt_ns - event.forward_ns - event.backward_ns).collect();
    bases.sort_unstable();
    let median_ms = bases[bases.len() / 2] as f64 / 1e6;
    println!("median of RTT less the routers' times: {median_ms:.2} ms");
    assert!((41.5..42.5).contains(&median_ms), "{median_ms} ms");

    let Some(vegas) = carry_out_in_time(&[part, ("flow.0.algorithm", "vegas")]) else { return };
    let ratio = goodput_mbps(&run) / goodput_mbps(&vegas);
    println!("{ratio:.2} times Vegas");
    assert!(ratio >= 1.4, "{ratio:.2} times Vegas");
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
