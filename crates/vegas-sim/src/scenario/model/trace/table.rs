//! Texts of numbers in columns, as people have them: with a byte-order mark, either kind of line ends, comments, blank
//! lines, a line of names, and commas, semicolons, tabs or blanks between.
//!
//! No text of the file is shown: a scenario from another user may name any file of this machine.

use crate::scenario::model::trace::column::Meaning;

/// The lines that have values, with their numbers from 1.
pub(in crate::scenario::model) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_comment = |line: &str| line.is_empty() || line.starts_with(['#', '%']) || line.starts_with("//");
    (1..).zip(text.lines().map(str::trim)).filter(move |(_, line)| !is_comment(line))
}

/// The columns of a text.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scenario::model) struct Table<'a> {
    text: &'a str,
    delimiter: Option<char>,
    /// The columns' meanings by their names, where the first line has names.
    pub(in crate::scenario::model) names: Option<Vec<Option<Meaning>>>,
    /// The number of columns of the first line of values.
    pub(in crate::scenario::model) columns: usize,
}

impl<'a> Table<'a> {
    /// Looks at the first lines of a text; none if it has no line of values.
    pub(in crate::scenario::model) fn of(text: &'a str) -> Option<Self> {
        let (_, first) = lines(text).next()?;
        let delimiter = [',', ';', '\t'].into_iter().find(|delimiter| first.contains(*delimiter));
        let mut table = Table { text, delimiter, names: None, columns: 0 };
        let cells: Vec<&str> = table.cells(first).collect();
        let names: Vec<Option<Meaning>> = cells.iter().map(|name| Meaning::of(name)).collect();
        let is_named = cells.len() > 1 || names.iter().any(Option::is_some);
        if is_named && cells.iter().all(|cell| number(cell).is_none()) {
            table.names = Some(names);
        }
        let (_, values) = lines(text).nth(usize::from(table.names.is_some()))?;
        table.columns = table.cells(values).count();
        Some(table)
    }

    /// Returns the place of the first column with a name of such a meaning.
    pub(in crate::scenario::model) fn place(&self, is_such: impl Fn(Meaning) -> bool) -> Option<(usize, Meaning)> {
        let names = self.names.iter().flatten().enumerate();
        names.filter_map(|(place, meaning)| Some((place, (*meaning)?))).find(|(_, meaning)| is_such(*meaning))
    }

    /// The lines of values, with their numbers and their cells.
    pub(in crate::scenario::model) fn rows(&self) -> impl Iterator<Item = (usize, Vec<&'a str>)> + '_ {
        lines(self.text).skip(usize::from(self.names.is_some())).map(|(line, text)| (line, self.cells(text).collect()))
    }

    fn cells<'b>(&self, line: &'b str) -> impl Iterator<Item = &'b str> + use<'b> {
        let delimiter = self.delimiter;
        let by_blanks = delimiter.is_none().then(|| line.split_whitespace());
        let by_delimiter = delimiter.map(|delimiter| line.split(delimiter));
        let cells = by_blanks.into_iter().flatten().chain(by_delimiter.into_iter().flatten());
        cells.map(|cell| cell.trim().trim_matches('"').trim())
    }
}

/// Returns a number of a cell; none for what is no number, or not finite.
pub(in crate::scenario::model) fn number(cell: &str) -> Option<f64> {
    let is_plain = cell.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
    cell.parse().ok().filter(|number: &f64| is_plain && number.is_finite())
}

/// Whether a cell says that there is no value, as pandas and others write it.
pub(in crate::scenario::model) fn is_missing(cell: &str) -> bool {
    ["", "nan", "na", "null", "none", "-"].contains(&cell.to_ascii_lowercase().as_str())
}

/// Returns `number x scale`, rounded, exactly where the digits allow it; none for what is no number.
pub(in crate::scenario::model) fn rounded(cell: &str, scale: u64) -> Option<i128> {
    // a count of nanoseconds since 1970 has 19 digits
    const WHOLE_MAX: usize = 20;
    const FRACTION_MAX: usize = 18;
    let unsigned = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_decimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_decimal(whole) || !is_decimal(fraction) || whole.len() > WHOLE_MAX || whole.len() + fraction.len() == 0 {
        // an exponent, as R and C write small numbers
        return number(cell)
            .map(|number| number * scale as f64)
            .filter(|value| value.abs() < 1e30)
            .map(|v| v.round() as i128);
    }
    let fraction = &fraction[..fraction.len().min(FRACTION_MAX)];
    let parts = 10_i128.pow(fraction.len() as u32);
    let digits = |part: &str| part.parse().unwrap_or(0_i128);
    let value = digits(whole) * i128::from(scale) + (digits(fraction) * i128::from(scale) + parts / 2) / parts;
    Some(if cell.starts_with('-') { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_digits() {
        let cases = [
            ("1.5", Some(1_500_000_000)),
            ("0.1234567891234", Some(123_456_789)),
            ("1700000000.123456789", Some(1_700_000_000_123_456_789)),
            ("-2.5", Some(-2_500_000_000)),
            (".5", Some(500_000_000)),
            ("1e-3", Some(1_000_000)),
            ("x", None),
            ("", None),
            ("inf", None),
        ];
        for (cell, expected) in cases {
            assert_eq!(rounded(cell, 1_000_000_000), expected, "{cell}");
        }
    }

    #[test]
    fn columns_of_any_kind() {
        let cells = |text: &str| {
            let table = Table::of(text).expect("a table");
            table.rows().map(|(line, cells)| (line, cells.join("|"))).collect::<Vec<_>>()
        };
        let rows = |lines: [usize; 2]| vec![(lines[0], "0|1.5".to_owned()), (lines[1], "5|2".to_owned())];
        assert_eq!(cells("0 1.5\n5\t 2\n"), rows([1, 2]));
        assert_eq!(cells("\u{feff}time_s,mbps\r\n0,1.5\r\n\r\n5,2\r\n"), rows([2, 4]));
        assert_eq!(cells("# made by hand\n\"time\";\"rate\"\n0;1.5\n5;2"), rows([3, 4]));
        assert_eq!(Table::of("# nothing\n\n"), None);
        assert_eq!(Table::of("time_s,mbps\n"), None);
    }
}
