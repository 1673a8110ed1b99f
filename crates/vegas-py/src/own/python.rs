//! Algorithms in Python: the methods of a class take the contract's events, its attributes are the outputs.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use vegas_core::units::{Pace, Segments, SendIndex, Span, Time, Window};
use vegas_core::{CongestionControl, Controller, Needs, Output, Parameters, Phase, Status};
use vegas_sim::scenario::{Failure, Loaded, Program};

use super::events::{Ack, Loss, LostSegment, Restart, Sent, Start};

/// The most names that `needs` may give.
const NEEDS_MAX: usize = 5;
/// The module that finds and runs the files, and explains their errors.
const LOADING: &str = "vegaslab.scenario.own.loading";

/// The optional methods and the origin of a class that has `on_ack` and `on_loss`.
#[derive(Debug)]
struct Class {
    class: Py<PyAny>,
    /// The file's name in messages.
    file: String,
    needs: Needs,
    has_handshake: bool,
    has_recovered: bool,
    has_spurious: bool,
    has_restart: bool,
    has_path_change: bool,
}

/// Loads the class that a scenario in `folder` names, such as `mine.py:Mine`.
pub(super) fn load(name: &str, folder: &Path) -> Result<Loaded, String> {
    Python::attach(|py| {
        let given = py.import(LOADING)?.call_method1("load", (name, folder))?;
        let (class, file, content): (Bound<'_, PyAny>, PathBuf, Vec<u8>) = given.extract()?;
        let label: String = class.getattr("__name__")?.extract()?;
        let program = Arc::new(Class::new(&class, file.display().to_string())?);
        Ok(Loaded { name: label, content, program: Arc::new(PythonProgram(program)) })
    })
    .map_err(|error: PyErr| Python::attach(|py| error.value(py).to_string()))
}

impl Class {
    fn new(class: &Bound<'_, PyAny>, file: String) -> PyResult<Self> {
        let has = |method: &str| class.hasattr(method);
        let mut needs = Needs {
            sent: has("on_sent")?,
            every_ack: has("on_recovered")?,
            each_loss: has("on_segment_lost")?,
            ..Needs::NONE
        };
        if has("needs")? {
            // each may be given once, and an iterator may have no end
            for need in class.getattr("needs")?.try_iter()?.take(NEEDS_MAX) {
                ask(&mut needs, &need?.extract::<String>()?)?;
            }
        }
        Ok(Class {
            needs,
            has_handshake: has("on_handshake")?,
            has_recovered: has("on_recovered")?,
            has_spurious: has("on_spurious")?,
            has_restart: has("on_restart")?,
            has_path_change: has("on_path_change")?,
            class: class.clone().unbind(),
            file,
        })
    }
}

fn ask(needs: &mut Needs, name: &str) -> PyResult<()> {
    let need = match name {
        "rate" => &mut needs.rate,
        "every_ack" => &mut needs.every_ack,
        "window_limited" => &mut needs.window_limited,
        "routers" => &mut needs.routers,
        "one_way_delay" => &mut needs.one_way_delay,
        _ => {
            let message = format!(
                "needs: {name:?} was given; \"rate\", \"every_ack\", \"window_limited\", \"routers\" or \"one_way_delay\""
            );
            return Err(PyValueError::new_err(message));
        }
    };
    *need = true;
    Ok(())
}

#[derive(Debug)]
struct PythonProgram(Arc<Class>);

impl Program for PythonProgram {
    fn needs(&self) -> Needs {
        self.0.needs
    }

    fn start(&self, parameters: &Parameters, seed: u64) -> Controller {
        let control = Python::attach(|py| {
            let control = PythonControl::start(py, &self.0, parameters, seed);
            control.unwrap_or_else(|error| end_run(py, &self.0, "__init__", Time::ZERO, error))
        });
        Controller::boxed(control, 0)
    }
}

/// An instance that controls one connection, with its attributes after the newest event.
#[derive(Debug)]
struct PythonControl {
    class: Arc<Class>,
    object: Py<PyAny>,
    /// The bound methods.
    on_ack: Py<PyAny>,
    on_loss: Py<PyAny>,
    has: Outputs,
    max_window: Window,
    /// The newest time that an event had.
    now: Time,
    output: Output,
    status: Status,
}

/// Whether the object has each of the attributes beside its window.
#[derive(Clone, Copy, Debug)]
struct Outputs {
    pace: bool,
    ssthresh: bool,
    base_rtt: bool,
    diff: bool,
}

impl PythonControl {
    fn start(py: Python<'_>, class: &Arc<Class>, parameters: &Parameters, seed: u64) -> PyResult<Self> {
        let object = class.class.bind(py).call1((Py::new(py, Start::new(parameters, seed))?,))?;
        let window = Window::whole(parameters.initial_window);
        let mut control = PythonControl {
            class: Arc::clone(class),
            on_ack: object.getattr("on_ack")?.unbind(),
            on_loss: object.getattr("on_loss")?.unbind(),
            has: Outputs {
                pace: object.hasattr("pace")?,
                ssthresh: object.hasattr("ssthresh")?,
                base_rtt: object.hasattr("base_rtt_ns")?,
                diff: object.hasattr("diff")?,
            },
            object: object.unbind(),
            max_window: Window::whole(parameters.max_window),
            now: Time::ZERO,
            output: Output { window, pace: None, quantum: Segments(1) },
            status: Status { window, ssthresh: None, base_rtt: None, diff: None, phase: Phase::Avoidance },
        };
        control.read(py)?;
        Ok(control)
    }

    /// Reads the attributes of the object.
    fn read(&mut self, py: Python<'_>) -> PyResult<()> {
        let object = self.object.bind(py);
        let window = window(&object.getattr(intern!(py, "window"))?)?.min(self.max_window);
        self.output.window = window;
        self.status.window = window;
        if self.has.ssthresh {
            let ssthresh = object.getattr(intern!(py, "ssthresh"))?;
            let bounded = if ssthresh.is_none() { None } else { Some(number("ssthresh", &ssthresh)?) };
            self.status.ssthresh = bounded.map(|segments| Segments(segments as u32));
            let below = self.status.ssthresh.is_none_or(|ssthresh| window < Window::whole(ssthresh));
            self.status.phase = if below { Phase::SlowStart } else { Phase::Avoidance };
        }
        if self.has.pace {
            self.output.pace = pace(&object.getattr(intern!(py, "pace"))?)?;
        }
        if self.has.base_rtt {
            let base_rtt = object.getattr(intern!(py, "base_rtt_ns"))?;
            let right = "a whole number of nanoseconds, not negative, or None";
            let base_rtt_ns = whole("base_rtt_ns", &base_rtt, 0..=i64::MAX, right)?;
            self.status.base_rtt = base_rtt_ns.map(|base_rtt_ns| Span::from_nanos(base_rtt_ns as u64));
        }
        if self.has.diff {
            let diff = object.getattr(intern!(py, "diff"))?;
            let segments =
                whole("diff", &diff, i32::MIN.into()..=i32::MAX.into(), "a whole number of segments, or None")?;
            self.status.diff = segments.map(|segments| segments as i32);
        }
        Ok(())
    }

    /// Passes an event to the object through `call`; an exception ends the run.
    fn tell(&mut self, event: &'static str, now: Time, call: impl FnOnce(Python<'_>, &Self) -> PyResult<Py<PyAny>>) {
        self.now = now;
        Python::attach(|py| {
            if let Err(error) = call(py, self).and_then(|_| self.read(py)) {
                end_run(py, &self.class, event, now, error);
            }
        });
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let object = py.import("copy")?.call_method1("deepcopy", (self.object.bind(py),))?;
        Ok(PythonControl {
            class: Arc::clone(&self.class),
            on_ack: object.getattr("on_ack")?.unbind(),
            on_loss: object.getattr("on_loss")?.unbind(),
            object: object.unbind(),
            ..*self
        })
    }
}

/// Ends the run with a line that says what has failed where.
fn end_run(py: Python<'_>, class: &Class, event: &str, now: Time, error: PyErr) -> ! {
    let at_s = now.as_nanos() as f64 / 1e9;
    let short = format!("{}: {event} at {at_s} s: {error}", class.file);
    // the value itself has the traceback, a reference to it does not
    let given = (error.into_value(py), &class.class, &class.file, event, at_s);
    let line = py.import(LOADING).and_then(|loading| loading.call_method1("failure", given));
    Failure(line.and_then(|line| line.extract()).unwrap_or(short)).end_run()
}

/// Reads a number of segments or a rate: whole, or with a fraction.
fn number(what: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let given = match value.cast_exact::<PyFloat>() {
        Ok(float) => float.value(),
        Err(_) => value.extract().map_err(|_| not_a_number(what, value))?,
    };
    match given.is_finite() && given >= 0.0 {
        true => Ok(given),
        false => Err(not_a_number(what, value)),
    }
}

/// Reads a whole number in the range, or None; `right` is the end of the line about another value.
fn whole(what: &str, value: &Bound<'_, PyAny>, range: RangeInclusive<i64>, right: &str) -> PyResult<Option<i64>> {
    let given: Option<Option<i64>> = value.extract().ok();
    let within = given.filter(|whole| whole.is_none_or(|whole| range.contains(&whole)));
    within.ok_or_else(|| PyValueError::new_err(format!("{what} is {value}; {right}")))
}

fn not_a_number(what: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!("{what} is {value}; a finite number, not negative"))
}

/// Reads a window. One of 2^24 segments at most is exact in a float with 28 bits after the binary point.
fn window(value: &Bound<'_, PyAny>) -> PyResult<Window> {
    let raw = match value.cast_exact::<PyInt>() {
        Ok(whole) => {
            let segments = whole.extract::<u64>().map_err(|_| not_a_number("window", value))?;
            segments.min(Window::MAX.floor().as_u64()) << Window::FRACTION_BITS
        }
        Err(_) => (number("window", value)? * Window::ONE.as_raw() as f64) as u64,
    };
    Ok(Window::from_raw(raw).clamp(Window::ONE, Window::MAX))
}

/// Reads a pace, given in segments a second.
fn pace(value: &Bound<'_, PyAny>) -> PyResult<Option<Pace>> {
    if value.is_none() {
        return Ok(None);
    }
    let per_second = number("pace", value)?;
    if per_second == 0.0 {
        return Err(PyValueError::new_err("pace is 0; segments a second above 0, or None"));
    }
    Ok(Some(Pace::of(1, Span::from_nanos((1e9 / per_second).ceil() as u64))))
}

/// Copies the object with its attributes; mutable ones are copied, too.
impl Clone for PythonControl {
    fn clone(&self) -> Self {
        Python::attach(|py| {
            let copy = self.copy(py);
            copy.unwrap_or_else(|error| end_run(py, &self.class, "copy before a loss", self.now, error))
        })
    }
}

impl CongestionControl for PythonControl {
    fn on_sent(&mut self, sent: &vegas_core::Sent) {
        self.tell("on_sent", sent.now, |py, this| {
            this.object.call_method1(py, intern!(py, "on_sent"), (Py::new(py, Sent::new(sent))?,))
        });
    }

    fn on_ack(&mut self, ack: &vegas_core::Ack) {
        self.tell("on_ack", ack.now, |py, this| this.on_ack.call1(py, (Py::new(py, Ack::new(py, ack)?)?,)));
    }

    fn on_loss(&mut self, loss: &vegas_core::Loss) {
        self.tell("on_loss", loss.now, |py, this| this.on_loss.call1(py, (Py::new(py, Loss::new(loss))?,)));
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        if self.class.has_handshake {
            self.tell("on_handshake", now, |py, this| {
                this.object.call_method1(py, intern!(py, "on_handshake"), (now.as_nanos(), rtt.as_nanos()))
            });
        }
    }

    fn on_segment_lost(&mut self, lost: &vegas_core::LostSegment) {
        // reported only if the class has the method; with the acknowledgement or loss that comes next
        self.tell("on_segment_lost", self.now, |py, this| {
            this.object.call_method1(py, intern!(py, "on_segment_lost"), (Py::new(py, LostSegment::new(lost))?,))
        });
    }

    fn on_recovered(&mut self, now: Time) {
        if self.class.has_recovered {
            self.tell("on_recovered", now, |py, this| {
                this.object.call_method1(py, intern!(py, "on_recovered"), (now.as_nanos(),))
            });
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        match self.class.has_spurious {
            false => *self = before.clone(),
            true => self.tell("on_spurious", self.now, |py, this| {
                this.object.call_method1(py, intern!(py, "on_spurious"), (&before.object,))
            }),
        }
    }

    fn on_restart(&mut self, restart: &vegas_core::Restart) {
        if self.class.has_restart {
            self.tell("on_restart", restart.now, |py, this| {
                this.object.call_method1(py, intern!(py, "on_restart"), (Py::new(py, Restart::new(restart))?,))
            });
        }
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        if self.class.has_path_change {
            self.tell("on_path_change", now, |py, this| {
                this.object.call_method1(py, intern!(py, "on_path_change"), (next.0, now.as_nanos()))
            });
        }
    }

    fn output(&self) -> Output {
        self.output
    }

    fn status(&self) -> Status {
        self.status
    }
}
