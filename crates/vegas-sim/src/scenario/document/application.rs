//! The `[[flow.application]]` tables: the data that an application gives a flow to send.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::{Bytes, Rate, Span};

use crate::scenario::document::scalar::{Count, Named};
use crate::scenario::read::field::{Field, Table};

/// A phase of an application.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct ApplicationPhase {
    /// The behaviour of the application in the phase.
    pub(in crate::scenario) kind: Field<ActivityKind>,
    /// The length of the phase; only the last one may have no end. Default: until the flow ends.
    pub(in crate::scenario) duration: Option<Field<Span>>,
    /// rate, on-off: payload a second. Required in rate and on-off.
    pub(in crate::scenario) rate: Option<Field<Rate>>,
    /// on-off: length of a period of sending; 1 h at most. Required in on-off.
    pub(in crate::scenario) on: Option<Field<Span>>,
    /// on-off: length of a period of silence; 1 h at most. Required in on-off.
    pub(in crate::scenario) off: Option<Field<Span>>,
    /// requests: payload of a response. Required in requests.
    pub(in crate::scenario) size: Option<Field<Bytes>>,
    /// requests: from a response's last acknowledgement to the next response. Default: `"0s"`.
    pub(in crate::scenario) think: Option<Field<Span>>,
    /// video: the rates at which the video is available, payload a second; ascending. Required in video.
    pub(in crate::scenario) ladder: Option<Vec<Field<Rate>>>,
    /// video: playing time of a segment of video; 1 h at most. Default: `"4s"`.
    pub(in crate::scenario) segment: Option<Field<Span>>,
    /// video: the greatest playing time that the player keeps; `segment` at least; 1 h at most. Default: `"30s"`.
    pub(in crate::scenario) buffer: Option<Field<Span>>,
    /// media: the layers, the most important first: [`layers`](#layers). Media is the only phase, without `duration`,
    /// of a flow without `size`. Required in media.
    pub(in crate::scenario) layers: Option<Vec<Table<MediaLayer>>>,
}

/// A layer of media: frames of voice, or of a video at one quality.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct MediaLayer {
    /// The time between two frames; the first is made as the flow starts; 100 us to 1 h.
    pub(in crate::scenario) every: Field<Span>,
    /// Payload of a frame; 1 GB at most.
    pub(in crate::scenario) size: Field<Bytes>,
    /// Payload of a key frame, with which each group begins; 1 GB at most. Default: `size`.
    pub(in crate::scenario) key_size: Option<Field<Bytes>>,
    /// The number of frames in a group. Default: `1`.
    pub(in crate::scenario) group: Option<Field<Count<1>>>,
    /// A frame that has not left whole after this time is given up, with the rest of its group; 1 h at most. Default:
    /// never.
    pub(in crate::scenario) give_up: Option<Field<Span>>,
}

/// A kind of activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum ActivityKind {
    Bulk,
    Idle,
    Rate,
    OnOff,
    Requests,
    Video,
    Media,
}

impl Named for ActivityKind {
    const WHAT: &'static str = "what an application does";
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("bulk", ActivityKind::Bulk),
        ("idle", ActivityKind::Idle),
        ("rate", ActivityKind::Rate),
        ("on-off", ActivityKind::OnOff),
        ("requests", ActivityKind::Requests),
        ("video", ActivityKind::Video),
        ("media", ActivityKind::Media),
    ];
}
