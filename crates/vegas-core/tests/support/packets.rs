//! The rules that readers and writers of RoVegas's option keep on every packet, and packets that are nearly right.

use vegas_core::aqt::{Aqt, Head, OPTION_BYTES, PLAIN_HEADER_BYTES, Segment, Stamps, stamp};
use vegas_core::units::Span;

/// Where a header has its checksum.
const CHECKSUM: std::ops::Range<usize> = 10..12;

/// Panics where a rule is broken.
pub fn check(packet: &[u8], waited: Span) {
    let head = Head::of(packet);
    let segment = head.segment();
    if segment.is_some() {
        assert!(packet.len() >= 40, "a segment of {} bytes", packet.len());
    }
    check_stamp(packet, waited);
    check_insertion(packet, &head);
}

/// A router changes nothing but the AQT and the checksum, and those rightly.
fn check_stamp(packet: &[u8], waited: Span) {
    let before = Head::of(packet).stamps();
    let mut stamped = packet.to_vec();
    let did = stamp(&mut stamped, waited);
    assert_eq!(did, matches!(before, Ok(Some(_))));
    let Ok(Some(before)) = before else {
        assert_eq!(stamped, packet);
        return;
    };
    let after = Head::of(&stamped).stamps().expect("as before").expect("still there");
    assert_eq!(after, Stamps { aqt: before.aqt.plus(waited), ..before });
    let changed: Vec<_> =
        (0..packet.len()).filter(|at| packet[*at] != stamped[*at] && !CHECKSUM.contains(at)).collect();
    assert!(changed.len() <= 3 && changed.iter().all(|at| (PLAIN_HEADER_BYTES..60).contains(at)), "{changed:?}");
    assert_eq!(checksum_error(&stamped), checksum_error(packet), "a checksum is right if it was before");
}

/// The option goes behind a header without options, and is then found there.
fn check_insertion(packet: &[u8], head: &Head) {
    let stamps = Stamps { aqt: Aqt::ZERO, echo: Aqt::from_micros(packet.len() as u32) };
    let Some(longer) = head.with_option(stamps) else { return };
    assert_eq!((packet[0], &longer[4..10]), (0x45, &packet[4..10]));
    let with_option = [&longer[..], &packet[PLAIN_HEADER_BYTES..]].concat();
    let inserted = Head::of(&with_option);
    assert_eq!(inserted.stamps(), Ok(Some(stamps)));
    let longer = |segment: Segment| Segment { headers: segment.headers + OPTION_BYTES, ..segment };
    assert_eq!(inserted.segment(), head.segment().map(longer));
    assert_eq!(inserted.with_option(stamps), None, "one is enough");
    assert_eq!(checksum_error(&with_option), checksum_error(packet));
}

/// The one's complement sum of the header (RFC 1071), 0 if the checksum is right.
pub fn checksum_error(packet: &[u8]) -> u32 {
    let header = usize::from(packet[0] & 0xf) * 4;
    let words = packet[..header].chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
    words.sum::<u32>() % 0xffff
}

/// A segment of 100 bytes with these options in its header, which must end on a word; the checksum is right.
pub fn segment(options: &[u8]) -> Vec<u8> {
    let mut packet = vec![0; 100];
    let header = PLAIN_HEADER_BYTES + options.len();
    packet[..10].copy_from_slice(&[0x40 | (header / 4) as u8, 0, 0, 100, 0, 7, 0x40, 0, 64, 6]);
    packet[12..20].copy_from_slice(&[10, 0, 0, 1, 10, 1, 0, 2]);
    packet[PLAIN_HEADER_BYTES..header].copy_from_slice(options);
    packet[header..header + 14].copy_from_slice(&[0x9c, 0x40, 0x13, 0x89, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10]);
    let sum = checksum_error(&packet);
    packet[CHECKSUM].copy_from_slice(&(0xffff - sum as u16).to_be_bytes());
    packet
}

/// Options that are nearly right: the choices pick kinds and lengths that matter, and what is left is as it comes.
pub fn options(choices: &[u8]) -> Vec<u8> {
    let mut options: Vec<u8> = choices.iter().flat_map(|choice| option(*choice)).take(40).collect();
    options.resize(options.len().next_multiple_of(4), 0);
    options
}

fn option(choice: u8) -> Vec<u8> {
    let stamps = Stamps { aqt: Aqt::from_micros(u32::from(choice) << 17), echo: Aqt::from_micros(choice.into()) };
    match choice % 8 {
        0 => vec![0],
        1 | 2 => vec![1],
        3 => vec![0x9e, choice / 8],
        4 => [&[0x94, 4, 0][..], &[choice]].concat(),
        5 => vec![choice, choice / 16],
        _ => stamps.to_bytes().to_vec(),
    }
}
