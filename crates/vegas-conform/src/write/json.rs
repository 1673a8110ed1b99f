//! `cases.json`: every verdict, for programs.

use serde_json::{Value, json};

use crate::case::Verdict;
use crate::report::{Finding, Report};

/// The whole report without its runs; equal reports give equal text.
pub fn cases_json(report: &Report) -> String {
    let cases: Vec<Value> = report.by_case().map(case).collect();
    let value = json!({ "subject": report.subject, "passed": report.passed(), "cases": cases });
    format!("{value:#}\n")
}

fn case(findings: &[Finding]) -> Value {
    let case = findings[0].case;
    let verdicts: Vec<Value> = findings.iter().map(verdict).collect();
    json!({ "case": case.name, "title": case.title, "checks": case.checks, "verdicts": verdicts })
}

fn verdict(finding: &Finding) -> Value {
    let rtt_ms = finding.point.rtt.as_nanos() as f64 / 1e6;
    let mut value = json!({ "rate_bps": finding.point.rate_bps, "rtt_ms": rtt_ms, "verdict": finding.verdict.name() });
    match &finding.verdict {
        Verdict::Pass(seen) => value["seen"] = json!(seen),
        Verdict::Fail { seen, expected } => {
            value["seen"] = json!(seen);
            value["expected"] = json!(expected);
        }
        Verdict::NotApplicable(reason) => value["reason"] = json!(reason),
    }
    value
}
