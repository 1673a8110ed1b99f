//! The Python that scripts have in their assertions: assignments, `assert`, `print`, and expressions of numbers, texts
//! and names. Nothing else is carried out: no imports, no attributes, no functions but a few of numbers, no loops.

mod lexer;
mod parser;
mod value;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use value::Value;
use value::{Operator, compare};

/// Code that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Code(Vec<Statement>);

#[derive(Clone, Debug, PartialEq)]
enum Statement {
    Assert(Expression, Option<Expression>),
    Print(Vec<Expression>),
    /// `name = value`, or with an operator `name += value`.
    Assign(String, Option<Operator>, Expression),
    Evaluate(Expression),
}

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Value(Value),
    Name(String),
    Tuple(Vec<Expression>),
    Call(Function, Vec<Expression>),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Inverted(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `a < b <= c`
    Compare(Box<Expression>, Vec<(Comparison, Expression)>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Abs,
    Min,
    Max,
    Int,
    Float,
    Str,
    Len,
}

impl Code {
    /// Reads code; the error names what is not supported.
    pub(crate) fn read(text: &str) -> Result<Code, String> {
        parser::read(text).map(Code)
    }

    /// The names that the code uses before it assigns them.
    pub(crate) fn names(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        let mut assigned = BTreeSet::new();
        for statement in &self.0 {
            let mut used = BTreeSet::new();
            match statement {
                Statement::Assert(test, message) => {
                    test.collect(&mut used);
                    message.iter().for_each(|message| message.collect(&mut used));
                }
                Statement::Print(items) => items.iter().for_each(|item| item.collect(&mut used)),
                Statement::Evaluate(value) => value.collect(&mut used),
                Statement::Assign(name, operator, value) => {
                    value.collect(&mut used);
                    used.extend(operator.map(|_| name.as_str()));
                }
            }
            names.extend(used.into_iter().filter(|name| !assigned.contains(name)));
            if let Statement::Assign(name, ..) = statement {
                assigned.insert(name.as_str());
            }
        }
        names
    }

    /// The names that the code assigns.
    pub(crate) fn assigned(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|statement| match statement {
            Statement::Assign(name, ..) => Some(name.as_str()),
            _ => None,
        })
    }
}

impl Expression {
    fn collect<'a>(&'a self, names: &mut BTreeSet<&'a str>) {
        match self {
            Expression::Value(_) => {}
            Expression::Name(name) => {
                names.insert(name);
            }
            Expression::Tuple(items) | Expression::Call(_, items) => {
                items.iter().for_each(|item| item.collect(names));
            }
            Expression::Not(one) | Expression::Negative(one) | Expression::Inverted(one) => one.collect(names),
            Expression::Binary(_, left, right) | Expression::And(left, right) | Expression::Or(left, right) => {
                left.collect(names);
                right.collect(names);
            }
            Expression::Compare(first, others) => {
                first.collect(names);
                others.iter().for_each(|(_, other)| other.collect(names));
            }
        }
    }
}

/// The variables of a script's code, which stay from one piece of code to the next.
#[derive(Debug, Default)]
pub(crate) struct Memory(BTreeMap<String, Value>);

impl Memory {
    /// Runs code. `known` has the values of the names that the code has not assigned. Returns what the code prints; an
    /// error is an assertion that does not hold, or an operation without a result.
    pub(crate) fn run(&mut self, code: &Code, known: &dyn Fn(&str) -> Option<i64>) -> Result<Vec<String>, String> {
        let mut printed = Vec::new();
        for statement in &code.0 {
            match statement {
                Statement::Assert(test, message) => self.assert(test, message.as_ref(), known)?,
                Statement::Print(items) => {
                    let items: Result<Vec<_>, _> = items.iter().map(|item| self.evaluate(item, known)).collect();
                    let texts: Vec<_> = items?.iter().map(Value::to_string).collect();
                    printed.push(texts.join(" "));
                }
                Statement::Assign(name, operator, value) => {
                    let mut value = self.evaluate(value, known)?;
                    if let Some(operator) = operator {
                        let before = self.evaluate(&Expression::Name(name.clone()), known)?;
                        value = operator.apply(&before, &value)?;
                    }
                    if let Value::Tuple(_) = value {
                        return Err(format!("{name} = {value} keeps more than one value, which is not supported"));
                    }
                    self.0.insert(name.clone(), value);
                }
                Statement::Evaluate(value) => {
                    self.evaluate(value, known)?;
                }
            }
        }
        Ok(printed)
    }

    fn assert(
        &self,
        test: &Expression,
        message: Option<&Expression>,
        known: &dyn Fn(&str) -> Option<i64>,
    ) -> Result<(), String> {
        if self.evaluate(test, known)?.is_true() {
            return Ok(());
        }
        let mut names = BTreeSet::new();
        test.collect(&mut names);
        // constants are no news
        names.retain(|name| name.starts_with(|first: char| first.is_ascii_lowercase()));
        let value =
            |name: &str| self.evaluate(&Expression::Name(name.to_owned()), known).map(|value| (name.to_owned(), value));
        let values: Result<Vec<_>, _> = names.into_iter().map(value).collect();
        let values: Vec<_> = values?.iter().map(|(name, value)| format!("{name} is {value}")).collect();
        let message = match message.map(|message| self.evaluate(message, known)).transpose()? {
            Some(Value::Text(text)) => format!(" ({text})"),
            _ => String::new(),
        };
        Err(format!("the assertion does not hold: {}{message}", values.join(", ")))
    }

    fn evaluate(&self, expression: &Expression, known: &dyn Fn(&str) -> Option<i64>) -> Result<Value, String> {
        let evaluate = |expression: &Expression| self.evaluate(expression, known);
        let truth = |holds: bool| Value::Integer(i64::from(holds));
        Ok(match expression {
            Expression::Value(value) => value.clone(),
            Expression::Name(name) => {
                let known = || known(name).map(Value::Integer);
                self.0.get(name).cloned().or_else(known).ok_or_else(|| format!("`{name}` has no value"))?
            }
            Expression::Tuple(items) => Value::Tuple(items.iter().map(evaluate).collect::<Result<_, _>>()?),
            Expression::Call(function, items) => {
                let items: Vec<_> = items.iter().map(evaluate).collect::<Result<_, _>>()?;
                function.apply(&items)?
            }
            Expression::Not(one) => truth(!evaluate(one)?.is_true()),
            Expression::Negative(one) => Operator::Minus.apply(&Value::Integer(0), &evaluate(one)?)?,
            Expression::Inverted(one) => Operator::Xor.apply(&Value::Integer(-1), &evaluate(one)?)?,
            Expression::Binary(operator, left, right) => operator.apply(&evaluate(left)?, &evaluate(right)?)?,
            Expression::Compare(first, others) => {
                let mut left = evaluate(first)?;
                for (comparison, right) in others {
                    let right = evaluate(right)?;
                    if !comparison.holds(&left, &right)? {
                        return Ok(truth(false));
                    }
                    left = right;
                }
                truth(true)
            }
            Expression::And(left, right) => {
                let left = evaluate(left)?;
                if left.is_true() { evaluate(right)? } else { left }
            }
            Expression::Or(left, right) => {
                let left = evaluate(left)?;
                if left.is_true() { left } else { evaluate(right)? }
            }
        })
    }
}

impl Comparison {
    fn holds(self, left: &Value, right: &Value) -> Result<bool, String> {
        let order = compare(left, right);
        if let Comparison::Equal | Comparison::Unequal = self {
            return Ok(order.is_some_and(|order| order.is_eq()) == (self == Comparison::Equal));
        }
        let order = order.ok_or_else(|| format!("{left} and {right} have no order"))?;
        Ok(match self {
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::Greater => order.is_gt(),
            _ => order.is_ge(),
        })
    }
}

impl Function {
    fn of_name(name: &str) -> Option<Function> {
        Some(match name {
            "abs" => Function::Abs,
            "min" => Function::Min,
            "max" => Function::Max,
            "int" => Function::Int,
            "float" => Function::Float,
            "str" => Function::Str,
            "len" => Function::Len,
            _ => return None,
        })
    }

    fn apply(self, items: &[Value]) -> Result<Value, String> {
        let extreme = |wanted: std::cmp::Ordering| {
            let mut items = items.iter();
            let first = items.next().cloned().ok_or("a function of numbers has no argument")?;
            items.try_fold(first, |best, item| match compare(item, &best) {
                Some(order) if order == wanted => Ok(item.clone()),
                Some(_) => Ok(best),
                None => Err(format!("{item} and {best} have no order")),
            })
        };
        let Some(first) = items.first() else { return Err("a function has no argument".to_owned()) };
        match (self, first) {
            (Function::Min, _) => extreme(std::cmp::Ordering::Less),
            (Function::Max, _) => extreme(std::cmp::Ordering::Greater),
            (Function::Abs, Value::Integer(number)) => Ok(Value::Integer(number.saturating_abs())),
            (Function::Abs, Value::Float(number)) => Ok(Value::Float(number.abs())),
            (Function::Int, Value::Float(number)) => Ok(Value::Integer(*number as i64)),
            (Function::Float, Value::Integer(number)) => Ok(Value::Float(*number as f64)),
            (Function::Int, Value::Integer(_)) | (Function::Float, Value::Float(_)) => Ok(first.clone()),
            (Function::Str, value) => Ok(Value::Text(value.to_string())),
            (Function::Len, Value::Text(text)) => Ok(Value::Integer(text.chars().count() as i64)),
            (Function::Len, Value::Tuple(items)) => Ok(Value::Integer(items.len() as i64)),
            (_, value) => Err(format!("{value} is no argument of this function")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> Option<i64> {
        match name {
            "tcpi_snd_cwnd" => Some(10),
            "tcpi_rtt" => Some(20_500),
            "tcpi_options" => Some(0b10110),
            _ => None,
        }
    }

    fn run(text: &str) -> Result<Vec<String>, String> {
        Memory::default().run(&Code::read(text)?, &known)
    }

    #[test]
    fn assertions_hold_or_say_what_the_values_are() {
        for holds in [
            "assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd",
            "assert 20000 <= tcpi_rtt <= 21000, 'srtt=%d us' % tcpi_rtt",
            "assert (tcpi_options & 2) != 0, tcpi_options",
            "assert not tcpi_snd_cwnd != 10 and (tcpi_snd_cwnd == 3 or tcpi_rtt > 5)",
            "assert tcpi_snd_cwnd // 3 == 3 and tcpi_snd_cwnd % 3 == 1 and tcpi_snd_cwnd / 4 == 2.5",
            "assert max(tcpi_snd_cwnd, 3) - -2 ** 2 == 14 and 1 << 3 | 1 == 9 and ~5 == -6",
            "assert 0x7fffffff == 2147483647; assert abs(3 - 5) == 2\nassert '%s is %d' % ('a', 2) == 'a is 2'",
            "a = 1; a += 2 # three\nassert a == 3",
            "assert tcpi_snd_cwnd > \\\n 3",
        ] {
            assert_eq!(run(holds), Ok(Vec::new()), "{holds}");
        }
        let failed = run("assert tcpi_snd_cwnd == 11, 'cwnd=%d' % tcpi_snd_cwnd");
        assert_eq!(failed, Err("the assertion does not hold: tcpi_snd_cwnd is 10 (cwnd=10)".to_owned()));
        assert_eq!(run("print(tcpi_snd_cwnd, 'x')"), Ok(vec!["10 x".to_owned()]));
    }

    #[test]
    fn variables_stay_from_one_piece_of_code_to_the_next() {
        let mut memory = Memory::default();
        for text in ["cwnd = 58", "cwnd += 1; assert cwnd == 59", "assert cwnd == 59"] {
            memory.run(&Code::read(text).expect("code"), &known).expect(text);
        }
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for (text, named) in [
            ("import os", "`import`"),
            ("open('x')", "the function `open`"),
            ("a.b = 1", "`.`"),
            ("for i in range(3): pass", "`for`"),
            ("x = [1]", "`[`"),
            ("assert (1", "the end of the code"),
        ] {
            let error = Code::read(text).expect_err(text);
            assert!(error.contains(named), "{text}: {error}");
        }
        assert_eq!(run("assert tcpi_x == 1"), Err("`tcpi_x` has no value".to_owned()));
        assert_eq!(run("a = 1 / 0"), Err("1 / 0 has no result".to_owned()));
    }

    #[test]
    fn names_are_those_that_are_not_assigned_before() {
        let code = Code::read("a = b; c += 1; assert a == d, e").expect("code");
        assert_eq!(code.names().into_iter().collect::<Vec<_>>(), ["b", "c", "d", "e"]);
        assert_eq!(code.assigned().collect::<Vec<_>>(), ["a", "c"]);
    }
}
