//! A control that records its events, and a host that reports every one: no event gets lost in what wraps a control.

use std::vec::Vec;

use vegas_core::units::{Bytes, Segments, SendIndex, Span, Time, Window};
use vegas_core::{Ack, CongestionControl, Loss, LossKind, LostSegment, Output, Phase, Restart, Sent, Status};

/// The events so far, by the names of their calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard(pub Vec<&'static str>);

/// What [`tell_all`] calls, in this order.
pub const ALL: [&str; 13] = [
    "on_segment_size",
    "on_handshake",
    "on_sent",
    "on_returned",
    "on_segment_lost",
    "on_ack",
    "on_loss",
    "on_recovered",
    "on_restart",
    "on_lone_retransmission",
    "on_unused",
    "on_path_change",
    "hold_to",
];

const NOW: Time = Time::from_nanos(100_000_000);
const WINDOW: Window = Window::whole(Segments(10));

/// Tells a control each event once.
pub fn tell_all(control: &mut dyn CongestionControl) {
    let (now, index, in_flight) = (NOW, SendIndex(1), Segments(5));
    control.on_segment_size(Bytes::new(1_448));
    control.on_handshake(now, Span::from_millis(100));
    control.on_sent(&Sent { now, index, in_flight, retransmission: false });
    control.on_returned(Segments(1));
    control.on_segment_lost(&LostSegment { in_flight, lost: Segments(1), app_limited: false });
    control.on_ack(&Ack { now, acked: Segments(1), delivered: Segments(1), in_flight, ..Ack::default() });
    control.on_loss(&loss());
    control.on_recovered(now);
    control.on_restart(&Restart { now, next: index, idle: Span::from_millis(1) });
    control.on_lone_retransmission(index, now);
    control.on_unused(WINDOW);
    control.on_path_change(index, now);
    control.hold_to(WINDOW);
}

fn loss() -> Loss {
    Loss {
        now: NOW,
        kind: LossKind::DuplicateAcks,
        sent: NOW,
        retransmission: false,
        in_flight: Segments(5),
        next: SendIndex(2),
        lost: Segments(1),
        threshold_holds: false,
    }
}

/// What a control shows beside window and status.
pub fn shown(control: &dyn CongestionControl) -> (Option<&'static str>, Vec<&'static str>) {
    let mut names = Vec::new();
    control.report(&mut |name, _| names.push(name));
    (control.state_name(), names)
}

impl CongestionControl for Heard {
    fn on_segment_size(&mut self, _: Bytes) {
        self.0.push("on_segment_size");
    }

    fn on_handshake(&mut self, _: Time, _: Span) {
        self.0.push("on_handshake");
    }

    fn on_sent(&mut self, _: &Sent) {
        self.0.push("on_sent");
    }

    fn on_returned(&mut self, _: Segments) {
        self.0.push("on_returned");
    }

    fn on_segment_lost(&mut self, _: &LostSegment) {
        self.0.push("on_segment_lost");
    }

    fn on_ack(&mut self, _: &Ack) {
        self.0.push("on_ack");
    }

    fn on_loss(&mut self, _: &Loss) {
        self.0.push("on_loss");
    }

    fn on_recovered(&mut self, _: Time) {
        self.0.push("on_recovered");
    }

    fn on_spurious(&mut self, before: &Self) {
        self.0.push(if before.0.is_empty() { "on_spurious" } else { "on_spurious, after others" });
    }

    fn on_restart(&mut self, _: &Restart) {
        self.0.push("on_restart");
    }

    fn on_lone_retransmission(&mut self, _: SendIndex, _: Time) {
        self.0.push("on_lone_retransmission");
    }

    fn on_unused(&mut self, _: Window) {
        self.0.push("on_unused");
    }

    fn on_path_change(&mut self, _: SendIndex, _: Time) {
        self.0.push("on_path_change");
    }

    fn hold_to(&mut self, _: Window) {
        self.0.push("hold_to");
    }

    fn output(&self) -> Output {
        Output { window: WINDOW, pace: None, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        Status { window: WINDOW, ssthresh: None, base_rtt: None, diff: None, phase: Phase::SlowStart }
    }

    fn state_name(&self) -> Option<&'static str> {
        Some("LISTENS")
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("events", self.0.len() as i64);
    }
}
