//! The path that a flow's capture shows, and a scenario file of it.
//!
//! What leaves the capture towards the receiver, and when each of it is acknowledged, are compared with a bottleneck's
//! arithmetic: the service with the queueing that explains the round-trip times best is the path's, and with it every
//! loss has a length of the queue. The simulated path then carries the same departures, and its arrivals and losses are
//! compared with the capture's.

mod base;
mod check;
mod evidence;
mod findings;
mod fit;
mod queue;
mod receiver;
mod scenario;
mod service;
mod trace;

pub use check::Check;
pub use findings::Finding;

use serde::Serialize;

use crate::path::base::{Level, levels};
use crate::path::evidence::{Busy, Evidence};
use crate::path::fit::Fit;
use crate::path::queue::{Limit, limit};
use crate::path::receiver::Acknowledging;
use crate::path::service::Fate;
use crate::tables::rows::Flow;
use crate::tcp::sender::log::Log;

/// The path of a flow.
#[derive(Clone, Debug, Serialize)]
pub struct Path {
    /// The number of the flow.
    pub flow: u32,
    /// What was found, with its evidence.
    pub findings: Vec<Finding>,
    /// How the simulated path's arrivals and losses agree with the capture's; none for a capture at the receiver.
    pub check: Option<Check>,
    /// The scenario file.
    #[serde(skip)]
    pub scenario: String,
    /// The trace of rates that it names: the file's name and text.
    #[serde(skip)]
    pub trace: Option<(&'static str, String)>,
}

/// What is known of a flow beside its departures and acknowledgements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) flow: &'a Flow,
    pub(crate) log: &'a Log,
    /// The name of the scenario.
    pub(crate) name: &'a str,
    /// The file that was read.
    pub(crate) file: &'a str,
    /// The beginning of the measurement, and the flow's first data, ns since 1970.
    pub(crate) origin: i64,
    pub(crate) first_at: i64,
}

/// What was worked out, before it is written down.
#[derive(Debug)]
struct Found {
    evidence: Evidence,
    busy: Busy,
    fit: Fit,
    /// The levels of the path's own delay, upstream half included, ns.
    levels: Vec<Level>,
    /// The upstream half, ns.
    upstream: i64,
    limit: Option<Limit>,
    /// The longest wait and the longest queue of the fitted service, ns and bytes.
    longest: (i64, u64),
    acknowledging: Acknowledging,
    /// Bytes of a full segment's IP packet, and of its headers.
    packet: u32,
    header: u32,
    is_at_receiver: bool,
}

/// Works the path out. None of a flow with too few round-trip samples.
pub(crate) fn find(subject: &Subject<'_>) -> Option<Path> {
    let found = Found::of(subject)?;
    let written = scenario::write(subject, &found);
    let check = (!found.is_at_receiver).then(|| check::check(&written, subject, &found)).flatten();
    let findings = findings::list(subject, &found);
    let checked = check.map_or_else(|| NOT_CHECKED.to_owned(), |check| check.to_string());
    let scenario = scenario::with_comments(&written.text, &findings, &checked, subject);
    Some(Path {
        flow: subject.flow.id,
        findings,
        check,
        scenario,
        trace: written.trace.map(|text| (scenario::TRACE, text)),
    })
}

const NOT_CHECKED: &str = "Not checked: departures are not in a capture at the receiver.";
/// The least number of round-trip samples.
pub(crate) const SAMPLES_LEAST: usize = 20;

fn limit_of(evidence: &Evidence, fit: &Fit) -> Option<Limit> {
    limit(&evidence.arrivals, &fit.service.carry(&evidence.arrivals, evidence.limit))
}

impl Found {
    fn of(subject: &Subject<'_>) -> Option<Found> {
        let is_at_receiver = subject.flow.capture_point == Some("receiver");
        let (packet, header) = evidence::sizes(subject.log);
        let mut evidence = Evidence::of(subject.log, packet, header, is_at_receiver);
        if evidence.samples.len() < SAMPLES_LEAST {
            return None;
        }
        let busy = Busy::of(&evidence)?;
        evidence.choose(busy.base);
        let fitted = |evidence: &Evidence| match is_at_receiver || !busy.has_queue() {
            true => Fit::of(&busy),
            false => evidence.best(&busy),
        };
        let mut fit = fitted(&evidence);
        if evidence.has_unknown() {
            // what is not known to have arrived had to find room
            evidence.limit = limit_of(&evidence, &fit).filter(|limit| limit.explains).map(|limit| limit.roundest());
            fit = if evidence.limit.is_some() { fitted(&evidence) } else { fit };
        }
        let crossings = fit.service.carry(&evidence.arrivals, evidence.limit);
        let upstream = if is_at_receiver { 0 } else { (subject.flow.upstream_rtt_ms.unwrap_or(0.0) * 1e6) as i64 };
        let residuals =
            if is_at_receiver || !busy.has_queue() { evidence.round_trips() } else { evidence.residuals(&crossings) };
        let mut levels = levels(&residuals);
        levels.iter_mut().for_each(|level| level.delay += upstream);
        let limit = if is_at_receiver { None } else { limit(&evidence.arrivals, &crossings) };
        let accepted = || evidence.arrivals.iter().zip(&crossings).filter(|(arrival, _)| arrival.fate == Fate::Arrived);
        let longest_wait = accepted().map(|(_, crossing)| crossing.delay).max().unwrap_or(0);
        let longest_queue =
            accepted().map(|(arrival, crossing)| crossing.backlog + u64::from(arrival.bytes)).max().unwrap_or(0);
        let acknowledging = Acknowledging::of(subject.log, i64::from(packet - header));
        let longest = (longest_wait, longest_queue);
        Some(Found {
            evidence,
            busy,
            fit,
            levels,
            upstream,
            limit,
            longest,
            acknowledging,
            packet,
            header,
            is_at_receiver,
        })
    }

    /// The least level of the path's own delay, ns: the base RTT but for a packet's transmission.
    fn least_delay(&self) -> i64 {
        // behind a token bucket a packet may leave before its own transmission has ended
        self.levels.iter().map(|level| level.delay).min().unwrap_or(self.busy.base + self.upstream).max(0)
    }
}
