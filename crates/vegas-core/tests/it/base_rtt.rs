//! Where a base RTT is not the least sample: two choices that their sources make (docs/deviations.md).

use vegas_core::units::{Segments, SendIndex, Span, Time};
use vegas_core::{Ack, Algorithm, Composed, CongestionControl, RouterFeedback, registry};

/// One segment in flight, acknowledged.
fn ack(newest: u64, at_ms: u64, rtt_ms: Option<u64>) -> Ack {
    Ack {
        now: Time::ZERO + Span::from_millis(at_ms),
        rtt: rtt_ms.map(Span::from_millis),
        acked: Segments(1),
        in_flight: Segments(1),
        newest: SendIndex(newest),
        next: SendIndex(newest + 1),
        window_limited: true,
        ..Ack::default()
    }
}

/// The base RTT after these, ms.
fn base_ms(preset: &str, acks: &[Ack]) -> u64 {
    let preset = registry::preset(preset).expect("a preset");
    let algorithm = Algorithm::new(preset.composition, preset.parameters).expect("parts that go together");
    let mut control = Composed::new(algorithm);
    for ack in acks {
        control.on_ack(ack);
    }
    control.status().base_rtt.expect("a base RTT").as_nanos() / 1_000_000
}

/// A segment is acknowledged after 10 ms, and its sample counts in the round that it begins. The next two are
/// retransmitted, so that the round of the last one, from 1010 ms on, has no sample and lasts 3 s.
#[test]
fn a_round_of_one_segment_sets_it_where_the_source_does() {
    let acks = [ack(0, 10, Some(10)), ack(1, 1_010, None), ack(2, 4_010, None)];
    assert_eq!(base_ms("vegas", &acks), 10);
    assert_eq!(base_ms("vegas-1994", &acks), 3_000);
    assert_eq!(base_ms("vegas-ns2", &acks), 3_000);
    let next = [acks[0], acks[1], acks[2], ack(3, 4_021, Some(11))];
    assert_eq!(base_ms("vegas-ns2", &next), 11, "a sample that is less lowers it");
}

/// 30 ms of 40 were spent in queues. Then the receiver delays an acknowledgement, which no router stamps.
#[test]
fn rovegas_has_the_newest_probes() {
    let waited = RouterFeedback { forward: Span::from_millis(30), backward: Span::ZERO };
    let probe = |ack| Ack { feedback: Some(waited), ..ack };
    let acks = [probe(ack(0, 40, Some(40))), probe(ack(1, 300, Some(242)))];
    assert_eq!(base_ms("rovegas", &acks[..1]), 10);
    assert_eq!(base_ms("rovegas", &acks), 212);
    assert_eq!(base_ms("rovegas", &[acks[0], acks[1], probe(ack(2, 340, Some(40)))]), 10);
}
