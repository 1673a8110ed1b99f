//! An application that sends real-time media: frames of several layers over one connection, those of the first layer
//! first. It counts bytes; the transport says how many of them have left.

use std::collections::VecDeque;

use vegas_core::units::{Span, Time};

use crate::measure::outcome::{FrameState, MediaFrame};
use crate::measure::recorder::{millis, seconds};
use crate::scenario::{Activity, FlowSpec, MediaLayer};

/// A sender of media, which begins with the flow.
#[derive(Clone, Debug)]
pub struct Media {
    layers: Vec<LayerState>,
    begun: Time,
    /// The bytes that have left.
    left: u64,
    frames: Vec<Frame>,
    /// What the receiver has in order, whenever that grows.
    deliveries: Vec<Delivery>,
    is_over: bool,
}

/// A layer, and what it has made.
#[derive(Clone, Debug)]
struct LayerState {
    rule: MediaLayer,
    /// The number of frames made.
    made: u64,
    /// The frames that have not left whole: their places in the list of all, and the bytes left to send.
    waiting: VecDeque<(usize, u64)>,
    /// Whether the rest of the group is not sent.
    gives_up: bool,
}

/// A frame that was made.
#[derive(Clone, Copy, Debug)]
struct Frame {
    layer: u32,
    made: Time,
    bytes: u64,
    /// The number of the connection's bytes up to its last one, once that has left.
    end: Option<u64>,
    given_up: bool,
}

/// The number of bytes that have arrived in order by a time.
#[derive(Clone, Copy, Debug)]
struct Delivery {
    at: Time,
    bytes: u64,
}

impl Media {
    /// The media of a flow; `None` if its application sends none.
    pub fn of(spec: &FlowSpec) -> Option<Self> {
        let [phase] = &spec.application[..] else { return None };
        let Activity::Media(layers) = &phase.activity else { return None };
        let state =
            |rule: &MediaLayer| LayerState { rule: rule.clone(), made: 0, waiting: VecDeque::new(), gives_up: false };
        let layers = layers.iter().map(state).collect();
        Some(Media::new(layers, spec.start))
    }

    fn new(layers: Vec<LayerState>, begun: Time) -> Self {
        Media { layers, begun, left: 0, frames: Vec::new(), deliveries: Vec::new(), is_over: false }
    }

    /// When it next makes a frame.
    pub fn next(&self) -> Option<Time> {
        let due = self.layers.iter().map(|layer| layer.due(self.begun)).min();
        due.filter(|_| !self.is_over)
    }

    /// Makes the frames that are due at `now`, after `left` bytes have left; returns the number of bytes that wait.
    pub fn act(&mut self, now: Time, left: u64) -> u64 {
        self.settle(left);
        for number in 0..self.layers.len() {
            self.layers[number].give_up_late(now, &mut self.frames);
            while !self.is_over && self.layers[number].due(self.begun) <= now {
                self.make(number);
            }
        }
        self.layers.iter().flat_map(|layer| &layer.waiting).map(|(_, bytes)| bytes).sum()
    }

    /// No longer makes frames; those that wait are withdrawn.
    pub fn stop(&mut self, left: u64) {
        self.settle(left);
        self.is_over = true;
        for layer in &mut self.layers {
            layer.withdraw(&mut self.frames);
        }
    }

    fn make(&mut self, number: usize) {
        let layer = &mut self.layers[number];
        let bytes = layer.rule.size_of(layer.made).get();
        layer.gives_up &= !layer.rule.is_key(layer.made);
        let (made, given_up) = (layer.due(self.begun), layer.gives_up);
        layer.made += 1;
        if !given_up {
            layer.waiting.push_back((self.frames.len(), bytes));
        }
        self.frames.push(Frame { layer: number as u32, made, bytes, end: None, given_up });
    }

    /// Shares out the bytes that have left since the last call, in which no frame was made: those of the first layer
    /// first.
    fn settle(&mut self, left: u64) {
        for layer in &mut self.layers {
            while self.left < left
                && let Some((frame, bytes)) = layer.waiting.front_mut()
            {
                let part = (*bytes).min(left - self.left);
                self.left += part;
                *bytes -= part;
                if *bytes == 0 {
                    self.frames[*frame].end = Some(self.left);
                    layer.waiting.pop_front();
                }
            }
        }
    }

    /// Notes that the receiver has `bytes` in order at `at`, which may be later than what the sender knows.
    pub fn note_delivery(&mut self, at: Time, bytes: u64) {
        if self.deliveries.last().map_or(0, |newest| newest.bytes) < bytes {
            self.deliveries.push(Delivery { at, bytes });
        }
    }

    fn delivered(&self, bytes: u64) -> Option<Time> {
        let place = self.deliveries.partition_point(|delivery| delivery.bytes < bytes);
        self.deliveries.get(place).map(|delivery| delivery.at)
    }

    /// Returns all frames at `now`, when `left` bytes have left.
    pub fn frames(&self, flow: u32, now: Time, left: u64) -> Vec<MediaFrame> {
        let mut settled = self.clone();
        settled.settle(left);
        let row = |frame: &Frame| {
            let delivered = frame.end.and_then(|end| self.delivered(end)).filter(|time| *time <= now);
            MediaFrame {
                time_s: seconds(frame.made),
                flow,
                layer: frame.layer,
                bytes: frame.bytes,
                state: match (delivered, frame.given_up) {
                    (Some(_), _) => FrameState::Delivered,
                    (None, true) => FrameState::GivenUp,
                    (None, false) => FrameState::UnderWay,
                },
                delay_ms: delivered.map(|time| millis(time.since(frame.made))),
            }
        };
        settled.frames.iter().map(row).collect()
    }

    /// What it holds beside itself, bytes.
    pub fn memory_bytes(&self) -> usize {
        let waiting: usize = self.layers.iter().map(|layer| layer.waiting.len() * size_of::<(usize, u64)>()).sum();
        self.layers.len() * size_of::<LayerState>()
            + waiting
            + self.frames.len() * size_of::<Frame>()
            + self.deliveries.len() * size_of::<Delivery>()
    }
}

impl LayerState {
    /// When its next frame is made. Each counts from the beginning, so that no rounding adds up.
    fn due(&self, begun: Time) -> Time {
        begun + Span::from_nanos(self.rule.every.as_nanos().saturating_mul(self.made))
    }

    fn give_up_late(&mut self, now: Time, frames: &mut [Frame]) {
        let Some(limit) = self.rule.give_up else { return };
        if self.waiting.front().is_some_and(|(frame, _)| frames[*frame].made + limit <= now) {
            self.gives_up = true;
            self.withdraw(frames);
        }
    }

    fn withdraw(&mut self, frames: &mut [Frame]) {
        for (frame, _) in self.waiting.drain(..) {
            frames[frame].given_up = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use vegas_core::units::Bytes;

    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn media(layers: &[(u64, u64, u64, u64, Option<u64>)]) -> Media {
        let state = |&(every, size, key_size, group, give_up): &(u64, u64, u64, u64, Option<u64>)| LayerState {
            rule: MediaLayer {
                every: Span::from_millis(every),
                size: Bytes::new(size),
                key_size: Bytes::new(key_size),
                group,
                give_up: give_up.map(Span::from_millis),
            },
            made: 0,
            waiting: VecDeque::new(),
            gives_up: false,
        };
        let layers = layers.iter().map(state).collect();
        Media::new(layers, Time::ZERO)
    }

    /// Frames at 0, 10, 20, 30 ms: the first and the third are key frames of 500 bytes, the others have 100.
    #[test]
    fn a_group_begins_with_a_key_frame() {
        let mut media = media(&[(10, 100, 500, 2, None)]);
        assert_eq!(media.act(ms(0), 0), 500);
        assert_eq!(media.next(), Some(ms(10)));
        assert_eq!(media.act(ms(10), 500), 100);
        assert_eq!(media.act(ms(20), 500), 100 + 500);
        assert_eq!(media.act(ms(30), 1_100), 100);
    }

    /// Voice of 80 bytes that is made while 1000 bytes of video wait leaves before them, and 200 of the video's have
    /// left.
    #[test]
    fn the_first_layer_leaves_first() {
        let mut media = media(&[(20, 80, 80, 1, None), (1_000, 1_000, 1_000, 1, None)]);
        assert_eq!(media.act(ms(0), 0), 1_080);
        assert_eq!(media.act(ms(20), 280), 80 + 800);
        for (at, bytes) in [(30, 80), (40, 360), (60, 1_160)] {
            media.note_delivery(ms(at), bytes);
        }
        // voice ends at bytes 80 and 360, video at 1160
        let frames = media.frames(0, ms(100), 1_160);
        let delays: Vec<_> = frames.iter().map(|frame| (frame.layer, frame.delay_ms)).collect();
        assert_eq!(delays, [(0, Some(30.0)), (1, Some(60.0)), (0, Some(20.0))]);
    }

    /// Two frames a group; the first has not left after 25 ms, so that both go, and the next group is sent.
    #[test]
    fn a_late_frame_takes_its_group_with_it() {
        let mut media = media(&[(20, 100, 100, 2, Some(25))]);
        assert_eq!([media.act(ms(0), 0), media.act(ms(20), 40)], [100, 160]);
        assert_eq!(media.act(ms(40), 60), 100);
        let states: Vec<_> = media.frames(0, ms(40), 60).iter().map(|frame| frame.state).collect();
        assert_eq!(states, [FrameState::GivenUp, FrameState::GivenUp, FrameState::UnderWay]);
    }

    #[test]
    fn frames_made_during_a_pause_are_not_sent() {
        let mut media = media(&[(10, 100, 100, 4, Some(15))]);
        for at in [0, 10] {
            media.act(ms(at), 0);
        }
        assert_eq!(media.act(ms(20), 0), 0, "the first is 20 ms old");
        assert_eq!(media.act(ms(30), 0), 0, "the fourth of its group");
        assert_eq!(media.act(ms(40), 0), 100, "a key frame");
    }
}
