//! The traces of ns-2: the figures of the bottleneck and the flows of each run in each step, and a summary of all runs.

use serde_json::Value;

use crate::agreement::reference::{Table, path};

/// The traces of all runs.
pub(crate) struct Traces {
    links: Table,
    flows: Table,
    summary: Value,
}

/// The trace of one run.
pub(crate) struct Trace {
    link: Table,
    flows: Vec<Table>,
    /// The summary; null if there is none.
    pub(crate) summary: Value,
}

impl Traces {
    pub(crate) fn read() -> Traces {
        let summary = path("ns2/summary.json");
        let summary = std::fs::read(&summary).unwrap_or_else(|error| panic!("{}: {error}", summary.display()));
        Traces {
            links: Table::read("ns2/links"),
            flows: Table::read("ns2/flows"),
            summary: serde_json::from_slice(&summary).expect("a summary in JSON"),
        }
    }

    pub(crate) fn run(&self, run: &str) -> Trace {
        let flows = (0..).map(|flow| self.flows.of(run, Some(flow)));
        Trace {
            link: self.links.of(run, None),
            flows: flows.take_while(|flow| !flow.numbers("time_us").is_empty()).collect(),
            summary: self.summary[run].clone(),
        }
    }
}

impl Trace {
    /// A column of the bottleneck.
    pub(crate) fn link(&self, column: &str) -> &[f64] {
        self.link.numbers(column)
    }

    /// Returns the ends of the steps, s.
    pub(crate) fn times_s(&self) -> Vec<f64> {
        self.link.numbers("time_us").iter().map(|time_us| time_us / 1e6).collect()
    }

    /// Each flow's windows, segments.
    pub(crate) fn windows(&self) -> Vec<Vec<f64>> {
        let windows = |flow: &Table| flow.numbers("cwnd_millisegments").iter().map(|window| window / 1e3).collect();
        self.flows.iter().map(windows).collect()
    }
}
