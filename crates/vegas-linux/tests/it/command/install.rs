//! What can be registered, for how long, and what is refused.

use std::fs;

use super::{eventually, registered, stderr, vegas_linux};
use crate::support;

/// Names that only tests use, so that no user's installation is touched.
#[test]
fn what_is_installed_is_there_until_it_is_removed() {
    if !support::kernel_is_ready() || registered().contains(&"vegas_ns3".to_owned()) {
        return;
    }
    let installed = vegas_linux(&["install", "vegas-ns3", "--set", "alpha=1"]);
    assert!(installed.status.success(), "{}", stderr(&installed));
    assert!(registered().contains(&"vegas_ns3".to_owned()));
    let again = vegas_linux(&["install", "vegas-ns3"]);
    assert_eq!(stderr(&again), "vegas_ns3 is installed already; remove it first");
    assert_eq!(again.status.code(), Some(2));
    let status = vegas_linux(&["status"]);
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.lines().any(|line| line.starts_with("vegas_ns3") && line.contains("alpha 1 ")), "{status}");
    assert!(vegas_linux(&["remove", "vegas-ns3"]).status.success());
    // the kernel removes it with a delay
    assert!(eventually(|| !registered().contains(&"vegas_ns3".to_owned())));
    assert!(stderr(&vegas_linux(&["remove", "vegas-ns3"])).starts_with("vegas-ns3 is not installed"));
}

/// The algorithm from outside goes by its name, if the kernel has room for that: `make test-own`.
#[cfg(vegas_own)]
#[test]
fn an_own_algorithm_is_installed_by_its_name() {
    let own = vegas_linux::choice::outside::OUTSIDE.expect("the build has one");
    let kernel_name = vegas_linux::choice::Choice::of_preset(own.name, &[]).expect("it is carried").kernel_name;
    if !support::kernel_is_ready() || registered().contains(&kernel_name) {
        return;
    }
    let installed = vegas_linux(&["install", own.name]);
    if kernel_name.len() > 15 {
        let refusal = format!("{kernel_name}: longer than the kernel's 15 bytes; give the algorithm a shorter NAME");
        assert_eq!((stderr(&installed), installed.status.code()), (refusal, Some(2)));
        return;
    }
    assert!(installed.status.success(), "{}", stderr(&installed));
    assert!(registered().contains(&kernel_name));
    assert!(vegas_linux(&["remove", own.name]).status.success());
    assert!(eventually(|| !registered().contains(&kernel_name)));
}

#[test]
fn what_linux_cannot_carry_is_refused_by_name() {
    if !support::kernel_is_ready() {
        return;
    }
    let cases = [
        (vec!["vegas", "--set", "fine_retransmit=true"], "mechanism C"),
        (vec!["vegas", "--set", "recheck_after_retransmit=true"], "mechanism D"),
        (vec!["vegas", "--set", "burst=3"], "mechanism H"),
        (vec!["vegas", "--set", "mechanisms=ABEFGIJ"], "mechanism J"),
        (vec!["vegas", "--set", "mechanisms=ABCEFGI"], "mechanism C"),
        (vec!["cubic"], "cubic"),
        (vec!["ledbat"], "one-way delays"),
        (vec!["lp"], "one-way delays"),
        (vec!["vagas"], "did you mean \"vegas\""),
        (vec!["vegas", "--set", "alpha=9"], "must not exceed beta"),
    ];
    for (arguments, named) in cases {
        let output = vegas_linux(&[&["install"][..], &arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = stderr(&output);
        assert!(message.contains(named) && message.lines().count() == 1, "{arguments:?}: {message}");
    }
}

/// A start that was killed halfway leaves a folder without a registration.
#[test]
fn what_a_killed_start_left_behind_is_cleaned_by_the_next() {
    if !support::kernel_is_ready() {
        return;
    }
    // mounts the BPF file system if it is not mounted
    assert!(vegas_linux(&["install", "vegas-1994"]).status.success());
    assert!(vegas_linux(&["remove", "vegas-1994"]).status.success());
    let halves = ["vegas_1994", "vegas_none"].map(|name| format!("/sys/fs/bpf/vegaslab/{name}"));
    halves.iter().for_each(|half| fs::create_dir_all(half).expect("the BPF file system takes folders"));
    let status = vegas_linux(&["status"]);
    assert!(!String::from_utf8_lossy(&status.stdout).contains("vegas_none"));
    let installed = vegas_linux(&["install", "vegas-1994"]);
    assert!(installed.status.success(), "{}", stderr(&installed));
    assert!(!fs::exists(&halves[1]).expect("the BPF file system can be read"));
    assert!(vegas_linux(&["remove", "vegas-1994"]).status.success());
    assert!(eventually(|| !registered().contains(&"vegas_1994".to_owned())));
}
