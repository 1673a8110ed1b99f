//! The packets of a run for its capture files, where the scenario asks for them. Headers are those sent and received.

use vegas_core::aqt::Head;
use vegas_core::units::Time;
use vegas_sim::outcome::{CapturePoint, Frame};
use vegas_sim::{Carried, Delivery, Direction, WireSize};

/// The captured packets; `None` if the run captures nothing.
pub(crate) struct Capture(Option<Vec<Frame>>);

impl Capture {
    /// Reserves room for this many packets, so that memory does not grow while packets wait; `None` captures nothing.
    pub(crate) fn with_room_for(packets: Option<usize>) -> Self {
        Capture(packets.map(Vec::with_capacity))
    }

    /// Records a packet that its host has sent.
    pub(crate) fn sent(&mut self, at: Time, packet: &Carried, bytes: &[u8]) {
        let point = match packet.direction {
            Direction::Forward => CapturePoint::SenderOut,
            Direction::Backward => CapturePoint::ReceiverOut,
        };
        self.keep(at, packet.flow, point, packet.wire, bytes);
    }

    /// Records a packet delivered to its host, at the time at which its delivery was due.
    pub(crate) fn delivered(&mut self, delivery: &Delivery, bytes: &[u8]) {
        let point = match delivery.direction {
            Direction::Forward => CapturePoint::ReceiverIn,
            Direction::Backward => CapturePoint::SenderIn,
        };
        self.keep(delivery.at, delivery.flow, point, delivery.wire, bytes);
    }

    /// Returns the packets up to and including `end`.
    pub(crate) fn finish(self, end: Time) -> Vec<Frame> {
        let mut frames = self.0.unwrap_or_default();
        frames.retain(|frame| frame.at <= end);
        frames
    }

    fn keep(&mut self, at: Time, flow: u32, point: CapturePoint, wire: WireSize, bytes: &[u8]) {
        let Some(frames) = &mut self.0 else { return };
        let headers = Head::of(bytes).segment().map_or(bytes.len(), |segment| segment.headers.min(bytes.len()));
        frames.push(Frame::new(at, flow, point, wire, &bytes[..headers]));
    }
}
