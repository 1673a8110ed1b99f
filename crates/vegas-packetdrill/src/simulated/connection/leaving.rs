//! Segments that leave: the simulator's, with sequence numbers, flags and options.

use vegas_core::units::Time;
use vegas_sim::driven::{Acknowledgement, EcnMode, Room, SentSegment, time_stamp};

use super::{Connection, State, sequence_of};
use crate::segment::{Codepoint, Flags, Segment, TcpOption};

impl Connection {
    /// Takes the segments that the simulator sends now; an acknowledgement that is owed leaves with them, or alone.
    pub(super) fn gather(&mut self, now: Time, owes_ack: bool) {
        let sent = self.end.take_sent();
        let batch = self.out.len();
        let mut has_data = false;
        for segment in sent {
            match segment.opens {
                true => self.push_opening(now),
                false => {
                    has_data = true;
                    self.push_data(now, segment, batch);
                }
            }
        }
        if owes_ack && !has_data {
            let (ack, segment) = self.with_ack(now);
            let flags = Flags::ACK.and(self.ecn_flags(ack.echoes, false));
            self.out.push(Segment { flags, ..segment });
        }
        self.chrono.note(now, &self.end.state());
    }

    fn push_opening(&mut self, now: Time) {
        self.own.opened.push(now);
        self.answer_syn(now);
    }

    /// Sends the segment that opens the connection, or the answer to the peer's.
    pub(super) fn answer_syn(&mut self, now: Time) {
        let answers = self.state == State::SynReceived;
        let (ace, option) = match answers {
            true => self.ecn.of_syn_ack(),
            false => (self.ecn.of_syn(self.openings_repeated() as u32), None),
        };
        let flags = Flags::SYN.and(Flags::ACK.when(answers)).and(Flags::of_ace(ace));
        let ecn = Some(Codepoint::NotEct);
        let ack = u32::from(answers);
        let mut options = self.opening_options(now);
        options.extend(option.map(TcpOption::Accurate));
        self.out.push(Segment { flags, ecn, ack, options: Some(options), ..Segment::empty() });
    }

    fn push_data(&mut self, now: Time, sent: SentSegment, batch: usize) {
        let (ack, segment) = self.with_ack(now);
        let ends = self.own.fin.is_some_and(|fin| fin < sent.to);
        let length = (sent.to - sent.from) as u32 - u32::from(ends);
        self.own.sent = self.own.sent.max(sent.to);
        let sequence = sequence_of(sent.from);
        // a FIN behind data that leave with it takes no segment of its own
        let last = self.out[batch..].last_mut();
        if let Some(last) = last.filter(|last| ends && length == 0 && last.length > 0 && last.end() == sequence) {
            last.flags = last.flags.and(Flags::FIN);
            return;
        }
        let is_classic = self.ecn.mode() == EcnMode::Classic;
        let flags = Flags::ACK
            .and(Flags::FIN.when(ends))
            .and(self.ecn_flags(ack.echoes, length > 0))
            .and(Flags::CWR.when(is_classic && sent.reduced));
        // with echoes only data are ECN-capable (RFC 3168, section 6.1.4), a FIN alone is not
        let ecn = if is_classic && sent.ecn_capable && length > 0 { Some(Codepoint::Ect0) } else { segment.ecn };
        self.out.push(Segment { flags, ecn, sequence, length, ..segment });
    }

    /// Returns the acknowledgement that is sent now, and a segment without data that has it.
    fn with_ack(&mut self, now: Time) -> (Acknowledgement, Segment) {
        self.peer.fin_ack_due = None;
        let ack = self.end.acknowledge();
        let repeated = ack.blocks.first().filter(|block| is_of_repeated(block, &ack)).map(|(from, _)| *from);
        let room = Room { time_stamps: self.agreed.time_stamps, blocks: ack.blocks.len() };
        let rtt = self.end.state().smoothed_rtt.unwrap_or_default();
        let (accurate, kept) = self.ecn.option(now, rtt, room, repeated);
        let mut options = Vec::new();
        options.extend(self.agreed.time_stamps.then(|| self.stamps(now)));
        options.extend(accurate.map(TcpOption::Accurate));
        if kept > 0 {
            let blocks = ack.blocks[..kept].iter().map(|(from, to)| (sequence_of(*from), sequence_of(*to)));
            options.push(TcpOption::Sack(blocks.collect()));
        }
        let segment = Segment {
            ecn: Some(if self.ecn.is_capable() { Codepoint::Ect0 } else { Codepoint::NotEct }),
            sequence: sequence_of(self.own.sent),
            ack: sequence_of(ack.next),
            options: Some(options),
            ..Segment::empty()
        };
        (ack, segment)
    }

    /// The flags of ECN on a segment that leaves now.
    fn ecn_flags(&mut self, echoes: bool, has_data: bool) -> Flags {
        match self.ecn.mode() {
            // what is left of the connection has no counts (Linux: `tcp_timewait_sock`)
            EcnMode::Accurate if self.state == State::TimeWait => Flags::NONE,
            EcnMode::Accurate => Flags::of_ace(self.ecn.of_segment(has_data)),
            _ => Flags::ECE.when(echoes),
        }
    }

    /// The time stamps of a segment that leaves now.
    pub(super) fn stamps(&self, now: Time) -> TcpOption {
        TcpOption::TimeStamps { value: time_stamp(now), echo: self.peer.stamp }
    }

    /// Answers a segment that belongs to no connection (RFC 9293, section 3.10.7.1).
    pub(super) fn answer_with_reset(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        let ends = segment.flags.has(Flags::SYN) || segment.flags.has(Flags::FIN);
        let reset = match segment.flags.has(Flags::ACK) {
            true => Segment { flags: Flags::RST, sequence: segment.ack, ..Segment::empty() },
            false => Segment {
                flags: Flags::RST.and(Flags::ACK),
                ack: segment.end().wrapping_add(u32::from(ends)),
                ..Segment::empty()
            },
        };
        self.out.push(reset);
    }

    /// Ends the connection with a reset.
    pub(super) fn reset(&mut self, now: Time) {
        let (_, segment) = self.with_ack(now);
        self.out.push(Segment { flags: Flags::RST.and(Flags::ACK), ..segment });
        self.state = State::Closed;
    }

    pub(super) fn end_with(&mut self, error: &'static str) {
        self.state = State::Closed;
        self.error = Some(error);
    }
}

/// Returns whether the first block of an acknowledgement reports data that have come again (RFC 2883, section 4).
fn is_of_repeated(&(from, to): &(u64, u64), ack: &Acknowledgement) -> bool {
    to <= ack.next || ack.blocks.get(1).is_some_and(|(first, end)| *first <= from && to <= *end)
}
