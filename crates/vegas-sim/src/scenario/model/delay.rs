//! Delays that vary in time: by a schedule, or as recorded in a trace.

use vegas_core::units::{Span, Time};

use super::trace::{Meaning, Table, is_missing, lines, number, rounded, sha256, unit_of};

/// An additional delay that is a piecewise constant function of time. Packets that are held stay in order, so that none
/// is held longer than for the schedule's greatest delay. Without points there is no delay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DelaySchedule {
    /// The times from which each delay holds, ascending; before the first there is none.
    points: Vec<(Time, Span)>,
    /// From the first point on, the points begin again after each such time, which is above 0.
    every: Option<Span>,
    /// The SHA-256 of the trace that the schedule comes from.
    sha256: Option<String>,
    /// What that was taken for, unless it is our own format.
    taken_for: Option<String>,
}

impl DelaySchedule {
    /// Returns the schedule with these points, of which each time is later than the one before.
    pub fn new(points: Vec<(Time, Span)>) -> Self {
        DelaySchedule { points, ..DelaySchedule::default() }
    }

    /// Returns the schedule with points that begin again after each such time. The time is above 0, and all points lie
    /// within it from the first one on.
    pub fn repeating(points: Vec<(Time, Span)>, every: Span) -> Self {
        DelaySchedule { points, every: Some(every), ..DelaySchedule::default() }
    }

    /// Returns the delay of a packet that comes at `now`.
    pub(crate) fn delay_at(&self, now: Time) -> Span {
        let at = match (self.every, self.points.first()) {
            (Some(every), Some((first, _))) if now > *first => {
                *first + Span::from_nanos(now.since(*first).as_nanos() % every.as_nanos())
            }
            _ => now,
        };
        let begun = self.points.partition_point(|(from, _)| *from <= at);
        begun.checked_sub(1).map_or(Span::ZERO, |last| self.points[last].1)
    }

    /// The points: each delay with the time from which it holds, ascending.
    pub fn points(&self) -> &[(Time, Span)] {
        &self.points
    }

    /// The period after which the points begin again; none if they do not.
    pub fn every(&self) -> Option<Span> {
        self.every
    }

    /// The SHA-256 of the trace's text, in hex, as `sha256sum` prints it; none if this is no trace.
    pub fn sha256(&self) -> Option<&str> {
        self.sha256.as_deref()
    }

    /// What the file was taken for, unless it is a trace with the first line `time_s,delay_ms` that begins at 0.
    pub fn taken_for(&self) -> Option<&str> {
        self.taken_for.as_deref()
    }

    /// Reads a delay trace by what its text is; returns its least delay, and the schedule of what the delay is above
    /// that. `step` is the time that each value of a text with one value a line holds. A packet comes to the link's end
    /// after the least delay, and is held there for the rest of the delay that the trace has at the packet's departure:
    /// so the schedule begins with the least delay. The error names the problem and what would be right.
    pub fn parse(text: &str, step: Option<Span>) -> Result<(Span, DelaySchedule), String> {
        let Recorded { samples, end, taken_for } = recorded(text, step)?;
        let Some(lag) = samples.iter().map(|(_, delay)| *delay).min() else {
            return Err("has less than two times; write the delay at 0 s, and when the trace begins again".into());
        };
        let points = samples.into_iter().map(|(at, delay)| (Time::ZERO + at + lag, delay.less(lag))).collect();
        Ok((lag, DelaySchedule { points, every: Some(end), sha256: Some(sha256(text)), taken_for }))
    }
}

/// The greatest time and delay of a trace: a hundred days, as for runs; links check the delay.
const NANOS_MAX: i128 = 100 * 24 * 3600 * 1_000_000_000;
const SECOND: u64 = 1_000_000_000;
const MILLISECOND: u64 = 1_000_000;

/// Delays as a file has them: from a time on, since the first one, ascending; and when they begin again.
#[derive(Debug, Default)]
struct Recorded {
    samples: Vec<(Span, Span)>,
    end: Span,
    taken_for: Option<String>,
}

fn recorded(text: &str, step: Option<Span>) -> Result<Recorded, String> {
    if let Some(recorded) = of_ping(text) {
        return Ok(recorded);
    }
    let Some(table) = Table::of(text) else {
        return Err("has less than two times; write the delay at 0 s, and when the trace begins again".into());
    };
    match (step, table.columns, &table.names) {
        (Some(step), 1, _) => values(&table, step),
        (Some(_), ..) => Err("has more than one value a line; leave \"step\" out".into()),
        (None, 1, _) => Err("has one value a line; say how long each holds, such as step = \"10ms\"".into()),
        (None, _, Some(_)) => named(&table),
        (None, 2, None) => {
            let taken_for = "times in s and one-way delays in ms".to_owned();
            timed(&table, (0, SECOND), (1, MILLISECOND), false, taken_for)
        }
        (None, columns, None) => {
            Err(format!("has {columns} columns without names; write a line such as time_s,delay_ms"))
        }
    }
}

/// One value a line, ms, each of which holds for `step`.
fn values(table: &Table<'_>, step: Span) -> Result<Recorded, String> {
    let mut found = Recorded { taken_for: Some("one delay a line in ms".into()), ..Recorded::default() };
    for (line, cells) in table.rows() {
        let delay = cells.first().and_then(|cell| within(rounded(cell, MILLISECOND)?));
        let delay = delay.ok_or_else(|| format!("line {line}: is no delay in ms, such as 27.3"))?;
        found.samples.push((found.end, delay));
        found.end += step;
    }
    Ok(found)
}

/// A table with a first line that names a time and a delay, or a round-trip time.
fn named(table: &Table<'_>) -> Result<Recorded, String> {
    let wanted = "name a time and a delay, such as time_s,delay_ms";
    let (place, delay) = table.place(Meaning::is_delay).ok_or_else(|| format!("line 1: names no delay; {wanted}"))?;
    let (at, time) = table.place(Meaning::is_time).ok_or_else(|| format!("line 1: names no time; {wanted}"))?;
    let first = table.rows().find_map(|(_, cells)| number(cells.get(at)?));
    let unit = match time {
        Meaning::Time(Some(unit)) => unit,
        _ => unit_of(first.unwrap_or(0.0)),
    };
    let is_ours = first == Some(0.0) && time == Meaning::Time(Some(SECOND)) && delay == Meaning::Delay(MILLISECOND);
    let (what, scale) = match delay {
        Meaning::RoundTrip(scale) => ("round-trip times, halved", scale),
        Meaning::Delay(scale) => ("one-way delays", scale),
        Meaning::Time(_) | Meaning::Rate(_) => return Err(wanted.into()),
    };
    let taken_for = format!("times (column {}) and {what} (column {})", at + 1, place + 1);
    let mut found = timed(table, (at, unit), (place, scale), is_ours, taken_for)?;
    if matches!(delay, Meaning::RoundTrip(_)) {
        found.samples.iter_mut().for_each(|(_, delay)| *delay = Span::from_nanos(delay.as_nanos() / 2));
    }
    if is_ours {
        found.taken_for = None;
    }
    Ok(found)
}

/// Reads lines of times and delays: the columns of both, with their units. In our own format the last time is the end
/// of the trace; in another the last delay holds as long as the one before.
fn timed(
    table: &Table<'_>,
    (at, time_unit): (usize, u64),
    (place, delay_unit): (usize, u64),
    is_ours: bool,
    taken_for: String,
) -> Result<Recorded, String> {
    let mut found = Recorded::default();
    let (mut origin, mut left_out) = (None, 0);
    for (line, cells) in table.rows() {
        let cell = |place: usize| cells.get(place).copied().unwrap_or_default();
        let delay = rounded(cell(place), delay_unit);
        // what was lost is missing, or is no delay
        if !is_ours && (is_missing(cell(place)) || delay.is_some_and(|delay| delay <= 0)) {
            left_out += 1;
            continue;
        }
        let time = rounded(cell(at), time_unit);
        let from = time.map(|time| time - *origin.get_or_insert(time));
        let (Some(from), Some(delay)) = (from, delay.and_then(within)) else { return Err(no_line(line)) };
        let from = within(from).filter(|from| found.samples.last().is_none_or(|(before, _)| *before < *from));
        let from =
            from.ok_or_else(|| format!("line {line}: is not later than the line before; write the times ascending"))?;
        found.samples.push((from, delay));
    }
    if is_ours {
        found.end = found.samples.pop().map_or(Span::ZERO, |(at, _)| at);
    } else {
        found.end_after_last();
        let left_out = if left_out > 0 { format!(", {left_out} lines without a delay") } else { String::new() };
        found.taken_for = Some(taken_for + &left_out);
    }
    Ok(found)
}

impl Recorded {
    /// Lets the last delay hold for the median time between two.
    fn end_after_last(&mut self) {
        let mut steps: Vec<u64> = self.samples.windows(2).map(|pair| pair[1].0.less(pair[0].0).as_nanos()).collect();
        steps.sort_unstable();
        let step = steps.get(steps.len() / 2).copied().unwrap_or(SECOND);
        self.end = self.samples.last().map_or(Span::ZERO, |(last, _)| *last + Span::from_nanos(step));
    }
}

/// Reads the output of `ping -D`: `[1700000000.123456] 64 bytes from 10.0.0.1: icmp_seq=1 ttl=60 time=43.2 ms`.
fn of_ping(text: &str) -> Option<Recorded> {
    let of_line = |line: &str| {
        let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
        let rtt = rest.split_once("time=")?.1.split_whitespace().next()?;
        Some((rounded(time, SECOND)?, within(rounded(rtt, MILLISECOND)? / 2)?))
    };
    let mut found = Recorded { taken_for: Some("round-trip times of ping -D, halved".into()), ..Recorded::default() };
    let mut origin = None;
    for (time, delay) in lines(text).filter_map(|(_, line)| of_line(line)) {
        let from = within(time - *origin.get_or_insert(time))?;
        if found.samples.last().is_none_or(|(before, _)| *before < from) {
            found.samples.push((from, delay));
        }
    }
    found.end_after_last();
    (found.samples.len() > 1).then_some(found)
}

fn within(nanos: i128) -> Option<Span> {
    (0..=NANOS_MAX).contains(&nanos).then(|| Span::from_nanos(nanos as u64))
}

fn no_line(line: usize) -> String {
    format!("line {line}: is no time in s and delay in ms with a comma between, such as 15.5,27.3")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn a_delay_holds_from_its_time_on() {
        let schedule = DelaySchedule::new(vec![(at(10), Span::from_millis(3)), (at(20), Span::ZERO)]);
        let delays = [0, 9, 10, 19, 20, 1_000].map(|ms| schedule.delay_at(at(ms)).as_nanos() / 1_000_000);
        assert_eq!(delays, [0, 0, 3, 3, 0, 0]);
    }

    #[test]
    fn points_begin_again_from_the_first_on() {
        let points = vec![(at(25), Span::from_millis(3)), (at(30), Span::ZERO)];
        let schedule = DelaySchedule::repeating(points, Span::from_millis(10));
        let delays = [0, 24, 25, 29, 30, 34, 35, 39, 40, 1_005, 1_014].map(|ms| schedule.delay_at(at(ms)).as_nanos());
        assert_eq!(delays, [0, 0, 3, 3, 0, 0, 3, 3, 0, 3, 0].map(|ms| ms * 1_000_000));
    }

    /// The least delay is 20 ms, so a packet that comes at 20 ms has left at 0, and has 30 - 20 ms to go.
    #[test]
    fn a_trace_repeats_and_is_read_at_departures() {
        let text = "time_s,delay_ms\n0,30\n0.1,20.5\n0.15,20\n0.2,99\n";
        let (least, schedule) = DelaySchedule::parse(text, None).expect("a trace");
        assert_eq!(least, Span::from_millis(20));
        let delays = [20, 119, 120, 169, 170, 219, 220, 320].map(|ms| schedule.delay_at(at(ms)).as_nanos() / 1_000);
        assert_eq!(delays, [10_000, 10_000, 500, 500, 0, 0, 10_000, 500]);
        // printf 'time_s,delay_ms\n0,30\n0.1,20.5\n0.15,20\n0.2,99\n' | sha256sum
        assert_eq!(schedule.sha256(), Some("247961517a7a9a1dd9895e6c904843456deeb7bff3319b0bb8a23d59e5fa1265"));
    }

    /// The same delays as pandas writes them, with more digits than nanoseconds; as LENS has Starlink's round-trip
    /// times, in ms since 1970 in ns and with lost ones; as ping prints them; as LeoCC has them; and without names.
    #[test]
    fn delays_as_people_have_them() {
        let ns = 1_700_000_000_000_000_000_u64;
        let texts = [
            "\u{feff},time_s,delay_ms\r\n0,0.0,30.000000000000004\r\n1,0.1,20.5\r\n2,0.15,20.0\r\n3,0.2,99\r\n".to_owned(),
            format!(
                "timestamp,rtt\n{ns},60\n{},41\n{},-1\n{},40.0\n",
                ns + 100_000_000,
                ns + 120_000_000,
                ns + 150_000_000
            ),
            "PING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.\n[1700000000.0] 64 bytes from 10.0.0.1: icmp_seq=1 ttl=60 time=60.0 \
             ms\n[1700000000.1] 64 bytes from 10.0.0.1: icmp_seq=2 ttl=60 time=41 ms\n[1700000000.15] 64 bytes from 10.0.0.1: \
             icmp_seq=3 ttl=60 time=40 ms\n"
                .to_owned(),
            "0 30\n0.1 20.5\n0.15 20\n".to_owned(),
        ];
        for text in texts {
            let (least, schedule) =
                DelaySchedule::parse(&text, None).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(least, Span::from_millis(20), "{text:?}");
            let delays = [20, 119, 120, 169, 170].map(|ms| schedule.delay_at(at(ms)).as_nanos() / 1_000);
            assert_eq!(delays, [10_000, 10_000, 500, 500, 0], "{text:?}");
        }
        let (least, schedule) = DelaySchedule::parse("30\n20\n25\n", Some(Span::from_millis(10))).expect("a trace");
        assert_eq!((least, schedule.every()), (Span::from_millis(20), Some(Span::from_millis(30))));
        assert_eq!([20, 30, 40].map(|ms| schedule.delay_at(at(ms)).as_nanos() / 1_000_000), [10, 0, 5]);
    }

    #[test]
    fn what_is_no_trace() {
        let cases = [
            ("", "has less than two times; write the delay at 0 s, and when the trace begins again"),
            (
                "time_s,delay_ms\n0,1\n",
                "has less than two times; write the delay at 0 s, and when the trace begins again",
            ),
            ("30\n20\n", "has one value a line; say how long each holds, such as step = \"10ms\""),
            ("time_s,mbps\n0,1\n", "line 1: names no delay; name a time and a delay, such as time_s,delay_ms"),
            ("time_s,delay_ms\n0,1\n0,2\n", "line 3: is not later than the line before; write the times ascending"),
            (
                "time_s,delay_ms\n0,1\n1,-2\n",
                "line 3: is no time in s and delay in ms with a comma between, such as 15.5,27.3",
            ),
            (
                "time_s,delay_ms\n0,1\n0.5\n",
                "line 3: is no time in s and delay in ms with a comma between, such as 15.5,27.3",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(DelaySchedule::parse(text, None), Err(expected.to_owned()), "{text:?}");
        }
    }
}
