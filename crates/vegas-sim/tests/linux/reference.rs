//! Reads the traces of Linux: a row per change of window, threshold or state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the traces lie, if they do: beside the checkout, not in it.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/linux");
    folder.is_dir().then_some(folder)
}

/// Every run there is, with the names of its flows' traces in their order.
pub(crate) fn runs(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let name = |file: std::io::Result<std::fs::DirEntry>| file.expect("an entry").file_name().into_string().ok();
    let trace = |name: String| Some(name.strip_prefix("linux_")?.strip_suffix("_chg.csv")?.to_owned());
    let mut traces: Vec<String> = files.filter_map(name).filter_map(trace).collect();
    traces.sort();
    let mut runs = BTreeMap::<String, Vec<String>>::new();
    for trace in traces {
        // S6_..._f1_vegas: of several flows each has a trace, f1 first
        let run = trace.rsplit_once("_f1_").or(trace.rsplit_once("_f2_")).map_or(&*trace, |(run, _)| run).to_owned();
        runs.entry(run).or_default().push(trace);
    }
    runs
}

/// What one flow did.
pub(crate) struct Trace {
    rows: Vec<Change>,
    /// Its last sample, by the names of the columns.
    last: BTreeMap<String, f64>,
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
        let last = table(&samples).pop().unwrap_or_else(|| panic!("{name} has no samples"));
        Trace { rows: lines.map(row).collect(), last }
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
        self.last["bytes_acked"]
    }

    /// Segments sent again by the end.
    pub(crate) fn retransmitted(&self) -> f64 {
        self.last["retrans_flow"]
    }

    /// Vegas's at the end; its code adds a microsecond.
    pub(crate) fn base_rtt_ms(&self) -> f64 {
        (self.last["vegas_base_us"] - 1.0) / 1000.0
    }
}

/// What the bottleneck did.
pub(crate) struct Bottleneck {
    /// Packets, the one being sent included.
    pub(crate) longest_queue: f64,
    /// For want of room.
    pub(crate) drops: f64,
    pub(crate) busy_s: f64,
}

impl Bottleneck {
    pub(crate) fn read(folder: &Path, run: &str) -> Bottleneck {
        let rows = table(&read(&folder.join(format!("linux_{run}_queue.csv"))));
        let ends = rows.iter().map(|row| row["t_s"]);
        let begins = [0.0].into_iter().chain(ends);
        let busy_s = rows.iter().zip(begins).map(|(row, begin)| row["link_busy"] * (row["t_s"] - begin)).sum();
        Bottleneck {
            longest_queue: rows.iter().map(|row| row["qlen_max"]).fold(0.0, f64::max),
            drops: rows.last().map_or(0.0, |row| row["drops_cum"]),
            busy_s,
        }
    }
}

/// The rows of a table of numbers, by the names of its columns; cells of words are left out.
fn table(text: &str) -> Vec<BTreeMap<String, f64>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let row = |line: &str| {
        let cells = names.iter().zip(line.split(','));
        cells.filter_map(|(name, cell)| Some((name.to_string(), cell.parse().ok()?))).collect()
    };
    lines.map(row).collect()
}
