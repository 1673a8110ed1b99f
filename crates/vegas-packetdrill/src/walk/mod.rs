//! The walk through a script: its clock, its events in their order, and what does not hold.

mod blocked;
mod compare;
mod needs;
mod stamps;
mod tolerance;

use std::collections::VecDeque;

use vegas_core::units::{Span, Time};

use crate::host::Host;
use crate::python::{Code, Memory};
use crate::script::{Action, Call, Event, Script};
use crate::segment::{Codepoint, Flags, Segment};
use crate::shell::{Files, settings};
use crate::verdict::{Failure, Need, Outcome, Verdict, seconds};
use blocked::Blocked;
use stamps::Stamps;
use tolerance::{Tolerance, Window};

/// Runs a script on a host. `files` has the files of commands that the script names.
pub fn run(script: &Script, host: &mut dyn Host, files: &Files<'_>) -> Outcome {
    let needs = needs::unmet(script, host, files);
    if !needs.is_empty() {
        return Outcome { verdict: Verdict::NotApplicable(needs), walk: Vec::new() };
    }
    let mut walk = Walk::new(script, host, files);
    let verdict = match walk.whole(script) {
        Ok(()) => Verdict::Pass,
        Err(Stop::Failed(failure)) => Verdict::Fail(failure),
        Err(Stop::NotApplicable(need)) => Verdict::NotApplicable(vec![need]),
    };
    Outcome { verdict, walk: walk.log }
}

/// Why a walk ends before the end of its script.
enum Stop {
    Failed(Failure),
    NotApplicable(Need),
}

struct Walk<'a> {
    host: &'a mut dyn Host,
    files: &'a Files<'a>,
    now: Time,
    tolerance: Tolerance,
    /// Whether a segment is compared as it left, not joined with those behind it.
    is_strict: bool,
    /// What the host has sent and no event has expected yet.
    sent: VecDeque<(Time, Segment)>,
    blocked: Option<Blocked>,
    memory: Memory,
    stamps: Stamps,
    log: Vec<String>,
}

/// More timers than this within one event mean that the host does not come to rest.
const TIMERS_MAX: u32 = 1_000_000;
/// The longest wait for something that may happen at any time.
const PATIENCE: Span = Span::from_secs(3_600);

impl<'a> Walk<'a> {
    fn new(script: &Script, host: &'a mut dyn Host, files: &'a Files<'a>) -> Self {
        Walk {
            host,
            files,
            now: Time::ZERO,
            tolerance: Tolerance::of(script),
            is_strict: script.option("strict_segments").is_some(),
            sent: VecDeque::new(),
            blocked: None,
            memory: Memory::default(),
            stamps: Stamps::of(script),
            log: Vec::new(),
        }
    }

    fn whole(&mut self, script: &Script) -> Result<(), Stop> {
        let mut before = Time::ZERO;
        for event in &script.events {
            let window = Window::of(event.moment, self.now);
            self.event(event, window, before)?;
            before = if window.is_any() { self.now } else { window.from };
        }
        match script.events.last() {
            Some(last) => self.finish_call(last),
            None => Ok(()),
        }
    }

    fn event(&mut self, event: &Event, window: Window, before: Time) -> Result<(), Stop> {
        if let Action::Sends(expected) = &event.action {
            return self.expect(event, expected, window, before);
        }
        self.wait_until(window.from, event)?;
        match &event.action {
            Action::Sends(_) | Action::OtherPacket(_) => {}
            Action::Arrives(segment) => {
                self.note(event, &format!("< {segment}"));
                let segment = self.stamps.of_script(segment);
                self.host.receive(self.now, &segment);
                self.after_host(event)?;
            }
            Action::Calls(call) => self.call(event, call)?,
            Action::Shell(text) => {
                settings(text, self.files).iter().for_each(|setting| self.host.set(setting));
                self.after_host(event)?;
            }
            Action::Code(text) => self.code(event, text)?,
        }
        Ok(())
    }

    fn note(&mut self, event: &Event, what: &str) {
        self.log.push(format!("{} line {}: {what}", seconds(self.now), event.line));
    }

    fn fail<T>(&self, event: &Event, message: impl Into<String>) -> Result<T, Stop> {
        let failure = Failure { line: event.line, at: self.now, message: message.into(), expected_and_actual: None };
        Err(Stop::Failed(failure))
    }

    /// Lets the time pass up to `until`, with the host's timers on the way.
    fn wait_until(&mut self, until: Time, event: &Event) -> Result<(), Stop> {
        for _ in 0..TIMERS_MAX {
            let Some(due) = self.host.timer().filter(|due| *due <= until) else {
                self.now = self.now.max(until);
                return Ok(());
            };
            self.run_timer(due, event)?;
        }
        self.fail(event, "the host's timers do not come to rest")
    }

    fn run_timer(&mut self, due: Time, event: &Event) -> Result<(), Stop> {
        self.now = self.now.max(due);
        self.host.on_timer(self.now);
        self.after_host(event)
    }

    /// Takes what the host sends now, and what a call that waits returns.
    fn after_host(&mut self, event: &Event) -> Result<(), Stop> {
        while let Some(segment) = self.host.transmit(self.now) {
            let ecn = segment.ecn.filter(|ecn| *ecn != Codepoint::NotEct);
            self.log.push(format!("{} host: > {}", seconds(self.now), Segment { ecn, ..segment.clone() }));
            self.sent.push_back((self.now, segment));
        }
        self.resume(event)
    }

    fn code(&mut self, event: &Event, text: &str) -> Result<(), Stop> {
        let code = Code::read(text)
            .map_err(|reason| Stop::NotApplicable(Need { line: event.line, what: needs::of_code(&reason) }))?;
        let (host, now) = (&*self.host, self.now);
        match self.memory.run(&code, &|name| host.value(now, name)) {
            Ok(printed) => {
                self.note(event, text);
                self.log.extend(printed);
                Ok(())
            }
            Err(message) => self.fail(event, message),
        }
    }

    /// Expects a segment: the next one that the host sends, or several that are as long together.
    fn expect(&mut self, event: &Event, expected: &Segment, window: Window, before: Time) -> Result<(), Stop> {
        let slack = self.tolerance.after(window.from.since(before));
        let latest = if window.is_any() { self.now + PATIENCE } else { window.to + slack };
        let mut parts = Vec::new();
        let (at, actual) = loop {
            let Some((at, part)) = self.next_sent(latest, event)? else {
                return self.nothing_sent(event, expected, &parts);
            };
            self.now = self.now.max(at);
            parts.push(part);
            let actual = compare::joined(&parts);
            if self.is_strict || actual.length >= expected.length || part_is_last(&parts) {
                break (at, actual);
            }
        };
        let mut actual = self.stamps.of_host(&actual, expected);
        let difference = compare::difference(expected, &actual, &parts, self.stamps.tick());
        if expected.ecn.is_none() {
            actual.ecn = None;
        }
        let late = || window.misses(at, slack);
        match difference.or_else(late) {
            None => {
                self.note(event, &format!("> {actual}"));
                Ok(())
            }
            Some(message) => {
                let expected = format!("{}  > {expected}", window.text());
                let actual = format!("{}  > {actual}", seconds(at));
                let expected_and_actual = Some((expected, actual));
                Err(Stop::Failed(Failure { line: event.line, at, message, expected_and_actual }))
            }
        }
    }

    /// Takes the next segment that the host sends until `latest`.
    fn next_sent(&mut self, latest: Time, event: &Event) -> Result<Option<(Time, Segment)>, Stop> {
        for _ in 0..TIMERS_MAX {
            if let Some(sent) = self.sent.pop_front() {
                return Ok(Some(sent));
            }
            match self.host.timer().filter(|due| *due <= latest) {
                Some(due) => self.run_timer(due, event)?,
                None => return Ok(None),
            }
        }
        self.fail(event, "the host's timers do not come to rest")
    }

    fn nothing_sent(&self, event: &Event, expected: &Segment, parts: &[Segment]) -> Result<(), Stop> {
        let actual = match parts {
            [] => "nothing is sent".to_owned(),
            parts => format!("only {} is sent", compare::joined(parts)),
        };
        let (message, at) = ("a segment is missing".to_owned(), self.now);
        let expected_and_actual = Some((format!("> {expected}"), actual));
        Err(Stop::Failed(Failure { line: event.line, at, message, expected_and_actual }))
    }

    fn call(&mut self, event: &Event, call: &Call) -> Result<(), Stop> {
        self.finish_call(event)?;
        self.note(event, &call.to_string());
        let began = self.now;
        let reply = self.host.call(began, call);
        self.blocked = Some(Blocked::new(event.line, began, call));
        self.reply(event, reply)?;
        self.after_host(event)
    }
}

/// A segment without data ends what may be joined.
fn part_is_last(parts: &[Segment]) -> bool {
    parts.last().is_none_or(|part| part.length == 0 || part.flags.has(Flags::RST))
}
