//! Quantities as users write them: a number, which may have a fraction, and one of its units.

use crate::draw::Draw;

const TIMES: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
const RATES: &[(&str, u64)] =
    &[("bit", 1), ("kbit", 1_000), ("mbit", 1_000_000), ("gbit", 1_000_000_000), ("tbit", 1_000_000_000_000)];
const SIZES: &[(&str, u64)] = &[
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
];

pub(crate) fn time(draw: &mut Draw, nanos: u64) -> String {
    text(draw, nanos, TIMES)
}

pub(crate) fn rate(draw: &mut Draw, bits_per_second: u64) -> String {
    text(draw, bits_per_second, RATES)
}

pub(crate) fn size(draw: &mut Draw, bytes: u64) -> String {
    text(draw, bytes, SIZES)
}

/// Returns a probability in steps of one in a million, as a number or in per cent.
pub(crate) fn probability(draw: &mut Draw, ppm: u64) -> serde_json::Value {
    match draw.percent(50) {
        true => (ppm as f64 / 1e6).into(),
        false => format!("{}%", decimal(ppm, 10_000).expect("10^4 divides a power of ten")).into(),
    }
}

/// Returns the nanoseconds of a time in a document; none if it is no such text.
pub(crate) fn nanos(time: &serde_json::Value) -> Option<u64> {
    let text = time.as_str()?;
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let (_, scale) = TIMES.iter().find(|(name, _)| *name == unit)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let part = fraction.parse::<u128>().unwrap_or(0) * u128::from(*scale) / 10u128.checked_pow(fraction.len() as u32)?;
    whole.parse::<u64>().ok()?.checked_mul(*scale)?.checked_add(u64::try_from(part).ok()?)
}

/// Returns the value in any unit in which it is a decimal fraction of at most nine digits.
fn text(draw: &mut Draw, value: u64, units: &[(&str, u64)]) -> String {
    let fit: Vec<String> = units
        .iter()
        .filter(|(_, scale)| value == 0 || *scale <= value.saturating_mul(100))
        .filter_map(|(unit, scale)| Some(format!("{}{unit}", decimal(value, *scale)?)))
        .collect();
    let shortest = fit.iter().min_by_key(|text| text.len()).expect("the smallest unit fits");
    if draw.percent(70) { shortest.clone() } else { fit[draw.below(fit.len() as u64) as usize].clone() }
}

/// Returns `value / scale` in decimal digits, if nine after the point are enough.
fn decimal(value: u64, scale: u64) -> Option<String> {
    let (whole, rest) = (value / scale, value % scale);
    if rest == 0 {
        return Some(whole.to_string());
    }
    let billionths = u128::from(rest) * 1_000_000_000;
    if billionths % u128::from(scale) != 0 {
        return None;
    }
    let digits = format!("{:09}", billionths / u128::from(scale));
    Some(format!("{whole}.{}", digits.trim_end_matches('0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_worth() {
        assert_eq!(decimal(1_500, 1_000).as_deref(), Some("1.5"));
        assert_eq!(decimal(1, 1 << 10).as_deref(), None);
        assert_eq!(decimal(7, 1_000_000_000).as_deref(), Some("0.000000007"));
        assert_eq!(nanos(&"1.5us".into()), Some(1_500));
        assert_eq!(nanos(&"2h".into()), Some(7_200_000_000_000));
        assert_eq!(nanos(&"off".into()), None);
        assert_eq!(decimal(10_000_000, 10_000).as_deref(), Some("1000"));
    }
}
