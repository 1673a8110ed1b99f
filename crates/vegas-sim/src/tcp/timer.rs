//! The retransmission timer (RFC 6298, section 5).

use vegas_core::units::Time;

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
    pub(super) fn start(&mut self, due: impl FnOnce() -> Time) {
        if self.0 == Time::NEVER {
            self.0 = due();
        }
    }

    /// Rules 5.2 and 5.3: restarts the timer if data are outstanding, else turns it off.
    pub(super) fn restart(&mut self, due: impl FnOnce() -> Time, outstanding: bool) {
        self.0 = if outstanding { due() } else { Time::NEVER };
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
        let ms = |ms: u64| Time::from_nanos(ms * 1_000_000);
        let mut timer = RetransmissionTimer::new();
        timer.start(|| ms(200));
        timer.start(|| ms(210));
        assert_eq!(timer.due(), ms(200));
        timer.restart(|| ms(300), true);
        assert_eq!(timer.due(), ms(300));
        timer.restart(|| ms(310), false);
        assert_eq!(timer.due(), Time::NEVER);
        timer.start(|| ms(320));
        timer.stop();
        assert_eq!(timer.due(), Time::NEVER);
    }
}
