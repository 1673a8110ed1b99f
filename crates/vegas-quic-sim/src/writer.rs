//! The sending application: what it has written to which stream, and when it is done.
//!
//! Bulk data lie in quinn's buffer well ahead of what leaves. An application of phases may withdraw what has not left,
//! so that its data are handed to quinn a segment at a time, as there is room in the window, and one more: a connection
//! without data would be limited by its application. What such an application waits for has a stream of its own, as
//! responses of HTTP/3 do: quinn says of a finished stream that all of it is acknowledged.

use quinn_proto::{Connection, Dir, StreamId};
use vegas_core::units::{Bytes, Time};
use vegas_sim::external::{Media, MediaFrame, Phased};
use vegas_sim::scenario::FlowSpec;

use crate::end::End;
use crate::pattern;

/// Headers of UDP and IPv4 (28), and of a packet's header with number and tag and of a stream frame at their longest:
/// 1 + 8 + 4
/// + 16, and 1 + 4 + 8 + 2 (RFC 9000, sections 17.3.1 and 19.8).
const SEGMENT_OVERHEAD: u64 = 28 + 29 + 15;

/// What a client writes.
#[derive(Debug)]
pub(crate) struct Writer {
    application: Option<Phased>,
    /// An application that sends media in its place.
    media: Option<Media>,
    /// What the application of phases has given so far, segments, and what that of media has, bytes.
    given: u64,
    made: u64,
    /// Payload of a segment that has a packet of its own.
    segment: u64,
    /// Payload of the flow, if it has a size.
    size: Option<u64>,
    /// No more is written than this.
    limit: Option<u64>,
    written: u64,
    stream: Option<OpenStream>,
    /// Streams that were opened and are not all acknowledged.
    unfinished: u32,
    ended: bool,
    /// The end of what is given ends the stream.
    awaits: bool,
    /// The stream that the application waits for.
    awaited: Option<StreamId>,
    ahead: Ahead,
}

/// What an application of phases has handed quinn ahead of its leaving.
#[derive(Debug, Default)]
struct Ahead {
    /// Segments that have not left, as far as is known.
    segments: u64,
    /// Nothing has left since the last one was handed over.
    is_held: bool,
    /// Packets that carried again what was lost; quinn sends them first.
    repairs: u64,
}

#[derive(Clone, Copy, Debug)]
struct OpenStream {
    id: StreamId,
    /// Bytes written before it.
    begins: u64,
}

impl Writer {
    pub(crate) fn new(spec: &FlowSpec) -> Self {
        let segment = Bytes::new(spec.packet.get() - SEGMENT_OVERHEAD);
        let size = spec.size.map(Bytes::get);
        Writer {
            application: Phased::of(&spec.application, segment, spec.start),
            media: Media::of(spec),
            given: 0,
            made: 0,
            segment: segment.get(),
            size,
            limit: size,
            written: 0,
            stream: None,
            unfinished: 0,
            ended: false,
            awaits: false,
            awaited: None,
            ahead: Ahead::default(),
        }
    }

    /// Bytes written so far.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Whether all of the flow's size was written.
    pub(crate) fn is_whole(&self) -> bool {
        self.size == Some(self.written)
    }

    /// All was written and is acknowledged.
    pub(crate) fn is_over(&self) -> bool {
        self.ended && self.unfinished == 0
    }

    /// Whether there is more to hand over, or to write, than what quinn has.
    pub(crate) fn has_more(&self) -> bool {
        !self.ended && (self.is_bulk() || self.written < self.given_bytes())
    }

    /// Whether nothing but the network can make it go on.
    pub(crate) fn waits_for_network(&self) -> bool {
        self.is_bulk() || self.awaited.is_some() || self.written < self.given_bytes()
    }

    /// When the application acts next by itself.
    pub(crate) fn next(&self) -> Option<Time> {
        let next = match &self.media {
            Some(media) => media.next(),
            None => self.application.as_ref()?.next(),
        };
        next.filter(|_| !self.ended)
    }

    /// What the application holds beside itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let media = self.media.as_ref().map_or(0, Media::memory_bytes);
        self.application.as_ref().map_or(media, Phased::memory_bytes)
    }

    /// The frames of media that flow `id` has made by `now`.
    pub(crate) fn media(&self, id: u32, now: Time) -> Vec<MediaFrame> {
        self.media.as_ref().map_or_else(Vec::new, |media| media.frames(id, now, self.written))
    }

    /// The receiver has these bytes of the payload in order.
    pub(crate) fn note_delivery(&mut self, now: Time, bytes: u64) {
        if let Some(media) = &mut self.media {
            media.note_delivery(now, bytes);
        }
    }

    /// Whether all data are there at the start.
    fn is_bulk(&self) -> bool {
        self.application.is_none() && self.media.is_none()
    }

    /// The application gives no more than what is written.
    pub(crate) fn stop(&mut self) {
        self.limit = Some(self.written);
        if let Some(media) = &mut self.media {
            media.stop(self.written);
        }
    }

    /// A packet has left with `bytes` of UDP's payload.
    pub(crate) fn on_sent(&mut self, bytes: usize, client: &End) {
        self.ahead.is_held = false;
        if self.is_bulk() || (bytes as u64) < self.segment {
            return; // an acknowledgement
        }
        match self.ahead.repairs < client.path_stats().lost_packets {
            true => self.ahead.repairs += 1,
            false => self.ahead.segments = self.ahead.segments.saturating_sub(1),
        }
    }

    /// All of a stream is acknowledged.
    pub(crate) fn on_finished(&mut self, now: Time, stream: StreamId) {
        self.unfinished -= 1;
        if self.awaited.take_if(|awaited| *awaited == stream).is_some()
            && let Some(application) = &mut self.application
        {
            application.on_delivered(now);
        }
    }

    /// The application does what is due; bulk data are written as far as quinn takes them.
    pub(crate) fn work(&mut self, now: Time, client: &mut Connection) {
        match self.is_bulk() {
            true => while self.write_piece(client, u64::MAX) {},
            false if self.next().is_some_and(|due| due <= now) => self.act(now),
            false => {}
        }
        self.end(client);
    }

    fn act(&mut self, now: Time) {
        if let Some(media) = &mut self.media {
            self.made = self.written + media.act(now, self.written);
        }
        let Some(application) = &mut self.application else { return };
        let supply = application.act(now, self.given, self.written.div_ceil(self.segment));
        self.given = supply.given;
        self.awaits = supply.awaits;
        self.awaited = None;
    }

    /// quinn has nothing that may leave: hands it the next segment that an application of phases has given; whether it
    /// did. `has_room`: the window lets another packet leave.
    pub(crate) fn feed(&mut self, client: &mut Connection, has_room: bool) -> bool {
        if self.is_bulk() || self.ahead.is_held {
            return false;
        }
        if has_room {
            self.ahead.segments = 0;
            self.ahead.repairs = client.stats().path.lost_packets;
        }
        let before = self.written;
        let end = self.given_bytes().min(before + self.segment);
        while self.ahead.segments == 0 && self.write_piece(client, end - self.written) {}
        let fed = self.written > before;
        self.ahead.segments += u64::from(fed);
        self.ahead.is_held = fed;
        if self.awaits && self.written == self.given_bytes() {
            self.awaits = false;
            self.awaited = self.finish(client);
        }
        self.end(client);
        fed
    }

    fn given_bytes(&self) -> u64 {
        if self.media.is_some() { self.made } else { self.given.saturating_mul(self.segment) }
    }

    /// Writes what is at hand, `most` bytes at most; whether quinn has taken any.
    fn write_piece(&mut self, client: &mut Connection, most: u64) -> bool {
        let most = most.min(self.limit.map_or(u64::MAX, |limit| limit - self.written));
        if most == 0 {
            return false;
        }
        let Some(stream) = self.open(client) else { return false };
        let piece = pattern::from(self.written - stream.begins, most);
        match client.send_stream(stream.id).write_chunks(&mut [piece]) {
            Ok(taken) => {
                self.written += taken.bytes as u64;
                true
            }
            Err(_) => false, // the buffer is full
        }
    }

    /// The stream that is written to; none before the handshake has come to its end.
    fn open(&mut self, client: &mut Connection) -> Option<OpenStream> {
        if self.stream.is_none()
            && let Some(id) = client.streams().open(Dir::Uni)
        {
            self.stream = Some(OpenStream { id, begins: self.written });
            self.unfinished += 1;
        }
        self.stream
    }

    /// Nothing more is written to the stream.
    fn finish(&mut self, client: &mut Connection) -> Option<StreamId> {
        let stream = self.stream.take()?;
        client.send_stream(stream.id).finish().expect("the stream is open");
        Some(stream.id)
    }

    /// All that will ever be written is: the stream ends, an empty one of bulk data, too.
    fn end(&mut self, client: &mut Connection) {
        if self.ended || self.limit != Some(self.written) {
            return;
        }
        self.ended = match self.is_bulk() {
            false => self.finish(client).is_some() || self.stream.is_none(),
            true => self.open(client).is_some() && self.finish(client).is_some(),
        };
    }
}
