//! What is read, on its way into the tables.

use std::path::{Path, PathBuf};

use super::columns::{FLOW_SERIES, FLOWS, INCIDENTS, LINK_SERIES, LINKS, RTT_SAMPLES};
use super::rows::{Flow, FlowSample, Incident, IncidentKind, Link, LinkSample, RttSample};
use super::writer::Table;
use crate::error::Read;

/// The most flows of a table; those beyond are counted.
pub(crate) const FLOWS_MAX: usize = 100_000;
/// The most lines about what is odd.
const ODD_MAX: usize = 100;

/// Takes rows, and writes them into a folder; or counts them only.
pub(crate) struct Recorder {
    folder: Option<PathBuf>,
    step_ns: i64,
    /// The beginning of the measurement, ns since 1970.
    origin: Option<i64>,
    end: i64,
    flow_series: Table<FlowSample>,
    rtt_samples: Table<RttSample>,
    incidents: Table<Incident>,
    link_series: Option<Table<LinkSample>>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) links: Vec<Link>,
    /// What is odd about the measurement, a line each.
    pub(crate) odd: Vec<String>,
    next_flow: u32,
}

impl Recorder {
    pub(crate) fn new(folder: Option<&Path>, step_ns: i64) -> Read<Self> {
        Ok(Recorder {
            folder: folder.map(Path::to_owned),
            step_ns,
            origin: None,
            end: 0,
            flow_series: Table::new(&FLOW_SERIES, folder)?,
            rtt_samples: Table::new(&RTT_SAMPLES, folder)?,
            incidents: Table::new(&INCIDENTS, folder)?,
            link_series: None,
            flows: Vec::new(),
            links: Vec::new(),
            odd: Vec::new(),
            next_flow: 0,
        })
    }

    /// Returns the seconds from the beginning of the measurement, which is the first time that is asked for.
    pub(crate) fn seconds(&mut self, at: i64) -> f64 {
        let origin = *self.origin.get_or_insert(at);
        self.end = self.end.max(at);
        at.saturating_sub(origin) as f64 / 1e9
    }

    /// The beginning of the measurement, ns since 1970.
    pub(crate) fn origin(&self) -> Option<i64> {
        self.origin
    }

    /// How long the measurement lasted, s.
    pub(crate) fn duration_s(&self) -> f64 {
        self.origin.map_or(0.0, |origin| self.end.saturating_sub(origin) as f64 / 1e9)
    }

    pub(crate) fn step_ns(&self) -> i64 {
        self.step_ns
    }

    /// Returns the number of a new flow; none if there are too many.
    pub(crate) fn new_flow(&mut self) -> Option<u32> {
        let id = self.next_flow;
        self.next_flow = self.next_flow.saturating_add(1);
        ((id as usize) < FLOWS_MAX).then_some(id)
    }

    /// How many flows there were, those beyond the most included.
    pub(crate) fn flow_count(&self) -> u32 {
        self.next_flow
    }

    pub(crate) fn sample(&mut self, sample: FlowSample) -> Read<()> {
        self.flow_series.push(sample)
    }

    pub(crate) fn rtt(&mut self, sample: RttSample) -> Read<()> {
        self.rtt_samples.push(sample)
    }

    pub(crate) fn incident(&mut self, incident: Incident) -> Read<()> {
        self.incidents.push(incident)
    }

    /// Records what happened to a segment of a flow.
    pub(crate) fn of_flow(&mut self, at: i64, kind: IncidentKind, flow: u32, sequence: i64) -> Read<()> {
        let (time_s, sequence) = (self.seconds(at), sequence.max(0) as u64);
        self.incident(Incident { time_s, kind, flow: Some(flow), link: None, sequence, retransmission: None })
    }

    pub(crate) fn link_sample(&mut self, sample: LinkSample) -> Read<()> {
        if self.link_series.is_none() {
            self.link_series = Some(Table::new(&LINK_SERIES, self.folder.as_deref())?);
        }
        self.link_series.as_mut().map_or(Ok(()), |table| table.push(sample))
    }

    /// Says what is odd; of very many things the first ones.
    pub(crate) fn odd(&mut self, line: String) {
        if self.odd.len() < ODD_MAX {
            self.odd.push(line);
        }
    }

    /// Ends the tables' files. Returns the numbers of rows of the series, the samples and the incidents.
    pub(crate) fn close(mut self) -> Read<Recorded> {
        self.flows.sort_by_key(|flow| flow.id);
        let folder = self.folder.as_deref();
        let duration_s = self.duration_s();
        if self.link_series.is_some() || !self.links.is_empty() {
            let mut links = Table::new(&LINKS, folder)?;
            self.links.iter().try_for_each(|link| links.push(link.clone()))?;
            links.close()?;
        }
        let mut flows = Table::new(&FLOWS, folder)?;
        self.flows.iter().try_for_each(|flow| flows.push(flow.clone()))?;
        flows.close()?;
        let samples = self.rtt_samples.count;
        self.flow_series.close()?;
        self.rtt_samples.close()?;
        self.incidents.close()?;
        self.link_series.map_or(Ok(()), Table::close)?;
        let (flows, links, odd, origin) = (self.flows, self.links, self.odd, self.origin);
        Ok(Recorded { flows, links, odd, origin, duration_s, samples })
    }
}

/// What was recorded, apart from the series.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) flows: Vec<Flow>,
    pub(crate) links: Vec<Link>,
    pub(crate) odd: Vec<String>,
    pub(crate) origin: Option<i64>,
    pub(crate) duration_s: f64,
    pub(crate) samples: u64,
}

/// The steps of a series: the multiples of the step since the beginning at which something has changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    /// The end of the step that is under way.
    due: Option<i64>,
}

/// Steps that have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The end of the step in which something has changed.
    pub(crate) at: i64,
    /// The end of the last step since, if there were more, in which nothing has.
    pub(crate) idle_until: Option<i64>,
}

impl Step {
    /// Notes that something changes at `at`; returns the steps that have ended before it.
    pub(crate) fn reach(&mut self, at: i64, origin: i64, step: i64) -> Option<Ended> {
        let due = (origin + (at - origin).div_euclid(step) * step).saturating_add(step);
        let before = self.due.replace(due)?;
        if before >= due {
            self.due = Some(before);
            return None;
        }
        Some(Ended { at: before, idle_until: (due - step > before).then_some(due - step) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_in_which_nothing_happens_are_one() {
        let mut step = Step::default();
        assert_eq!(step.reach(105, 100, 10), None);
        assert_eq!(step.reach(109, 100, 10), None);
        assert_eq!(step.reach(110, 100, 10), Some(Ended { at: 110, idle_until: None }));
        assert_eq!(step.reach(155, 100, 10), Some(Ended { at: 120, idle_until: Some(150) }));
        assert_eq!(step.reach(155, 100, 10), None);
    }
}
