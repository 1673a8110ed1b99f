//! The traces of Linux: the states of each flow and of the bottleneck in each run.

use std::collections::BTreeMap;

use crate::agreement::reference::Table;

/// The traces of all runs.
pub(crate) struct Traces {
    changes: Table,
    samples: Table,
    queue: Table,
}

impl Traces {
    pub(crate) fn read(folder: &str) -> Traces {
        let table = |name: &str| Table::read(&format!("{folder}/{name}"));
        Traces { changes: table("changes"), samples: table("samples"), queue: table("queue") }
    }

    /// Returns each run's name, and its number of flows.
    pub(crate) fn runs(&self) -> BTreeMap<String, usize> {
        let mut runs = BTreeMap::new();
        for (run, flow) in self.changes.words("run").iter().zip(self.changes.numbers("flow")) {
            let flows = runs.entry(run.clone()).or_insert(0);
            *flows = (*flows).max(*flow as usize + 1);
        }
        runs
    }

    pub(crate) fn flow(&self, run: &str, flow: usize) -> Trace {
        Trace { changes: self.changes.of(run, Some(flow)), samples: self.samples.of(run, Some(flow)) }
    }

    pub(crate) fn bottleneck(&self, run: &str) -> Bottleneck {
        Bottleneck::of(&self.queue.of(run, None))
    }
}

/// The trace of one flow.
pub(crate) struct Trace {
    changes: Table,
    samples: Table,
}

impl Trace {
    /// When slow start first had a threshold, s, and the window before it.
    pub(crate) fn slow_start_end(&self) -> (f64, f64) {
        let thresholds = self.changes.numbers("ssthresh_segments");
        let at = thresholds.iter().position(|threshold| !threshold.is_nan()).expect("an end of slow start");
        let windows = self.windows();
        (windows[at].0, windows[at - 1].1)
    }

    /// Returns pairs of time, s, and window.
    pub(crate) fn windows(&self) -> Vec<(f64, f64)> {
        let times = self.changes.numbers("time_us").iter().map(|time_us| time_us / 1e6);
        times.zip(self.changes.numbers("cwnd_segments").iter().copied()).collect()
    }

    /// Returns the pairs at sampling instants: the log of changes may stop early.
    pub(crate) fn sampled_windows(&self) -> Vec<(f64, f64)> {
        let times = self.samples.numbers("time_us").iter().map(|time_us| time_us / 1e6);
        times.zip(self.samples.numbers("cwnd_segments").iter().copied()).collect()
    }

    /// Returns when each recovery began, s, and the window before it.
    pub(crate) fn cuts(&self) -> Vec<(f64, f64)> {
        let (states, windows) = (self.changes.words("state"), self.windows());
        let begins = |at: &usize| states[*at] == "Recovery" && states[at - 1] != "Recovery";
        (1..states.len()).filter(begins).map(|at| (windows[at].0, windows[at - 1].1)).collect()
    }

    /// The payload acknowledged by the end, bytes.
    pub(crate) fn acked_bytes(&self) -> f64 {
        self.at_the_end("acked_bytes")
    }

    /// The number of segments retransmitted by the end.
    pub(crate) fn retransmitted(&self) -> f64 {
        self.at_the_end("retransmissions")
    }

    /// Vegas's base RTT at the end, without the microsecond that its code adds, ms; `None` for other algorithms.
    pub(crate) fn base_rtt_ms(&self) -> Option<f64> {
        let base_us = self.at_the_end("vegas_base_us") - 1.0;
        (!base_us.is_nan()).then_some(base_us / 1000.0)
    }

    fn at_the_end(&self, column: &str) -> f64 {
        *self.samples.numbers(column).last().expect("samples")
    }
}

/// The figures of the bottleneck.
pub(crate) struct Bottleneck {
    /// The longest queue, packets; the packet in the transmitter counts.
    pub(crate) longest_queue: f64,
    /// The packets dropped because the queue was full.
    pub(crate) drops: f64,
    pub(crate) busy_s: f64,
}

impl Bottleneck {
    fn of(queue: &Table) -> Bottleneck {
        let ends_us = queue.numbers("time_us");
        let begins_us = [0.0].into_iter().chain(ends_us.iter().copied());
        let spans_s = ends_us.iter().zip(begins_us).map(|(end, begin)| (end - begin) / 1e6);
        Bottleneck {
            longest_queue: queue.numbers("queue_max_packets").iter().copied().fold(0.0, f64::max),
            drops: *queue.numbers("drops").last().expect("a queue"),
            busy_s: queue.numbers("busy_permille").iter().zip(spans_s).map(|(busy, span_s)| busy / 1e3 * span_s).sum(),
        }
    }
}
