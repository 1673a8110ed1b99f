//! The golden traces: what a reviewer worked out by hand, held against the algorithms. The format is described in
//! `tests/golden/README.md`; nothing here writes a trace.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use vegas_core::units::{Pace, Segments, SendIndex, Span, Time, Window};
use vegas_core::{
    Ack, Algorithm, Avoidance, Composition, Controller, Cut, Loss, LossKind, LostSegment, Parameters, Phase,
    RateSample, RouterFeedback, Sent, SlowStart, registry,
};

use crate::support::control::tell;
use crate::support::events::Event;

/// Traces do not depend on random numbers, or say where they would.
const SEED: u64 = 1;

#[test]
fn every_trace_is_answered_as_worked_out_by_hand() {
    let paths = paths();
    assert!(!paths.is_empty());
    let failures: Vec<String> = paths.iter().flat_map(|path| failures_of(path)).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn every_standalone_algorithm_has_a_trace() {
    let texts: Vec<_> = paths().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let is_run =
        |name: &str| texts.iter().flat_map(|text| text.lines()).any(|line| line.split(' ').take(2).eq(["run", name]));
    let standalone = registry::PRESETS.iter().filter(|preset| preset.standalone.is_some());
    let without: Vec<_> = standalone.map(|preset| preset.name).filter(|name| !is_run(name)).collect();
    assert!(without.is_empty(), "tests/golden has no trace of {without:?}");
}

fn paths() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    paths
}

fn failures_of(path: &Path) -> Vec<String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).unwrap();
    play(&text).into_iter().map(|failure| format!("{name}:{failure}")).collect()
}

/// Plays a trace; one line per row that is answered otherwise or cannot be read.
fn play(text: &str) -> Vec<String> {
    let mut run: Option<Controller> = None;
    let mut failures = Vec::new();
    let mut rows = 0;
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let outcome = match (line.strip_prefix("run "), &mut run) {
            _ if line.is_empty() => Ok(()),
            (Some(header), _) => begin(header).map(|begun| run = Some(begun)),
            (None, None) => Err("an event before the first run".into()),
            (None, Some(run)) => {
                rows += 1;
                answer(run, line)
            }
        };
        failures.extend(outcome.err().map(|failure| format!("{}: {failure}", index + 1)));
    }
    if rows == 0 {
        failures.push("0: no events".into());
    }
    failures
}

fn begin(header: &str) -> Result<Controller, String> {
    let (name, rest) = header.split_once(' ').unwrap_or((header, ""));
    let preset = registry::preset(name).ok_or(format!("{name}: no such preset"))?;
    let (mut composition, mut parameters) = (preset.composition, preset.parameters);
    for (key, value) in fields(rest)? {
        match key {
            "slow_start" => {
                let slow_start = named(SlowStart::NAMES, key, value)?;
                composition = match preset.standalone {
                    None => Composition { slow_start, ..composition },
                    Some(_) => composition.opening_by(slow_start),
                }
            }
            "cut" => composition.loss.cut = named(Cut::NAMES, key, value)?,
            "avoidance" => composition.avoidance = named(Avoidance::NAMES, key, value)?,
            "ssthresh" => parameters.ssthresh = Some(Segments(whole(value)? as u32)),
            _ => *parameter(&mut parameters, key)? = Segments(whole(value)? as u32),
        }
    }
    let algorithm = Algorithm::new(composition, parameters).map_err(|refusal| refusal.to_string())?;
    Ok(Controller::start(algorithm, preset.standalone, SEED))
}

fn named<T: Copy>(names: &[(&str, T)], part: &str, name: &str) -> Result<T, String> {
    let named = names.iter().find(|(known, _)| *known == name);
    named.map(|(_, choice)| *choice).ok_or(format!("{name}: no such {part}"))
}

fn parameter<'a>(parameters: &'a mut Parameters, key: &str) -> Result<&'a mut Segments, String> {
    Ok(match key {
        "alpha" => &mut parameters.alpha,
        "beta" => &mut parameters.beta,
        "gamma" => &mut parameters.gamma,
        "initial_window" => &mut parameters.initial_window,
        "restart_window" => &mut parameters.restart_window,
        "max_window" => &mut parameters.max_window,
        _ => return Err(format!("{key}: no such parameter")),
    })
}

fn answer(control: &mut Controller, line: &str) -> Result<(), String> {
    let (event, expected) = line.split_once('|').ok_or("no | between event and answer")?;
    match event.trim().split_once(' ') {
        Some(("sent", keys)) => control.on_sent(&sent(keys)?),
        Some(("lost", keys)) => control.on_segment_lost(&lost(keys)?),
        Some(("handshake", keys)) => {
            let (at, rtt) = handshake(keys)?;
            control.on_handshake(at, rtt);
        }
        Some(("lone", keys)) => {
            let (at, next) = lone(keys)?;
            control.on_lone_retransmission(next, at);
        }
        Some(("recovered", keys)) => control.on_recovered(recovered(keys)?),
        _ => tell(&mut **control, &self::event(event.trim())?),
    }
    let (reported, expected): (Vec<&str>, Vec<&str>) = expected.split_whitespace().partition(|word| word.contains('='));
    is_reported(control, &fields(&reported.join(" "))?)?;
    let (state, output) = (control.status(), control.output());
    let [window, ssthresh, phase, diff, base, ref pace @ ..] = expected[..] else {
        return Err("after | come window, ssthresh, phase, diff, base".into());
    };
    let segments = state.window.as_raw() as f64 / Window::ONE.as_raw() as f64;
    if !is_window(segments, window)? {
        return Err(format!("window {segments:.6}, worked out {window}"));
    }
    same("ssthresh", state.ssthresh.map(|ssthresh| i64::from(ssthresh.0)), ssthresh)?;
    same("diff", state.diff.map(i64::from), diff)?;
    same("base", state.base_rtt.map(|base| (base.as_nanos() / 1_000_000) as i64), base)?;
    let paced = output.pace.map_or("-".into(), spacing);
    match pace {
        [] if paced == "-" => {}
        [written] if paced == *written => {}
        _ => return Err(format!("pace {paced}, worked out {}", pace.join(" "))),
    }
    let opens = if state.phase == Phase::SlowStart { "open" } else { "hold" };
    if opens == phase { Ok(()) } else { Err(format!("phase {opens}, worked out {phase}")) }
}

/// The time between two segments; `now` for as fast as possible.
fn spacing(pace: Pace) -> String {
    match pace {
        Pace::FASTEST => "now".into(),
        _ => (pace.spacing().as_nanos() as f64 / 1e6).to_string(),
    }
}

/// Whether the window is the one written: `7+1/7` to a millionth, a decimal to half of its last place, and always the
/// same whole segments.
fn is_window(segments: f64, written: &str) -> Result<bool, String> {
    let (value, tolerance) = match written.split_once('+') {
        Some((whole, fraction)) => (number(whole)? + ratio(fraction)?, 1e-6),
        None => (number(written)?, precision(written)),
    };
    Ok((segments - value).abs() <= tolerance && segments.floor() == value.floor())
}

fn ratio(fraction: &str) -> Result<f64, String> {
    let (numerator, denominator) = fraction.split_once('/').ok_or(format!("{fraction}: not a fraction"))?;
    Ok(number(numerator)? / number(denominator)?)
}

/// Half of the last place after the point; whole numbers, and fractions of up to three places, are meant exactly.
fn precision(written: &str) -> f64 {
    match written.split_once('.') {
        Some((_, places)) if places.len() > 3 => 0.5 * 10f64.powi(-(places.len() as i32)),
        _ => 1e-6,
    }
}

/// Whether the state of the algorithm's own is as written, by name.
fn is_reported(control: &Controller, written: &BTreeMap<&str, &str>) -> Result<(), String> {
    let mut reported = BTreeMap::new();
    control.report(&mut |name, value| {
        reported.insert(name, value);
    });
    written.iter().try_for_each(|(name, value)| {
        let got = reported.get(name).ok_or(format!("{name}: not reported"))?;
        same(name, Some(*got), value)
    })
}

/// `*` stands for what the source does not give.
fn same(column: &str, got: Option<i64>, written: &str) -> Result<(), String> {
    if written == "*" {
        return Ok(());
    }
    let got = got.map_or("-".into(), |got| got.to_string());
    if got == written { Ok(()) } else { Err(format!("{column} {got}, worked out {written}")) }
}

fn event(text: &str) -> Result<Event, String> {
    let (name, rest) = text.split_once(' ').ok_or("an event without keys")?;
    let kind = match name {
        "ack" => return ack(rest),
        "dupacks" => LossKind::DuplicateAcks,
        "timeout" => LossKind::Timeout,
        "mark" => LossKind::Ecn,
        _ => return Err(format!("{name}: no such event")),
    };
    let retransmission = rest.trim_start().strip_prefix("again ");
    let mut keys = fields(retransmission.unwrap_or(rest))?;
    let loss = Loss {
        now: Time::ZERO + span(take(&mut keys, "at")?)?,
        kind,
        sent: Time::ZERO + span(take(&mut keys, "sent")?)?,
        retransmission: retransmission.is_some(),
        in_flight: Segments(whole(take(&mut keys, "in_flight")?)? as u32),
        next: SendIndex(whole(take(&mut keys, "next")?)?),
        lost: Segments(u32::from(kind != LossKind::Ecn)),
        threshold_holds: false,
    };
    none_left(&keys).map(|()| Event::Loss(loss))
}

fn ack(keys: &str) -> Result<Event, String> {
    let mut keys = fields(keys)?;
    let rtt = take(&mut keys, "rtt")?;
    let rtt = if rtt == "-" { None } else { Some(span(rtt)?) };
    let acked = whole(take(&mut keys, "acked")?)? as u32;
    let ack = Ack {
        now: Time::ZERO + span(take(&mut keys, "at")?)?,
        rtt,
        acked: Segments(acked),
        in_flight: Segments(whole(take(&mut keys, "in_flight")?)? as u32),
        newest: SendIndex(whole(take(&mut keys, "newest")?)?),
        next: SendIndex(whole(take(&mut keys, "next")?)?),
        window_limited: optional(&mut keys, "limited")?.is_none_or(|flag| flag == 1),
        ce_marked: optional(&mut keys, "marked")?.unwrap_or(0) as u32,
        feedback: feedback(&mut keys)?,
        in_recovery: optional(&mut keys, "recovery")?.is_some_and(|flag| flag == 1),
        lost: Segments(optional(&mut keys, "lost")?.unwrap_or(0) as u32),
        delivered: Segments(acked),
        one_way_delay: keys.remove("one_way").map(span).transpose()?,
        rate: rate(&mut keys, acked, rtt)?,
    };
    none_left(&keys).map(|()| Event::Ack(ack))
}

/// The rate sample of a segment that was sent with `sent_at` in flight, when `prior` had been delivered, and since when
/// `delivered` have been: those of this acknowledgement, unless it says so.
fn rate(keys: &mut BTreeMap<&str, &str>, acked: u32, rtt: Option<Span>) -> Result<Option<RateSample>, String> {
    let prior_delivered = optional(keys, "prior")?.unwrap_or(0) as u32;
    let delivered = optional(keys, "delivered")?.map_or(acked, |count| count as u32);
    let sample = |in_flight| RateSample {
        delivered: Segments(delivered),
        interval: rtt.unwrap_or_default(),
        lost: Segments(0),
        in_flight: Segments(in_flight as u32),
        prior_delivered,
        total: prior_delivered + acked,
        app_limited: false,
    };
    Ok(optional(keys, "sent_at")?.map(sample))
}

fn sent(keys: &str) -> Result<Sent, String> {
    let mut keys = fields(keys)?;
    let sent = Sent {
        now: Time::ZERO + span(take(&mut keys, "at")?)?,
        index: SendIndex(whole(take(&mut keys, "newest")?)?),
        in_flight: Segments(whole(take(&mut keys, "in_flight")?)? as u32),
        retransmission: false,
    };
    none_left(&keys).map(|()| sent)
}

fn handshake(keys: &str) -> Result<(Time, Span), String> {
    let mut keys = fields(keys)?;
    let (at, rtt) = (Time::ZERO + span(take(&mut keys, "at")?)?, span(take(&mut keys, "rtt")?)?);
    none_left(&keys).map(|()| (at, rtt))
}

fn lone(keys: &str) -> Result<(Time, SendIndex), String> {
    let mut keys = fields(keys)?;
    let at = Time::ZERO + span(take(&mut keys, "at")?)?;
    let next = SendIndex(whole(take(&mut keys, "next")?)?);
    none_left(&keys).map(|()| (at, next))
}

fn recovered(keys: &str) -> Result<Time, String> {
    let mut keys = fields(keys)?;
    let at = Time::ZERO + span(take(&mut keys, "at")?)?;
    none_left(&keys).map(|()| at)
}

fn lost(keys: &str) -> Result<LostSegment, String> {
    let mut keys = fields(keys)?;
    let lost = LostSegment {
        in_flight: Segments(whole(take(&mut keys, "in_flight")?)? as u32),
        lost: Segments(whole(take(&mut keys, "since")?)? as u32),
        app_limited: false,
    };
    none_left(&keys).map(|()| lost)
}

fn optional(keys: &mut BTreeMap<&str, &str>, key: &str) -> Result<Option<u64>, String> {
    keys.remove(key).map(whole).transpose()
}

/// `forward` and `backward`, where a trace gives them.
fn feedback(keys: &mut BTreeMap<&str, &str>) -> Result<Option<RouterFeedback>, String> {
    if !keys.contains_key("forward") {
        return Ok(None);
    }
    let (forward, backward) = (span(take(keys, "forward")?)?, span(take(keys, "backward")?)?);
    Ok(Some(RouterFeedback { forward, backward }))
}

fn fields(text: &str) -> Result<BTreeMap<&str, &str>, String> {
    text.split_whitespace().map(|field| field.split_once('=').ok_or(format!("{field}: not KEY=VALUE"))).collect()
}

fn take<'a>(keys: &mut BTreeMap<&str, &'a str>, key: &str) -> Result<&'a str, String> {
    keys.remove(key).ok_or(format!("{key} is missing"))
}

fn none_left(keys: &BTreeMap<&str, &str>) -> Result<(), String> {
    keys.keys().next().map_or(Ok(()), |key| Err(format!("{key}: no such key")))
}

/// Milliseconds; with three places after a point, to the microsecond.
fn span(milliseconds: &str) -> Result<Span, String> {
    match milliseconds.split_once('.') {
        None => whole(milliseconds).map(Span::from_millis),
        Some((whole_ms, micros)) if micros.len() == 3 => {
            Ok(Span::from_millis(whole(whole_ms)?) + Span::from_micros(whole(micros)?))
        }
        Some(_) => Err(format!("{milliseconds}: write three places after the point")),
    }
}

fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text}: not a whole number"))
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("{text}: not a number"))
}

/// Two right rows, then six that are wrong in one column each: the player must name line and column.
#[test]
fn a_wrong_answer_is_named_by_line_and_column() {
    let event = "ack at=100 rtt=100 acked=1 in_flight=2 newest=0 next=2";
    for (answer, named) in [
        ("2 - open - 100", None),
        ("2 - open - 100 -", None),
        ("2 - open - 100 10", Some("2: pace -, worked out 10")),
        ("3 - open - 100", Some("2: window 2.000000, worked out 3")),
        ("2 2 open - 100", Some("2: ssthresh -, worked out 2")),
        ("2 - hold - 100", Some("2: phase open, worked out hold")),
        ("2 - open 0 100", Some("2: diff -, worked out 0")),
        ("2 - open - 99", Some("2: base 100, worked out 99")),
    ] {
        let played = play(&format!("run vegas\n{event} | {answer}"));
        assert_eq!(played.first().map(String::as_str), named);
    }
}

#[test]
fn a_trace_that_cannot_be_read_is_refused() {
    for (text, named) in [
        ("", "0: no events"),
        ("ack at=1 | 2 - open - -", "1: an event before the first run"),
        ("run tahoe", "1: tahoe: no such preset"),
        ("run vegas delta=3", "1: delta: no such parameter"),
        ("run vegas alpha=4", "1: alpha: must not exceed beta"),
        ("run vegas\nnack at=1 | 2", "2: nack: no such event"),
        ("run vegas\nmark at=1 sent=0 in_flight=2 | 2 - hold - -", "2: next is missing"),
        ("run vegas\nmark at=1 sent=0 in_flight=2 next=2 rtt=3 | 2 - hold - -", "2: rtt: no such key"),
        ("run vegas\nmark at=1 sent=0 in_flight=2 next=2", "2: no | between event and answer"),
        ("run vegas\nmark at=x sent=0 in_flight=2 next=2 | 2", "2: x: not a whole number"),
    ] {
        assert_eq!(play(text).first().map(String::as_str), Some(named));
    }
}

#[test]
fn windows_are_compared_to_the_place_that_is_written() {
    let is = |segments, written| is_window(segments, written).unwrap();
    assert!(is(7.142857, "7+1/7") && !is(7.1428, "7+1/7"));
    assert!(is(4.48529, "4.4853") && !is(4.4854, "4.4853"));
    assert!(is(3.5, "3.5") && !is(3.51, "3.5"));
    // one segment less may be in flight
    assert!(!is(7.99999999, "8"));
}
