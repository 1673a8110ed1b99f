//! The signal: once a round, how many segments of the window are backlog.
//!
//! diff = window - sent x baseRTT / RTT, rounded half up, with RTT the mean of the round's samples (Brakmo and
//! Peterson 1995, section IV; "Vegas slow start", section 2, for the rounding; docs/design.md, section 3.1).

use crate::contract::{Ack, RouterFeedback};
use crate::units::{Segments, SendIndex, Span, Time, Window};

/// How the backlog is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Not at all (Reno).
    None,
    /// From round-trip times alone.
    EndToEnd {
        /// The implementation of Vegas that defines the measurement.
        dialect: Dialect,
        /// A round of a single segment sets the base RTT to its own RTT ("Revisited", section VII.B: a defect).
        reset_base_after_single: bool,
    },
    /// From round-trip times and the queueing times that routers stamp (RoVegas).
    RouterAssisted {
        /// The base RTT is the least ever seen, as in the paper's section 6.4: right where only some routers stamp, but
        /// it cannot follow a route that became longer. Else it is the newest, once any router has stamped.
        keeps_least_base: bool,
    },
}

impl Signal {
    /// Vegas's, from round-trip times.
    pub(crate) const VEGAS: Signal = Signal::EndToEnd { dialect: Dialect::Corrected, reset_base_after_single: false };

    /// What users write for each choice.
    pub const NAMES: &'static [(&'static str, Signal)] = &[
        ("none", Signal::None),
        ("end-to-end", Signal::VEGAS),
        ("end-to-end-1994", Signal::EndToEnd { dialect: Dialect::Released, reset_base_after_single: true }),
        ("end-to-end-ns2", Signal::EndToEnd { dialect: Dialect::Ns2, reset_base_after_single: true }),
        ("end-to-end-linux", Signal::EndToEnd { dialect: Dialect::Linux, reset_base_after_single: false }),
        ("end-to-end-ns3", Signal::EndToEnd { dialect: Dialect::Ns3, reset_base_after_single: false }),
        ("router-assisted", Signal::RouterAssisted { keeps_least_base: false }),
        ("router-assisted-least-base", Signal::RouterAssisted { keeps_least_base: true }),
    ];

    /// Whether it asks for the queueing times of routers: the flow's packets carry the option that they stamp.
    pub fn needs_routers(&self) -> bool {
        matches!(self, Signal::RouterAssisted { .. })
    }

    /// Whether the base RTT falls by acknowledgements in a recovery and duplicates, too (`tcp_vegas_pkts_acked`).
    pub fn hears_recoveries(&self) -> bool {
        matches!(self, Signal::EndToEnd { dialect: Dialect::Linux, .. })
    }

    /// The segments in flight that mechanism I compares the window with. RoVegas and ns-2 count them after the
    /// acknowledgement: one that also covers the segments of two lost acknowledgements then does not grow the window
    /// ("RoVegas", section 5.2).
    #[inline]
    pub(crate) fn outstanding(&self, ack: &Ack) -> Segments {
        match self {
            Signal::RouterAssisted { .. } | Signal::EndToEnd { dialect: Dialect::Ns2, .. } => after_ack(ack),
            Signal::None | Signal::EndToEnd { .. } => ack.in_flight,
        }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match *self {
            Signal::EndToEnd { dialect, .. } => dialect,
            Signal::None | Signal::RouterAssisted { .. } => Dialect::Corrected,
        }
    }
}

/// The implementation of Vegas that defines the measurement: it decides what counts as the window, when a round begins,
/// and how the backlog is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The window is what is in flight before the acknowledgement is counted, and a round never counts what was sent
    /// before a timeout ("Revisited", section VII.C, corrected). Only samples lower the base RTT, and the backlog is
    /// never negative while the host counts as in flight all it has sent that is not acknowledged.
    Corrected,
    /// The released Vegas of 1994 ("Revisited", section VII.C, equations 3 and 4): the window is less by what the
    /// acknowledgement covers beyond one segment, and may be negative; the next round counts from the next segment to
    /// send even where the acknowledgement is already past it; a timeout leaves the round as it is.
    Released,
    /// The window is what is in flight after the acknowledgement, plus one: ns-2's `t_seqno_ - last_ack_`, which
    /// differs for an acknowledgement of more than one segment. The length of a round without a sample can lower the
    /// base RTT, and a negative backlog is rounded towards zero, as C converts to an integer.
    Ns2,
    /// Linux's `tcp_vegas.c`: the congestion window itself, the least RTT of the round instead of the mean, and
    /// diff = cwnd x (RTT - base) / base, rounded down. The acknowledgement that ends a round belongs to it; a round
    /// of two samples or less measures nothing; a loss begins a new one.
    Linux,
    /// ns-3's `TcpVegas`: Linux's but for diff = cwnd - cwnd x base / RTT, with the product rounded down, and for the
    /// round, which ends one segment earlier.
    Ns3,
}

impl Dialect {
    /// Whether these are the rounds of Linux, which ns-3 took over.
    pub(crate) fn is_linux(self) -> bool {
        matches!(self, Dialect::Linux | Dialect::Ns3)
    }

    /// "Revisited", section VII.C: whether a timeout begins a new round, so that segments sent before it do not count.
    pub(crate) fn restarts_rounds(self) -> bool {
        match self {
            Dialect::Corrected | Dialect::Linux | Dialect::Ns3 => true,
            Dialect::Released | Dialect::Ns2 => false,
        }
    }

    /// The window of the backlog, in segments; only the released version's can be negative.
    fn window(self, ack: &Ack, cwnd: Window) -> i64 {
        match self {
            Dialect::Linux | Dialect::Ns3 => cwnd.floor().as_i64(),
            Dialect::Corrected => ack.in_flight.as_i64(),
            Dialect::Ns2 => after_ack(ack).as_i64(),
            Dialect::Released => ack.in_flight.as_i64() - ack.acked.as_i64().max(1) + 1,
        }
    }

    /// Where the segments of the round that `ack` ends stop, as they are counted.
    fn sent_until(self, ack: &Ack) -> SendIndex {
        match self {
            Dialect::Corrected | Dialect::Released => ack.next,
            Dialect::Ns2 | Dialect::Linux | Dialect::Ns3 => after(ack),
        }
    }

    /// Where the next round begins.
    fn next_round(self, ack: &Ack) -> SendIndex {
        match self {
            Dialect::Released => ack.next,
            _ => after(ack),
        }
    }
}

/// What a round measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    /// The backlog, in segments.
    pub(crate) diff: i32,
    /// What the path would hold of the window without a queue: window x base / RTT, rounded down.
    pub(crate) target: Segments,
    /// The base RTT, and the round's RTT, from which both are computed.
    pub(crate) base: Span,
    pub(crate) rtt: Span,
}

/// The running measurement of one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    /// The round ends when this index is acknowledged.
    end: SendIndex,
    /// Sum of its samples; in Linux's dialect the least. Before the first, when it began, since the host's origin.
    rtt_sum: Span,
    /// Count of its samples; more than 65,535 are not taken.
    samples: u16,
    /// Whether a router has ever stamped a queueing time.
    stamped: bool,
    /// Whether its samples are those of acknowledgements that carry the stamps of routers.
    probed: bool,
    /// Least RTT ever seen; [`Span::MAX`] before the first sample.
    base_rtt: Span,
    /// The newest backlog; [`NO_DIFF`] before the first.
    diff: i32,
}

/// The value before the first stamp; longer than any queueing time.
const NO_FEEDBACK: RouterFeedback = RouterFeedback { forward: Span::MAX, backward: Span::ZERO };

/// The end of a round that has not begun, which is never acknowledged.
const UNKNOWN_END: SendIndex = SendIndex(u64::MAX);

/// The value before the first measurement, which no measurement gives.
const NO_DIFF: i32 = i32::MIN;

impl Round {
    pub(crate) const NEW: Round = Round {
        end: SendIndex(0),
        rtt_sum: Span::ZERO,
        samples: 0,
        stamped: false,
        probed: false,
        base_rtt: Span::MAX,
        diff: NO_DIFF,
    };

    pub(crate) fn base_rtt(&self) -> Option<Span> {
        (self.base_rtt != Span::MAX).then_some(self.base_rtt)
    }

    /// The base RTT is this one, which was measured beside the rounds.
    pub(crate) fn set_base_rtt(&mut self, base: Span) {
        self.base_rtt = base;
    }

    pub(crate) fn diff(&self) -> Option<i32> {
        (self.diff != NO_DIFF).then_some(self.diff)
    }

    /// Discards the current round: the next one ends when `next` is acknowledged.
    pub(crate) fn restart(&mut self, next: SendIndex, now: Time) {
        *self = Round { end: next, rtt_sum: now.since(Time::ZERO), samples: 0, probed: false, ..*self };
    }

    /// Discards the current round: the next one begins after the next acknowledgement, with what is sent from then on.
    pub(crate) fn restart_after_next_ack(&mut self) {
        self.end = UNKNOWN_END;
    }

    /// Begins the round that waits for this acknowledgement.
    pub(crate) fn start_if_waiting(&mut self, ack: &Ack) {
        if self.end == UNKNOWN_END {
            self.restart(after(ack), ack.now);
        }
    }

    /// Discards all measurements: another path has another base RTT.
    pub(crate) fn forget_path(&mut self, next: SendIndex, now: Time) {
        *self = Round::NEW;
        self.restart(next, now);
    }

    pub(crate) fn ended_by(&self, dialect: Dialect, ack: &Ack) -> bool {
        match dialect {
            // ns-3 compares with the next byte expected, not with the newest that is acknowledged
            Dialect::Ns3 => ack.newest.0.saturating_add(1) >= self.end.0,
            _ => ack.newest >= self.end,
        }
    }

    /// Closes the round that `ack` ends and begins the next one; none where nothing was measured.
    pub(crate) fn close(&mut self, signal: &Signal, ack: &Ack, cwnd: Window) -> Option<Measured> {
        let (dialect, reset_base_after_single) = match *signal {
            Signal::EndToEnd { dialect, reset_base_after_single } => (dialect, reset_base_after_single),
            Signal::RouterAssisted { .. } => (Dialect::Corrected, false),
            Signal::None => {
                self.restart(after(ack), ack.now);
                return None;
            }
        };
        let sent = match signal {
            // "RoVegas", section 3.1: the actual rate counts the window too
            Signal::RouterAssisted { .. } => ack.in_flight,
            _ => dialect.sent_until(ack).since(self.end),
        };
        let rtt = self.rtt(dialect, ack.now);
        self.update_base(rtt, dialect, reset_base_after_single && sent <= Segments(1));
        let enough = !dialect.is_linux() || self.samples > 2;
        let base = self.base_rtt().filter(|_| enough);
        let window = dialect.window(ack, cwnd);
        let measured = base.map(|base| Measured {
            diff: backlog(dialect, window, sent, base, rtt),
            target: without_queue(window, base, rtt),
            base,
            rtt,
        });
        self.diff = measured.map_or(self.diff, |measured| measured.diff);
        self.restart(dialect.next_round(ack), ack.now);
        measured
    }

    fn update_base(&mut self, rtt: Span, dialect: Dialect, single: bool) {
        if self.base_rtt == Span::MAX || rtt == Span::ZERO {
            return;
        }
        let shorter = dialect == Dialect::Ns2 && rtt < self.base_rtt;
        if shorter || single {
            self.base_rtt = rtt;
        }
    }

    /// Adds the acknowledgement's own sample.
    #[inline(always)]
    pub(crate) fn sample(&mut self, signal: &Signal, ack: &Ack) {
        let Some(rtt) = self.sample_of(ack) else { return };
        if matches!(signal, Signal::RouterAssisted { .. }) && !self.counts_as_probe(ack.feedback.is_some()) {
            // no sample of this round, but of the base RTT: RoVegas, section 6.4
            self.base_rtt = self.base_rtt.min(rtt);
            return;
        }
        if self.samples == 0 {
            self.rtt_sum = Span::ZERO;
        }
        match *signal {
            Signal::RouterAssisted { keeps_least_base } => {
                self.probe(rtt, ack.feedback.unwrap_or(NO_FEEDBACK), keeps_least_base);
            }
            _ => {
                self.rtt_sum += rtt;
                self.base_rtt = self.base_rtt.min(rtt);
            }
        }
        self.samples += 1;
    }

    /// Returns whether an acknowledgement with the stamps of routers, or without, gives a sample of a round of RoVegas.
    /// The first one with stamps takes the place of those without, for of these it is not known how long they queued on
    /// the way back: a host may put the option on some packets of a round only (RoVegas, section 3.2).
    fn counts_as_probe(&mut self, has_stamps: bool) -> bool {
        if has_stamps && !self.probed {
            self.probed = true;
            self.samples = 0;
        }
        has_stamps == self.probed
    }

    /// An acknowledgement of a round of Linux, where only the least sample counts.
    #[inline]
    pub(crate) fn sample_least(&mut self, ack: &Ack) {
        let Some(rtt) = self.sample_of(ack) else { return };
        self.rtt_sum = if self.samples == 0 { rtt } else { self.rtt_sum.min(rtt) };
        self.base_rtt = self.base_rtt.min(rtt);
        self.samples += 1;
    }

    /// An acknowledgement beside the rounds, by which the base RTT may fall.
    pub(crate) fn sample_beside(&mut self, ack: &Ack) {
        self.base_rtt = self.sample_of(ack).map_or(self.base_rtt, |rtt| self.base_rtt.min(rtt));
    }

    #[inline]
    fn sample_of(&self, ack: &Ack) -> Option<Span> {
        ack.rtt.filter(|rtt| *rtt > Span::ZERO && self.samples < u16::MAX)
    }

    /// RoVegas, section 3.1: base = RTT - (forward + backward), equation 3; the actual rate is the window over RTT -
    /// backward, equation 2. No packet waits longer than the round trip takes: stamps that say so are discarded,
    /// and without any the sample is Vegas's.
    fn probe(&mut self, rtt: Span, routers: RouterFeedback, keeps_least_base: bool) {
        let RouterFeedback { forward, backward } = routers;
        if forward + backward >= rtt {
            self.rtt_sum += rtt;
            self.base_rtt = self.base_rtt.min(rtt);
            return;
        }
        let without_backward = rtt.less(backward);
        let base = without_backward.less(forward);
        self.stamped |= forward + backward > Span::ZERO;
        self.rtt_sum += without_backward;
        self.base_rtt = if keeps_least_base || !self.stamped { self.base_rtt.min(base) } else { base };
    }

    /// What counts as the round's RTT: the dialect's, or its length where every segment of it was a retransmission.
    fn rtt(&self, dialect: Dialect, now: Time) -> Span {
        match self.samples {
            0 => now.since(Time::ZERO + self.rtt_sum),
            _ if dialect.is_linux() => self.rtt_sum,
            n => Span::from_nanos(self.rtt_sum.as_nanos() / u64::from(n)),
        }
    }
}

/// What is in flight once `ack` is counted, plus one: ns-2's `t_seqno_ - last_ack_`.
fn after_ack(ack: &Ack) -> Segments {
    Segments(ack.in_flight.0.saturating_sub(ack.acked.0).saturating_add(1))
}

/// The next send index once `ack` is counted.
fn after(ack: &Ack) -> SendIndex {
    SendIndex(ack.next.0.max(ack.newest.0.saturating_add(1)))
}

/// diff in the dialect's form and rounding; within plus or minus `i32::MAX`. Mostly window - sent x base / rtt, rounded
/// half up.
///
/// In a round that was shorter than the base RTT its length was no round-trip time (an acknowledgement of what had been
/// sent before a timeout ended it): there all but ns-2 take the base.
fn backlog(dialect: Dialect, window: i64, sent: Segments, base: Span, rtt: Span) -> i32 {
    let (window, base, rtt) = bounded(window, base, rtt);
    let sent = sent.min(SEGMENTS_MAX).as_i64();
    let twice_plus_half = |rtt: i64| 2 * (window * rtt - sent * base) + rtt;
    let diff = match dialect {
        Dialect::Corrected | Dialect::Released => twice_plus_half(rtt.max(base)).div_euclid(2 * rtt.max(base)),
        Dialect::Ns2 => twice_plus_half(rtt) / (2 * rtt),
        Dialect::Linux => window * (rtt - base).max(0) / base,
        Dialect::Ns3 => window - window * base / rtt.max(base),
    };
    diff.clamp(i64::from(-i32::MAX), i64::from(i32::MAX)) as i32
}

fn without_queue(window: i64, base: Span, rtt: Span) -> Segments {
    let (window, base, rtt) = bounded(window, base, rtt);
    Segments((window.max(0) * base / rtt.max(base)) as u32)
}

const SEGMENTS_MAX: Segments = Window::MAX.floor();

/// Counts are cut to the largest window, 2^24 segments, and spans to 2^37 units, so that twice every product stays
/// within 2^62. The unit is 1 ns, or 1024 ns where a span is longer than 2^37 ns (137 s): only the ratio of the two
/// counts.
fn bounded(window: i64, base: Span, rtt: Span) -> (i64, i64, i64) {
    const SPAN_MAX: u64 = 1 << 37;
    let shift = if base.max(rtt).as_nanos() > SPAN_MAX { 10 } else { 0 };
    let units = |span: Span| (span.as_nanos() >> shift).clamp(1, SPAN_MAX) as i64;
    (window.clamp(-SEGMENTS_MAX.as_i64(), SEGMENTS_MAX.as_i64()), units(base), units(rtt))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dialect: Dialect, window: u32, sent: u32, base_us: u64, rtt_us: u64) -> i32 {
        backlog(dialect, window.into(), Segments(sent), Span::from_micros(base_us), Span::from_micros(rtt_us))
    }

    /// Worked by hand: 10 - 10 x 100/160 = 3.75, so 4; 2.5 goes up to 3; 2.49 down to 2.
    #[test]
    fn backlog_rounds_half_up() {
        for dialect in [Dialect::Corrected, Dialect::Released, Dialect::Ns2] {
            assert_eq!(of(dialect, 10, 10, 100_000, 160_000), 4);
            assert_eq!(of(dialect, 10, 10, 75_000, 100_000), 3);
            assert_eq!(of(dialect, 10, 10, 75_100, 100_000), 2);
            assert_eq!(of(dialect, 2, 2, 100_000, 100_000), 0);
        }
    }

    /// Worked by hand: 2 - 6 = -4, to which half is added: -3.5, down to -4 or towards zero to -3.
    #[test]
    fn a_negative_backlog_rounds_as_the_dialect_does() {
        assert_eq!(of(Dialect::Corrected, 2, 6, 100_000, 100_000), -4);
        assert_eq!(of(Dialect::Ns2, 2, 6, 100_000, 100_000), -3);
    }

    /// Worked by hand: 8 - 8 x 100/50 = -8, to which half is added, towards zero: -7; with 100/100 there is none.
    #[test]
    fn a_round_shorter_than_the_base_is_no_round_trip_time() {
        assert_eq!(of(Dialect::Ns2, 8, 8, 100_000, 50_000), -7);
        assert_eq!(of(Dialect::Corrected, 8, 8, 100_000, 50_000), 0);
    }

    /// Worked by hand, window 10 and base 100 ms. RTT 160: 10 x 60/100 = 6; 10 - 6.25, down to 6, = 4. RTT 170:
    /// 10 - 5.88 = 4.12, so 4; 10 x 70/100 = 7; 10 - 5.88, down to 5, = 5.
    #[test]
    fn the_dialects_differ() {
        let all = [Dialect::Corrected, Dialect::Ns2, Dialect::Linux, Dialect::Ns3];
        assert_eq!(all.map(|dialect| of(dialect, 10, 10, 100_000, 160_000)), [4, 4, 6, 4]);
        assert_eq!(all.map(|dialect| of(dialect, 10, 10, 100_000, 170_000)), [4, 4, 7, 5]);
        assert_eq!(without_queue(10, Span::from_millis(100), Span::from_millis(160)), Segments(6));
    }

    fn probed(samples: &[(u64, Option<[u64; 2]>)]) -> Round {
        let mut round = Round::NEW;
        for (rtt_ms, waited_ms) in samples {
            let waited = waited_ms.map(|way| way.map(Span::from_millis));
            let feedback = waited.map(|[forward, backward]| RouterFeedback { forward, backward });
            round.probe(Span::from_millis(*rtt_ms), feedback.unwrap_or(NO_FEEDBACK), false);
        }
        round
    }

    /// By hand: 100 - 20 - 30 = 50 ms is the empty path, and 100 - 30 the round trip without the way back.
    #[test]
    fn routers_times_above_the_round_trip_are_thrown_away() {
        let good = (100, Some([20, 30]));
        let first = probed(&[good]);
        assert_eq!((first.base_rtt, first.rtt_sum), (Span::from_millis(50), Span::from_millis(70)));
        // a hostile echo, a hostile router, both together, none at all: each as one sample of 100 ms of Vegas's
        let as_vegas = probed(&[good, (100, None)]);
        assert_eq!((as_vegas.base_rtt, as_vegas.rtt_sum), (Span::from_millis(50), Span::from_millis(170)));
        for lie in [[100, 0], [16_777, 0], [0, 100], [0, 16_777], [50, 50]] {
            assert_eq!(probed(&[good, (100, Some(lie))]), as_vegas, "{lie:?}");
        }
        assert!(!probed(&[(100, Some([101, 0]))]).stamped);
    }

    #[test]
    fn the_largest_window_on_the_longest_path_is_exact() {
        let window = Window::MAX.floor();
        let (base, rtt) = (Span::from_secs(60), Span::from_secs(120));
        assert_eq!(backlog(Dialect::Corrected, window.as_i64(), window, base, rtt), 1 << 23);
    }

    /// Worked by hand: 10 - 10 x 160/200 = 2, and likewise with hours; beyond 39 hours both times count as equal.
    #[test]
    fn round_trips_of_minutes_have_a_backlog() {
        let second_us = 1_000_000;
        for unit_us in [second_us, 60 * second_us] {
            assert_eq!(of(Dialect::Corrected, 10, 10, 160 * unit_us, 200 * unit_us), 2);
            assert_eq!(of(Dialect::Linux, 8, 8, 160 * unit_us, 200 * unit_us), 2);
        }
        assert_eq!(of(Dialect::Corrected, 10, 10, 160 * 3600 * second_us, 200 * 3600 * second_us), 0);
    }

    #[test]
    fn backlog_survives_extremes() {
        let (most, far, near) = (Segments(u32::MAX), Span::MAX, Span::from_nanos(1));
        let most_window = i64::from(u32::MAX);
        for dialect in [Dialect::Corrected, Dialect::Released, Dialect::Ns2] {
            assert!(backlog(dialect, most_window, Segments(0), far, near) > 0);
            assert!(backlog(dialect, -most_window, most, far, near) < 0);
            assert_eq!(backlog(dialect, most_window, most, near, Span::ZERO), 0);
        }
    }
}
