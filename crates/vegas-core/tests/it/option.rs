//! RoVegas's option: by hand, and the rules on any packet.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use vegas_core::aqt::{Aqt, Head, Malformed, Stamps, stamp};
use vegas_core::units::Span;

use crate::support::packets::{check, checksum_error, options, segment};

fn stamps(aqt_us: u32, echo_us: u32) -> Stamps {
    Stamps { aqt: Aqt::from_micros(aqt_us), echo: Aqt::from_micros(echo_us) }
}

/// By hand: 1.5 + 2.9 us are 1 + 2 whole ones; 24 bits hold 16.777215 s, and no more.
#[test]
fn queueing_times_add_up_and_saturate() {
    let nanos = Span::from_nanos;
    assert_eq!(Aqt::ZERO.plus(nanos(1_500)).plus(nanos(2_900)).micros(), 3);
    assert_eq!(Aqt::ZERO.plus(Span::from_secs(10)).plus(Span::from_secs(10)), Aqt::MAX);
    assert_eq!(Aqt::ZERO.plus(Span::MAX).plus(Span::MAX).micros(), 16_777_215);
    assert_eq!(Span::from(Aqt::from_micros(70_000)), Span::from_millis(70));
}

/// By hand: 0x010203 us = 66.051 ms, 0x040506 = 263.430 ms; 1 ms more is 0x0105eb.
#[test]
fn the_option_on_the_wire() {
    let option = [0x9e, 8, 1, 2, 3, 4, 5, 6];
    let mut packet = segment(&option);
    let read = stamps(66_051, 263_430);
    assert_eq!((Head::of(&packet).stamps(), read.to_bytes()), (Ok(Some(read)), option));
    assert!(stamp(&mut packet, Span::from_millis(1)));
    assert_eq!(packet[20..28], [0x9e, 8, 1, 5, 0xeb, 4, 5, 6]);
    assert_eq!(checksum_error(&packet), 0);
}

/// A header of 20 bytes becomes one of 28; its length and checksum with it, worked out again here.
#[test]
fn the_option_is_put_in() {
    let packet = segment(&[]);
    let longer = Head::of(&packet).with_option(stamps(0, 5)).expect("a plain header");
    assert_eq!(longer[..4], [0x47, 0, 0, 108]);
    assert_eq!(longer[20..], [0x9e, 8, 0, 0, 0, 0, 0, 5]);
    assert_eq!(checksum_error(&longer), 0);
    assert_eq!(Head::of(&segment(&[1, 1, 1, 0])).with_option(stamps(0, 5)), None, "it has options already");
    let mut long = vec![0; 65_530];
    long[..20].copy_from_slice(&packet[..20]);
    long[2..4].copy_from_slice(&65_530u16.to_be_bytes());
    assert_eq!(Head::of(&long).with_option(stamps(0, 5)), None, "no IPv4 packet is longer than 65535 bytes");
}

#[test]
fn options_that_are_not_as_they_should_be() {
    let read = |options: &[u8]| Head::of(&segment(options)).stamps();
    let good = stamps(1, 2).to_bytes();
    assert_eq!(read(&[&[1][..], &good, &[0, 0, 0]].concat()), Ok(Some(stamps(1, 2))), "not aligned");
    assert_eq!(read(&[&[0x94, 4, 0, 0][..], &good].concat()), Ok(Some(stamps(1, 2))), "after another's");
    assert_eq!(read(&[good, stamps(9, 9).to_bytes()].concat()), Ok(Some(stamps(1, 2))), "the first counts");
    assert_eq!(read(&[&[0, 0, 0, 0][..], &good].concat()), Ok(None), "behind the end of the list");
    assert_eq!(read(&[0x9e, 4, 1, 2]), Err(Malformed), "too short");
    assert_eq!(read(&[0x9e, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), Err(Malformed), "too long");
    assert_eq!(read(&good[..4]), Err(Malformed), "beyond the header");
    assert_eq!(read(&[1, 1, 1, 0x9e]), Err(Malformed), "no length");
    assert_eq!(read(&[&[0x94, 1, 0, 0][..], &good].concat()), Err(Malformed), "a length that leads nowhere");
    assert_eq!(read(&[&[0x94, 0, 0, 0][..], &good].concat()), Err(Malformed));
}

#[test]
fn what_is_not_all_there_is_left_alone() {
    let packet = segment(&stamps(1, 2).to_bytes());
    for length in 0..packet.len() {
        assert_eq!(Head::of(&packet[..length]).stamps(), Ok(None), "{length} bytes");
        assert_eq!(Head::of(&packet[..length]).segment(), None, "{length} bytes");
    }
    let with = |at: usize, byte: u8| {
        let mut other = packet.clone();
        other[at] = byte;
        Head::of(&other)
    };
    assert_eq!(with(0, 0x67).stamps(), Ok(None), "not version 4");
    assert_eq!(with(0, 0x44).stamps(), Ok(None), "a header of 16 bytes");
    assert_eq!(with(3, 20).stamps(), Ok(None), "shorter than its header");
    assert_eq!(with(9, 17).segment(), None, "UDP");
    assert_eq!(with(7, 1).segment(), None, "a later fragment");
    assert_eq!(with(6, 0x20).segment(), None, "a first fragment");
    assert_eq!(with(40, 0x40).segment(), None, "a TCP header of 16 bytes");
}

#[test]
fn segments() {
    let segment_of = |packet: &[u8]| Head::of(packet).segment().expect("a segment");
    let data = segment_of(&segment(&stamps(1, 2).to_bytes()));
    assert_eq!((data.addresses, data.ports), ([[10, 0, 0, 1], [10, 1, 0, 2]], [40_000, 5_001]));
    assert_eq!((data.acknowledgement, data.headers, data.payload), (Some(2), 48, 52));
    let mut ack = segment(&[]);
    ack.truncate(40);
    ack[3] = 40;
    assert_eq!(segment_of(&ack).payload, 0);
    ack[33] = 2;
    assert_eq!(segment_of(&ack).acknowledgement, None);
}

proptest! {
    #![proptest_config(Config {
        cases: 20_000, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default()
    })]

    #[test]
    fn any_bytes(packet in prop::collection::vec(any::<u8>(), 0..120), waited in any::<u64>()) {
        check(&packet, Span::from_nanos(waited));
    }

    #[test]
    fn nearly_right(choices in prop::collection::vec(any::<u8>(), 0..12), at in 0..100usize, byte: u8, waited in 0..1u64 << 36) {
        let mut packet = segment(&options(&choices));
        check(&packet, Span::from_nanos(waited));
        packet[at] = byte;
        check(&packet, Span::from_nanos(waited));
        check(&packet[..at], Span::from_nanos(waited));
    }
}
