//! The words of a script: numbers, names, marks, and the three kinds of text that other languages are in.

use super::ScriptError;

/// A word of a script, and the line on which it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) line: u32,
    pub(super) kind: Kind<'a>,
}

/// The kind of a word, with its text without quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind<'a> {
    /// Decimal digits.
    Integer(&'a str),
    /// Decimal digits with a point.
    Fraction(&'a str),
    /// A hexadecimal number, without `0x`.
    Hex(&'a str),
    Name(&'a str),
    /// `"..."`
    Text(&'a str),
    /// `` `...` ``: a command of the shell.
    Command(&'a str),
    /// `%{ ... }%`: Python.
    Code(&'a str),
    /// `...`
    Ellipsis,
    Mark(char),
}

/// Returns the words of a script, without its comments.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ScriptError> {
    let mut lexer = Lexer { rest: text, line: 1 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Result<Option<Token<'a>>, ScriptError> {
        self.skip_blanks()?;
        let line = self.line;
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let kind = match first {
            '"' => Kind::Text(self.quoted("\"", "\"")?),
            '`' => Kind::Command(self.quoted("`", "`")?),
            '%' if self.rest.starts_with("%{") => Kind::Code(self.quoted("%{", "}%")?),
            '.' if self.rest.starts_with("...") => {
                self.take(3);
                Kind::Ellipsis
            }
            _ if first.is_ascii_alphanumeric() || first == '_' || self.begins_fraction() => self.number_or_name(),
            mark => {
                self.take(mark.len_utf8());
                Kind::Mark(mark)
            }
        };
        Ok(Some(Token { line, kind }))
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count() as u32;
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) -> Result<(), ScriptError> {
        loop {
            let blanks = self.rest.len() - self.rest.trim_start().len();
            self.take(blanks);
            if self.rest.starts_with("//") {
                self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                self.quoted("/*", "*/")?;
            } else {
                return Ok(());
            }
        }
    }

    /// Takes what lies between two marks; a backslash keeps a quote from ending the text.
    fn quoted(&mut self, open: &str, close: &str) -> Result<&'a str, ScriptError> {
        let line = self.line;
        let inside = &self.rest[open.len()..];
        let mut from = 0;
        loop {
            let Some(at) = inside[from..].find(close).map(|at| from + at) else {
                return Err(ScriptError::new(line, format!("{open} has no {close} after it")));
            };
            if close.len() > 1 || !inside[..at].ends_with('\\') {
                self.take(open.len() + at + close.len());
                return Ok(&inside[..at]);
            }
            from = at + close.len();
        }
    }

    /// Returns whether a number follows that begins with a point.
    fn begins_fraction(&self) -> bool {
        self.rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()))
    }

    fn number_or_name(&mut self) -> Kind<'a> {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let length =
            |text: &str, holds: &dyn Fn(char) -> bool| text.find(|letter| !holds(letter)).unwrap_or(text.len());
        let name = &self.rest[..length(self.rest, &is_of_name)];
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let after = &self.rest[name.len()..];
            let decimals = after.strip_prefix('.').map_or(0, |after| length(after, &|next| next.is_ascii_digit()));
            return match decimals {
                0 => Kind::Integer(self.take(name.len())),
                _ => Kind::Fraction(self.take(name.len() + 1 + decimals)),
            };
        }
        let taken = self.take(name.len());
        match taken.strip_prefix("0x") {
            Some(digits) if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
                Kind::Hex(digits)
            }
            _ => Kind::Name(taken),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind<'_>> {
        tokens(text).expect("words").into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn points_belong_to_what_is_around_them() {
        use Kind::{Ellipsis, Fraction, Integer, Mark, Name};
        assert_eq!(kinds(".1"), [Fraction(".1")]);
        assert_eq!(kinds("P. 1:2"), [Name("P"), Mark('.'), Integer("1"), Mark(':'), Integer("2")]);
        assert_eq!(kinds("P.5"), [Name("P"), Fraction(".5")]);
        assert_eq!(kinds("0...0.200"), [Integer("0"), Ellipsis, Fraction("0.200")]);
        assert_eq!(kinds(".01...0.011"), [Fraction(".01"), Ellipsis, Fraction("0.011")]);
    }

    #[test]
    fn comments_are_skipped_and_lines_counted() {
        let text = "// one\n0 /* two\nthree */ `a\n# b`\n%{ x }% 0x1f FO1";
        let lines: Vec<_> = tokens(text).expect("words").iter().map(|token| (token.line, token.kind)).collect();
        let expected = [
            (2, Kind::Integer("0")),
            (3, Kind::Command("a\n# b")),
            (5, Kind::Code(" x ")),
            (5, Kind::Hex("1f")),
            (5, Kind::Name("FO1")),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn what_is_not_closed_is_named_with_its_line() {
        let error = tokens("0\n`sysctl").expect_err("no end");
        assert_eq!(error.to_string(), "line 2: ` has no ` after it");
    }
}
