//! Reads the reference traces of ns-2: a CSV a run with a row each step, and a summary of all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Where the traces lie, if they do: beside the checkout, not in it.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/ns2");
    folder.is_dir().then_some(folder)
}

/// One trace: its columns by name.
pub(crate) struct Trace {
    columns: BTreeMap<String, Vec<f64>>,
}

impl Trace {
    pub(crate) fn read(path: &Path) -> Trace {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
        let mut columns: BTreeMap<String, Vec<f64>> = names.iter().map(|name| (name.to_string(), Vec::new())).collect();
        for line in lines {
            for (name, value) in names.iter().zip(line.split(',')) {
                let value = value.parse().unwrap_or_else(|_| panic!("{}: '{value}' in {name}", path.display()));
                columns.get_mut(*name).expect("a known column").push(value);
            }
        }
        Trace { columns }
    }

    pub(crate) fn column(&self, name: &str) -> &[f64] {
        self.columns.get(name).map_or(&[], Vec::as_slice)
    }

    /// Columns `prefix0`, `prefix1`, ...
    pub(crate) fn columns_of(&self, prefix: &str) -> Vec<&[f64]> {
        (0..).map(|flow| self.column(&format!("{prefix}{flow}"))).take_while(|column| !column.is_empty()).collect()
    }
}

/// The summary's entry of a trace; null where there is none.
pub(crate) fn summary(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join("summary.json")).expect("a summary");
    let all: Value = serde_json::from_str(&text).expect("a summary in JSON");
    all[name].clone()
}
