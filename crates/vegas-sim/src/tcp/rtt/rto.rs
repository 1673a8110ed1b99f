//! The retransmission timeout (RFC 6298): by the estimator of the host ([`BsdRtt`], with one timed segment at a time,
//! or [`LinuxRtt`], with samples of every segment), within bounds, and backed off.

use vegas_core::units::{Span, Time};

use super::bsd::BsdRtt;
use super::linux::LinuxRtt;
use crate::packet::TimeStamps;
use crate::scenario::{HostKind, HostSpec};

/// The timeout, its estimator and its backoff.
#[derive(Clone, Debug)]
pub(super) struct Rto {
    min: Span,
    max: Span,
    initial: Span,
    estimator: Estimator,
    /// The segment being timed, and when it was sent; [`UNTIMED`] while none is. Hosts that time SYNs time the first
    /// only.
    timed: (u64, Time),
    backoff: u32,
    /// Whether there was a timeout; the end of the handshake asks for it.
    has_timed_out: bool,
    /// Whether a fast retransmission backs off, too (ns-2's Vegas).
    retransmit_backs_off: bool,
    /// Whether the first SYN is timed: on Linux, and where a BSD host is to do so.
    times_syn: bool,
    /// The current timeout.
    timeout: Span,
}

#[derive(Clone, Debug)]
enum Estimator {
    Bsd(BsdRtt),
    Linux(Box<LinuxRtt>),
}

/// The timed segment while none is timed: no acknowledgement reaches it.
const UNTIMED: (u64, Time) = (u64::MAX, Time::NEVER);
/// The limit of the backoff's exponent: even a nanosecond times 2^62 exceeds the greatest timeout.
const BACKOFF_MAX: u32 = 62;
/// The initial timeout after a lost SYN (RFC 6298, section 5.7).
const AFTER_LOST_SYN: Span = Span::from_secs(3);

impl Rto {
    pub(super) fn new(host: &HostSpec, retransmit_backs_off: bool, times_syn: bool) -> Self {
        let mut rto = Rto {
            min: host.rto.min,
            max: host.rto.max,
            initial: host.rto.initial,
            estimator: match host.kind {
                HostKind::Bsd => Estimator::Bsd(BsdRtt::new(host.rto.grain)),
                HostKind::Linux => Estimator::Linux(Box::new(LinuxRtt::new(host.rto.min))),
            },
            timed: UNTIMED,
            backoff: 0,
            has_timed_out: false,
            retransmit_backs_off,
            times_syn: times_syn || host.kind == HostKind::Linux,
            timeout: Span::ZERO,
        };
        rto.set_timeout();
        rto
    }

    /// Records that a SYN leaves, which is timed, unless it is retransmitted.
    pub(super) fn on_syn(&mut self, now: Time, is_first: bool) {
        if is_first && self.times_syn {
            self.timed = (0, now);
        }
    }

    /// Handles the end of the handshake; returns the sample of hosts that time it: of a retransmitted SYN the `age` of
    /// an echoed time stamp. Without one a retransmitted SYN hints at a long path, on which data must not be
    /// retransmitted early (RFC 6298, section 5.7). So does one with an echo that may be older than a packet can say.
    pub(super) fn on_handshake(&mut self, now: Time, age: Option<Span>) -> Option<Span> {
        let age = age.filter(|_| self.longest_handshake() < TimeStamps::ECHO_AGE_LIMIT);
        if self.has_timed_out && age.is_none() && self.initial < AFTER_LOST_SYN {
            self.initial = AFTER_LOST_SYN;
            self.backoff = 0;
            self.set_timeout();
        }
        let (_, sent) = std::mem::replace(&mut self.timed, UNTIMED);
        let sample = (sent != Time::NEVER).then(|| now.since(sent)).or(age)?;
        if let Estimator::Bsd(bsd) = &mut self.estimator {
            bsd.sample(sent, now);
            self.set_timeout();
        }
        self.sample_linux(sample, 0, 0);
        Some(sample)
    }

    /// How long ago the first SYN left at most: the next timeout has not come.
    fn longest_handshake(&self) -> Span {
        let timeouts = (2_u64 << self.backoff) - 1;
        Span::from_nanos(self.initial.as_nanos().saturating_mul(timeouts))
    }

    /// Times a segment that is sent for the first time, unless another one is being timed.
    pub(super) fn on_first_transmission(&mut self, segment: u64, now: Time) {
        if self.timed == UNTIMED && matches!(self.estimator, Estimator::Bsd(_)) {
            self.timed = (segment, now);
        }
    }

    /// Stops timing, because a retransmission makes the sample ambiguous (Karn's rule, RFC 6298, section 3).
    pub(super) fn on_fast_retransmission(&mut self) {
        self.timed = UNTIMED;
        if self.retransmit_backs_off {
            self.back_off();
        }
    }

    /// RFC 6298, section 5.5: backs off the timer.
    pub(super) fn on_timeout(&mut self) {
        self.on_linear_timeout();
        self.back_off();
    }

    /// Records a timeout after which the next one is as long.
    pub(super) fn on_linear_timeout(&mut self) {
        self.timed = UNTIMED;
        self.has_timed_out = true;
    }

    fn back_off(&mut self) {
        self.backoff = (self.backoff + 1).min(BACKOFF_MAX);
        self.set_timeout();
    }

    /// Takes in that everything before `una` is acknowledged, of which a segment was sent more than once: if the timed
    /// segment is one of them it may have waited for that.
    pub(super) fn on_retransmission_acked(&mut self, una: u64) {
        if self.timed.0 < una {
            self.timed = UNTIMED;
        }
    }

    /// Takes in that everything before `una` is acknowledged.
    pub(super) fn on_ack(&mut self, una: u64, now: Time) {
        if self.timed.0 < una {
            self.on_timed(now);
        }
    }

    /// Takes the sample of the timed segment, which is acknowledged; it also ends the backoff.
    #[inline(never)]
    fn on_timed(&mut self, now: Time) {
        let (_, sent) = std::mem::replace(&mut self.timed, UNTIMED);
        if let Estimator::Bsd(bsd) = &mut self.estimator {
            bsd.sample(sent, now);
        }
        self.backoff = 0;
        self.set_timeout();
    }

    /// Takes a sample for Linux's estimator; it also ends the backoff.
    pub(super) fn sample_linux(&mut self, rtt: Span, una: u64, next: u64) {
        if let Estimator::Linux(linux) = &mut self.estimator {
            linux.sample(rtt, una, next);
            self.backoff = 0;
            self.set_timeout();
        }
    }

    /// Linux's smoothed RTT; `None` before the first sample, and on other hosts.
    pub(super) fn smoothed_linux(&self) -> Option<Span> {
        match &self.estimator {
            Estimator::Bsd(_) => None,
            Estimator::Linux(linux) => linux.srtt(),
        }
    }

    /// The current timeout.
    pub(super) fn timeout(&self) -> Span {
        self.timeout
    }

    fn set_timeout(&mut self) {
        let estimated = match &self.estimator {
            Estimator::Bsd(bsd) => bsd.timeout(),
            Estimator::Linux(linux) => linux.timeout(),
        };
        let base = estimated.unwrap_or(self.initial);
        self.timeout = base.max(self.min).times(1 << self.backoff).min(self.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::host;

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// By hand: the first timed segment takes 95 ms, which are 10 ticks of the clock of 10 ms from 5 to 100: the
    /// timeout is 10 + 4 x 5 ticks. Segments sent meanwhile are not timed; the next one sent afterwards is.
    #[test]
    fn one_segment_at_a_time_is_timed() {
        let mut rto = Rto::new(&host(HostKind::Bsd), false, false);
        assert_eq!(rto.timeout(), Span::from_secs(1));
        rto.on_first_transmission(0, ms(5));
        rto.on_first_transmission(1, ms(90));
        rto.on_ack(0, ms(99));
        assert_eq!(rto.timeout(), Span::from_secs(1));
        rto.on_ack(1, ms(100));
        assert_eq!(rto.timeout(), Span::from_millis(300));
        rto.on_ack(2, ms(500));
        assert_eq!(rto.timeout(), Span::from_millis(300));
    }

    /// A timeout doubles the timeout and stops the timing (Karn's rule): only the sample of a segment that is sent
    /// afterwards ends the backoff. By hand for it: an RTT of 10 ticks again lets the variation decay from 5 to 3.75
    /// ticks.
    #[test]
    fn the_backoff_lasts_until_a_sample() {
        let mut rto = Rto::new(&host(HostKind::Bsd), false, false);
        rto.on_first_transmission(0, ms(0));
        rto.on_ack(1, ms(100));
        rto.on_first_transmission(1, ms(100));
        rto.on_timeout();
        rto.on_timeout();
        assert_eq!(rto.timeout(), Span::from_millis(1200));
        rto.on_ack(2, ms(1500));
        assert_eq!(rto.timeout(), Span::from_millis(1200));
        rto.on_first_transmission(2, ms(1500));
        rto.on_ack(3, ms(1600));
        assert_eq!(rto.timeout(), Span::from_millis(250));
    }

    /// Only ns-2's Vegas backs off at a fast retransmission; all hosts stop timing there.
    #[test]
    fn a_fast_retransmission_stops_the_timing() {
        for (backs_off, timeout) in [(false, 1), (true, 2)] {
            let mut rto = Rto::new(&host(HostKind::Bsd), backs_off, false);
            rto.on_first_transmission(0, ms(0));
            rto.on_fast_retransmission();
            rto.on_ack(1, ms(100));
            assert_eq!(rto.timeout(), Span::from_secs(timeout));
        }
    }

    /// Linux takes the handshake's round trip, and BSD where it is to, unless the SYN was lost: then the timeout is 3 s
    /// (RFC 6298, section 5.7), or by a time stamp what it is without the loss.
    #[test]
    fn the_handshake_gives_a_sample_on_hosts_that_time_it() {
        let sample = Some(Span::from_millis(100));
        for (kind, times_syn, lost, age, expected, timeout) in [
            (HostKind::Linux, false, false, None, sample, Span::from_millis(300)),
            (HostKind::Linux, false, true, None, None, Span::from_secs(3)),
            (HostKind::Linux, false, true, sample, sample, Span::from_millis(300)),
            (HostKind::Bsd, false, false, None, None, Span::from_secs(1)),
            (HostKind::Bsd, true, false, None, sample, Span::from_millis(300)),
            (HostKind::Bsd, true, true, None, None, Span::from_secs(3)),
            (HostKind::Bsd, false, true, None, None, Span::from_secs(3)),
        ] {
            let mut rto = Rto::new(&host(kind), false, times_syn);
            rto.on_syn(ms(0), true);
            if lost {
                rto.on_timeout();
                rto.on_syn(ms(1000), false);
            }
            assert_eq!(rto.on_handshake(ms(1100 - if lost { 0 } else { 1000 }), age), expected, "{kind:?}, {lost}");
            assert_eq!(rto.timeout(), timeout, "{kind:?}, {lost}");
        }
    }
}
