//! The choice of what leaves a sender: how much may leave, which segment is next, and how it is sent.

pub(crate) mod application;
pub(crate) mod media;

use vegas_core::units::{Segments, SendIndex, Time, Window};
use vegas_core::{CongestionControl, Output, Recovery, Sent};

use crate::measure::outcome::IncidentKind;
use crate::packet::{Packet, PacketKind};
use crate::tcp::Outbox;
use crate::tcp::sender::Sender;

/// A number of segments above that of any window.
pub(in crate::tcp) const UNLIMITED: Segments = Segments(u32::MAX);

impl Sender {
    /// The window in whole segments, inflated during fast recovery and bounded by the receive window.
    fn usable_window(&self) -> u64 {
        match self.linux.as_ref().and_then(|linux| linux.prr) {
            Some(prr) if !self.owns_recovery() => prr.window().min(u64::from(self.rules.receive_window.0)),
            _ => self.usable_of(self.control.output().window),
        }
    }

    /// Returns whether the control also sets the window in recovery.
    fn owns_recovery(&self) -> bool {
        self.detail.as_ref().is_some_and(|detail| detail.needs.own_recovery)
    }

    /// The number of segments that may be in flight by the algorithm's window.
    fn usable_of(&self, window: Window) -> u64 {
        // the receive window bounds the window to 32 bits
        let inflated = (window.as_raw() >> Window::FRACTION_BITS) as i64 + self.repair.inflation();
        (inflated.max(1) as u64).min(u64::from(self.rules.receive_window.0))
    }

    pub(in crate::tcp) fn is_window_limited(&self) -> bool {
        u64::from(self.in_flight().0) >= self.usable_window()
    }

    /// The most segments that one acknowledgement may release: mechanism H, or the host's limit during recovery.
    #[inline]
    pub(in crate::tcp) fn burst(&self) -> Segments {
        match self.repair.in_recovery() {
            true => self.rules.burst.min(self.rules.host.recovery_burst.unwrap_or(UNLIMITED)),
            false => self.rules.burst,
        }
    }

    /// Sends what the window allows, at most `burst` segments, and no faster than the algorithm's pace.
    #[inline(never)]
    pub(in crate::tcp) fn send(&mut self, now: Time, burst: Segments, out: &mut Outbox) {
        self.send_here::<false>(now, burst, out);
        self.note_application_limit();
    }

    /// Records that the application limits the sender: if it has no more data and the window has room, rate samples of
    /// what leaves now do not measure the path.
    pub(in crate::tcp) fn note_application_limit(&mut self) {
        if self.detail.is_none() || self.next < self.given.limit || self.is_window_limited() {
            return;
        }
        let in_flight = self.in_flight();
        if let Some(detail) = &mut self.detail {
            detail.on_app_limited(in_flight);
        }
    }

    /// Does what `send` does, inlined; `PLAIN` if the sender is known to be plain.
    #[inline(always)]
    pub(in crate::tcp) fn send_here<const PLAIN: bool>(&mut self, now: Time, burst: Segments, out: &mut Outbox) {
        let Output { window, pace, .. } = self.control.output();
        if let Some(pace) = pace {
            self.send_paced(now, pace, burst, out);
            return;
        }
        let window = if PLAIN { self.usable_of(window) } else { self.usable_window() };
        if self.rules.detection.recovery != Recovery::Sack {
            // sending does not move the window's end
            let end = self.end_of_new(window).min(self.next + burst.as_u64());
            if self.next < end {
                self.send_until::<PLAIN>(now, end, out);
            }
            return;
        }
        for _ in 0..burst.0 {
            let Some(segment) = self.next_segment_by_pipe(window) else { break };
            self.transmit_here::<PLAIN>(now, segment, out);
        }
    }

    /// Sends the segments from the next one up to `end`, which is later; most of them are sent for the first time.
    #[inline(always)]
    fn send_until<const PLAIN: bool>(&mut self, now: Time, end: u64, out: &mut Outbox) {
        // after a timeout some of these segments were sent before
        while self.next < end.min(self.board.max()) {
            self.transmit(now, self.next, out);
        }
        for segment in self.next..end {
            self.transmit_new::<PLAIN>(now, segment, out);
        }
        self.next = end;
    }

    /// The next segment that may be sent: with SACK the lost segments first, then new ones while the pipe has room;
    /// else the next one within the window.
    pub(in crate::tcp) fn next_segment(&mut self) -> Option<u64> {
        let window = self.usable_window();
        match self.rules.detection.recovery {
            Recovery::Sack => self.next_segment_by_pipe(window),
            Recovery::Reno | Recovery::NewReno => self.next_new_segment(window),
        }
    }

    /// RFC 6675, section 4, NextSeg: a lost segment, a new one, a hole that may be lost, or the newest segment that has
    /// not arrived.
    #[inline(always)]
    fn next_segment_by_pipe(&mut self, window: u64) -> Option<u64> {
        if self.board.pipe() >= window {
            return None;
        }
        let new = self.next_new_segment(u64::from(self.rules.receive_window.0));
        if let Some(linux) = &self.linux {
            return if linux.sends_only_new() { new } else { self.board.next_retransmission().or(new) };
        }
        let lost = self.board.next_retransmission();
        if lost.is_some() || new.is_some() {
            return lost.or(new);
        }
        self.board.next_hole().filter(|_| self.repair.in_recovery()).or_else(|| self.rescue())
    }

    fn rescue(&mut self) -> Option<u64> {
        let newest = self.board.rescuable()?;
        self.repair.takes_rescue(self.board.una()).then_some(newest)
    }

    /// Returns whether the application and the receive window allow a segment that was never sent.
    pub(in crate::tcp) fn has_new_segment(&self) -> bool {
        self.next_new_segment(u64::from(self.rules.receive_window.0)).is_some()
    }

    fn next_new_segment(&self, window: u64) -> Option<u64> {
        (self.next < self.end_of_new(window)).then_some(self.next)
    }

    /// One past the newest segment that this window and the application allow to leave.
    fn end_of_new(&self, window: u64) -> u64 {
        (self.board.una() + window).min(self.given.limit)
    }

    /// RFC 3042: sends a new segment on each of the first duplicate acknowledgements, beyond the window by their
    /// number.
    pub(in crate::tcp) fn send_limited(&mut self, now: Time, dupacks: u32, out: &mut Outbox) {
        let window = self.usable_window() + u64::from(dupacks);
        let within = window.min(u64::from(self.rules.receive_window.0));
        if let Some(segment) = self.next_new_segment(within) {
            self.transmit(now, segment, out);
        }
    }

    /// Sends a segment, for the first time or again.
    #[inline(never)]
    pub(in crate::tcp) fn transmit(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        self.transmit_here::<false>(now, segment, out);
    }

    /// Does what `transmit` does, inlined.
    #[inline(always)]
    fn transmit_here<const PLAIN: bool>(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        if segment == self.board.max() {
            self.transmit_new::<PLAIN>(now, segment, out);
        } else {
            self.transmit_again(now, segment, out);
        }
        if segment == self.next {
            self.next += 1;
        }
    }

    /// Sends the next segment that was never sent before.
    #[inline(always)]
    fn transmit_new<const PLAIN: bool>(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        if !PLAIN {
            self.note_in_detail(now, segment, false);
        }
        self.board.on_first_transmission(now);
        self.timers.rto.on_first_transmission(segment, now);
        self.note_transmission::<PLAIN>(now, segment, true, out);
    }

    #[inline(never)]
    fn transmit_again(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        self.note_in_detail(now, segment, true);
        self.board.on_retransmission(segment, now);
        self.stats.retransmitted += 1;
        out.incidents.push((IncidentKind::Retransmit, self.rules.layout.first_byte(segment)));
        self.note_transmission::<false>(now, segment, false, out);
    }

    /// Reports a segment that is about to leave to a control that asks for it.
    fn note_in_detail(&mut self, now: Time, segment: u64, retransmission: bool) {
        if self.detail.is_none() {
            return;
        }
        let others = self.in_flight();
        let Some(detail) = &mut self.detail else { return };
        detail.on_send(segment, now, others);
        if detail.needs.sent {
            let in_flight = Segments(others.0 + 1);
            self.control.on_sent(&Sent { now, index: SendIndex(segment), in_flight, retransmission });
        }
    }

    #[inline(always)]
    fn note_transmission<const PLAIN: bool>(&mut self, now: Time, segment: u64, first: bool, out: &mut Outbox) {
        debug_assert!(segment < self.given.limit, "beyond what the application gave");
        debug_assert!(
            segment < self.board.una() + u64::from(self.rules.receive_window.0),
            "beyond the receiver's window"
        );
        self.stats.segments_sent += 1;
        self.timers.pacer.on_send(now);
        let (first_byte, wire) = self.rules.layout.first_byte_and_wire(segment);
        let mut packet = Packet::new(PacketKind::Data, self.flow, first_byte, wire);
        if !PLAIN {
            if let Some(linux) = &mut self.linux {
                linux.on_send(segment, now, !first);
            }
            packet = packet.with_ecn(self.ecn.of_data(first));
        }
        out.packets.push(packet);
        if self.timers.retransmission == Time::NEVER {
            self.timers.retransmission = now + self.timers.rto.timeout();
        }
    }

    pub(in crate::tcp) fn send_syn(&mut self, now: Time, out: &mut Outbox) {
        let packet = Packet::new(PacketKind::Syn, self.flow, 0, self.rules.layout.ack_wire);
        out.packets.push(packet.with_ecn(self.ecn.of_syn()));
        self.timers.retransmission = now + self.timers.rto.timeout();
        if let Some(linux) = &mut self.linux {
            linux.syn_sent = (self.stats.timeouts == 0).then_some(now);
        }
    }
}
