//! An algorithm on one path of a connection, whichever stack carries it: acknowledgements and losses of packets that are
//! counted in the order of sending, translated into the core's events.

use vegas_core::units::{Segments, SendIndex, Span, Time, Window};
use vegas_core::{Ack, Algorithm, Loss, LossKind, Phase, SlowStart, State};

/// What a path remembers.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    algorithm: Algorithm,
    /// What of a round-trip time above the least is taken for the hosts' own doing.
    host_noise: Span,
    state: State,
    /// The next packet's index.
    next: u64,
    /// Everything below this index is acknowledged, or was overtaken by what is.
    oldest: u64,
    /// At which the newest acknowledgements were read.
    look: Option<Look>,
    /// The path's least round-trip time.
    least_rtt: Option<Span>,
    /// The one that the newest packet acknowledged was part of.
    burst: Option<Burst>,
    /// When the window was last cut: what was sent until then does not cut it again (RFC 9002, section 7.3.2).
    recovery_began: Option<Time>,
    /// When persistent congestion was last found, likewise.
    collapsed: Option<Time>,
}

/// One look at the clock by whoever reads what came, and the acknowledgements that were read at it.
#[derive(Clone, Copy, Debug)]
struct Look {
    at: Time,
    /// The round-trip time of the first.
    rtt: Span,
    /// When the packets left that the first is for, and the newest.
    first_sent: Time,
    last_sent: Time,
}

/// Packets that left together, within the noise of hosts: each queues behind the ones before it, whatever else is on the
/// path.
#[derive(Clone, Copy, Debug)]
struct Burst {
    /// When its first packet left of which an acknowledgement came.
    began: Time,
    /// The round-trip time of that packet.
    rtt: Span,
}

/// Packets that one acknowledgement covers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    /// Index and send time; none if a later packet was acknowledged before.
    pub(crate) newest: Option<(SendIndex, Time)>,
}

impl Batch {
    /// Of the newest packet.
    pub(crate) fn rtt(&self, now: Time) -> Option<Span> {
        self.newest.map(|(_, sent)| now.since(sent)).filter(|rtt| *rtt > Span::ZERO)
    }
}

/// RFC 9002, section 7.2: the least window.
const LEAST: Segments = Segments(2);

impl Path {
    pub(crate) fn new(algorithm: Algorithm, host_noise: Span) -> Self {
        Path {
            algorithm,
            host_noise,
            state: algorithm.start(),
            next: 0,
            oldest: 0,
            look: None,
            least_rtt: None,
            burst: None,
            recovery_began: None,
            collapsed: None,
        }
    }

    pub(crate) fn algorithm(&self) -> &Algorithm {
        &self.algorithm
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// The window in whole packets.
    pub(crate) fn window(&self) -> Segments {
        self.state.window().floor().max(LEAST)
    }

    pub(crate) fn initial_window(&self) -> Segments {
        self.algorithm.parameters().initial_window.max(LEAST)
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

    /// Packets leave; the first one's index.
    pub(crate) fn send(&mut self, packets: u64) -> SendIndex {
        let first = SendIndex(self.next);
        self.next += packets;
        first
    }

    /// The way may be another from now on: what it measured is forgotten, the window stays.
    pub(crate) fn begin_anew(&mut self, now: Time) {
        self.state.on_path_change(SendIndex(self.next), now);
        self.oldest = self.next;
        self.look = None;
        self.least_rtt = None;
        self.burst = None;
    }

    /// One acknowledgement is what the receiver sends; one that covers several packets is the last of those that it
    /// left out, which are given back here: the algorithm sees each packet acknowledged, with the sample of the newest,
    /// whose arrival made the receiver answer. See the crate's documentation for what that does to the backlog.
    pub(crate) fn acknowledge(&mut self, now: Time, batch: Batch, window_limited: bool) {
        let newest = batch.newest.map_or(self.oldest.saturating_sub(1), |(index, _)| index.0);
        let next = SendIndex(self.next);
        let sample = batch.newest.zip(batch.rtt(now)).map(|((_, sent), rtt)| self.sample(now, sent, rtt));
        for left in (0..batch.packets).rev() {
            let reached = newest.saturating_sub(left).clamp(self.oldest.min(newest), newest);
            self.tell(&Ack {
                now,
                rtt: sample,
                acked: Segments(1),
                in_flight: next.since(SendIndex(self.oldest)).max(Segments(1)),
                newest: SendIndex(reached),
                next,
                window_limited,
                ce_marked: 0,
                feedback: None,
            });
            self.oldest = self.oldest.max(reached + 1).min(next.0);
        }
    }

    /// Whether it made the window smaller.
    pub(crate) fn on_loss(&mut self, now: Time, sent: Time, kind: LossKind) -> bool {
        let is_collapse = kind == LossKind::Timeout;
        let answered = if is_collapse { self.collapsed } else { self.recovery_began };
        if answered.is_some_and(|answered| sent <= answered) {
            return false;
        }
        self.recovery_began = Some(now);
        self.collapsed = if is_collapse { Some(now) } else { self.collapsed };
        let before = self.state.window();
        let (next, in_flight) = (SendIndex(self.next), self.in_flight());
        // QUIC never sends a packet twice: what is sent again has a new number
        self.algorithm.on_loss(&mut self.state, &Loss { now, kind, sent, retransmission: false, in_flight, next });
        self.state.window() < before
    }

    /// A sample without what hosts add: the wait behind the packet's own burst, and noise. Never below the least one.
    fn sample(&mut self, now: Time, sent: Time, rtt: Span) -> Span {
        let rtt = self.as_read(now, sent, rtt);
        let least = self.least_rtt.unwrap_or(rtt);
        let rtt = if self.reads_bursts() { rtt } else { self.without_burst(sent, rtt) };
        rtt.less(self.host_noise).max(least)
    }

    /// Stacks look at the clock once and read then what is there, and what comes meanwhile: a host that was stopped in
    /// between would find the later ones to have come before they did. What is read at one look has the round-trip time of
    /// the first.
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

    /// The first may have come during such a stop as well, and would make a base RTT that the path does not have and that
    /// stays. What came during a stop was sent over a span as long: the first one's round trip took no longer than what was
    /// measured and that span.
    fn learn_least(&mut self, look: Look) {
        let read_over = look.last_sent.since(look.first_sent);
        let longest = if read_over > self.host_noise { look.rtt + read_over } else { look.rtt };
        self.least_rtt = Some(self.least_rtt.map_or(longest, |least| least.min(longest)));
    }

    /// Streak Doubling learns the service rate from what packets wait behind each other, and spaces them itself.
    fn reads_bursts(&self) -> bool {
        self.algorithm.composition().slow_start == SlowStart::Streak && self.state.phase() == Phase::SlowStart
    }

    /// The round-trip time of the first packet of the burst: those behind it came back later by what they waited for each
    /// other.
    fn without_burst(&mut self, sent: Time, rtt: Span) -> Span {
        let same = self.burst.filter(|burst| sent.since(burst.began) <= self.host_noise);
        self.burst.insert(same.unwrap_or(Burst { began: sent, rtt })).rtt
    }

    /// RFC 9002, section 7.8: a window that does not limit the sender does not grow.
    fn tell(&mut self, ack: &Ack) {
        let before: Window = self.state.window();
        self.algorithm.on_ack(&mut self.state, ack);
        if !ack.window_limited {
            self.state.hold_to(before);
        }
    }
}
