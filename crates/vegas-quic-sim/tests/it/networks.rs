//! Transfers over random networks with faults complete, with every byte right (the receiver checks each).
//!
//! `PROPTEST_CASES=5000 cargo test --release -p vegas-quic-sim --test it networks` tries more networks.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use vegas_quic::VegasQuic;
use vegas_sim::outcome::IncidentKind;

use crate::support::run;

/// Losses of up to one packet in eight, independent or in bursts.
fn loss() -> impl Strategy<Value = String> {
    let bursts =
        "{ model = \"gilbert-elliott\", good_to_bad = 0.01, bad_to_good = 0.2, loss_good = 0.01, loss_bad = 0.9 }";
    prop_oneof![
        Just("0".to_owned()),
        (1..=12u32).prop_map(|percent| format!("\"{percent}%\"")),
        Just(bursts.to_owned())
    ]
}

/// Packets that are held back, in percent and ms, some for longer than QUIC keeps their keys. (If half of the
/// acknowledgements were a minute late, a probe timeout would take minutes, and a transfer days.)
fn reorder() -> impl Strategy<Value = String> {
    let held = select(&[(50, 1), (10, 30), (50, 600), (10, 5000), (1, 60_000)][..]);
    prop_oneof![
        Just(String::new()),
        held.prop_map(|(percent, ms)| format!(", reorder = {{ probability = \"{percent}%\", delay = \"{ms}ms\" }}")),
    ]
}

/// The impairments in one direction of a link.
fn faults() -> impl Strategy<Value = String> {
    (loss(), reorder(), select(&["0", "0.05", "0.5"][..]), select(&["0s", "20ms", "2s"][..])).prop_map(
        |(loss, reorder, duplicate, jitter)| {
            format!("loss = {loss}, duplicate = {duplicate}, jitter = \"{jitter}\"{reorder}")
        },
    )
}

fn bottleneck() -> impl Strategy<Value = String> {
    let queue = select(
        &["\"1p\"", "\"3p\"", "\"50p\"", "\"unlimited\"", "{ kind = \"codel\", limit = \"100p\", ecn = true }"][..],
    );
    (select(&["200kbit", "3mbit", "100mbit"][..]), select(&["1us", "5ms", "300ms"][..]), queue, faults(), faults())
        .prop_map(|(rate, delay, queue, forward, backward)| {
            format!(
                "{{ rate = \"{rate}\", delay = \"{delay}\", queue = {queue}, {forward}, backward = {{ {backward} }} }}"
            )
        })
}

fn changes() -> impl Strategy<Value = String> {
    let change = (0..20_000u32, select(&["r1->r2", "r2->r1"][..]), select(&["50kbit", "3mbit", "1gbit"][..]));
    prop::collection::vec(change, 0..4).prop_map(|changes| {
        let one = |(ms, link, rate)| format!("{{ at = \"{ms}ms\", link = \"{link}\", rate = \"{rate}\" }}");
        format!("change = [{}]", changes.into_iter().map(one).collect::<Vec<_>>().join(", "))
    })
}

const BYTES_MAX: u64 = 300_000;

fn flow() -> impl Strategy<Value = (String, u64)> {
    let presets: Vec<&str> = VegasQuic::presets().collect();
    let more = select(&["", ", ecn = true", ", delayed_ack = \"25ms\""][..]);
    let sizes = prop_oneof![1..2000u64, 1..BYTES_MAX];
    (select(presets), sizes, select(&[2, 10, 1000][..]), more, 0..3000u32).prop_map(|(preset, bytes, window, more, start_ms)| {
        let numbers = format!("initial_window = {window}, ssthresh = 1000");
        let flow = format!(
            "{{ algorithm = \"{preset}\", transport = \"quic\", size = \"{bytes}b\", start = \"{start_ms}ms\", {numbers}{more} }}"
        );
        (flow, bytes)
    })
}

/// Most packets arrive, so nothing stalls for good. Days are enough even if each acknowledgement that is held back for
/// a minute causes probe timeouts of minutes.
///
/// No data arrive at all if quinn's client blocks itself. The packet with its Finished is declared lost while its
/// window is full of data, which the server cannot read without it, and its probes hold data only (RFC 9002, section
/// 6.2.1, allows none before the handshake is confirmed). That is quinn's behaviour, and rare.
#[test]
fn every_transfer_is_whole() {
    let cases = std::env::var("PROPTEST_CASES").map_or(100, |cases| cases.parse().expect("PROPTEST_CASES: a number"));
    let config = Config { cases, max_shrink_iters: 100, failure_persistence: None, ..Config::default() };
    let networks = (bottleneck(), changes(), prop::collection::vec(flow(), 1..4), 0..1000u32);
    let (flows_tried, blocked) = (Cell::new(0), Cell::new(0));
    let tried = TestRunner::new(config).run(&networks, |(bottleneck, changes, flows, seed)| {
        let (flows, sizes): (Vec<String>, Vec<u64>) = flows.into_iter().unzip();
        let text = format!(
            "name = \"network\"\nduration = \"100h\"\nsample = \"off\"\nuntil_complete = true\nseed = {seed}\n{changes}\n\
             flow = [{}]\ntopology.kind = \"dumbbell\"\ntopology.access = {{ rate = \"1gbit\", delay = \"1ms\" }}\n\
             topology.bottleneck = {bottleneck}\n",
            flows.join(", ")
        );
        let outcome = run(&text);
        for (flow, size) in outcome.flows.iter().zip(sizes) {
            flows_tried.set(flows_tried.get() + 1);
            if flow.delivered_bytes == 0 {
                blocked.set(blocked.get() + 1);
                continue;
            }
            prop_assert_eq!(flow.delivered_bytes, size, "{}", text);
            prop_assert!(flow.completion_s.is_some(), "{}", text);
        }
        let lost = outcome.incidents.iter().filter(|incident| incident.kind == IncidentKind::ConnectionLost).count();
        prop_assert_eq!(lost, 0, "{}", text);
        Ok(())
    });
    let (flows_tried, blocked) = (flows_tried.get(), blocked.get());
    println!("{blocked} of {flows_tried} transfers blocked");
    tried.unwrap_or_else(|error| panic!("{error}"));
    assert!(blocked * 20 <= flows_tried, "{blocked} of {flows_tried} transfers blocked");
}
