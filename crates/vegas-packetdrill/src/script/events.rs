//! Options, the commands around the events, and the events with their times.

use vegas_core::units::Span;

use super::lexer::{Kind, tokens};
use super::reader::Reader;
use super::{Action, Event, Moment, Script, ScriptError, ScriptOption, calls, segments};

/// Reads a script.
pub(super) fn read(text: &str) -> Result<Script, ScriptError> {
    let tokens = tokens(text)?;
    let mut reader = Reader::new(&tokens);
    let options = options(&mut reader, text);
    let mut events = Vec::new();
    while reader.peek().is_some() {
        events.push(event(&mut reader)?);
    }
    Ok(Script { options, events })
}

/// Takes the options; the value of one may be anything without blanks.
fn options(reader: &mut Reader<'_>, text: &str) -> Vec<ScriptOption> {
    let mut options = Vec::new();
    while let Some(Kind::Mark('-')) = reader.peek() {
        let line = reader.line();
        let option = text.lines().nth(line as usize - 1).unwrap_or_default();
        let option = option.split_whitespace().next().unwrap_or_default().trim_start_matches('-');
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        options.push(ScriptOption { line, name: name.to_owned(), value: value.to_owned() });
        reader.next();
        reader.skip_line();
    }
    options
}

fn event(reader: &mut Reader<'_>) -> Result<Event, ScriptError> {
    let line = reader.line();
    // the first command and the last one have no time
    let moment = match reader.peek() {
        Some(Kind::Command(_)) => Moment::After(Span::ZERO),
        _ => moment(reader)?,
    };
    let blocks = match reader.peek() {
        Some(Kind::Ellipsis) => {
            reader.next();
            Some(time(reader)?)
        }
        _ => None,
    };
    let action = action(reader, moment, blocks)?;
    let is_of_sent = matches!(action, Action::Sends(_) | Action::OtherPacket(_));
    if !is_of_sent && matches!(moment, Moment::Between(..) | Moment::BetweenAfter(..) | Moment::Any) {
        let message = "a range of times is for segments that the host sends; write one time";
        return Err(ScriptError::new(line, message));
    }
    Ok(Event { line, moment, action })
}

fn moment(reader: &mut Reader<'_>) -> Result<Moment, ScriptError> {
    if reader.takes('*') {
        return Ok(Moment::Any);
    }
    let line = reader.line();
    let is_relative = reader.takes('+');
    let from = time(reader)?;
    if !reader.takes('~') {
        return Ok(if is_relative { Moment::After(from) } else { Moment::At(from) });
    }
    if is_relative {
        reader.expect('+')?;
    }
    let to = time(reader)?;
    if to < from {
        return Err(ScriptError::new(line, "the range of times ends before it begins; exchange the two"));
    }
    Ok(if is_relative { Moment::BetweenAfter(from, to) } else { Moment::Between(from, to) })
}

/// Takes a time in seconds.
fn time(reader: &mut Reader<'_>) -> Result<Span, ScriptError> {
    const EXPECTED: &str = "a time in seconds, such as +.1";
    let (Some(Kind::Integer(text)) | Some(Kind::Fraction(text))) = reader.peek() else {
        return Err(reader.wrong(EXPECTED));
    };
    let span = nanos(text).ok_or_else(|| reader.wrong("a time of at most 1,000,000 s, to the nanosecond"))?;
    reader.next();
    Ok(span)
}

fn nanos(text: &str) -> Option<Span> {
    const LONGEST_SECONDS: u64 = 1_000_000;
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let seconds = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok().filter(|s| *s <= LONGEST_SECONDS)? };
    let decimals = decimals.trim_end_matches('0');
    if decimals.len() > 9 {
        return None;
    }
    let nanos = format!("{decimals:0<9}").parse::<u64>().ok()?;
    Some(Span::from_nanos(seconds * 1_000_000_000 + nanos))
}

fn action(reader: &mut Reader<'_>, moment: Moment, blocks: Option<Span>) -> Result<Action, ScriptError> {
    let line = reader.line();
    let action = match reader.peek() {
        Some(Kind::Command(text)) => {
            reader.next();
            Action::Shell(text.to_owned())
        }
        Some(Kind::Code(text)) => {
            reader.next();
            Action::Code(text.to_owned())
        }
        Some(Kind::Mark(direction @ ('<' | '>'))) => {
            reader.next();
            segments::read(reader, direction == '>')?
        }
        Some(Kind::Name(_)) => return call(reader, moment, blocks),
        _ => return Err(reader.wrong("a segment (`<` or `>`), a system call, a `command`, or %{ code }%")),
    };
    match blocks {
        None => Ok(action),
        Some(_) => Err(ScriptError::new(line, "only a system call takes time; leave out `...` and the second time")),
    }
}

/// Takes a system call; `blocks` is the time at which it returns, given as its beginning is.
fn call(reader: &mut Reader<'_>, moment: Moment, blocks: Option<Span>) -> Result<Action, ScriptError> {
    let line = reader.line();
    let begins = match moment {
        Moment::At(span) | Moment::After(span) => span,
        _ => Span::ZERO,
    };
    let call = calls::read(reader)?;
    match blocks {
        Some(ends) if ends < begins => Err(ScriptError::new(line, "the system call returns before it begins")),
        Some(ends) => Ok(Action::Calls(calls::Call { takes: Some(ends.less(begins)), ..call })),
        None => Ok(Action::Calls(call)),
    }
}
