//! The rules of the conformance suite, applied to random events of honest and hostile hosts.

use vegas_core::Parameters;
use vegas_core::registry::preset;
use vegas_core::units::Segments;

use super::OwnAlgorithm;

// the files of the conformance suite itself: one decoder of events, one set of rules
#[allow(unreachable_pub, reason = "test files, which other crates read as modules")]
#[path = "../../../vegas-core/tests/support/control.rs"]
mod control;
#[allow(unreachable_pub, reason = "test files, which other crates read as modules")]
#[path = "../../../vegas-core/tests/support/events.rs"]
mod events;

use control::check;
use events::{Host, events_from_bytes};

const SEQUENCES: u64 = 100;
const SEQUENCE_BYTES: u64 = 4000;

/// Gives an algorithm random sequences of events. Panics with event and states where it breaks a rule: the window stays
/// between one segment and the maximum; no loss and no recovery raises it; a spurious loss is undone completely; equal
/// events give equal answers.
pub fn conforms<A: OwnAlgorithm>() {
    for parameters in parameter_sets() {
        for sequence in 0..SEQUENCES {
            let host = if sequence % 2 == 0 { Host::Honest } else { Host::Hostile };
            let events = events_from_bytes(&bytes(sequence), host);
            check((A::NAME, &A::NEEDS), |parameters| A::start(parameters, 1), &parameters, &events);
        }
    }
}

/// Reno's numbers, a large window limit with a small initial window, and a window that can hardly grow.
fn parameter_sets() -> [Parameters; 3] {
    let reno = preset("reno").expect("a preset").parameters;
    let windows = |initial, most| Parameters {
        initial_window: Segments(initial),
        restart_window: Segments(1),
        max_window: Segments(most),
        ..reno
    };
    [reno, windows(1, 1 << 20), windows(1, 2)]
}

/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014), figure 13.
fn bytes(sequence: u64) -> Vec<u8> {
    let mixed = |number: u64| {
        let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as u8
    };
    (1..=SEQUENCE_BYTES).map(|number| mixed(sequence * SEQUENCE_BYTES + number)).collect()
}
