//! Time stamps: a script's clock begins where the script says, a host's elsewhere.

use std::collections::BTreeMap;

use crate::script::Script;
use crate::segment::{Segment, TcpOption};

/// The clock of the script beside that of the host.
#[derive(Debug)]
pub(super) struct Stamps {
    /// How long a tick of the clock lasts, us; 0 if values are not compared.
    tick: u32,
    /// The first value that the script expects, and the host's.
    first: Option<(u32, u32)>,
    /// The host's value for each that the script has expected.
    values: BTreeMap<u32, u32>,
}

impl Stamps {
    pub(super) fn of(script: &Script) -> Self {
        let tick = script.option("tcp_ts_tick_usecs").and_then(|value| value.parse().ok()).unwrap_or(0);
        Stamps { tick, first: None, values: BTreeMap::new() }
    }

    pub(super) fn tick(&self) -> u32 {
        self.tick
    }

    /// Returns a segment of the script as the host receives it: it echoes what the host has sent.
    pub(super) fn of_script(&self, segment: &Segment) -> Segment {
        replaced(segment, |value, echo| (value, self.values.get(&echo).copied().unwrap_or(echo)))
    }

    /// Returns a segment that the host has sent as the script writes it.
    pub(super) fn of_host(&mut self, actual: &Segment, expected: &Segment) -> Segment {
        let value_of = |segment: &Segment| {
            segment.meaningful_options().find_map(|option| match option {
                TcpOption::TimeStamps { value, .. } => Some(*value),
                _ => None,
            })
        };
        let (Some(expected), Some(value)) = (value_of(expected), value_of(actual)) else { return actual.clone() };
        self.values.insert(expected, value);
        let (first_expected, first) = *self.first.get_or_insert((expected, value));
        replaced(actual, |value, echo| (value.wrapping_sub(first).wrapping_add(first_expected), echo))
    }
}

fn replaced(segment: &Segment, stamps: impl Fn(u32, u32) -> (u32, u32)) -> Segment {
    let option = |option: &TcpOption| match option {
        TcpOption::TimeStamps { value, echo } => {
            let (value, echo) = stamps(*value, *echo);
            TcpOption::TimeStamps { value, echo }
        }
        other => other.clone(),
    };
    let options = segment.options.as_ref().map(|options| options.iter().map(option).collect());
    Segment { options, ..segment.clone() }
}
