//! What a segment that the host sends has to have of one that the script expects.

use crate::segment::{Flags, Segment, TcpOption};

/// Joins consecutive segments, as packetdrill does: the first one's sequence number and CWR, the last one's other
/// fields.
pub(super) fn joined(parts: &[Segment]) -> Segment {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Segment::empty() };
    let length = parts.iter().map(|part| part.length).sum();
    let flags = last.flags.without(Flags::CWR).and(Flags::CWR.when(first.flags.has(Flags::CWR)));
    Segment { sequence: first.sequence, length, flags, ..last.clone() }
}

/// Says in what the segments `parts`, joined into `actual`, differ from the expected one. PSH is not compared: a driven
/// end does not set it. Neither are padding and the order of options, which mean nothing.
pub(super) fn difference(expected: &Segment, actual: &Segment, parts: &[Segment], tick_micros: u32) -> Option<String> {
    let flags = |segment: &Segment| segment.flags.without(Flags::PSH);
    let follows = |pair: &[Segment]| pair[0].end() == pair[1].sequence && pair[0].ack == pair[1].ack;
    if !parts.windows(2).all(follows) {
        let parts: Vec<String> = parts.iter().map(Segment::to_string).collect();
        return Some(format!("the segments do not follow each other: {}", parts.join("; ")));
    }
    let differs = [
        ("flags", flags(expected) != flags(actual)),
        ("sequence number", expected.sequence != actual.sequence),
        ("length", expected.length != actual.length),
        ("acknowledgement", expected.ack != actual.ack),
        ("window", expected.window.is_some() && expected.window != actual.window),
        ("urgent pointer", expected.urgent != actual.urgent),
        ("ECN field", expected.ecn.is_some_and(|ecn| !actual.ecn.is_some_and(|actual| ecn.admits(actual)))),
        ("options", expected.options.is_some() && !are_alike(expected, actual, tick_micros)),
    ];
    let names: Vec<&str> = differs.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    (!names.is_empty()).then(|| format!("the segment differs: {}", names.join(", ")))
}

fn are_alike(expected: &Segment, actual: &Segment, tick_micros: u32) -> bool {
    let has = |segment: &Segment, option: &TcpOption| {
        segment.meaningful_options().any(|other| is_alike(option, other, tick_micros))
    };
    expected.meaningful_options().all(|option| has(actual, option))
        && actual.meaningful_options().all(|option| has(expected, option))
}

/// Compares two options. Of time stamps it is the clock, where the script says how fast it ticks; packetdrill does not
/// compare what they echo.
fn is_alike(one: &TcpOption, other: &TcpOption, tick_micros: u32) -> bool {
    const CLOCK_TOLERANCE_MICROS: u64 = 4_000;
    match (one, other) {
        (TcpOption::TimeStamps { value: one, .. }, TcpOption::TimeStamps { value: other, .. }) => {
            u64::from(one.abs_diff(*other)) * u64::from(tick_micros) <= CLOCK_TOLERANCE_MICROS
        }
        _ => one == other,
    }
}
