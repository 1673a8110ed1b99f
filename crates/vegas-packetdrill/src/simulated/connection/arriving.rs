//! Segments that arrive (RFC 9293, section 3.10.7, with the answers to blind attacks of RFC 5961).

use vegas_core::units::{Span, Time};
use vegas_sim::driven::{Acknowledgement, ArrivingData, Delivery, EcnMode, RecoveryState};

use super::opening::stamp_of;
use super::{Connection, State, byte_of, ecn_segment};
use crate::segment::{Codepoint, Flags, Segment, TcpOption};

/// The least delay of an acknowledgement (Linux's `TCP_DELACK_MIN`).
const DELAY: Span = Span::from_millis(40);

impl Connection {
    /// Takes a segment that arrives.
    pub(in crate::simulated) fn receive(&mut self, now: Time, segment: &Segment) {
        let is_open = match self.state {
            State::SynSent => return self.arrives_in_syn_sent(now, segment),
            State::Closed => return self.answer_with_reset(segment),
            State::SynReceived => self.arrives_in_syn_received(now, segment),
            _ => true,
        };
        let owes_ack = is_open && self.take(now, segment);
        self.gather(now, owes_ack);
    }

    /// Takes a segment of an open connection; returns whether an acknowledgement is owed at once.
    fn take(&mut self, now: Time, segment: &Segment) -> bool {
        let expected = self.end.received();
        let from = byte_of(segment.sequence, expected);
        if segment.flags.has(Flags::RST) {
            if from == expected as i64 {
                self.end_with("ECONNRESET");
            }
            return from > expected as i64;
        }
        if self.is_old(segment) {
            return true;
        }
        if segment.flags.has(Flags::SYN) {
            self.ecn.on_syn_again(&ecn_segment(segment), true);
            return true;
        }
        if !segment.flags.has(Flags::ACK) {
            return false;
        }
        let ack = byte_of(segment.ack, self.end.acknowledged());
        let oldest = self.end.acknowledged() as i64 - self.peer.window_max as i64;
        if ack > self.own.sent as i64 || ack < oldest {
            return true;
        }
        let has_newer_stamp =
            self.agreed.time_stamps && stamp_of(segment).is_some_and(|stamp| stamp != self.peer.stamp);
        if let (Some(stamp), true) = (stamp_of(segment), from <= expected as i64) {
            self.peer.stamp = stamp;
        }
        self.ecn.on_segment(&ecn_segment(segment));
        self.take_ack(now, segment, ack.max(0) as u64, has_newer_stamp);
        self.note_fin_acknowledged();
        self.take_data(now, segment, from)
    }

    /// Returns whether a segment's clock is before the newest one (PAWS: RFC 7323, section 5.3).
    fn is_old(&self, segment: &Segment) -> bool {
        let is_before = |stamp: u32| (stamp.wrapping_sub(self.peer.stamp) as i32) < 0;
        self.agreed.time_stamps && stamp_of(segment).is_some_and(is_before)
    }

    pub(super) fn take_window(&mut self, window: u64) {
        self.peer.window = window;
        self.peer.window_max = self.peer.window_max.max(window);
    }

    /// Takes an acknowledgement of everything before byte `next`. One that changes the window only, or comes with data,
    /// is no duplicate (RFC 5681, section 2).
    fn take_ack(&mut self, now: Time, segment: &Segment, next: u64, has_newer_stamp: bool) {
        let window = u64::from(segment.window.unwrap_or(0)) << self.agreed.peer_shift;
        let (before, una) = (self.peer.window, self.end.acknowledged());
        if next >= una {
            self.take_window(window);
        }
        let near = |sequence: u32| byte_of(sequence, next).max(0) as u64;
        let blocks: Vec<(u64, u64)> = match segment.meaningful_options().find(|o| matches!(o, TcpOption::Sack(_))) {
            Some(TcpOption::Sack(blocks)) => blocks.iter().map(|(from, to)| (near(*from), near(*to))).collect(),
            _ => Vec::new(),
        };
        let is_duplicate = next == una && segment.length == 0 && window == before && self.own.sent > una;
        let mut ack = Acknowledgement { next, blocks, echoes: false, stamp: self.echo_of(segment) };
        ack.echoes = self.takes_marks(segment, &ack, has_newer_stamp);
        if next != una || !ack.blocks.is_empty() || is_duplicate || ack.echoes {
            self.end.on_ack(now, &ack, self.peer.window);
        } else if window != before {
            self.end.on_window(now, window);
        }
    }

    /// Takes in the marks that an acknowledgement reports; returns whether it reports any.
    fn takes_marks(&mut self, segment: &Segment, ack: &Acknowledgement, is_newer: bool) -> bool {
        let (packets, bytes) = self.end.delivered_by(ack);
        let is_missing = self.end.state().recovery != RecoveryState::Open;
        let delivery = Delivery {
            packets,
            bytes,
            payload: self.payload() as u32,
            is_newer,
            is_exact: self.agreed.sack || !is_missing,
        };
        if self.ecn.mode() == EcnMode::Accurate {
            let is_opening = std::mem::take(&mut self.peer.opens);
            return !is_opening && self.ecn.on_ack(&ecn_segment(segment), &delivery) > 0;
        }
        let echoes = segment.flags.has(Flags::ECE);
        self.ecn.count_echoed(if echoes { packets } else { 0 });
        echoes
    }

    fn note_fin_acknowledged(&mut self) {
        if self.own.fin.is_none_or(|fin| self.end.acknowledged() <= fin) {
            return;
        }
        self.state = match self.state {
            State::FinWait1 => State::FinWait2,
            State::Closing => State::TimeWait,
            State::LastAck => State::Closed,
            other => other,
        };
    }

    /// Takes the data and the FIN of a segment; returns whether an acknowledgement is owed at once.
    fn take_data(&mut self, now: Time, segment: &Segment, from: i64) -> bool {
        let ends = segment.flags.has(Flags::FIN);
        let to = from + i64::from(segment.length) + i64::from(ends);
        if segment.length == 0 && !ends || to <= 0 {
            return false;
        }
        let before = self.end.received();
        if self.is_closed && segment.length > 0 && to > before as i64 {
            self.answer_with_reset(segment);
            self.state = State::Closed;
            return false;
        }
        if ends {
            self.peer.fin = Some(to as u64 - 1);
        }
        if segment.length > 0 {
            self.peer.arrived = Some(now);
        }
        let marked = segment.ecn == Some(Codepoint::Ce);
        let reduced = segment.flags.has(Flags::CWR);
        let data = ArrivingData { from: from.max(0) as u64, to: to as u64, marked, reduced };
        if from < before as i64 {
            self.ecn.on_repeated(data.from);
        }
        let at_once = self.end.on_data(now, data) || self.ecn.wants_ack();
        if self.peer.fin.is_none_or(|fin| self.end.received() <= fin) || before == self.end.received() {
            return at_once;
        }
        self.note_end(now, before > 0 && segment.length == 0) || at_once && segment.length > 0
    }

    /// Takes in that the peer has no more data; returns whether that is acknowledged at once. A FIN that follows data
    /// is acknowledged late, because Linux then expects the application to answer (`tcp_fin`).
    fn note_end(&mut self, now: Time, follows_data: bool) -> bool {
        let (state, at_once) = match self.state {
            State::FinWait1 => (State::Closing, true),
            State::FinWait2 => (State::TimeWait, true),
            State::Established => (State::CloseWait, !follows_data),
            other => (other, true),
        };
        self.state = state;
        if !at_once {
            self.peer.fin_ack_due = Some(now + DELAY);
        }
        at_once
    }
}
