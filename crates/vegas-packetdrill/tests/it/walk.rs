//! What the walk through a script holds against a host: segments, times, calls and assertions. The host here does what
//! each test says.

use std::collections::VecDeque;

use vegas_core::units::{Span, Time};
use vegas_packetdrill::script::{Action, Call, Expression, Returned};
use vegas_packetdrill::segment::{Flags, Segment};
use vegas_packetdrill::shell::Setting;
use vegas_packetdrill::{Host, Need, Reply, Script, Verdict, run};

/// A host that sends segments, and lets calls return, at given times.
#[derive(Default)]
struct Scripted {
    sends: VecDeque<(Time, Segment)>,
    returns: Option<(Time, Reply)>,
    /// Whether the call was made.
    waits: bool,
    lacks: Option<&'static str>,
}

impl Host for Scripted {
    fn lacks(&self, action: &Action) -> Option<String> {
        self.lacks.filter(|_| matches!(action, Action::Arrives(_))).map(str::to_owned)
    }

    fn knows(&self, name: &str) -> bool {
        name == "tcpi_snd_cwnd"
    }

    fn lacks_setting(&self, setting: &Setting) -> Option<String> {
        matches!(setting, Setting::Unknown(_)).then(|| "a command".to_owned())
    }

    fn set(&mut self, _: &Setting) {}

    fn call(&mut self, now: Time, _: &Call) -> Reply {
        self.waits = true;
        self.resume(now).unwrap_or(if self.returns.is_some() { Reply::Waits } else { Reply::value(0) })
    }

    fn resume(&mut self, now: Time) -> Option<Reply> {
        self.returns.take_if(|(at, _)| *at <= now).map(|(_, reply)| reply)
    }

    fn receive(&mut self, _: Time, _: &Segment) {}

    fn timer(&self) -> Option<Time> {
        let sends = self.sends.front().map(|(at, _)| *at);
        let returns = self.returns.as_ref().filter(|_| self.waits).map(|(at, _)| *at);
        [sends, returns].into_iter().flatten().min()
    }

    fn on_timer(&mut self, _: Time) {}

    fn transmit(&mut self, now: Time) -> Option<Segment> {
        self.sends.pop_front_if(|(at, _)| *at <= now).map(|(_, segment)| segment)
    }

    fn value(&self, _: Time, name: &str) -> Option<i64> {
        self.knows(name).then_some(10)
    }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// A segment of data, sent at a time in ms.
fn data(at: u64, sequence: u32, length: u32) -> (Time, Segment) {
    (ms(at), Segment { flags: Flags::ACK, sequence, length, ack: 1, ..Segment::empty() })
}

fn sending(sends: impl IntoIterator<Item = (Time, Segment)>) -> Scripted {
    Scripted { sends: sends.into_iter().collect(), ..Scripted::default() }
}

fn verdict(text: &str, mut host: Scripted) -> Verdict {
    let script = Script::read(text).unwrap_or_else(|error| panic!("{error}"));
    run(&script, &mut host, &|_| None).verdict
}

/// Asserts that a script fails at a line, with a message that contains a text.
fn fails(text: &str, host: Scripted, line: u32, message: &str) {
    match verdict(text, host) {
        Verdict::Fail(failure) => {
            assert_eq!(failure.line, line, "{failure}");
            assert!(failure.to_string().contains(message), "{failure}");
        }
        other => panic!("{text}: {other}"),
    }
}

#[test]
fn a_segment_has_its_time_within_the_tolerance() {
    let late = |at| sending([data(at, 1, 1000)]);
    assert_eq!(verdict("+.1 > . 1:1001(1000) ack 1", late(112)), Verdict::Pass, "an eighth of 100 ms");
    fails("+.1 > . 1:1001(1000) ack 1", late(113), 1, "a segment is missing");
    fails("+.1 > . 1:1001(1000) ack 1", late(87), 1, "early: at 0.087000 s");
    assert_eq!(verdict("+0 > . 1:1001(1000) ack 1", late(4)), Verdict::Pass, "4 ms at least");
    fails("0 %{ a = 1 }%\n+0 > . 1:1001(1000) ack 1", late(5), 2, "a segment is missing");
    assert_eq!(verdict("+.1~+.3 > . 1:1001(1000) ack 1", late(310)), Verdict::Pass);
    fails("+.1~+.3 > . 1:1001(1000) ack 1", late(313), 1, "a segment is missing");
    assert_eq!(verdict("* > . 1:1001(1000) ack 1", late(999_000)), Verdict::Pass);
    let strict = "--tolerance_usecs=1000\n--tolerance_percent=0\n+.1 > . 1:1001(1000) ack 1";
    fails(strict, late(102), 3, "a segment is missing");
}

#[test]
fn a_segment_that_left_before_it_is_expected_is_early() {
    let text = "0 > . 1:1001(1000) ack 1\n.2 %{ a = 1 }%\n+0 > . 1001:2001(1000) ack 1";
    fails(text, sending([data(0, 1, 1000), data(100, 1001, 1000)]), 3, "early: at 0.100000 s");
}

#[test]
fn segments_are_joined_up_to_the_length_expected() {
    let three = || [data(0, 1, 1000), data(0, 1001, 1000), data(1, 2001, 500)];
    assert_eq!(verdict("0 > P. 1:2501(2500) ack 1", sending(three())), Verdict::Pass);
    fails(
        "0 > P. 1:2001(2000) ack 1\n+0 > . 2001:3001(1000) ack 1",
        sending(three()),
        2,
        "only . 2001:2501(500) ack 1",
    );
    fails("0 > P. 1:1501(1500) ack 1", sending(three()), 1, "differs: length");
    fails("0 > . 1:3001(3000) ack 1", sending(three()), 1, "only . 1:2501(2500) ack 1 is sent");
    fails("0 > . 1:2001(2000) ack 1", sending([data(0, 1, 1000), data(0, 2001, 1000)]), 1, "do not follow each other");
    fails("--strict_segments\n0 > . 1:2001(2000) ack 1", sending(three()), 2, "differs: length");
}

#[test]
fn what_differs_is_named() {
    let one = || sending([data(0, 1, 1000)]);
    fails("0 > . 1:1001(1000) ack 2", one(), 1, "the segment differs: acknowledgement\n");
    fails("0 > F. 1:1001(1000) ack 1", one(), 1, "flags");
    fails("0 > . 1001:2001(1000) ack 1", one(), 1, "sequence number");
    fails("0 > . 1:1001(1000) ack 1 win 5", one(), 1, "window");
    fails("0 > [ect0] . 1:1001(1000) ack 1", one(), 1, "ECN field");
    fails("0 > . 1:1001(1000) ack 1 <mss 5>", one(), 1, "options");
    assert_eq!(verdict("0 > . 1:1001(1000) ack 1 <...>", one()), Verdict::Pass);
    assert_eq!(verdict("0 > . 1:1001(1000) ack 1 <nop,nop>", one()), Verdict::Pass);
    fails(
        "0 > . 1:1(0) ack 1",
        one(),
        1,
        "expected  0.000000  > . 1:1(0) ack 1\n    actual    0.000000  > . 1:1001(1000) ack 1",
    );
}

#[test]
fn a_call_returns_what_is_expected_and_when() {
    let waits =
        |until: u64, value: i64| Scripted { returns: Some((ms(until), Reply::value(value))), ..Scripted::default() };
    assert_eq!(verdict("0...0.2 read(4, ..., 5) = 5", waits(200, 5)), Verdict::Pass);
    fails("0...0.2 read(4, ..., 5) = 5", waits(200, 4), 1, "read(4, ..., 5) returns 4; expected 5");
    fails("0...0.2 read(4, ..., 5) = 5", waits(300, 5), 1, "returns at 0.300000 s; expected at 0.200000 s");
    fails("0 read(4, ..., 5) = 5", waits(200, 5), 1, "expected to return at once");
    fails("0 read(4, ..., 5) = 5\n1 write(4, ..., 5) = 5", Scripted::default(), 1, "returns 0; expected 5");
    let error = Scripted { returns: Some((ms(0), Reply::error("EPIPE"))), ..Scripted::default() };
    fails("0 write(4, ..., 5) = 5", error, 1, "returns -1 EPIPE; expected 5");
}

#[test]
fn what_a_call_writes_is_compared() {
    let written = vec![(1, Expression::List(vec![Expression::Number(7)]))];
    let reply = Reply::Done { returned: Returned { value: 0, error: None }, written };
    let host = || Scripted { returns: Some((ms(0), reply.clone())), ..Scripted::default() };
    assert_eq!(verdict("0 f(4, [7]) = 0", host()), Verdict::Pass);
    assert_eq!(verdict("0 f(4, ...) = 0", host()), Verdict::Pass);
    fails("0 f(4, [8]) = 0", host(), 1, "f(4, [8]) writes [7]; expected [8]");
}

#[test]
fn a_call_waits_for_the_one_before() {
    let host = Scripted { returns: Some((ms(200), Reply::value(1))), ..Scripted::default() };
    assert_eq!(verdict("0...0.2 f(1) = 1\n+.1 g(2) = 0", host), Verdict::Pass);
}

#[test]
fn assertions_look_at_the_state() {
    assert_eq!(
        verdict("0 %{ w = 9 }%\n+0 %{ w += 1; assert tcpi_snd_cwnd == w }%", Scripted::default()),
        Verdict::Pass
    );
    fails("0 %{ assert tcpi_snd_cwnd == 9, 'x' }%", Scripted::default(), 1, "tcpi_snd_cwnd is 10 (x)");
}

#[test]
fn what_is_lacking_is_named_before_the_script_begins() {
    let text = "--unknown=1\n`true`\n0 > . 1:1(0) ack 1\n+0 < . 1:1(0) ack 1 win 5\n+0 `foo`\n+0 < icmp unreachable\n\
                +0 %{ assert tcpi_x == 1; import os }%\n+0 %{ assert y == tcpi_y }%";
    let host = Scripted { lacks: Some("arrivals"), ..Scripted::default() };
    let needs = [
        (1, "the option --unknown"),
        (4, "arrivals"),
        (5, "a command"),
        (6, "packets with icmp"),
        (7, "code: `import` is not supported here"),
        (8, "tcpi_y"),
        (8, "y"),
    ];
    let needs = needs.map(|(line, what)| Need { line, what: what.to_owned() });
    assert_eq!(verdict(text, host), Verdict::NotApplicable(needs.to_vec()));
}
