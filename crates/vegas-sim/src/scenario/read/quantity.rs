//! Quantities in the units of this field: `50mbit`, `48ms`, `1000b`.
//!
//! A quantity is a number, which may have a decimal fraction, and a unit. Arithmetic is exact: a quantity that is not a
//! whole number of the smallest unit is refused, never rounded.

use vegas_core::units::{Bytes, Rate, Span};

use crate::scenario::read::field::{FromGiven, Given};

/// A physical dimension, its units in multiples of the smallest, and an example.
pub(crate) struct Dimension {
    /// The name with its article, for messages.
    name: &'static str,
    units: &'static [(&'static str, u64)],
    example: &'static str,
}

/// Times, in nanoseconds.
pub(crate) const TIME: Dimension = Dimension {
    name: "a time",
    units: &[
        ("ns", 1),
        ("us", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ],
    example: "48ms",
};

/// Rates, in bits per second, with decimal units as in `tc`.
pub(crate) const RATE: Dimension = Dimension {
    name: "a rate",
    units: &[("bit", 1), ("kbit", 1_000), ("mbit", 1_000_000), ("gbit", 1_000_000_000), ("tbit", 1_000_000_000_000)],
    example: "50mbit",
};

/// Sizes, in bytes, with decimal or binary units.
pub(crate) const SIZE: Dimension = Dimension {
    name: "a size",
    units: &[
        ("b", 1),
        ("kb", 1_000),
        ("mb", 1_000_000),
        ("gb", 1_000_000_000),
        ("tb", 1_000_000_000_000),
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
    ],
    example: "1000b",
};

impl Dimension {
    /// Reads a quantity in multiples of the smallest unit; the error says what was given and what would be right.
    pub(crate) fn parse(&self, given: &Given<'_>) -> Result<u64, String> {
        let Given::Text(text) = given else {
            return Err(match given {
                Given::Switch(_) => format!("{given} is not {}; {}", self.name, self.remedy()),
                _ => format!("{given} has no unit; {}", self.remedy()),
            });
        };
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        if text.starts_with('-') {
            return Err(format!("{given} is negative; {}", self.remedy()));
        }
        if unit.is_empty() && !number.is_empty() {
            return Err(format!("{given} has no unit; {}", self.remedy()));
        }
        let scale = self.units.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale);
        let value = scale.ok_or(Inexact::NotANumber).and_then(|scale| scaled(number, scale));
        value.map_err(|inexact| match inexact {
            Inexact::NotANumber => {
                format!("{given} is not {}; {}", self.name, self.meant(text).unwrap_or_else(|| self.remedy()))
            }
            Inexact::TooFine => format!("{given} is finer than 1{}; {}", self.units[0].0, self.remedy()),
            Inexact::TooLarge => format!("{given} is too large; {}", self.remedy()),
        })
    }

    /// Returns "did you mean ...?" for a number with a unit in another case, or as other programs write it: `50Mbps`,
    /// `5 sec`.
    pub(crate) fn meant(&self, text: &str) -> Option<String> {
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.')?);
        let unit = unit.trim();
        if matches!(scaled(number, 1), Err(Inexact::NotANumber)) || self.is_eightfold(unit) {
            return None;
        }
        let unit = unit.to_lowercase().replace('µ', "u");
        let near: Vec<String> = self.near(&unit).iter().map(|unit| format!("\"{number}{unit}\"")).collect();
        (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
    }

    /// Returns whether the unit has bytes instead of bits, or bits instead of bytes: the intended number is then
    /// unknown.
    fn is_eightfold(&self, unit: &str) -> bool {
        match self.units[0].0 {
            "bit" => unit.contains('B') || unit.to_lowercase().contains("byte"),
            "b" => unit.to_lowercase().contains("bit"),
            _ => false,
        }
    }

    /// Returns the units of that name, or else those that it abbreviates, or else the longest that it begins with.
    fn near(&self, unit: &str) -> Vec<&'static str> {
        let names = || self.units.iter().map(|(name, _)| *name);
        let per_second = unit.strip_suffix("/s").or(unit.strip_suffix("ps")).unwrap_or(unit);
        if let Some(name) = names().find(|name| *name == per_second) {
            return vec![name];
        }
        let longer: Vec<&str> = names().filter(|name| !per_second.is_empty() && name.starts_with(per_second)).collect();
        if !longer.is_empty() {
            return longer;
        }
        names().filter(|name| per_second.starts_with(name)).max_by_key(|name| name.len()).into_iter().collect()
    }

    fn remedy(&self) -> String {
        let units: Vec<&str> = self.units.iter().map(|(name, _)| *name).collect();
        format!("write a number with a unit ({}), such as \"{}\"", units.join(", "), self.example)
    }

    fn schema(&self) -> schemars::Schema {
        let units: Vec<&str> = self.units.iter().map(|(name, _)| *name).collect();
        schemars::json_schema!({
            "type": "string",
            "pattern": format!("^[0-9]+(\\.[0-9]+)?({})$", units.join("|")),
            "examples": [self.example],
        })
    }
}

/// Reads a time such as `48ms`, in ns. The error says what was given and what would be right, as those of scenarios do.
pub fn nanoseconds(text: &str) -> Result<u64, String> {
    TIME.parse(&Given::Text(text))
}

/// Reads a rate such as `50mbit`, in bits per second; errors are as for [`nanoseconds`].
pub fn bits_per_second(text: &str) -> Result<u64, String> {
    RATE.parse(&Given::Text(text))
}

/// Reads a size such as `4gb`, in bytes; errors are as for [`nanoseconds`].
pub fn bytes(text: &str) -> Result<u64, String> {
    SIZE.parse(&Given::Text(text))
}

/// The reason why a decimal number is not a whole multiple of a unit.
pub(crate) enum Inexact {
    NotANumber,
    TooFine,
    TooLarge,
}

/// Returns `number x scale` exactly, for an unsigned decimal number such as `1.6`.
pub(crate) fn scaled(number: &str, scale: u64) -> Result<u64, Inexact> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) {
        return Err(Inexact::NotANumber);
    }
    let whole: u64 = whole.parse().map_err(|_| Inexact::TooLarge)?;
    let fraction = fraction.trim_end_matches('0');
    // 10^18 divides no scale used here, so a longer fraction is inexact; a shorter one fits 64 bits
    if fraction.len() > 18 {
        return Err(Inexact::TooFine);
    }
    let parts = 10u128.pow(fraction.len() as u32);
    let numerator = fraction.parse::<u128>().unwrap_or(0) * u128::from(scale);
    if !numerator.is_multiple_of(parts) {
        return Err(Inexact::TooFine);
    }
    let value = u128::from(whole) * u128::from(scale) + numerator / parts;
    u64::try_from(value).map_err(|_| Inexact::TooLarge)
}

impl FromGiven for Span {
    const EXPECTED: &'static str = "a time such as \"48ms\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        TIME.parse(&given).map(Span::from_nanos)
    }

    fn schema() -> schemars::Schema {
        TIME.schema()
    }
}

impl FromGiven for Rate {
    const EXPECTED: &'static str = "a rate such as \"50mbit\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        RATE.parse(&given).map(Rate::from_bits_per_second)
    }

    fn schema() -> schemars::Schema {
        RATE.schema()
    }
}

impl FromGiven for Bytes {
    const EXPECTED: &'static str = "a size such as \"1000b\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        SIZE.parse(&given).map(Bytes::new)
    }

    fn schema() -> schemars::Schema {
        SIZE.schema()
    }
}
