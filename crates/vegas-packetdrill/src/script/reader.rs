//! The words of a script, taken one after another.

use super::ScriptError;
use super::lexer::{Kind, Token};

/// The words of a script, of which some are taken.
pub(super) struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    /// The line of the newest word taken.
    line: u32,
}

impl<'a> Reader<'a> {
    pub(super) fn new(tokens: &'a [Token<'a>]) -> Self {
        Reader { tokens, at: 0, line: 1 }
    }

    pub(super) fn peek(&self) -> Option<Kind<'a>> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    /// The word after the next one.
    pub(super) fn peek_second(&self) -> Option<Kind<'a>> {
        self.tokens.get(self.at + 1).map(|token| token.kind)
    }

    /// The line of the next word, or of the newest one at the end.
    pub(super) fn line(&self) -> u32 {
        self.tokens.get(self.at).map_or(self.line, |token| token.line)
    }

    pub(super) fn next(&mut self) -> Option<Kind<'a>> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        self.line = token.line;
        Some(token.kind)
    }

    pub(super) fn takes(&mut self, mark: char) -> bool {
        let takes = self.peek() == Some(Kind::Mark(mark));
        if takes {
            self.next();
        }
        takes
    }

    pub(super) fn takes_name(&mut self, name: &str) -> bool {
        let takes = self.peek() == Some(Kind::Name(name));
        if takes {
            self.next();
        }
        takes
    }

    pub(super) fn expect(&mut self, mark: char) -> Result<(), ScriptError> {
        match self.takes(mark) {
            true => Ok(()),
            false => Err(self.wrong(&format!("`{mark}`"))),
        }
    }

    /// Takes a decimal number that fits `T`.
    pub(super) fn number<T: TryFrom<u64>>(&mut self, what: &str) -> Result<T, ScriptError> {
        let number = match self.peek() {
            Some(Kind::Integer(digits)) => digits.parse::<u64>().ok().and_then(|number| T::try_from(number).ok()),
            _ => None,
        };
        let number = number.ok_or_else(|| self.wrong(what))?;
        self.next();
        Ok(number)
    }

    /// Skips the other words of the line of the newest word.
    pub(super) fn skip_line(&mut self) {
        while self.peek().is_some() && self.line() == self.line {
            self.at += 1;
        }
    }

    /// Says that the next word is not the one that is needed.
    pub(super) fn wrong(&self, expected: &str) -> ScriptError {
        let given = match self.peek() {
            None => "the end of the script".to_owned(),
            Some(Kind::Integer(text) | Kind::Fraction(text) | Kind::Name(text)) => format!("`{text}`"),
            Some(Kind::Hex(digits)) => format!("`0x{digits}`"),
            Some(Kind::Mark(mark)) => format!("`{mark}`"),
            Some(Kind::Text(_)) => "a quoted text".to_owned(),
            Some(Kind::Command(_)) => "a command".to_owned(),
            Some(Kind::Code(_)) => "code".to_owned(),
            Some(Kind::Ellipsis) => "`...`".to_owned(),
        };
        ScriptError::new(self.line(), format!("{given} was given; expected {expected}"))
    }
}
