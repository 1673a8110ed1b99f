//! The least RTT and PROBE_RTT: section "ProbeRTT Logic".

use super::cycle::AckPhase;
use super::signals::Sample;
use super::{Bbr, Mode};
use crate::standalone::bbr::shared::UNKNOWN_US;
use crate::units::{Span, Time};

/// BBR.MinRTTFilterLen, BBR.ProbeRTTInterval, BBR.ProbeRTTDuration.
const WINDOW: Span = Span::from_secs(10);
const INTERVAL: Span = Span::from_secs(5);
const DURATION: Span = Span::from_millis(200);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LeastRtt {
    /// BBR.min_rtt.
    pub(super) us: u32,
    at: Time,
    /// BBR.probe_rtt_min_delay.
    probe_us: u32,
    probe_at: Time,
    /// When PROBE_RTT may end; never before little enough is in flight.
    done: Time,
    round_done: bool,
    /// BBR.idle_restart.
    pub(super) restarts: bool,
}

impl LeastRtt {
    pub(super) const NONE: LeastRtt = LeastRtt {
        us: UNKNOWN_US,
        at: Time::ZERO,
        probe_us: UNKNOWN_US,
        probe_at: Time::ZERO,
        done: Time::NEVER,
        round_done: false,
        restarts: false,
    };

    pub(super) fn begin(&mut self, now: Time, rtt_us: u32) {
        *self = LeastRtt { us: rtt_us, at: now, probe_us: rtt_us, probe_at: now, ..*self };
    }
}

impl<const LINUX: bool> Bbr<LINUX> {
    /// UpdateMinRTT, CheckProbeRTT.
    pub(super) fn take_rtt(&mut self, sample: &Sample) {
        let least = &mut self.least;
        let is_old = |us: u32, at: Time, window: Span| us != UNKNOWN_US && sample.now.since(at) > window;
        let expired = is_old(least.probe_us, least.probe_at, INTERVAL);
        if sample.rtt_us != UNKNOWN_US && (sample.rtt_us < least.probe_us || expired) {
            least.probe_us = sample.rtt_us;
            least.probe_at = sample.now;
        }
        // the code lets an equal one keep the old one young
        let is_less = least.probe_us < least.us || LINUX && least.probe_us == least.us;
        if is_less || is_old(least.us, least.at, WINDOW) {
            least.us = least.probe_us;
            least.at = least.probe_at;
        }
        if expired && !least.restarts && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_window();
            self.least.done = Time::NEVER;
            self.probe.ack_phase = AckPhase::Stopping;
            self.rounds.restart();
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(sample.now);
        }
        self.least.restarts &= sample.rate.is_none();
    }

    /// HandleProbeRTT.
    fn probe_rtt(&mut self, now: Time) {
        self.held_back.extend(self.rounds.delivered, self.flight.now);
        if self.least.done == Time::NEVER {
            if self.flight.now <= self.probe_rtt_window() {
                self.least.done = now + DURATION;
                self.least.round_done = false;
                self.rounds.restart();
            }
            return;
        }
        self.least.round_done |= self.rounds.starts;
        if self.least.round_done {
            self.end_probe_rtt_if_due(now);
        }
    }

    /// CheckProbeRTTDone, ExitProbeRTT.
    pub(super) fn end_probe_rtt_if_due(&mut self, now: Time) {
        if self.least.done == Time::NEVER || now <= self.least.done {
            return;
        }
        self.least.probe_at = now;
        self.window.restore();
        self.bounds.forget_short();
        if self.full.reached {
            self.begin_down(now);
            self.begin_cruise();
        } else {
            self.mode = Mode::Startup;
        }
    }
}
