//! The handshake: what both ends offer, what they agree on, and the simulator's end that follows from it.

use vegas_core::units::Time;
use vegas_sim::driven::{EcnEnd, EcnMode};
use vegas_sim::scenario::HostKind;

use super::chrono::Chrono;
use super::{Agreed, Connection, Own, Peer, State, ecn_segment};
use crate::segment::{Codepoint, Flags, Segment, TcpOption};
use crate::simulated::end;
use crate::simulated::settings::Settings;
use crate::simulated::sockets::SocketOptions;

/// The segment size of a peer that names none (RFC 9293, section 3.7.1).
const SEGMENT_DEFAULT: u64 = 536;
/// The bytes of a header that time stamps take.
const STAMP_BYTES: u64 = 12;

impl Connection {
    /// Begins a connection with a peer: sends a SYN.
    pub(in crate::simulated) fn connect(now: Time, settings: &Settings, options: &SocketOptions) -> Self {
        let segment = advertised(settings, options);
        let agreed = Agreed {
            sack: settings.sack,
            time_stamps: settings.time_stamps,
            window_scaling: settings.window_scaling,
            payload: segment,
            peer_shift: 0,
        };
        let ecn = EcnEnd::connect(settings.ecn);
        Connection::new(now, settings, options, (State::SynSent, ecn), agreed, Peer::default())
    }

    /// Begins a connection that the peer's SYN asks for: answers it.
    pub(in crate::simulated) fn accept(now: Time, settings: &Settings, options: &SocketOptions, syn: &Segment) -> Self {
        let offered = Agreed {
            sack: settings.sack,
            time_stamps: settings.time_stamps,
            window_scaling: settings.window_scaling,
            payload: segment_limit(settings, options),
            peer_shift: 0,
        };
        let agreed = agreed(offered, syn);
        let window = u64::from(syn.window.unwrap_or(0));
        let peer = Peer { window, window_max: window, stamp: stamp_of(syn).unwrap_or(0), ..Peer::default() };
        let ecn = EcnEnd::accept(settings.ecn, syn.flags.ace(), Codepoint::field(syn.ecn));
        Connection::new(now, settings, options, (State::SynReceived, ecn), agreed, peer)
    }

    fn new(
        now: Time,
        settings: &Settings,
        options: &SocketOptions,
        (state, ecn): (State, EcnEnd),
        agreed: Agreed,
        peer: Peer,
    ) -> Self {
        let settings = options.settings(settings);
        let own = Own {
            segment: advertised(&settings, options),
            shift: settings.window_shift(options.receive_buffer),
            opened: Vec::new(),
            written: 0,
            fin: None,
            joins: true,
            sent: 0,
        };
        let end = end::new(&settings, agreed.payload, agreed.sack, ecn.mode() != EcnMode::Off);
        let chrono = Chrono::default();
        let (is_closed, error, out) = (false, None, Vec::new());
        let mut connection = Connection { end, settings, state, agreed, ecn, own, peer, chrono, is_closed, error, out };
        connection.set_linear_syns();
        connection.end.open(now);
        connection.gather(now, false);
        connection
    }

    /// Takes the peer's answer to the SYN.
    pub(super) fn arrives_in_syn_sent(&mut self, now: Time, segment: &Segment) {
        let is_acceptable = !segment.flags.has(Flags::ACK) || segment.ack == 1;
        if !is_acceptable {
            return self.answer_with_reset(segment);
        }
        if segment.flags.has(Flags::RST) {
            if segment.flags.has(Flags::ACK) {
                self.end_with("ECONNREFUSED");
            }
            return;
        }
        if !segment.flags.has(Flags::SYN.and(Flags::ACK)) {
            return;
        }
        let offered = Agreed { payload: self.own.segment, ..self.agreed };
        self.agreed = agreed(offered, segment);
        self.ecn.on_syn_ack(&ecn_segment(segment));
        self.peer.stamp = stamp_of(segment).unwrap_or(0);
        self.take_window(u64::from(segment.window.unwrap_or(0)));
        self.renew_end();
        self.establish(now, segment);
        self.gather(now, true);
    }

    /// Lets the first retransmissions of a SYN, but not of its answer, follow each other in equal times, as on Linux.
    fn set_linear_syns(&mut self) {
        if self.state == State::SynSent && self.settings.kind == HostKind::Linux {
            self.end.set_linear_syns(u32::try_from(self.settings.opening.linear_syns).unwrap_or(u32::MAX));
        }
    }

    /// Replaces the end by one with the segment size and the options that were agreed on, and the same past.
    fn renew_end(&mut self) {
        self.end = end::new(&self.settings, self.payload(), self.agreed.sack, self.uses_ecn());
        self.set_linear_syns();
        let mut opened = self.own.opened.iter();
        opened.next().into_iter().for_each(|first| self.end.open(*first));
        opened.for_each(|again| self.end.on_timer(*again));
        self.end.take_sent();
    }

    /// Takes the peer's answer to the answer of its SYN; returns whether the connection is open.
    pub(super) fn arrives_in_syn_received(&mut self, now: Time, segment: &Segment) -> bool {
        if segment.flags.has(Flags::RST) {
            match segment.sequence == 1 {
                true => self.end_with("ECONNRESET"),
                false => self.gather(now, true),
            }
            return false;
        }
        if segment.flags.has(Flags::SYN) {
            self.ecn.on_syn_again(&ecn_segment(segment), false);
            self.answer_syn(now);
            return false;
        }
        if !segment.flags.has(Flags::ACK) {
            return false;
        }
        if segment.ack != 1 {
            self.answer_with_reset(segment);
            return false;
        }
        self.take_window(u64::from(segment.window.unwrap_or(0)) << self.agreed.peer_shift);
        self.ecn.on_final_ack(&ecn_segment(segment));
        self.end.set_payload(self.payload());
        self.peer.opens = true;
        self.establish(now, segment);
        true
    }

    /// Opens the connection, because the peer has answered with this segment.
    fn establish(&mut self, now: Time, segment: &Segment) {
        self.state = State::Established;
        self.peer.arrived = Some(now);
        self.end.on_window(now, self.peer.window);
        self.end.on_open(now, self.echo_of(segment));
    }

    /// Ends a connection after its SYN was sent as often as it may be.
    pub(super) fn give_up_opening(&mut self) {
        let retries = match self.state {
            State::SynSent => self.settings.opening.syn_retries,
            State::SynReceived => self.settings.opening.answer_retries,
            _ => return,
        };
        if self.own.opened.len() as u64 > retries + 1 {
            self.out.pop();
            self.end_with("ETIMEDOUT");
        }
    }

    /// The time stamp that a segment echoes.
    pub(super) fn echo_of(&self, segment: &Segment) -> Option<u32> {
        let echo = segment.meaningful_options().find_map(|option| match option {
            TcpOption::TimeStamps { echo, .. } => Some(*echo),
            _ => None,
        });
        echo.filter(|_| self.agreed.time_stamps)
    }

    /// Returns the options of the segment that opens the connection.
    pub(super) fn opening_options(&self, now: Time) -> Vec<TcpOption> {
        let mut options = vec![TcpOption::Mss(u16::try_from(self.own.segment).unwrap_or(u16::MAX))];
        options.extend(self.agreed.sack.then_some(TcpOption::SackPermitted));
        options.extend(self.agreed.time_stamps.then(|| self.stamps(now)));
        options.extend(self.agreed.window_scaling.then_some(TcpOption::WindowScale(self.own.shift)));
        options
    }
}

/// The largest segment that the host sends.
fn segment_limit(settings: &Settings, options: &SocketOptions) -> u64 {
    settings.segment_of_mtu().min(options.segment.unwrap_or(u64::MAX))
}

/// The largest segment that the host announces.
fn advertised(settings: &Settings, options: &SocketOptions) -> u64 {
    segment_limit(settings, options).min(settings.advertised_segment.unwrap_or(u64::MAX))
}

/// Returns what both ends agree on, of which the one offers `offered` and the other the options of `segment`.
fn agreed(offered: Agreed, segment: &Segment) -> Agreed {
    const SHIFT_MAX: u8 = 14;
    let has = |wanted: fn(&TcpOption) -> bool| segment.meaningful_options().any(wanted);
    let segment_size = segment.meaningful_options().find_map(|option| match option {
        TcpOption::Mss(bytes) => Some(u64::from(*bytes)),
        _ => None,
    });
    let shift = segment.meaningful_options().find_map(|option| match option {
        TcpOption::WindowScale(shift) => Some((*shift).min(SHIFT_MAX)),
        _ => None,
    });
    let time_stamps = offered.time_stamps && has(|option| matches!(option, TcpOption::TimeStamps { .. }));
    let payload = offered.payload.min(segment_size.unwrap_or(SEGMENT_DEFAULT).max(1));
    Agreed {
        sack: offered.sack && has(|option| *option == TcpOption::SackPermitted),
        time_stamps,
        window_scaling: offered.window_scaling && shift.is_some(),
        peer_shift: shift.filter(|_| offered.window_scaling).unwrap_or(0),
        payload: if time_stamps { payload.saturating_sub(STAMP_BYTES).max(1) } else { payload },
    }
}

/// The clock of a segment's time stamps.
pub(super) fn stamp_of(segment: &Segment) -> Option<u32> {
    segment.meaningful_options().find_map(|option| match option {
        TcpOption::TimeStamps { value, .. } => Some(*value),
        _ => None,
    })
}
