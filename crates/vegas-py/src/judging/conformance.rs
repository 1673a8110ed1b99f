//! The conformance kit: a report as a Python object.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use vegas_conform::write::{cases_json, junit_xml, qlog_json};
use vegas_conform::{Case, Evidence, Finding, Moment, Preset, Report, UNBOUNDED, Verdict, cases, grid, shown};

use crate::attended::{Stopped, attended};
use crate::own::{Outside, known_to_python};

/// What came out of the cases. Made by `conform`.
#[pyclass(frozen, module = "vegaslab")]
pub(crate) struct Conformance {
    report: Report,
}

/// A verdict: case, point of the grid, verdict, what was seen, what was expected.
type Row = (&'static str, String, &'static str, String, Option<String>);

/// A case's variables over time: their names, and a column each.
type Columns = Vec<(&'static str, Vec<Option<f64>>)>;

#[pymethods]
impl Conformance {
    /// Whether no case failed.
    #[getter]
    fn passed(&self) -> bool {
        self.report.passed()
    }

    /// The verdicts: case, point, verdict, what was seen or why it does not apply, what was expected of one that fails.
    #[getter]
    fn rows(&self) -> Vec<Row> {
        self.report.findings.iter().map(row).collect()
    }

    /// The report without runs, as JSON.
    fn cases_json(&self) -> String {
        cases_json(&self.report)
    }

    /// The report as JUnit's XML.
    fn junit_xml(&self) -> String {
        junit_xml(&self.report)
    }

    /// By case the run to look at: its point, its scenario file, its qlog file and its variables.
    fn runs(&self) -> Vec<(&'static str, String, String, String, Columns)> {
        let shown = self.report.by_case().filter_map(shown);
        shown.filter_map(|finding| Some(run(finding, finding.evidence.as_ref()?))).collect()
    }
}

fn row(finding: &Finding) -> Row {
    let (seen, expected) = match &finding.verdict {
        Verdict::Pass(text) | Verdict::NotApplicable(text) => (text.clone(), None),
        Verdict::Fail { seen, expected } => (seen.clone(), Some(expected.clone())),
    };
    (finding.case.name, finding.point.name(), finding.verdict.name(), seen, expected)
}

fn run(finding: &Finding, evidence: &Evidence) -> (&'static str, String, String, String, Columns) {
    let qlog = qlog_json(finding.case.title, &evidence.observed);
    (finding.case.name, finding.point.name(), evidence.scenario.clone(), qlog, columns(&evidence.observed.moments))
}

fn bound(value: i64) -> Option<f64> {
    (value < UNBOUNDED).then_some(value as f64)
}

fn columns(moments: &[Moment]) -> Columns {
    let column = |value: fn(&Moment) -> Option<f64>| moments.iter().map(value).collect();
    vec![
        ("time_s", column(|moment| Some(moment.at.as_nanos() as f64 / 1e9))),
        ("cwnd_segments", column(|moment| Some(moment.window))),
        ("in_flight_segments", column(|moment| Some(moment.in_flight.into()))),
        ("inflight_longterm_segments", column(|moment| moment.inside?.inflight_longterm.and_then(bound))),
        ("inflight_shortterm_segments", column(|moment| moment.inside?.inflight_shortterm.and_then(bound))),
        ("pace_per_s", column(|moment| moment.pace)),
        ("delivery_rate_per_s", column(|moment| moment.rate)),
        ("max_bw_per_s", column(|moment| Some(moment.inside?.max_bw? as f64 / 1e3))),
        ("bw_shortterm_per_s", column(|moment| Some(moment.inside?.bw_shortterm.and_then(bound)? / 1e3))),
        ("rtt_ms", column(|moment| Some(moment.rtt?.as_nanos() as f64 / 1e6))),
        ("min_rtt_ms", column(|moment| Some(moment.inside?.min_rtt_us? as f64 / 1e3))),
        ("state", column(|moment| Some(moment.inside?.state as u8 as f64))),
    ]
}

/// A suite: its name, and what returns its cases.
type Suite = (&'static str, fn() -> &'static [Case]);

/// The cases of the BBR draft, and those of any congestion control.
const SUITES: [Suite; 2] = [("bbr", cases::bbr), ("generic", cases::generic)];

fn suite(name: &str) -> PyResult<&'static [Case]> {
    let found = SUITES.iter().find(|(known, _)| *known == name);
    let names = || SUITES.map(|(known, _)| known).join(", ");
    found
        .map(|(_, cases)| cases())
        .ok_or_else(|| PyValueError::new_err(format!("--suite: {name:?}; one of {}", names())))
}

/// The cases of all suites: suite, name, heading, and what each checks.
#[pyfunction]
pub(crate) fn conformance_cases() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let of_suite = |(suite, cases): &Suite| {
        let suite = *suite;
        cases().iter().map(move |case| (suite, case.name, case.title, case.checks))
    };
    SUITES.iter().flat_map(of_suite).collect()
}

/// Plays the cases of these names in a suite, all if no names are given, with the algorithm that scenario files call
/// `algorithm` (a TOML value) and reports call `name`; on `threads` threads. `quick` leaves out most of the grid.
/// Raises `ValueError` for an algorithm or a case that there is not.
#[pyfunction]
#[pyo3(signature = (name, algorithm, *, suite="bbr", names=Vec::new(), quick=false, threads=1))]
pub(crate) fn conform(
    py: Python<'_>,
    name: &str,
    algorithm: &str,
    suite: &str,
    names: Vec<String>,
    quick: bool,
    threads: usize,
) -> PyResult<Conformance> {
    let subject = Preset::written(name, algorithm, Some(Arc::new(Outside)));
    let calls_python = algorithm.contains("python");
    let (cases, points) = (chosen(suite, &names)?, if quick { &grid::QUICK[..] } else { &grid::WHOLE[..] });
    let done = attended(
        py,
        if calls_python { Stopped::WaitedFor } else { Stopped::LeftBehind },
        move |ties| {
            let subject = subject.stopped_by(ties.stop());
            // one thread that the interpreter knows calls Python; others must not outlive it
            let threads = if calls_python { 1 } else { threads };
            let play = || {
                subject.check()?;
                Ok(vegas_conform::conform(&subject, &cases, points, threads))
            };
            if calls_python { known_to_python(play) } else { play() }
        },
        |_| Ok(()),
    )?;
    done.map(|report| Conformance { report }).map_err(|line: String| PyValueError::new_err(line))
}

fn chosen(suite: &str, names: &[String]) -> PyResult<Vec<Case>> {
    let cases = self::suite(suite)?;
    let unknown = names.iter().find(|name| cases.iter().all(|case| case.name != name.as_str()));
    if let Some(name) = unknown {
        let line = format!("--case: suite {suite} has no case {name:?}; vegaslab list cases has them");
        return Err(PyValueError::new_err(line));
    }
    let wanted = |case: &&Case| names.is_empty() || names.iter().any(|name| name == case.name);
    Ok(cases.iter().filter(wanted).copied().collect())
}
