//! Plays cases on threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::case::{Case, Miss, Stage, Verdict};
use crate::grid::Point;
use crate::report::{Finding, Report};
use crate::simulated::Subject;

/// Plays each case at each point, on this number of threads, which does not affect the report; one is the calling one.
pub fn conform(subject: &dyn Subject, cases: &[Case], points: &[Point], threads: usize) -> Report {
    let plays: Vec<(&Case, Point)> = cases.iter().flat_map(|case| points.iter().map(move |at| (case, *at))).collect();
    let findings: Vec<Mutex<Option<Finding>>> = plays.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some((case, point)) = plays.get(place) else { return };
            let finding = play(subject, case, *point);
            *findings[place].lock().expect("no thread panics while it holds this") = Some(finding);
        }
    };
    match threads {
        // an interpreter knows the calling thread
        0 | 1 => work(),
        _ => thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work)))),
    }
    let found = findings.into_iter().filter_map(|place| place.into_inner().ok().flatten());
    let mut report = Report { subject: subject.name().into(), findings: found.collect() };
    keep_first(&mut report);
    report
}

fn play(subject: &dyn Subject, case: &Case, point: Point) -> Finding {
    let mut stage = Stage::new(subject, point, case.name);
    let inside = (case.judge)(&mut stage);
    let verdict = match (&inside, case.outside) {
        (Err(Miss::Untold(_)), Some(outside)) => outside(&mut stage).map(|seen| format!("from outside: {seen}")),
        _ => inside,
    };
    let verdict = Verdict::from(verdict);
    Finding { case: *case, point, verdict, evidence: stage.into_evidence() }
}

/// Keeps only the runs of the first point that passes and of the first that fails.
fn keep_first(report: &mut Report) {
    for findings in report.findings.chunk_by_mut(|one, next| one.case.name == next.case.name) {
        let (mut passed, mut failed) = (false, false);
        for finding in findings {
            let kind = if finding.failed() { &mut failed } else { &mut passed };
            if std::mem::replace(kind, true) {
                finding.evidence = None;
            }
        }
    }
}
