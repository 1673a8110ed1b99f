//! Proportional Rate Reduction (RFC 9937): during recovery the pipe shrinks to the new window in proportion to what
//! arrives. The bound is that of Linux 6.1 and of RFC 9937: slow start's (PRR-SSRB) while holes fill and no further
//! loss is found, else conservation (PRR-CRB).

/// The account of one recovery, in segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prr {
    ssthresh: u64,
    prior_window: u64,
    delivered: u64,
    out: u64,
    /// The number of segments that may be in flight.
    window: u64,
}

impl Prr {
    /// Begins the account of a recovery, in which the algorithm has cut the window from `prior_window` to `ssthresh`.
    pub(super) fn new(prior_window: u64, ssthresh: u64) -> Self {
        Prr { ssthresh, prior_window: prior_window.max(1), delivered: 0, out: 0, window: 0 }
    }

    pub(super) fn window(&self) -> u64 {
        self.window
    }

    pub(super) fn on_send(&mut self) {
        self.out += 1;
    }

    /// Section 3, for each acknowledgement: `delivered` segments are newly reported received, `pipe` are in flight;
    /// `repairs` if the acknowledgement filled the oldest hole and no further loss was found.
    pub(super) fn on_ack(&mut self, delivered: u64, pipe: u64, repairs: bool) {
        if delivered == 0 {
            return;
        }
        self.delivered += delivered;
        let more = if pipe > self.ssthresh {
            (self.delivered * self.ssthresh).div_ceil(self.prior_window).saturating_sub(self.out)
        } else {
            // includes earlier arrivals that released nothing
            let banked = self.delivered.saturating_sub(self.out).max(delivered);
            (banked + u64::from(repairs)).min(self.ssthresh - pipe)
        };
        // the first retransmission leaves even if the pipe is full
        self.window = pipe + more.max(u64::from(self.out == 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, 20 in flight cut to 10: every second acknowledgement releases a segment. After 18 of them, with 9 sent,
    /// the 19th finds the pipe at 10.
    #[test]
    fn half_of_what_arrives_goes_out() {
        let mut prr = Prr::new(20, 10);
        let mut sent = 0;
        for arrived in 1..=18 {
            // each arrival takes one segment out of the pipe
            let pipe = 20 - arrived + sent;
            prr.on_ack(1, pipe, false);
            if prr.window() > pipe {
                prr.on_send();
                sent += 1;
            }
            assert_eq!(sent, arrived.div_ceil(2), "after {arrived}");
        }
        prr.on_ack(1, 10, false);
        assert_eq!(prr.window(), 10);
    }

    /// By hand, 20 in flight cut to 10: ten arrivals release five segments. Then four are found lost, and the pipe
    /// is 6. The eleventh arrival releases four of the six that are owed, up to the window.
    #[test]
    fn what_was_not_let_out_is_owed() {
        let mut prr = Prr::new(20, 10);
        for _ in 0..10 {
            prr.on_ack(1, 15, false);
        }
        for _ in 0..5 {
            prr.on_send();
        }
        prr.on_ack(1, 6, false);
        assert_eq!(prr.window(), 10);
    }

    /// By hand: 12 of 20 are lost at once, so the pipe, 8, is below the window of 10. An acknowledgement that only
    /// reports segments releases one; one that fills a hole releases two, and one more that was owed.
    #[test]
    fn a_pipe_below_the_window_is_filled_up() {
        let mut prr = Prr::new(20, 10);
        prr.on_ack(1, 7, false);
        assert_eq!(prr.window(), 8);
        prr.on_send();
        prr.on_ack(1, 7, true);
        assert_eq!(prr.window(), 9);
    }
}
