//! Paths that change: to ten times the rate, to a tenth of it, and a policer.

use vegas_core::units::{Span, Time};

use super::look::{Look, Stay, Story, check, known, needs_packets, seconds, since_start};
use super::probe_up::until_probe_up;
use super::view::{View, at, earlier};
use crate::case::{Case, Judged, Miss, Stage};
use crate::grid::{Point, rate};
use crate::network::Network;
use crate::observed::{State, UNBOUNDED};

pub(super) const FASTER: Case = Case {
    name: "rate-10x-up",
    title: "Increasing Bandwidth 10x and Ensuring Full Bandwidth is Reached",
    checks: "RaiseInflightLongtermSlope: in PROBE_UP inflight_longterm grows by steps that double each round trip, until the new rate \
             is found",
    judge: faster,
    outside: Some(faster_outside),
};

/// A tenth of the rate, with the queue of the whole rate. A queue of half the bandwidth-delay product makes STARTUP
/// lose packets, so that it sets inflight_longterm.
pub(super) fn faster_networks(stage: &Stage<'_>) -> Result<(Network, u64), Miss> {
    let point = stage.point();
    let slow = Point { rate_bps: point.rate_bps / 10, ..point };
    needs_packets(point, 100.0, "a tenth of it with ten packets")?;
    // smaller packets, so that a tenth of the rate has as many packets in flight as the grid's other cases
    let packet_bytes = slow.packet_bytes().max(stage.least_packet_bytes());
    let slow_packets = slow.holds_packets() * slow.packet_bytes() as f64 / packet_bytes as f64;
    let network = Network {
        point: slow,
        packet_bytes,
        queue_packets: (slow_packets / 2.0).ceil() as u64 + 2,
        duration: until_probe_up(stage) + slow.rounds(60),
        ..stage.network()
    };
    Ok((network, 30 * (slow_packets as u64 + 10)))
}

fn faster(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    let (network, queue_packets) = faster_networks(stage)?;
    let (slow, packet_bytes) = (network.point, network.packet_bytes);
    let per_second = point.rate_bps as f64 / 8.0 / packet_bytes as f64;
    let slow_packets = slow.holds_packets() * slow.packet_bytes() as f64 / packet_bytes as f64;
    let story = Story::of(stage, &network)?;
    let cruise_at = story.startup_ends()?.at + point.rounds(6);
    let story_end = cruise_at + slow.wait().times(3) + point.rounds(90);
    let keys = format!("rate = {:?}\nqueue = \"{}p\"", rate(point.rate_bps), queue_packets);
    let changes = vec![(since_start(cruise_at), keys)];
    let story = Story::of(stage, &Network { changes, duration: since_start(story_end), ..network })?;
    let target = 0.95 * per_second;
    let found = story.looks.iter().find(|look| look.max_bw().is_ok_and(|rate| rate >= target));
    let most = story.looks.iter().filter_map(|look| look.max_bw().ok()).fold(0.0, f64::max) / per_second;
    // not applicable where the control does not report the parts of PROBE_BW
    story.stay(State::ProbeUp, cruise_at)?;
    let stays = story.stays();
    let ups = || stays.iter().filter(|stay| stay.state == State::ProbeUp && stay.first().at > cruise_at);
    let finds = |stay: &&Stay<'_>| found.is_some_and(|found| stay.next.is_none_or(|next| next.at > found.at));
    let up = ups().find(finds).or_else(|| ups().max_by_key(|stay| stay.looks.len()));
    let up = up.ok_or_else(|| Miss::failed("no PROBE_UP", "PROBE_UP finds the new rate"))?;
    let steps = steps(up);
    if known!(up.first(), inflight_longterm)? == UNBOUNDED {
        return Err(Miss::not_applicable("inflight_longterm is not set: no packet was lost"));
    }
    // a segment of a step may fall into the next round trip
    let doubles = |pair: &&[f64]| pair[0] >= 2.0 && (1.6 * pair[0] - 1.0..=2.6 * pair[0]).contains(&pair[1]);
    if steps.len() > 6 {
        let doubled = steps.windows(2).filter(doubles).count();
        check(doubled >= 2, || format!("inflight_longterm grows by {steps:?} a round trip"), "steps that double")?;
    }
    if found.is_none() {
        story.without_probe_rtt(cruise_at, story.end())?;
    }
    let expected = "0.95 of the new rate";
    let found = found.ok_or_else(|| Miss::failed(format!("max_bw {most:.3} of the new rate at most"), expected))?;
    let rounds = known!(found, round_count)? - known!(up.first(), round_count)?;
    let bound = 3.0 * (10.0 * slow_packets).log2() + 4.0;
    let late = || format!("{rounds} round trips of PROBE_UP");
    check(rounds as f64 <= bound, late, &format!("{bound:.0} at most, as the logarithm of the BDP"))?;
    Ok(format!("{most:.3} of the new rate, found at {} after {rounds} round trips", seconds(found.at)))
}

fn faster_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    let (slow, queue) = faster_networks(stage)?;
    let (per_second, wait) = (point.rate_bps as f64 / 8.0 / slow.packet_bytes as f64, slow.point.wait());
    let change = slow.point.rounds(60) + wait;
    let bound = 3 * (per_second * point.rtt.as_nanos() as f64 / 1e9).log2().ceil() as u64 + 10;
    // PROBE_RTT may come in between
    let latest = change + wait.times(2) + slow.point.rounds(bound);
    let changes = vec![(change, format!("rate = {:?}\nqueue = \"{queue}p\"", rate(point.rate_bps)))];
    let mut view = View::of(stage, &Network { changes, duration: latest + wait, ..slow.clone() })?;
    (view.per_second, view.point) = (per_second, point);
    let expected = format!("0.95 of the new rate before {}", seconds(at(latest)));
    let most = view.part(earlier(view.end(), point.rounds(4)), view.end());
    let seen = || format!("{most:.3} of the new rate at the end");
    let found = view.full_at(at(change)).ok_or_else(|| Miss::failed(seen(), &expected))?;
    check(found <= at(latest), || format!("found at {}", seconds(found)), &expected)?;
    Ok(format!("the new rate of {} found at {}", seconds(at(change)), seconds(found)))
}

/// The growth of inflight_longterm in each round trip.
fn steps(up: &Stay<'_>) -> Vec<f64> {
    let rounds = up.looks.chunk_by(|one, next| one.inside.round_count == next.inside.round_count);
    let bounds: Vec<f64> =
        rounds.filter_map(|looks| looks.last()?.inside.inflight_longterm).map(|bound| bound as f64).collect();
    bounds.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

pub(super) const SLOWER: Case = Case {
    name: "rate-10x-down",
    title: "Decreasing Bandwidth 10x and Ensuring Max Bandwidth Adapts Down",
    checks: "AdaptLowerBoundsFromCongestion: losses lower bw_shortterm; AdvanceMaxBwFilter: BBR.max_bw is the new rate after two \
             cycles",
    judge: slower,
    outside: Some(slower_outside),
};

fn slower(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 30.0, "a tenth of it with three packets")?;
    let network = Network {
        duration: until_probe_up(stage) + point.rounds(30),
        queue_packets: (point.holds_packets() / 4.0).ceil() as u64 + 4,
        ..stage.network()
    };
    let story = Story::of(stage, &network)?;
    let at = story.startup_ends()?.at + point.rounds(4);
    let changes = vec![(since_start(at), format!("rate = {:?}", rate(point.rate_bps / 10)))];
    let slow = Point { rate_bps: point.rate_bps / 10, ..point };
    let per_second = point.packets_per_second() / 10.0;
    let waiting = Span::from_nanos((network.queue_packets as f64 / per_second * 1e9) as u64);
    let duration = since_start(at) + Span::from_secs(12) + (slow.rounds(1) + waiting).times(30);
    let story = Story::of(stage, &Network { changes, duration, ..network })?;
    let old = story.between(Time::ZERO, at).last().ok_or_else(|| Miss::failed("nothing", "a run"))?.max_bw()?;
    known!(story.looks[0], bw_shortterm)?;
    let low = lowered(&story, at, old)?;
    check(low.outside.lost > 0, || "nothing is lost".into(), "losses lower bw_shortterm")?;
    // a cycle counts a round trip after PROBE_UP (AdvanceMaxBwFilter), unless PROBE_RTT comes first
    let counts = |next: &Look| {
        let until_probe_rtt = story.from(next.at).iter().take_while(|look| look.inside.state != State::ProbeRtt);
        until_probe_rtt.into_iter().any(|look| look.inside.round_count > next.inside.round_count)
    };
    let stays = story.stays();
    let ups = stays.iter().filter(|stay| stay.state == State::ProbeUp && stay.first().at > at);
    let down: Vec<Time> = ups.filter_map(|stay| stay.next.filter(counts)).map(|next| next.at).collect();
    let last = story.looks[story.looks.len() - 1];
    let adapted = story.from(at).iter().find(|look| look.max_bw().is_ok_and(|rate| rate <= 1.05 * per_second));
    let seen = || {
        format!(
            "max_bw is {:.2} of the new rate after {} cycles",
            last.max_bw().unwrap_or(0.0) / per_second,
            down.len()
        )
    };
    if adapted.is_none() && down.len() < 2 {
        story.without_probe_rtt(at, story.end())?;
    }
    let adapted = adapted.ok_or_else(|| Miss::failed(seen(), "the new rate after two cycles"))?;
    let cycles = down.iter().filter(|end| **end <= adapted.at).count();
    check(
        cycles <= 3,
        || format!("max_bw is the new rate after {cycles} cycles"),
        "two cycles, and the one under way",
    )?;
    let end = last.max_bw()? / per_second;
    check((0.9..=1.05).contains(&end), || format!("max_bw ends at {end:.3} of the new rate"), "the path's rate")?;
    Ok(format!("bw_shortterm low at {}, max_bw at {} after {cycles} cycles", seconds(low.at), seconds(adapted.at)))
}

/// BBR.Beta with its rounding in 256ths, and what a second cut leaves at most.
const ONE_CUT: [f64; 2] = [0.69, 0.704];
const TWO_CUTS: f64 = 0.7;

/// The first moment after the change at which losses have lowered bw_shortterm: by BBR.Beta each round trip with losses
/// (LossLowerBounds), until PROBE_REFILL or the end of PROBE_RTT resets it. Where none of these times lasts two round
/// trips there is one cut, of exactly BBR.Beta, as the path delivers a tenth.
fn lowered(story: &Story, from: Time, old: f64) -> Result<Look, Miss> {
    let part = |look: &Look| look.inside.bw_shortterm.map_or(f64::INFINITY, |rate| rate as f64 / 1_000.0 / old);
    let is_once = rounds_between_resets(story, from)? < 2;
    let is_low = |look: &&Look| if is_once { part(look) <= ONE_CUT[1] } else { part(look) < TWO_CUTS };
    let looks = story.from(from);
    let low = looks.iter().find(is_low);
    let low = *low.ok_or_else(|| Miss::failed("bw_shortterm is not below 0.7 of the old rate", "losses lower it"))?;
    let least = looks.iter().map(part).fold(f64::INFINITY, f64::min);
    let seen = || format!("bw_shortterm is {least:.3} of the old rate in a round trip");
    check(!is_once || least >= ONE_CUT[0], seen, "BBR.Beta of it")?;
    Ok(low)
}

/// The most round trips from a time on, without a reset of the short-term model, in states in which losses lower it.
fn rounds_between_resets(story: &Story, from: Time) -> Result<i64, Miss> {
    let (mut most, mut began) = (0, None);
    for stay in story.stays().iter().filter(|stay| stay.next.is_none_or(|next| next.at > from)) {
        if matches!(stay.state, State::Startup | State::ProbeRefill | State::ProbeUp) {
            began = None;
            continue;
        }
        let first = stay.looks.iter().find(|look| look.at >= from).copied().unwrap_or(stay.last());
        let (first, end) = (known!(first, round_count)?, known!(stay.next.unwrap_or(stay.last()), round_count)?);
        most = most.max(end - *began.get_or_insert(first));
        if stay.state == State::ProbeRtt {
            began = None;
        }
    }
    Ok(most)
}

fn slower_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 60.0, "a tenth of it with six packets")?;
    let change = point.rounds(50);
    let slow = Point { rate_bps: point.rate_bps / 10, ..point };
    let network = Network { queue_packets: (point.holds_packets() / 4.0).ceil() as u64 + 4, ..stage.network() };
    let per_second = point.packets_per_second() / 10.0;
    let waiting = Span::from_nanos((network.queue_packets as f64 / per_second * 1e9) as u64);
    let duration = change + Span::from_secs(12) + (slow.rounds(1) + waiting).times(30);
    let changes = vec![(change, format!("rate = {:?}", rate(slow.rate_bps)))];
    let mut view = View::of(stage, &Network { changes, duration, ..network })?;
    (view.per_second, view.holds) = (per_second, point.holds_packets() / 10.0);
    let middle = at(change + Span::from_nanos(duration.less(change).as_nanos() / 2));
    let part = view.part(middle, view.end());
    check(part >= 0.9, || format!("{part:.3} of the new rate delivered"), "0.9 at least")?;
    let (usual, most) = (view.median(middle, view.end()), 2.0 * view.holds + 4.0);
    let seen = || format!("{usual:.0} packets in flight mostly, the BDP {:.0}", view.holds);
    check(usual <= most, seen, &format!("{most:.0} at most"))?;
    let lost = view.lost(middle, view.end()) as f64 / view.counts(view.end()).0.max(1) as f64;
    check(lost <= 0.05, || format!("{:.1} % lost", 100.0 * lost), "5 % at most")?;
    Ok(format!("{part:.3} of the new rate, {}", seen()))
}

pub(super) const POLICER: Case = Case {
    name: "policer",
    title: "Handling Token Bucket Policers",
    checks: "AdaptLowerBoundsFromCongestion, HandleInflightTooHigh: losses of a policer set the bounds; then the rate is the \
             tokens', with few losses",
    judge: policer,
    outside: Some(policer_outside),
};

/// Tokens arrive at half of the path's rate; the bucket holds the path's bandwidth-delay product. Where a round trip
/// has tokens for fewer than 20 packets, one loss in it exceeds the 5 % of the judges.
pub(super) fn policed(stage: &Stage<'_>) -> Result<Network, Miss> {
    let point = stage.point();
    needs_packets(point, 40.0, "tokens for 20, of which one is 5 %,")?;
    let bucket = (point.holds_packets().ceil() as u64).max(8) * point.packet_bytes();
    let tokens = point.rate_bps / 2;
    let network = Network {
        bottleneck: vec![format!("policer = {{ rate = {:?}, burst = \"{bucket}b\" }}", rate(tokens))],
        duration: point.wait().times(4) + point.rounds(120),
        ..stage.network()
    };
    Ok(network)
}

fn policer(stage: &mut Stage<'_>) -> Judged {
    let network = policed(stage)?;
    let lost = |story: &Story| {
        let late = story.from(middle(&network));
        let (first, last) = (late[0].outside, late[late.len() - 1].outside);
        let lost = (last.lost - first.lost) as f64;
        lost / ((last.delivered - first.delivered) as f64 + lost).max(1.0)
    };
    let (story, lost) = over_draws(&network, |network| Story::of(stage, network), lost)?;
    let startup = story.startup_ends()?;
    known!(startup, bw_shortterm)?;
    let bounded = |look: &&Look| {
        let set = |bound: Option<i64>| bound.is_some_and(|bound| bound < UNBOUNDED);
        set(look.inside.bw_shortterm) && set(look.inside.inflight_shortterm)
    };
    let bounded = story.from(startup.at).iter().find(bounded);
    let expected = "losses set bw_shortterm and inflight_shortterm";
    let bounded = bounded.ok_or_else(|| Miss::failed("they are not set", expected))?;
    let per_second = stage.point().packets_per_second() / 2.0;
    let part = story.delivery_rate(middle(&network), story.end()) / per_second;
    Ok(format!("bounds at {}; {}", seconds(bounded.at), keeps_to_tokens(part, lost)?))
}

fn policer_outside(stage: &mut Stage<'_>) -> Judged {
    let network = policed(stage)?;
    let middle = middle(&network);
    let lost = |view: &View| {
        let delivered = view.counts(view.end()).0 - view.counts(middle).0;
        let lost = view.lost(middle, view.end());
        lost as f64 / (delivered + lost).max(1) as f64
    };
    let (mut view, lost) = over_draws(&network, |network| View::of(stage, network), lost)?;
    view.per_second /= 2.0;
    keeps_to_tokens(view.part(middle, view.end()), lost)
}

/// The times of a probe are drawn, and a few losses of each decide: the case judges the mean of several draws.
const DRAWS: u64 = 8;

/// Runs a path with all draws, the first one last: the last run of a case is its evidence. Returns that one, and the
/// mean part `lost` in all.
fn over_draws<T>(
    network: &Network,
    mut run: impl FnMut(&Network) -> Result<T, Miss>,
    lost: impl Fn(&T) -> f64,
) -> Result<(T, f64), Miss> {
    let mut sum = 0.0;
    for seed in 2..=DRAWS {
        sum += lost(&run(&Network { seed, ..network.clone() })?);
    }
    let evidence = run(network)?;
    let mean = (sum + lost(&evidence)) / DRAWS as f64;
    Ok((evidence, mean))
}

fn middle(network: &Network) -> Time {
    Time::ZERO + Span::from_nanos(network.duration.as_nanos() / 2)
}

/// Judges the second half: which part of the tokens' rate arrives, and which part of the packets is lost.
fn keeps_to_tokens(part: f64, lost: f64) -> Judged {
    let seen = || format!("{part:.3} of the tokens' rate, {:.1} % lost in the second half", 100.0 * lost);
    check(part >= 0.8, seen, "0.8 of the tokens' rate at least")?;
    check(lost <= 0.05, seen, "5 % lost at most")?;
    Ok(seen())
}
