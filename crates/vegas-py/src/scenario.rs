//! Scenarios: text in, one checked object out, or an error of one line.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use vegas_core::units::{Rate, Span, Time};
use vegas_sim::scenario::{self, Change, HostKind, LinkChange, LinkId, OnDisk, QueueLimit, RateTrace, Transport};
use vegas_sim::{Limits, Watch};

use crate::attended::{LimitError, attended_quietly};
use crate::own::Outside;

import_exception!(vegaslab.util.errors, ScenarioError);

/// A checked scenario, ready to run. Made by `load`.
#[pyclass(frozen, module = "vegaslab._vegaslab")]
pub(crate) struct Scenario {
    pub(crate) inner: Arc<scenario::Scenario>,
}

#[pymethods]
impl Scenario {
    fn __repr__(&self) -> String {
        format!("<vegaslab.Scenario {}: {} s, seed {}>", self.name(), self.duration_s(), self.seed())
    }

    /// The scenario's name.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// The seed of every random stream.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// When the run ends, s.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.inner.duration.as_nanos() as f64 / 1e9
    }

    /// Returns the identity of its run, as in a manifest.
    fn run_id(&self) -> String {
        vegas_results::run_id(&self.inner)
    }

    /// The SHA-256 of each of the user's own algorithms that flows use, in hex.
    fn own_sha256(&self) -> Vec<&str> {
        self.inner.own().map(scenario::Own::sha256).collect()
    }

    /// The file after overrides, as JSON text.
    fn document_json(&self) -> String {
        self.inner.document.to_string()
    }

    /// The entries of the file that have no effect, a line for each.
    fn warnings(&self) -> Vec<&str> {
        self.inner.warnings.iter().map(String::as_str).collect()
    }

    /// The name of each flow's algorithm.
    fn algorithms(&self) -> Vec<&str> {
        self.inner.flows.iter().map(|flow| flow.algorithm.as_str()).collect()
    }

    /// The hosts of each flow and of each source's connections: "bsd", "linux" or "quic"; None for datagrams.
    fn hosts(&self) -> (Vec<&'static str>, Vec<Option<&'static str>>) {
        let connection = |source: &scenario::TrafficSpec| source.load.connection().map(host_name);
        (self.inner.flows.iter().map(host_name).collect(), self.inner.traffic.iter().map(connection).collect())
    }

    /// The payload of a full data segment of each flow, bytes.
    fn payload_bytes(&self) -> Vec<u64> {
        self.inner.flows.iter().map(|flow| flow.packet.get() - flow.header.get()).collect()
    }

    /// Returns a dict for each one-way link: `id`, `rate_mbps`, `delay_ms`, `queue_packets` (None if not limited in
    /// packets).
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.inner.links.iter().map(|link| describe_link(py, &self.inner.nodes, link)).collect()
    }

    /// Returns the rate of a link over the run, as the points of a line: a time in s and a rate in Mb/s. For a link
    /// that follows a trace these are means over the `step_s` before. Raises `ValueError` for a name that no link has.
    fn link_rates(&self, link: &str, step_s: f64) -> PyResult<Vec<(f64, f64)>> {
        let number = self.link_number(link)?;
        match &self.inner.links[number].trace {
            Some(trace) => Ok(self.rates_of_trace(trace, step_s)),
            None => Ok(self.course(number, self.inner.links[number].rate, |change| change.rate, mbps)),
        }
    }

    /// Returns the most packets that may wait at a link over the run, as the points of a line: a time in s and the
    /// limit, None where it is not in packets. Raises `ValueError` for a name that no link has.
    fn link_queue_limits(&self, link: &str) -> PyResult<Vec<(f64, Option<u32>)>> {
        let number = self.link_number(link)?;
        Ok(self.course(number, self.inner.links[number].queue, |change| change.queue, queue_packets))
    }
}

impl Scenario {
    fn link_number(&self, name: &str) -> PyResult<LinkId> {
        let found = self.inner.links.iter().position(|link| link_name(&self.inner.nodes, link) == name);
        found.ok_or_else(|| PyValueError::new_err(format!("link: {name:?} is no link of {}", self.name())))
    }

    /// Returns a link's value over the run as the corners of a line, two at each of its changes.
    fn course<T, V: Copy>(
        &self,
        link: LinkId,
        first: T,
        pick: impl Fn(&LinkChange) -> Option<T>,
        show: impl Fn(T) -> V,
    ) -> Vec<(f64, V)> {
        let later = self.inner.changes.iter().filter_map(|scheduled| match &scheduled.change {
            Change::Link(change) if change.link == link => Some((seconds(scheduled.at), pick(change)?)),
            _ => None,
        });
        let mut corners = vec![(0.0, show(first))];
        for (at, value) in later {
            corners.extend([(at, corners[corners.len() - 1].1), (at, show(value))]);
        }
        corners.push((seconds(Time::ZERO + self.inner.duration), corners[corners.len() - 1].1));
        corners
    }

    fn rates_of_trace(&self, trace: &RateTrace, step_s: f64) -> Vec<(f64, f64)> {
        let step = Span::from_nanos(((step_s * 1e9) as u64).max(1_000_000));
        let end = Time::ZERO + self.inner.duration;
        let mut rates = Vec::new();
        let mut at = Time::ZERO;
        while at < end {
            rates.push((seconds(at + step), mbps(trace.mean_rate_between(at, at + step))));
            at = at + step;
        }
        rates
    }
}

fn host_name(flow: &scenario::FlowSpec) -> &'static str {
    match (flow.transport, flow.host.kind) {
        (Transport::Quic, _) => "quic",
        (Transport::Tcp, HostKind::Bsd) => "bsd",
        (Transport::Tcp, HostKind::Linux) => "linux",
    }
}

fn seconds(time: Time) -> f64 {
    time.as_nanos() as f64 / 1e9
}

fn mbps(rate: Rate) -> f64 {
    rate.as_bits_per_second() as f64 / 1e6
}

fn queue_packets(limit: QueueLimit) -> Option<u32> {
    match limit {
        QueueLimit::Packets(packets) => Some(packets),
        QueueLimit::Bytes(_) | QueueLimit::Unlimited => None,
    }
}

fn link_name(nodes: &[String], link: &scenario::LinkSpec) -> String {
    format!("{}->{}", nodes[link.from], nodes[link.to])
}

fn describe_link<'py>(py: Python<'py>, nodes: &[String], link: &scenario::LinkSpec) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("id", link_name(nodes, link))?;
    entry.set_item("rate_mbps", mbps(link.rate))?;
    entry.set_item("delay_ms", link.delay.as_nanos() as f64 / 1e6)?;
    entry.set_item("queue_packets", queue_packets(link.queue))?;
    Ok(entry)
}

/// Checks a scenario. `format` is "toml" or "json"; `source` is its name in messages; `overrides` are pairs of a
/// dotted key ("flow.0.algorithm") and the value's text. Raises `ScenarioError`, and `LimitError` before the scenario
/// takes more than `memory_bytes`.
#[pyfunction]
#[pyo3(signature = (text, format, source, overrides, memory_bytes=None))]
pub(crate) fn load(
    py: Python<'_>,
    text: String,
    format: &str,
    source: String,
    overrides: Vec<(String, String)>,
    memory_bytes: Option<u64>,
) -> PyResult<Scenario> {
    let read = match format {
        "toml" => scenario::Scenario::read_toml_in,
        "json" => scenario::Scenario::read_json_in,
        _ => return Err(PyValueError::new_err(format!("format: {format:?} was given; \"toml\" or \"json\""))),
    };
    let limits = Limits { memory_bytes, ..Limits::default() };
    let work = move |watch: &mut Watch<'_>| {
        let folder = OnDisk::of(&source).with_loader(Arc::new(Outside));
        let checked = read(&folder, &text, &source, &overrides, watch);
        checked.map_err(|error| match watch.stopped() {
            Some(stopped) => LimitError::new_err(stopped.to_string()),
            None => ScenarioError::new_err(error.to_string()),
        })
    };
    let inner = attended_quietly(py, move |ties| ties.watched(limits, work))??;
    Ok(Scenario { inner: Arc::new(inner) })
}

/// Parses a time such as "48ms"; returns ns. Raises `ValueError`, which says what was given and what would be right.
#[pyfunction]
pub(crate) fn nanoseconds(text: &str) -> PyResult<u64> {
    scenario::nanoseconds(text).map_err(PyValueError::new_err)
}

/// Parses a rate such as "50mbit"; returns bits per second. Raises `ValueError` as `nanoseconds` does.
#[pyfunction]
pub(crate) fn bits_per_second(text: &str) -> PyResult<u64> {
    scenario::bits_per_second(text).map_err(PyValueError::new_err)
}

/// Parses a size such as "4gb"; returns bytes. Raises `ValueError` as `nanoseconds` does.
#[pyfunction]
pub(crate) fn size_bytes(text: &str) -> PyResult<u64> {
    scenario::bytes(text).map_err(PyValueError::new_err)
}

/// Returns the JSON Schema (draft 2020-12) of a scenario file.
#[pyfunction]
pub(crate) fn schema() -> String {
    scenario::json_schema()
}
