//! The words of Python code.

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    Integer(i64),
    Float(f64),
    Text(String),
    Name(String),
    Mark(&'static str),
    /// The end of a statement: a line's end outside of brackets, or a semicolon.
    End,
}

/// Marks, the longer ones first.
const MARKS: [&str; 32] = [
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=", "(", ")", ",", "+", "-", "*", "/", "%", "&", "|",
    "^", "~", "<", ">", "=", ".", ":", "[", "]", "{", "}",
];

/// Returns the words of code, without its comments.
pub(super) fn words(text: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = text;
    let mut depth = 0_usize;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("\\\n").or_else(|| rest.strip_prefix("\\\r\n")) {
            rest = after;
        } else if first == '#' {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if first == ';' || first == '\n' {
            if depth == 0 || first == ';' {
                words.push(Word::End);
            }
            rest = &rest[1..];
        } else if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
        } else {
            let (word, after) = word(rest)?;
            match word {
                Word::Mark("(") => depth += 1,
                Word::Mark(")") => depth = depth.saturating_sub(1),
                _ => {}
            }
            words.push(word);
            rest = after;
        }
    }
    words.push(Word::End);
    Ok(words)
}

fn word(rest: &str) -> Result<(Word, &str), String> {
    let first = rest.chars().next().unwrap_or_default();
    if first == '"' || first == '\'' {
        return text(rest, first);
    }
    let length = |holds: fn(char) -> bool| rest.find(|letter| !holds(letter)).unwrap_or(rest.len());
    if first.is_ascii_digit() {
        return number(rest);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let (name, after) = rest.split_at(length(|letter| letter.is_ascii_alphanumeric() || letter == '_'));
        return Ok((Word::Name(name.to_owned()), after));
    }
    let mark = MARKS.into_iter().find(|mark| rest.starts_with(mark));
    mark.map(|mark| (Word::Mark(mark), &rest[mark.len()..])).ok_or_else(|| format!("`{first}` is not supported"))
}

fn number(rest: &str) -> Result<(Word, &str), String> {
    let (digits, radix) = rest.strip_prefix("0x").map_or((rest, 10), |digits| (digits, 16));
    let end = digits.find(|digit: char| !digit.is_digit(radix)).unwrap_or(digits.len());
    let (whole, after) = digits.split_at(end);
    if let (10, Some(decimals)) = (radix, after.strip_prefix('.')) {
        let end = decimals.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(decimals.len());
        let text = &digits[..whole.len() + 1 + end];
        let number = text.parse().map_err(|_| format!("`{text}` is no number"))?;
        return Ok((Word::Float(number), &decimals[end..]));
    }
    let number = i64::from_str_radix(whole, radix).map_err(|_| format!("`{whole}` is no number of 64 bits"))?;
    Ok((Word::Integer(number), after))
}

fn text(rest: &str, quote: char) -> Result<(Word, &str), String> {
    let inside = &rest[1..];
    let end = inside.find(quote).ok_or_else(|| format!("the text after {quote} has no end"))?;
    let text = &inside[..end];
    match text.contains('\\') {
        true => Err("a backslash in a text is not supported".to_owned()),
        false => Ok((Word::Text(text.to_owned()), &inside[end + 1..])),
    }
}
