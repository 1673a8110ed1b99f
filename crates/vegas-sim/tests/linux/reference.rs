//! Reads the traces of Linux: a row per change of window, threshold or state.

use std::path::{Path, PathBuf};

/// Where the traces lie, if they do: beside the checkout, not in it.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/linux");
    folder.is_dir().then_some(folder)
}

/// Every trace there is, by the name of its log of changes.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let name = |file: std::io::Result<std::fs::DirEntry>| file.expect("an entry").file_name().into_string().ok();
    let trace = |name: String| Some(name.strip_prefix("linux_")?.strip_suffix("_chg.csv")?.to_owned());
    files.filter_map(name).filter_map(trace).collect()
}

/// The changes of one run.
pub(crate) struct Trace {
    rows: Vec<Change>,
    /// Payload acknowledged by the end.
    acked_bytes: f64,
}

struct Change {
    time_s: f64,
    window: f64,
    /// -1 before there is one.
    ssthresh: f64,
    state: String,
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Trace {
    pub(crate) fn read(folder: &Path, name: &str) -> Trace {
        let path = folder.join(format!("linux_{name}_chg.csv"));
        let text = read(&path);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("t_s,cwnd,ssthresh,ca_state,bytes_acked,rtt_us,src"), "{}", path.display());
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |at: usize| cells[at].parse().unwrap_or_else(|_| panic!("{}: {line}", path.display()));
            Change { time_s: number(0), window: number(1), ssthresh: number(2), state: cells[3].into() }
        };
        let samples = read(&folder.join(format!("linux_{name}.csv")));
        let last = samples.lines().last().expect("a sample");
        let acked_bytes = last.split(',').nth(5).and_then(|cell| cell.parse().ok()).expect("bytes acknowledged");
        Trace { rows: lines.map(row).collect(), acked_bytes }
    }

    /// When slow start first had a threshold, and the window before it.
    pub(crate) fn slow_start_end(&self) -> (f64, f64) {
        let at = self.rows.iter().position(|row| row.ssthresh >= 0.0).expect("an end of slow start");
        (self.rows[at].time_s, self.rows[at - 1].window)
    }

    /// Times and windows.
    pub(crate) fn windows(&self) -> Vec<(f64, f64)> {
        self.rows.iter().map(|row| (row.time_s, row.window)).collect()
    }

    /// When a recovery began, and the window before it.
    pub(crate) fn cuts(&self) -> Vec<(f64, f64)> {
        let begins = |pair: &&[Change]| pair[1].state == "Recovery" && pair[0].state != "Recovery";
        self.rows.windows(2).filter(begins).map(|pair| (pair[1].time_s, pair[0].window)).collect()
    }

    /// Payload acknowledged by the end.
    pub(crate) fn acked_bytes(&self) -> f64 {
        self.acked_bytes
    }
}
