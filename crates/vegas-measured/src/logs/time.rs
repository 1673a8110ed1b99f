//! Times as people's logs have them.

const NANOS: i64 = 1_000_000_000;

/// Returns the time that a text begins with, ns, and the rest of the text: seconds since 1970 (`date +%s.%N`), or a
/// date and a time (`date -Ins`, `ts`), with or without brackets around it or `Time:` before it.
pub(crate) fn leading(text: &str) -> Option<(i64, &str)> {
    let text = text.trim_start();
    let text = text.strip_prefix("Time:").map_or(text, str::trim_start);
    if let Some(behind) = text.strip_prefix('[') {
        let (inside, rest) = behind.split_once(']')?;
        let (at, left) = leading(inside)?;
        return left.trim().is_empty().then_some((at, rest));
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if let Some(at) = seconds(word).filter(|at| *at >= SINCE_1970_LEAST) {
        return Some((at, rest));
    }
    if let Some((date, time)) = word.split_once('T') {
        return Some((days(date)? + time_of_day(time)?, rest));
    }
    if let Some(day) = days(word) {
        let (time, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        return Some((day + time_of_day(time)?, rest));
    }
    time_of_day(word).filter(|_| word.contains(':')).map(|at| (at, rest))
}

/// A number of seconds since 1970 is above this, ns: 1973; anything less may be another number.
const SINCE_1970_LEAST: i64 = 100_000_000 * NANOS;

/// Returns decimal seconds as ns.
pub(crate) fn seconds(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    whole.parse::<i64>().ok()?.checked_mul(NANOS)?.checked_add(digits.parse().ok()?)
}

/// Returns the time of a day, ns: `03:04:05.678`, with `Z` or an offset such as `+01:00` behind it.
fn time_of_day(text: &str) -> Option<i64> {
    let text = text.trim_end_matches('Z');
    let (clock, offset) = match text.rfind(['+', '-']) {
        Some(at) => (&text[..at], offset(&text[at..])?),
        None => (text, 0),
    };
    let mut parts = clock.split(':');
    let (hours, minutes) = (parts.next()?.parse::<u8>().ok()?, parts.next()?.parse::<u8>().ok()?);
    let seconds = seconds(parts.next()?)?;
    let is_time = hours < 24 && minutes < 60 && seconds < 61 * NANOS && parts.next().is_none();
    is_time.then(|| (i64::from(hours) * 3600 + i64::from(minutes) * 60) * NANOS + seconds - offset)
}

fn offset(text: &str) -> Option<i64> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits: String = text[1..].chars().filter(|digit| *digit != ':').collect();
    let number: i64 = digits.parse().ok().filter(|_| digits.len() == 4)?;
    Some(sign * (number / 100 * 3600 + number % 100 * 60) * NANOS)
}

/// Returns the ns from 1970 to a later date, `2024-01-31`.
fn days(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    // later years have no count of ns in 64 bits
    let year: i64 =
        parts.next().filter(|year| year.len() == 4)?.parse().ok().filter(|year| (1970..2262).contains(year))?;
    let (month, day): (i64, i64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // days since 1 March of year 0: from March on, five months have 153 days (Richards 2013)
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day - 1;
    Some((days - 719_468) * 24 * 3600 * NANOS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_logs() {
        let at = 1_704_164_645_678_000_000; // date -u -d '2024-01-02T03:04:05.678' +%s.%N
        for text in [
            "1704164645.678",
            "1704164645.678000000 ESTAB",
            "[1704164645.678] ESTAB",
            "Time: 1704164645.678",
            "2024-01-02T03:04:05,678000000+00:00",
            "2024-01-02T04:04:05.678+01:00 ESTAB",
            "2024-01-02 03:04:05.678",
            "[2024-01-02 03:04:05.678Z] ESTAB",
        ] {
            assert_eq!(leading(text).map(|(at, _)| at), Some(at), "{text}");
        }
        assert_eq!(leading("2024-02-29T00:00:00"), Some((1_709_164_800_000_000_000, "")));
        assert_eq!(leading("03:04:05.5 x"), Some((11_045_500_000_000, "x")));
        for text in ["", "ESTAB 0 0", "0 0 10.0.0.1:1", "12345", "2024-13-01T00:00:00", "[x] 1", "1e9"] {
            assert_eq!(leading(text), None, "{text}");
        }
    }
}
