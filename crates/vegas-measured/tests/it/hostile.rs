//! Files of strangers: whatever was done to one, reading it ends with tables or with an error of one line.

use std::fs;
use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use vegas_measured::{MeasuredError, Options, read};

use crate::any_file;
use crate::captures;
use crate::logs::{CSV, IPERF3, LINK_LOG, QLOG, QLOG_SEQUENCE, SS, TCP_PROBE};
use crate::measure::input;

/// What is done to a file; places are parts of its length, in 65,536ths.
#[derive(Clone, Debug)]
enum Change {
    Set(u16, u8),
    Insert(u16, Vec<u8>),
    Remove(u16, u8),
    Again(u16, u8),
    Cut(u16),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        let place = |part: u16| usize::from(part) * length / (usize::from(u16::MAX) + 1);
        let stretch = |part: u16, count: u8| place(part)..(place(part) + usize::from(count)).min(length);
        match self {
            Change::Set(at, byte) => {
                if let Some(old) = bytes.get_mut(place(*at)) {
                    *old = *byte;
                }
            }
            Change::Insert(at, new) => drop(bytes.splice(place(*at)..place(*at), new.iter().copied())),
            Change::Remove(at, count) => drop(bytes.drain(stretch(*at, *count))),
            Change::Again(at, count) => {
                let copy = bytes[stretch(*at, *count)].to_vec();
                drop(bytes.splice(place(*at)..place(*at), copy));
            }
            Change::Cut(at) => bytes.truncate(place(*at)),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let telling = prop::sample::select(b"0123456789-.:,eE\"[]{}\n \t\xff\x00".to_vec());
    prop_oneof![
        4 => (any::<u16>(), prop_oneof![any::<u8>(), telling]).prop_map(|(at, byte)| Change::Set(at, byte)),
        2 => (any::<u16>(), prop::collection::vec(any::<u8>(), 1..8)).prop_map(|(at, new)| Change::Insert(at, new)),
        1 => (any::<u16>(), prop::sample::select(vec!["99999999999999999999", "-1e300", "\u{feff}", "0x"]))
            .prop_map(|(at, new)| Change::Insert(at, new.as_bytes().to_vec())),
        1 => (any::<u16>(), any::<u8>()).prop_map(|(at, count)| Change::Remove(at, count)),
        1 => (any::<u16>(), any::<u8>()).prop_map(|(at, count)| Change::Again(at, count)),
        1 => any::<u16>().prop_map(Change::Cut),
    ]
}

/// The number of files that [`files`] returns.
const FILES: usize = 9;

fn files() -> &'static [Vec<u8>; FILES] {
    static FILES_OF_ALL_KINDS: OnceLock<[Vec<u8>; FILES]> = OnceLock::new();
    FILES_OF_ALL_KINDS.get_or_init(|| {
        let [ss, iperf3, qlog, sequence, probe, link, csv] =
            [SS, IPERF3, QLOG, QLOG_SEQUENCE, TCP_PROBE, LINK_LOG, CSV].map(|text| text.as_bytes().to_vec());
        let mut capture = fs::read(input("tcpdump.pcap")).expect("a capture");
        capture.truncate(12_000);
        [ss, iperf3, qlog, sequence, probe, link, csv, capture, captures::small()]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(35),
        ..ProptestConfig::default()
    })]

    #[test]
    fn tables_or_one_line(
        file in 0..FILES,
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let mut bytes = files()[file].clone();
        changes.iter().for_each(|change| change.apply(&mut bytes));
        any_file::check(&bytes);
    }
}

/// The caller may stop the reading at any time.
#[test]
fn a_stop_ends_the_reading() {
    for name in ["tcpdump.pcap", "iperf3.json", "ss-tin.txt"] {
        let stopped = read(&input(name), None, Options::default(), &mut |_| true);
        assert_eq!(stopped.map(|report| report.taken_for), Err(MeasuredError::Stopped), "{name}");
    }
}
