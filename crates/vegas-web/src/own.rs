//! The reader's own algorithms. The worker runs them, both JavaScript and WebAssembly (`web/src/own`); this file is the
//! engine's end of each connection. An event and the outputs after it cross the boundary as numbers in [`slots`].
//!
//! An algorithm that has failed no longer receives events, and the worker ends the run.

mod outside;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use vegas_core::units::{Pace, Segments, SendIndex, Span, Time, Window};
use vegas_core::{
    Ack, CongestionControl, Controller, Loss, LossKind, LostSegment, Needs, Output, Parameters, Phase, RateSample,
    Restart, Sent, Status,
};
use vegas_sim::scenario::{Language, Loaded, Own, Program};

use crate::failure::Failure;

const SLOTS: usize = 24;
/// The number that stands for a missing value.
const NONE: f64 = -1.0;

thread_local! {
    static GIVEN: Cell<[f64; SLOTS]> = const { Cell::new([0.0; SLOTS]) };
}

/// The slots: an event's numbers while the worker handles it, and then the outputs (`web/src/own/events.ts` has the
/// order).
pub(crate) fn slots() -> *const f64 {
    GIVEN.with(|given| given.as_ptr().cast())
}

/// The kinds of events for the worker, by number.
#[derive(Clone, Copy, Debug)]
enum Event {
    Ack,
    Loss,
    Sent,
    Recovered,
    Spurious,
    Restart,
    PathChange,
    Handshake,
    SegmentLost,
}

/// The algorithms that the page keeps, by language and name.
#[derive(Debug, Default)]
pub(crate) struct Shelf(BTreeMap<(&'static str, String), Own>);

/// The worker's description of an algorithm.
#[derive(Debug, Deserialize)]
struct Described {
    language: String,
    /// Its name in scenarios, such as `mine.js:Mine`.
    name: String,
    /// Its name in results.
    label: String,
    needs: Vec<String>,
    /// Its number in the worker.
    program: u32,
}

impl Shelf {
    /// Keeps an algorithm: JSON of [`Described`], a zero byte, and its content.
    pub(crate) fn keep(&mut self, given: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut parts = given.splitn(2, |&byte| byte == 0);
        let (described, content) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let described: Described =
            serde_json::from_slice(described).map_err(|error| Failure::new(error.to_string()))?;
        let Described { language, name, label, needs, program } = described;
        let language = Language::ALL.into_iter().find(|known| known.key() == language);
        let language = language.ok_or_else(|| Failure::new(format!("{name}: of no known language")))?;
        let mut asked = Needs::NONE;
        for need in &needs {
            *needed(&mut asked, need).ok_or_else(|| Failure::new(unknown(&name, need)))? = true;
        }
        let program = Arc::new(Outside { needs: asked, program });
        let own = Own::new(&name, Loaded { name: label, content: content.to_vec(), program });
        self.0.insert((language.key(), name), own);
        Ok(Vec::new())
    }

    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }

    /// The algorithm that a scenario calls `name`.
    pub(crate) fn get(&self, language: Language, name: &str) -> Result<Own, String> {
        if let Some(own) = self.0.get(&(language.key(), name.to_owned())) {
            return Ok(own.clone());
        }
        let known: Vec<&str> = self.0.keys().map(|(_, name)| name.as_str()).collect();
        let has = if known.is_empty() { "none".into() } else { known.join(", ") };
        Err(format!("{name}: is no algorithm of this page, which has {has}"))
    }
}

fn needed<'a>(needs: &'a mut Needs, name: &str) -> Option<&'a mut bool> {
    Some(match name {
        "rate" => &mut needs.rate,
        "every_ack" => &mut needs.every_ack,
        "window_limited" => &mut needs.window_limited,
        "routers" => &mut needs.routers,
        "one_way_delay" => &mut needs.one_way_delay,
        "sent" => &mut needs.sent,
        "each_loss" => &mut needs.each_loss,
        _ => return None,
    })
}

fn unknown(name: &str, need: &str) -> String {
    let known = r#""rate", "every_ack", "window_limited", "routers" or "one_way_delay""#;
    format!("{name}: needs: {need:?} was given; {known}")
}

/// An algorithm, by its number in the worker.
#[derive(Debug)]
struct Outside {
    needs: Needs,
    program: u32,
}

impl Program for Outside {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn start(&self, parameters: &Parameters, seed: u64) -> Controller {
        let segments = |count: Segments| f64::from(count.0);
        give(&[
            segments(parameters.initial_window),
            segments(parameters.restart_window),
            segments(parameters.max_window),
            parameters.ssthresh.map_or(NONE, segments),
            segments(parameters.alpha),
            segments(parameters.beta),
            segments(parameters.gamma),
            f64::from((seed >> 32) as u32),
            f64::from(seed as u32),
        ]);
        let window = Window::whole(parameters.initial_window);
        let mut control = WorkerControl {
            connection: Connection(outside::own_start(self.program)),
            max_window: Window::whole(parameters.max_window),
            output: Output { window, pace: None, quantum: Segments(1) },
            status: Status { window, ssthresh: None, base_rtt: None, diff: None, phase: Phase::Avoidance },
        };
        let held_bytes = control.take_outputs();
        Controller::boxed(control, held_bytes)
    }
}

fn give(numbers: &[f64]) {
    let mut given = [0.0; SLOTS];
    given[..numbers.len()].copy_from_slice(numbers);
    GIVEN.set(given);
}

/// The number of a connection in the worker; dropping this value frees the connection there.
#[derive(Debug)]
struct Connection(u32);

impl Drop for Connection {
    fn drop(&mut self) {
        outside::own_end(self.0);
    }
}

/// An algorithm that controls one connection.
#[derive(Debug)]
struct WorkerControl {
    connection: Connection,
    max_window: Window,
    output: Output,
    status: Status,
}

impl Clone for WorkerControl {
    fn clone(&self) -> Self {
        WorkerControl { connection: Connection(outside::own_copy(self.connection.0)), ..*self }
    }
}

impl WorkerControl {
    fn tell(&mut self, event: Event, numbers: &[f64]) {
        give(numbers);
        outside::own_tell(self.connection.0, event as u32);
        self.take_outputs();
    }

    /// Reads the outputs that the worker has left; returns the number of bytes that the connection holds there.
    fn take_outputs(&mut self) -> usize {
        let [window, pace_ns, ssthresh, base_rtt_ns, diff, held_bytes, ..] = GIVEN.get();
        let window = Window::from_raw(window as u64).clamp(Window::ONE, self.max_window);
        let bound = (ssthresh >= 0.0).then_some(Segments(ssthresh as u32));
        // NaN means that it has no threshold, and so no slow start to show
        let is_opening = !ssthresh.is_nan() && bound.is_none_or(|bound| window < Window::whole(bound));
        self.output.window = window;
        self.output.pace = (pace_ns > 0.0).then(|| Pace::of(1, Span::from_nanos(pace_ns as u64)));
        self.status = Status {
            window,
            ssthresh: bound,
            base_rtt: (base_rtt_ns >= 0.0).then(|| Span::from_nanos(base_rtt_ns as u64)),
            diff: (!diff.is_nan()).then_some(diff as i32),
            phase: if is_opening { Phase::SlowStart } else { Phase::Avoidance },
        };
        held_bytes as usize
    }
}

fn at(time: Time) -> f64 {
    time.as_nanos() as f64
}

fn place(index: SendIndex) -> f64 {
    index.0 as f64
}

fn span(span: Option<Span>) -> f64 {
    span.map_or(NONE, |span| span.as_nanos() as f64)
}

fn count(segments: Segments) -> f64 {
    f64::from(segments.0)
}

fn switch(is_on: bool) -> f64 {
    f64::from(u8::from(is_on))
}

fn numbers_of(ack: &Ack) -> [f64; 22] {
    let of_rate = |value: fn(&RateSample) -> f64| ack.rate.as_ref().map_or(0.0, value);
    [
        at(ack.now),
        span(ack.rtt),
        count(ack.acked),
        count(ack.in_flight),
        place(ack.newest),
        place(ack.next),
        f64::from(ack.ce_marked),
        switch(ack.may_grow()),
        switch(ack.window_limited),
        switch(ack.in_recovery),
        count(ack.delivered),
        count(ack.lost),
        span(ack.feedback.map(|feedback| feedback.forward)),
        span(ack.feedback.map(|feedback| feedback.backward)),
        span(ack.one_way_delay),
        span(ack.rate.map(|rate| rate.interval)),
        of_rate(|rate| count(rate.delivered)),
        of_rate(|rate| count(rate.lost)),
        of_rate(|rate| count(rate.in_flight)),
        of_rate(|rate| f64::from(rate.prior_delivered)),
        of_rate(|rate| f64::from(rate.total)),
        of_rate(|rate| switch(rate.app_limited)),
    ]
}

impl CongestionControl for WorkerControl {
    fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.tell(Event::Handshake, &[at(now), span(Some(rtt))]);
    }

    fn on_sent(&mut self, sent: &Sent) {
        let Sent { now, index, in_flight, retransmission } = *sent;
        self.tell(Event::Sent, &[at(now), place(index), count(in_flight), switch(retransmission)]);
    }

    fn on_segment_lost(&mut self, lost: &LostSegment) {
        let LostSegment { in_flight, lost, app_limited } = *lost;
        self.tell(Event::SegmentLost, &[count(in_flight), count(lost), switch(app_limited)]);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.tell(Event::Ack, &numbers_of(ack));
    }

    fn on_loss(&mut self, loss: &Loss) {
        let kind = match loss.kind {
            LossKind::DuplicateAcks => 0.0,
            LossKind::Timeout => 1.0,
            LossKind::Ecn => 2.0,
        };
        let Loss { now, sent, retransmission, in_flight, next, lost, .. } = *loss;
        let numbers = [at(now), kind, at(sent), switch(retransmission), count(in_flight), place(next), count(lost)];
        self.tell(Event::Loss, &numbers);
    }

    fn on_recovered(&mut self, now: Time) {
        self.tell(Event::Recovered, &[at(now)]);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.tell(Event::Spurious, &[f64::from(before.connection.0)]);
    }

    fn on_restart(&mut self, restart: &Restart) {
        let Restart { now, next, idle } = *restart;
        self.tell(Event::Restart, &[at(now), place(next), span(Some(idle))]);
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        self.tell(Event::PathChange, &[at(now), place(next)]);
    }

    fn output(&self) -> Output {
        self.output
    }

    fn status(&self) -> Status {
        self.status
    }
}
