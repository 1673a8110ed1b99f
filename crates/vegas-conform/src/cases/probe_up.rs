//! PROBE_UP: the events that end it, and those that do not.

use vegas_core::units::{Span, Time};

use super::look::{Stay, Story, check, known, millis, needs_packets, seconds, since_start};
use super::startup::rate_phase;
use super::view::{View, at, between_probe_rtts, calm, earlier};
use crate::case::{Case, Judged, Miss, Stage};
use crate::grid::Point;
use crate::network::{Network, time};
use crate::observed::{State, UNBOUNDED};

/// The time for the first PROBE_UP and all before it: STARTUP, and three seconds of waiting.
pub(super) fn until_probe_up(stage: &Stage<'_>) -> Span {
    until_probe_up_of(stage.point())
}

pub(super) fn until_probe_up_of(point: Point) -> Span {
    point.wait().times(2) + point.rounds(60)
}

/// A path without PROBE_RTT near the first PROBE_UP: the round trip shortens by a tenth just before PROBE_REFILL, so
/// that BBR.probe_rtt_min_delay is fresh.
pub(super) fn with_fresh_rtt(stage: &mut Stage<'_>, network: Network) -> Result<Network, Miss> {
    let mut network = Network { duration: until_probe_up(stage), ..network };
    let refill_at = since_start(Story::of(stage, &network)?.stay(State::ProbeRefill, Time::ZERO)?.first().at);
    let shorter = Span::from_nanos(network.point.rtt.as_nanos() * 9 / 20);
    network.changes.push((refill_at, format!("delay = {}", time(shorter))));
    Ok(network)
}

/// The start of the first PROBE_UP.
pub(super) fn probe_up_at(stage: &mut Stage<'_>, network: &Network) -> Result<Span, Miss> {
    let story = Story::of(stage, &Network { duration: until_probe_up(stage), ..network.clone() })?;
    Ok(since_start(story.stay(State::ProbeUp, Time::ZERO)?.first().at))
}

/// Bulk data until this time, and then other phases.
pub(super) fn bulk_until(at: Span, then: &[String]) -> Vec<String> {
    let bulk = format!("{{ kind = \"bulk\", duration = {} }}", time(at));
    [bulk].into_iter().chain(then.iter().cloned()).collect()
}

pub(super) const PLATEAU: Case = Case {
    name: "probe-up-plateau",
    title: "Exiting PROBE_UP on Bandwidth Plateau",
    checks: "IsTimeToGoDown: PROBE_UP paces at 1.25 and turns to PROBE_DOWN when full_bw_count reaches 3, without a loss",
    judge: plateau,
    outside: Some(plateau_outside),
};

fn plateau(stage: &mut Stage<'_>) -> Judged {
    let network = with_fresh_rtt(stage, stage.network())?;
    let story = Story::of(stage, &Network { duration: until_probe_up(stage) + stage.point().rounds(20), ..network })?;
    let up = story.stay(State::ProbeUp, Time::ZERO)?;
    super::drain::check_gain(&up, 320)?;
    let next = up.turns_to(&[State::ProbeDown, State::ProbeCruise])?;
    let (count, now) = (known!(next, full_bw_count)?, known!(next, full_bw_now)?);
    check((count, now) == (3, 1), || format!("full_bw_count {count}, full_bw_now {now} there"), "3 and 1")?;
    let lost = next.outside.lost - up.first().outside.lost;
    check(lost == 0, || format!("{lost} packets are lost"), "a plateau without losses")?;
    let rounds = up.rounds()?;
    check(rounds >= 3, || format!("{rounds} round trips"), "three round trips at least")?;
    Ok(format!("PROBE_DOWN at {} after {rounds} round trips", seconds(next.at)))
}

/// The first probe after the start: the time of the most packets in flight, their number before the probe, and the
/// greatest number.
pub(super) struct Probe {
    pub(super) at: Time,
    cruise: f64,
    pub(super) peak: f64,
    back: Option<(Time, f64)>,
}

/// The least factor by which a probe at 1.25 raises the packets in flight.
const RISE: f64 = 1.15;

/// Bulk data on a path without losses, for the duration of two probes.
pub(super) fn first_probe(stage: &mut Stage<'_>) -> Result<(View, Probe), Miss> {
    let point = stage.point();
    needs_packets(point, 12.0, "from outside: a rise by a quarter to be seen")?;
    between_probe_rtts(point, 8)?;
    let view = View::of(stage, &Network { duration: until_probe_up_of(point), ..stage.network() })?;
    let settled = at(point.rounds(36));
    let cruise = view.median(settled, view.end());
    let (peak_at, peak) = view.peak(settled, earlier(view.end(), point.rounds(16)));
    let lost = view.lost(settled, view.end());
    check(lost == 0, || format!("{lost} packets are lost"), "probes end by a plateau, without losses")?;
    let seen = || format!("{peak:.0} packets in flight at most, mostly {cruise:.0}");
    check(peak >= RISE * cruise, seen, "PROBE_UP, with more by a quarter for a while")?;
    let low = view
        .between(peak_at, peak_at + point.rounds(16))
        .iter()
        .find(|moment| f64::from(moment.in_flight) <= 1.05 * cruise);
    let back = low.map(|moment| (moment.at, moment.in_flight.into()));
    Ok((view, Probe { at: peak_at, cruise, peak, back }))
}

fn plateau_outside(stage: &mut Stage<'_>) -> Judged {
    let (view, probe) = first_probe(stage)?;
    let seen = || format!("{:.0} packets in flight at {}, mostly {:.0}", probe.peak, seconds(probe.at), probe.cruise);
    let expected = format!("{:.0} again within sixteen round trips", probe.cruise);
    let (back_at, _) = probe.back.ok_or_else(|| Miss::failed(seen(), expected))?;
    check(probe.peak <= 2.2 * view.one(), seen, "a probe that ends below twice the BDP")?;
    Ok(format!("{}, again at {}", seen(), seconds(back_at)))
}

pub(super) const LOSS: Case = Case {
    name: "probe-up-loss",
    title: "Exiting PROBE_UP on Loss When Application-Limited",
    checks: "IsInflightTooHigh, HandleInflightTooHigh: more than 2 % lost end PROBE_UP; an application-limited sample does not set \
             inflight_longterm",
    judge: loss,
    outside: None,
};

/// From PROBE_UP on the application gives half of the rate, and the path loses a fifth of the packets for a while.
fn loss(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 12.0, "losses above 2 % of a flight that the application limits,")?;
    let mut network = with_fresh_rtt(stage, stage.network())?;
    let up_at = probe_up_at(stage, &network)?;
    let lossy = up_at + point.rounds(2);
    network.changes.extend([(lossy, "loss = 0.2".into()), (lossy + point.rounds(2), "loss = 0".into())]);
    network.application = bulk_until(up_at, &[rate_phase(&network, 2, None)]);
    network.duration = lossy + point.rounds(12);
    let story = Story::of(stage, &network)?;
    let up = story.stay(State::ProbeUp, Time::ZERO)?;
    let next = up.turns_to(&[State::ProbeDown, State::ProbeCruise])?;
    let early = || format!("{} at {}", next.inside.state.name(), seconds(next.at));
    check(since_start(next.at) >= lossy, early, "PROBE_UP until packets are lost")?;
    check(next.at <= Time::ZERO + lossy + point.rounds(4), early, "PROBE_DOWN in the round trips of the losses")?;
    check(
        up.last().outside.app_limited,
        || "samples are not application-limited".into(),
        "application-limited samples",
    )?;
    let (before, after) = (known!(up.last(), inflight_longterm)?, known!(next, inflight_longterm)?);
    let seen = || format!("inflight_longterm {before} turns {after}");
    check(after >= before, seen, "no application-limited sample lowers inflight_longterm")?;
    Ok(format!("PROBE_DOWN at {}, losses from {}", seconds(next.at), seconds(Time::ZERO + lossy)))
}

pub(super) const STAYS: Case = Case {
    name: "app-limited-no-exit",
    title: "Never Exiting PROBE_UP (or STARTUP) When Application-Limited With No Loss",
    checks: "CheckFullBWReached: application-limited round trips are no plateau; STARTUP and PROBE_UP go on, but for PROBE_RTT",
    judge: stays,
    outside: Some(stays_outside),
};

fn stays(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "an application that keeps a part of it in flight")?;
    let duration = point.wait().times(2) + point.rounds(30);
    let application = vec![rate_phase(&stage.network(), 2, None)];
    let story = Story::of(stage, &Network { duration, application, ..stage.network() })?;
    let others: Vec<Stay<'_>> = story.stays();
    let other = others.iter().find(|stay| !matches!(stay.state, State::Startup | State::ProbeRtt));
    let seen = |stay: &Stay<'_>| format!("{} at {}", stay.state.name(), seconds(stay.first().at));
    check(
        other.is_none(),
        || other.map(seen).unwrap_or_default(),
        "STARTUP as long as the application limits the rate",
    )?;

    let network = with_fresh_rtt(stage, stage.network())?;
    let up_at = probe_up_at(stage, &network)?;
    let application = bulk_until(up_at, &[rate_phase(&network, 2, None)]);
    let story = Story::of(stage, &Network { duration: up_at + point.rounds(25), application, ..network })?;
    let up = story.stay(State::ProbeUp, Time::ZERO)?;
    match up.next {
        Some(_) => up.turns_to(&[State::ProbeRtt])?,
        None => up.last(),
    };
    let rounds = up.rounds()?;
    if rounds < 4 {
        story.without_probe_rtt(up.first().at, story.end())?;
    }
    check(rounds >= 4, || format!("{rounds} round trips of PROBE_UP"), "more than the three of a plateau")?;
    Ok(format!("STARTUP for {}, PROBE_UP for {}, {rounds} round trips", millis(duration), millis(up.lasted())))
}

/// Growth waits while the application gives half of the rate, and continues as soon as it gives all.
fn stays_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "an application that keeps a part of it in flight")?;
    between_probe_rtts(point, 8)?;
    let slow = until_probe_up_of(point);
    let application = vec![rate_phase(&stage.network(), 2, Some(slow)), "{ kind = \"bulk\" }".into()];
    let view = View::of(stage, &Network { duration: slow + point.rounds(30), application, ..stage.network() })?;
    let expected = "STARTUP fills the path within eight round trips of the application's end of limiting it";
    let full_at = view.full_at(at(slow)).ok_or_else(|| Miss::failed("the path is not full after thirty", expected))?;
    let late = || format!("limited until {}, the path full at {}", seconds(at(slow)), seconds(full_at));
    check(full_at <= at(slow + point.rounds(8)), late, expected)?;
    Ok(late())
}

pub(super) const LONG_TERM: Case = Case {
    name: "probe-up-loss-longterm",
    title: "Handling Loss During PROBE_UP After inflight_longterm is Set",
    checks: "HandleInflightTooHigh: losses in PROBE_UP lower inflight_longterm, to the flight at the loss or Beta (0.7) of the \
             target, and PROBE_DOWN follows",
    judge: long_term,
    outside: None,
};

/// Losses in the first PROBE_UP set the bound, and losses in the next one lower it.
fn long_term(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 12.0, "losses above 2 % of a flight, and a bound above the least window,")?;
    let lossy = |at: Span| [(at, "loss = 0.1".into()), (at + point.rounds(1), "loss = 0".into())];
    let mut network = with_fresh_rtt(stage, stage.network())?;
    let first = probe_up_at(stage, &network)? + point.rounds(1);
    network.changes.extend(lossy(first));
    network.duration = first + point.wait().times(3) + point.rounds(60);
    let story = Story::of(stage, &network)?;
    let down = story.stay(State::ProbeDown, Time::ZERO + first)?;
    let bound = known!(down.first(), inflight_longterm)?;
    check(bound < UNBOUNDED, || "inflight_longterm is not set".into(), "losses in PROBE_UP set it")?;
    let second = story.stay(State::ProbeUp, down.first().at)?.first().at;
    network.changes.extend(lossy(since_start(second)));
    network.duration = since_start(second) + point.rounds(20);

    let story = Story::of(stage, &network)?;
    let up = story.stay(State::ProbeUp, second)?;
    let next = up.turns_to(&[State::ProbeDown, State::ProbeCruise])?;
    let (before, after) = (known!(up.last(), inflight_longterm)?, known!(next, inflight_longterm)?);
    let lost = next.outside.lost - up.first().outside.lost;
    check(lost > 0, || "PROBE_UP ends without a loss".into(), "losses end it")?;
    check(after < before, || format!("inflight_longterm {before} turns {after}"), "it is lowered")?;
    let least = 0.7 * up.last().product()?.min(up.last().outside.window) - 2.0;
    check(
        after as f64 >= least,
        || format!("inflight_longterm {after}"),
        &format!("{least:.0} at least, Beta of the target"),
    )?;
    let rounds = up.rounds()?;
    check(rounds <= 3, || format!("{rounds} round trips of PROBE_UP"), "PROBE_DOWN as soon as losses are found")?;
    Ok(format!("inflight_longterm {before} turns {after} at {}, PROBE_DOWN", seconds(next.at)))
}

pub(super) const REFILL: Case = Case {
    name: "refill-app-limited",
    title: "Handling Application-Limited Sending During PROBE_REFILL",
    checks: "UpdateMaxBw: application-limited samples below BBR.max_bw do not count; PROBE_UP after a round trip of PROBE_REFILL",
    judge: refill,
    outside: Some(refill_outside),
};

/// As PROBE_REFILL begins, the application gives an eighth of the rate for a round trip and a half.
fn refill(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "an application that keeps an eighth of it in flight")?;
    let network = Network { duration: until_probe_up(stage), ..stage.network() };
    let refill_at = since_start(Story::of(stage, &network)?.stay(State::ProbeRefill, Time::ZERO)?.first().at);
    let little = rate_phase(&network, 8, Some(Span::from_nanos(point.rounds(3).as_nanos() / 2)));
    let application = bulk_until(refill_at, &[little, "{ kind = \"bulk\" }".into()]);
    let duration = refill_at + point.rounds(40);
    let story = Story::of(stage, &Network { duration, application, ..network })?;
    let refill = story.stay(State::ProbeRefill, Time::ZERO)?;
    let rounds = refill.rounds()?;
    check(rounds <= 1, || format!("{rounds} round trips of PROBE_REFILL"), "one round trip")?;
    let up = refill.turns_to(&[State::ProbeUp])?;
    check(rounds == 1, || "PROBE_REFILL ends at once".into(), "one round trip")?;
    let looks = story.between(refill.first().at, up.at + point.rounds(4));
    check(looks.iter().any(|look| look.outside.app_limited), || "no sample is application-limited".into(), "some are")?;
    let before = refill.first().max_bw()?;
    for look in looks {
        let now = look.max_bw()?;
        let seen = || format!("max_bw {now:.1} at {}, {before:.1} before", seconds(look.at));
        check(now >= 0.99 * before, seen, "max_bw as before")?;
    }
    let part = story.looks[story.looks.len() - 1].max_bw()? / point.packets_per_second();
    check(
        part >= 0.97,
        || format!("max_bw is {part:.3} of the path's rate at the end"),
        "it goes on at the path's rate",
    )?;
    Ok(format!("PROBE_UP at {}, max_bw stays {before:.1} segments/s", seconds(up.at)))
}

/// The application gives an eighth of the rate for a round trip and a half: samples of that time must not lower an
/// estimate.
fn refill_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "an application that keeps an eighth of it in flight")?;
    let from = calm(point)?;
    let to = from + point.rounds(10);
    let little = rate_phase(&stage.network(), 8, Some(Span::from_nanos(point.rounds(3).as_nanos() / 2)));
    let application = bulk_until(from, &[little, "{ kind = \"bulk\" }".into()]);
    let view = View::of(stage, &Network { duration: to + point.rounds(6), application, ..stage.network() })?;
    let resumed = at(from + point.rounds(4));
    let part = view.part(resumed, at(to));
    let seen = || format!("{part:.3} of the path's rate from {}", seconds(resumed));
    check(part >= FULL_AGAIN, seen, "0.93 at least: the estimate is as before")?;
    Ok(seen())
}

/// The control runs at PROBE_DOWN's pace of 0.9 for a part of the time.
const FULL_AGAIN: f64 = 0.93;
