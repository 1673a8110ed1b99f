//! Requirements on any congestion control, whatever its rule: the least that RFC 9002 requires of QUIC, RFC 5681 of
//! TCP and RFC 8085 of both. No case here needs to see inside.

use vegas_core::LossKind;
use vegas_core::units::{Span, Time};

use super::look::{check, needs_packets, seconds};
use crate::case::{Case, Judged, Miss, Stage};
use crate::grid::rate;
use crate::network::Network;
use crate::observed::{Answer, Moment, Observed};

pub(super) static ALL: [Case; 7] = [
    Case {
        name: "initial-window",
        title: "The first window is at most ten packets",
        checks: "RFC 9002, section 7.2; RFC 6928, section 2 (RFC 5681, section 3.1: 2 to 4)",
        judge: initial_window,
        outside: None,
    },
    Case {
        name: "least-window",
        title: "The window never falls below the least",
        checks: "RFC 9002, section 7.2: two packets; RFC 5681, section 3.1: the loss window of one",
        judge: least_window,
        outside: None,
    },
    Case {
        name: "loss-response",
        title: "Lost packets make the window smaller",
        checks: "RFC 9002, section 7.3.2, and RFC 5681, section 3.1, equation 4: half; RFC 9438, section 4.6: 0.7",
        judge: loss_response,
        outside: None,
    },
    Case {
        name: "collapse",
        title: "Silence makes the window collapse",
        checks: "RFC 9002, section 7.6.2: persistent congestion, the least window; RFC 5681, section 3.1: a timeout, one segment",
        judge: collapse,
        outside: None,
    },
    Case {
        name: "app-limited",
        title: "A window that is not used does not grow",
        checks: "RFC 9002, section 7.8; RFC 9293 has no such rule, RFC 7661 and Linux have",
        judge: app_limited,
        outside: None,
    },
    Case {
        name: "ce-response",
        title: "Marks make the window smaller",
        checks: "RFC 9002, section 7.1, and RFC 3168, section 6.1.2: as a loss does; RFC 8511: 0.85 at most",
        judge: ce_response,
        outside: None,
    },
    Case {
        name: "responds",
        title: "Losses, a standing queue or marks make the window smaller",
        checks: "RFC 8085, section 3.1, and RFC 9743, section 5.1: a sender answers congestion, whatever tells it",
        judge: responds,
        outside: None,
    },
];

/// RFC 9002, section 7.2; RFC 6928.
const INITIAL_MOST: f64 = 10.0;
/// RFC 9438, section 4.6, and the error of a window counted in whole packets.
const LOSS_LEAVES: f64 = 0.72;
/// RFC 8511, section 3.
const MARK_LEAVES: f64 = 0.85;
/// By then slow start is over, and the losses of its overshoot are repaired.
const SETTLED_ROUNDS: u64 = 80;

fn initial_window(stage: &mut Stage<'_>) -> Judged {
    let network = Network { duration: stage.point().rounds(20), ..stage.network() };
    let first = *stage.run(&network)?.moments.first().ok_or_else(nothing_seen)?;
    // each acknowledged packet may have raised it by one
    let initial = first.window - first.delivered as f64;
    check(initial <= INITIAL_MOST + ROUNDING, || format!("{initial:.1} packets"), "10 packets at most")?;
    Ok(format!("{initial:.1} packets"))
}

/// The tolerance of a window in bytes; a real difference would be a whole packet.
const ROUNDING: f64 = 0.01;

/// The path loses three packets in ten.
fn least_window(stage: &mut Stage<'_>) -> Judged {
    let least = if stage.is_quic() { 2.0 } else { 1.0 };
    let mut network = Network { duration: Span::from_secs(20), ..stage.network() };
    network.bottleneck.push("loss = 0.3".into());
    let observed = stage.run(&network)?;
    let windows = observed.moments.iter().map(|moment| moment.window);
    let smallest =
        windows.chain(observed.answers.iter().map(|answer| answer.window_after)).fold(f64::INFINITY, f64::min);
    check(smallest >= least - ROUNDING, || format!("{smallest:.2} packets"), "no less than the least window")?;
    Ok(format!("{smallest:.1} packets, with 30 % of the packets lost"))
}

/// The path loses all packets for the time of four.
fn loss_response(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    let four_packets = Span::from_nanos((4e9 / point.packets_per_second()) as u64);
    let began = Time::ZERO + point.rounds(SETTLED_ROUNDS);
    let observed = stage.run(&silence(stage, four_packets))?;
    let told = |answer: &&Answer| answer.at >= began && answer.kind == LossKind::DuplicateAcks;
    let answer =
        *observed.answers.iter().find(told).ok_or_else(|| Miss::not_applicable("no loss was reported to it"))?;
    let part = later_part(observed, &answer);
    check(part <= LOSS_LEAVES, || left(&answer, part), "0.7 of it at most, a round trip after the loss was found")?;
    Ok(left(&answer, part))
}

/// No packet arrives for three seconds and for sixty round trips. The queue is at most four of them, so a probe timeout
/// is below ten.
fn collapse(stage: &mut Stage<'_>) -> Judged {
    let least = if stage.is_quic() { 2.0 } else { 1.0 };
    let began = Time::ZERO + stage.point().rounds(SETTLED_ROUNDS);
    let observed = stage.run(&silence(stage, Span::from_secs(3).max(stage.point().rounds(60))))?;
    let told = |answer: &&Answer| answer.at >= began && answer.kind == LossKind::Timeout;
    let answer = observed.answers.iter().find(told);
    let answer =
        *answer.ok_or_else(|| Miss::not_applicable("no timeout and no persistent congestion was reported to it"))?;
    let seen = || format!("{:.1} packets after {:.1}", answer.window_after, answer.window_before);
    check(answer.window_after <= least + ROUNDING, seen, if least > 1.5 { "two packets" } else { "one segment" })?;
    Ok(seen())
}

/// The application gives a tenth of the path's rate, so a tenth of the path's capacity is in flight.
fn app_limited(stage: &mut Stage<'_>) -> Judged {
    let rate = stage.point().rate_bps / 10;
    let mut network = Network { duration: stage.point().rounds(300), ..stage.network() };
    network.application.push(format!("{{ kind = \"rate\", rate = \"{rate}bit\" }}"));
    let observed = stage.run(&network)?;
    let used = observed.totals.most_in_flight.max(INITIAL_MOST as u32);
    let window = observed.moments.last().ok_or_else(nothing_seen)?.window;
    let seen = || format!("{window:.0} packets, of which {used} were used at most");
    check(window <= 2.0 * f64::from(used) + ROUNDING, seen, "twice what was ever used at most")?;
    Ok(seen())
}

fn ce_response(stage: &mut Stage<'_>) -> Judged {
    let (observed, answer) = first_mark(stage)?.ok_or_else(|| Miss::not_applicable("no mark was reported to it"))?;
    let part = later_part(observed, &answer);
    check(part <= MARK_LEAVES, || left(&answer, part), "0.85 of it at most, a round trip after the first mark")?;
    Ok(left(&answer, part))
}

/// CoDel marks as soon as packets have waited longer than the sending time of a packet for a tenth of a round trip.
fn first_mark<'a>(stage: &'a mut Stage<'_>) -> Result<Option<(&'a Observed, Answer)>, Miss> {
    let (point, limit) = (stage.point(), 2 * stage.network().queue_packets);
    let (target_ns, interval_ns) = ((1e9 / point.packets_per_second()) as u64, point.rtt.as_nanos() / 10);
    let mut network = Network { duration: stage.point().rounds(100), ..stage.network() };
    network.managed_queue = Some(format!(
        "{{ kind = \"codel\", limit = \"{limit}p\", target = \"{target_ns}ns\", interval = \"{interval_ns}ns\", ecn = true }}"
    ));
    network.flow.push("ecn = true".into());
    let observed = stage.run(&network)?;
    let told = observed.answers.iter().find(|answer| answer.kind == LossKind::Ecn);
    Ok(told.map(|answer| (observed, *answer)))
}

/// Most of the window that a signal leaves if it is answered. RFC 8085 and RFC 9743 name no number. The mildest cut of
/// the presets leaves 7/8 (`yeah`), and a window that a signal does not move is the same to one packet in 150.
const ANSWER_LEAVES: f64 = 0.95;

/// The three signals of congestion, one after another, each in a run of its own.
fn responds(stage: &mut Stage<'_>) -> Judged {
    needs_packets(stage.point(), 16.0, "a window that can fall")?;
    let parts = [("loss", after_losses(stage)?), ("delay", behind_a_queue(stage)?), ("marks", after_a_mark(stage)?)];
    let is_answer = |part: Option<f64>| part.is_some_and(|part| part <= ANSWER_LEAVES);
    let words = parts.map(|(signal, part)| format!("{signal}: {}", if is_answer(part) { "yes" } else { "no" }));
    let numbers = parts.map(|(_, part)| part.map_or_else(|| "-".into(), |part| format!("{part:.2}")));
    let seen = || format!("{}, with {} of the window left", words.join(" / "), numbers.join(" / "));
    check(parts.iter().any(|(_, part)| is_answer(*part)), seen, "0.95 of it at most, after one of them")?;
    Ok(seen())
}

/// A tenth of the packets of one round trip is lost: their retransmissions come after it, and arrive. A control that
/// the host tells of timeouts alone is judged by these.
fn after_losses(stage: &mut Stage<'_>) -> Result<Option<f64>, Miss> {
    let began = Time::ZERO + stage.point().rounds(SETTLED_ROUNDS);
    let observed = stage.run(&lossy(stage, stage.point().rtt, 0.1))?;
    let told = |kind: LossKind| observed.answers.iter().find(move |answer| answer.at >= began && answer.kind == kind);
    let answer = told(LossKind::DuplicateAcks).or_else(|| told(LossKind::Timeout));
    Ok(answer.map(|answer| later_part(observed, answer)))
}

/// The rate falls to a quarter, which is less than half of what LEDBAT and TCP-LP then use, and the queue drops nothing
/// from then on: a window that stays makes a queue that stands. A cut for a loss is no answer to it.
fn behind_a_queue(stage: &mut Stage<'_>) -> Result<Option<f64>, Miss> {
    let point = stage.point();
    let (begins, ends) = (point.rounds(SETTLED_ROUNDS), point.rounds(SETTLED_ROUNDS + QUEUE_ROUNDS));
    let changes = vec![(begins, format!("rate = {:?}\nqueue = \"{NEVER_FULL_PACKETS}p\"", rate(point.rate_bps / 4)))];
    let observed = stage.run(&Network { duration: ends, changes, ..stage.network() })?;
    let (begins, ends) = (Time::ZERO + begins, Time::ZERO + ends);
    let lost = |answer: &&Answer| answer.kind != LossKind::Ecn;
    let last_before = observed.answers.iter().rfind(|answer| lost(answer) && answer.at < begins);
    let first_after = observed.answers.iter().find(|answer| lost(answer) && answer.at >= begins);
    let calm = last_before.map_or(Time::ZERO, |answer| answer.at + point.rounds(4)).max(begins - point.rounds(20));
    let newest = || observed.moments.iter().rfind(|moment| moment.at < begins).map(allowed);
    let before = median_allowed(observed, calm, begins).or_else(newest).ok_or_else(nothing_seen)?;
    let until = first_after.map_or(ends, |answer| answer.at);
    let blocks = (0..QUEUE_ROUNDS).step_by(20).map(|round| begins + point.rounds(round));
    let after = blocks.filter_map(|from| median_allowed(observed, from, until.min(from + point.rounds(20))));
    Ok(after.reduce(f64::min).map(|least| least / before))
}

/// More packets than any control has in flight in these runs.
const NEVER_FULL_PACKETS: u64 = 1_000_000;
/// Vegas takes a packet from its window in a round trip, and the queue makes these many times as long.
const QUEUE_ROUNDS: u64 = 1_000;

/// The median hides a probe for the rate or for the base RTT.
fn median_allowed(observed: &Observed, from: Time, until: Time) -> Option<f64> {
    let moments = after(observed, from).take_while(|moment| moment.at < until);
    let mut found: Vec<f64> = moments.map(allowed).collect();
    found.sort_by(f64::total_cmp);
    found.get(found.len() / 2).copied()
}

/// What a control allows in a round trip: the lesser of its window and of its pace's packets.
fn allowed(moment: &Moment) -> f64 {
    let paced = moment.pace.zip(moment.rtt).map(|(pace, rtt)| pace * rtt.as_nanos() as f64 / 1e9);
    moment.window.min(paced.unwrap_or(f64::INFINITY))
}

fn after_a_mark(stage: &mut Stage<'_>) -> Result<Option<f64>, Miss> {
    Ok(first_mark(stage)?.map(|(observed, answer)| later_part(observed, &answer)))
}

/// A path that delivers no packet for this span, once the flow has settled.
fn silence(stage: &Stage<'_>, length: Span) -> Network {
    lossy(stage, length, 1.0)
}

/// A path that loses this part of the packets for this span, once the flow has settled.
fn lossy(stage: &Stage<'_>, length: Span, part: f64) -> Network {
    let begins = stage.point().rounds(SETTLED_ROUNDS);
    let ends = begins + length;
    let mut network = Network { duration: ends + Span::from_secs(4) + stage.point().rounds(20), ..stage.network() };
    network.changes = vec![(begins, format!("loss = {part}")), (ends, "loss = 0".into())];
    network
}

/// The window after the recovery that an event began, as a fraction of the window before it. The recovery is over a
/// round trip later, plus the time that a packet may have waited to leave. By two round trips CUBIC may have grown
/// again on long paths. Where nothing is acknowledged that late, it is the window after the event.
fn later_part(observed: &Observed, answer: &Answer) -> f64 {
    let rtt = after(observed, answer.at).find_map(|moment| moment.rtt);
    let later = rtt.and_then(|rtt| after(observed, answer.at + rtt + Span::from_nanos(rtt.as_nanos() / 8)).next());
    later.map_or(answer.window_after, |moment| moment.window) / answer.window_before
}

fn after(observed: &Observed, at: Time) -> impl Iterator<Item = &crate::observed::Moment> {
    observed.moments.iter().filter(move |moment| moment.at >= at)
}

fn left(answer: &Answer, part: f64) -> String {
    format!("{part:.2} of {:.0} packets, at {}", answer.window_before, seconds(answer.at))
}

fn nothing_seen() -> Miss {
    Miss::failed("nothing was acknowledged", "packets are acknowledged")
}
