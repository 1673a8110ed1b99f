//! The retransmission timer (RFC 6298, section 5).

use vegas_core::units::{Span, Time};

/// When the retransmission timer expires; [`Time::NEVER`] while it is off.
#[derive(Clone, Debug)]
pub(super) struct RetransmissionTimer(Time);

impl RetransmissionTimer {
    pub(super) fn new() -> Self {
        RetransmissionTimer(Time::NEVER)
    }

    /// When the timer expires; [`Time::NEVER`] while it is off.
    pub(super) fn due(&self) -> Time {
        self.0
    }

    /// Rule 5.1: starts the timer when a segment is sent, unless it runs.
    pub(super) fn start(&mut self, now: Time, timeout: Span) {
        if self.0 == Time::NEVER {
            self.0 = now + timeout;
        }
    }

    /// Rules 5.2 and 5.3: restarts the timer if data are outstanding, else turns it off.
    pub(super) fn restart(&mut self, now: Time, timeout: Span, outstanding: bool) {
        self.0 = if outstanding { now + timeout } else { Time::NEVER };
    }

    pub(super) fn stop(&mut self) {
        self.0 = Time::NEVER;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second segment does not move the timer, an acknowledgement does, and that of everything turns it off.
    #[test]
    fn the_timer_runs_while_data_are_outstanding() {
        let (ms, timeout) = (|ms: u64| Time::from_nanos(ms * 1_000_000), Span::from_millis(200));
        let mut timer = RetransmissionTimer::new();
        timer.start(ms(0), timeout);
        timer.start(ms(10), timeout);
        assert_eq!(timer.due(), ms(200));
        timer.restart(ms(100), timeout, true);
        assert_eq!(timer.due(), ms(300));
        timer.restart(ms(110), timeout, false);
        assert_eq!(timer.due(), Time::NEVER);
        timer.start(ms(120), timeout);
        timer.stop();
        assert_eq!(timer.due(), Time::NEVER);
    }
}
