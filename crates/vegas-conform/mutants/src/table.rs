/// A copy of bbr3 in which another text replaces one piece of text. That piece occurs once in its file.
pub struct Mutant {
    /// The case that must find it.
    pub case: &'static str,
    /// A file of vegas-core's `standalone`.
    pub file: &'static str,
    /// The text of vegas-core.
    pub right: &'static str,
    /// The text of the copy.
    pub wrong: &'static str,
}

const fn mutant(case: &'static str, file: &'static str, right: &'static str, wrong: &'static str) -> Mutant {
    Mutant { case, file, right, wrong }
}

/// One mutant for each case.
pub const MUTANTS: &[Mutant] = &[
    mutant("startup-plateau", "bbr/bbr3/startup.rs", "FULL_ROUNDS: u8 = 3", "FULL_ROUNDS: u8 = 2"),
    mutant("startup-loss", "bbr/bbr3/startup.rs", "FULL_LOSSES: u8 = 6", "FULL_LOSSES: u8 = 255"),
    mutant("drain-inflight", "bbr/bbr3.rs", "else { ONE / 2 }", "else { ONE * 3 / 4 }"),
    mutant("drain-time", "bbr/bbr3/startup.rs", "DRAIN_ROUNDS: u32 = 3", "DRAIN_ROUNDS: u32 = 30"),
    mutant("probe-up-plateau", "bbr/bbr3.rs", "UP_GAIN: u32 = ONE * 5 / 4", "UP_GAIN: u32 = ONE * 9 / 8"),
    mutant("probe-up-loss", "bbr/bbr3/cycle.rs", "if !held_back {", "if held_back || !held_back {"),
    mutant("app-limited-no-exit", "bbr/bbr3/startup.rs", "self.full.now || sample.held_back ||", "self.full.now ||"),
    mutant("probe-down-inflight", "bbr/bbr3.rs", "else { 90 } / 100", "else { 98 } / 100"),
    mutant("probe-down-time", "bbr/bbr3/cycle.rs", "WAIT_US: u32 = 2_000_000", "WAIT_US: u32 = 200_000"),
    mutant("probe-rtt", "bbr/bbr3/probe_rtt.rs", "DURATION: Span = Span::from_millis(200)", "DURATION: Span = Span::from_millis(20)"),
    mutant("probe-rtt-idle", "bbr/bbr3.rs", "self.least.restarts = true", "self.least.restarts = false"),
    mutant("aggregation-startup", "bbr/bbr3.rs", "WINDOW_GAIN: u32 = 2 * ONE;", "WINDOW_GAIN: u32 = ONE * 3 / 2;"),
    mutant("aggregation-cruise", "bbr/bbr3/control.rs", "self.aggregation.allowance(self.bandwidth())", "0"),
    mutant("sub-packet", "bbr/shared.rs", "WINDOW_MIN: u32 = 4", "WINDOW_MIN: u32 = 1"),
    mutant("rate-10x-up", "bbr/bbr3/cycle.rs", "(self.probe.up_rounds + 1).min", "self.probe.up_rounds.min"),
    mutant(
        "rate-10x-down",
        "bbr/bbr3/bounds.rs",
        "self.rates = [self.rates[1], Bandwidth::NONE]",
        "self.rates = [self.rate_long(), Bandwidth::NONE]",
    ),
    mutant("policer", "bbr/bbr3/signals.rs", "self.latest.loss_in_round && !self.mode", "false && !self.mode"),
    mutant("spurious-fast-recovery", "bbr/bbr3.rs", "Some(_) if self.mode != Mode::Up => self.begin_refill()", "Some(_) => {}"),
    mutant("spurious-rto", "bbr/bbr3/control.rs", "self.now = self.now.max(self.prior).min(self.most)", "self.now = self.now.min(self.most)"),
    mutant("startup-probe-rtt", "bbr/bbr3/probe_rtt.rs", "self.mode = Mode::Startup;", "self.begin_down(now);"),
    mutant(
        "probe-up-loss-longterm",
        "bbr/bbr3/cycle.rs",
        "self.bounds.in_flight_long = in_flight.max(kept(self.target()))",
        "self.bounds.in_flight_long = self.bounds.in_flight_long.max(in_flight)",
    ),
    mutant(
        "refill-app-limited",
        "bbr/bbr3/cycle.rs",
        "if self.rounds.starts {\n                    self.probe.samples = true;",
        "if false && self.rounds.starts {\n                    self.probe.samples = true;",
    ),
];
