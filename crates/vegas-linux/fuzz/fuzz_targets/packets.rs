//! Sends arbitrary packets into the namespaces of a run. The router refuses them, or the network carries them; a mark
//! changes the ECN field and the checksum alone.
//!
//! Run it from `crates/vegas-linux` with `cargo +nightly fuzz run packets`.
//!
//! The input is a sequence of packets: a byte for the length, a byte that selects which headers are corrected, and the
//! packet's bytes.

#![no_main]

#[path = "../../src/network/addresses.rs"]
#[allow(dead_code, reason = "compiled in as it is: the crate keeps it to itself, and not all of it is fuzzed")]
mod addresses;
#[path = "../../src/network/packets.rs"]
#[allow(dead_code, reason = "compiled in as it is: the crate keeps it to itself, and not all of it is fuzzed")]
mod packets;
#[path = "../../../vegas-core/tests/support/packets.rs"]
#[allow(dead_code, reason = "shared with the core's own tests, which use all of it")]
mod rules;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use packets::{parse, set_ecn_field};
use rules::checksum_error;
use vegas_core::units::{Span, Time};
use vegas_sim::Carrier;
use vegas_sim::scenario::{EcnField, Scenario};

const TWO_FLOWS: &str = r#"
    name = "packets"
    duration = "1s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck.rate = "1mbit"
    topology.bottleneck.delay = "1ms"
    topology.bottleneck.duplicate = 0.1
    topology.bottleneck.queue = { kind = "codel", limit = "50p", target = "1ms", interval = "5ms", ecn = true }
    flow = [{ algorithm = "vegas", ecn = true }, { algorithm = "vegas" }]
"#;

fn scenario() -> &'static Scenario {
    static SCENARIO: OnceLock<Scenario> = OnceLock::new();
    SCENARIO.get_or_init(|| Scenario::from_toml(TWO_FLOWS, "packets.toml", &[]).expect("a scenario"))
}

fuzz_target!(|bytes: &[u8]| {
    let mut carrier = Carrier::new(scenario());
    let mut left = bytes;
    let mut now = Time::ZERO;
    let mut offered = 0;
    for number in 0.. {
        let [length, right, rest @ ..] = left else { break };
        let (packet, after) = rest.split_at(usize::from(*length).min(rest.len()));
        left = after;
        let packet = put_right(packet, *right);
        now = now + Span::from_micros(u64::from(*right));
        let Some(carried) = parse(&packet, number) else { continue };
        assert_eq!(usize::from(carried.wire.get()), packet.len());
        check_mark(&packet);
        if (carried.flow as usize) < scenario().flows.len() {
            carrier.offer(now, carried);
            offered += 1;
        }
    }
    carrier.advance_to(Time::ZERO + scenario().duration);
    let delivered = carrier.take_delivered();
    assert!(delivered.len() <= 2 * offered && delivered.iter().all(|delivery| delivery.flow < 2));
    carrier.finish(Time::ZERO + scenario().duration);
});

/// Corrects the addresses and lengths that `what` selects: random bytes would seldom hit valid ones.
fn put_right(packet: &[u8], what: u8) -> Vec<u8> {
    let mut packet = packet.to_vec();
    if packet.len() >= 20 && what & 1 != 0 {
        let flow = 1 + (what >> 6);
        let [mut ends, back] = [[10, 81, 0, flow, 10, 82, 0, flow], [10, 82, 0, flow, 10, 81, 0, flow]];
        if what & 2 != 0 {
            ends = back;
        }
        packet[12..20].copy_from_slice(&ends);
    }
    if packet.len() >= 20 && what & 4 != 0 {
        packet[0] = 0x45;
        let length = packet.len() as u16;
        packet[2..4].copy_from_slice(&length.to_be_bytes());
    }
    packet
}

fn check_mark(packet: &[u8]) {
    let mut marked = packet.to_vec();
    set_ecn_field(&mut marked, EcnField::Ce);
    assert_eq!(marked[1], packet[1] | 0b11);
    assert!((0..packet.len()).all(|at| [1, 10, 11].contains(&at) || marked[at] == packet[at]));
    assert_eq!(checksum_error(&marked), checksum_error(packet), "a checksum is right if it was before");
}
