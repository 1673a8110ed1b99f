//! Captures of simulated senders: the congestion control that sent is the one that is found.

use std::fs;

use vegas_measured::{Identified, PathOf, identify};

use crate::captures::at_sender;
use crate::measure::input;

const NAMES: [&str; 6] = ["reno-linux", "cubic-linux", "vegas-linux", "veno", "bic", "bbr1"];

fn identified(file: &std::path::Path) -> Identified {
    identify(file, PathOf::Largest, &NAMES.map(str::to_owned), &mut |_| false).unwrap_or_else(|error| panic!("{error}"))
}

fn of_run(overrides: &[(&str, &str)]) -> Identified {
    let parent = tempfile::tempdir().expect("a folder");
    let file = parent.path().join("capture.pcapng");
    fs::write(&file, at_sender(overrides)).expect("the file is written");
    identified(&file)
}

#[test]
fn simulated_senders() {
    for name in NAMES {
        let found = of_run(&[("flow.0.algorithm", name)]);
        assert_eq!(found.answer, [name], "{:?}", found.candidates);
        assert!(found.candidates[0].error < 0.05, "{:?}", found.candidates);
    }
}

/// What iperf3 sent over `tbf` by CUBIC, for a second with two losses: too little to tell it from Illinois, but its
/// windows are CUBIC's within 10 %.
#[test]
fn a_real_sender() {
    let found = identified(&input("tcpdump.pcap"));
    let error = |name: &str| found.candidates.iter().find(|one| one.name == name).map(|one| one.error);
    assert!(error("cubic-linux") < Some(0.1) && error("vegas-linux") > Some(0.2), "{:?}", found.candidates);
}

#[test]
fn what_does_not_show_a_sender() {
    let names = ["reno-linux".to_owned()];
    let of = |name: &str, names: &[String]| {
        identify(&input(name), PathOf::Largest, names, &mut |_| false).expect_err("it is refused").to_string()
    };
    assert!(of("ss-tin.txt", &names).ends_with("is no capture; give packets, as tcpdump -s 96 -w FILE writes them"));
    assert!(of("tcpdump.pcap", &["renno".to_owned()]).starts_with("\"renno\" is no preset"));
}
