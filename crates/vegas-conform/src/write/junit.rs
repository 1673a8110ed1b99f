//! `junit.xml`: every verdict, for continuous integration. A case that is not applicable counts as skipped.

use std::fmt::Write as _;

use crate::case::Verdict;
use crate::report::{Finding, Report};

/// One suite, with a test for each case and point.
pub fn junit_xml(report: &Report) -> String {
    let count = |name| report.findings.iter().filter(|finding| finding.verdict.name() == name).count();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // writing to a String cannot fail
    let _ = writeln!(
        xml,
        "<testsuite name=\"vegaslab conform {}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">",
        escaped(&report.subject),
        report.findings.len(),
        count("fail"),
        count("not applicable"),
    );
    for finding in &report.findings {
        xml.push_str(&test(&report.subject, finding));
    }
    xml.push_str("</testsuite>\n");
    xml
}

fn test(subject: &str, finding: &Finding) -> String {
    let (class, name) = (escaped(subject), format!("{} {}", finding.case.name, finding.point.name()));
    let within = match &finding.verdict {
        Verdict::Pass(seen) => format!("<system-out>{}</system-out>", escaped(seen)),
        Verdict::Fail { seen, expected } => {
            format!("<failure message=\"{}\">expected: {}</failure>", escaped(seen), escaped(expected))
        }
        Verdict::NotApplicable(reason) => format!("<skipped message=\"{}\"/>", escaped(reason)),
    };
    format!("  <testcase classname=\"{class}\" name=\"{name}\">{within}</testcase>\n")
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    // XML 1.0 allows no other control characters
    text.chars().filter(|character| !character.is_control() || matches!(character, '\n' | '\t')).collect()
}
