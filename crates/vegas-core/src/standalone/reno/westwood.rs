//! TCP Westwood+ (Mascolo et al. 2001; Grieco and Mascolo, CCR 2004; Linux, `net/ipv4/tcp_westwood.c`): Reno with a
//! window after a loss that the measured bandwidth fills within the least RTT.
//!
//! The bandwidth is what was acknowledged over a round trip, 50 ms at least, filtered twice by an eighth. Times are
//! whole milliseconds, as those of a kernel that counts 1000 ticks a second.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Restart, Status};
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

/// A sample is of a round trip, and of this at least.
const SAMPLE_MIN_MS: u64 = 50;
/// The RTT before the first sample.
const FIRST_RTT_MS: u64 = 20_000;
/// Segments a ms are counted with this many bits after the point: the kernel counts bytes.
const FRACTION_BITS: u32 = 10;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Westwood {
    window: RenoWindow,
    /// When the sample under way began, ms.
    began_ms: u64,
    rtt_ms: u64,
    least_rtt_ms: u64,
    /// Segments acknowledged in the sample under way.
    acked: u32,
    /// Segments counted by duplicate acknowledgements ahead of the one that acknowledges them.
    ahead: u32,
    /// Segments a ms, filtered once, and twice; 0 before the first sample.
    once: u64,
    twice: u64,
    /// The next RTT begins the least one again.
    forgets_least: bool,
    started: bool,
}

impl Westwood {
    /// Whole milliseconds, and 20 s before the first sample.
    pub(crate) const BASE_RTT_HELD: BaseRttHeld =
        BaseRttHeld { rounds_by: Span::from_millis(1), max: Span::from_secs(20) };
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Westwood {
            window: RenoWindow::new(parameters),
            began_ms: 0,
            rtt_ms: FIRST_RTT_MS,
            least_rtt_ms: FIRST_RTT_MS,
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

    fn measure(&mut self, ack: &Ack) {
        let now_ms = millis(ack.now);
        if !self.started {
            self.started = true;
            self.began_ms = now_ms;
        }
        if let Some(rtt) = ack.rtt {
            self.rtt_ms = rtt.as_nanos().div_ceil(1_000_000).max(1);
        }
        let over_ms = now_ms.saturating_sub(self.began_ms);
        if over_ms > self.rtt_ms.max(SAMPLE_MIN_MS) {
            self.filter(over_ms);
            self.acked = 0;
            self.began_ms = now_ms;
        }
        self.acked = self.acked.saturating_add(self.newly_acked(ack));
        self.least_rtt_ms = if self.forgets_least { self.rtt_ms } else { self.least_rtt_ms.min(self.rtt_ms) };
        self.forgets_least = false;
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

    fn filter(&mut self, over_ms: u64) {
        let rate = (u64::from(self.acked) << FRACTION_BITS) / over_ms;
        if self.once == 0 && self.twice == 0 {
            (self.once, self.twice) = (rate, rate);
            return;
        }
        self.once = (7 * self.once + rate) / 8;
        self.twice = (7 * self.twice + self.once) / 8;
    }

    /// Bandwidth times least RTT, at least 2.
    fn product(&self) -> u32 {
        let segments = product(self.twice, self.least_rtt_ms) >> FRACTION_BITS;
        u32::try_from(segments).unwrap_or(u32::MAX).max(2)
    }
}

fn millis(time: Time) -> u64 {
    time.as_nanos() / 1_000_000
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

    fn on_restart(&mut self, restart: &Restart) {
        self.began_ms = millis(restart.now);
        self.acked = 0;
    }

    fn on_path_change(&mut self, _next: SendIndex, now: Time) {
        self.began_ms = millis(now);
        self.acked = 0;
        self.forgets_least = true;
    }

    fn status(&self) -> Status {
        let base_rtt = self.started.then(|| Span::from_millis(1).times(self.least_rtt_ms));
        Status { base_rtt, ..self.window.status(UNKNOWN_US) }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("bandwidth_segments_per_second", (self.twice.saturating_mul(1_000) >> FRACTION_BITS) as i64);
        out("least_rtt_ms", self.least_rtt_ms as i64);
        out("product_segments", self.product().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet arrives every 10 ms, and each time one before it was lost, which QUIC retransmits under another number:
    /// 100 a second. The sample of the first ends after more than 50 ms.
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
        assert!((95..=100).contains(&bandwidth), "{bandwidth}");
    }
}
