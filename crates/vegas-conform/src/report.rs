//! What came out of all cases.

use crate::case::{Case, Verdict};
use crate::grid::Point;
use crate::observed::Observed;

/// The verdict of one case at one point.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The case.
    pub case: Case,
    /// Where it was played.
    pub point: Point,
    /// What came out.
    pub verdict: Verdict,
    /// The run that it was judged by: of each case's first point, and of the points where it fails. None where nothing was
    /// run.
    pub evidence: Option<Evidence>,
}

impl Finding {
    /// Whether the case failed.
    pub fn failed(&self) -> bool {
        matches!(self.verdict, Verdict::Fail { .. })
    }
}

/// A run, and how to make it again.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The scenario file.
    pub scenario: String,
    /// What was seen.
    pub observed: Observed,
}

/// Verdicts, by case and within a case by point, in the order in which they were asked for.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was judged.
    pub subject: String,
    /// One a case and point.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether no case failed.
    pub fn passed(&self) -> bool {
        !self.findings.iter().any(Finding::failed)
    }

    /// The findings of each case.
    pub fn by_case(&self) -> impl Iterator<Item = &[Finding]> {
        self.findings.chunk_by(|one, next| one.case.name == next.case.name)
    }
}

/// Of one case's findings the one to look at: the first that failed, else the first that was judged, else the first.
pub fn shown(findings: &[Finding]) -> Option<&Finding> {
    let failed = findings.iter().find(|finding| finding.failed());
    let judged = || findings.iter().find(|finding| matches!(finding.verdict, Verdict::Pass(_)));
    failed.or_else(judged).or(findings.first())
}
