//! Segments: flags, numbers and options.

use super::lexer::Kind;
use super::reader::Reader;
use super::{Action, ScriptError};
use crate::segment::{Codepoint, Flags, Segment, TcpOption, counter_names};
use vegas_sim::driven::AccurateOption;

/// Words that begin a packet which is no plain TCP segment.
const OTHER_PACKETS: [&str; 8] = ["icmp", "udp", "ipv4", "ipv6", "gre", "GREv0", "mpls", "encap"];

/// Takes the packet after its direction; `is_sent` if the host sends it.
pub(super) fn read(reader: &mut Reader<'_>, is_sent: bool) -> Result<Action, ScriptError> {
    let ecn = match ip_fields(reader)? {
        Ok(ecn) => ecn,
        Err(field) => return Ok(skip(reader, field)),
    };
    if let (Some(Kind::Integer(_)), Some(Kind::Mark('>'))) = (reader.peek(), reader.peek_second()) {
        return Ok(skip(reader, "ports".to_owned()));
    }
    if let Some(Kind::Name(name)) = reader.peek()
        && OTHER_PACKETS.contains(&name)
    {
        return Ok(skip(reader, name.to_owned()));
    }
    let line = reader.line();
    let segment = segment(reader, ecn)?;
    if is_sent {
        return Ok(Action::Sends(segment));
    }
    match (&segment.options, segment.ecn) {
        (None, _) => Err(ScriptError::new(line, "<...> is for segments that the host sends; write the options")),
        (_, Some(Codepoint::AnyEct)) => {
            Err(ScriptError::new(line, "[ect01] is for segments that the host sends; write ect0 or ect1"))
        }
        _ => Ok(Action::Arrives(segment)),
    }
}

fn skip(reader: &mut Reader<'_>, word: String) -> Action {
    reader.skip_line();
    Action::OtherPacket(word)
}

/// Takes the fields of the IP header, in brackets; those that are no ECN field are returned by name.
fn ip_fields(reader: &mut Reader<'_>) -> Result<Result<Option<Codepoint>, String>, ScriptError> {
    let close = match reader.peek() {
        Some(Kind::Mark('[')) => ']',
        Some(Kind::Mark('(')) => ')',
        _ => return Ok(Ok(None)),
    };
    reader.next();
    let Some(Kind::Name(word)) = reader.next() else {
        return Err(reader.wrong("ect0, ect1, ect01, ce or noecn"));
    };
    let Some(codepoint) = Codepoint::of_word(word) else { return Ok(Err(word.to_owned())) };
    reader.expect(close)?;
    Ok(Ok(Some(codepoint)))
}

fn segment(reader: &mut Reader<'_>, ecn: Option<Codepoint>) -> Result<Segment, ScriptError> {
    let flags = flags(reader)?;
    let line = reader.line();
    let sequence = reader.number::<u32>("a sequence number")?;
    reader.expect(':')?;
    let end = reader.number::<u32>("a sequence number")?;
    reader.expect('(')?;
    let length = reader.number::<u16>("a number of bytes, 65535 at most")?;
    reader.expect(')')?;
    if end != sequence.wrapping_add(u32::from(length)) {
        let message =
            format!("{sequence}:{end} are not {length} bytes; write {}", sequence.wrapping_add(length.into()));
        return Err(ScriptError::new(line, message));
    }
    let mut segment = Segment { flags, ecn, sequence, length: length.into(), ..Segment::empty() };
    if reader.takes_name("ack") {
        segment.ack = reader.number("an acknowledgement number")?;
    }
    if reader.takes_name("win") {
        segment.window = Some(reader.number("a window, 65535 at most")?);
    }
    if reader.takes_name("urg") {
        segment.urgent = reader.number("an urgent pointer, 65535 at most")?;
    }
    if reader.takes('<') {
        segment.options = options(reader)?;
    }
    Ok(segment)
}

/// Takes the flags: letters, with a point for the acknowledgement, and a digit for the count of accurate ECN.
fn flags(reader: &mut Reader<'_>) -> Result<Flags, ScriptError> {
    const EXPECTED: &str = "flags of F, S, R, P, U, E, W, A, a count of accurate ECN and a point, or -";
    if reader.takes('-') {
        return Ok(Flags::NONE);
    }
    let mut flags = Flags::NONE;
    let mut is_given = false;
    while let Some(Kind::Name(text) | Kind::Fraction(text)) = reader.peek() {
        for letter in text.chars() {
            flags = flags.and(flag(letter).ok_or_else(|| reader.wrong(EXPECTED))?);
        }
        reader.next();
        is_given = true;
    }
    if reader.takes('.') {
        return Ok(flags.and(Flags::ACK));
    }
    if is_given { Ok(flags) } else { Err(reader.wrong(EXPECTED)) }
}

/// Returns the flag of a letter, or those of a count.
fn flag(letter: char) -> Option<Flags> {
    let Some(count) = letter.to_digit(8) else { return Flags::of_letter(letter) };
    Some(Flags::of_ace(count as u8))
}

/// Takes options after `<`, or `...>` for any.
fn options(reader: &mut Reader<'_>) -> Result<Option<Vec<TcpOption>>, ScriptError> {
    if reader.peek() == Some(Kind::Ellipsis) {
        reader.next();
        reader.expect('>')?;
        return Ok(None);
    }
    let mut options = vec![option(reader)?];
    while reader.takes(',') {
        options.push(option(reader)?);
    }
    reader.expect('>')?;
    Ok(Some(options))
}

fn option(reader: &mut Reader<'_>) -> Result<TcpOption, ScriptError> {
    const EXPECTED: &str = "an option: nop, eol, mss, wscale, sackOK, sack, TS, FO, FOEXP, md5 or ECN";
    let Some(Kind::Name(name)) = reader.peek() else { return Err(reader.wrong(EXPECTED)) };
    let other = ["FO", "FOEXP", "md5"].into_iter().find(|known| *known == name);
    if other.is_none() && !matches!(name, "nop" | "eol" | "mss" | "wscale" | "sackOK" | "sack" | "TS" | "ECN") {
        return Err(reader.wrong(EXPECTED));
    }
    reader.next();
    Ok(match name {
        "nop" => TcpOption::Nop,
        "eol" => TcpOption::End,
        "mss" => TcpOption::Mss(reader.number("a segment size, 65535 at most")?),
        "wscale" => TcpOption::WindowScale(reader.number("a shift, 255 at most")?),
        "sackOK" => TcpOption::SackPermitted,
        "sack" => TcpOption::Sack(blocks(reader)?),
        "TS" => time_stamps(reader)?,
        "ECN" => counters(reader)?,
        _ => TcpOption::Other(other.unwrap_or_default(), words(reader)),
    })
}

fn blocks(reader: &mut Reader<'_>) -> Result<Vec<(u32, u32)>, ScriptError> {
    let mut blocks = Vec::new();
    while blocks.is_empty() || matches!(reader.peek(), Some(Kind::Integer(_))) {
        let from = reader.number("the first byte of a block")?;
        reader.expect(':')?;
        blocks.push((from, reader.number("the end of a block")?));
    }
    Ok(blocks)
}

fn time_stamps(reader: &mut Reader<'_>) -> Result<TcpOption, ScriptError> {
    let mut field = |name: &str| match reader.takes_name(name) {
        true => reader.number("a time stamp"),
        false => Err(reader.wrong(&format!("`{name}`"))),
    };
    let value = field("val")?;
    Ok(TcpOption::TimeStamps { value, echo: field("ecr")? })
}

/// Takes the counters of Accurate ECN; the first one says in which order they are. None are ECT(1)'s order.
fn counters(reader: &mut Reader<'_>) -> Result<TcpOption, ScriptError> {
    let mut option = AccurateOption { ect1_first: reader.peek() != Some(Kind::Name("e0b")), counters: Vec::new() };
    for name in counter_names(option.ect1_first) {
        if reader.takes_name(name) {
            option.counters.push(reader.number("a counter of bytes")?);
        }
    }
    Ok(TcpOption::Accurate(option))
}

/// Takes the words up to the end of an option.
fn words(reader: &mut Reader<'_>) -> String {
    let mut words = Vec::new();
    while let Some(Kind::Name(word) | Kind::Integer(word)) = reader.peek() {
        words.push(word);
        reader.next();
    }
    words.join(" ")
}
