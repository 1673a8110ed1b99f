//! A run as bytes: what is read back is the run, and bytes that are none are refused.

use vegas_results::{pack, unpack};
use vegas_sim::outcome::Outcome;

use crate::sample;

#[test]
fn a_packed_run_is_read_back_as_it_was() {
    let packed = pack(&sample::outcome(), 0.25).expect("a run");
    assert_eq!(unpack(&packed), Some((sample::outcome(), 0.25)));
}

#[test]
fn captured_packets_are_not_packed() {
    let captured = Outcome { capture: vec![sample::data(0, 0)], ..sample::outcome() };
    assert_eq!(pack(&captured, 0.25), None);
}

#[test]
fn other_bytes_hold_no_run() {
    let packed = pack(&sample::outcome(), 0.25).expect("a run");
    for end in 0..packed.len() {
        assert_eq!(unpack(&packed[..end]), None, "cut after {end} bytes");
    }
    assert_eq!(unpack(b"no run"), None);
}
