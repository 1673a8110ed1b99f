//! The rules for any text: it is a script, or is refused in one line that names a line of the text; and no script harms
//! the host on which it runs.

use vegas_packetdrill::simulated::{HostKind, SimulatedHost};
use vegas_packetdrill::{Script, Verdict, run};

/// The longest text that is run: the others are only read.
const RUN_BYTES_MAX: usize = 4_000;

pub(crate) fn check(text: &str) {
    let script = match Script::read(text) {
        Ok(script) => script,
        Err(error) => {
            let lines = text.lines().count().max(1) as u32;
            assert!((1..=lines).contains(&error.line), "{error}: of {lines} lines");
            assert!(!error.to_string().contains('\n'), "{error}");
            return;
        }
    };
    if text.len() > RUN_BYTES_MAX {
        return;
    }
    for kind in [HostKind::Linux, HostKind::Bsd] {
        let outcome = run(&script, &mut SimulatedHost::new(kind), &|_| None);
        if let Verdict::Fail(failure) = outcome.verdict {
            assert!(script.events.iter().any(|event| event.line == failure.line), "{failure}");
        }
    }
}
