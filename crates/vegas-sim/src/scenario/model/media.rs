//! Real-time media: layers of frames, which an application makes at their times.

use vegas_core::units::{Bytes, Span};

/// A layer of media, such as voice, or a video at one quality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaLayer {
    /// The time between two frames, above zero.
    pub every: Span,
    /// The payload of a frame, at least 1 byte.
    pub size: Bytes,
    /// The payload of a key frame, the first of each group.
    pub key_size: Bytes,
    /// The number of frames in a group, at least one.
    pub group: u64,
    /// A frame that has not left whole after this time is given up, with the rest of its group.
    pub give_up: Option<Span>,
}

impl MediaLayer {
    /// The payload of the frame with this number, from 0.
    pub fn size_of(&self, number: u64) -> Bytes {
        if self.is_key(number) { self.key_size } else { self.size }
    }

    /// Whether this frame is a key frame.
    pub fn is_key(&self, number: u64) -> bool {
        number.is_multiple_of(self.group)
    }
}
