//! The registry of algorithms for Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use vegas_core::registry::{PRESETS, Preset};
use vegas_core::{Avoidance, BaseRtt, Composition, Cut, Host, Parameters, Recovery, Rivals, Signal, SlowStart};

/// One dict a preset: `name`, `summary`, `source`, `parts` (a dict of a file's keys and values; `own` of a standalone
/// algorithm's, which has no parts), `parameters` (a dict of segments), `host` (that of a flow that names none), and
/// `hosts` (by each host's name None, or why it does not carry the preset).
#[pyfunction]
pub(crate) fn algorithms(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    PRESETS.iter().map(|preset| describe(py, preset)).collect()
}

type Row = (&'static str, &'static str, &'static str);

/// Returns a row for each part that can be chosen: its key in a file's table of parts, its name, and a description.
#[pyfunction]
pub(crate) fn parts() -> Vec<Row> {
    [
        rows("base_rtt", BaseRtt::NAMES, BaseRtt::SUMMARIES),
        rows("rivals", Rivals::NAMES, Rivals::SUMMARIES),
        rows("slow_start", SlowStart::NAMES, SlowStart::SUMMARIES),
        rows("avoidance", Avoidance::NAMES, Avoidance::SUMMARIES),
        rows("cut", Cut::NAMES, Cut::SUMMARIES),
    ]
    .concat()
}

fn rows<T>(key: &'static str, names: &[(&'static str, T)], summaries: &[&'static str]) -> Vec<Row> {
    names.iter().zip(summaries).map(|((name, _), does)| (key, *name, *does)).collect()
}

fn describe<'py>(py: Python<'py>, preset: &Preset) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("name", preset.name)?;
    entry.set_item("summary", preset.summary)?;
    entry.set_item("source", preset.source)?;
    let parts = parts_of(py, &preset.composition)?;
    if let Some(standalone) = preset.standalone {
        let own = ["signal", "slow_start", "cut", "once_per_window"];
        let kept = ["base_rtt", "rivals", "avoidance"].into_iter().filter(|part| !standalone.parts().contains(part));
        own.into_iter().chain(kept).try_for_each(|part| parts.set_item(part, "own"))?;
    }
    entry.set_item("parts", parts)?;
    entry.set_item("parameters", parameters(py, &preset.parameters)?)?;
    entry.set_item("host", preset.host.name())?;
    entry.set_item("hosts", hosts(py, preset)?)?;
    Ok(entry)
}

fn hosts<'py>(py: Python<'py>, preset: &Preset) -> PyResult<Bound<'py, PyDict>> {
    let hosts = PyDict::new(py);
    for host in Host::ALL {
        let refusal = host.carries(preset).err().map(|refusal| format!("{}: {}", refusal.part, refusal.reason));
        hosts.set_item(host.name(), refusal)?;
    }
    Ok(hosts)
}

/// The parts under the keys and values of a scenario file's table of parts.
fn parts_of<'py>(py: Python<'py>, composition: &Composition) -> PyResult<Bound<'py, PyDict>> {
    let Composition { signal, base_rtt, rivals, slow_start, avoidance, loss, detection, limits } = composition;
    let parts = PyDict::new(py);
    parts.set_item("signal", name(signal, Signal::NAMES))?;
    parts.set_item("base_rtt", name(base_rtt, BaseRtt::NAMES))?;
    parts.set_item("rivals", name(rivals, Rivals::NAMES))?;
    parts.set_item("slow_start", name(slow_start, SlowStart::NAMES))?;
    parts.set_item("avoidance", name(avoidance, Avoidance::NAMES))?;
    parts.set_item("cut", name(&loss.cut, Cut::NAMES))?;
    parts.set_item("once_per_window", loss.once_per_window)?;
    parts.set_item("recovery", name(&detection.recovery, Recovery::NAMES))?;
    parts.set_item("fine_retransmit", detection.fine_retransmit)?;
    parts.set_item("recheck_after_retransmit", detection.recheck_after_retransmit)?;
    parts.set_item("burst", limits.burst.map(|segments| segments.0))?;
    parts.set_item("keep_up", limits.keep_up)?;
    parts.set_item("suppress_spikes", limits.suppress_spikes)?;
    Ok(parts)
}

/// Returns the name of a part; `None` for a part that a file cannot name.
fn name<T: PartialEq>(part: &T, names: &[(&'static str, T)]) -> Option<&'static str> {
    names.iter().find(|(_, named)| named == part).map(|(name, _)| *name)
}

fn parameters<'py>(py: Python<'py>, parameters: &Parameters) -> PyResult<Bound<'py, PyDict>> {
    let Parameters { alpha, beta, gamma, initial_window, restart_window, ssthresh, max_window, ticks_per_second: _ } =
        parameters;
    let entry = PyDict::new(py);
    entry.set_item("alpha", alpha.0)?;
    entry.set_item("beta", beta.0)?;
    entry.set_item("gamma", gamma.0)?;
    entry.set_item("initial_window", initial_window.0)?;
    entry.set_item("restart_window", restart_window.0)?;
    entry.set_item("ssthresh", ssthresh.map(|segments| segments.0))?;
    entry.set_item("max_window", max_window.0)?;
    Ok(entry)
}
