//! The contract between a congestion control and its host: the events that the host reports, and the control's output.

pub mod aqt;
pub(crate) mod parameters;
pub mod rate;
pub mod ticks;

use core::fmt;

use crate::contract::parameters::Parameters;
use crate::units::{Bytes, Pace, Segments, SendIndex, Span, Time, Window};

/// A congestion control of one connection: events in, window and rate out. `docs/contract.md` has the reasons for its
/// form.
///
/// It has no clock, allocates nothing and computes without floating point. Time comes with the events; random numbers,
/// where it needs them, come from a generator of its own, which begins with a seed that the host gives at the start. So
/// the same seed and the same events give the same decisions.
///
/// An event that a control does not handle goes to the one that it wraps ([`CongestionControl::inner_mut`]), if it
/// wraps one.
pub trait CongestionControl {
    /// A full segment has this size, as the host counts what it sends: TCP's payload, QUIC's datagram. Hosts report it
    /// before the first segment, and again when it changes.
    fn on_segment_size(&mut self, size: Bytes) {
        if let Some(inner) = self.inner_mut() {
            inner.on_segment_size(size);
        }
    }

    /// The round-trip time of the handshake is known. Its packets are shorter than segments, so `rtt` may be below
    /// every sample of [`Ack::rtt`]. Some hosts do not report it, and some connections have no handshake.
    fn on_handshake(&mut self, now: Time, rtt: Span) {
        if let Some(inner) = self.inner_mut() {
            inner.on_handshake(now, rtt);
        }
    }

    /// A segment leaves. Hosts call this only if [`Needs::sent`] asks for it.
    fn on_sent(&mut self, sent: &Sent) {
        if let Some(inner) = self.inner_mut() {
            inner.on_sent(sent);
        }
    }

    /// Segments that counted as arrived are in flight again: without selective acknowledgements Linux no longer takes
    /// duplicates for arrivals (`tcp_reset_reno_sack`). The host calls this before the acknowledgement itself.
    fn on_returned(&mut self, segments: Segments) {
        if let Some(inner) = self.inner_mut() {
            inner.on_returned(segments);
        }
    }

    /// A segment was found lost. Hosts call this only if [`Needs::each_loss`] asks for it, and before they report the
    /// acknowledgement or loss event with which it was found.
    fn on_segment_lost(&mut self, lost: &LostSegment) {
        if let Some(inner) = self.inner_mut() {
            inner.on_segment_lost(lost);
        }
    }

    /// An acknowledgement arrives.
    fn on_ack(&mut self, ack: &Ack);

    /// A loss or a mark was found.
    fn on_loss(&mut self, loss: &Loss);

    /// Recovery is over: everything that was in flight when the newest loss was found is acknowledged, and the control
    /// decides on the window again. Hosts call this only if [`Needs::every_ack`] asks for it.
    fn on_recovered(&mut self, now: Time) {
        if let Some(inner) = self.inner_mut() {
            inner.on_recovered(now);
        }
    }

    /// The newest congestion event was spurious; `before` is the control before it. The default restores everything.
    fn on_spurious(&mut self, before: &Self)
    where
        Self: Clone,
    {
        *self = before.clone();
    }

    /// The application sends again after nothing was in flight.
    fn on_restart(&mut self, restart: &Restart) {
        if let Some(inner) = self.inner_mut() {
            inner.on_restart(restart);
        }
    }

    /// A retransmission is about to leave, and all else has arrived or counts as lost, so that nothing is in flight;
    /// `next` is the next new segment. Only hosts with Linux's rules say so (`CA_EVENT_TX_START`).
    fn on_lone_retransmission(&mut self, next: SendIndex, now: Time) {
        if let Some(inner) = self.inner_mut() {
            inner.on_lone_retransmission(next, now);
        }
    }

    /// The window was not used for longer than a retransmission timeout: nothing was sent, after which
    /// [`CongestionControl::on_restart`] comes first, or the application had less to send (RFC 5681, section 4.1; RFC
    /// 2861). It becomes `most`, if it is larger, and the threshold three quarters of what the window was, if it is
    /// lower. A control that paces what it sends, or that the kernel would run by `cong_control`, ignores this.
    fn on_unused(&mut self, most: Window) {
        if let Some(inner) = self.inner_mut() {
            inner.on_unused(most);
        }
    }

    /// The connection has moved to another path, on which `next` is the first segment.
    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        if let Some(inner) = self.inner_mut() {
            inner.on_path_change(next, now);
        }
    }

    /// Takes back what the window has grown beyond `most`: for hosts that let it grow only while it limits what is sent
    /// (RFC 9002, section 7.8). A control that asks what limits the sender heeds that itself, and ignores this.
    fn hold_to(&mut self, most: Window) {
        if let Some(inner) = self.inner_mut() {
            inner.hold_to(most);
        }
    }

    /// What the host may send now. It may change with every event.
    fn output(&self) -> Output;

    /// The values that tables and pictures show.
    fn status(&self) -> Status;

    /// The state it is in, by the name that its source has for it (`PROBE_UP`); none of one without states.
    fn state_name(&self) -> Option<&'static str> {
        self.inner().and_then(CongestionControl::state_name)
    }

    /// Further state by name, for series and pictures; the unit is part of the name (`base_rtt_us`).
    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        if let Some(inner) = self.inner() {
            inner.report(out);
        }
    }

    /// The control that this one wraps.
    fn inner(&self) -> Option<&dyn CongestionControl> {
        None
    }

    /// The control that this one wraps: it gets the events that this one does not handle.
    fn inner_mut(&mut self) -> Option<&mut dyn CongestionControl> {
        None
    }
}

/// The size limit of a congestion control of this crate, bytes: the kernel's copy reserves as many for a connection's.
pub const STATE_BYTES_MAX: usize = 320;

/// A congestion control of a program of one's own, as scenarios name it: `algorithm = { rust = "NAME" }`.
pub trait OwnAlgorithm: CongestionControl + Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Letters, digits, - _ +; no preset's name.
    const NAME: &'static str;
    /// What it needs of a host.
    const NEEDS: Needs;

    /// The control of a new connection. `seed` begins its random numbers, where it draws any.
    fn start(parameters: &Parameters, seed: u64) -> Self;
}

/// What a congestion control needs beyond acknowledgements and losses, or what a host gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Rate samples ([`Ack::rate`]).
    pub rate: bool,
    /// Acknowledgements in recovery, duplicate ones, and the end of recovery. Without it the host reports
    /// acknowledgements of new data outside of recovery only.
    pub every_ack: bool,
    /// [`Ack::window_limited`].
    pub window_limited: bool,
    /// [`CongestionControl::on_sent`].
    pub sent: bool,
    /// Departures spread over the round trip: at [`Output::pace`], or by a pacer of the host's own that follows the
    /// window (RFC 9002, section 7.7).
    pub spread: bool,
    /// Departures at [`Output::pace`].
    pub pacing: bool,
    /// No more leaves in a round trip than [`Output::pace`] says: by departures at it, or by a window that the host
    /// makes of it.
    pub pace_kept: bool,
    /// [`Ack::one_way_delay`].
    pub one_way_delay: bool,
    /// [`Ack::feedback`]: routers are asked for queueing times.
    pub routers: bool,
    /// [`Output::window`] holds in recovery too: the host has no rule of its own for it (PRR, RFC 9937).
    pub own_recovery: bool,
    /// [`CongestionControl::on_segment_lost`].
    pub each_loss: bool,
    /// [`Ack::ce_marked`] counts marked packets (Accurate ECN, RFC 9768).
    pub accurate_ecn: bool,
    /// Packets with the codepoint ECT(1), by which routers know a scalable control (RFC 9331, section 4.1).
    pub ect1: bool,
}

impl Needs {
    /// Acknowledgements of new data and losses suffice.
    pub const NONE: Needs = Needs {
        rate: false,
        every_ack: false,
        window_limited: false,
        sent: false,
        spread: false,
        pacing: false,
        pace_kept: false,
        one_way_delay: false,
        routers: false,
        own_recovery: false,
        each_loss: false,
        accurate_ecn: false,
        ect1: false,
    };

    /// Whether the host keeps what was known when each segment left: a rate sample, and the description of a lost
    /// segment, say what has happened since.
    pub fn keeps_departures(&self) -> bool {
        self.rate || self.each_loss
    }

    /// The needs of both.
    pub const fn and(&self, other: &Needs) -> Needs {
        Needs {
            rate: self.rate || other.rate,
            every_ack: self.every_ack || other.every_ack,
            window_limited: self.window_limited || other.window_limited,
            sent: self.sent || other.sent,
            spread: self.spread || other.spread,
            pacing: self.pacing || other.pacing,
            pace_kept: self.pace_kept || other.pace_kept,
            one_way_delay: self.one_way_delay || other.one_way_delay,
            routers: self.routers || other.routers,
            own_recovery: self.own_recovery || other.own_recovery,
            each_loss: self.each_loss || other.each_loss,
            accurate_ecn: self.accurate_ecn || other.accurate_ecn,
            ect1: self.ect1 || other.ect1,
        }
    }

    /// The first need that a host which gives `given` does not meet, as text; none if the host meets all.
    pub fn unmet(&self, given: &Needs) -> Option<&'static str> {
        [
            (self.rate && !given.rate, "needs a host that measures the delivery rate"),
            (self.every_ack && !given.every_ack, "needs a host that reports acknowledgements in recovery"),
            (self.window_limited && !given.window_limited, "needs a host that reports what limits the sender"),
            (self.sent && !given.sent, "needs a host that reports each segment sent"),
            (self.spread && !given.spread, "needs a host that spreads what leaves over the round trip"),
            (self.pacing && !given.pacing, "needs a host that paces"),
            (self.pace_kept && !given.pace_kept, "needs a host that keeps to its pace"),
            (self.one_way_delay && !given.one_way_delay, "needs a host that measures one-way delays"),
            (self.routers && !given.routers, "needs a host that carries the queueing times of routers"),
            (self.own_recovery && !given.own_recovery, "needs a host that leaves the window in recovery to it"),
            (self.each_loss && !given.each_loss, "needs a host that reports each segment lost"),
            (self.accurate_ecn && !given.accurate_ecn, "needs a host with Accurate ECN (RFC 9768)"),
            (self.ect1 && !given.ect1, "needs a host that sends ECT(1) (RFC 9331)"),
        ]
        .into_iter()
        .find_map(|(unmet, reason)| unmet.then_some(reason))
    }
}

/// What the host may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The congestion window.
    pub window: Window,
    /// The most that may leave, as a rate in segments, which the host turns into departures: a segment may leave once
    /// that much time has passed since the one before it. Whether time that was not used gives credit is the host's
    /// rule. None: whatever the window allows, at once.
    pub pace: Option<Pace>,
    /// Segments that may leave together at `pace`, at least 1.
    pub quantum: Segments,
}

/// The values of a congestion control that tables show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The congestion window.
    pub window: Window,
    /// The slow-start threshold; none while it is unbounded.
    pub ssthresh: Option<Segments>,
    /// The base RTT; none before the first sample, or without one.
    pub base_rtt: Option<Span>,
    /// The newest backlog in segments; none before the first measurement, or without one.
    pub diff: Option<i32>,
    /// The phase of the congestion control.
    pub phase: Phase,
}

/// The phase of the congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The window is below the slow-start threshold.
    SlowStart,
    /// The window is at the threshold or above.
    Avoidance,
}

/// A segment leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The time of the event.
    pub now: Time,
    /// Its index in the order of sending.
    pub index: SendIndex,
    /// Segments in flight with it.
    pub in_flight: Segments,
    /// Whether it was sent before.
    pub retransmission: bool,
}

/// A segment was found lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// Segments in flight when it was sent, itself included.
    pub in_flight: Segments,
    /// Segments found lost since then, itself included.
    pub lost: Segments,
    /// The application had nothing more to send when it was sent.
    pub app_limited: bool,
}

/// The application sends again after nothing was in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restart {
    /// The time of the event.
    pub now: Time,
    /// The send index of the first segment.
    pub next: SendIndex,
    /// How long nothing was sent.
    pub idle: Span,
}

/// An acknowledgement. Most fields mean something only to a control with [`Needs`] that ask for them; `Ack::default()`
/// has them empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// Round-trip sample of the newest segment acknowledged that did not wait at the receiver for an older one; none
    /// if one of the segments was ever retransmitted (Karn's rule, RFC 6298 section 3).
    pub rtt: Option<Span>,
    /// Segments newly acknowledged; above 0 outside of recovery, unless every acknowledgement is asked for
    /// ([`Needs::every_ack`]): then 0 in a duplicate.
    pub acked: Segments,
    /// Segments in flight before this acknowledgement was counted: `next` less the oldest segment that was not
    /// acknowledged (SND.NXT - SND.UNA), whatever selective acknowledgements say. An estimate of what is still in the
    /// network would make the backlog negative ("Revisited", inequality 5).
    pub in_flight: Segments,
    /// Newest send index that is acknowledged.
    pub newest: SendIndex,
    /// The send index that the next new segment would have had before this acknowledgement was counted. After a
    /// timeout it restarts at the oldest segment that is not acknowledged, and so may be at or below `newest`.
    pub next: SendIndex,
    /// Whether the congestion window limited the sender; not set for an algorithm that does not ask
    /// ([`Needs::window_limited`]).
    pub window_limited: bool,
    /// Segments newly reported to have carried a congestion mark (ECN-CE); above 0 the window does not grow (RFC 3168,
    /// section 6.1.2), unless the control answers by their number ([`Needs::accurate_ecn`]). A receiver that only
    /// echoes (RFC 3168) does not say which were marked: then all of an acknowledgement with an echo.
    pub ce_marked: u32,
    /// The queueing times that routers stamped (RoVegas).
    pub feedback: Option<RouterFeedback>,
    /// The host is in recovery from a loss or a mark: the window must not grow, unless the control decides on it in
    /// recovery too ([`Needs::own_recovery`]).
    pub in_recovery: bool,
    /// Segments newly received as far as is known: acknowledged, or reported by selective acknowledgements.
    pub delivered: Segments,
    /// Segments newly found lost.
    pub lost: Segments,
    /// Time from sender to receiver by their own clocks, the offset between them included; only differences mean
    /// something.
    pub one_way_delay: Option<Span>,
    /// The delivery rate, if this acknowledgement gives a sample.
    pub rate: Option<RateSample>,
}

impl Ack {
    /// Whether the window may grow in answer: new data, outside of recovery, without a mark (RFC 3168, section 6.1.2).
    pub fn may_grow(&self) -> bool {
        self.acked > Segments(0) && !self.in_recovery && self.ce_marked == 0
    }

    /// Whether the flow uses the window: where less than half of it is in flight, the application has no more.
    pub(crate) fn is_used(&self, window: Window) -> bool {
        2 * self.in_flight.as_u64() >= window.floor().as_u64()
    }
}

/// Queueing times that the routers of a path have stamped (RoVegas, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouterFeedback {
    /// Sum of queueing times on the way to the receiver.
    pub forward: Span,
    /// Sum of queueing times on the way back.
    pub backward: Span,
}

/// A congestion event: the host found a loss or a mark, and retransmits by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When the host found it.
    pub now: Time,
    /// How the host found it.
    pub kind: LossKind,
    /// When what was lost, or marked, had last been sent.
    pub sent: Time,
    /// Whether what was lost is itself a retransmission.
    pub retransmission: bool,
    /// Segments in flight when the loss was found.
    pub in_flight: Segments,
    /// The send index of the next segment: after a timeout the oldest one that is not acknowledged,
    /// where the host retransmits everything from there.
    pub next: SendIndex,
    /// Segments found lost with this event; 0 for a mark.
    pub lost: Segments,
    /// Whether a timeout leaves the threshold as it is: it ends a recovery, and the loss that began that has cut it
    /// (`tcp_enter_loss`).
    pub threshold_holds: bool,
}

/// How a loss was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// By duplicate acknowledgements, selective acknowledgements, or Vegas's fine-grained timer.
    DuplicateAcks,
    /// By the retransmission timer.
    Timeout,
    /// An explicit mark; nothing was lost. The host reports one per window of data (RFC 3168, section 6.1.2), as it
    /// does for losses: an algorithm without mechanism E answers each.
    Ecn,
}

/// How fast segments arrived (draft-cheng-iccrg-delivery-rate-estimation-02, section 3.1.3, `rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// Segments delivered over the interval, above 0.
    pub delivered: Segments,
    /// The longer of the times in which they were sent and acknowledged, above 0.
    pub interval: Span,
    /// Segments found lost over the interval.
    pub lost: Segments,
    /// Segments in flight when the newest one was sent, itself included.
    pub in_flight: Segments,
    /// Segments that had been delivered when the newest one was sent, modulo 2^32: a round trip is over once this
    /// passes [`RateSample::total`] of its beginning.
    pub prior_delivered: u32,
    /// Segments delivered by now, modulo 2^32.
    pub total: u32,
    /// The application had nothing more to send: the path may carry more than this.
    pub app_limited: bool,
}
