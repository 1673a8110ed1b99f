//! System calls: a name, arguments, and what they return.

use std::fmt;

use vegas_core::units::Span;

use super::ScriptError;
use super::lexer::Kind;
use super::reader::Reader;

/// A system call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Expression>,
    /// What it is expected to return.
    pub returns: Returned,
    /// How long it takes; `None` for a call that returns at once.
    pub takes: Option<Span>,
}

/// What a system call returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The value; -1 for an error.
    pub value: i64,
    /// The name of the error, such as `EAGAIN`.
    pub error: Option<String>,
}

impl fmt::Display for Returned {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.value)?;
        self.error.iter().try_for_each(|error| write!(out, " {error}"))
    }
}

/// An argument of a system call.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Number(i64),
    /// A constant, such as `SO_SNDBUF`.
    Name(String),
    /// A quoted text.
    Text(String),
    /// `...`: a value that does not matter.
    Any,
    /// `[a, b]`: what a pointer points to.
    List(Vec<Expression>),
    /// `{a = b, c}`: fields, with their names.
    Fields(Vec<(Option<String>, Expression)>),
    /// `a | b`: bits.
    Or(Vec<Expression>),
    /// `f(a)`.
    Function(String, Vec<Expression>),
}

impl fmt::Display for Expression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Number(number) => write!(out, "{number}"),
            Expression::Name(name) => out.write_str(name),
            Expression::Text(text) => write!(out, "\"{text}\""),
            Expression::Any => out.write_str("..."),
            Expression::List(items) => write!(out, "[{}]", joined(items, ", ")),
            Expression::Or(items) => out.write_str(&joined(items, "|")),
            Expression::Function(name, items) => write!(out, "{name}({})", joined(items, ", ")),
            Expression::Fields(fields) => {
                let field = |(name, value): &(Option<String>, Expression)| match name {
                    Some(name) => format!("{name}={value}"),
                    None => value.to_string(),
                };
                write!(out, "{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}({})", self.name, joined(&self.arguments, ", "))
    }
}

fn joined(items: &[Expression], between: &str) -> String {
    items.iter().map(Expression::to_string).collect::<Vec<_>>().join(between)
}

/// The most brackets that stand within each other.
const DEPTH_MAX: u32 = 32;

/// Takes a system call with its result.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Call, ScriptError> {
    let Some(Kind::Name(name)) = reader.next() else { return Err(reader.wrong("a system call")) };
    reader.expect('(')?;
    let arguments = list(reader, ')', DEPTH_MAX)?;
    reader.expect('=')?;
    let value = match expression(reader, DEPTH_MAX)? {
        Expression::Number(value) => value,
        // a value that does not matter
        Expression::Any => 0,
        _ => return Err(reader.wrong("a number")),
    };
    let error = match reader.peek() {
        Some(Kind::Name(error)) => {
            reader.next();
            Some(error.to_owned())
        }
        _ => None,
    };
    skip_note(reader);
    Ok(Call { name: name.to_owned(), arguments, returns: Returned { value, error }, takes: None })
}

/// Skips the note in parentheses behind a result.
fn skip_note(reader: &mut Reader<'_>) {
    if reader.takes('(') {
        while reader.next().is_some_and(|word| word != Kind::Mark(')')) {}
    }
}

/// Takes expressions up to `close`.
fn list(reader: &mut Reader<'_>, close: char, depth: u32) -> Result<Vec<Expression>, ScriptError> {
    let mut items = Vec::new();
    while !reader.takes(close) {
        if !items.is_empty() {
            reader.expect(',')?;
        }
        items.push(expression(reader, depth)?);
    }
    Ok(items)
}

fn expression(reader: &mut Reader<'_>, depth: u32) -> Result<Expression, ScriptError> {
    let first = operand(reader, depth)?;
    if reader.peek() != Some(Kind::Mark('|')) {
        return Ok(first);
    }
    let mut items = vec![first];
    while reader.takes('|') {
        items.push(operand(reader, depth)?);
    }
    Ok(Expression::Or(items))
}

fn operand(reader: &mut Reader<'_>, depth: u32) -> Result<Expression, ScriptError> {
    let depth = depth.checked_sub(1).ok_or_else(|| reader.wrong("fewer brackets within each other"))?;
    let sign = if reader.takes('-') { -1 } else { 1 };
    let expected = if sign < 0 { "a number" } else { "a number, a name, a text, `...`, `[` or `{`" };
    let read = reader.peek().and_then(|word| match word {
        Kind::Integer(digits) => digits.parse().ok().map(|number: i64| Expression::Number(sign * number)),
        Kind::Hex(digits) => i64::from_str_radix(digits, 16).ok().map(|number| Expression::Number(sign * number)),
        _ if sign < 0 => None,
        Kind::Name(name) => Some(Expression::Name(name.to_owned())),
        Kind::Text(text) => Some(Expression::Text(text.to_owned())),
        Kind::Ellipsis => Some(Expression::Any),
        Kind::Mark('[') => Some(Expression::List(Vec::new())),
        Kind::Mark('{') => Some(Expression::Fields(Vec::new())),
        _ => None,
    });
    let read = read.ok_or_else(|| reader.wrong(expected))?;
    reader.next();
    Ok(match read {
        Expression::Name(name) if reader.takes('(') => Expression::Function(name, list(reader, ')', depth)?),
        Expression::List(_) => Expression::List(list(reader, ']', depth)?),
        Expression::Fields(_) => fields(reader, depth)?,
        other => other,
    })
}

/// Takes fields up to `}`. A name may have a size, as in `msg_iov(1)=[...]`.
fn fields(reader: &mut Reader<'_>, depth: u32) -> Result<Expression, ScriptError> {
    let mut fields = Vec::new();
    while !reader.takes('}') {
        if !fields.is_empty() {
            reader.expect(',')?;
        }
        let value = expression(reader, depth)?;
        let name = match &value {
            Expression::Name(name) | Expression::Function(name, _) if reader.takes('=') => Some(name.clone()),
            _ => None,
        };
        let value = if name.is_some() { expression(reader, depth)? } else { value };
        fields.push((name, value));
    }
    Ok(Expression::Fields(fields))
}
