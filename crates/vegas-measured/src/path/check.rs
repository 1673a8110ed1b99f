//! The simulated path against the capture: the same departures through the scenario's own links.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use vegas_core::units::{Span, Time};
use vegas_sim::scenario::{EcnField, Folder, NamedText, Scenario};
use vegas_sim::{Carried, Carrier, Direction, Limits, Watch, WireSize};

use super::base::median;
use super::scenario::{Written, on_the_link};
use super::service::Fate;
use super::{Found, Subject};

/// How the simulated path's arrivals and losses agree with the capture's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Check {
    /// Packets that the simulated path carried.
    pub carried: u64,
    /// Arrivals that have a round-trip time of the capture to be compared with.
    pub compared: u64,
    /// How far the simulated round-trip times are from the captured ones, ms: half of them, and 95 %.
    pub p50_error_ms: f64,
    /// The 95th percentile.
    pub p95_error_ms: f64,
    /// Packets that both lost, only the capture's path, and only the simulated one.
    pub lost_in_both: u64,
    /// Only in the capture, with a full queue or without.
    pub lost_in_capture: u64,
    /// Only on the simulated path.
    pub lost_in_path: u64,
    /// Losses of the capture that are no overflow, and were left out.
    pub lost_elsewhere: u64,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Checked: the capture's {} departures through these links: of {} round-trip times half are within {:.2} ms \
             and 95 % within {:.2} ms; {} losses in both, {} in the capture only, {} on the simulated path only, {} \
             elsewhere.",
            self.carried,
            self.compared,
            self.p50_error_ms,
            self.p95_error_ms,
            self.lost_in_both,
            self.lost_in_capture,
            self.lost_in_path,
            self.lost_elsewhere
        )
    }
}

/// The trace that the scenario names.
struct Beside<'a>(Option<&'a str>);

impl Folder for Beside<'_> {
    fn trace(&self, name: &str) -> Result<NamedText, String> {
        match self.0 {
            Some(text) => Ok(NamedText { name: name.to_owned(), text: text.to_owned() }),
            None => Err(format!("{name}: there is no trace")),
        }
    }
}

/// Carries the capture's departures over the scenario's links; none if the scenario cannot be run.
pub(super) fn check(written: &Written, subject: &Subject<'_>, found: &Found) -> Option<Check> {
    let folder = Beside(written.trace.as_deref());
    // losses that are no overflow are those of the capture
    let overrides =
        if written.loss_ppm > 0 { vec![("topology.bottleneck.loss".to_owned(), "0".to_owned())] } else { Vec::new() };
    let mut no_stop = |_| None;
    let mut watch = Watch::new(Limits::default(), &mut no_stop);
    let scenario = Scenario::read_toml_in(&folder, &written.text, "path.toml", &overrides, &mut watch).ok()?;
    let arrivals = &found.evidence.arrivals;
    let has_room = rooms(found);
    let mut carrier = Carrier::new(&scenario);
    let mut arrived: Vec<Option<i64>> = vec![None; arrivals.len()];
    let mut take = |carrier: &mut Carrier| {
        for delivery in carrier.take_delivered() {
            arrived[delivery.number as usize] = i64::try_from(delivery.at.as_nanos()).ok();
        }
    };
    let mut found_by_check = Check::default();
    for (number, arrival) in arrivals.iter().enumerate() {
        if arrival.fate == Fate::Lost && has_room(number) {
            found_by_check.lost_elsewhere += 1;
            continue;
        }
        let at = Time::ZERO + Span::from_nanos(u64::try_from(arrival.at - subject.origin).unwrap_or(0));
        let bytes = on_the_link(found, u64::from(arrival.bytes)).min(u64::from(u16::MAX)) as u16;
        let (direction, wire, number) = (Direction::Forward, WireSize::new(bytes), number as u64);
        carrier.offer(at, Carried { flow: 0, direction, is_data: true, field: EcnField::NotEct, wire, number });
        found_by_check.carried += 1;
        if number % 4096 == 0 {
            take(&mut carrier);
        }
    }
    let end = Time::ZERO + scenario.duration;
    carrier.advance_to(end);
    take(&mut carrier);
    Some(
        found_by_check
            .compare(subject, found, &arrived, |number| arrivals[number].fate == Fate::Lost && has_room(number)),
    )
}

/// Returns what tells whether the queue had room for a packet.
fn rooms(found: &Found) -> impl Fn(usize) -> bool {
    let limit = found.limit.filter(|limit| limit.explains);
    let crossings = found.fit.service.carry(&found.evidence.arrivals, found.evidence.limit);
    let needed: Vec<u64> = crossings
        .iter()
        .zip(&found.evidence.arrivals)
        .map(|(crossing, arrival)| crossing.backlog + u64::from(arrival.bytes))
        .collect();
    move |number| limit.is_none_or(|limit| needed[number] <= limit.room)
}

impl Check {
    fn compare(
        mut self,
        subject: &Subject<'_>,
        found: &Found,
        arrived: &[Option<i64>],
        is_elsewhere: impl Fn(usize) -> bool,
    ) -> Check {
        let arrivals = &found.evidence.arrivals;
        // packets that are under way at the end are neither lost nor delivered
        let settled = arrived.iter().rposition(Option::is_some).unwrap_or(0);
        for (number, arrival) in arrivals.iter().enumerate().take(settled).filter(|(number, _)| !is_elsewhere(*number))
        {
            match (arrival.fate, arrived[number].is_none()) {
                (Fate::Lost, true) => self.lost_in_both += 1,
                (Fate::Lost, false) => self.lost_in_capture += 1,
                (Fate::Arrived, true) => self.lost_in_path += 1,
                (Fate::Arrived, false) | (Fate::Unknown, _) => {}
            }
        }
        let samples: BTreeMap<usize, i64> = found.evidence.samples.iter().copied().collect();
        let rest: Vec<i64> = samples
            .iter()
            .filter_map(|(number, rtt)| Some(rtt - (arrived[*number]? - (arrivals[*number].at - subject.origin))))
            .collect();
        let middle = median(rest.clone());
        let mut errors: Vec<i64> = rest.into_iter().map(|rest| (rest - middle).abs()).collect();
        errors.sort_unstable();
        let at = |part: f64| {
            errors.get(((errors.len().max(1) - 1) as f64 * part) as usize).copied().unwrap_or(0) as f64 / 1e6
        };
        (self.compared, self.p50_error_ms, self.p95_error_ms) = (errors.len() as u64, at(0.5), at(0.95));
        self
    }
}
