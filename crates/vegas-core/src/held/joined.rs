//! A standalone algorithm as hosts hold it: alone, or with a composition's slow start in place of its own.
//!
//! While that slow start lasts, it sets the window. The algorithm receives every event meanwhile, so that it has
//! round-trip times and rates when slow start ends, and it follows the window. Slow start ends by the part's own test,
//! by a test of the algorithm, or by the algorithm's response to congestion or loss. After a timeout the part grows the
//! window to the threshold that the algorithm has set.

use crate::composition::algorithm::Algorithm;
use crate::composition::wide::Wide;
use crate::contract::{
    Ack, CongestionControl, Loss, LossKind, LostSegment, Needs, Output, Phase, Restart, Sent, Status,
};
use crate::standalone::{Standalone, StandaloneControl};
use crate::units::{Segments, SendIndex, Span, Time, Window};

/// A standalone algorithm, and the slow start that it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    control: StandaloneControl,
    opening: Option<Opening>,
}

/// A slow start that replaces the algorithm's own.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Opening {
    parts: Wide,
    lasts: bool,
}

impl Joined {
    /// The state of a new connection.
    pub(crate) fn start(which: Standalone, algorithm: &Algorithm, seed: u64) -> Self {
        let mut control = StandaloneControl::with_parts(which, algorithm, seed);
        let opening = which.is_opened_by(algorithm.composition()).then(|| {
            let parts = Wide::new(*algorithm);
            let lasts = parts.status().phase == Phase::SlowStart;
            Opening { parts, lasts }
        });
        if let Some(opening) = &opening {
            opening.lead(&mut control);
        }
        Joined { control, opening }
    }
}

impl From<StandaloneControl> for Joined {
    fn from(control: StandaloneControl) -> Self {
        Joined { control, opening: None }
    }
}

impl Opening {
    /// Gives the window to the algorithm, which leaves slow start when this slow start ends.
    fn lead(&self, control: &mut StandaloneControl) {
        let status = self.parts.status();
        let over = Some(status.window.floor());
        control.follow(status.window, if self.lasts { status.ssthresh } else { over });
    }

    /// Takes back growth of a window that does not limit the sender, for an algorithm that would apply this rule
    /// itself.
    fn on_ack(&mut self, ack: &Ack, heeds_limit: bool) {
        let before = self.parts.output().window;
        self.parts.on_ack(ack);
        if heeds_limit && !ack.window_limited {
            self.parts.hold_to(before);
        }
        self.lasts = self.parts.status().phase == Phase::SlowStart;
    }
}

/// Whether the algorithm has ended the slow start that it follows: it has lowered the threshold or the window, or has
/// left slow start without a threshold. It does not end slow start when its own growth, which is discarded, reaches the
/// threshold.
fn has_left(before: &Status, after: &Status) -> bool {
    let is_lower = |threshold| before.ssthresh.is_none_or(|earlier| threshold < earlier);
    let by_threshold = after.ssthresh.map_or(after.phase == Phase::Avoidance, is_lower);
    by_threshold || after.window < before.window
}

impl CongestionControl for Joined {
    fn needs(&self) -> Needs {
        let own = self.control.needs();
        self.opening.as_ref().map_or(own, |opening| own.and(&opening.parts.needs()))
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.control.on_handshake(now, rtt);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.control.on_sent(sent);
    }

    fn on_segment_lost(&mut self, lost: &LostSegment) {
        self.control.on_segment_lost(lost);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let Some(opening) = self.opening.as_mut().filter(|opening| opening.lasts) else {
            return self.control.on_ack(ack);
        };
        let before = self.control.status();
        self.control.on_ack(ack);
        if has_left(&before, &self.control.status()) {
            opening.lasts = false;
            return;
        }
        opening.on_ack(ack, self.control.needs().window_limited);
        opening.lead(&mut self.control);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.control.on_loss(loss);
        let Some(opening) = &mut self.opening else { return };
        if opening.lasts || loss.kind == LossKind::Timeout {
            let status = self.control.status();
            opening.parts.on_loss(loss);
            opening.parts.go_on_from(status.window, status.ssthresh);
            opening.lasts = status.phase == Phase::SlowStart;
        }
    }

    fn on_recovered(&mut self, now: Time) {
        self.control.on_recovered(now);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.control.on_spurious(&before.control);
        let (Some(opening), Some(before)) = (&mut self.opening, &before.opening) else { return };
        let opens = self.control.status().phase == Phase::SlowStart;
        *opening = Opening { lasts: before.lasts && opens, ..before.clone() };
        if opening.lasts {
            opening.lead(&mut self.control);
        }
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.control.on_restart(restart);
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        self.control.on_path_change(next, now);
        if let Some(opening) = &mut self.opening {
            opening.parts.on_path_change(next, now);
        }
    }

    fn hold_to(&mut self, most: Window) {
        self.control.hold_to(most);
        if let Some(opening) = self.opening.as_mut().filter(|opening| opening.lasts) {
            opening.parts.hold_to(most);
            opening.lead(&mut self.control);
        }
    }

    fn output(&self) -> Output {
        let own = self.control.output();
        match self.opening.as_ref().filter(|opening| opening.lasts) {
            None => own,
            Some(Opening { parts, .. }) => {
                let Output { window, pace, .. } = parts.output();
                Output { window, pace: pace.or(own.pace), quantum: Segments(1) }
            }
        }
    }

    fn status(&self) -> Status {
        let own = self.control.status();
        match self.opening.as_ref().filter(|opening| opening.lasts) {
            None => own,
            Some(Opening { parts, .. }) => {
                let status = parts.status();
                Status { base_rtt: status.base_rtt.or(own.base_rtt), diff: status.diff.or(own.diff), ..status }
            }
        }
    }

    fn state_name(&self) -> Option<&'static str> {
        self.control.state_name()
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        self.control.report(out);
    }
}
