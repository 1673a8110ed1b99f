//! What was found, in words: each value with the range in which it may be, and its evidence.

use serde::Serialize;

use super::queue::Limit;
use super::receiver::Habit;
use super::service::{Fate, Service};
use super::{Found, Subject};

/// A property of the path or of the hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The property.
    pub what: &'static str,
    /// Its value, with the unit.
    pub value: String,
    /// The range in which it may be; empty if it is not in question.
    pub range: String,
    /// What shows it.
    pub evidence: String,
}

pub(super) fn list(subject: &Subject<'_>, found: &Found) -> Vec<Finding> {
    let mut list = vec![base_rtt(found), rate(found)];
    list.extend(changes(subject, found));
    list.extend([queue(found), losses(found), acknowledgements(found), window(subject)]);
    list.extend(handshake(subject));
    list
}

fn finding(what: &'static str, value: String, range: String, evidence: String) -> Finding {
    Finding { what, value, range, evidence }
}

fn ms(ns: i64) -> String {
    format!("{:.2} ms", ns as f64 / 1e6)
}

fn base_rtt(found: &Found) -> Finding {
    let least = found.busy.base + found.upstream;
    let samples = found.evidence.samples.len();
    let upstream = if found.upstream > 0 {
        format!(", {} of it on the sender's side of the capture", ms(found.upstream))
    } else {
        String::new()
    };
    let range = format!("{} to {}", ms(found.least_delay().min(least)), ms(found.least_delay().max(least)));
    finding(
        "base RTT",
        ms(least),
        range,
        format!("least of {samples} samples{upstream}; without a packet's transmission {}", ms(found.least_delay())),
    )
}

fn changes(subject: &Subject<'_>, found: &Found) -> Option<Finding> {
    const LISTED: usize = 6;
    if found.levels.len() < 2 {
        return None;
    }
    let seconds = |at: i64| (at - subject.origin) as f64 / 1e9;
    let mut levels: Vec<String> = found
        .levels
        .iter()
        .take(LISTED)
        .map(|level| format!("{} from {:.1} s", ms(level.delay), seconds(level.from)))
        .collect();
    if found.levels.len() > LISTED {
        levels.push(format!("and {} more", found.levels.len() - LISTED));
    }
    let evidence = "round-trip times of packets that found no queue, for three windows of 1 s at least".to_owned();
    Some(finding("base RTT changes", levels.join(", "), String::new(), evidence))
}

fn rate(found: &Found) -> Finding {
    let (low, high) = found.fit.between_mbps;
    let mbps = found.fit.service.mbps();
    let range = format!("{} to {} Mb/s", digits(low), digits(high));
    if !found.busy.has_queue() {
        let value = format!("at least {} Mb/s", digits(mbps));
        return finding("rate", value, range, "no queue stood: the greatest rate of delivery".to_owned());
    }
    let busy = format!("a queue stood in {} of {} windows", found.busy.windows, found.busy.of);
    if found.is_at_receiver {
        return finding("rate", format!("{} Mb/s", digits(mbps)), range, format!("median of arrivals; {busy}"));
    }
    let left = format!("round-trip times vary by {} beside its queueing", ms(found.fit.left as i64));
    let value = match &found.fit.service {
        Service::Constant { burst, .. } if *burst == 0.0 => format!("{} Mb/s, constant", digits(mbps)),
        Service::Constant { burst, .. } => format!("{} Mb/s, a token bucket of {burst:.0} bytes", digits(mbps)),
        Service::Periodic { period, bytes, .. } => {
            format!("{} Mb/s, opportunities of {bytes:.0} bytes each {:.2} ms", digits(mbps), period / 1e6)
        }
        Service::Recorded { .. } => format!("{} Mb/s, varying", digits(mbps)),
    };
    finding("rate", value, range, format!("{left}; {busy}"))
}

/// Four digits that count.
pub(super) fn digits(number: f64) -> String {
    let magnitude = number.abs().max(1e-9).log10().floor() as i32;
    format!("{number:.*}", usize::try_from(3 - magnitude).unwrap_or(0).min(6))
}

fn queue(found: &Found) -> Finding {
    let what = "queue limit";
    if found.is_at_receiver {
        let bytes = found.busy.longest as f64 / 1e9 * found.fit.service.mbps() * 1e6 / 8.0;
        let evidence =
            format!("the longest wait was {}; departures are not in a capture at the receiver", ms(found.busy.longest));
        return finding(what, format!("at least {bytes:.0} bytes"), String::new(), evidence);
    }
    match found.limit.as_ref().filter(|limit| limit.explains) {
        Some(limit) => finding(what, format!("{} bytes", limit.roundest()), range_of(limit), evidence_of(limit)),
        None => {
            let losses = found.limit.map_or(0, |limit| limit.losses);
            let why = if losses == 0 {
                "nothing was lost".to_owned()
            } else {
                format!("{losses} losses happened at any length of the queue")
            };
            let (wait, bytes) = found.longest;
            finding(
                what,
                format!("at least {bytes} bytes"),
                String::new(),
                format!("{why}; the longest queue took {}", ms(wait)),
            )
        }
    }
}

fn range_of(limit: &Limit) -> String {
    format!("{} to {} bytes", limit.between.0, limit.between.1)
}

fn evidence_of(limit: &Limit) -> String {
    let full = limit.losses - limit.lost_with_room;
    format!(
        "{full} of {} losses found the queue full; of {} packets {} were accepted beyond it",
        limit.losses, limit.packets, limit.accepted_beyond
    )
}

fn losses(found: &Found) -> Finding {
    let lost = found.evidence.arrivals.iter().filter(|arrival| arrival.fate == Fate::Lost).count() as u64;
    let packets = found.evidence.arrivals.len() as u64;
    let percent = |some: u64| 100.0 * some as f64 / packets.max(1) as f64;
    let value = match random_losses(found) {
        0 => "none".to_owned(),
        random => format!("{:.3} %", percent(random)),
    };
    finding(
        "losses with room in the queue",
        value,
        String::new(),
        format!("{lost} of {packets} packets were lost in all, {:.3} %", percent(lost)),
    )
}

/// Losses that the queue does not explain.
pub(super) fn random_losses(found: &Found) -> u64 {
    const FEW: u64 = 3;
    match &found.limit {
        Some(limit) if limit.explains && limit.lost_with_room < FEW.max(limit.losses / 10) => 0,
        Some(limit) if limit.explains => limit.lost_with_room,
        Some(limit) => limit.losses,
        None => 0,
    }
}

fn acknowledgements(found: &Found) -> Finding {
    let acks = &found.acknowledging;
    let value = match acks.habit() {
        Habit::Each => "each segment is acknowledged".to_owned(),
        Habit::MergedAtTimes => format!("each segment, at times up to {} at once", acks.most),
        Habit::EverySecond => "every second segment is acknowledged".to_owned(),
        Habit::Merged => format!("merged: {:.1} segments an acknowledgement, up to {}", acks.mean, acks.most),
        Habit::Unknown => "unknown".to_owned(),
    };
    let evidence = format!(
        "{} acknowledgements of one segment, {} of two, {} of more; the first {} of one",
        acks.one, acks.two, acks.more, acks.at_once
    );
    finding("acknowledgements", value, String::new(), evidence)
}

fn window(subject: &Subject<'_>) -> Finding {
    let flow = subject.flow;
    let limited = flow.window_limited.unwrap_or(0);
    let value = flow.max_window_bytes.map_or("unknown".to_owned(), |most| format!("{most} bytes at most"));
    let first = flow
        .first_window_bytes
        .map_or("the handshake was not seen".to_owned(), |first| format!("{first} bytes at first"));
    let evidence =
        format!("{first}; {limited} of {} segments left with no room for another", flow.segments_sent.unwrap_or(0));
    finding("receive window", value, String::new(), evidence)
}

fn handshake(subject: &Subject<'_>) -> Vec<Finding> {
    let flow = subject.flow;
    let known = |what, value: Option<bool>| {
        let text = value.map_or("unknown", |on| if on { "on" } else { "off" });
        let evidence = if value.is_some() { "both SYNs" } else { "the handshake was not seen" };
        finding(what, text.to_owned(), String::new(), evidence.to_owned())
    };
    let marks = format!("{} segments came marked, {} echoes", flow.marks.unwrap_or(0), flow.marked_acks.unwrap_or(0));
    let ecn = finding("ECN", flow.ecn.unwrap_or("unknown").to_owned(), String::new(), marks);
    vec![known("SACK", flow.sack), known("time stamps", flow.timestamps), ecn]
}
