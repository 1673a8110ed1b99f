//! TCP Westwood+ (Mascolo et al. 2001; Grieco and Mascolo, CCR 2004; Linux, `net/ipv4/tcp_westwood.c`): Reno with a
//! window after a loss that the measured bandwidth fills within the least RTT.
//!
//! The bandwidth is what was acknowledged over a round trip, 50 ms at least, filtered twice by an eighth. Times are in
//! the kernel's ticks.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::ticks::{Clock, Ticks};
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Status};
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window};
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, SendIndex, Span, Time, Window, product};

pub(crate) const PRESET: Preset = Preset {
    name: "westwood",
    summary: "Reno that answers a loss with the window that the measured bandwidth fills without a queue",
    source: "Grieco and Mascolo 2004; Linux, net/ipv4/tcp_westwood.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// A sample is of a round trip, and of a second through this at least.
const SAMPLES_A_SECOND: Ticks = 20;
/// The RTT before the first sample.
const FIRST_RTT: Span = Span::from_secs(20);
/// Segments a tick are counted with this many bits after the point: the kernel counts bytes.
const FRACTION_BITS: u32 = 10;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Westwood {
    window: RenoWindow,
    clock: Clock,
    /// When the sample under way began.
    began: Ticks,
    rtt: Ticks,
    least_rtt: Ticks,
    /// Segments acknowledged in the sample under way.
    acked: u32,
    /// Segments counted by duplicate acknowledgements ahead of the one that acknowledges them.
    ahead: u32,
    /// Segments a tick, filtered once, and twice; 0 before the first sample.
    once: u64,
    twice: u64,
    /// The next RTT begins the least one again.
    forgets_least: bool,
    started: bool,
}

impl Westwood {
    /// Whole ticks, and 20 s before the first sample.
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld { rounds_by: Clock::LONGEST, max: FIRST_RTT };
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        let clock = Clock::new(parameters.ticks_per_second);
        let first_rtt = clock.covering(FIRST_RTT);
        Westwood {
            window: RenoWindow::new(parameters),
            clock,
            began: 0,
            rtt: first_rtt,
            least_rtt: first_rtt,
            acked: 0,
            ahead: 0,
            once: 0,
            twice: 0,
            forgets_least: true,
            started: false,
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    /// An acknowledgement's RTT counts from the next one on: the kernel tells the module of it afterwards
    /// (`tcp_in_ack_event`, `tcp_clean_rtx_queue`).
    fn measure(&mut self, ack: &Ack) {
        let now = self.clock.at(ack.now);
        if !self.started {
            self.started = true;
            self.began = self.clock.at_establishment(ack.now, ack.rtt);
        }
        let over = now.wrapping_sub(self.began);
        if over > self.rtt.max(self.clock.second() / SAMPLES_A_SECOND) {
            self.filter(over);
            self.acked = 0;
            self.began = now;
        }
        self.acked = self.acked.saturating_add(self.newly_acked(ack));
        self.least_rtt = if self.forgets_least { self.rtt } else { self.least_rtt.min(self.rtt) };
        self.forgets_least = false;
        self.rtt = ack.rtt.map_or(self.rtt, |rtt| self.clock.covering(rtt));
    }

    /// A duplicate counts one segment, which the acknowledgement that covers it then does not count again (Westwood's
    /// `AckedCount`).
    fn newly_acked(&mut self, ack: &Ack) -> u32 {
        let covered = ack.acked.0;
        if covered == 0 {
            self.ahead = self.ahead.saturating_add(1);
            return 1;
        }
        if covered == 1 {
            return 1;
        }
        let counted = self.ahead.min(covered);
        self.ahead -= counted;
        (covered - counted).max(1)
    }

    fn filter(&mut self, over: Ticks) {
        let rate = (u64::from(self.acked) << FRACTION_BITS) / u64::from(over);
        if self.once == 0 && self.twice == 0 {
            (self.once, self.twice) = (rate, rate);
            return;
        }
        self.once = (7 * self.once + rate) / 8;
        self.twice = (7 * self.twice + self.once) / 8;
    }

    /// Bandwidth times least RTT, at least 2.
    fn product(&self) -> u32 {
        let segments = product(self.twice, self.least_rtt.into()) >> FRACTION_BITS;
        u32::try_from(segments).unwrap_or(u32::MAX).max(2)
    }
}

impl CongestionControl for Westwood {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        self.measure(ack);
        if ack.may_grow() && ack.window_limited {
            self.window.reno(ack.acked);
        }
    }

    /// During recovery the window is Reno's half; then, and after a timeout at once, the product is the threshold.
    fn on_loss(&mut self, loss: &Loss) {
        match loss.kind {
            LossKind::DuplicateAcks | LossKind::Ecn => self.window.cut_to(self.window.get() / 2),
            // CA_EVENT_LOSS, which goes with a new threshold
            LossKind::Timeout if !loss.threshold_holds => {
                self.window.restart(self.product());
                self.forgets_least = true;
            }
            LossKind::Timeout => self.window.hold(),
        }
    }

    fn on_recovered(&mut self, _now: Time) {
        let product = self.product();
        self.window.steer(product, product);
    }

    fn on_path_change(&mut self, _next: SendIndex, now: Time) {
        self.began = self.clock.at(now);
        self.acked = 0;
        self.forgets_least = true;
    }

    fn status(&self) -> Status {
        let base_rtt = self.started.then(|| self.clock.span(self.least_rtt.min(self.rtt)));
        Status { base_rtt, ..self.window.status(UNKNOWN_US) }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out(
            "bandwidth_segments_per_second",
            (self.twice.saturating_mul(self.clock.second().into()) >> FRACTION_BITS) as i64,
        );
        out("least_rtt_ticks", self.least_rtt.into());
        out("product_segments", self.product().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet arrives every 10 ms, and each time one before it was lost, which QUIC retransmits under another number:
    /// 100 a second. The first sample has the five of 15 ticks from the handshake on, 341 in 2^-10 a tick, and the next
    /// two have six, 409: filtered once 349 and 356, twice 342 and 343, 83 a second.
    #[test]
    fn what_was_lost_is_no_bandwidth() {
        let mut westwood = Westwood::start(&PRESET.parameters, 1);
        for packet in 1..=20_u64 {
            let now = Time::ZERO + Span::from_millis(10 * packet);
            let rtt = Some(Span::from_millis(10));
            let one = Segments(1);
            let newest = SendIndex(2 * packet);
            westwood.on_ack(&Ack { now, rtt, acked: one, delivered: one, newest, ..Ack::default() });
        }
        let mut bandwidth = 0;
        westwood.report(&mut |name, value| {
            if name == "bandwidth_segments_per_second" {
                bandwidth = value;
            }
        });
        assert_eq!(bandwidth, 83);
    }
}
