//! Mahimahi's log of a link (`mm-link --uplink-log`): arrivals, departures, drops and opportunities, each with its time
//! in ms.

use crate::error::Read;
use crate::source::{Attend, Source};
use crate::tables::rows::{Incident, IncidentKind, Link, LinkSample};
use crate::tables::{Histogram, Recorder, Step};

const MS: i64 = 1_000_000;

/// Whether a text looks like such a log.
pub(crate) fn is_log(head: &str) -> bool {
    let mut lines = head.lines().filter(|line| !line.trim().is_empty());
    let is_named = head.starts_with("# mahimahi mm-link");
    is_named || lines.next().is_some_and(|line| !line.starts_with('#') && Line::of(line).is_some())
}

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Arrival { bytes: u64 },
    Departure { bytes: u64, delay_ms: i64 },
    Drop { packets: u64 },
    Opportunity { bytes: u64 },
}

impl Line {
    fn of(line: &str) -> Option<(i64, Line)> {
        let mut words = line.split_ascii_whitespace();
        let at_ms: i64 = words.next()?.parse().ok().filter(|ms| (0..=i64::MAX / MS / 2).contains(ms))?;
        let sign = words.next()?;
        let mut number = || words.next()?.parse::<u64>().ok().filter(|number| *number <= u64::from(u32::MAX));
        let line = match sign {
            "+" => Line::Arrival { bytes: number()? },
            "-" => Line::Departure { bytes: number()?, delay_ms: number()? as i64 },
            "d" => Line::Drop { packets: number()? },
            "#" => Line::Opportunity { bytes: number()? },
            _ => return None,
        };
        Some((at_ms, line))
    }
}

/// Reads a log.
pub(crate) fn read(source: &Source, attend: Attend<'_>, recorder: &mut Recorder) -> Read<()> {
    let mut lines = source.lines(attend)?;
    let mut link = Watched::default();
    let mut last_ms = None;
    while let Some((number, line)) = lines.next()? {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (at_ms, what) = Line::of(&line).ok_or_else(|| {
            lines
                .wrong(number, "is no line of a link's log: a time in ms, one of + - d #, and bytes, such as 15 + 1504")
        })?;
        if last_ms.is_some_and(|before| before > at_ms) {
            return Err(lines.wrong(number, "is earlier than the line before"));
        }
        last_ms = Some(at_ms);
        link.take(at_ms * MS, what, recorder)?;
    }
    link.finish(recorder)
}

/// A link, line by line.
#[derive(Debug, Default)]
struct Watched {
    step: Step,
    began: Option<i64>,
    at: i64,
    packets: u64,
    bytes: u64,
    /// Since the step began.
    most: u64,
    sent: u64,
    offered: u64,
    longest_ms: Option<f64>,
    /// Since the log began.
    drops: u64,
    most_of_all: u64,
    waiting: f64,
    sent_of_all: u64,
    offered_of_all: u64,
    delays: Histogram,
}

impl Watched {
    fn take(&mut self, at: i64, what: Line, recorder: &mut Recorder) -> Read<()> {
        self.began.get_or_insert(at);
        let time_s = recorder.seconds(at);
        let origin = recorder.origin().unwrap_or(at);
        if let Some(ended) = self.step.reach(at, origin, recorder.step_ns()) {
            self.row(ended.at, recorder.step_ns(), recorder)?;
            if let Some(until) = ended.idle_until {
                self.row(until, until - ended.at, recorder)?;
            }
        }
        self.waiting += self.packets as f64 * (at - self.at).max(0) as f64;
        self.at = at;
        match what {
            Line::Arrival { bytes } => {
                (self.packets, self.bytes) = (self.packets + 1, self.bytes + bytes);
                self.most = self.most.max(self.packets);
                self.most_of_all = self.most_of_all.max(self.packets);
            }
            Line::Departure { bytes, delay_ms } => {
                (self.packets, self.bytes) = (self.packets.saturating_sub(1), self.bytes.saturating_sub(bytes));
                (self.sent, self.sent_of_all) = (self.sent + bytes, self.sent_of_all + bytes);
                let delay_ms = delay_ms as f64;
                self.longest_ms = Some(self.longest_ms.map_or(delay_ms, |longest| longest.max(delay_ms)));
                self.delays.add(delay_ms);
            }
            Line::Drop { packets } => {
                self.drops += packets;
                let (kind, link) = (IncidentKind::QueueDrop, Some(0));
                recorder.incident(Incident { time_s, kind, flow: None, link, sequence: 0, retransmission: None })?;
            }
            Line::Opportunity { bytes } => {
                (self.offered, self.offered_of_all) = (self.offered + bytes, self.offered_of_all + bytes);
            }
        }
        Ok(())
    }

    fn row(&mut self, at: i64, length: i64, recorder: &mut Recorder) -> Read<()> {
        let mbps = |bytes: u64| bytes as f64 * 8e3 / length as f64;
        let part = |sent: u64, offered: u64| (offered > 0).then(|| (sent as f64 / offered as f64).min(1.0));
        recorder.link_sample(LinkSample {
            time_s: recorder.origin().map_or(0.0, |origin| (at - origin) as f64 / 1e9),
            queue_packets: u32::try_from(self.packets).unwrap_or(u32::MAX),
            queue_bytes: self.bytes,
            max_queue_packets: u32::try_from(self.most).unwrap_or(u32::MAX),
            drops: self.drops,
            throughput_mbps: mbps(self.sent),
            capacity_mbps: (self.offered_of_all > 0).then(|| mbps(self.offered)),
            utilisation: part(self.sent, self.offered),
            max_delay_ms: self.longest_ms,
        })?;
        (self.most, self.sent, self.offered, self.longest_ms) = (self.packets, 0, 0, None);
        Ok(())
    }

    fn finish(mut self, recorder: &mut Recorder) -> Read<()> {
        let Some(began) = self.began else { return Ok(()) };
        let (step, origin) = (recorder.step_ns(), recorder.origin().unwrap_or(began));
        let from = origin + (self.at - origin).div_euclid(step) * step;
        self.row(self.at.max(from + 1), (self.at - from).max(1), recorder)?;
        let part = (self.offered_of_all > 0).then(|| (self.sent_of_all as f64 / self.offered_of_all as f64).min(1.0));
        recorder.links.push(Link {
            id: "link".to_owned(),
            max_queue_packets: self.most_of_all,
            mean_queue_packets: self.waiting / (self.at - began).max(1) as f64,
            drops: self.drops,
            utilisation: part,
            mean_queueing_ms: self.delays.mean(),
            p50_queueing_ms: self.delays.percentile(0.5),
            p95_queueing_ms: self.delays.percentile(0.95),
            p99_queueing_ms: self.delays.percentile(0.99),
            max_queueing_ms: self.delays.most(),
        });
        Ok(())
    }
}
