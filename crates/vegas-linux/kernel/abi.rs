//! The data that the kernel's C glue and the core exchange: integers of fixed size, with the layout of `vegas_abi.h`.
//!
//! This file is compiled twice: into the BPF object, and into this crate, where tests compare the two.

use vegas_core::aqt::{Aqt, HEADER_WITH_OPTION_BYTES, Head, Stamps};
use vegas_core::units::{Bytes, Segments, SendIndex, Span, Time, Window};
use vegas_core::{
    Ack, Algorithm, Avoidance, BaseRtt, Composition, CongestionControl, Cut, Detection, Limits, Loss, LossKind,
    LossResponse, LostSegment, Parameters, Phase, RateSample, Recovery, Restart, Rivals, RouterFeedback,
    STATE_BYTES_MAX, Sent, Signal, SlowStart, SlowStartEnds, Standalone,
};

/// The algorithm from outside in [`Config::standalone`], if the build has one.
pub const OWN: u32 = Standalone::ALL.len() as u32 + 1;

/// No slow-start threshold.
pub const NONE_U32: u32 = u32::MAX;

/// An algorithm as integers. Parts are positions in the core's `NAMES`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// 0 for a composition of parts, else one more than the position in `Standalone::ALL`, or [`OWN`]: then the parts
    /// count for nothing.
    pub standalone: u32,
    pub signal: u32,
    pub slow_start: u32,
    pub avoidance: u32,
    pub cut: u32,
    pub once_per_window: u32,
    pub ends_at_next_ack: u32,
    pub keep_up: u32,
    pub numbers: Numbers,
    /// Bits of `enum vegas_needs`.
    pub needs: u32,
}

/// The numbers of an algorithm.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub alpha: u32,
    pub beta: u32,
    pub gamma: u32,
    pub initial_window: u32,
    pub restart_window: u32,
    /// The initial slow-start threshold, segments; [`NONE_U32`]: unbounded.
    pub ssthresh: u32,
    pub max_window: u32,
}

/// The bytes reserved for a state of any type.
pub const STATE_BYTES: usize = STATE_BYTES_MAX;

/// One event of the core.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub now_ns: u64,
    /// The RTT sample, ns; 0: no sample. Of a start, the handshake's.
    pub rtt_ns: u64,
    /// The newest send index acknowledged.
    pub newest: u64,
    /// The next send index.
    pub next: u64,
    /// Of a loss, when the lost segment was sent; of a restart, the time of the newest event before it; of an
    /// acknowledgement, when the newest segment was sent, ns.
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
    /// Of a start, the seed of the algorithm's random numbers.
    pub seed: u32,
    pub news: News,
}

/// Fields of an acknowledgement or a loss that only standalone algorithms use.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// The interval of the rate sample, ns; 0: no sample.
    pub interval_ns: u64,
    /// Segments newly delivered, and segments newly found lost.
    pub delivered: u32,
    pub lost: u32,
    /// The other numbers of the core's `RateSample`.
    pub rate_delivered: u32,
    pub rate_lost: u32,
    pub rate_in_flight: u32,
    pub prior_delivered: u32,
    pub total: u32,
    /// Segments sent since the acknowledgement before, and what was in flight with the last of them.
    pub sent: u32,
    pub sent_in_flight: u32,
    /// Of the oldest segment newly found lost: what was in flight when it was sent (0: none is reported), and what was
    /// found lost since, all that are reported together included.
    pub loss_in_flight: u32,
    pub loss_lost: u32,
    /// Of a start, the payload of a full segment; 0: not known.
    pub segment_bytes: u32,
}

pub const EVENT_START: u32 = 0;
pub const EVENT_ACK: u32 = 1;
pub const EVENT_DUPLICATE_ACKS: u32 = 2;
pub const EVENT_TIMEOUT: u32 = 3;
pub const EVENT_ECN: u32 = 4;
/// The kernel undid a cut.
pub const EVENT_UNDO: u32 = 5;
/// The data that was in flight at the newest loss is acknowledged.
pub const EVENT_RECOVERED: u32 = 6;
/// The application sends again after a time with nothing in flight.
pub const EVENT_RESTART: u32 = 7;
/// The kernel has taken back a window that was not used; `acked` has the segments that it has left.
pub const EVENT_UNUSED: u32 = 8;

pub const FLAG_WINDOW_LIMITED: u32 = 1;
pub const FLAG_RETRANSMISSION: u32 = 2;
pub const FLAG_FEEDBACK: u32 = 4;
pub const FLAG_RECOVERY: u32 = 8;
pub const FLAG_APP_LIMITED: u32 = 16;
/// The segment found lost was application-limited.
pub const FLAG_LOSS_APP_LIMITED: u32 = 32;
/// A timeout ends a recovery, and the loss that began it has cut the threshold.
pub const FLAG_THRESHOLD_HOLDS: u32 = 64;

/// Segments that left together are reported one by one up to this number: BBR counts to ten
/// (`tcp_update_skb_after_send` paces from the tenth segment on), and the last one has the newest flight.
const SENT_MAX: u32 = 10;

/// The core's answer to an event.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// The congestion window in units of 2^-28 segment.
    pub window_raw: u64,
    /// The base RTT, ns; 0: none yet.
    pub base_rtt_ns: u64,
    /// The shortest time between two segments, ns; 0: no pacing, the window alone limits the rate.
    pub spacing_ns: u64,
    /// The slow-start threshold, segments; [`NONE_U32`]: unbounded.
    pub ssthresh: u32,
    /// The backlog signal, segments; `i32::MIN`: none yet.
    pub diff: i32,
    /// 1 in slow start.
    pub slow_start: u32,
    /// The most segments that may leave together. The kernel does not use it: it decides on bursts itself.
    pub quantum: u32,
}

impl Config {
    pub fn algorithm(&self) -> Option<Algorithm> {
        let composition = Composition {
            signal: at(&SIGNALS, self.signal)?,
            base_rtt: BaseRtt::Least,
            rivals: Rivals::Ignore,
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
        Algorithm::new(composition, self.parameters()).ok().map(Algorithm::heeding_limit)
    }

    pub fn parameters(&self) -> Parameters {
        let Numbers { alpha, beta, gamma, initial_window, restart_window, ssthresh, max_window } = self.numbers;
        Parameters {
            alpha: Segments(alpha),
            beta: Segments(beta),
            gamma: Segments(gamma),
            initial_window: Segments(initial_window),
            restart_window: Segments(restart_window),
            ssthresh: (ssthresh != NONE_U32).then_some(Segments(ssthresh)),
            max_window: Segments(max_window),
            ticks_per_second: Parameters::DEBIANS_TICKS,
        }
    }
}

/// Linux's loss detection and recovery: its own RACK, TLP and PRR, which no composition selects.
pub const KERNELS_OWN: Detection = Detection::by_host(Recovery::Sack);

const SIGNALS: [Signal; Signal::NAMES.len()] = parts(Signal::NAMES);
const SLOW_STARTS: [SlowStart; SlowStart::NAMES.len()] = parts(SlowStart::NAMES);
const AVOIDANCES: [Avoidance; Avoidance::NAMES.len()] = parts(Avoidance::NAMES);
const CUTS: [Cut; Cut::NAMES.len()] = parts(Cut::NAMES);

/// Returns the parts without their names: BPF objects cannot hold tables of pointers.
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
    /// Tells a control of the event. Of [`EVENT_START`] that is the size of segments and the handshake: the caller
    /// begins the control. Of [`EVENT_UNDO`] it is nothing: the caller has the control before the newest cut
    /// ([`Event::is_congestion`]).
    pub fn tell<C: CongestionControl + ?Sized>(&self, control: &mut C) {
        let now = Time::from_nanos(self.now_ns);
        match self.kind {
            EVENT_START => {
                if self.news.segment_bytes != 0 {
                    control.on_segment_size(Bytes::new(self.news.segment_bytes.into()));
                }
                if let Some(rtt) = self.rtt() {
                    control.on_handshake(now, rtt);
                }
            }
            EVENT_ACK => control.on_ack(&self.ack()),
            EVENT_UNDO => {}
            EVENT_RECOVERED => control.on_recovered(now),
            EVENT_RESTART => {
                let idle = now.since(Time::from_nanos(self.sent_ns));
                control.on_restart(&Restart { now, next: SendIndex(self.next), idle });
            }
            EVENT_UNUSED => control.on_unused(Window::whole(Segments(self.acked))),
            _ => control.on_loss(&self.loss()),
        }
    }

    /// Tells a standalone algorithm, before the event itself, of the segments that left and that were found lost. The
    /// glue notes none for a composition.
    pub fn tell_segments<C: CongestionControl + ?Sized>(&self, control: &mut C) {
        if self.kind == EVENT_ACK {
            self.tell_sent(control);
        }
        let control = core::hint::black_box(control);
        if self.kind == EVENT_ACK || self.is_congestion() {
            self.tell_lost(control);
        }
    }

    fn tell_sent(&self, control: &mut (impl CongestionControl + ?Sized)) {
        for _ in 0..self.news.sent.min(SENT_MAX) {
            control.on_sent(&Sent {
                now: Time::from_nanos(self.sent_ns),
                index: SendIndex(self.next.saturating_sub(1)),
                in_flight: Segments(self.news.sent_in_flight),
                retransmission: false,
            });
        }
    }

    fn tell_lost(&self, control: &mut (impl CongestionControl + ?Sized)) {
        let News { loss_in_flight, loss_lost, .. } = self.news;
        if loss_in_flight > 0 {
            let app_limited = self.flags & FLAG_LOSS_APP_LIMITED != 0;
            let (in_flight, lost) = (Segments(loss_in_flight), Segments(loss_lost));
            control.on_segment_lost(&LostSegment { in_flight, lost, app_limited });
        }
    }

    fn rtt(&self) -> Option<Span> {
        (self.rtt_ns != 0).then_some(Span::from_nanos(self.rtt_ns))
    }

    /// Whether it may be undone later: a loss, a timeout or a mark.
    pub fn is_congestion(&self) -> bool {
        matches!(self.kind, EVENT_DUPLICATE_ACKS | EVENT_TIMEOUT | EVENT_ECN)
    }

    fn ack(&self) -> Ack {
        Ack {
            now: Time::from_nanos(self.now_ns),
            rtt: self.rtt(),
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
            in_recovery: self.flags & FLAG_RECOVERY != 0,
            delivered: Segments(self.news.delivered),
            lost: Segments(self.news.lost),
            one_way_delay: None,
            rate: self.rate(),
        }
    }

    fn rate(&self) -> Option<RateSample> {
        let News { interval_ns, rate_delivered, rate_lost, rate_in_flight, prior_delivered, total, .. } = self.news;
        (interval_ns != 0).then_some(RateSample {
            delivered: Segments(rate_delivered),
            interval: Span::from_nanos(interval_ns),
            lost: Segments(rate_lost),
            in_flight: Segments(rate_in_flight),
            prior_delivered,
            total,
            app_limited: self.flags & FLAG_APP_LIMITED != 0,
        })
    }

    fn loss(&self) -> Loss {
        Loss {
            now: Time::from_nanos(self.now_ns),
            kind: match self.kind {
                EVENT_TIMEOUT => LossKind::Timeout,
                EVENT_ECN => LossKind::Ecn,
                _ => LossKind::DuplicateAcks,
            },
            sent: Time::from_nanos(self.sent_ns),
            retransmission: self.flags & FLAG_RETRANSMISSION != 0,
            in_flight: Segments(self.in_flight),
            next: SendIndex(self.next),
            threshold_holds: self.flags & FLAG_THRESHOLD_HOLDS != 0,
            lost: match self.kind {
                EVENT_ECN => Segments(0),
                _ => Segments(self.news.lost.max(1)),
            },
        }
    }
}

impl Decision {
    pub fn of(control: &(impl CongestionControl + ?Sized)) -> Self {
        let (output, status) = (control.output(), control.status());
        Decision {
            window_raw: output.window.as_raw(),
            base_rtt_ns: status.base_rtt.map_or(0, Span::as_nanos),
            spacing_ns: output.pace.map_or(0, |pace| pace.spacing().as_nanos()),
            ssthresh: status.ssthresh.map_or(NONE_U32, |segments| segments.0),
            diff: status.diff.unwrap_or(i32::MIN),
            slow_start: u32::from(status.phase == Phase::SlowStart),
            quantum: output.quantum.0,
        }
    }
}

/// The fields of a packet that the tc programs use.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The source and destination addresses, in network order.
    pub addresses: [u32; 2],
    pub ports: [u32; 2],
    pub acknowledgement: u32,
    /// The length of the IPv4 and TCP headers, bytes.
    pub header_bytes: u32,
    pub aqt_us: u32,
    pub echo_us: u32,
    /// `READ_` bits: which of the other fields are valid.
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

/// Returns the header of a sent packet with the option appended; `None` if the packet is sent unchanged.
pub fn with_echo(head: &Head, echo_us: u32) -> Option<[u8; HEADER_WITH_OPTION_BYTES]> {
    head.with_option(Stamps { aqt: Aqt::ZERO, echo: Aqt::from_micros(echo_us) })
}
