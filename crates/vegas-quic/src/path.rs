//! An algorithm on one path of a connection, whichever stack carries it: acknowledgements and losses of packets that
//! are counted in the order of sending, translated into the core's events.

use vegas_core::units::{Bytes, Segments, SendIndex, Span, Time};
use vegas_core::{
    Ack, Algorithm, CongestionControl, Controller, Loss, LossKind, Phase, RateSample, Restart, Sent, Standalone, Status,
};

use crate::detail::{Batch, Detail, Lost, News};

/// The congestion control of a path and its numbers.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) algorithm: Algorithm,
    pub(crate) standalone: Option<Standalone>,
}

impl Choice {
    /// The congestion control of a new path.
    pub(crate) fn start(&self) -> Controller {
        Controller::start(self.algorithm, self.standalone, SEED)
    }
}

/// QUIC's stacks give a controller no random numbers, so every path has this seed.
const SEED: u64 = 1;

/// The state of a path.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    choice: Choice,
    /// The part of a round-trip time above the least that counts as delay in the hosts.
    host_noise: Span,
    control: Controller,
    paces: bool,
    /// It has to be kept to its pace, and hears what limits it.
    keeps_pace: bool,
    /// The next packet's index.
    next: u64,
    /// Every packet below this index is acknowledged, or a later packet was acknowledged before it.
    oldest: u64,
    /// The reading of the clock at which the newest acknowledgements were read.
    look: Option<Look>,
    /// The path's least round-trip time.
    least_rtt: Option<Span>,
    /// The burst of the newest acknowledged packet.
    burst: Option<Burst>,
    /// When the window was last cut: a packet sent until then does not cut it again (RFC 9002, section 7.3.2).
    recovery_began: Option<Time>,
    /// When persistent congestion was last found, likewise.
    collapsed: Option<Time>,
    /// The path is in recovery, and the control is to hear of the end.
    recovers: bool,
    last_sent: Option<Time>,
    /// At the newest acknowledgement the application, and not the window, limited the sender.
    app_limited: bool,
    /// Present for a control that asks for more than acknowledgements and losses.
    detail: Option<Box<Detail>>,
}

/// One reading of the clock by the stack, and the acknowledgements that it processed at that reading.
#[derive(Clone, Copy, Debug)]
struct Look {
    at: Time,
    /// The round-trip time of the first acknowledgement.
    rtt: Span,
    /// The send times of the packets that the first and the newest acknowledgement cover.
    first_sent: Time,
    last_sent: Time,
}

/// Packets that left together, within the noise of hosts: each queues behind its predecessors even on an empty path.
#[derive(Clone, Copy, Debug)]
struct Burst {
    /// The send time of its first acknowledged packet.
    began: Time,
    /// The round-trip time of that packet.
    rtt: Span,
}

/// RFC 9002, section 7.2: the least window.
const LEAST: Segments = Segments(2);

impl Path {
    /// A path with datagrams of `mtu` bytes.
    pub(crate) fn new(choice: Choice, host_noise: Span, mtu: u16) -> Self {
        let needs = Controller::needs(choice.algorithm.composition(), choice.standalone);
        let mut path = Path {
            host_noise,
            paces: needs.pacing,
            keeps_pace: needs.pace_kept,
            detail: Detail::new(needs),
            control: choice.start(),
            choice,
            next: 0,
            oldest: 0,
            look: None,
            least_rtt: None,
            burst: None,
            recovery_began: None,
            collapsed: None,
            recovers: false,
            last_sent: None,
            app_limited: false,
        };
        path.on_mtu(mtu);
        path
    }

    /// A datagram has `mtu` bytes from now on.
    pub(crate) fn on_mtu(&mut self, mtu: u16) {
        self.control.on_segment_size(Bytes::new(mtu.into()));
    }

    pub(crate) fn algorithm(&self) -> &Algorithm {
        &self.choice.algorithm
    }

    pub(crate) fn control(&self) -> &dyn CongestionControl {
        &*self.control
    }

    pub(crate) fn status(&self) -> Status {
        self.control.status()
    }

    #[cfg(feature = "s2n")]
    pub(crate) fn output(&self) -> vegas_core::Output {
        self.control.output()
    }

    /// The window in whole packets.
    pub(crate) fn window(&self) -> Segments {
        self.control.output().window.floor().max(LEAST)
    }

    /// The window for a stack that takes no pace. To a control that needs its pace kept it is what leaves at that pace
    /// in a round trip of this length, if that is less: with that in flight no more is sent in a round trip, and a
    /// queue that makes it longer makes the window larger, as it does to a sender by rate.
    pub(crate) fn window_keeping_pace(&self, rtt: Span) -> Segments {
        let window = self.window();
        let Some(pace) = self.control.output().pace.filter(|_| self.keeps_pace && rtt > Span::ZERO) else {
            return window;
        };
        let at_pace = rtt.as_nanos().div_ceil(pace.spacing().as_nanos().max(1));
        window.min(Segments(u32::try_from(at_pace).unwrap_or(u32::MAX))).max(LEAST)
    }

    pub(crate) fn initial_window(&self) -> Segments {
        self.choice.algorithm.parameters().initial_window.max(LEAST)
    }

    /// Packets sent after the newest one acknowledged, whether they are lost or not.
    pub(crate) fn in_flight(&self) -> Segments {
        SendIndex(self.next).since(SendIndex(self.oldest))
    }

    /// The newest packet's index; 0 before the first.
    #[cfg(feature = "s2n")]
    pub(crate) fn newest(&self) -> SendIndex {
        SendIndex(self.next.saturating_sub(1))
    }

    /// Whether a later packet was acknowledged before.
    #[cfg(feature = "s2n")]
    pub(crate) fn is_overtaken(&self, index: SendIndex) -> bool {
        index.0 < self.oldest
    }

    /// Counts packets that leave while `others` are in flight; returns the index of the first one.
    pub(crate) fn send(&mut self, now: Time, packets: u64, others: Segments) -> SendIndex {
        let first = SendIndex(self.next);
        if let Some(last) = self.last_sent.filter(|_| self.app_limited && others == Segments(0)) {
            self.control.on_restart(&Restart { now, next: first, idle: now.since(last) });
        }
        self.last_sent = Some(now);
        self.next += packets;
        if let Some(detail) = &mut self.detail {
            detail.on_send(now, packets, others);
            if detail.needs.sent {
                self.tell_sent(now, first, packets, others);
            }
        }
        first
    }

    fn tell_sent(&mut self, now: Time, first: SendIndex, packets: u64, others: Segments) {
        for packet in 0..u32::try_from(packets).unwrap_or(u32::MAX) {
            let index = SendIndex(first.0 + u64::from(packet));
            let in_flight = Segments(others.0.saturating_add(packet).saturating_add(1));
            // QUIC retransmits data under a new packet number
            self.control.on_sent(&Sent { now, index, in_flight, retransmission: false });
        }
    }

    /// The route may have changed: discards the measurements and keeps the window.
    pub(crate) fn begin_anew(&mut self, now: Time) {
        self.control.on_path_change(SendIndex(self.next), now);
        self.oldest = self.next;
        self.look = None;
        self.least_rtt = None;
        self.burst = None;
        if let Some(detail) = &mut self.detail {
            detail.begin_anew(self.next);
        }
    }

    /// Makes one event of one acknowledgement. Until a packet that was sent since the newest cut is acknowledged (RFC
    /// 9002, section 7.3.2), only a control that asks for every acknowledgement receives it.
    pub(crate) fn acknowledge(&mut self, now: Time, batch: Batch, window_limited: bool) {
        let newest = batch.newest.map_or(self.oldest.saturating_sub(1), |(index, _)| index.0);
        let next = SendIndex(self.next);
        let in_flight = self.in_flight().max(Segments(1));
        let rtt = batch.newest.zip(batch.rtt(now)).map(|((_, sent), rtt)| self.sample(now, sent, rtt));
        let covered = Segments(u32::try_from(batch.packets).unwrap_or(u32::MAX));
        let in_recovery = self.is_of_recovery(&batch);
        self.app_limited = !window_limited;
        let rate = self.rate_sample(now, &batch, window_limited);
        let window_limited = window_limited && (!self.keeps_pace || self.was_window_full(&batch));
        if covered > Segments(0) && (!in_recovery || self.hears_all()) {
            self.end_recovery(now, in_recovery);
            let News { delivered, lost, rate } = self.news(covered, rate);
            self.tell(&Ack {
                now,
                rtt,
                acked: covered,
                in_flight,
                newest: SendIndex(newest),
                next,
                window_limited,
                in_recovery,
                delivered,
                lost,
                rate,
                ..Ack::default()
            });
        }
        self.oldest = self.oldest.max(newest + 1).min(next.0);
    }

    /// Before this acknowledgement; else the pace was what held the sender back, where the application did not.
    fn was_window_full(&self, batch: &Batch) -> bool {
        let acked = u32::try_from(batch.packets).unwrap_or(u32::MAX);
        batch.left_in_flight.0.saturating_add(acked) >= self.window().0
    }

    /// A packet of the acknowledgement that is being read left then: for stacks that name losses by nothing but the
    /// newest.
    pub(crate) fn settle(&mut self, sent: Time) {
        if let Some(detail) = self.detail.as_mut().filter(|detail| detail.needs.each_loss) {
            detail.settle(sent);
        }
    }

    /// For a control that asks for every acknowledgement, an overtaken packet does not belong to the recovery if it was
    /// sent after the cut.
    fn is_of_recovery(&self, batch: &Batch) -> bool {
        let in_order = batch.newest.map(|(_, sent)| sent);
        let sent = if self.hears_all() { batch.last_sent } else { in_order };
        self.recovery_began.is_some_and(|began| sent.is_none_or(|sent| sent <= began))
    }

    fn hears_all(&self) -> bool {
        self.detail.as_ref().is_some_and(|detail| detail.needs.every_ack)
    }

    fn end_recovery(&mut self, now: Time, in_recovery: bool) {
        if self.recovers && !in_recovery {
            self.recovers = false;
            if self.hears_all() {
                self.control.on_recovered(now);
            }
        }
    }

    fn rate_sample(&mut self, now: Time, batch: &Batch, window_limited: bool) -> Option<RateSample> {
        let in_flight = (!window_limited).then_some(batch.left_in_flight);
        self.detail.as_mut()?.on_acknowledged(now, batch, in_flight)
    }

    fn news(&mut self, delivered: Segments, rate: Option<RateSample>) -> News {
        News { delivered, lost: self.detail.as_mut().map_or(Segments(0), |detail| detail.take_lost()), rate }
    }

    /// Packets were found lost, or marks were reported. Whether it made the window smaller.
    pub(crate) fn on_loss(&mut self, now: Time, kind: LossKind, newly: Lost) -> bool {
        self.tell_lost(&newly);
        let Lost { packets: lost, sent, .. } = newly;
        let is_collapse = kind == LossKind::Timeout;
        let answered = if is_collapse { self.collapsed } else { self.recovery_began };
        if answered.is_some_and(|answered| sent <= answered) {
            return false;
        }
        self.recovery_began = Some(now);
        self.collapsed = if is_collapse { Some(now) } else { self.collapsed };
        // persistent congestion begins no recovery, and neither does a timeout of TCP
        self.recovers = !is_collapse;
        let before = self.control.output().window;
        let (next, in_flight) = (SendIndex(self.next), self.in_flight());
        let lost = self.detail.as_mut().map_or(lost, |detail| detail.take_lost());
        // QUIC never sends a packet number twice
        self.control.on_loss(&Loss {
            now,
            kind,
            sent,
            retransmission: false,
            in_flight,
            next,
            lost,
            threshold_holds: false,
        });
        self.control.output().window < before
    }

    fn tell_lost(&mut self, lost: &Lost) {
        let Some(detail) = &mut self.detail else { return };
        if !detail.needs.each_loss {
            return detail.on_lost(lost.packets);
        }
        for segment in detail.on_each_lost(lost) {
            self.control.on_segment_lost(&segment);
        }
    }

    /// The sample without the delay in hosts: without the wait behind the packet's own burst, and without noise. It is
    /// never below the least sample.
    fn sample(&mut self, now: Time, sent: Time, rtt: Span) -> Span {
        let rtt = self.as_read(now, sent, rtt);
        let least = self.least_rtt.unwrap_or(rtt);
        let rtt = if self.reads_bursts() { rtt } else { self.without_burst(sent, rtt) };
        rtt.less(self.host_noise).max(least)
    }

    /// A stack reads the clock once, and then reads the packets that have arrived and those that arrive meanwhile. If
    /// the host is stopped in between, later packets seem to have arrived too early. So all acknowledgements processed
    /// at one reading of the clock get the round-trip time of the first.
    fn as_read(&mut self, now: Time, sent: Time, rtt: Span) -> Span {
        match &mut self.look {
            Some(look) if look.at == now => {
                look.last_sent = look.last_sent.max(sent);
                look.rtt
            }
            _ => {
                let new = Look { at: now, rtt, first_sent: sent, last_sent: sent };
                if let Some(over) = self.look.replace(new) {
                    self.learn_least(over);
                }
                rtt
            }
        }
    }

    /// The first packet may have arrived during such a stop as well; its sample would become a base RTT that is too low
    /// for the path, and that never leaves. Packets that arrived during a stop were sent over an equally long span, so
    /// the first one's true round-trip time is at most the measured one plus that span.
    fn learn_least(&mut self, look: Look) {
        let read_over = look.last_sent.since(look.first_sent);
        let longest = if read_over > self.host_noise { look.rtt + read_over } else { look.rtt };
        self.least_rtt = Some(self.least_rtt.map_or(longest, |least| least.min(longest)));
    }

    /// A slow start that paces measures the service rate by the waits of packets behind each other, and spaces them
    /// itself.
    fn reads_bursts(&self) -> bool {
        self.paces && self.control.status().phase == Phase::SlowStart
    }

    /// The round-trip time of the burst's first packet: the acknowledgements of the others are later by their waits
    /// behind each other.
    fn without_burst(&mut self, sent: Time, rtt: Span) -> Span {
        let same = self.burst.filter(|burst| sent.since(burst.began) <= self.host_noise);
        self.burst.insert(same.unwrap_or(Burst { began: sent, rtt })).rtt
    }

    /// RFC 9002, section 7.8: a window that does not limit the sender does not grow.
    fn tell(&mut self, ack: &Ack) {
        let before = self.control.output().window;
        self.control.on_ack(ack);
        if !ack.window_limited {
            self.control.hold_to(before);
        }
    }
}
