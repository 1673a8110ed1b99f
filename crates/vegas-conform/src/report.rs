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

    /// Compares the failures with those that are known, each as the name of its case and of its point: one line for
    /// each failure that is not among them, and for each of them that does not fail. A test expects no line.
    ///
    /// ```
    /// use vegas_conform::{Preset, cases, conform, grid};
    ///
    /// let report = conform(&Preset::named("reno").unwrap(), cases::generic(), &grid::QUICK, 2);
    /// assert_eq!(report.unexpected(&[("app-limited", "100mbit-30ms")]), Vec::<String>::new());
    /// let of_another = report.unexpected(&[("collapse", "100mbit-30ms")]);
    /// assert_eq!(of_another, ["app-limited 100mbit-30ms fails", "collapse 100mbit-30ms does not fail"]);
    /// ```
    pub fn unexpected(&self, known: &[(&str, &str)]) -> Vec<String> {
        let is_known = |finding: &Finding| known.contains(&(finding.case.name, finding.point.name().as_str()));
        let of = |finding: &Finding| format!("{} {}", finding.case.name, finding.point.name());
        let failures = self.findings.iter().filter(|finding| finding.failed());
        let new = failures.clone().filter(|finding| !is_known(finding)).map(|finding| format!("{} fails", of(finding)));
        let failed: Vec<String> = failures.map(of).collect();
        let known = known.iter().map(|(case, point)| format!("{case} {point}"));
        new.chain(known.filter(|name| !failed.contains(name)).map(|name| format!("{name} does not fail"))).collect()
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
