//! A connection of a simulated host: the simulator's sender and receiver, in a frame that has what the simulator leaves
//! out. The frame opens and closes the connection, numbers bytes as on a wire, and writes flags and options; when data
//! and acknowledgements leave, and which, is the simulator's choice.
//!
//! A FIN is one byte more for the simulator, so that it is sent, lost and retransmitted as data are.

mod application;
mod arriving;
mod chrono;
mod leaving;
mod opening;

use vegas_core::units::{Span, Time};
use vegas_sim::driven::{DrivenEnd, EcnEnd, EcnMode, EcnSegment, SenderState};

use super::settings::Settings;
use crate::segment::{Codepoint, Segment, TcpOption};
use chrono::Chrono;

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    end: DrivenEnd,
    settings: Settings,
    state: State,
    agreed: Agreed,
    pub(super) ecn: EcnEnd,
    own: Own,
    peer: Peer,
    chrono: Chrono,
    /// Whether the application has closed the connection.
    is_closed: bool,
    /// The error that the next call returns.
    error: Option<&'static str>,
    out: Vec<Segment>,
}

/// The states of a connection (RFC 9293, section 3.3.2), with Linux's numbers; 10 is for sockets that listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Established = 1,
    SynSent,
    SynReceived,
    FinWait1,
    FinWait2,
    TimeWait,
    Closed,
    CloseWait,
    LastAck,
    Closing = 11,
}

/// What both ends have agreed on.
#[derive(Clone, Copy, Debug, Default)]
struct Agreed {
    sack: bool,
    time_stamps: bool,
    window_scaling: bool,
    /// The shift of the peer's window.
    peer_shift: u8,
    /// The payload of a full segment, bytes.
    payload: u64,
}

/// What this end sends. Bytes count from 0; a FIN is a byte.
#[derive(Debug)]
struct Own {
    /// The largest segment that the host announces.
    segment: u64,
    /// The shift that the host announces.
    shift: u8,
    /// When the segment that opens the connection was sent.
    opened: Vec<Time>,
    /// The bytes written so far, and the one that stands for the FIN.
    written: u64,
    fin: Option<u64>,
    /// Whether the next write fills up a short segment that waits.
    joins: bool,
    /// One past the newest byte sent.
    sent: u64,
}

/// What the peer sends.
#[derive(Debug, Default)]
struct Peer {
    window: u64,
    /// Whether the segment that arrives is the one that opens the connection.
    opens: bool,
    /// The largest window that the peer has offered.
    window_max: u64,
    /// The byte that stands for its FIN.
    fin: Option<u64>,
    /// The newest time stamp to echo.
    stamp: u32,
    /// The bytes that the application has read.
    read: u64,
    /// When the acknowledgement of a FIN is due that waits.
    fin_ack_due: Option<Time>,
    /// When the newest data arrived.
    arrived: Option<Time>,
}

impl Connection {
    pub(super) fn state(&self) -> State {
        self.state
    }

    pub(super) fn sender(&self) -> SenderState {
        self.end.state()
    }

    /// How often the segment that opens the connection was retransmitted.
    pub(super) fn openings_repeated(&self) -> i64 {
        self.own.opened.len() as i64 - 1
    }

    /// The payload of a full segment, bytes: without the room for the option of Accurate ECN where all have it.
    pub(super) fn payload(&self) -> u64 {
        const OPTION_BYTES: u64 = 12;
        let option = if self.ecn.takes_room() { OPTION_BYTES } else { 0 };
        self.agreed.payload.saturating_sub(option).max(1)
    }

    /// The largest segment that the host announces.
    pub(super) fn advertised_segment(&self) -> u64 {
        self.own.segment
    }

    /// The bits of `tcpi_options`: time stamps, SACK, window scaling, ECN.
    pub(super) fn option_bits(&self) -> i64 {
        let bits = [self.agreed.time_stamps, self.agreed.sack, self.agreed.window_scaling, self.uses_ecn()];
        bits.into_iter().enumerate().map(|(at, is_set)| i64::from(is_set) << at).sum()
    }

    /// Returns whether data may be ECN-capable by what the ends have agreed on.
    fn uses_ecn(&self) -> bool {
        matches!(self.ecn.mode(), EcnMode::Classic | EcnMode::Accurate)
    }

    /// The ECN state.
    pub(super) fn ecn(&self) -> &EcnEnd {
        &self.ecn
    }

    /// The shift of the peer's window.
    pub(super) fn peer_shift(&self) -> u8 {
        self.agreed.peer_shift
    }

    /// The bytes of data that have arrived in order.
    pub(super) fn received(&self) -> u64 {
        self.end.received().min(self.peer.fin.unwrap_or(u64::MAX))
    }

    /// For how long the connection has had something to send, and for how much of that the peer's window held it back.
    pub(super) fn busy(&self, now: Time) -> (Span, Span) {
        self.chrono.until(now)
    }

    /// When the newest data arrived.
    pub(super) fn arrived(&self) -> Option<Time> {
        self.peer.arrived
    }

    /// When the next timer runs out.
    pub(super) fn timer(&self) -> Option<Time> {
        if self.state == State::Closed {
            return None;
        }
        [self.end.timer(), self.end.ack_due(), self.peer.fin_ack_due].into_iter().flatten().min()
    }

    /// Handles the timers that have run out.
    pub(super) fn on_timer(&mut self, now: Time) {
        let is_due = |due: Option<Time>| due.is_some_and(|due| due <= now);
        let owes_ack = is_due(self.end.ack_due()) || is_due(self.peer.fin_ack_due);
        if is_due(self.end.ack_due()) {
            self.end.on_ack_timer(now);
        }
        if is_due(self.end.timer()) {
            self.end.on_timer(now);
        }
        self.gather(now, owes_ack);
        self.give_up_opening();
    }

    /// Takes the next segment that the connection sends.
    pub(super) fn transmit(&mut self) -> Option<Segment> {
        (!self.out.is_empty()).then(|| self.out.remove(0))
    }
}

/// Returns what Accurate ECN sees of a segment.
fn ecn_segment(segment: &Segment) -> EcnSegment<'_> {
    let option = segment.meaningful_options().find_map(|option| match option {
        TcpOption::Accurate(option) => Some(option),
        _ => None,
    });
    let field = Codepoint::field(segment.ecn);
    EcnSegment { field, ace: segment.flags.ace(), payload: segment.length, option }
}

/// Returns the byte of a sequence number: the one of that number that is nearest to `near`. The number before the first
/// byte, that of a SYN, is -1.
fn byte_of(sequence: u32, near: u64) -> i64 {
    let number = near.wrapping_add(1);
    let ahead = sequence.wrapping_sub(number as u32) as i32;
    near as i64 + i64::from(ahead)
}

/// Returns the sequence number of a byte.
fn sequence_of(byte: u64) -> u32 {
    byte.wrapping_add(1) as u32
}
