//! Recorded rates: the opportunities of Mahimahi, and tables of times and rates, which become opportunities.

use vegas_core::units::Span;

use super::RateTrace;
use super::column::{Meaning, unit_of};
use super::table::{Table, is_missing, lines, number, rounded};

/// The most opportunities of a trace: a quarter of a gigabyte of them.
const OPPORTUNITIES_MAX: usize = 1 << 26;
const NANOS_A_MS: u64 = 1_000_000;
const BITS: u64 = RateTrace::OPPORTUNITY_BYTES as u64 * 8;

/// Opportunities, ms, and what the text was taken for unless it is Mahimahi's.
pub(super) type Read = Result<(Vec<u32>, Option<String>), String>;

/// Reads a text. `step` is the time that each value of a text with one value a line holds.
pub(super) fn read(text: &str, step: Option<Span>) -> Read {
    let Some(table) = Table::of(text) else {
        return Err("is empty; write a line for each opportunity, in milliseconds".into());
    };
    match (step, table.columns, &table.names) {
        (None, 1, None) => opportunities(text).map(|times| (times, None)),
        (Some(step), 1, _) => values(&table, step),
        (Some(_), _, _) => Err("has more than one value a line; leave \"step\" out".into()),
        (None, _, Some(_)) => named(&table),
        (None, 2, None) => {
            rows(&table, &of_pairs).map(|(times, _)| (times, Some("times in s and rates in Mb/s".into())))
        }
        (None, 3, None) => rows(&table, &of_bytes).map(|(times, _)| {
            (
                times,
                Some(
                    "times in ms, bytes received and the ms that this took (as Pensieve has the Norwegian traces)"
                        .into(),
                ),
            )
        }),
        (None, 6, None) => rows(&table, &of_hsdpa).map(|(times, _)| {
            (times, Some("the Norwegian HSDPA traces: times in s, bytes received and the ms that this took".into()))
        }),
        (None, columns, None) => {
            Err(format!("has {columns} columns without names; write time and rate, or a line of names"))
        }
    }
}

/// Mahimahi: each line has a whole number of milliseconds, which is at least that of the line before.
fn opportunities(text: &str) -> Result<Vec<u32>, String> {
    let mut times: Vec<u32> = Vec::new();
    for (line, text) in lines(text) {
        let last = times.last().copied().unwrap_or(0);
        match text.parse() {
            Ok(time) if time >= last => times.push(time),
            Ok(_) => return Err(format!("line {line}: is less than the line before; write milliseconds, ascending")),
            Err(_) => return Err(format!("line {line}: is no whole number of milliseconds from 0 to {}", u32::MAX)),
        }
    }
    Ok(times)
}

/// A stretch of time at one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stretch {
    /// When it begins, ns; none at the end of the one before.
    from: Option<i128>,
    /// How long it lasts, ns; none until the next one.
    length: Option<i128>,
    bits_a_second: f64,
}

/// One value a line, Mb/s.
fn values(table: &Table<'_>, step: Span) -> Read {
    let length = Some(i128::from(step.as_nanos()));
    let (times, _) = rows(table, &|cells| Some(Stretch { from: None, length, bits_a_second: rate(cells, 0, 1e6)? }))?;
    Ok((times, Some("one rate a line in Mb/s".into())))
}

/// A table with a first line that names a time and a rate.
fn named(table: &Table<'_>) -> Read {
    let wanted = "name a time and a rate, such as time_s,mbps";
    let (place, rate_meaning) =
        table.place(Meaning::is_rate).ok_or_else(|| format!("line 1: names no rate; {wanted}"))?;
    let (at, time_meaning) = table.place(Meaning::is_time).ok_or_else(|| format!("line 1: names no time; {wanted}"))?;
    let (Meaning::Rate(scale), Meaning::Time(unit)) = (rate_meaning, time_meaning) else { return Err(wanted.into()) };
    let first = table.rows().find_map(|(_, cells)| number(cells.get(at)?));
    let unit = unit.unwrap_or_else(|| unit_of(first.unwrap_or(0.0)));
    let stretch = |cells: &[&str]| {
        Some(Stretch {
            from: Some(rounded(cells.get(at)?, unit)?),
            length: None,
            bits_a_second: rate(cells, place, scale)?,
        })
    };
    let (times, left_out) = rows(table, &stretch)?;
    let left_out = if left_out > 0 { format!(", {left_out} lines without a rate") } else { String::new() };
    Ok((times, Some(format!("times (column {}) and rates (column {}){left_out}", at + 1, place + 1))))
}

fn rate(cells: &[&str], place: usize, scale: f64) -> Option<f64> {
    number(cells.get(place)?).map(|value| value * scale).filter(|rate| *rate >= 0.0)
}

fn of_pairs(cells: &[&str]) -> Option<Stretch> {
    let from = Some(rounded(cells.first()?, 1_000_000_000)?);
    Some(Stretch { from, length: None, bits_a_second: rate(cells, 1, 1e6)? })
}

fn of_bytes(cells: &[&str]) -> Option<Stretch> {
    received(number(cells.get(1)?)?, rounded(cells.get(2)?, NANOS_A_MS)?)
}

fn of_hsdpa(cells: &[&str]) -> Option<Stretch> {
    received(number(cells.get(4)?)?, rounded(cells.get(5)?, NANOS_A_MS)?)
}

/// What was received, and how long that took.
fn received(bytes: f64, nanos: i128) -> Option<Stretch> {
    let is_rate = bytes >= 0.0 && nanos > 0;
    is_rate.then(|| Stretch { from: None, length: Some(nanos), bits_a_second: bytes * 8e9 / nanos as f64 })
}

/// Turns the lines of a table into opportunities; returns also how many had no value, where lines may lack one.
fn rows(table: &Table<'_>, stretch: &dyn Fn(&[&str]) -> Option<Stretch>) -> Result<(Vec<u32>, usize), String> {
    let mut found = Opportunities::default();
    let mut left_out = 0;
    for (line, cells) in table.rows() {
        if table.names.is_some() && cells.iter().any(|cell| is_missing(cell)) && stretch(&cells).is_none() {
            left_out += 1;
            continue;
        }
        let stretch = stretch(&cells).ok_or_else(|| format!("line {line}: is no time and rate, such as 15.5 2.3"))?;
        found.take(stretch).map_err(|what| format!("line {line}: {what}"))?;
    }
    Ok((found.finish()?, left_out))
}

/// Opportunities of a rate that is piecewise constant.
#[derive(Debug, Default)]
struct Opportunities {
    times: Vec<u32>,
    /// The beginning of the first stretch, as the file has it, ns.
    origin: Option<i128>,
    /// The stretch without a known end.
    open: Option<(i128, f64)>,
    /// The last length.
    step: i128,
    /// The end of what has become opportunities, ns since the beginning, and the bits beyond the last one.
    end: i128,
    bits: f64,
}

impl Opportunities {
    fn take(&mut self, stretch: Stretch) -> Result<(), String> {
        if let Some(length) = stretch.length {
            return self.fill(length, stretch.bits_a_second);
        }
        let from = stretch.from.unwrap_or(0);
        let from = from - *self.origin.get_or_insert(from);
        if let Some((before, rate)) = self.open.replace((from, stretch.bits_a_second)) {
            if from <= before {
                return Err("is not later than the line before; write the times ascending".into());
            }
            self.step = from - before;
            return self.fill(from - before, rate);
        }
        Ok(())
    }

    /// Adds the opportunities of `length` ns at a rate.
    fn fill(&mut self, length: i128, bits_a_second: f64) -> Result<(), String> {
        let begin = self.end;
        self.end += length;
        if self.end > i128::from(u32::MAX) * i128::from(NANOS_A_MS) {
            return Err("is more than 49 days from the beginning; write a shorter trace".into());
        }
        let offered = self.bits + bits_a_second * length as f64 / 1e9;
        let count = (offered / BITS as f64 + 1e-9).floor();
        if self.times.len() as f64 + count > OPPORTUNITIES_MAX as f64 {
            return Err(format!("has {OPPORTUNITIES_MAX} opportunities before; write a shorter trace, or lower rates"));
        }
        for number in 1..=count as u64 {
            let needed = (number * BITS) as f64 - self.bits;
            let at = begin as f64 + needed / bits_a_second * 1e9;
            // an opportunity comes when its last bit has been earned
            self.times.push((at / NANOS_A_MS as f64 - 1e-9).ceil().clamp(0.0, f64::from(u32::MAX)) as u32);
        }
        self.bits = (offered - count * BITS as f64).max(0.0);
        Ok(())
    }

    /// Ends the trace: the last rate holds as long as the one before. The last opportunity is at the end, where the
    /// trace begins again.
    fn finish(mut self) -> Result<Vec<u32>, String> {
        if let Some((_, rate)) = self.open {
            let length = if self.step > 0 { self.step } else { 1_000_000_000 };
            self.fill(length, rate)?;
        }
        let end = u32::try_from(self.end / i128::from(NANOS_A_MS)).unwrap_or(u32::MAX);
        match self.times.last_mut() {
            None => Err("offers less than one opportunity to send 1500 bytes in all".into()),
            Some(last) => {
                *last = end.max(*last);
                Ok(self.times)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vegas_core::units::Time;

    fn trace(text: &str) -> RateTrace {
        RateTrace::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    fn kbps_between(trace: &RateTrace, from_s: u64, to_s: u64) -> u64 {
        let at = |s| Time::ZERO + Span::from_secs(s);
        trace.mean_rate_between(at(from_s), at(to_s)).as_bits_per_second() / 1000
    }

    /// Whether rates are those given, but for an opportunity more or less in this number of seconds.
    fn are_near(found: &[u64], given: &[u64], seconds: u64) -> bool {
        found.iter().zip(given).all(|(found, given)| found.abs_diff(*given) <= 12 / seconds + 1)
    }

    /// The same link as the FCC's data as Pensieve has them, as pandas writes a table, in ms and kb/s, and in bytes.
    #[test]
    fn tables_of_times_and_rates() {
        let texts = [
            "0.0 1.2\n5.0 0.6\n10.0 2.4\n",
            "0.0\t1.2\r\n5.0\t0.6\r\n10.0\t2.4\r\n",
            "\u{feff},time_s,throughput_mbps\n0,0.0,1.2000000000000002\n1,5.0,0.6\n2,10.0,2.4\n",
            "# drive 7\nlat;time (ms);DL_bitrate\n1.5;1700000000000;1200\n\n1.5;1700000005000;600\n1.5;1700000010000;2400\n",
            "Timestamp,bytes_sec\n1700000000,150000\n1700000005,75000\n1700000010,300000\n",
        ];
        for text in texts {
            let trace = trace(text);
            let rates = [(0, 5), (5, 10), (10, 15)].map(|(from, to)| kbps_between(&trace, from, to));
            assert!(are_near(&rates, &[1200, 600, 2400], 5), "{text:?}: {rates:?}");
            assert_eq!(trace.period(), Span::from_secs(15), "{text:?}");
            assert!(trace.taken_for().is_some(), "{text:?}");
        }
    }

    /// 150,000 bytes in 1 s, then 75,000 in 2 s: the Norwegian HSDPA traces, and as Pensieve has them.
    #[test]
    fn bytes_received_in_so_many_ms() {
        let hsdpa = "1289406399 549 59.85 10.78 150000 1000\n1289406401 2549 59.85 10.78 75000 2000\n";
        for text in [hsdpa, "549 150000 1000\n2549 75000 2000\n"] {
            let trace = trace(text);
            let rates = [kbps_between(&trace, 0, 1), kbps_between(&trace, 1, 3)];
            assert!(are_near(&rates, &[1200, 300], 1), "{text:?}: {rates:?}");
        }
    }

    #[test]
    fn mahimahi_with_comments_and_blank_lines() {
        let given = trace("# down\n\n5\n7\n\n  9  \n");
        assert_eq!((given.opportunities_ms(), given.taken_for()), (&[5, 7, 9][..], None));
    }

    #[test]
    fn one_rate_a_line() {
        let trace = RateTrace::parse_stepped("1.2\n0\n2.4\n", Some(Span::from_secs(1))).expect("a trace");
        let rates = [(0, 1), (1, 2), (2, 3)].map(|(from, to)| kbps_between(&trace, from, to));
        assert!(are_near(&rates, &[1200, 0, 2400], 1), "{rates:?}");
    }

    #[test]
    fn what_is_no_table() {
        let cases = [
            ("0 1\n0 2\n", "line 2: is not later than the line before; write the times ascending"),
            ("0 1\n1 x\n", "line 2: is no time and rate, such as 15.5 2.3"),
            ("0 1\n1 -1\n", "line 2: is no time and rate, such as 15.5 2.3"),
            ("time_s,latitude\n0,1\n", "line 1: names no rate; name a time and a rate, such as time_s,mbps"),
            ("mbps,latitude\n0,1\n", "line 1: names no time; name a time and a rate, such as time_s,mbps"),
            ("1 2 3 4\n", "has 4 columns without names; write time and rate, or a line of names"),
            ("0 0.001\n1 0\n", "offers less than one opportunity to send 1500 bytes in all"),
            ("0 1\n99999999 1\n", "line 2: is more than 49 days from the beginning; write a shorter trace"),
        ];
        for (text, message) in cases {
            assert_eq!(RateTrace::parse(text), Err(message.into()), "{text:?}");
        }
    }
}
