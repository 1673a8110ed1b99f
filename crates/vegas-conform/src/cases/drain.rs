//! DRAIN and its end.

use super::look::{CALM, Stay, Story, check, known, millis, needs_packets, seconds, since_start};
use super::view::View;
use crate::case::{Case, Judged, Miss, Stage};
use crate::grid::rate;
use crate::network::Network;
use crate::observed::State;
use vegas_core::units::Time;

pub(super) const INFLIGHT: Case = Case {
    name: "drain-inflight",
    title: "Exiting DRAIN Based on Inflight",
    checks: "CheckDrainDone: pacing_gain 0.5; PROBE_BW once C.inflight is at most Inflight(1.0)",
    judge: inflight,
    outside: Some(inflight_outside),
};

/// BBR.DrainPacingGain, 256ths.
const DRAIN_GAIN: i64 = 128;
/// The number of round trips after which DRAIN ends in any case.
const ROUNDS: i64 = 3;

/// Checks the pacing gain in all moments of a stay.
pub(super) fn check_gain(stay: &Stay<'_>, gain: i64) -> Result<(), Miss> {
    for look in stay.looks {
        let seen = known!(look, pacing_gain)?;
        let expected = format!("pacing_gain {:.2} in {}", gain as f64 / 256.0, stay.state.name());
        check(seen == gain, || format!("{:.3} at {}", seen as f64 / 256.0, seconds(look.at)), &expected)?;
    }
    Ok(())
}

/// The stay in DRAIN, where there is a queue to drain.
fn drain_of(story: &Story) -> Result<Stay<'_>, Miss> {
    let next = story.startup_ends()?;
    if next.inside.state != State::Drain {
        let (seen, most) = (next.in_flight(), next.inflight_of_one()?);
        let why = format!("STARTUP leaves {seen} segments in flight, Inflight(1.0) is {most:.0}: nothing to drain");
        return Err(Miss::NotApplicable(why));
    }
    story.stay(State::Drain, next.at)
}

fn inflight(stage: &mut Stage<'_>) -> Judged {
    let network = Network { duration: stage.point().rounds(90), ..stage.network() };
    let story = Story::of(stage, &network)?;
    let drain = drain_of(&story)?;
    check_gain(&drain, DRAIN_GAIN)?;
    let next = drain.turns_to(&CALM)?;
    let (most, left) = (drain.last().inflight_of_one()?, next.in_flight());
    check(
        left <= most,
        || format!("{left} segments in flight where DRAIN ends"),
        &format!("Inflight(1.0), {most:.0}, at most"),
    )?;
    for look in drain.looks {
        let (target, in_flight) = (look.product()?, look.in_flight());
        let text = || format!("DRAIN goes on at {} with {in_flight} segments in flight", seconds(look.at));
        check(in_flight + 4.0 >= target, text, &format!("PROBE_BW, as the BDP is {target:.0}"))?;
    }
    Ok(format!("{} in DRAIN, {left} of {most:.0} segments in flight at its end", millis(drain.lasted())))
}

fn inflight_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "from outside: a queue to be seen")?;
    let view = View::of(stage, &Network { duration: point.rounds(60), ..stage.network() })?;
    let grown = view.growth()?;
    let one = view.low();
    if grown.peak <= 1.2 * one {
        let why = format!(
            "from outside: {:.0} packets in flight at most, Inflight(1.0) is {one:.0}: nothing to drain",
            grown.peak
        );
        return Err(Miss::NotApplicable(why));
    }
    let end = grown.full_at + point.rounds(24);
    let lost = view.lost(Time::ZERO, end);
    check(lost == 0, || format!("{lost} packets are lost"), "DRAIN empties the queue, and losses do not")?;
    let drained = view.between(grown.peak_at, end).iter().find(|moment| f64::from(moment.in_flight) <= one);
    let least = view.dip(grown.peak_at, end).1;
    let seen = || format!("{:.0} packets in flight at most, {least:.0} at least until {}", grown.peak, seconds(end));
    let drained = drained.ok_or_else(|| Miss::failed(seen(), format!("Inflight(1.0), {one:.0}, after the growth")))?;
    Ok(format!(
        "{:.0} packets in flight at {}, {one:.0} at {}",
        grown.peak,
        seconds(grown.peak_at),
        seconds(drained.at)
    ))
}

pub(super) const TIME: Case = Case {
    name: "drain-time",
    title: "Exiting DRAIN Based on Time",
    checks: "CheckDrainDone: PROBE_BW after three round trips, though C.inflight has not come down to Inflight(1.0)",
    judge: time,
    outside: None,
};

/// A bandwidth lower by a tenth, as in the draft, lets the queue drain in less than three round trips; so this case
/// halves the bandwidth, and DRAIN's pace then fills the path.
fn time(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 12.0, "a queue above BBR.offload_budget")?;
    let network = Network { duration: point.rounds(90), ..stage.network() };
    let drain_at = drain_of(&Story::of(stage, &network)?)?.first().at;
    let half = format!("rate = {:?}", rate(point.rate_bps / 2));
    let story = Story::of(stage, &Network { changes: vec![(since_start(drain_at), half)], ..network })?;
    let drain = drain_of(&story)?;
    for look in drain.looks {
        let (seen, target) = (look.in_flight(), look.product()?);
        if seen <= target {
            return Err(Miss::not_applicable(format!(
                "{seen} segments in flight, not above the BDP: the queue is gone"
            )));
        }
    }
    let rounds = drain.rounds()?;
    let seen = || format!("{rounds} round trips of DRAIN");
    check(rounds <= ROUNDS + 1, seen, "three round trips, and the one that tells")?;
    let next = drain.turns_to(&CALM)?;
    check(rounds >= ROUNDS, seen, "three round trips")?;
    let (left, most) = (next.in_flight(), next.product()?);
    Ok(format!("{rounds} round trips of DRAIN, {left} segments in flight at its end, the BDP {most:.0}"))
}
