//! The common parts of BBRv1 and BBRv3: rates and gains in fixed point, the windowed maximum, and the count of packets
//! in flight. The widths are those of Linux (`net/ipv4/tcp_bbr.c`): rates in segments a microsecond x 2^24, gains in
//! 256ths.

use crate::contract::RateSample;
use crate::contract::{Ack, Loss, LossKind, Sent};
use crate::units::{Bytes, Pace, Segments, SendIndex, Span, Time, product};

const RATE_BITS: u32 = 24;
const GAIN_BITS: u32 = 8;
/// A gain of 1.
pub(crate) const ONE: u32 = 1 << GAIN_BITS;
/// The least window at which a receiver that acknowledges every second segment still does (`bbr_cwnd_min_target`).
pub(crate) const WINDOW_MIN: u32 = 4;
/// The pace is a per cent below the estimate (`bbr_pacing_margin_percent`).
const PACE_PER_CENT: u64 = 99;
/// Before the first sample of the RTT (`bbr_init_pacing_rate_from_rtt`).
const FIRST_RTT_US: u32 = 1_000;
/// No RTT yet.
pub(crate) const UNKNOWN_US: u32 = u32::MAX;

/// A rate: segments a microsecond x 2^24.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bandwidth(pub(super) u32);

impl Bandwidth {
    pub(crate) const NONE: Bandwidth = Bandwidth(0);
    pub(crate) const MAX: Bandwidth = Bandwidth(u32::MAX);

    /// The rate of `segments` in a time, rounded down.
    pub(crate) fn of(segments: u32, micros: u64) -> Self {
        let rate = (u64::from(segments) << RATE_BITS) / micros.max(1);
        Bandwidth(u32::try_from(rate).unwrap_or(u32::MAX))
    }

    /// The rate of a sample, rounded down (BBRv1) or up (BBRv3).
    pub(crate) fn of_sample(sample: &RateSample, up: bool) -> Self {
        let micros = (sample.interval.as_nanos() / 1_000).max(1);
        let segments = u64::from(sample.delivered.0) << RATE_BITS;
        let rate = if up { segments.div_ceil(micros) } else { segments / micros };
        Bandwidth(u32::try_from(rate).unwrap_or(u32::MAX))
    }

    /// Segments in a time, rounded down.
    pub(crate) fn segments_in(self, micros: u64) -> u32 {
        let segments = product(u64::from(self.0), micros) >> RATE_BITS;
        u32::try_from(segments).unwrap_or(u32::MAX)
    }

    /// Segments that a gain times rate and RTT make, rounded up.
    pub(crate) fn product(self, rtt_us: u32, gain: u32) -> u32 {
        let product = product(u64::from(self.0) * u64::from(rtt_us), gain.into()) >> GAIN_BITS;
        u32::try_from(product.div_ceil(1 << RATE_BITS)).unwrap_or(u32::MAX)
    }

    /// A fraction of the rate, in 256ths, rounded down.
    pub(crate) fn part(self, of_256: u32) -> Bandwidth {
        let part = (u64::from(self.0) * u64::from(of_256)) >> GAIN_BITS;
        Bandwidth(u32::try_from(part).unwrap_or(u32::MAX))
    }

    pub(crate) fn per_second(self) -> i64 {
        ((u64::from(self.0) * 1_000_000) >> RATE_BITS) as i64
    }

    /// In 1000 s: of a slow path more than a figure or two.
    pub(crate) fn per_1000_s(self) -> i64 {
        ((u64::from(self.0) * 1_000_000_000) >> RATE_BITS) as i64
    }
}

/// The rate at which segments leave: a [`Bandwidth`] times a gain, not yet less the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pacing {
    product: u64,
    /// The first sample of the RTT was seen.
    has_rtt: bool,
}

impl Pacing {
    /// `gain` times the initial window in a nominal RTT.
    pub(crate) fn new(window: u32, gain: u32) -> Self {
        Pacing { product: u64::from(Bandwidth::of(window, FIRST_RTT_US.into()).0) * u64::from(gain), has_rtt: false }
    }

    /// Sets the pace from the first RTT sample, once.
    pub(crate) fn begin(&mut self, window: u32, rtt_us: u32, gain: u32) {
        if !self.has_rtt {
            *self =
                Pacing { product: u64::from(Bandwidth::of(window, rtt_us.into()).0) * u64::from(gain), has_rtt: true };
        }
    }

    /// Sets the pace if it is faster, or in any case once the path is known to be full.
    pub(crate) fn set(&mut self, bandwidth: Bandwidth, gain: u32, full: bool) {
        let product = u64::from(bandwidth.0) * u64::from(gain);
        if full || product > self.product {
            self.product = product;
        }
    }

    /// Whether the pace is below one of [`Pacing::product_of`].
    pub(crate) fn is_below(&self, product: u64) -> bool {
        self.product < product
    }

    /// The product of gain and bandwidth at which segments of this size leave at a rate in bytes.
    pub(crate) fn product_of(bytes_per_second: u64, segment: Bytes) -> u64 {
        let less_the_margin = 1_000_000 * PACE_PER_CENT / 100;
        (bytes_per_second << (RATE_BITS + GAIN_BITS)).div_ceil(less_the_margin * segment.get().max(1))
    }

    pub(crate) fn pace(&self) -> Pace {
        let unit = Span::from_nanos(100_000 << (RATE_BITS + GAIN_BITS));
        Pace::of(product(self.product, PACE_PER_CENT), unit)
    }

    /// Segments in `part` of a second, rounded down.
    pub(crate) fn segments_in_second_part(&self, part: u64) -> u32 {
        let micros = 1_000_000 / part;
        let segments = product(self.product >> GAIN_BITS, micros * PACE_PER_CENT / 100) >> RATE_BITS;
        u32::try_from(segments).unwrap_or(u32::MAX)
    }
}

/// The greatest of a window's samples, with the best of its later parts to follow it (Nichols's filter, Linux's
/// `lib/win_minmax.c`): what was measured in which round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Greatest {
    best: [(u32, Bandwidth); 3],
}

impl Greatest {
    pub(crate) const NONE: Greatest = Greatest { best: [(0, Bandwidth::NONE); 3] };

    pub(crate) fn get(&self) -> Bandwidth {
        self.best[0].1
    }

    pub(crate) fn sample(&mut self, window: u32, round: u32, value: Bandwidth) {
        let new = (round, value);
        let age = |of: (u32, Bandwidth)| round.wrapping_sub(of.0);
        if value >= self.best[0].1 || age(self.best[2]) > window {
            self.best = [new; 3];
            return;
        }
        if value >= self.best[1].1 {
            self.best[1] = new;
            self.best[2] = new;
        } else if value >= self.best[2].1 {
            self.best[2] = new;
        }
        if age(self.best[0]) > window {
            self.best = [self.best[1], self.best[2], new];
            // the third is young enough, or all would have been forgotten above
            if age(self.best[0]) > window {
                self.best = [self.best[1], self.best[2], new];
            }
        } else if self.best[1].0 == self.best[0].0 && age(self.best[0]) > window / 4 {
            self.best[1] = new;
            self.best[2] = new;
        } else if self.best[2].0 == self.best[1].0 && age(self.best[0]) > window / 2 {
            self.best[2] = new;
        }
    }
}

/// Round trips by delivered segments (draft, section 5.5.1; `bbr->next_rtt_delivered`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rounds {
    /// Segments delivered so far, modulo 2^32.
    pub(crate) delivered: u32,
    /// The time at which this was counted.
    pub(crate) delivered_at: Time,
    /// The round ends with a segment that was sent when this number was delivered.
    end: u32,
    pub(crate) count: u32,
    /// The newest acknowledgement begins a round.
    pub(crate) starts: bool,
}

impl Rounds {
    pub(crate) fn on_ack(&mut self, ack: &Ack) {
        self.delivered = ack.rate.map_or(self.delivered.wrapping_add(ack.delivered.0), |sample| sample.total);
        if ack.delivered.0 > 0 {
            self.delivered_at = ack.now;
        }
        self.starts = ack.rate.is_some_and(|sample| is_past(sample.prior_delivered, self.end));
        if self.starts {
            self.end = self.delivered;
            self.count = self.count.wrapping_add(1);
        }
    }

    /// Restarts the current round now.
    pub(crate) fn restart(&mut self) {
        self.end = self.delivered;
    }
}

/// Whether a count, modulo 2^32, has reached another.
pub(crate) fn is_past(count: u32, end: u32) -> bool {
    count.wrapping_sub(end) < 1 << 31
}

/// The period in which the algorithm itself limits the rate (PROBE_RTT: `tp->app_limited`), so that samples do not
/// measure the path. Linux marks these segments when they leave; this type recognises them by the delivered count at
/// their departure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldBack {
    span: Option<(u32, u32)>,
}

impl HeldBack {
    /// Begins the period; it lasts until the segments in flight are delivered.
    pub(crate) fn extend(&mut self, delivered: u32, in_flight: u32) {
        let from = self.span.filter(|(_, until)| is_past(*until, delivered)).map_or(delivered, |(from, _)| from);
        self.span = Some((from, delivered.wrapping_add(in_flight)));
    }

    /// Whether a sample comes from this period, or from an application-limited one.
    pub(crate) fn limits(&mut self, sample: &RateSample) -> bool {
        let Some((from, until)) = self.span else { return sample.app_limited };
        let within = is_past(sample.prior_delivered, from) && is_past(until, sample.prior_delivered);
        if !within && is_past(sample.prior_delivered, until) {
            self.span = None;
        }
        within || sample.app_limited
    }
}

/// The segments in flight, and when the next segment may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flight {
    /// Segments in flight: the host's estimate when the last segment left, less what has arrived or was lost since.
    pub(crate) now: u32,
    /// The value before the current acknowledgement.
    pub(crate) before: u32,
    /// Segments found lost since the previous acknowledgement.
    lost: u32,
    /// A timeout since the previous acknowledgement has found segments lost.
    timed_out: bool,
    next_departure: Time,
}

impl Flight {
    pub(crate) const NONE: Flight = Flight { now: 0, before: 0, lost: 0, timed_out: false, next_departure: Time::ZERO };

    pub(crate) fn on_sent(&mut self, sent: &Sent, pace: Pace) {
        self.now = sent.in_flight.0;
        self.next_departure = sent.now + pace.spacing();
    }

    pub(crate) fn on_returned(&mut self, segments: Segments) {
        self.now = self.now.saturating_add(segments.0);
    }

    pub(crate) fn on_loss(&mut self, loss: &Loss) {
        match loss.kind {
            LossKind::DuplicateAcks => self.lost = self.lost.saturating_add(loss.lost.0),
            LossKind::Timeout => {
                self.now = 0;
                self.lost = 0;
                self.timed_out = true;
            }
            LossKind::Ecn => {}
        }
    }

    /// Segments found lost with this acknowledgement.
    pub(crate) fn on_ack(&mut self, ack: &Ack) -> u32 {
        let by_ack = if core::mem::take(&mut self.timed_out) { 0 } else { ack.lost.0 };
        let lost = core::mem::take(&mut self.lost).saturating_add(by_ack);
        self.before = self.now;
        self.now = self.now.saturating_sub(ack.delivered.0).saturating_sub(lost);
        lost
    }

    /// The segments that will be in the network when the next one leaves (`bbr_packets_in_net_at_edt`); the next one is
    /// included while the number of segments in flight is to grow.
    pub(crate) fn at_departure(&self, in_flight: u32, now: Time, bandwidth: Bandwidth, more: u32) -> u32 {
        let arrives = bandwidth.segments_in(self.next_departure.since(now).as_nanos() / 1_000);
        in_flight.saturating_add(more).saturating_sub(arrives)
    }
}

/// The host's recovery state, as Linux's `icsk_ca_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Repair {
    Open,
    Recovery,
    Loss,
}

/// A recovery lasts as long as the host says, what a timeout began until all that was sent before is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Episode {
    pub(crate) state: Repair,
    /// The state after the previous acknowledgement.
    pub(crate) before: Repair,
    until: SendIndex,
}

impl Episode {
    pub(crate) const NONE: Episode = Episode { state: Repair::Open, before: Repair::Open, until: SendIndex(0) };

    pub(crate) fn on_loss(&mut self, loss: &Loss) {
        match loss.kind {
            LossKind::Ecn => return,
            LossKind::DuplicateAcks => self.state = Repair::Recovery,
            LossKind::Timeout => {
                self.state = Repair::Loss;
                self.before = Repair::Loss;
            }
        }
        self.until = loss.next;
    }

    pub(crate) fn on_ack(&mut self, ack: &Ack) {
        let is_over = match self.state {
            Repair::Open => return,
            Repair::Recovery => !ack.in_recovery,
            Repair::Loss => ack.newest.0.saturating_add(1) >= self.until.0,
        };
        if is_over {
            self.end();
        }
    }

    pub(crate) fn end(&mut self) {
        self.state = Repair::Open;
    }
}

/// Segments acknowledged beyond what the rate gives, by bursts of acknowledgements: the most of the last five to ten
/// round trips (`bbr_update_ack_aggregation`; draft, section 5.5.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aggregation {
    most: [u16; 2],
    newest: u8,
    rounds: u8,
    epoch_began: Time,
    epoch_acked: u32,
}

/// `bbr_extra_acked_win_rtts`.
const AGGREGATION_ROUNDS: u8 = 5;
/// `bbr_extra_acked_max_us`.
const AGGREGATION_MAX_US: u64 = 100_000;
/// `bbr_ack_epoch_acked_reset_thresh`.
const EPOCH_ACKED_MAX: u32 = 1 << 20;

impl Aggregation {
    pub(crate) const NONE: Aggregation =
        Aggregation { most: [0; 2], newest: 0, rounds: 0, epoch_began: Time::ZERO, epoch_acked: 0 };

    /// Of an acknowledgement with a rate sample. `short` counts one to two round trips only.
    pub(crate) fn on_ack(
        &mut self,
        now: Time,
        delivered: u32,
        rounds: &Rounds,
        bandwidth: Bandwidth,
        window: u32,
        short: bool,
    ) {
        if delivered == 0 {
            return;
        }
        if rounds.starts {
            self.rounds = self.rounds.saturating_add(1);
            if self.rounds >= if short { 1 } else { AGGREGATION_ROUNDS } {
                self.rounds = 0;
                self.newest ^= 1;
                self.most[usize::from(self.newest & 1)] = 0;
            }
        }
        let mut expected = bandwidth.segments_in(now.since(self.epoch_began).as_nanos() / 1_000);
        if self.epoch_acked <= expected || self.epoch_acked.saturating_add(delivered) >= EPOCH_ACKED_MAX {
            self.restart(now);
            expected = 0;
        }
        self.epoch_acked = self.epoch_acked.saturating_add(delivered).min(EPOCH_ACKED_MAX - 1);
        let extra = self.epoch_acked.saturating_sub(expected).min(window).min(u16::MAX.into()) as u16;
        let most = &mut self.most[usize::from(self.newest & 1)];
        *most = (*most).max(extra);
    }

    pub(crate) fn restart(&mut self, now: Time) {
        self.epoch_began = now;
        self.epoch_acked = 0;
    }

    pub(crate) fn get(&self) -> u32 {
        self.most[0].max(self.most[1]).into()
    }

    /// The segments that the window grows by for aggregation.
    pub(crate) fn allowance(&self, bandwidth: Bandwidth) -> u32 {
        self.get().min(bandwidth.segments_in(AGGREGATION_MAX_US))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(filter: &mut Greatest, round: u32, rate: u32) -> u32 {
        filter.sample(10, round, Bandwidth(rate));
        filter.get().0
    }

    /// By hand: 9 of round 1 counts up to round 11; then 7 of round 5, the best since, up to round 15; then what
    /// follows.
    #[test]
    fn the_greatest_rate_is_forgotten_after_ten_rounds() {
        let mut filter = Greatest::NONE;
        assert_eq!(value(&mut filter, 1, 9), 9);
        assert_eq!(value(&mut filter, 5, 7), 9);
        assert_eq!(value(&mut filter, 8, 3), 9);
        assert_eq!(value(&mut filter, 11, 4), 9);
        assert_eq!(value(&mut filter, 12, 4), 7);
        assert_eq!(value(&mut filter, 15, 4), 7);
        assert_eq!(value(&mut filter, 16, 4), 4);
        assert_eq!(value(&mut filter, 17, 8), 8);
    }

    /// 100 segments in 100 ms, 1000 a second: 10 ms carry 10; twice the BDP with an RTT of 50 ms is 100. The pace at a
    /// gain of 1 is 990 a second, a segment every 1.0101 ms.
    #[test]
    fn rates_are_segments_in_time() {
        let rate = Bandwidth::of(100, 100_000);
        // 2^24 / 1000 is no whole number: rounded down, the rate is a little less
        assert_eq!((rate.segments_in(10_001), rate.product(50_000, 2 * ONE)), (10, 100));
        let mut pacing = Pacing::new(10, ONE);
        pacing.set(rate, ONE, true);
        let spacing_ns = pacing.pace().spacing().as_nanos();
        assert!((1_010_100..1_010_200).contains(&spacing_ns), "{spacing_ns}");
        assert_eq!(pacing.segments_in_second_part(10), 98);
    }

    /// Segments sent at 100 to 130 delivered were held back; one from before or after was not.
    #[test]
    fn what_was_held_back_is_known_by_what_was_delivered() {
        let mut held = HeldBack::default();
        held.extend(100, 10);
        held.extend(110, 20);
        let mut at = |prior_delivered| {
            held.limits(&RateSample {
                delivered: Segments(1),
                interval: Span::from_millis(1),
                lost: Segments(0),
                in_flight: Segments(1),
                prior_delivered,
                total: 200,
                app_limited: false,
            })
        };
        assert_eq!([at(99), at(100), at(130), at(131)], [false, true, true, false]);
    }
}
