//! The verdicts of all cases.

use crate::case::{Case, Evidence, Verdict};
use crate::grid::Point;

/// The verdict of one case at one point.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The case.
    pub case: Case,
    /// The point.
    pub point: Point,
    /// The verdict.
    pub verdict: Verdict,
    /// The run on which the verdict rests: kept for each case's first point, and for the points where it fails. None
    /// where no run was made.
    pub evidence: Option<Evidence>,
}

impl Finding {
    /// Whether the case failed.
    pub fn failed(&self) -> bool {
        matches!(self.verdict, Verdict::Fail { .. })
    }
}

/// The verdicts, ordered by case, and within a case by point, as requested.
#[derive(Clone, Debug)]
pub struct Report {
    /// The name of the subject.
    pub subject: String,
    /// One verdict for each case and point.
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

/// The finding of a case to show: the first that failed, else the first that was judged, else the first.
pub fn shown(findings: &[Finding]) -> Option<&Finding> {
    let failed = findings.iter().find(|finding| finding.failed());
    let judged = || findings.iter().find(|finding| matches!(finding.verdict, Verdict::Pass(_)));
    failed.or_else(judged).or(findings.first())
}
