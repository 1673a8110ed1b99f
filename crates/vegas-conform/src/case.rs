//! Cases and their findings.

use crate::grid::Point;
use crate::network::Network;
use crate::observed::Observed;
use crate::simulated::Subject;

/// One requirement on a congestion control.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its name on the command line: lower case and hyphens.
    pub name: &'static str,
    /// Its heading in its source.
    pub title: &'static str,
    /// The sections, functions or steps of its source that it checks.
    pub checks: &'static str,
    /// Makes the runs and judges them.
    pub judge: Judge,
    /// Judges a control that does not report the state that `judge` needs, by its behaviour from outside; none where no
    /// behaviour shows it.
    pub outside: Option<Judge>,
}

/// Makes runs on a stage, and judges them.
pub type Judge = fn(&mut Stage<'_>) -> Judged;

/// The observation, if it is as expected.
pub type Judged = Result<String, Miss>;

/// Why a case does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Miss {
    /// The observation is not as expected.
    Failed {
        /// The observation.
        seen: String,
        /// The expectation of the case.
        expected: String,
    },
    /// The control does not report the state that the judge inspects.
    Untold(&'static str),
    /// The case does not apply to this control, or not at this point of the grid; the text gives the reason.
    NotApplicable(String),
}

impl Miss {
    /// With this observation and this expectation.
    pub fn failed(seen: impl Into<String>, expected: impl Into<String>) -> Self {
        Miss::Failed { seen: seen.into(), expected: expected.into() }
    }

    /// With this reason.
    pub fn not_applicable(reason: impl Into<String>) -> Self {
        Miss::NotApplicable(reason.into())
    }
}

/// The verdict of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The control met the expectation; the text is the observation.
    Pass(String),
    /// The control did not meet the expectation.
    Fail {
        /// The observation.
        seen: String,
        /// The expectation of the case.
        expected: String,
    },
    /// The case does not apply here; the text gives the reason.
    NotApplicable(String),
}

impl From<Judged> for Verdict {
    fn from(judged: Judged) -> Self {
        match judged {
            Ok(seen) => Verdict::Pass(seen),
            Err(Miss::Failed { seen, expected }) => Verdict::Fail { seen, expected },
            Err(Miss::Untold(what)) => Verdict::NotApplicable(what.into()),
            Err(Miss::NotApplicable(reason)) => Verdict::NotApplicable(reason),
        }
    }
}

impl Verdict {
    /// `pass`, `fail` or `not applicable`.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Pass(_) => "pass",
            Verdict::Fail { .. } => "fail",
            Verdict::NotApplicable(_) => "not applicable",
        }
    }
}

/// A run, and the scenario to repeat it.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The scenario file.
    pub scenario: String,
    /// The observations.
    pub observed: Observed,
}

/// The least size of a full QUIC packet (RFC 9000, section 14.1), headers of UDP and IPv4 included.
pub(crate) const QUIC_PACKET_MIN: u64 = 1228;

/// The stage of a case: a point of the grid, and the subject. It keeps the newest run.
#[derive(Debug)]
pub struct Stage<'a> {
    subject: &'a dyn Subject,
    point: Point,
    case: &'static str,
    evidence: Option<Evidence>,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(subject: &'a dyn Subject, point: Point, case: &'static str) -> Self {
        Stage { subject, point, case, evidence: None }
    }

    /// The path.
    pub fn point(&self) -> Point {
        self.point
    }

    /// Whether the subject sends QUIC packets.
    pub fn is_quic(&self) -> bool {
        self.subject.is_quic()
    }

    /// The least size of a full packet, bytes: QUIC requires one.
    pub fn least_packet_bytes(&self) -> u64 {
        if self.is_quic() { QUIC_PACKET_MIN } else { 100 }
    }

    /// A path of this point without further features.
    pub fn network(&self) -> Network {
        Network { host_kind: self.subject.host(), ..Network::of(self.case, self.point) }
    }

    /// Runs the subject over a path; the run becomes the case's evidence. A run that fails is a miss.
    pub fn run(&mut self, network: &Network) -> Result<&Observed, Miss> {
        let scenario = network.text(&self.subject.flow());
        let observed = self.subject.run(&scenario).map_err(|line| Miss::failed(line, "a run to its end"))?;
        Ok(&self.evidence.insert(Evidence { scenario, observed }).observed)
    }

    pub(crate) fn into_evidence(self) -> Option<Evidence> {
        self.evidence
    }
}
