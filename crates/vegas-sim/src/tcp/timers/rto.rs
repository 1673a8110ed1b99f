//! The retransmission timeout: RFC 6298 on a clock with a settable grain, with one timed segment at a time as in BSD;
//! or [`LinuxRtt`], which takes samples of every segment.

use vegas_core::units::{Span, Time};

use crate::scenario::{HostKind, HostSpec};
use crate::tcp::linux::rtt::LinuxRtt;

/// The estimator and its backoff. A tick is the host's clock grain.
#[derive(Clone, Debug)]
pub(crate) struct Rto {
    grain: Span,
    min: Span,
    max: Span,
    initial: Span,
    /// 8 x smoothed RTT, ticks; zero before the first sample.
    srtt_8: u64,
    /// 4 x RTT variation, ticks.
    rttvar_4: u64,
    backoff: u32,
    /// The segment being timed, and when it was sent; [`UNTIMED`] while none is.
    timed: (u64, Time),
    /// Linux's estimator, which replaces `srtt_8`, `rttvar_4` and `timed`.
    linux: Option<Box<LinuxRtt>>,
    /// The current timeout.
    timeout: Span,
}

/// The timed segment while none is timed: no acknowledgement reaches it.
const UNTIMED: (u64, Time) = (u64::MAX, Time::NEVER);
/// The limit of the backoff's exponent: a factor of 2^16 always exceeds the greatest timeout.
const BACKOFF_MAX: u32 = 16;

/// The initial timeout after a lost SYN (RFC 6298, section 5.7).
const AFTER_LOST_SYN: Span = Span::from_secs(3);

impl Rto {
    pub(crate) fn new(host: &HostSpec) -> Self {
        let mut rto = Rto {
            grain: host.rto_grain,
            min: host.rto_min,
            max: host.rto_max,
            initial: host.rto_initial,
            srtt_8: 0,
            rttvar_4: 0,
            backoff: 0,
            timed: UNTIMED,
            linux: (host.kind == HostKind::Linux).then(|| Box::new(LinuxRtt::new(host.rto_min))),
            timeout: Span::ZERO,
        };
        rto.set_timeout();
        rto
    }

    /// Handles the end of the handshake. A retransmitted SYN hints at a long path, on which data must not be
    /// retransmitted early (RFC 6298, section 5.7).
    pub(crate) fn on_handshake(&mut self) {
        if self.backoff > 0 && self.initial < AFTER_LOST_SYN {
            self.initial = AFTER_LOST_SYN;
            self.backoff = 0;
            self.set_timeout();
        }
    }

    /// Times a segment that is sent for the first time, unless another one is being timed.
    #[inline(always)]
    pub(crate) fn on_first_transmission(&mut self, segment: u64, now: Time) {
        if self.timed == UNTIMED && self.linux.is_none() {
            self.timed = (segment, now);
        }
    }

    /// Stops timing, because a retransmission makes the sample ambiguous (Karn's rule, RFC 6298 section 3).
    pub(crate) fn stop_timing(&mut self) {
        self.timed = UNTIMED;
    }

    /// Takes in that everything before `una` is acknowledged.
    #[inline]
    pub(crate) fn on_ack(&mut self, una: u64, now: Time) {
        if self.timed.0 < una {
            self.on_timed(now);
        }
    }

    /// Takes the sample of the timed segment, which is acknowledged.
    #[inline(never)]
    fn on_timed(&mut self, now: Time) {
        let (_, sent) = std::mem::replace(&mut self.timed, UNTIMED);
        self.backoff = 0;
        self.sample(self.ticks(now).saturating_sub(self.ticks(sent)).max(1));
        self.set_timeout();
    }

    /// Takes a sample for Linux's estimator; it also ends the backoff.
    pub(crate) fn sample_linux(&mut self, rtt: Span, una: u64, next: u64) {
        if let Some(linux) = &mut self.linux {
            linux.sample(rtt, una, next);
            self.backoff = 0;
            self.set_timeout();
        }
    }

    /// Linux's smoothed RTT; `None` before the first sample.
    pub(crate) fn srtt_linux(&self) -> Option<Span> {
        self.linux.as_ref().and_then(|linux| linux.srtt())
    }

    /// RFC 6298, section 5.5: back off the timer.
    pub(crate) fn on_timeout(&mut self) {
        self.timed = UNTIMED;
        self.back_off();
    }

    pub(crate) fn back_off(&mut self) {
        self.backoff = (self.backoff + 1).min(BACKOFF_MAX);
        self.set_timeout();
    }

    /// The current timeout.
    pub(crate) fn timeout(&self) -> Span {
        self.timeout
    }

    fn set_timeout(&mut self) {
        let base = match (&self.linux, self.srtt_8) {
            (Some(linux), _) => linux.timeout().unwrap_or(self.initial),
            (None, 0) => self.initial,
            (None, srtt_8) => self.grain.times(srtt_8 / 8 + self.rttvar_4.max(1)),
        };
        self.timeout = base.max(self.min).times(1 << self.backoff).min(self.max);
    }

    /// RFC 6298, section 2, in Jacobson's scaled integers, with gains of 1/8 and 1/4.
    fn sample(&mut self, ticks: u64) {
        if self.srtt_8 == 0 {
            self.srtt_8 = 8 * ticks;
            self.rttvar_4 = 2 * ticks;
            return;
        }
        let error = ticks.abs_diff(self.srtt_8 / 8);
        self.rttvar_4 = (self.rttvar_4 + error - self.rttvar_4 / 4).max(1);
        self.srtt_8 = (self.srtt_8 + ticks - self.srtt_8 / 8).max(1);
    }

    fn ticks(&self, time: Time) -> u64 {
        time.as_nanos() / self.grain.as_nanos()
    }
}
