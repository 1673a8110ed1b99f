//! Requirements on any congestion control, whatever its rule: the least that RFC 9002 requires of QUIC and RFC 5681 of
//! TCP. No case here needs to see inside.

use vegas_core::LossKind;
use vegas_core::units::{Span, Time};

use super::look::{check, seconds};
use crate::case::{Case, Judged, Miss, Stage};
use crate::network::Network;
use crate::observed::{Answer, Observed};

pub(super) static ALL: [Case; 6] = [
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
    let part = later_part(observed, &answer)?;
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

/// CoDel marks as soon as packets have waited longer than the sending time of a packet for a tenth of a round trip.
fn ce_response(stage: &mut Stage<'_>) -> Judged {
    let (point, limit) = (stage.point(), 2 * stage.network().queue_packets);
    let (target_ns, interval_ns) = ((1e9 / point.packets_per_second()) as u64, point.rtt.as_nanos() / 10);
    let mut network = Network { duration: stage.point().rounds(100), ..stage.network() };
    network.managed_queue = Some(format!(
        "{{ kind = \"codel\", limit = \"{limit}p\", target = \"{target_ns}ns\", interval = \"{interval_ns}ns\", ecn = true }}"
    ));
    network.flow.push("ecn = true".into());
    let observed = stage.run(&network)?;
    let told = observed.answers.iter().find(|answer| answer.kind == LossKind::Ecn);
    let answer = *told.ok_or_else(|| Miss::not_applicable("no mark was reported to it"))?;
    let part = later_part(observed, &answer)?;
    check(part <= MARK_LEAVES, || left(&answer, part), "0.85 of it at most, a round trip after the first mark")?;
    Ok(left(&answer, part))
}

/// A path that delivers no packet for this span, once the flow has settled.
fn silence(stage: &Stage<'_>, length: Span) -> Network {
    let begins = stage.point().rounds(SETTLED_ROUNDS);
    let ends = begins + length;
    let mut network = Network { duration: ends + Span::from_secs(4) + stage.point().rounds(20), ..stage.network() };
    network.changes = vec![(begins, "loss = 1".into()), (ends, "loss = 0".into())];
    network
}

/// The window after the recovery that an event began, as a fraction of the window before it. The recovery is over a
/// round trip later, plus the time that a packet may have waited to leave. By two round trips CUBIC may have grown
/// again on long paths.
fn later_part(observed: &Observed, answer: &Answer) -> Result<f64, Miss> {
    let rtt = after(observed, answer.at).find_map(|moment| moment.rtt).ok_or_else(nothing_seen)?;
    let later =
        after(observed, answer.at + rtt + Span::from_nanos(rtt.as_nanos() / 8)).next().ok_or_else(nothing_seen)?;
    Ok(later.window / answer.window_before)
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
