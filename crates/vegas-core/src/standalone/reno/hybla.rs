//! TCP Hybla (Caini and Firrincieli, IJSCN 2004; Linux, `net/ipv4/tcp_hybla.c` with its defaults): Reno that grows in
//! time as it would on a path of 25 ms. With rho, the RTT over 25 ms, each acknowledgement adds 2^rho - 1 segments in
//! slow start, and rho^2 / window after it.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Status};
use crate::standalone::Preset;
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window, micros};
use crate::units::{Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "hybla",
    summary: "Reno that grows as fast as on a path of 25 ms: 2^rho - 1 and rho^2 / window, rho the RTT over 25 ms",
    source: "Caini and Firrincieli 2004; Linux, net/ipv4/tcp_hybla.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(2), max_window: Segments(MAX_WINDOW), ..RENO_PARAMETERS },
    standalone: None,
};

/// The RTT of the path as on which the window grows.
const REFERENCE_RTT_US: u32 = 25_000;
/// The kernel's `snd_cwnd_clamp` for Hybla.
const MAX_WINDOW: u32 = 65_535;
/// Rho in eighths, increments in 128ths.
const RHO_SHIFT: u32 = 3;
const ONE_SHIFT: u32 = 7;
const ONE: u32 = 1 << ONE_SHIFT;
/// 2^(n/8) in 128ths, rounded down.
const POWERS: [u32; 8] = [128, 139, 152, 165, 181, 197, 215, 234];
/// The greatest whole part of rho in slow start.
const RHO_MAX: u32 = 16;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hybla {
    window: RenoWindow,
    /// Eight times the smoothed RTT (RFC 6298), and the least one with which the window grew; 0: none yet.
    srtt_8us: u32,
    least_srtt_8us: u32,
    /// Rho in eighths, at least 1; 0 before the first RTT.
    rho_8: u32,
    /// What is left of increments, in 128ths.
    rest: u32,
    /// The newest segment that is known to have been sent, and the one that ends the repair after a timeout.
    sent_to: SendIndex,
    repaired_at: SendIndex,
}

impl Hybla {
    pub(crate) const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Hybla {
            window: RenoWindow::new(parameters),
            srtt_8us: 0,
            least_srtt_8us: 0,
            rho_8: 0,
            rest: 0,
            sent_to: SendIndex(0),
            repaired_at: SendIndex(0),
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    fn smooth(&mut self, rtt: Span) {
        let rtt_us = micros(rtt).min(u32::MAX >> (RHO_SHIFT + 1));
        self.srtt_8us = match self.srtt_8us {
            0 => rtt_us << RHO_SHIFT,
            srtt => srtt - (srtt >> RHO_SHIFT) + rtt_us,
        };
    }

    /// Rho follows the least of the smoothed RTTs.
    fn measure(&mut self) {
        if self.srtt_8us > 0 && (self.rho_8 == 0 || self.srtt_8us < self.least_srtt_8us) {
            self.rho_8 = (self.srtt_8us / REFERENCE_RTT_US).max(1 << RHO_SHIFT);
            self.least_srtt_8us = self.srtt_8us;
        }
    }

    fn grow(&mut self, acked: Segments) {
        let in_slow_start = self.window.in_slow_start();
        let increment = if in_slow_start { self.slow_start_increment() } else { self.avoidance_increment() };
        let whole = (increment >> ONE_SHIFT) + ((self.rest + increment % ONE) >> ONE_SHIFT);
        self.rest = (self.rest + increment % ONE) % ONE;
        if in_slow_start {
            self.window.slow_start(Segments(whole));
        } else if whole > 0 {
            self.window.add(whole);
        } else if increment == 0 {
            // rho^2 is less than a 128th of the window: Reno's segment a window
            self.window.count(acked.0.min(1));
            self.window.add_counted_window();
        }
    }

    /// 2^rho - 1.
    fn slow_start_increment(&self) -> u32 {
        let (whole, eighths) = (self.rho_8 >> RHO_SHIFT, self.rho_8 as usize % POWERS.len());
        (POWERS[eighths] << whole.min(RHO_MAX)) - ONE
    }

    /// rho^2 / window.
    fn avoidance_increment(&self) -> u32 {
        let square = (u64::from(self.rho_8) * u64::from(self.rho_8)) << (ONE_SHIFT - 2 * RHO_SHIFT);
        (square / u64::from(self.window.get().max(1))).min(u32::MAX.into()) as u32
    }
}

impl CongestionControl for Hybla {
    handed_to_window!();

    /// The window begins as rho.
    fn on_handshake(&mut self, _now: Time, rtt: Span) {
        self.smooth(rtt);
        self.measure();
        self.window.follow(Window::whole(Segments(self.rho_8 >> RHO_SHIFT)), self.window.ssthresh());
    }

    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.smooth(rtt);
        }
        self.sent_to = self.sent_to.max(ack.next);
        if !ack.may_grow() {
            return;
        }
        self.measure();
        if !ack.window_limited {
            return;
        }
        // until a timeout is repaired, the kernel's growth is Reno's
        if self.rho_8 == 0 || ack.newest.0.saturating_add(1) < self.repaired_at.0 {
            self.window.reno(ack.acked);
        } else {
            self.grow(ack.acked);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.answer(loss, self.window.get() / 2);
        if loss.kind == LossKind::Timeout {
            self.repaired_at = self.sent_to.max(loss.next);
        }
    }

    fn on_path_change(&mut self, _next: SendIndex, _now: Time) {
        (self.srtt_8us, self.least_srtt_8us, self.rho_8) = (0, 0, 0);
    }

    fn status(&self) -> Status {
        self.window.status(UNKNOWN_US)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("rho_eighths", self.rho_8.into());
        out("rest_per_128", self.rest.into());
    }
}
