//! Spurious recoveries from outside: the window after them.

use vegas_core::units::{Span, Time};

use super::super::look::{check, needs_packets};
use super::super::spurious::tells_of_spurious;
use super::{View, at, calm, seconds};
use crate::case::{Judged, Miss, Stage};
use crate::network::{Detour, Network, time};

/// Some packets take a path that is longer by a round trip.
pub(in crate::cases) fn fast_recovery(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 30.0, "a reordering of several packets")?;
    tells_of_spurious(stage)?;
    let from = calm(point)?;
    let until = from + Span::from_nanos(point.rtt.as_nanos() / 16);
    let detour = Some(Detour { delay: point.rtt, from, until });
    let view = View::of(stage, &Network { detour, duration: from + point.rounds(20), ..stage.network() })?;
    judge(&view, at(from), false)
}

/// The path becomes longer by more than the retransmission timeout.
pub(in crate::cases) fn timeout(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "a flight of several packets")?;
    tells_of_spurious(stage)?;
    let from = calm(point)?;
    let longer = Span::from_nanos(point.rtt.as_nanos() / 2) + Span::from_millis(800) + point.rounds(3);
    let changes = vec![(from, format!("delay = {}", time(longer)))];
    let duration = from + Span::from_secs(2) + point.rounds(30);
    let view = View::of(stage, &Network { changes, duration, ..stage.network() })?;
    judge(&view, at(from), true)
}

fn judge(view: &View, from: Time, by_timeout: bool) -> Judged {
    let kind = if by_timeout { "timeout" } else { "recovery" };
    let loss = view.losses.iter().find(|loss| loss.at >= from && loss.timeout == by_timeout);
    let loss = loss.ok_or_else(|| Miss::not_applicable(format!("from outside: no needless {kind}")))?;
    let undone =
        loss.undone.ok_or_else(|| Miss::failed(format!("the {kind} is not taken back"), "it is taken back"))?;
    let window = |at: Time| view.between(Time::ZERO, at).last().map_or(0.0, |moment| moment.window);
    let before = window(loss.at);
    let later = view.between(undone, undone + view.point.rounds(3));
    let after = later.iter().map(|moment| moment.window).fold(0.0, f64::max);
    let seen = || format!("a window of {before:.1} before the {kind}, {after:.1} after {}", seconds(undone));
    check(after >= 0.9 * before, seen, "0.9 of it at least")?;
    Ok(format!("from outside: {}", seen()))
}
