//! The language of scripts, as far as TCP goes: options, a command that prepares the host, and events with their times.
//! Its words are in `lexer`, its events in `events`, segments in `segments`, and system calls in `calls`.

mod calls;
mod events;
mod lexer;
mod reader;
mod segments;

use vegas_core::units::Span;

pub use calls::{Call, Expression, Returned};

use crate::segment::Segment;

/// A script.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The options at its beginning.
    pub options: Vec<ScriptOption>,
    /// What happens, in the order of the script.
    pub events: Vec<Event>,
}

/// An option of a script, such as `--tolerance_usecs=10000`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptOption {
    /// Its line, from 1.
    pub line: u32,
    /// Its name, without dashes.
    pub name: String,
    /// Its value; empty without one.
    pub value: String,
}

/// One event of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The line on which it begins, from 1.
    pub line: u32,
    /// When it happens.
    pub moment: Moment,
    /// What happens.
    pub action: Action,
}

/// When an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// This time after the start of the script.
    At(Span),
    /// This time after the event before.
    After(Span),
    /// Between these times after the start of the script; only for what the host sends.
    Between(Span, Span),
    /// Between these times after the event before; only for what the host sends.
    BetweenAfter(Span, Span),
    /// At any time; only for what the host sends.
    Any,
}

/// What happens at an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A segment arrives at the host.
    Arrives(Segment),
    /// The host sends a segment.
    Sends(Segment),
    /// The application calls the host.
    Calls(Call),
    /// The shell runs a command.
    Shell(String),
    /// Python runs code over the state of the connection.
    Code(String),
    /// A packet that is no plain TCP segment: its first word.
    OtherPacket(String),
}

/// The reason why a text is no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ScriptError {
    /// The line of the script, from 1.
    pub line: u32,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl ScriptError {
    fn new(line: u32, message: impl Into<String>) -> ScriptError {
        ScriptError { line, message: message.into() }
    }
}

impl Script {
    /// Reads a script.
    pub fn read(text: &str) -> Result<Script, ScriptError> {
        events::read(text)
    }

    /// The value of an option; an option without a value has an empty one.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|option| option.name == name).map(|option| option.value.as_str())
    }
}
