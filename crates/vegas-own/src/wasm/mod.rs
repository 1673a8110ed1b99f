//! Algorithms as WebAssembly modules: functions of numbers, without imports, with limits on instructions and memory.
//!
//! Each connection has an instance of its own. The module's memory holds the instance's state and the outputs, which
//! the host reads there; so a copy of the memory is a copy of the control.

mod module;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use vegas_core::units::{Pace, Segments, SendIndex, Span, Time, Window};
use vegas_core::{
    Ack, CongestionControl, Controller, Loss, LossKind, LostSegment, Needs, Output, Parameters, Phase, Restart, Sent,
    Status,
};
use vegas_sim::scenario::{Failure, Loaded, Program};

use module::{Connection, Source};

/// A limit above the needs of any algorithm.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// Loads the module that a scenario in `folder` calls `name`. The error names the file.
pub fn load(name: &str, folder: &Path) -> Result<Loaded, String> {
    let path = folder.join(name);
    let problem = |what: String| format!("{}: {what}", path.display());
    let size =
        fs::metadata(&path).map_err(|error| problem(format!("{error}; write a module such as mine.wasm")))?.len();
    if size > FILE_BYTES_MAX {
        return Err(problem(format!("has {size} bytes; a module has {FILE_BYTES_MAX} at most")));
    }
    let content = fs::read(&path).map_err(|error| problem(error.to_string()))?;
    let source = Source::new(&content, path.display().to_string()).map_err(problem)?;
    Ok(Loaded { name: label(&path), content, program: Arc::new(Wasm(Arc::new(source))) })
}

/// The file's name in a form that results may contain.
fn label(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let safe: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    format!("{}-wasm", safe.trim_start_matches('-'))
}

#[derive(Debug)]
struct Wasm(Arc<Source>);

impl Program for Wasm {
    fn needs(&self) -> Needs {
        self.0.needs
    }

    fn start(&self, parameters: &Parameters, seed: u64) -> Controller {
        let begun = Connection::new(&self.0).and_then(|mut connection| {
            connection.start(parameters, seed)?;
            Ok(connection)
        });
        let connection = begun.unwrap_or_else(|what| fail(&self.0, "start", Time::ZERO, &what));
        let bytes = connection.memory_bytes();
        let window = Window::whole(parameters.initial_window);
        let mut control = ModuleControl {
            source: Arc::clone(&self.0),
            connection,
            max_window: Window::whole(parameters.max_window),
            now: Time::ZERO,
            output: Output { window, pace: None, quantum: Segments(1) },
            status: Status { window, ssthresh: None, base_rtt: None, diff: None, phase: Phase::Avoidance },
        };
        control.take_outputs();
        Controller::boxed(control, bytes)
    }
}

fn fail(source: &Source, event: &str, now: Time, what: &str) -> ! {
    Failure(format!("{}: {event} at {} s: {what}", source.file, now.as_nanos() as f64 / 1e9)).end_run()
}

/// A module that controls one connection.
#[derive(Debug)]
struct ModuleControl {
    source: Arc<Source>,
    connection: Connection,
    max_window: Window,
    /// The latest time of an event.
    now: Time,
    output: Output,
    status: Status,
}

impl ModuleControl {
    /// Takes over the outputs after an event, or fails with its error.
    fn done(&mut self, event: &str, now: Time, called: Result<(), String>) {
        self.now = now;
        match called {
            Ok(()) => self.take_outputs(),
            Err(what) => fail(&self.source, event, now, &what),
        }
    }

    fn take_outputs(&mut self) {
        let [window, pace_ns, ssthresh, base_rtt_ns, diff] = self.connection.outputs();
        let window = Window::from_raw(window.max(0) as u64).clamp(Window::ONE, self.max_window);
        let ssthresh = u32::try_from(ssthresh).ok().map(Segments);
        self.output.window = window;
        self.output.pace = (pace_ns > 0).then(|| Pace::of(1, Span::from_nanos(pace_ns as u64)));
        self.status = Status {
            window,
            ssthresh,
            base_rtt: u64::try_from(base_rtt_ns).ok().map(Span::from_nanos),
            diff: i32::try_from(diff).ok(),
            phase: match ssthresh.is_none_or(|ssthresh| window < Window::whole(ssthresh)) {
                true => Phase::SlowStart,
                false => Phase::Avoidance,
            },
        };
    }
}

impl Clone for ModuleControl {
    fn clone(&self) -> Self {
        let copied = Connection::copy(&self.source, &self.connection);
        let connection = copied.unwrap_or_else(|what| fail(&self.source, "copy before a loss", self.now, &what));
        ModuleControl { source: Arc::clone(&self.source), connection, ..*self }
    }
}

/// -1 means that there is no value.
fn or_none(span: Option<Span>) -> i64 {
    span.map_or(-1, |span| span.as_nanos() as i64)
}

impl CongestionControl for ModuleControl {
    fn on_sent(&mut self, sent: &Sent) {
        let Sent { now, index, in_flight, retransmission } = *sent;
        let given = (now.as_nanos() as i64, index.0 as i64, in_flight.0 as i32, i32::from(retransmission));
        let called = self.connection.on_sent(given);
        self.done("on_sent", now, called);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let mut called = Ok(());
        if let Some(feedback) = ack.feedback {
            let given = (feedback.forward.as_nanos() as i64, feedback.backward.as_nanos() as i64);
            called = self.connection.on_feedback(given);
        }
        if let Some(rate) = &ack.rate {
            called = called.and_then(|()| self.connection.on_rate(rate));
        }
        if let Some(delay) = ack.one_way_delay {
            called = called.and_then(|()| self.connection.on_one_way_delay(delay.as_nanos() as i64));
        }
        let flags = i32::from(ack.may_grow()) | i32::from(ack.window_limited) << 1 | i32::from(ack.in_recovery) << 2;
        let given = (
            ack.now.as_nanos() as i64,
            or_none(ack.rtt),
            ack.acked.0 as i32,
            ack.in_flight.0 as i32,
            ack.newest.0 as i64,
            ack.next.0 as i64,
            ack.ce_marked as i32,
            flags,
        );
        called = called.and_then(|()| self.connection.on_ack(given));
        self.done("on_ack", ack.now, called);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let kind = match loss.kind {
            LossKind::DuplicateAcks => 0,
            LossKind::Timeout => 1,
            LossKind::Ecn => 2,
        };
        let given = (
            loss.now.as_nanos() as i64,
            kind,
            loss.sent.as_nanos() as i64,
            i32::from(loss.retransmission),
            loss.in_flight.0 as i32,
            loss.next.0 as i64,
            loss.lost.0 as i32,
        );
        let called = self.connection.on_loss(given);
        self.done("on_loss", loss.now, called);
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        let called = self.connection.on_handshake((now.as_nanos() as i64, rtt.as_nanos() as i64));
        self.done("on_handshake", now, called);
    }

    fn on_segment_lost(&mut self, lost: &LostSegment) {
        let LostSegment { in_flight, lost, app_limited } = *lost;
        let called = self.connection.on_segment_lost((in_flight.0 as i32, lost.0 as i32, i32::from(app_limited)));
        self.done("on_segment_lost", self.now, called);
    }

    fn on_recovered(&mut self, now: Time) {
        let called = self.connection.on_recovered(now.as_nanos() as i64);
        self.done("on_recovered", now, called);
    }

    fn on_restart(&mut self, restart: &Restart) {
        let Restart { now, next, idle } = *restart;
        let called = self.connection.on_restart((now.as_nanos() as i64, next.0 as i64, idle.as_nanos() as i64));
        self.done("on_restart", now, called);
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        let called = self.connection.on_path_change((now.as_nanos() as i64, next.0 as i64));
        self.done("on_path_change", now, called);
    }

    fn output(&self) -> Output {
        self.output
    }

    fn status(&self) -> Status {
        self.status
    }
}
