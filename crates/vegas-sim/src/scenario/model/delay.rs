//! Delays that vary in time: by a schedule, or as recorded in a trace.

use vegas_core::units::{Span, Time};

use super::trace::sha256;
use crate::scenario::read::quantity::scaled;

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
}

impl DelaySchedule {
    /// Returns the schedule with these points, of which each time is later than the one before.
    pub fn new(points: Vec<(Time, Span)>) -> Self {
        DelaySchedule { points, ..DelaySchedule::default() }
    }

    /// Returns the schedule with points that begin again after each such time. The time is above 0, and all points lie
    /// within it from the first one on.
    pub fn repeating(points: Vec<(Time, Span)>, every: Span) -> Self {
        DelaySchedule { points, every: Some(every), sha256: None }
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

    /// Reads a delay trace; returns its least delay, and the schedule of what the delay is above that. The first line
    /// is [`HEADER`]; the others have a time and the delay from then on. The first time is 0, each other one is later
    /// than the one before, and at the last the trace begins again. A packet comes to the link's end after the least
    /// delay, and is held there for the rest of the delay that the trace has at the packet's departure: so the schedule
    /// begins with the least delay. The error names the problem and what would be right.
    pub(in crate::scenario) fn parse(text: &str) -> Result<(Span, DelaySchedule), String> {
        let mut points: Vec<(Time, Span)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if number == 1 && line.trim() == HEADER {
                continue;
            }
            // no text of the file is shown: a scenario from another user may name any file of this machine
            let values = line.split_once(',').filter(|_| number > 1);
            let values = values.and_then(|(at, delay)| Some((nanos(at, 1_000_000_000)?, nanos(delay, 1_000_000)?)));
            let Some((at_ns, delay_ns)) = values else { return Err(no_line(number)) };
            let at = Time::from_nanos(at_ns);
            match points.last() {
                None if at > Time::ZERO => return Err(format!("line {number}: the first time is not 0; begin with 0")),
                Some((before, _)) if *before >= at => {
                    return Err(format!("line {number}: is not later than the line before; write the times ascending"));
                }
                _ => points.push((at, Span::from_nanos(delay_ns))),
            }
        }
        let end = points.pop().map_or(Time::ZERO, |(at, _)| at);
        let Some(lag) = points.iter().map(|(_, delay)| *delay).min() else {
            return Err("has less than two times; write the delay at 0 s, and when the trace begins again".into());
        };
        points.iter_mut().for_each(|(at, delay)| (*at, *delay) = (*at + lag, delay.less(lag)));
        let (every, sha256) = (Some(end.since(Time::ZERO)), Some(sha256(text)));
        Ok((lag, DelaySchedule { points, every, sha256 }))
    }
}

/// The first line of a delay trace.
const HEADER: &str = "time_s,delay_ms";
/// The greatest time and delay of a trace: a hundred days, as for runs; links check the delay.
const NANOS_MAX: u64 = 100 * 24 * 3600 * 1_000_000_000;

fn nanos(number: &str, unit: u64) -> Option<u64> {
    scaled(number.trim(), unit).ok().filter(|nanos| *nanos <= NANOS_MAX)
}

fn no_line(number: u32) -> String {
    match number {
        1 => format!("line 1: is not {HEADER}"),
        _ => format!("line {number}: is no time in s and delay in ms with a comma between, such as 15.5,27.3"),
    }
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
    fn points_begin_anew_from_the_first_on() {
        let points = vec![(at(25), Span::from_millis(3)), (at(30), Span::ZERO)];
        let schedule = DelaySchedule::repeating(points, Span::from_millis(10));
        let delays = [0, 24, 25, 29, 30, 34, 35, 39, 40, 1_005, 1_014].map(|ms| schedule.delay_at(at(ms)).as_nanos());
        assert_eq!(delays, [0, 0, 3, 3, 0, 0, 3, 3, 0, 3, 0].map(|ms| ms * 1_000_000));
    }

    /// The least delay is 20 ms, so a packet that comes at 20 ms has left at 0, and has 30 - 20 ms to go.
    #[test]
    fn a_trace_repeats_and_is_read_at_departures() {
        let text = "time_s,delay_ms\n0,30\n0.1,20.5\n0.15,20\n0.2,99\n";
        let (least, schedule) = DelaySchedule::parse(text).expect("a trace");
        assert_eq!(least, Span::from_millis(20));
        let delays = [20, 119, 120, 169, 170, 219, 220, 320].map(|ms| schedule.delay_at(at(ms)).as_nanos() / 1_000);
        assert_eq!(delays, [10_000, 10_000, 500, 500, 0, 0, 10_000, 500]);
        // printf 'time_s,delay_ms\n0,30\n0.1,20.5\n0.15,20\n0.2,99\n' | sha256sum
        assert_eq!(schedule.sha256(), Some("247961517a7a9a1dd9895e6c904843456deeb7bff3319b0bb8a23d59e5fa1265"));
    }

    #[test]
    fn what_is_no_trace() {
        let cases = [
            ("", "has less than two times; write the delay at 0 s, and when the trace begins again"),
            (
                "time_s,delay_ms\n0,1\n",
                "has less than two times; write the delay at 0 s, and when the trace begins again",
            ),
            ("0,1\n1,1\n", "line 1: is not time_s,delay_ms"),
            ("time_s,delay_ms\n1,1\n", "line 2: the first time is not 0; begin with 0"),
            ("time_s,delay_ms\n0,1\n0,2\n", "line 3: is not later than the line before; write the times ascending"),
            (
                "time_s,delay_ms\n0,1\n1,-2\n",
                "line 3: is no time in s and delay in ms with a comma between, such as 15.5,27.3",
            ),
            ("time_s,delay_ms\n0\n", "line 2: is no time in s and delay in ms with a comma between, such as 15.5,27.3"),
        ];
        for (text, expected) in cases {
            assert_eq!(DelaySchedule::parse(text), Err(expected.to_owned()), "{text:?}");
        }
    }
}
