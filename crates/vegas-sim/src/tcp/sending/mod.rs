//! What the application has to send: [`SendQueue`] counts what it has written, [`application`] and [`media`] say when
//! it writes how much, and [`pushes`] where its writes end.

pub(crate) mod application;
pub(crate) mod media;
pub(in crate::tcp) mod pushes;

use std::sync::Arc;

use vegas_core::units::{Span, Time};

use super::layout::Layout;
use crate::measure::outcome::MediaFrame;
use application::Application;
use media::Media;
use pushes::Pushes;

pub(super) use application::ENDLESS;

/// The data that the application has written, in segments from the connection's first one on.
#[derive(Clone, Debug)]
pub(super) struct SendQueue {
    /// The number of segments written so far, sent or not.
    written: u64,
    /// The number of segments written in the end.
    total: u64,
    /// The acknowledgement of everything before this segment completes the transfer, or what the application waits for.
    awaited: u64,
    /// The application, if not all segments are there at the start.
    application: Option<Box<Application>>,
    /// The windows that the peer offers, if it tunes its own, and which segments then have PSH.
    pub(super) pushes: Option<Box<Pushes>>,
}

impl SendQueue {
    /// The state before the start of a transfer of `total` segments.
    pub(super) fn new(total: u64, application: Option<Application>, pushes: Option<Box<Pushes>>) -> Self {
        let written = if application.is_some() { 0 } else { total };
        SendQueue { written, total, awaited: total, application: application.map(Box::new), pushes }
    }

    /// The state of an endless stream that the owner of the sender extends, before its first write.
    pub(super) fn of_stream() -> Self {
        SendQueue { written: 0, total: ENDLESS, awaited: ENDLESS, application: None, pushes: None }
    }

    /// Records that the stream has `written` segments.
    pub(super) fn extend(&mut self, written: u64) {
        self.written = written;
    }

    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let pushes = self.pushes.as_ref().map_or(0, |pushes| size_of::<Pushes>() + pushes.memory_bytes());
        pushes
            + self.application.as_ref().map_or(0, |application| size_of::<Application>() + application.memory_bytes())
    }

    /// The number of segments written so far, sent or not.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Lets the application give the kernel what it can, after `sent` segments have left and all before `una` are
    /// acknowledged.
    pub(super) fn give(&mut self, sent: u64, una: u64) {
        if let Some(pushes) = &mut self.pushes {
            pushes.fill(self.written, sent, una);
        }
    }

    /// Returns whether a segment has the flag PSH.
    pub(super) fn pushes(&self, segment: u64) -> bool {
        self.pushes.as_ref().is_some_and(|pushes| pushes.is_pushed(segment))
    }

    /// When the application next acts by itself.
    pub(super) fn next_action(&self) -> Option<Time> {
        self.application.as_ref()?.next(self.written)
    }

    /// Lets the application write what is due, or withdraw what is not among the `sent` segments, while all before
    /// `una` are acknowledged. Returns whether there is more than before; `None` without an application.
    pub(super) fn act(&mut self, now: Time, (una, sent): (u64, u64), layout: &mut Arc<Layout>) -> Option<bool> {
        let application = self.application.as_mut()?;
        let before = self.written;
        let supply = application.act(now, before, sent, layout);
        self.written = supply.given.min(self.total);
        self.awaited = if supply.awaits { self.written } else { self.total };
        self.give(sent, una);
        Some(self.written > before)
    }

    /// Ends the data with the `sent` segments, which end before byte `left`.
    pub(super) fn end(&mut self, sent: u64, left: u64) {
        self.written = self.written.min(sent);
        self.total = self.written;
        self.awaited = self.total;
        match self.application.as_deref_mut() {
            // its frames are results
            Some(Application::Media(media)) => media.stop(left),
            _ => self.application = None,
        }
    }

    /// Returns whether the acknowledgement of everything before `una` completes the transfer, or what the application
    /// waits for.
    pub(super) fn is_awaited(&self, una: u64) -> bool {
        una >= self.awaited
    }

    /// Handles such an acknowledgement; returns whether the transfer is complete.
    pub(super) fn on_awaited(&mut self, una: u64, now: Time) -> bool {
        if una >= self.total {
            return true;
        }
        self.awaited = self.total;
        if let Some(application) = &mut self.application {
            application.on_delivered(now);
        }
        false
    }

    /// Returns how much of the time until the end of the transfer the application has waited by itself; `None` if it
    /// writes segments over time, so that the end does not measure the network.
    pub(super) fn waited(&self) -> Option<Span> {
        match self.application.as_deref() {
            None => Some(Span::ZERO),
            Some(Application::Replay(replay)) => Some(replay.waited()),
            Some(Application::Scripted(_) | Application::Phased(_) | Application::Media(_)) => None,
        }
    }

    /// The application, if it sends media.
    pub(super) fn media_mut(&mut self) -> Option<&mut Media> {
        match self.application.as_deref_mut() {
            Some(Application::Media(media)) => Some(media),
            _ => None,
        }
    }

    /// Returns the frames of media that the application of flow `id` has made by `now`; the bytes before `left` have
    /// left.
    pub(super) fn media_frames(&self, id: u32, now: Time, left: u64) -> Vec<MediaFrame> {
        match self.application.as_deref() {
            Some(Application::Media(media)) => media.frames(id, now, left),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Epoch;
    use application::Replay;
    use vegas_core::units::Bytes;

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// Two epochs of 2.5 and 1 segments, the second 30 ms after the acknowledgement of the first: the application waits
    /// for three segments, and the transfer is complete with the fourth.
    #[test]
    fn the_application_hears_of_what_it_waits_for_and_the_end_is_the_end() {
        let epoch = |bytes, wait| Epoch { size: Bytes::new(bytes), wait: Span::from_millis(wait) };
        let epochs: Arc<[Epoch]> = vec![epoch(2_500, 0), epoch(1_000, 30)].into();
        let replay = Replay::new(ms(0), Bytes::new(1_000), &epochs);
        let mut queue = SendQueue::new(4, Some(Application::Replay(replay)), None);
        let mut layout = Arc::new(Layout::of_payload(1_000));
        assert_eq!((queue.written(), queue.next_action()), (0, Some(ms(0))));
        assert_eq!(queue.act(ms(0), (0, 0), &mut layout), Some(true));
        assert_eq!((queue.written(), queue.next_action()), (3, None));
        assert!(!queue.is_awaited(2) && queue.is_awaited(3));
        assert!(!queue.on_awaited(3, ms(100)));
        assert!(!queue.is_awaited(3));
        assert_eq!(queue.next_action(), Some(ms(130)));
        assert_eq!(queue.act(ms(130), (3, 3), &mut layout), Some(true));
        assert!(queue.is_awaited(4) && queue.on_awaited(4, ms(200)));
        assert_eq!(queue.waited(), Some(Span::from_millis(30)));
    }

    /// At the end of a transfer of ten segments of which seven have left, the rest is withdrawn.
    #[test]
    fn what_has_not_left_at_the_end_is_not_awaited() {
        let mut queue = SendQueue::new(10, None, None);
        assert_eq!((queue.written(), queue.is_awaited(9)), (10, false));
        queue.end(7, 7_000);
        assert_eq!(queue.written(), 7);
        assert!(!queue.is_awaited(6) && queue.is_awaited(7) && queue.on_awaited(7, ms(1)));
    }
}
