//! PROBE_DOWN and its end.

use vegas_core::units::{Span, Time};

use super::drain::check_gain;
use super::look::{Stay, Story, check, known, millis, needs_packets, seconds, since_start};
use super::probe_up::{first_probe, until_probe_up, with_fresh_rtt};
use crate::case::{Case, Judged, Miss, Stage};
use crate::grid::rate;
use crate::network::Network;
use crate::observed::State;

/// BBR.ProbeDownPacingGain, 256ths.
const DOWN_GAIN: i64 = 230;

pub(super) const INFLIGHT: Case = Case {
    name: "probe-down-inflight",
    title: "Exiting PROBE_DOWN on Inflight",
    checks: "IsTimeToCruise: pacing_gain 0.90; PROBE_CRUISE once C.inflight is at most InflightWithHeadroom and Inflight(1.0)",
    judge: inflight,
    outside: Some(inflight_outside),
};

/// The stay in PROBE_DOWN that follows the first PROBE_UP.
fn down_after_up(story: &Story) -> Result<Stay<'_>, Miss> {
    let up = story.stay(State::ProbeUp, Time::ZERO)?;
    let next = up.turns_to(&[State::ProbeDown, State::ProbeCruise])?;
    if next.inside.state != State::ProbeDown {
        let (seen, most) = (next.in_flight(), next.inflight_of_one()?);
        let text = || format!("no PROBE_DOWN at {} with {seen} segments in flight", seconds(next.at));
        check(seen <= most + 1.0, text, &format!("PROBE_DOWN, as Inflight(1.0) is {most:.0}"))?;
        let why = format!("PROBE_UP leaves {seen} segments in flight, Inflight(1.0) is {most:.0}: nothing to drain");
        return Err(Miss::NotApplicable(why));
    }
    story.stay(State::ProbeDown, next.at)
}

fn inflight(stage: &mut Stage<'_>) -> Judged {
    let network = with_fresh_rtt(stage, stage.network())?;
    let story = Story::of(stage, &Network { duration: until_probe_up(stage) + stage.point().rounds(40), ..network })?;
    let down = down_after_up(&story)?;
    check_gain(&down, DOWN_GAIN)?;
    let next = down.turns_to(&[State::ProbeCruise])?;
    let (left, most) = (next.in_flight(), next.inflight_of_one()?.min(next.inflight_with_headroom()));
    let seen = || format!("{left} segments in flight where PROBE_CRUISE begins");
    check(left <= most, seen, &format!("{most:.0} at most"))?;
    for look in down.looks {
        let target = look.product()?.min(look.inflight_with_headroom());
        let text =
            || format!("PROBE_DOWN goes on at {} with {} segments in flight", seconds(look.at), look.in_flight());
        check(look.in_flight() + 5.0 >= target, text, &format!("PROBE_CRUISE, as {target:.0} are allowed"))?;
    }
    Ok(format!(
        "PROBE_CRUISE at {} after {}, {left} of {most:.0} segments in flight",
        seconds(next.at),
        millis(down.lasted())
    ))
}

fn inflight_outside(stage: &mut Stage<'_>) -> Judged {
    let (view, probe) = first_probe(stage)?;
    let (one, end) = (view.low(), probe.at + view.point.rounds(16));
    let least = view.dip(probe.at, end).1;
    let seen = || format!("{:.0} packets in flight at {}, then {least:.0} at least", probe.peak, seconds(probe.at));
    check(least <= one, seen, &format!("Inflight(1.0), {one:.0}, within sixteen round trips"))?;
    Ok(seen())
}

pub(super) const TIME: Case = Case {
    name: "probe-down-time",
    title: "Exiting PROBE_DOWN After Max Time",
    checks: "IsTimeToProbeBW: PROBE_REFILL after BBR.bw_probe_wait, or T_reno round trips, though C.inflight has not come down",
    judge: max_time,
    outside: None,
};

/// The bandwidth falls by a tenth as PROBE_DOWN begins, and by two hundredths for the margin of the pace
/// (BBR.PacingMarginPercent), so that the control paces at the rate that the path then has.
fn max_time(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 12.0, "a queue above BBR.offload_budget")?;
    let mut network = with_fresh_rtt(stage, stage.network())?;
    network.duration = until_probe_up(stage) + point.rounds(30);
    let down_at = down_after_up(&Story::of(stage, &network)?)?.first().at;
    network.changes.push((since_start(down_at), format!("rate = {:?}", rate(point.rate_bps * 88 / 100))));
    network.duration = since_start(down_at) + point.wait().times(3);
    let story = Story::of(stage, &network)?;
    let down = story.stay(State::ProbeDown, down_at)?;
    for look in down.looks {
        let target = look.inflight_of_one()?.min(look.inflight_with_headroom()) - 1.0;
        if look.in_flight() <= target {
            let why = format!("{} segments in flight, Inflight(1.0) {target:.0}: the queue is gone", look.in_flight());
            return Err(Miss::NotApplicable(why));
        }
    }
    let next = down.turns_to(&[State::ProbeRefill])?;
    let wait = Span::from_micros(known!(down.first(), bw_probe_wait_us)? as u64);
    let drawn = (Span::from_secs(2)..=Span::from_secs(3)).contains(&wait);
    check(drawn, || format!("bw_probe_wait is {}", millis(wait)), "two to three seconds")?;
    let (lasted, rounds) = (down.lasted(), down.rounds()?);
    let reno = down.last().product()?.min(down.last().outside.window).min(63.0) - 2.0;
    let seen = || format!("PROBE_REFILL after {}, {rounds} round trips", millis(lasted));
    let due = lasted >= wait || rounds as f64 >= reno;
    check(due, seen, &format!("bw_probe_wait, {}, or {reno:.0} round trips", millis(wait)))?;
    check(lasted <= wait + point.rounds(4), seen, &format!("bw_probe_wait, {}, at most", millis(wait)))?;
    Ok(format!("PROBE_REFILL at {} after {}, {rounds} round trips", seconds(next.at), millis(lasted)))
}
