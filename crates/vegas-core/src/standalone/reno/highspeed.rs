//! HighSpeed TCP (RFC 3649; Linux, `net/ipv4/tcp_highspeed.c`): above 38 segments the increase grows with the window,
//! and the part that a loss costs falls from a half to a tenth, so that a window of 83,000 needs a loss in 10^7
//! segments only.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, Needs, Status};
use crate::standalone::Preset;
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window};
use crate::units::{Segments, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "highspeed",
    summary: "HighSpeed TCP: an increase that grows with the window, and a cut from a half to a tenth of it",
    source: "RFC 3649; Linux, net/ipv4/tcp_highspeed.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// RFC 3649, appendix B: up to the window of line n, the increase is n + 1 segments a round; and b(w), the part of the
/// window that a loss costs, by the equation of section 5, in 256ths rounded down.
#[rustfmt::skip]
const LINES: [(u32, u32); 72] = [
    (38, 128), (118, 112), (221, 104), (347, 98), (495, 93), (663, 89), (851, 86), (1058, 83),
    (1284, 81), (1529, 78), (1793, 76), (2076, 74), (2378, 72), (2699, 71), (3039, 69), (3399, 68),
    (3778, 66), (4177, 65), (4596, 64), (5036, 62), (5497, 61), (5979, 60), (6483, 59), (7009, 58),
    (7558, 57), (8130, 56), (8726, 55), (9346, 54), (9991, 53), (10661, 52), (11358, 52), (12082, 51),
    (12834, 50), (13614, 49), (14424, 48), (15265, 48), (16137, 47), (17042, 46), (17981, 45), (18955, 45),
    (19965, 44), (21013, 43), (22101, 43), (23230, 42), (24402, 41), (25618, 41), (26881, 40), (28193, 39),
    (29557, 39), (30975, 38), (32450, 38), (33986, 37), (35586, 36), (37253, 36), (38992, 35), (40808, 35),
    (42707, 34), (44694, 33), (46776, 33), (48961, 32), (51258, 32), (53677, 31), (56230, 30), (58932, 30),
    (61799, 29), (64851, 28), (68113, 28), (71617, 27), (75401, 26), (79517, 26), (84035, 25), (89053, 24),
];
const CUT_ONE: u32 = 256;
/// A power of two above the number of lines: the search halves it.
const PLACES: usize = 128;
const WINDOWS: [u32; PLACES] = windows();

/// The windows, with such as are never reached behind the last.
const fn windows() -> [u32; PLACES] {
    let mut windows = [u32::MAX; PLACES];
    let mut place = 0;
    while place < LINES.len() - 1 {
        windows[place] = LINES[place].0;
        place += 1;
    }
    windows
}

/// The line of a window, by steps without branches: the kernel's verifier would follow each way of a search.
fn line_of(window: u32) -> usize {
    let mut line = 0;
    let mut step = PLACES / 2;
    while step > 0 {
        let is_above = (u64::from(WINDOWS[(line + step - 1) & (PLACES - 1)]).wrapping_sub(u64::from(window))) >> 63;
        line += step * is_above as usize;
        step /= 2;
    }
    line
}

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HighSpeed {
    window: RenoWindow,
    /// Segments a round, and what a loss costs in 256ths, as of the newest growth after slow start.
    increase: u32,
    cut: u32,
}

impl HighSpeed {
    pub(crate) const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        HighSpeed { window: RenoWindow::new(parameters), increase: 1, cut: LINES[0].1 }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    /// An acknowledgement counts once, whatever it covers.
    fn grow(&mut self, acked: Segments) {
        if self.window.in_slow_start() {
            self.window.slow_start(acked);
            return;
        }
        let line = line_of(self.window.get()).min(LINES.len() - 1);
        self.increase = line as u32 + 1;
        self.cut = LINES[line].1;
        self.window.count(self.increase);
        self.window.add_counted_window();
    }

    fn after_loss(&self) -> u32 {
        let window = u64::from(self.window.get());
        (window - window * u64::from(self.cut) / u64::from(CUT_ONE)) as u32
    }
}

impl CongestionControl for HighSpeed {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        if ack.may_grow() && ack.window_limited {
            self.grow(ack.acked);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.answer(loss, self.after_loss());
    }

    fn status(&self) -> Status {
        self.window.status(UNKNOWN_US)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("increase_segments", self.increase.into());
        out("cut_per_256", self.cut.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3649, appendix B: the first lines are to 38, to 118 and to 221.
    #[test]
    fn each_window_has_the_line_of_the_table() {
        assert_eq!([1, 38, 39, 118, 119, 221, 222].map(line_of), [0, 0, 1, 1, 2, 2, 3]);
        let by_search = |window: u32| LINES[..71].iter().filter(|line| line.0 < window).count();
        for window in (1..100_000).step_by(7).chain([u32::MAX - 1]) {
            assert_eq!(line_of(window), by_search(window), "window {window}");
        }
    }

    /// Section 5: b(w) = (0.1 - 0.5) (log w - log 38) / (log 83000 - log 38) + 0.5.
    #[test]
    fn cuts_follow_the_equation() {
        for (window, cut) in LINES {
            let part = 0.5 - 0.4 * (f64::from(window) / 38.0).ln() / (83_000.0_f64 / 38.0).ln();
            assert_eq!(cut, (part * 256.0) as u32, "window {window}");
        }
    }
}
