//! The application of a flow in the file, with its defaults filled in.

use vegas_core::units::{Bytes, Rate, Span};

use super::document::{ActivityKind, ApplicationPhase as Given, MediaLayer as GivenLayer};
use super::model::{Activity, ApplicationPhase, MediaLayer, Video};
use crate::scenario::document::scalar::Named;
use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::field::{Field, Table};

/// The greatest rate, that of links: a segment must take at least a part of the simulator's nanosecond.
const RATE_MAX: Rate = Rate::from_bits_per_second(1_000_000_000_000);
const PERIOD_MAX: Span = Span::from_secs(3600);
/// The usual values of players of video over HTTP.
const SEGMENT: Span = Span::from_secs(4);
const BUFFER: Span = Span::from_secs(30);
/// The greatest size that JSON and a double count exactly.
const SIZE_MAX: Bytes = Bytes::new(1 << 53);
/// Frames are listed in the results, so that they must not come too fast.
const FRAME_TIME_MIN: Span = Span::from_micros(100);
const FRAME_MAX: Bytes = Bytes::new(1_000_000_000);

/// Checks the phases at `key`; without phases the flow sends bulk data throughout.
pub(super) fn resolve(key: &str, given: &[Table<Given>]) -> Checked<Vec<ApplicationPhase>> {
    let last = given.len().saturating_sub(1);
    let phase = |(at, phase): (usize, &Table<Given>)| {
        let key = child(key, at.to_string());
        if phase.duration.is_none() && at < last {
            let message = "is missing: the phases after this one would never come; give a time such as \"10s\"";
            return Err(Problem::new(child(&key, "duration"), message));
        }
        if phase.kind.0 == ActivityKind::Media && (given.len() > 1 || phase.duration.is_some()) {
            let message =
                "\"media\" lasts as long as the flow; leave out duration and other phases, and give the flow a stop";
            return Err(Problem::new(child(&key, "kind"), message));
        }
        let length = phase.duration.map(|length| positive(child(&key, "duration"), length.0)).transpose()?;
        check_keys(&key, phase)?;
        Ok(ApplicationPhase { activity: activity(&key, phase)?, length })
    };
    given.iter().enumerate().map(phase).collect()
}

fn activity(key: &str, phase: &Given) -> Checked<Activity> {
    match phase.kind.0 {
        ActivityKind::Bulk => Ok(Activity::Bulk),
        ActivityKind::Idle => Ok(Activity::Idle),
        ActivityKind::Rate => Ok(Activity::Rate(rate(child(key, "rate"), phase.rate)?)),
        ActivityKind::OnOff => Ok(Activity::OnOff {
            rate: rate(child(key, "rate"), phase.rate)?,
            on: period(child(key, "on"), phase.on)?,
            off: period(child(key, "off"), phase.off)?,
        }),
        ActivityKind::Requests => {
            let size = size(child(key, "size"), phase.size)?;
            let think = phase.think.map_or(Span::ZERO, |think| think.0);
            Ok(Activity::Requests { size: size.ok_or_else(|| Problem::missing(child(key, "size")))?, think })
        }
        ActivityKind::Video => Ok(Activity::Video(video(key, phase)?)),
        ActivityKind::Media => Ok(Activity::Media(layers(key, phase)?)),
    }
}

fn video(key: &str, phase: &Given) -> Checked<Video> {
    let key_ladder = child(key, "ladder");
    let given = phase.ladder.as_deref().ok_or_else(|| Problem::missing(&key_ladder))?;
    let checked = given.iter().enumerate().map(|(at, step)| rate(child(&key_ladder, at.to_string()), Some(*step)));
    let ladder: Vec<Rate> = checked.collect::<Checked<_>>()?;
    if ladder.is_empty() || ladder.windows(2).any(|pair| pair[0] >= pair[1]) {
        let message = "does not ascend; write rates such as [\"1mbit\", \"2.5mbit\", \"5mbit\"]";
        return Err(Problem::new(key_ladder, message));
    }
    let segment = period(child(key, "segment"), phase.segment.or(Some(Field(SEGMENT))))?;
    let buffer = period(child(key, "buffer"), phase.buffer.or(Some(Field(BUFFER.max(segment)))))?;
    if buffer < segment {
        return Err(Problem::new(child(key, "buffer"), "is shorter than one segment of video; lengthen it"));
    }
    Ok(Video { ladder, segment, buffer })
}

fn layers(key: &str, phase: &Given) -> Checked<Vec<MediaLayer>> {
    let key = child(key, "layers");
    let given = phase.layers.as_deref().ok_or_else(|| Problem::missing(&key))?;
    if given.is_empty() {
        return Err(Problem::new(key, "is empty; write a layer such as { every = \"20ms\", size = \"80b\" }"));
    }
    given.iter().enumerate().map(|(at, given)| layer(&child(&key, at.to_string()), given)).collect()
}

fn layer(key: &str, given: &GivenLayer) -> Checked<MediaLayer> {
    let frame = |name: &str, given| {
        let key = child(key, name);
        let size = size(key.clone(), Some(given))?.ok_or_else(|| Problem::missing(&key))?;
        match size > FRAME_MAX {
            true => Err(Problem::new(key, "is too large for a frame; write 1gb at most")),
            false => Ok(size),
        }
    };
    let every = period(child(key, "every"), Some(given.every))?;
    if every < FRAME_TIME_MIN {
        return Err(Problem::new(child(key, "every"), "is too short; write 100us or more"));
    }
    Ok(MediaLayer {
        every,
        size: frame("size", given.size)?,
        key_size: frame("key_size", given.key_size.unwrap_or(given.size))?,
        group: given.group.map_or(1, |group| group.0.0),
        give_up: given.give_up.map(|time| period(child(key, "give_up"), Some(time))).transpose()?,
    })
}

/// Refuses keys that have no meaning in this kind of phase.
fn check_keys(key: &str, phase: &Given) -> Checked<()> {
    const RATED: &[ActivityKind] = &[ActivityKind::Rate, ActivityKind::OnOff];
    let kind = phase.kind.0;
    let keys: &[(&str, bool, &[ActivityKind])] = &[
        ("rate", phase.rate.is_some(), RATED),
        ("on", phase.on.is_some(), &[ActivityKind::OnOff]),
        ("off", phase.off.is_some(), &[ActivityKind::OnOff]),
        ("size", phase.size.is_some(), &[ActivityKind::Requests]),
        ("think", phase.think.is_some(), &[ActivityKind::Requests]),
        ("ladder", phase.ladder.is_some(), &[ActivityKind::Video]),
        ("segment", phase.segment.is_some(), &[ActivityKind::Video]),
        ("buffer", phase.buffer.is_some(), &[ActivityKind::Video]),
        ("layers", phase.layers.is_some(), &[ActivityKind::Media]),
    ];
    let Some((name, _, kinds)) = keys.iter().find(|(_, given, kinds)| *given && !kinds.contains(&kind)) else {
        return Ok(());
    };
    let right: Vec<String> = kinds.iter().map(|kind| format!("\"{}\"", name_of(*kind))).collect();
    let message = format!(
        "means nothing in a phase of kind \"{}\"; leave it out, or set {key}.kind to {}",
        name_of(kind),
        right.join(" or ")
    );
    Err(Problem::new(child(key, name), message))
}

fn name_of(kind: ActivityKind) -> &'static str {
    ActivityKind::CHOICES.iter().find(|(_, choice)| *choice == kind).map_or("", |(name, _)| name)
}

fn rate(key: String, given: Option<Field<Rate>>) -> Checked<Rate> {
    match given.ok_or_else(|| Problem::missing(&key))?.0 {
        rate if rate.as_bits_per_second() == 0 => {
            Err(Problem::new(key, "a rate of 0 sends nothing; write 1bit or more, or a phase of kind \"idle\""))
        }
        rate if rate > RATE_MAX => Err(Problem::new(key, "is too high; write 1tbit at most")),
        rate => Ok(rate),
    }
}

fn period(key: String, given: Option<Field<Span>>) -> Checked<Span> {
    let span = positive(key.clone(), given.ok_or_else(|| Problem::missing(&key))?.0)?;
    match span > PERIOD_MAX {
        true => Err(Problem::new(key, "is longer than an hour; write 1h at most")),
        false => Ok(span),
    }
}

fn positive(key: String, span: Span) -> Checked<Span> {
    match span == Span::ZERO {
        true => Err(Problem::new(key, "is 0; write a time above 0, such as \"1s\"")),
        false => Ok(span),
    }
}

/// Checks the size of a transfer; `None` for a transfer without end.
pub(super) fn size(key: String, given: Option<Field<Bytes>>) -> Checked<Option<Bytes>> {
    match given.map(|size| size.0) {
        Some(size) if size.get() == 0 => {
            Err(Problem::new(key, "a transfer of 0 bytes sends nothing; write 1b or more"))
        }
        Some(size) if size > SIZE_MAX => {
            Err(Problem::new(key, format!("is too large; write {}b at most", SIZE_MAX.get())))
        }
        size => Ok(size),
    }
}
