//! Spurious recoveries.

use vegas_core::units::{Span, Time};

use super::look::{Look, Story, check, known, needs_packets, seconds};
use super::probe_up::{probe_up_at, until_probe_up, with_fresh_rtt};
use super::view::{View, at, calm};
use crate::case::{Case, Judged, Miss, Stage};
use crate::network::{Detour, Network, time};
use crate::observed::{LossAt, State};

pub(super) const FAST_RECOVERY: Case = Case {
    name: "spurious-fast-recovery",
    title: "Handling Spurious Fast Recovery",
    checks: "SaveStateUponLoss, HandleSpuriousLossDetection: after packets that only came late, bounds at least as before, and the \
             probe that they ended goes on",
    judge: fast_recovery,
    outside: Some(fast_recovery_outside),
};

/// In PROBE_UP some packets take a path that is longer by a round trip, and later packets overtake them. Their
/// retransmissions leave before they are acknowledged; otherwise no DSACK (RFC 2883) would tell the sender that the
/// retransmissions were spurious.
fn fast_recovery(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 30.0, "a reordering of several packets")?;
    tells_of_spurious(stage)?;
    let part = |of: u64| Span::from_nanos(point.rtt.as_nanos() / of);
    let placed = |from: Span| Detour { delay: point.rtt, from, until: from + part(16) };
    let none = Span::from_nanos(1);
    // the longer path exists from the beginning, so that both runs are equal until packets take it
    let base =
        Network { detour: Some(Detour { delay: point.rtt, from: none, until: none.times(2) }), ..stage.network() };
    let base = with_fresh_rtt(stage, base)?;
    let up_at = probe_up_at(stage, &base)?;
    let duration = until_probe_up(stage) + point.rounds(20);
    let story = Story::of(stage, &Network { detour: Some(placed(up_at + part(2))), duration, ..base })?;
    judge(&story, Time::ZERO + up_at, false)
}

/// Some packets take a path that is longer by a round trip.
fn fast_recovery_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 30.0, "a reordering of several packets")?;
    tells_of_spurious(stage)?;
    let from = calm(point)?;
    let until = from + Span::from_nanos(point.rtt.as_nanos() / 16);
    let detour = Some(Detour { delay: point.rtt, from, until });
    let view = View::of(stage, &Network { detour, duration: from + point.rounds(20), ..stage.network() })?;
    judge_outside(&view, at(from), false)
}

pub(super) const TIMEOUT: Case = Case {
    name: "spurious-rto",
    title: "Handling Spurious RTO Recovery",
    checks: "SaveStateUponLoss, HandleSpuriousLossDetection: after a timeout that only was too early, window and bounds at least as \
             before, and the probe goes on",
    judge: timeout,
    outside: Some(timeout_outside),
};

/// In PROBE_UP the path lengthens by more than the retransmission timeout.
fn timeout(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "a flight of several packets")?;
    tells_of_spurious(stage)?;
    let mut network = with_fresh_rtt(stage, stage.network())?;
    let up_at = probe_up_at(stage, &network)?;
    let half = Span::from_nanos(point.rtt.as_nanos() / 2);
    let longer = half + Span::from_millis(800) + point.rounds(3);
    network.changes.push((up_at + point.rounds(1), format!("delay = {}", time(longer))));
    network.duration = up_at + Span::from_secs(2) + point.rounds(30);
    let story = Story::of(stage, &network)?;
    judge(&story, Time::ZERO + up_at, true)
}

/// The path becomes longer by more than the retransmission timeout.
fn timeout_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "a flight of several packets")?;
    tells_of_spurious(stage)?;
    let from = calm(point)?;
    let longer = Span::from_nanos(point.rtt.as_nanos() / 2) + Span::from_millis(800) + point.rounds(3);
    let changes = vec![(from, format!("delay = {}", time(longer)))];
    let duration = from + Span::from_secs(2) + point.rounds(30);
    let view = View::of(stage, &Network { changes, duration, ..stage.network() })?;
    judge_outside(&view, at(from), true)
}

pub(super) fn tells_of_spurious(stage: &Stage<'_>) -> Result<(), Miss> {
    match stage.is_quic() {
        true => Err(Miss::not_applicable("quinn tells no controller of a loss that was none")),
        false => Ok(()),
    }
}

/// The values saved before the loss are restored once the loss is known to be spurious.
fn judge(story: &Story, up_at: Time, by_timeout: bool) -> Judged {
    let is_it = |loss: &&LossAt| loss.at >= up_at && loss.timeout == by_timeout;
    let kind = if by_timeout { "timeout" } else { "recovery" };
    let loss = story.losses.iter().find(is_it).ok_or_else(|| Miss::failed(format!("no {kind}"), "a needless one"))?;
    let undone =
        loss.undone.ok_or_else(|| Miss::failed(format!("the {kind} is not taken back"), "it is taken back"))?;
    let before = *story.between(Time::ZERO, loss.at).last().ok_or_else(|| Miss::failed("no moment", "a run"))?;
    check(before.inside.state == State::ProbeUp, || before.inside.state.name().into(), "PROBE_UP before it")?;
    let after = story.from(undone).iter().find(|look| look.at > undone || look.outside.undone);
    let after = *after.ok_or_else(|| Miss::failed("the run ends", "it goes on"))?;
    story.without_probe_rtt(loss.at, after.at)?;
    let at_least = |name: &str, value: fn(&Look) -> Option<i64>| {
        let (was, is) = (value(&before), value(&after));
        let seen = || format!("{name} {was:?} before, {is:?} afterwards");
        check(is >= was, seen, "at least as before")
    };
    at_least("inflight_longterm", |look| look.inside.inflight_longterm)?;
    at_least("inflight_shortterm", |look| look.inside.inflight_shortterm)?;
    at_least("bw_shortterm", |look| look.inside.bw_shortterm)?;
    // the acknowledgement that undoes the loss also bounds the window by the model (SetCwnd)
    let gain = known!(after, cwnd_gain)? as f64 / 256.0;
    let (was, is, model) = (before.outside.window, after.outside.window, gain * after.product()?);
    let seen = || format!("a window of {was} before, {is} afterwards");
    check(is >= was.min(model.floor()), seen, &format!("as before, or cwnd_gain times the BDP, {model:.0}"))?;
    let goes_on = matches!(after.inside.state, State::ProbeUp | State::ProbeRefill);
    let seen = || format!("{} at {}", after.inside.state.name(), seconds(after.at));
    check(goes_on, seen, "the probe goes on: PROBE_UP, or PROBE_REFILL first")?;
    Ok(format!("{kind} at {}, taken back at {}, then {}", seconds(loss.at), seconds(undone), after.inside.state.name()))
}

fn judge_outside(view: &View, from: Time, by_timeout: bool) -> Judged {
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
    Ok(seen())
}
