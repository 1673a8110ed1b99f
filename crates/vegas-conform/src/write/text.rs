//! Every verdict on a line, for readers of a terminal.

use std::fmt::Write as _;

use crate::case::Verdict;
use crate::report::{Finding, Report};

/// One line for each verdict: verdict, case, point, and observation.
pub fn text(report: &Report) -> String {
    let mut text = format!("{}\n", report.subject);
    for finding in &report.findings {
        // writing to a String cannot fail
        let _ = writeln!(text, "{}", line(finding));
    }
    text
}

fn line(finding: &Finding) -> String {
    let said = match &finding.verdict {
        Verdict::Pass(seen) => seen.clone(),
        Verdict::Fail { seen, expected } => format!("{seen}; expected: {expected} ({})", finding.case.checks),
        Verdict::NotApplicable(reason) => reason.clone(),
    };
    format!("{:<14} {:<16} {:<14} {said}", finding.verdict.name(), finding.case.name, finding.point.name())
}
