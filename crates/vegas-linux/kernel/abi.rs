//! What passes between the kernel's C glue and the core: plain numbers of known size, as `vegas_abi.h` has them too.
//!
//! The file is compiled twice: into the BPF object, and into this crate, where tests hold the two against each other.

use vegas_core::aqt::{Aqt, HEADER_WITH_OPTION_BYTES, Head, Stamps};
use vegas_core::units::{Segments, SendIndex, Span, Time};
use vegas_core::{
    Ack, Algorithm, Avoidance, Composition, Cut, Detection, Limits, Loss, LossKind, LossResponse, Parameters, Phase,
    Recovery, RouterFeedback, Signal, SlowStart, SlowStartEnds, State,
};

/// No slow-start threshold.
pub const NONE_U32: u32 = u32::MAX;

/// An algorithm in numbers. Parts are positions in the core's `NAMES`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    pub signal: u32,
    pub slow_start: u32,
    pub avoidance: u32,
    pub cut: u32,
    pub once_per_window: u32,
    pub ends_at_next_ack: u32,
    pub keep_up: u32,
    pub alpha: u32,
    pub beta: u32,
    pub gamma: u32,
    pub initial_window: u32,
    pub restart_window: u32,
    /// [`NONE_U32`]: unbounded.
    pub ssthresh: u32,
    pub max_window: u32,
    /// 1 if the signal needs routers' times: the flow's packets then carry the option.
    pub asks_routers: u32,
}

/// One event, as the core is told it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub now_ns: u64,
    /// 0: no sample.
    pub rtt_ns: u64,
    /// Newest send index acknowledged.
    pub newest: u64,
    /// Next send index.
    pub next: u64,
    /// When what was lost had been sent.
    pub sent_ns: u64,
    pub forward_ns: u64,
    pub backward_ns: u64,
    pub acked: u32,
    pub in_flight: u32,
    pub ce_marked: u32,
    /// One of the `EVENT_` constants.
    pub kind: u32,
    /// `FLAG_` bits.
    pub flags: u32,
    pub reserved: u32,
}

pub const EVENT_START: u32 = 0;
pub const EVENT_ACK: u32 = 1;
pub const EVENT_DUPLICATE_ACKS: u32 = 2;
pub const EVENT_TIMEOUT: u32 = 3;
pub const EVENT_ECN: u32 = 4;
/// The kernel took a cut back: the glue has put the state from before it in place.
pub const EVENT_UNDO: u32 = 5;

pub const FLAG_WINDOW_LIMITED: u32 = 1;
pub const FLAG_RETRANSMISSION: u32 = 2;
pub const FLAG_FEEDBACK: u32 = 4;

/// What the core answers.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// In 2^-28 segment.
    pub window_raw: u64,
    /// 0: none yet.
    pub base_rtt_ns: u64,
    /// Least time from one segment to the next; 0: whatever the window allows, at once.
    pub spacing_ns: u64,
    /// [`NONE_U32`]: unbounded.
    pub ssthresh: u32,
    /// `i32::MIN`: none yet.
    pub diff: i32,
    /// 1 in slow start.
    pub slow_start: u32,
    pub reserved: u32,
}

impl Config {
    pub fn algorithm(&self) -> Option<Algorithm> {
        let composition = Composition {
            signal: at(&SIGNALS, self.signal)?,
            slow_start: at(&SLOW_STARTS, self.slow_start)?,
            avoidance: at(&AVOIDANCES, self.avoidance)?,
            loss: LossResponse {
                cut: at(&CUTS, self.cut)?,
                once_per_window: self.once_per_window != 0,
                slow_start_ends: match self.ends_at_next_ack {
                    0 => SlowStartEnds::AtCut,
                    _ => SlowStartEnds::AtNextAck,
                },
            },
            detection: KERNELS_OWN,
            limits: Limits { burst: None, keep_up: self.keep_up != 0, suppress_spikes: false },
        };
        Algorithm::new(composition, self.parameters()).ok()
    }

    fn parameters(&self) -> Parameters {
        Parameters {
            alpha: Segments(self.alpha),
            beta: Segments(self.beta),
            gamma: Segments(self.gamma),
            initial_window: Segments(self.initial_window),
            restart_window: Segments(self.restart_window),
            ssthresh: (self.ssthresh != NONE_U32).then_some(Segments(self.ssthresh)),
            max_window: Segments(self.max_window),
        }
    }
}

/// How Linux finds and repairs losses: its own RACK, TLP and PRR, which no composition chooses.
pub const KERNELS_OWN: Detection = Detection {
    recovery: Recovery::Sack,
    fine_retransmit: false,
    recheck_after_retransmit: false,
    retransmit_backs_off: false,
};

const SIGNALS: [Signal; Signal::NAMES.len()] = parts(Signal::NAMES);
const SLOW_STARTS: [SlowStart; SlowStart::NAMES.len()] = parts(SlowStart::NAMES);
const AVOIDANCES: [Avoidance; Avoidance::NAMES.len()] = parts(Avoidance::NAMES);
const CUTS: [Cut; Cut::NAMES.len()] = parts(Cut::NAMES);

/// The parts without their names: BPF objects cannot hold tables of pointers.
const fn parts<T: Copy, const N: usize>(names: &[(&str, T)]) -> [T; N] {
    let mut parts = [names[0].1; N];
    let mut position = 0;
    while position < N {
        parts[position] = names[position].1;
        position += 1;
    }
    parts
}

fn at<T: Copy>(parts: &[T], position: u32) -> Option<T> {
    parts.get(position as usize).copied()
}

impl Event {
    /// Changes the state by this event; [`EVENT_START`] gives a new one.
    pub fn apply(&self, algorithm: &Algorithm, state: &mut State) {
        match self.kind {
            EVENT_START => *state = algorithm.start(),
            EVENT_ACK => algorithm.on_ack(state, &self.ack()),
            EVENT_TIMEOUT => algorithm.on_loss(state, &self.loss(LossKind::Timeout)),
            EVENT_ECN => algorithm.on_loss(state, &self.loss(LossKind::Ecn)),
            EVENT_UNDO => {}
            _ => algorithm.on_loss(state, &self.loss(LossKind::DuplicateAcks)),
        }
    }

    fn ack(&self) -> Ack {
        Ack {
            now: Time::from_nanos(self.now_ns),
            rtt: (self.rtt_ns != 0).then_some(Span::from_nanos(self.rtt_ns)),
            acked: Segments(self.acked),
            in_flight: Segments(self.in_flight),
            newest: SendIndex(self.newest),
            next: SendIndex(self.next),
            window_limited: self.flags & FLAG_WINDOW_LIMITED != 0,
            ce_marked: self.ce_marked,
            feedback: (self.flags & FLAG_FEEDBACK != 0).then_some(RouterFeedback {
                forward: Span::from_nanos(self.forward_ns),
                backward: Span::from_nanos(self.backward_ns),
            }),
            // what only standalone algorithms ask for, which the kernel does not carry
            in_recovery: false,
            delivered: Segments(self.acked),
            lost: Segments(0),
            one_way_delay: None,
            rate: None,
        }
    }

    fn loss(&self, kind: LossKind) -> Loss {
        Loss {
            now: Time::from_nanos(self.now_ns),
            kind,
            sent: Time::from_nanos(self.sent_ns),
            retransmission: self.flags & FLAG_RETRANSMISSION != 0,
            in_flight: Segments(self.in_flight),
            next: SendIndex(self.next),
            lost: Segments(1),
        }
    }
}

impl Decision {
    pub fn of(state: &State) -> Self {
        Decision {
            window_raw: state.window().as_raw(),
            base_rtt_ns: state.base_rtt().map_or(0, Span::as_nanos),
            spacing_ns: state.pacing_rate().map_or(0, |pace| pace.spacing().as_nanos()),
            ssthresh: state.ssthresh().map_or(NONE_U32, |segments| segments.0),
            diff: state.diff().unwrap_or(i32::MIN),
            slow_start: u32::from(state.phase() == Phase::SlowStart),
            reserved: 0,
        }
    }
}

/// What the tc programs have to know of a packet.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Source and destination, in network order.
    pub addresses: [u32; 2],
    pub ports: [u32; 2],
    pub acknowledgement: u32,
    /// Of IPv4 and TCP.
    pub header_bytes: u32,
    pub aqt_us: u32,
    pub echo_us: u32,
    /// `READ_` bits: which of the others are there.
    pub flags: u32,
}

pub const READ_SEGMENT: u32 = 1;
pub const READ_PAYLOAD: u32 = 2;
pub const READ_ACKNOWLEDGEMENT: u32 = 4;
pub const READ_STAMPS: u32 = 8;
pub const READ_MALFORMED: u32 = 16;

impl Reading {
    pub fn of(head: &Head) -> Self {
        let mut reading = Reading::default();
        if let Some(segment) = head.segment() {
            reading.addresses = segment.addresses.map(u32::from_ne_bytes);
            reading.ports = segment.ports.map(u32::from);
            reading.acknowledgement = segment.acknowledgement.unwrap_or_default();
            reading.header_bytes = segment.headers as u32;
            let acknowledges = if segment.acknowledgement.is_some() { READ_ACKNOWLEDGEMENT } else { 0 };
            reading.flags = READ_SEGMENT | acknowledges | if segment.payload > 0 { READ_PAYLOAD } else { 0 };
        }
        match head.stamps() {
            Ok(None) => {}
            Ok(Some(stamps)) => {
                (reading.aqt_us, reading.echo_us) = (stamps.aqt.micros(), stamps.echo.micros());
                reading.flags |= READ_STAMPS;
            }
            Err(_) => reading.flags |= READ_MALFORMED,
        }
        reading
    }
}

/// The header as a host sends it, with the option after it; none where it stays as it is.
pub fn with_echo(head: &Head, echo_us: u32) -> Option<[u8; HEADER_WITH_OPTION_BYTES]> {
    head.with_option(Stamps { aqt: Aqt::ZERO, echo: Aqt::from_micros(echo_us) })
}
