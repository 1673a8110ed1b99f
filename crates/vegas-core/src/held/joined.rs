//! A standalone algorithm with a composition's slow start in place of its own.
//!
//! While that slow start lasts, it sets the window. The algorithm receives every event meanwhile, so that it has
//! round-trip times and rates when slow start ends, and it follows the window. Slow start ends by the part's own test,
//! by a test of the algorithm, or by the algorithm's response to congestion or loss. After a timeout the part grows the
//! window to the threshold that the algorithm has set; without a signal its least RTT is of what comes then, as Linux's
//! CUBIC has it (`bictcp_reset`).

use crate::composition::algorithm::Algorithm;
use crate::composition::composed::Composed;
use crate::composition::parts::signal::Signal;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Output, Phase, Restart, Status};
use crate::standalone::Follow;
use crate::units::{Segments, SendIndex, Time, Window};

/// A standalone algorithm, and the slow start that it was given.
#[derive(Clone, Debug)]
pub(crate) struct Joined<C> {
    control: C,
    follow: Follow<C>,
    /// The algorithm does not grow a window that does not limit the sender.
    heeds_limit: bool,
    slow_start: Composed,
    lasts: bool,
}

impl<C: CongestionControl> Joined<C> {
    /// The state of a new connection.
    pub(crate) fn new(control: C, follow: Follow<C>, heeds_limit: bool, algorithm: &Algorithm) -> Self {
        let slow_start = Composed::new(*algorithm);
        let lasts = slow_start.status().phase == Phase::SlowStart;
        let mut joined = Joined { control, follow, heeds_limit, slow_start, lasts };
        joined.lead();
        joined
    }

    /// Gives the window to the algorithm, which leaves slow start when this slow start ends.
    fn lead(&mut self) {
        let status = self.slow_start.status();
        let over = Some(status.window.floor());
        (self.follow)(&mut self.control, status.window, if self.lasts { status.ssthresh } else { over });
    }

    /// The slow start compares with the least RTT alone, which measures no backlog.
    fn has_no_signal(&self) -> bool {
        self.slow_start.algorithm().composition().signal == Signal::None
    }

    /// Takes back growth of a window that does not limit the sender, for an algorithm that would apply this rule
    /// itself.
    fn open(&mut self, ack: &Ack) {
        let before = self.slow_start.output().window;
        self.slow_start.on_ack(ack);
        if self.heeds_limit && !ack.window_limited {
            self.slow_start.hold_to(before);
        }
        self.lasts = self.slow_start.status().phase == Phase::SlowStart;
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

impl<C: CongestionControl + Clone> CongestionControl for Joined<C> {
    fn on_ack(&mut self, ack: &Ack) {
        let before = self.lasts.then(|| self.control.status());
        self.control.on_ack(ack);
        let Some(before) = before else { return };
        if has_left(&before, &self.control.status()) {
            self.lasts = false;
            return;
        }
        self.open(ack);
        self.lead();
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.control.on_loss(loss);
        if self.lasts || loss.kind == LossKind::Timeout {
            let status = self.control.status();
            self.slow_start.on_loss(loss);
            if loss.kind == LossKind::Timeout && self.has_no_signal() {
                self.slow_start.on_path_change(loss.next, loss.now);
            }
            self.slow_start.go_on_from(status.window, status.ssthresh);
            self.lasts = status.phase == Phase::SlowStart;
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        self.control.on_spurious(&before.control);
        let opens = self.control.status().phase == Phase::SlowStart;
        (self.slow_start, self.lasts) = (before.slow_start, before.lasts && opens);
        if self.lasts {
            self.lead();
        }
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.control.on_restart(restart);
        self.slow_start.on_restart(restart);
    }

    /// The slow start opens again to the threshold that the algorithm has set.
    fn on_unused(&mut self, most: Window) {
        self.control.on_unused(most);
        let status = self.control.status();
        self.slow_start.on_unused(most);
        self.slow_start.go_on_from(status.window, status.ssthresh);
        self.lasts = status.phase == Phase::SlowStart;
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        self.control.on_path_change(next, now);
        self.slow_start.on_path_change(next, now);
    }

    fn hold_to(&mut self, most: Window) {
        self.control.hold_to(most);
        if self.lasts {
            self.slow_start.hold_to(most);
            self.lead();
        }
    }

    fn output(&self) -> Output {
        let own = self.control.output();
        if !self.lasts {
            return own;
        }
        let Output { window, pace, .. } = self.slow_start.output();
        Output { window, pace: pace.or(own.pace), quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        let own = self.control.status();
        if !self.lasts {
            return own;
        }
        let status = self.slow_start.status();
        Status { base_rtt: status.base_rtt.or(own.base_rtt), diff: status.diff.or(own.diff), ..status }
    }

    fn inner(&self) -> Option<&dyn CongestionControl> {
        Some(&self.control)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn CongestionControl> {
        Some(&mut self.control)
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use super::*;
    use crate::held::heard::{ALL, Heard, shown, tell_all};
    use crate::registry;

    fn joined() -> Joined<Heard> {
        let vegas = registry::preset("vegas").expect("a preset");
        let algorithm = Algorithm::new(vegas.composition, vegas.parameters).expect("a preset");
        Joined::new(Heard::default(), |_, _, _| {}, false, &algorithm)
    }

    /// The calls of the contract that take an event, as they stand in the source.
    fn events_of_the_contract() -> Vec<String> {
        let source = include_str!("../contract.rs").split("pub trait CongestionControl {").nth(1).expect("the trait");
        let body = source.split("\n}\n").next().expect("its end");
        let calls = body.lines().filter_map(|line| line.strip_prefix("    fn ")?.split_once("(&mut self"));
        calls.map(|(name, _)| String::from(name)).filter(|name| name != "inner_mut" && name != "on_spurious").collect()
    }

    #[test]
    fn every_event_is_told() {
        assert_eq!(events_of_the_contract(), ALL);
        let mut joined = joined();
        tell_all(&mut joined);
        assert_eq!(joined.control.0, ALL);
        let mut opened = self::joined();
        opened.lasts = false;
        tell_all(&mut opened);
        assert_eq!(opened.control.0, ALL);
        opened.on_spurious(&self::joined());
        assert_eq!(opened.control.0.last(), Some(&"on_spurious"));
        assert_eq!(shown(&opened), shown(&opened.control));
    }
}
