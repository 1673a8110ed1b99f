//! What a case is, and what it may find.

use crate::grid::Point;
use crate::network::Network;
use crate::observed::Observed;
use crate::report::Evidence;
use crate::simulated::Subject;

/// One thing that a congestion control has to do.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its name on the command line: lower case and hyphens.
    pub name: &'static str,
    /// The heading that its source gives it.
    pub title: &'static str,
    /// What it checks: sections, functions or steps of its source.
    pub checks: &'static str,
    /// Makes the runs and judges them.
    pub judge: Judge,
    /// Judges a control that does not tell what `judge` asks for, by what shows from outside; none where nothing does.
    pub outside: Option<Judge>,
}

/// Makes runs on a stage, and judges them.
pub type Judge = fn(&mut Stage<'_>) -> Judged;

/// What was seen, if it is what was expected.
pub type Judged = Result<String, Miss>;

/// Why a case does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// It was seen to do something else.
    Failed {
        /// What was seen.
        seen: String,
        /// What the case expects.
        expected: String,
    },
    /// The control does not tell what the judge looks at inside.
    Untold(&'static str),
    /// The case says nothing about this control, or nothing at this point of the grid, and why.
    NotApplicable(String),
}

impl Miss {
    /// Seen, and expected.
    pub fn failed(seen: impl Into<String>, expected: impl Into<String>) -> Self {
        Miss::Failed { seen: seen.into(), expected: expected.into() }
    }

    /// For this reason.
    pub fn not_applicable(reason: impl Into<String>) -> Self {
        Miss::NotApplicable(reason.into())
    }
}

/// What came out of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It did what the case expects; what was seen.
    Pass(String),
    /// It did not.
    Fail {
        /// What was seen.
        seen: String,
        /// What the case expects.
        expected: String,
    },
    /// The case says nothing here, and why.
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

/// The least of a packet that QUIC carries (RFC 9000, section 14.1), headers of UDP and IPv4 included.
pub(crate) const QUIC_PACKET_MIN: u64 = 1228;

/// Where a case is played: a point of the grid, and what plays. It remembers the newest run.
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

    /// Whether the subject's packets are QUIC's.
    pub fn is_quic(&self) -> bool {
        self.subject.is_quic()
    }

    /// The least bytes of a packet: QUIC has a least.
    pub fn least_packet_bytes(&self) -> u64 {
        if self.is_quic() { QUIC_PACKET_MIN } else { 100 }
    }

    /// A path of this point, with nothing special on it.
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
