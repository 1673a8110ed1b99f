//! Segments that leave: the simulator's, with sequence numbers, flags and options.

use vegas_core::units::Time;
use vegas_sim::driven::{Acknowledgement, SentSegment, time_stamp};

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
            self.out.push(Segment { flags: Flags::ACK.and(Flags::ECE.when(ack.echoes)), ..segment });
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
        let flags = match (answers, self.agreed.ecn) {
            (false, true) => Flags::SYN.and(Flags::ECE).and(Flags::CWR),
            (false, false) => Flags::SYN,
            (true, ecn) => Flags::SYN.and(Flags::ACK).and(Flags::ECE.when(ecn)),
        };
        let ecn = Some(Codepoint::NotEct);
        let ack = u32::from(answers);
        let options = Some(self.opening_options(now));
        self.out.push(Segment { flags, ecn, ack, options, ..Segment::empty() });
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
        let flags =
            Flags::ACK.and(Flags::FIN.when(ends)).and(Flags::ECE.when(ack.echoes)).and(Flags::CWR.when(sent.reduced));
        let ecn = Some(if sent.ecn_capable { Codepoint::Ect0 } else { Codepoint::NotEct });
        self.out.push(Segment { flags, ecn, sequence, length, ..segment });
    }

    /// Returns the acknowledgement that is sent now, and a segment without data that has it.
    fn with_ack(&mut self, now: Time) -> (Acknowledgement, Segment) {
        self.peer.fin_ack_due = None;
        let ack = self.end.acknowledge();
        let mut options = Vec::new();
        options.extend(self.agreed.time_stamps.then(|| self.stamps(now)));
        if !ack.blocks.is_empty() {
            let blocks = ack.blocks.iter().map(|(from, to)| (sequence_of(*from), sequence_of(*to)));
            options.push(TcpOption::Sack(blocks.collect()));
        }
        let segment = Segment {
            ecn: Some(Codepoint::NotEct),
            sequence: sequence_of(self.own.sent),
            ack: sequence_of(ack.next),
            options: Some(options),
            ..Segment::empty()
        };
        (ack, segment)
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
