//! Values and the operators over them.

use std::cmp::Ordering;
use std::fmt;

/// A value; truths are the integers 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Integer(i64),
    Float(f64),
    Text(String),
    Tuple(Vec<Value>),
}

impl Value {
    pub(super) fn is_true(&self) -> bool {
        match self {
            Value::Integer(number) => *number != 0,
            Value::Float(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::Tuple(items) => !items.is_empty(),
        }
    }

    fn as_float(&self) -> Option<f64> {
        match self {
            Value::Integer(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            Value::Text(_) | Value::Tuple(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(number) => write!(out, "{number}"),
            Value::Float(number) => write!(out, "{number}"),
            Value::Text(text) => out.write_str(text),
            Value::Tuple(items) => {
                let items: Vec<String> = items.iter().map(Value::to_string).collect();
                write!(out, "({})", items.join(", "))
            }
        }
    }
}

/// Returns the order of two numbers or two texts; `None` of others.
pub(super) fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => Some(left.cmp(right)),
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        _ => left.as_float()?.partial_cmp(&right.as_float()?),
    }
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Plus,
    Minus,
    Times,
    /// `/`
    Over,
    /// `//`
    Whole,
    /// `%`, also the filling in of a text.
    Rest,
    Power,
    And,
    Or,
    Xor,
    Left,
    Right,
}

impl Operator {
    fn mark(self) -> &'static str {
        match self {
            Operator::Plus => "+",
            Operator::Minus => "-",
            Operator::Times => "*",
            Operator::Over => "/",
            Operator::Whole => "//",
            Operator::Rest => "%",
            Operator::Power => "**",
            Operator::And => "&",
            Operator::Or => "|",
            Operator::Xor => "^",
            Operator::Left => "<<",
            Operator::Right => ">>",
        }
    }

    /// Applies the operator; an error if the values have no result within 64 bits.
    pub(super) fn apply(self, left: &Value, right: &Value) -> Result<Value, String> {
        let result = match (left, right) {
            (Value::Integer(left), Value::Integer(right)) if self != Operator::Over => {
                self.of_integers(*left, *right).map(Value::Integer)
            }
            (Value::Text(text), right) if self == Operator::Rest => fill_in(text, right).map(Value::Text),
            _ => left.as_float().zip(right.as_float()).and_then(|(left, right)| self.of_floats(left, right)),
        };
        result.ok_or_else(|| format!("{left} {} {right} has no result", self.mark()))
    }

    fn of_integers(self, left: i64, right: i64) -> Option<i64> {
        let shift = || u32::try_from(right).ok().filter(|shift| *shift < 64);
        match self {
            Operator::Plus => left.checked_add(right),
            Operator::Minus => left.checked_sub(right),
            Operator::Times => left.checked_mul(right),
            Operator::Over => None,
            // Python rounds down
            Operator::Whole => left.checked_div(right).map(|whole| whole - i64::from(rounds_up(left, right))),
            Operator::Rest => {
                left.checked_rem(right).map(|rest| if rounds_up(left, right) { rest + right } else { rest })
            }
            Operator::Power => left.checked_pow(u32::try_from(right).ok()?),
            Operator::And => Some(left & right),
            Operator::Or => Some(left | right),
            Operator::Xor => Some(left ^ right),
            Operator::Left => shift().and_then(|shift| left.checked_mul(1_i64.checked_shl(shift)?)),
            Operator::Right => shift().map(|shift| left >> shift),
        }
    }

    fn of_floats(self, left: f64, right: f64) -> Option<Value> {
        let result = match self {
            Operator::Plus => left + right,
            Operator::Minus => left - right,
            Operator::Times => left * right,
            Operator::Over if right != 0.0 => left / right,
            Operator::Whole if right != 0.0 => (left / right).floor(),
            Operator::Rest if right != 0.0 => left - right * (left / right).floor(),
            _ => return None,
        };
        Some(Value::Float(result))
    }
}

/// Returns whether the division of integers that rounds to 0 is above the one that rounds down.
fn rounds_up(left: i64, right: i64) -> bool {
    left % right != 0 && (left < 0) != (right < 0)
}

/// The longest text that code makes.
const TEXT_BYTES_MAX: usize = 1_000;

/// Fills values into a text, at `%d`, `%s` and their like.
fn fill_in(text: &str, values: &Value) -> Option<String> {
    let mut values = match values {
        Value::Tuple(items) => items.iter(),
        one => std::slice::from_ref(one).iter(),
    };
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        filled.push_str(before);
        let kind = after.find(|letter: char| letter.is_ascii_alphabetic() || letter == '%')?;
        match after.as_bytes()[kind] {
            b'%' => filled.push('%'),
            b'd' | b'i' | b'u' | b's' | b'r' | b'f' | b'g' => filled.push_str(&values.next()?.to_string()),
            b'x' => match values.next()? {
                Value::Integer(number) => filled.push_str(&format!("{number:x}")),
                _ => return None,
            },
            _ => return None,
        }
        rest = &after[kind + 1..];
    }
    filled.push_str(rest);
    (values.next().is_none() && filled.len() <= TEXT_BYTES_MAX).then_some(filled)
}
