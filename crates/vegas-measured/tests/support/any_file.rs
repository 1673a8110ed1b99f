//! The rules for any bytes as a measurement's file: reading it ends with tables, or with an error of one line that
//! names the file; and so does asking which congestion control sent it.

use std::fs;

use vegas_measured::{MeasuredError, Options, PathOf, identify, read};

/// The file's name.
const NAME: &str = "given";

pub(crate) fn check(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(NAME);
    fs::write(&path, bytes).expect("the file is written");
    let options = Options { path: PathOf::Largest, ..Options::default() };
    match read(&path, None, options, &mut |_| false) {
        Ok(report) => assert!(report.duration_s >= 0.0 && report.duration_s.is_finite(), "{}", report.duration_s),
        Err(error) => is_one_line(&error),
    }
    let names = ["vegas-linux", "bbr3-linux", "lp"].map(str::to_owned);
    match identify(&path, PathOf::Largest, &names, &mut |_| false) {
        Ok(found) => assert!(found.candidates.iter().all(|candidate| candidate.error.is_finite()), "{found:?}"),
        Err(error) => is_one_line(&error),
    }
}

fn is_one_line(error: &MeasuredError) {
    let MeasuredError::Input(line) = error else { panic!("{error}") };
    assert!(line.contains(NAME) && !line.contains('\n'), "{line}");
}
