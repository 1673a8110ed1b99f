//! Traces of rates and delays, as links follow them.

use std::fmt::Write as _;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use vegas_core::units::{Span, Time};
use vegas_sim::scenario::{DelaySchedule, RateTrace, TraceKind};

/// The points of a rate's line.
const POINTS: u64 = 1000;

/// Reads the text of a trace. `kind` is "rate" or "delay", or without it what the text shows; `step_ns` is the time
/// that each value of a text with one value a line holds. Returns a dict: `kind`, `taken_for`, `period_s`, the
/// `points` of a line (s, and Mb/s or ms), and the trace's `text` in our own format. Raises `ValueError` for what
/// is no trace, and for a text that may be either kind.
#[pyfunction]
#[pyo3(signature = (text, kind=None, step_ns=None))]
pub(crate) fn read_trace<'py>(
    py: Python<'py>,
    text: &str,
    kind: Option<&str>,
    step_ns: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let kind = match kind {
        Some("rate") => TraceKind::Rate,
        Some("delay") => TraceKind::Delay,
        Some(other) => return Err(PyValueError::new_err(format!("kind: {other:?} was given; \"rate\" or \"delay\""))),
        None => TraceKind::of(text)
            .ok_or_else(|| PyValueError::new_err("may be rates or delays; say which, with --as rate or --as delay"))?,
    };
    let step = step_ns.map(Span::from_nanos);
    let found = py.detach(|| match kind {
        TraceKind::Rate => RateTrace::parse_stepped(text, step).map(|trace| of_rate(&trace)),
        TraceKind::Delay => DelaySchedule::parse(text, step).map(|(least, delays)| of_delay(least, &delays)),
    });
    let found = found.map_err(PyValueError::new_err)?;
    let dict = PyDict::new(py);
    dict.set_item("kind", if kind == TraceKind::Rate { "rate" } else { "delay" })?;
    dict.set_item("taken_for", found.taken_for)?;
    dict.set_item("period_s", found.period.as_nanos() as f64 / 1e9)?;
    dict.set_item("points", found.points)?;
    dict.set_item("text", found.text)?;
    Ok(dict)
}

struct Found {
    taken_for: String,
    period: Span,
    points: Vec<(f64, f64)>,
    text: String,
}

fn of_rate(trace: &RateTrace) -> Found {
    let times = trace.opportunities_ms();
    let mut text = String::with_capacity(8 * times.len());
    times.iter().for_each(|time| {
        let _ = writeln!(text, "{time}");
    });
    let period = trace.period();
    let step = Span::from_millis((period.as_nanos() / 1_000_000 / POINTS).max(1));
    let mut points = Vec::new();
    let (mut at, end) = (Time::ZERO, Time::ZERO + period);
    while at < end {
        let rate = trace.mean_rate_between(at, at + step).as_bits_per_second() as f64 / 1e6;
        at = at + step;
        points.push((at.as_nanos() as f64 / 1e9, rate));
    }
    let taken_for = trace.taken_for().unwrap_or("opportunities to send 1500 bytes, in ms (Mahimahi)").to_owned();
    Found { taken_for, period, points, text }
}

fn of_delay(least: Span, delays: &DelaySchedule) -> Found {
    let mut text = "time_s,delay_ms\n".to_owned();
    let mut points = Vec::new();
    let period = delays.every().unwrap_or(Span::ZERO);
    // the schedule is read where packets arrive, after the least delay
    for (at, above) in delays.points() {
        let (at, delay) = (at.since(Time::ZERO + least), least + *above);
        points.push((at.as_nanos() as f64 / 1e9, delay.as_nanos() as f64 / 1e6));
        line(&mut text, at, delay);
    }
    line(&mut text, period, delays.points().last().map_or(least, |(_, above)| least + *above));
    let taken_for = delays.taken_for().unwrap_or("times in s and one-way delays in ms").to_owned();
    Found { taken_for, period, points, text }
}

fn line(text: &mut String, at: Span, delay: Span) {
    let (at, delay) = (at.as_nanos(), delay.as_nanos());
    let part = |nanos: u64, unit: u64, digits: usize| format!("{}.{:0digits$}", nanos / unit, nanos % unit);
    let plain = |text: String| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    let _ = writeln!(text, "{},{}", plain(part(at, 1_000_000_000, 9)), plain(part(delay, 1_000_000, 6)));
}
