//! Statements and expressions, by precedence.

use super::lexer::{Word, words};
use super::value::{Operator, Value};
use super::{Comparison, Expression, Function, Statement};

/// The most brackets and signs that stand within each other.
const DEPTH_MAX: u32 = 32;

/// Words of Python that begin what is not supported.
const OTHER_STATEMENTS: [&str; 14] = [
    "import", "from", "for", "while", "if", "def", "class", "with", "try", "return", "lambda", "global", "del", "raise",
];

/// Operators of equal precedence a line, from the loosest on.
const LEVELS: [&[(&str, Operator)]; 6] = [
    &[("|", Operator::Or)],
    &[("^", Operator::Xor)],
    &[("&", Operator::And)],
    &[("<<", Operator::Left), (">>", Operator::Right)],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
    &[("*", Operator::Times), ("//", Operator::Whole), ("/", Operator::Over), ("%", Operator::Rest)],
];

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// Reads code.
pub(super) fn read(text: &str) -> Result<Vec<Statement>, String> {
    let words = words(text)?;
    let mut parser = Parser { words: &words, depth: 0 };
    let mut statements = Vec::new();
    while !parser.words.is_empty() {
        if parser.takes(&Word::End) {
            continue;
        }
        statements.push(parser.statement()?);
        if !parser.takes(&Word::End) {
            return Err(parser.wrong());
        }
    }
    Ok(statements)
}

struct Parser<'a> {
    words: &'a [Word],
    depth: u32,
}

impl Parser<'_> {
    fn takes(&mut self, word: &Word) -> bool {
        let takes = self.words.first() == Some(word);
        if takes {
            self.words = &self.words[1..];
        }
        takes
    }

    fn takes_mark(&mut self, mark: &'static str) -> bool {
        self.takes(&Word::Mark(mark))
    }

    fn takes_name(&mut self, name: &str) -> bool {
        let takes = matches!(self.words.first(), Some(Word::Name(known)) if known == name);
        if takes {
            self.words = &self.words[1..];
        }
        takes
    }

    fn wrong(&self) -> String {
        let word = match self.words.first() {
            None | Some(Word::End) => return "the end of the code comes too early".to_owned(),
            Some(Word::Name(name)) => name.clone(),
            Some(Word::Mark(mark)) => (*mark).to_owned(),
            Some(Word::Text(text)) => text.clone(),
            Some(Word::Integer(number)) => number.to_string(),
            Some(Word::Float(number)) => number.to_string(),
        };
        format!("`{word}` is not supported here")
    }

    fn statement(&mut self) -> Result<Statement, String> {
        if self.takes_name("assert") {
            let test = self.expression()?;
            let message = self.takes_mark(",").then(|| self.expression()).transpose()?;
            return Ok(Statement::Assert(test, message));
        }
        if self.takes_name("print") {
            return Ok(Statement::Print(match self.expression()? {
                Expression::Tuple(items) => items,
                one => vec![one],
            }));
        }
        if let Some(Word::Name(name)) = self.words.first()
            && OTHER_STATEMENTS.contains(&name.as_str())
        {
            return Err(self.wrong());
        }
        if let [Word::Name(name), Word::Mark(mark), rest @ ..] = self.words {
            let operator = match *mark {
                "=" => Some(None),
                "+=" => Some(Some(Operator::Plus)),
                "-=" => Some(Some(Operator::Minus)),
                "*=" => Some(Some(Operator::Times)),
                _ => None,
            };
            if let Some(operator) = operator {
                self.words = rest;
                return Ok(Statement::Assign(name.clone(), operator, self.expression()?));
            }
        }
        self.expression().map(Statement::Evaluate)
    }

    fn expression(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("so many brackets within each other are not supported".to_owned());
        }
        let mut left = self.conjunction()?;
        while self.takes_name("or") {
            left = Expression::Or(left.into(), self.conjunction()?.into());
        }
        self.depth -= 1;
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Expression, String> {
        let mut left = self.negation()?;
        while self.takes_name("and") {
            left = Expression::And(left.into(), self.negation()?.into());
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expression, String> {
        let mut negations = 0;
        while self.takes_name("not") {
            negations += 1;
        }
        let first = self.binary(0)?;
        let mut others = Vec::new();
        while let Some((mark, comparison)) =
            COMPARISONS.into_iter().find(|(mark, _)| self.words.first() == Some(&Word::Mark(mark)))
        {
            self.takes_mark(mark);
            others.push((comparison, self.binary(0)?));
        }
        let comparison = if others.is_empty() { first } else { Expression::Compare(first.into(), others) };
        Ok((0..negations).fold(comparison, |inner, _| Expression::Not(inner.into())))
    }

    fn binary(&mut self, level: usize) -> Result<Expression, String> {
        let Some(operators) = LEVELS.get(level) else { return self.signed() };
        let mut left = self.binary(level + 1)?;
        while let Some((mark, operator)) =
            operators.iter().find(|(mark, _)| self.words.first() == Some(&Word::Mark(mark)))
        {
            self.takes_mark(mark);
            left = Expression::Binary(*operator, left.into(), self.binary(level + 1)?.into());
        }
        Ok(left)
    }

    /// A sign binds less than a power.
    fn signed(&mut self) -> Result<Expression, String> {
        let sign: Option<fn(Box<Expression>) -> Expression> = match self.words.first() {
            Some(Word::Mark("-")) => Some(Expression::Negative),
            Some(Word::Mark("~")) => Some(Expression::Inverted),
            _ => None,
        };
        let Some(sign) = sign else {
            let base = self.operand()?;
            return match self.takes_mark("**") {
                true => Ok(Expression::Binary(Operator::Power, base.into(), self.signed_within()?.into())),
                false => Ok(base),
            };
        };
        self.words = &self.words[1..];
        Ok(sign(self.signed_within()?.into()))
    }

    fn signed_within(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("so many signs in a row are not supported".to_owned());
        }
        let inner = self.signed();
        self.depth -= 1;
        inner
    }

    fn operand(&mut self) -> Result<Expression, String> {
        let wrong = self.wrong();
        let Some((word, rest)) = self.words.split_first() else { return Err(wrong) };
        let operand = match word {
            Word::Integer(number) => Expression::Value(Value::Integer(*number)),
            Word::Float(number) => Expression::Value(Value::Float(*number)),
            Word::Text(text) => Expression::Value(Value::Text(text.clone())),
            Word::Name(name) if name == "True" || name == "False" => {
                Expression::Value(Value::Integer(i64::from(name == "True")))
            }
            Word::Name(name) => {
                self.words = rest;
                return self.name_or_call(name.clone());
            }
            Word::Mark("(") => {
                self.words = rest;
                return self.items().map(|(mut items, is_tuple)| match items.pop() {
                    Some(one) if items.is_empty() && !is_tuple => one,
                    last => Expression::Tuple(items.into_iter().chain(last).collect()),
                });
            }
            Word::Mark(_) | Word::End => return Err(wrong),
        };
        self.words = rest;
        Ok(operand)
    }

    fn name_or_call(&mut self, name: String) -> Result<Expression, String> {
        if !self.takes_mark("(") {
            return Ok(Expression::Name(name));
        }
        let function = Function::of_name(&name).ok_or_else(|| format!("the function `{name}` is not supported"))?;
        self.items().map(|(items, _)| Expression::Call(function, items))
    }

    /// Takes expressions up to a closing parenthesis; returns them, and whether commas make them a tuple.
    fn items(&mut self) -> Result<(Vec<Expression>, bool), String> {
        let mut items = Vec::new();
        let mut has_commas = false;
        while !self.takes_mark(")") {
            if !items.is_empty() && !has_commas {
                return Err(self.wrong());
            }
            items.push(self.expression()?);
            has_commas = self.takes_mark(",");
            if !has_commas {
                return match self.takes_mark(")") {
                    true => Ok((items, false)),
                    false => Err(self.wrong()),
                };
            }
        }
        Ok((items, true))
    }
}
