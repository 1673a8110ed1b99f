//! Vegas (Brakmo and Peterson 1995) as the preset has it: windows in units of 2^-28 segment, RTTs in ns.
//!
//!     RUSTFLAGS="-C link-arg=-zstack-size=4096" cargo build --release --target wasm32-unknown-unknown
#![no_std]

const ONE: i64 = 1 << 28;

/// What the host reads after each event comes first.
#[repr(C)]
struct Vegas {
    window: i64,
    pace_ns: i64,
    ssthresh: i64,
    base_rtt_ns: i64,
    diff: i64,
    limits: Limits,
    /// Of each acknowledgement.
    growth: i64,
    /// The growth is slow start's.
    opening: bool,
    /// The round before did not grow.
    rested: bool,
    last_cut_ns: i64,
    round: Round,
}

/// What the flow asks for.
struct Limits {
    restart_window: i64,
    max_window: i64,
    alpha: i64,
    beta: i64,
    gamma: i64,
}

/// The round's last segment, its beginning, and its RTT samples.
struct Round {
    end: i64,
    began_ns: i64,
    rtt_sum_ns: i64,
    samples: i64,
}

// one instance of the module serves one connection
static mut VEGAS: Vegas = Vegas {
    window: 0,
    pace_ns: 0,
    ssthresh: -1,
    base_rtt_ns: -1,
    diff: i64::MIN,
    limits: Limits { restart_window: 0, max_window: 0, alpha: 0, beta: 0, gamma: 0 },
    growth: 0,
    opening: true,
    rested: false,
    last_cut_ns: -1,
    round: Round { end: 0, began_ns: 0, rtt_sum_ns: 0, samples: 0 },
};

fn vegas() -> &'static mut Vegas {
    unsafe { &mut *&raw mut VEGAS }
}

impl Vegas {
    fn in_slow_start(&self) -> bool {
        self.ssthresh < 0 || self.window < self.ssthresh * ONE
    }

    fn leave_slow_start(&mut self) {
        (self.ssthresh, self.growth, self.opening) = (2, 0, false);
    }

    fn begin_round(&mut self, end: i64, now_ns: i64) {
        self.round = Round { end, began_ns: now_ns, rtt_sum_ns: 0, samples: 0 };
    }

    fn end_round(&mut self, now_ns: i64, in_flight: i64, newest: i64, next: i64) {
        let sent = (next - self.round.end).max(0);
        let base_ns = self.base_rtt_ns;
        if base_ns >= 0 {
            let Round { began_ns, rtt_sum_ns, samples, .. } = self.round;
            let mean_ns = if samples > 0 { rtt_sum_ns / samples } else { now_ns - began_ns };
            let rtt_ns = mean_ns.max(base_ns);
            // rounded half up
            self.diff = (2 * (in_flight * rtt_ns - sent * base_ns) + rtt_ns).div_euclid(2 * rtt_ns);
        }
        self.begin_round(next.max(newest + 1), now_ns);
        self.steer(if base_ns < 0 { 0 } else { self.diff });
    }

    fn steer(&mut self, diff: i64) {
        if !self.in_slow_start() {
            self.leave_slow_start();
            if diff > self.limits.beta {
                self.shrink_to(self.window - ONE);
            } else if diff < self.limits.alpha {
                // one segment spread over the window, rounded up
                self.growth = ((ONE * ONE + self.window - 1) / self.window).min(ONE);
            }
            return;
        }
        let grows = self.rested;
        self.rested = !grows;
        (self.growth, self.opening) = (if grows { ONE } else { 0 }, true);
        if grows && diff > self.limits.gamma {
            self.leave_slow_start();
            self.shrink_to(self.window - self.window / 8);
        }
    }

    fn shrink_to(&mut self, window: i64) {
        self.window = window.max(2 * ONE).min(self.window);
    }
}

#[unsafe(no_mangle)]
extern "C" fn start(
    initial: i32,
    restart: i32,
    max: i32,
    ssthresh: i32,
    alpha: i32,
    beta: i32,
    gamma: i32,
    _: i64,
) -> *const Vegas {
    let vegas = vegas();
    vegas.window = i64::from(initial) * ONE;
    vegas.ssthresh = ssthresh.into();
    vegas.limits = Limits {
        restart_window: i64::from(restart) * ONE,
        max_window: i64::from(max) * ONE,
        alpha: alpha.into(),
        beta: beta.into(),
        gamma: gamma.into(),
    };
    vegas
}

#[unsafe(no_mangle)]
extern "C" fn on_ack(now_ns: i64, rtt_ns: i64, _acked: i32, flying: i32, newest: i64, next: i64, marks: i32, _: i32) {
    let vegas = vegas();
    if vegas.opening && !vegas.in_slow_start() {
        (vegas.growth, vegas.opening) = (0, false);
    }
    if newest >= vegas.round.end {
        vegas.end_round(now_ns, flying.into(), newest, next);
    }
    if vegas.window <= (i64::from(flying) + 2) * ONE && marks == 0 {
        vegas.window = (vegas.window + vegas.growth).min(vegas.limits.max_window);
    }
    if rtt_ns >= 0 {
        vegas.round.rtt_sum_ns += rtt_ns;
        vegas.round.samples += 1;
        vegas.base_rtt_ns = if vegas.base_rtt_ns < 0 { rtt_ns } else { rtt_ns.min(vegas.base_rtt_ns) };
    }
}

#[unsafe(no_mangle)]
extern "C" fn on_loss(now_ns: i64, kind: i32, sent_ns: i64, again: i32, _flying: i32, next: i64, _lost: i32) {
    let vegas = vegas();
    let whole = vegas.window / ONE;
    if kind == 1 {
        // a timeout
        vegas.ssthresh = (whole / 2).max(2);
        vegas.window = vegas.limits.restart_window.min(vegas.window);
        (vegas.growth, vegas.opening, vegas.rested) = (0, true, false);
        vegas.begin_round(next, now_ns);
    } else if sent_ns > vegas.last_cut_ns {
        let cut = if again > 0 { whole / 2 } else { whole - whole / 4 };
        vegas.window = (if whole > 3 { cut * ONE } else { 2 * ONE }).min(vegas.window);
        vegas.ssthresh = 2;
    } else {
        return;
    }
    vegas.last_cut_ns = now_ns;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
