//! The path as a scenario file: keys that were measured, and as comments what they rest on.

use std::fmt::Write as _;

use super::findings::{Finding, digits, random_losses};
use super::queue::roundest;
use super::receiver::Habit;
use super::service::{OPPORTUNITY_BYTES, Service};
use super::{Found, Subject};
use crate::tables::rows::Flow;

/// The name of the file with the trace of rates.
pub(super) const TRACE: &str = "rate.trace";
/// How long an application takes to read what came: docs/networks.md, "Merged acknowledgements".
const READS_AFTER_US: u64 = 20;
/// The algorithm of the file: a capture does not name the sender's.
const ALGORITHM: &str = "cubic-linux";

/// A scenario as text, and its trace.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) trace: Option<String>,
    /// The losses that are no overflow of the queue, in parts of a million.
    pub(super) loss_ppm: u64,
}

pub(super) fn write(subject: &Subject<'_>, found: &Found) -> Written {
    let trace = trace(subject, found);
    let packets = found.evidence.arrivals.len().max(1) as u64;
    let loss_ppm = random_losses(found) * 1_000_000 / packets;
    let mut lines: Vec<String> = Vec::new();
    let mut line = |line: String| lines.push(line);
    let duration_s =
        (found.evidence.deliveries.last().map_or(subject.first_at, |last| last.0) - subject.origin) as f64 / 1e9;
    line(format!("name = \"{}\"", subject.name));
    line(format!("description = \"The path of flow {} of a measurement\"", subject.flow.id));
    line(format!("duration = \"{}s\"", duration_s.ceil().max(1.0)));
    line(String::new());
    line("[topology]".to_owned());
    line("kind = \"dumbbell\"".to_owned());
    line(format!("access = {{ rate = \"{}\", delay = \"0s\" }}", access(found)));
    line(String::new());
    line("[topology.bottleneck]".to_owned());
    line(match &trace {
        Some(_) => format!("rate = {{ trace = \"{TRACE}\" }}"),
        None => format!("rate = \"{}\"", rate(found)),
    });
    line(format!("delay = \"{}us\"", found.least_delay().max(0) / 2000));
    line(format!("queue = \"{}b\"", on_the_link(found, queue(found))));
    if loss_ppm > 0 {
        line(format!("loss = {}", loss_ppm as f64 / 1e6));
    }
    if let Some(schedule) = schedule(subject, found) {
        line(schedule);
    }
    line(format!("backward = {{ rate = \"{}\", queue = \"unlimited\" }}", access(found)));
    line(String::new());
    flow(subject, found).into_iter().for_each(&mut line);
    let text = lines.join("\n") + "\n";
    Written { text, trace, loss_ppm }
}

/// The rate of the links that are no bottleneck.
fn access(found: &Found) -> &'static str {
    let mbps = found.fit.service.mbps().max(found.fit.between_mbps.1);
    match () {
        () if mbps <= 100.0 => "1gbit",
        () if mbps <= 1_000.0 => "10gbit",
        () => "1tbit",
    }
}

/// The bytes that a packet takes of the link: what the link adds to it is part of its size in a scenario, as an
/// opportunity there has 1500.
pub(super) fn on_the_link(found: &Found, bytes: u64) -> u64 {
    match found.fit.service {
        Service::Periodic { bytes: each, .. } => (bytes as f64 * f64::from(OPPORTUNITY_BYTES) / each).round() as u64,
        Service::Constant { .. } | Service::Recorded { .. } => bytes,
    }
}

/// The roundest constant rate in the range.
fn rate(found: &Found) -> String {
    let (low, high) = found.fit.between_mbps;
    let mbps = found.fit.service.mbps();
    let bits = |mbps: f64| (mbps * 1e6).round().max(1.0) as u64;
    let is_exact = found.busy.has_queue() && !found.is_at_receiver;
    let bits_a_second = if is_exact {
        roundest(bits(low.min(mbps)), bits(high.max(mbps)))
    } else {
        bits(digits(mbps).parse().unwrap_or(mbps))
    };
    format!("{bits_a_second}bit")
}

fn queue(found: &Found) -> u64 {
    match found.limit.as_ref().filter(|limit| limit.explains) {
        Some(limit) => limit.roundest(),
        None => {
            let waited = found.busy.longest as f64 / 8e9 * found.fit.service.mbps() * 1e6;
            let seen = if found.is_at_receiver || !found.busy.has_queue() { waited as u64 } else { found.longest.1 };
            seen.max(2 * u64::from(found.packet))
        }
    }
}

fn schedule(subject: &Subject<'_>, found: &Found) -> Option<String> {
    if found.levels.len() < 2 {
        return None;
    }
    let least = found.least_delay();
    let above_us = |delay: i64| (delay - least) / 1000;
    let most = found.levels.iter().map(|level| above_us(level.delay)).max()?;
    let points: Vec<String> = found
        .levels
        .iter()
        .map(|level| {
            format!("[\"{}us\", \"{}us\"]", (level.from - subject.origin).max(0) / 1000, above_us(level.delay))
        })
        .collect();
    Some(format!("delay_schedule = {{ limit = \"{most}us\", points = [{}] }}", points.join(", ")))
}

fn flow(subject: &Subject<'_>, found: &Found) -> Vec<String> {
    let flow = subject.flow;
    let mut lines = vec!["[[flow]]".to_owned(), format!("algorithm = \"{ALGORITHM}\"")];
    // the host shakes hands first, for a round trip
    let first_us = ((subject.first_at - subject.origin - found.busy.base - found.upstream) / 1000).max(0);
    if first_us > 0 {
        lines.push(format!("start = \"{first_us}us\""));
    }
    if let (Some(_), Some(bytes)) = (flow.completion_s, flow.delivered_bytes) {
        lines.push(format!("size = \"{bytes}b\""));
    }
    let packet = on_the_link(found, u64::from(found.packet));
    lines.push(format!("packet = \"{packet}b\""));
    lines.push(format!("header = \"{}b\"", packet - u64::from(found.packet - found.header)));
    lines.push(format!("ack = \"{}b\"", found.acknowledging.ip_bytes));
    let mss = f64::from((found.packet - found.header).max(1));
    let first_flight = flow.first_flight_bytes.unwrap_or(0) as f64 / mss;
    if (2.0..=64.0).contains(&first_flight) {
        lines.push(format!("initial_window = {}    # segments", first_flight.round()));
    }
    if matches!(flow.ecn, Some("classic" | "accurate")) {
        lines.push("ecn = true".to_owned());
    }
    lines.extend([String::new(), "[flow.host]".to_owned(), "kind = \"linux\"".to_owned()]);
    if let Some(sack) = flow.sack {
        lines.push(format!("sack = {sack}"));
    }
    if let Some(timestamps) = flow.timestamps {
        lines.push(format!("timestamps = {timestamps}"));
    }
    lines.push(match found.acknowledging.habit() {
        Habit::Each => "delayed_ack = false".to_owned(),
        Habit::MergedAtTimes | Habit::EverySecond | Habit::Merged | Habit::Unknown => {
            "delayed_ack = \"linux\"".to_owned()
        }
    });
    if found.acknowledging.waits_for_reads() {
        lines.push(format!("reads_after = \"{READS_AFTER_US}us\""));
    }
    lines.extend(receive_window(flow, mss, found.acknowledging.waits_for_reads()));
    lines
}

/// A window that grew is one that the receiver tunes; where it never limited the sender, nothing says how far it would
/// have grown. With one that stands a Linux receiver has no reason to wait until data are read: then it is tuned, too.
fn receive_window(flow: &Flow, mss: f64, waits_for_reads: bool) -> Option<String> {
    const TUNED_MOST: u64 = 3 << 20;
    let most = flow.max_window_bytes?;
    let first = flow.first_window_bytes.filter(|first| *first < most && *first as f64 >= 2.0 * mss);
    Some(match first {
        Some(first) => {
            let max = if flow.window_limited == Some(0) { most.max(TUNED_MOST) } else { most };
            format!("receive_window = {{ initial = \"{first}b\", max = \"{max}b\" }}")
        }
        None if waits_for_reads && flow.window_limited == Some(0) => {
            format!("receive_window = \"linux\"    # the capture has {most} bytes, which never limit the sender")
        }
        None => {
            let segments = (most as f64 / mss).clamp(2.0, 1_048_576.0).floor();
            format!("receive_window = {segments}    # segments of {mss} bytes; the capture has {most} bytes")
        }
    })
}

/// The opportunities in Mahimahi's format: from the beginning of the measurement to its end, and then again.
fn trace(subject: &Subject<'_>, found: &Found) -> Option<String> {
    let end = found.evidence.deliveries.last()?.0;
    let times: Vec<i64> = match &found.fit.service {
        Service::Constant { .. } => return None,
        Service::Recorded { times } => times.clone(),
        Service::Periodic { period, phase, .. } => {
            let first = ((subject.origin as f64 - phase) / period).ceil() as i64;
            let last = ((end as f64 - phase) / period).ceil() as i64;
            (first..=last).map(|number| (phase + number as f64 * period) as i64).collect()
        }
    };
    let mut text = String::new();
    let mut last = 0;
    for time in times.iter().map(|time| (time - subject.origin + 500_000) / 1_000_000).filter(|ms| *ms >= 0) {
        last = time;
        let _ = writeln!(text, "{time}");
    }
    (last > 0).then_some(text)
}

/// Returns the file: the text behind what it rests on.
pub(super) fn with_comments(text: &str, findings: &[Finding], checked: &str, subject: &Subject<'_>) -> String {
    let mut lines = vec![
        format!("The path of flow {} ({}), worked out of {}.", subject.flow.id, subject.flow.connection, subject.file),
        format!(
            "A capture does not name the congestion control: {ALGORITHM} stands for it. Edit this file, and run it:"
        ),
        "  vegaslab run path.toml".to_owned(),
        "  vegaslab compare path.toml -a cubic-linux -a bbr3 -a vegas-linux".to_owned(),
        String::new(),
    ];
    for finding in findings {
        let range = if finding.range.is_empty() { String::new() } else { format!(" ({})", finding.range) };
        lines.push(format!("{}: {}{range}: {}", finding.what, finding.value, finding.evidence));
    }
    lines.push(String::new());
    lines.push(checked.to_owned());
    let comments: String = lines
        .iter()
        .flat_map(|line| wrapped(line))
        .map(|line| format!("# {line}").trim_end().to_owned() + "\n")
        .collect();
    comments + "\n" + text
}

/// Divides a comment into lines of the usual width.
fn wrapped(text: &str) -> Vec<String> {
    const WIDTH: usize = 116;
    let indent = text.len() - text.trim_start().len();
    let mut lines = vec![" ".repeat(indent)];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let is_first = lines[last].trim().is_empty();
        if is_first || lines[last].chars().count() + 1 + word.chars().count() <= WIDTH {
            lines[last].push_str(if is_first { "" } else { " " });
            lines[last].push_str(word);
        } else {
            lines.push(format!("  {word}"));
        }
    }
    lines
}
