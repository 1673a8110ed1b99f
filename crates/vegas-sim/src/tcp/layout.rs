//! The division of a flow's payload into segments; only this module converts between segments and bytes.

use vegas_core::aqt::OPTION_BYTES;
use vegas_core::units::Bytes;

use crate::packet::{Packet, SackBlocks, WireSize};
use crate::scenario::FlowSpec;

/// Sizes of a flow's packets and segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The payload of a full segment, bytes.
    payload: u64,
    /// The number of full segments at the beginning of the transfer.
    full_segments: u64,
    /// The bytes of a data packet beside its payload: the header, and RoVegas's option if packets carry it.
    overhead: u64,
    /// The size of a full segment's packet on the wire.
    full_wire: WireSize,
    /// Whether data packets and acknowledgements carry RoVegas's option.
    asks_routers: bool,
    /// The number of data packets to one that carries RoVegas's option.
    aqt_every: u64,
    /// The size of an acknowledgement on the wire.
    ack_wire: WireSize,
    /// The size of a packet of the handshake, and of an acknowledgement of data without RoVegas's option.
    pub(crate) plain_wire: WireSize,
    /// The payload of the whole transfer, bytes, if it has a size.
    size: Option<u64>,
    /// The end of each write of an application that begins a segment with each.
    writes: Option<Vec<WriteEnd>>,
}

/// Where a write ends: the segments and the payload bytes until then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct WriteEnd {
    segments: u64,
    bytes: u64,
}

impl WriteEnd {
    /// Returns the last of these ends, ascending, that is `before` a place; the start if none is.
    fn last(ends: &[WriteEnd], before: impl Fn(&WriteEnd) -> bool) -> WriteEnd {
        let index = ends.partition_point(before);
        index.checked_sub(1).map_or(WriteEnd::default(), |index| ends[index])
    }
}

impl Layout {
    pub(crate) fn new(spec: &FlowSpec) -> Self {
        let payload = spec.packet.get() - spec.header.get();
        let full = spec.largest_packet();
        Layout {
            payload,
            full_segments: match spec.sends_media() {
                true => 0,
                false => spec.size.map_or(u64::MAX, |size| size.get() / payload),
            },
            overhead: full.get() - payload,
            full_wire: WireSize::of(full),
            asks_routers: spec.composition.signal.needs_routers(),
            aqt_every: spec.host.aqt_every.into(),
            ack_wire: WireSize::of(spec.ack_with_option()),
            plain_wire: WireSize::of(spec.smallest_ack()),
            size: spec.size.map(Bytes::get),
            writes: None,
        }
    }

    /// A layout of full segments with `payload` bytes each, and 40 bytes of headers.
    #[cfg(test)]
    pub(super) fn of_payload(payload: u64) -> Self {
        Layout {
            payload,
            full_segments: 0,
            overhead: 40,
            full_wire: WireSize::of(Bytes::new(payload + 40)),
            asks_routers: false,
            aqt_every: 1,
            ack_wire: WireSize::of(Bytes::new(40)),
            plain_wire: WireSize::of(Bytes::new(40)),
            size: None,
            writes: None,
        }
    }

    /// Sets the payload of a full segment, bytes, before the first write of a stream.
    pub(crate) fn set_payload(&mut self, payload: u64) {
        debug_assert!(self.writes.is_none(), "segments keep their sizes");
        self.payload = payload;
        self.full_wire = WireSize::of(Bytes::new(payload + self.overhead));
    }

    /// Sets the sizes of writes, above 0: each is divided into full segments, of which the last may be short.
    pub(crate) fn set_writes(&mut self, sizes: impl Iterator<Item = u64>) {
        let mut end = WriteEnd::default();
        let ends = sizes.map(|size| {
            end = WriteEnd { segments: end.segments + size.div_ceil(self.payload), bytes: end.bytes + size };
            end
        });
        let ends: Vec<WriteEnd> = ends.collect();
        self.size = Some(end.bytes);
        self.full_segments = 0;
        self.writes = Some(ends);
    }

    /// Divides `waiting` bytes, which follow the first `sent` segments in the place of what did, into full segments, of
    /// which the last may be short. Returns the number of all segments.
    pub(crate) fn rewrite_after(&mut self, sent: u64, waiting: u64) -> u64 {
        let before = WriteEnd { segments: sent, bytes: self.first_byte(sent) };
        let all = WriteEnd { segments: sent + waiting.div_ceil(self.payload), bytes: before.bytes + waiting };
        let writes = self.writes.get_or_insert_default();
        writes.truncate(writes.partition_point(|end| end.segments < sent));
        writes.extend([before, all]);
        writes.dedup();
        all.segments
    }

    /// Adds a write of `bytes` behind the others, of which the first `sent` segments have left. It fills up the last
    /// segment if that waits and the write `joins` it; returns the number of all segments.
    pub(crate) fn append(&mut self, sent: u64, bytes: u64, joins: bool) -> u64 {
        let of_sent = WriteEnd { segments: sent, bytes: self.first_byte(sent) };
        let writes = self.writes.get_or_insert_default();
        let end = writes.last().copied().unwrap_or_default();
        if joins && writes.pop().is_some() {
            let before = writes.last().copied().unwrap_or_default();
            // what has left stays as it is
            if of_sent.segments > before.segments {
                writes.push(of_sent);
            }
        }
        let begin = writes.last().copied().unwrap_or_default();
        let all_bytes = end.bytes + bytes;
        let segments = begin.segments + (all_bytes - begin.bytes).div_ceil(self.payload);
        writes.push(WriteEnd { segments, bytes: all_bytes });
        writes.dedup();
        let short = writes.iter().position(|end| end.segments * self.payload != end.bytes);
        let full_before = short.map_or(segments, |at| {
            let begin = at.checked_sub(1).map_or(WriteEnd::default(), |before| writes[before]);
            begin.segments + (writes[at].bytes - begin.bytes) / self.payload
        });
        self.full_segments = full_before;
        segments
    }

    /// Returns whether packets carry the option that routers stamp.
    pub(crate) fn asks_routers(&self) -> bool {
        self.asks_routers
    }

    /// Returns whether some of the packets do not carry the option that others have.
    pub(crate) fn is_sparse(&self) -> bool {
        self.asks_routers && self.aqt_every > 1
    }

    /// Returns whether the option is left out of a data packet, before which `sent` have left.
    #[inline]
    pub(crate) fn leaves_out_option(&self, sent: u64) -> bool {
        self.is_sparse() && !sent.is_multiple_of(self.aqt_every)
    }

    /// Returns the size of an acknowledgement of data on the wire.
    #[inline]
    pub(crate) fn ack_wire(&self, lacks_option: bool) -> WireSize {
        if lacks_option { self.plain_wire } else { self.ack_wire }
    }

    /// The payload of a full segment.
    pub(crate) fn full_payload(&self) -> Bytes {
        Bytes::new(self.payload)
    }

    /// The number of the transfer's segments; `None` without a size.
    pub(crate) fn segments(&self) -> Option<u64> {
        let size = self.size?;
        match self.writes.as_deref() {
            Some(writes) => Some(writes.last().map_or(0, |last| last.segments)),
            None => Some(size.div_ceil(self.payload)),
        }
    }

    /// The first payload byte of a segment.
    pub(crate) fn first_byte(&self, segment: u64) -> u64 {
        let byte = if let Some(writes) = &self.writes {
            let before = WriteEnd::last(writes, |end| end.segments <= segment);
            before.bytes + (segment - before.segments) * self.payload
        } else {
            segment * self.payload
        };
        self.size.map_or(byte, |size| byte.min(size))
    }

    /// Returns the first payload byte of a segment and the size of its packet on the wire.
    #[inline]
    pub(crate) fn first_byte_and_wire(&self, segment: u64) -> (u64, WireSize) {
        match segment < self.full_segments {
            true => (segment * self.payload, self.full_wire),
            false => (self.first_byte(segment), self.wire(segment)),
        }
    }

    /// The payload of a segment, bytes; only the last segment of a transfer, or of a write, is short.
    pub(crate) fn payload(&self, segment: u64) -> u64 {
        self.first_byte(segment + 1) - self.first_byte(segment)
    }

    /// The size of a segment's packet on the wire.
    pub(crate) fn wire(&self, segment: u64) -> WireSize {
        WireSize::new((self.payload(segment) + self.overhead) as u16)
    }

    /// The payload of a data packet, bytes.
    #[inline]
    pub(crate) fn payload_of(&self, packet: &Packet) -> u64 {
        let missing = if packet.lacks_option() { OPTION_BYTES as u64 } else { 0 };
        u64::from(packet.wire()) + missing - self.overhead
    }

    /// Returns whether all segments before this one are full, and it begins at `byte`.
    #[inline]
    pub(crate) fn is_full_up_to(&self, segment: u64, byte: u64) -> bool {
        segment <= self.full_segments && segment * self.payload == byte
    }

    /// The segment that begins at this byte; one past the last for the end of the transfer, and the next one for a byte
    /// within a segment.
    #[inline]
    pub(crate) fn segment_at(&self, byte: u64) -> u64 {
        if let Some(writes) = &self.writes {
            let before = WriteEnd::last(writes, |end| end.bytes <= byte);
            let segment = before.segments + (byte - before.bytes).div_ceil(self.payload);
            return self.segments().map_or(segment, |segments| segment.min(segments));
        }
        byte.div_ceil(self.payload)
    }

    /// Returns the SACK blocks of an acknowledgement in segments, if it has any.
    pub(super) fn blocks(&self, sack: &SackBlocks) -> Option<[(u64, u64); 3]> {
        let in_segments = |(from, to)| (self.segment_at(from), self.segment_at(to));
        (sack.count > 0).then(|| sack.blocks.map(in_segments))
    }

    /// The number of segments that end at this byte or before.
    pub(crate) fn segments_until(&self, byte: u64) -> u64 {
        let after = self.segment_at(byte);
        if self.first_byte(after) > byte { after - 1 } else { after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2500 bytes wait, of which two segments leave; 600 more fill up the third segment and begin a fourth; then comes
    /// a write that begins a segment, and one that joins it.
    #[test]
    fn writes_join_what_has_not_left() {
        let mut layout = Layout::of_payload(1_000);
        assert_eq!((layout.append(0, 2_500, true), layout.full_segments), (3, 2));
        assert_eq!((layout.append(2, 600, true), layout.full_segments), (4, 3));
        assert_eq!([2, 3, 4].map(|segment| layout.first_byte(segment)), [2_000, 3_000, 3_100]);
        assert_eq!(layout.append(2, 300, false), 5);
        assert_eq!(layout.append(2, 800, true), 6);
        assert_eq!([3, 4, 5, 6].map(|segment| layout.first_byte(segment)), [3_000, 3_100, 4_100, 4_200]);
        assert!(layout.is_full_up_to(3, 3_000) && !layout.is_full_up_to(4, 3_100));
        // all has left: the short segment before stays as it is
        assert_eq!(layout.append(6, 1_000, true), 7);
        assert_eq!((layout.payload(5), layout.payload(6), layout.full_segments), (100, 1_000, 3));
    }

    /// Segments of 1000 bytes: 2500 bytes wait, of which one segment leaves; then 80 more wait in front of the rest.
    #[test]
    fn what_has_not_left_is_divided_anew() {
        let mut layout = Layout::of_payload(1_000);
        assert_eq!(layout.rewrite_after(0, 2_500), 3);
        assert_eq!([0, 1, 2, 3].map(|segment| layout.first_byte(segment)), [0, 1_000, 2_000, 2_500]);
        assert_eq!(layout.rewrite_after(1, 1_580), 3);
        assert_eq!([1, 2, 3].map(|segment| layout.first_byte(segment)), [1_000, 2_000, 2_580]);
        assert_eq!([0, 1, 1_000, 2_579, 2_580].map(|byte| layout.segment_at(byte)), [0, 1, 1, 3, 3]);
        // all have left, and 30 bytes come
        assert_eq!(layout.rewrite_after(3, 30), 4);
        assert_eq!((layout.payload(2), layout.payload(3)), (580, 30));
        // nothing waits
        assert_eq!(layout.rewrite_after(4, 0), 4);
        assert_eq!((layout.first_byte(4), layout.segments()), (2_610, None));
    }
}
