//! The round-trip times of a connection: which acknowledgements give a sample, and what the samples decide, which is
//! the retransmission timeout ([`rto`]) and the fine-grained timeout of Vegas's mechanisms C and D ([`fine_timeout`]).

mod bsd;
mod fine_timeout;
mod linux;
mod rto;

use vegas_core::Detection;
use vegas_core::units::{Span, Time};

use crate::measure::totals::RttTotals;
use crate::scenario::HostSpec;
use crate::tcp::recovery::acked::AckedTimes;
use fine_timeout::FineTimeout;
use rto::Rto;

/// The round-trip times of a connection, and the timeouts that follow from them.
#[derive(Clone, Debug)]
pub(super) struct Rtt {
    rto: Rto,
    fine: FineTimeout,
    /// Whether mechanism C or D uses the fine-grained timeout.
    uses_fine: bool,
    /// Whether a segment that waited behind a hole gives a sample, too (ns-2's Vegas).
    samples_waiting: bool,
    /// Whether the congestion control hears of RTTs by time stamps, which are whole milliseconds.
    hears_echoes: bool,
    samples: Samples,
}

/// The samples of all segments that give one, for tables. The attribute saves the gap before 128 bits.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(8))]
struct Samples {
    sum_ns: u128,
    count: u64,
    /// The least sample; [`Span::MAX`] before the first, when `newest` is meaningless.
    least: Span,
    newest: Span,
}

impl Rtt {
    pub(super) fn new(host: &HostSpec, detection: &Detection, times_syn: bool, hears_echoes: bool) -> Self {
        Rtt {
            rto: Rto::new(host, detection.retransmit_backs_off, times_syn),
            fine: FineTimeout::default(),
            uses_fine: detection.fine_retransmit || detection.recheck_after_retransmit,
            samples_waiting: detection.samples_waiting,
            hears_echoes,
            samples: Samples { sum_ns: 0, count: 0, least: Span::MAX, newest: Span::ZERO },
        }
    }

    /// Records that a SYN leaves, the first one or another.
    pub(super) fn on_syn(&mut self, now: Time, is_first: bool) {
        self.rto.on_syn(now, is_first);
    }

    /// Handles the end of the handshake; returns its sample on hosts that take one. The echo of a time stamp is `age`
    /// old.
    pub(super) fn on_handshake(&mut self, now: Time, age: Option<Span>) -> Option<Span> {
        self.rto.on_handshake(now, age)
    }

    /// Records that a segment is sent for the first time.
    pub(super) fn on_first_transmission(&mut self, segment: u64, now: Time) {
        self.rto.on_first_transmission(segment, now);
    }

    /// Records that a loss was found before the timeout: the oldest segment is retransmitted, for the first time or
    /// not.
    pub(super) fn on_fast_retransmission(&mut self, repeated: bool) {
        if self.uses_fine {
            self.fine.back_off(repeated);
        }
        self.rto.on_fast_retransmission();
    }

    /// Records that the retransmission timer ran out.
    pub(super) fn on_timeout(&mut self) {
        self.rto.on_timeout();
    }

    /// Handles a timeout after which the next one is as long.
    pub(super) fn on_linear_timeout(&mut self) {
        self.rto.on_linear_timeout();
    }

    /// Takes in, on a BSD host, the times of the segments that an acknowledgement of everything before `una` reports;
    /// `waited` if the newest of them may have waited for the oldest. Returns the round-trip time for the congestion
    /// control.
    pub(super) fn on_acked(&mut self, times: &AckedTimes, waited: bool, una: u64, now: Time) -> Option<Span> {
        let rtt = if self.samples_waiting { times.of_ns2() } else { times.of_bsd(waited) };
        if !self.samples_waiting && times.is_repeated() {
            self.rto.on_retransmission_acked(una);
        }
        self.rto.on_ack(una, now);
        rtt.inspect(|&rtt| self.take(rtt))
    }

    /// Does what `on_acked` does for one segment that did not wait, sent at `sent` and only once.
    #[inline(always)]
    pub(super) fn on_usual_ack(&mut self, una: u64, sent: Time, now: Time) -> Span {
        self.rto.on_ack(una, now);
        let rtt = now.since(sent);
        self.take(rtt);
        rtt
    }

    #[inline(always)]
    fn take(&mut self, rtt: Span) {
        self.samples.add(rtt);
        if self.uses_fine {
            self.fine.sample(rtt);
        }
    }

    /// Takes in, on a Linux host, the times of the segments that an acknowledgement of everything before `una` reports;
    /// `next` is the next segment to send. Where no segment gives a sample the age of the echo does, with
    /// retransmissions, too (RFC 7323, section 4.1; `tcp_ack_update_rtt`). Returns the round-trip time for RACK.
    pub(super) fn on_acked_times(
        &mut self,
        times: &AckedTimes,
        age: Option<Span>,
        una: u64,
        next: u64,
    ) -> Option<Span> {
        let (oldest, newest) = times.of_linux().or(age.map(|age| (age, age)))?;
        self.rto.sample_linux(oldest, una, next);
        self.samples.add(newest);
        Some(newest)
    }

    /// Returns what the congestion control hears of an RTT from these times. The kernel's own hear of all; the program
    /// that brings others into the kernel passes on none of a time stamp, as base RTTs would be up to a millisecond too
    /// short (`sample_ns` in `vegas.bpf.c`).
    pub(super) fn heard(&self, rtt: Option<Span>, times: &AckedTimes) -> Option<Span> {
        rtt.filter(|_| self.hears_echoes || times.of_linux().is_some())
    }

    /// The retransmission timeout.
    pub(super) fn timeout(&self) -> Span {
        self.rto.timeout()
    }

    /// Linux's smoothed round-trip time; `None` before the first sample, and on other hosts.
    pub(super) fn smoothed_linux(&self) -> Option<Span> {
        self.rto.smoothed_linux()
    }

    /// Returns whether the fine-grained timeout of a segment sent at `sent` has passed.
    pub(super) fn is_overdue(&self, sent: Time, now: Time) -> bool {
        self.fine.expired(sent, now)
    }

    /// All samples.
    pub(super) fn totals(&self) -> RttTotals {
        let Samples { sum_ns, count, least, newest } = self.samples;
        let known = |rtt| (count > 0).then_some(rtt);
        RttTotals { newest: known(newest), least: known(least), sum_ns, samples: count }
    }
}

impl Samples {
    fn add(&mut self, rtt: Span) {
        self.sum_ns += u128::from(rtt.as_nanos());
        self.count += 1;
        self.least = self.least.min(rtt);
        self.newest = rtt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::HostKind;
    use crate::tcp::host;

    /// An acknowledgement of what was retransmitted, which gives no sample of its own.
    #[test]
    fn only_copies_of_the_kernels_own_hear_of_echoes() {
        let detection = vegas_core::registry::preset("newreno").expect("a preset").composition.detection;
        let age = Span::from_millis(20);
        let heard = |hears_echoes| {
            let mut rtt = Rtt::new(&host(HostKind::Linux), &detection, false, hears_echoes);
            let times = AckedTimes::default();
            let sample = rtt.on_acked_times(&times, Some(age), 1, 2);
            (sample, rtt.totals().newest, rtt.heard(sample, &times))
        };
        assert_eq!(heard(true), (Some(age), Some(age), Some(age)));
        assert_eq!(heard(false), (Some(age), Some(age), None));
    }
}
