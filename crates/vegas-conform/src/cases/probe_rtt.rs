//! PROBE_RTT.

use vegas_core::units::{Span, Time};

use super::look::{CALM, PROBE_RTT_INTERVAL, Story, check, known, millis, needs_packets, seconds, since_start};
use super::probe_up::bulk_until;
use super::view::{View, at};
use crate::case::{Case, Judged, Miss, Stage};
use crate::network::{Network, time};
use crate::observed::State;

/// BBR.ProbeRTTCwndGain, 256ths.
const GAIN: i64 = 128;
/// BBR.ProbeRTTDuration.
pub(super) const DURATION: Span = Span::from_millis(200);

pub(super) const ENTER: Case = Case {
    name: "probe-rtt",
    title: "Entering and Exiting PROBE_RTT",
    checks: "CheckProbeRTT, HandleProbeRTT: after five seconds, cwnd_gain 0.5, 200 ms and a round trip with little in flight, back \
             to PROBE_BW",
    judge: enter,
    outside: Some(enter_outside),
};

fn enter(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    let network = Network { duration: Span::from_secs(8) + point.rounds(90), ..stage.network() };
    let story = Story::of(stage, &network)?;
    let startup = story.startup_ends()?;
    let stay = story.stay(State::ProbeRtt, startup.at)?;
    let entered = stay.first();
    let since = since_start(entered.at);
    check(
        since >= PROBE_RTT_INTERVAL,
        || format!("PROBE_RTT at {}", seconds(entered.at)),
        "five seconds before the first",
    )?;
    for look in stay.looks {
        let gain = known!(look, cwnd_gain)?;
        check(gain == GAIN, || format!("cwnd_gain {:.2}", gain as f64 / 256.0), "cwnd_gain 0.5")?;
        let most = (look.product()? / 2.0).ceil().max(4.0) + 1.0;
        let seen = || format!("a window of {} at {}", look.outside.window, seconds(look.at));
        check(look.outside.window <= most, seen, &format!("{most:.0} at most, half of the BDP"))?;
    }
    let next = stay.turns_to(&CALM)?;
    let most = (next.product()? / 2.0).ceil().max(4.0) + 1.0;
    let full = stay.looks.iter().rposition(|look| look.in_flight() > most);
    let (drained, rounds) = (stay.looks[full.unwrap_or(0)].at, stay.rounds()?);
    let held = next.at.since(drained);
    check(held >= DURATION, || format!("{} with little in flight", millis(held)), "200 ms at least")?;
    check(rounds >= 1, || format!("{rounds} round trips"), "a round trip at least")?;
    let longest = DURATION.max(point.rounds(1)) + point.rounds(3);
    check(
        held <= longest,
        || format!("{} with little in flight", millis(held)),
        &format!("{} at most", millis(longest)),
    )?;
    let resumed = story.from(next.at + point.rounds(2)).first();
    let window = resumed.map_or(0.0, |look| look.outside.window);
    check(window > entered.outside.window, || format!("a window of {window} afterwards"), "more than in PROBE_RTT")?;
    Ok(format!("PROBE_RTT at {} for {}, then {}", seconds(entered.at), millis(stay.lasted()), next.inside.state.name()))
}

/// A period with few packets in flight.
struct Dip {
    begins: Time,
    ends: Time,
}

impl View {
    /// Finds the first fall after which the packets in flight stay at or below half of the BDP for the duration of
    /// PROBE_RTT. A moment with more in flight ends the period.
    fn first_dip(&self, from: Time) -> Option<Dip> {
        let half = self.half();
        let later = self.between(from, self.end());
        let runs =
            later.chunk_by(|one, next| (f64::from(one.in_flight) <= half) == (f64::from(next.in_flight) <= half));
        let mut place = 0;
        for run in runs {
            let is_fall = place > 0 && f64::from(run[0].in_flight) <= half;
            place += run.len();
            let ends = later.get(place).map_or(self.end(), |moment| moment.at);
            if is_fall && ends.since(run[0].at) >= DURATION {
                return Some(Dip { begins: run[0].at, ends });
            }
        }
        None
    }
}

/// The round trips of the start; the first PROBE_RTT is due at five seconds.
const SETTLED_ROUNDS: u64 = 36;

fn enter_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 12.0, "from outside: a half that is above four packets")?;
    let network = Network { duration: Span::from_secs(12) + point.rounds(90), ..stage.network() };
    let view = View::of(stage, &network)?;
    let from = at(point.rounds(SETTLED_ROUNDS).min(Span::from_secs(4)));
    let expected = format!("{:.0} at most for 200 ms, after five seconds", view.half());
    let least = view.dip(from, view.end()).1;
    let seen = || format!("{least:.0} packets in flight at least until {}", seconds(view.end()));
    let dip = view.first_dip(from).ok_or_else(|| Miss::failed(seen(), &expected))?;
    let (begins, held) = (dip.begins, dip.ends.since(dip.begins));
    let seen = || format!("{:.0} packets in flight or less at {} for {}", view.half(), seconds(begins), millis(held));
    check(begins >= at(PROBE_RTT_INTERVAL), seen, "five seconds before the first")?;
    let latest = at(Span::from_secs(8).max(PROBE_RTT_INTERVAL + point.rounds(12)));
    check(begins <= latest, seen, &format!("the first before {}", seconds(latest)))?;
    let longest = DURATION.max(point.rounds(1)) + point.rounds(5);
    check(held <= longest, seen, &format!("{} at most", millis(longest)))?;
    let again = view.peak(dip.ends, dip.ends + point.rounds(8)).1;
    check(again >= 0.8 * view.holds, || format!("{again:.0} packets in flight afterwards"), "the path full again")?;
    Ok(seen())
}

pub(super) const IDLE: Case = Case {
    name: "probe-rtt-idle",
    title: "Skipping PROBE_RTT Due to Application-Limited Sending",
    checks: "HandleRestartFromIdle, CheckProbeRTT: after idleness idle_restart is set, and no PROBE_RTT follows",
    judge: idle,
    outside: Some(idle_outside),
};

/// The application is silent for six seconds from the first PROBE_BW on.
fn idle(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    let network = Network { duration: point.wait() + point.rounds(90), ..stage.network() };
    let story = Story::of(stage, &network)?;
    let startup = story.startup_ends()?;
    let calm = story
        .from(startup.at)
        .iter()
        .find(|look| look.inside.state == State::ProbeCruise || look.inside.state == State::ProbeBw);
    let calm = calm.ok_or_else(|| Miss::failed("no PROBE_CRUISE", "PROBE_CRUISE after DRAIN"))?.at;
    let silent = since_start(calm);
    let back = silent + Span::from_secs(6) + point.rounds(2);
    let silence = format!("{{ kind = \"idle\", duration = {} }}", time(back.less(silent)));
    let application = bulk_until(silent, &[silence, "{ kind = \"bulk\" }".into()]);
    let duration = back + Span::from_secs(4) + point.rounds(4);
    let story = Story::of(stage, &Network { duration, application, ..network })?;
    let again = Time::ZERO + back;
    let still =
        story.between(Time::ZERO + back.less(point.rounds(1)), again).last().map_or(0, |look| look.outside.in_flight);
    check(still == 0, || format!("{still} segments in flight before it sends again"), "nothing in flight")?;
    let after = story.from(again);
    let first = after.first().ok_or_else(|| Miss::failed("nothing", "it sends again"))?;
    let restarts = known!(first, idle_restart)?;
    check(restarts == 1, || format!("idle_restart is {restarts} at {}", seconds(first.at)), "idle_restart is set")?;
    let probe = after
        .iter()
        .take_while(|look| look.at < again + Span::from_millis(3_900))
        .find(|look| look.inside.state == State::ProbeRtt);
    let seen = || probe.map(|look| format!("PROBE_RTT at {}", seconds(look.at))).unwrap_or_default();
    check(probe.is_none(), seen, "no PROBE_RTT after idleness")?;
    let delivered = story.delivery_rate(again + point.rounds(4), story.end()) / point.packets_per_second();
    check(delivered >= 0.8, || format!("{delivered:.2} of the path's rate afterwards"), "0.8 at least")?;
    Ok(format!("sends again at {}, without PROBE_RTT", seconds(first.at)))
}

/// The application is silent for six seconds in the middle of a run that otherwise has PROBE_RTT.
fn idle_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 12.0, "from outside: a half that is above four packets")?;
    has_dip(stage)?;
    let silent = Span::from_secs(2) + point.rounds(SETTLED_ROUNDS);
    let back = silent + Span::from_secs(6) + point.rounds(2);
    let silence = format!("{{ kind = \"idle\", duration = {} }}", time(back.less(silent)));
    let application = bulk_until(silent, &[silence, "{ kind = \"bulk\" }".into()]);
    let duration = back + Span::from_secs(4) + point.rounds(4);
    let view = View::of(stage, &Network { duration, application, ..stage.network() })?;
    let again = at(back + point.rounds(6));
    if again >= at(back + Span::from_millis(3_900)) {
        return Err(Miss::not_applicable("from outside: PROBE_RTT is due before the path is full again"));
    }
    let dip = view.first_dip(again).filter(|dip| dip.begins < at(back) + Span::from_millis(3_900));
    let seen = || dip.as_ref().map(|dip| format!("PROBE_RTT at {}", seconds(dip.begins))).unwrap_or_default();
    check(dip.is_none(), seen, "none after silence")?;
    let part = view.part(again, view.end());
    check(part >= 0.8, || format!("{part:.2} of the path's rate afterwards"), "0.8 at least")?;
    Ok(format!("sends again at {}, {part:.2} of the path's rate, no PROBE_RTT", seconds(at(back))))
}

/// Runs bulk data. A control that shows no PROBE_RTT then is not judged by its absence.
fn has_dip(stage: &mut Stage<'_>) -> Result<(), Miss> {
    let settled = stage.point().rounds(SETTLED_ROUNDS);
    let network = Network { duration: Span::from_secs(14) + settled, ..stage.network() };
    let view = View::of(stage, &network)?;
    let dip = view.first_dip(at(settled.min(Span::from_secs(4))));
    dip.map(drop).ok_or_else(|| Miss::not_applicable("from outside: bulk data show no PROBE_RTT"))
}
