//! vegas-next: Vegas's equilibrium where it is alone with its kind, CUBIC's window where it is not. `docs/algorithms/vegas-next.md`
//! has the reasons and what was tried.
//!
//! - Once a round the window moves half of the way to base RTT / RTT x window + backlog (FAST TCP, equation 7). The backlog grows
//!   with the root of the rate. An RTT is the greatest of a group of samples: jitter moves it little.
//! - Every five seconds the flow drains: half of what the path holds, for a round or three. All flows of a queue see its least RTT
//!   at one time, and so drain together, which shows each of them the base RTT.
//! - Drains that do not empty the queue while the window shrinks tell of flows that fill it: the window is CUBIC's (RFC
//!   9438) then, until drains find the queue empty again. So it is where a path loses many segments and holds no queue.

mod arithmetic;
mod backlog;
mod measured;
mod rival;

use crate::composition::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Restart, Status};
use crate::registry::{Preset, RENO_PARAMETERS, SACK};
use crate::units::{Pace, Segments, SendIndex, Span, Time, Window};

use arithmetic::{WINDOW_MIN, cut, share};
use backlog::Backlog;
use measured::{BaseRtt, Rounds};
use rival::{Losses, Rival};

pub(super) const PRESET: Preset = Preset {
    name: "vegas-next",
    summary: "a backlog by the rate, drains together for the base RTT, and CUBIC's window beside flows that fill the queue",
    source: "vegaslab, docs/algorithms/vegas-next.md",
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), restart_window: Segments(2), ..RENO_PARAMETERS },
    standalone: None,
};

/// A drain may leave this many times the variation: a window of few segments varies the queue by as much.
const VARIATIONS: u64 = 3;
/// An RTT is the greatest of this part of a window of samples, and of 32 at most.
const GROUP_PART: u64 = 8;
const GROUP_MAX: u64 = 32;
/// Between two drains, and at least this many round trips: a drain costs less than 2 % of the rate.
const PERIOD: Span = Span::from_secs(5);
const PERIOD_ROUNDS: u64 = 50;
/// While drains disagree or the window shrinks, the next one comes in a third of the time, while competing in half of it.
const SOONER: u64 = 3;
const SOONER_COMPETING: u64 = 2;
/// Rounds at the least window that a drain waits for others.
const DRAIN_ROUNDS_MAX: u8 = 3;
/// A queue is empty at a fourth of what it was; while competing at a tenth (Copa, section 2.2).
const EMPTY_PART: u64 = 4;
const EMPTY_PART_COMPETING: u64 = 10;
const EMPTY_MIN: Span = Span::from_millis(1);
/// While the flow competes a drain takes its own part of the queue, and a 16th of what the path holds: what stays is of others.
const COMPETING_DRAIN_SIXTEENTHS: u64 = 15;
/// Until the RTT shows what the window is after a jump.
const ROUNDS_TO_SETTLE: u8 = 2;
/// The window doubles each round up to 64 segments, so that short transfers need not wait, and opens by the root of two then,
/// 362/256, until the RTT rises by an eighth, within 2 to 8 ms.
const DOUBLES_BELOW: Window = Window::whole(Segments(64));
const DOUBLE_256THS: u64 = 512;
const OPENING_256THS: u64 = 362;
const RISE_PART: u64 = 8;
const RISE: (Span, Span) = (Span::from_millis(2), Span::from_millis(8));
/// Rounds with less than a fourth of the backlog before the window opens again.
const ROUNDS_TO_OPEN: u8 = 5;
/// A queue above it at a loss, and above twice the backlog, is that of other flows.
const OTHERS_QUEUE: Span = Span::from_millis(4);
/// Below it a drain goes down to one segment: eight flows of two segments would hold a queue.
const SMALL_WINDOW: Window = Window::whole(Segments(8));

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VegasNext {
    window: Window,
    max_window: Window,
    restart_window: Window,
    threshold: Window,
    base: BaseRtt,
    rounds: Rounds,
    drain: Drain,
    rival: Rival,
    losses: Losses,
    timeout_at: Time,
    stage: Stage,
    /// The round has had a loss.
    has_lost: bool,
    settling: u8,
    rounds_without_backlog: u8,
    backlog: Backlog,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Opening,
    Steady,
    Draining,
}

/// A drain under way, and whether the next one is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Drain {
    /// The window before it, to which it returns.
    resume: Window,
    queueing_before: Span,
    /// A round ends when it is acknowledged; the first one is the round of the first segment that left at the drain's window.
    until: SendIndex,
    rounds: u8,
    /// Others drain, so that this flow is to join them.
    is_asked: bool,
    /// It began because others drained: what was measured before it is theirs, too.
    is_joined: bool,
}

impl VegasNext {
    pub(super) const NEEDS: Needs = Needs { every_ack: true, spread: true, ..Needs::NONE };

    pub(super) fn start(parameters: &Parameters, _seed: u64) -> Self {
        VegasNext {
            window: Window::whole(parameters.initial_window),
            max_window: Window::whole(parameters.max_window),
            restart_window: Window::whole(parameters.restart_window),
            threshold: parameters.ssthresh.map_or(Window::MAX, Window::whole),
            base: BaseRtt::NONE,
            rounds: Rounds::NONE,
            drain: Drain {
                resume: Window::default(),
                queueing_before: Span::ZERO,
                until: SendIndex(0),
                rounds: 0,
                is_asked: false,
                is_joined: false,
            },
            rival: Rival::none(),
            losses: Losses::NONE,
            timeout_at: Time::ZERO,
            stage: Stage::Opening,
            has_lost: false,
            settling: 0,
            rounds_without_backlog: 0,
            backlog: Backlog::UNLIMITED,
        }
    }

    fn sample(&mut self, now: Time, rtt: Span) {
        let rtt = rtt.max(Span::from_nanos(1));
        self.base.sample_single(rtt);
        let group = (self.window.floor().as_u64() / GROUP_PART).clamp(1, GROUP_MAX);
        if let Some(greatest) = self.rounds.sample(rtt, group as u8) {
            self.base.sample(now, greatest, self.rival.competes);
            self.drain.is_asked |= self.stage == Stage::Steady && self.base.has_fallen_to(greatest);
        }
    }

    fn queueing(&self, rtt: Span) -> Span {
        rtt.less(self.base.get())
    }

    /// The RTT of the newest round, at least the base RTT.
    fn standing(&self) -> Span {
        self.rounds.standing.max(self.base.get())
    }

    /// The segments that the flow keeps in the queue at its rate, as far as the queue takes them.
    fn backlog(&self, rtt: Span) -> Window {
        self.backlog.of(self.window, rtt)
    }

    /// A queue that loses segments while the flow has less than its backlog in it is too short for the backlog.
    fn fit_backlog(&mut self, rtt: Span) {
        let queueing = self.queueing(rtt);
        let queued = share(self.window, queueing, rtt);
        if queueing > EMPTY_MIN && queued < self.backlog(rtt) {
            self.backlog.limit_to(queued.half());
        }
    }

    /// The window that leaves this backlog in the queue.
    fn target(&self, rtt: Span, backlog: Window) -> Window {
        share(self.window, self.base.get().min(rtt), rtt).plus(backlog)
    }

    /// Half of the way to the target; up by half of the window at most, and only if the window is in use.
    fn steer(&mut self, rtt: Span, backlog: Window, is_used: bool) {
        let towards = self.window.half().plus(self.target(rtt, backlog).half());
        let most = if is_used { self.window.plus(self.window.half()) } else { self.window };
        self.window = towards.min(most).min(self.max_window).max(WINDOW_MIN.min(self.window));
    }

    fn end_round(&mut self, ack: &Ack) {
        let has_samples = self.rounds.has_samples();
        if has_samples {
            let follows_delay = self.stage == Stage::Steady && !self.rival.competes;
            self.rounds.finish(follows_delay && !self.has_lost && self.settling == 0);
            self.rival.see(self.queueing(self.rounds.standing));
            self.base.end_round();
            if self.settling == 0 && follows_delay {
                self.decide(is_used(self.window, ack));
            }
            self.settling = self.settling.saturating_sub(1);
            self.has_lost = false;
        }
        self.rounds.begin(ack.next);
    }

    /// While nearly nothing is queued the limit of the backlog does not slow the growth, but the window does not open either: the
    /// queue is short.
    fn decide(&mut self, is_used: bool) {
        let rtt = self.rounds.standing;
        let (backlog, of_rate) = (self.backlog(rtt), Backlog::of_rate(self.window, rtt));
        let queued = share(self.window, self.queueing(rtt), rtt);
        let has_little = is_used && queued < backlog.half().half();
        let may_open = has_little && backlog == of_rate;
        self.steer(rtt, if has_little { of_rate } else { backlog }, is_used);
        self.rounds_without_backlog = if may_open { self.rounds_without_backlog.saturating_add(1) } else { 0 };
        if self.rounds_without_backlog >= ROUNDS_TO_OPEN {
            self.rounds_without_backlog = 0;
            self.threshold = Window::MAX;
            self.stage = Stage::Opening;
        }
    }

    fn open(&mut self, ack: &Ack) {
        if self.window >= self.threshold {
            self.stage = Stage::Steady;
        } else if !self.rival.competes && self.has_risen() {
            self.end_opening(ack.next);
        } else if is_used(self.window, ack) {
            let more = Window::from_raw(Window::whole(ack.acked).as_raw() / 256 * (self.growth_256ths() - 256));
            self.window = self.window.plus(more).min(self.max_window).min(self.threshold);
        }
    }

    /// By how much the window grows in a round while it opens.
    fn growth_256ths(&self) -> u64 {
        if self.window < DOUBLES_BELOW { DOUBLE_256THS } else { OPENING_256THS }
    }

    fn has_risen(&self) -> bool {
        let part = Span::from_nanos(self.base.get().as_nanos() / RISE_PART);
        self.queueing(self.rounds.group) > part.clamp(RISE.0, RISE.1)
    }

    /// The RTT that has risen is that of the window a round before.
    fn end_opening(&mut self, next: SendIndex) {
        let before = Window::from_raw(self.window.as_raw() / self.growth_256ths() * 256);
        let rtt = self.rounds.group;
        let path = share(before, self.base.get(), rtt).plus(self.backlog(rtt));
        self.window = path.max(WINDOW_MIN.min(self.window)).min(self.window);
        self.settle(next);
    }

    fn settle(&mut self, next: SendIndex) {
        self.stage = Stage::Steady;
        self.settling = ROUNDS_TO_SETTLE;
        self.rounds.begin(next);
    }

    fn is_drain_due(&self, now: Time) -> bool {
        let period = PERIOD.max(self.base.get().times(PERIOD_ROUNDS));
        let hurries = self.rival.is_in_doubt() || !self.rival.competes && self.rival.has_taken_from(self.window);
        let part = match (hurries, self.rival.competes) {
            (false, _) => 1,
            (true, false) => SOONER,
            (true, true) => SOONER_COMPETING,
        };
        now.since(self.base.recent_at) >= Span::from_nanos(period.as_nanos() / part)
    }

    fn begin_drain(&mut self, now: Time, next: SendIndex) {
        let rtt = self.standing();
        self.drain = Drain {
            resume: self.window,
            queueing_before: self.queueing(rtt),
            until: next,
            rounds: 0,
            is_asked: false,
            is_joined: self.drain.is_asked,
        };
        let least = if self.window < SMALL_WINDOW { Window::ONE } else { WINDOW_MIN };
        let path = share(self.window, self.base.get(), rtt);
        let drained = match self.rival.competes {
            true => Window::from_raw(path.as_raw() / 16 * COMPETING_DRAIN_SIXTEENTHS),
            false => path.half(),
        };
        self.window = drained.max(least).min(self.window);
        self.base.begin_drain(now);
        self.stage = Stage::Draining;
    }

    /// A drain lasts until a round has passed at its window and the queue is empty, or three rounds have.
    fn drain(&mut self, ack: &Ack) {
        if ack.newest < self.drain.until {
            return;
        }
        self.drain.rounds += 1;
        self.drain.until = ack.next;
        if self.is_drained() || self.drain.rounds >= DRAIN_ROUNDS_MAX {
            self.end_drain(ack);
        }
    }

    fn is_drained(&self) -> bool {
        let part = if self.rival.competes { EMPTY_PART_COMPETING } else { EMPTY_PART };
        let of_queue = Span::from_nanos(self.drain.queueing_before.as_nanos() / part);
        let most = of_queue.max(self.rounds.variation.times(VARIATIONS)).max(EMPTY_MIN);
        self.queueing(self.base.recent) <= most + self.base.jitter()
    }

    fn end_drain(&mut self, ack: &Ack) {
        let has_losses = self.losses.take() && self.rival.competes;
        let is_empty = self.is_drained() && !has_losses;
        let agree = self.base.end_drain() && !has_losses;
        self.window = self.drain.resume;
        if is_empty {
            self.backlog.raise();
        }
        if is_empty && !self.rival.competes && !self.drain.is_joined {
            self.rival.reference = self.held();
        }
        if !is_empty && agree {
            self.base.take_found(ack.now);
            self.rival.suspicion = 0;
        } else {
            self.rival.count(is_empty);
        }
        self.settle(ack.next);
        self.base.end_round();
        match (self.rival.competes, self.rival.asks_to_compete(self.window, self.held())) {
            (false, true) => self.compete(),
            (true, false) => self.yield_to_delay(ack.now),
            _ => {}
        }
    }

    /// What the flow holds of the path, and a backlog.
    fn held(&self) -> Window {
        let rtt = self.standing();
        share(self.window, self.base.get(), rtt).plus(self.backlog(rtt)).min(self.window)
    }

    /// Opens to the window that the flow had before its rivals came.
    fn compete(&mut self) {
        self.rival.begin();
        self.threshold = self.rival.reference;
        if self.window < self.threshold {
            self.stage = Stage::Opening;
        }
    }

    fn yield_to_delay(&mut self, now: Time) {
        self.rival.competes = false;
        self.rival.reference = self.window;
        self.base.take_found(now);
        self.window = self.window.half().max(WINDOW_MIN.min(self.window));
    }

    fn follow_cubic(&mut self, ack: &Ack) {
        if is_used(self.window, ack) {
            let growth = self.rival.cubic.growth_for(self.window, ack.now, ack.acked, self.base.get());
            self.window = self.window.plus(growth).min(self.max_window);
        } else {
            self.rival.cubic.pause();
        }
    }

    /// Whether the queue at a loss is that of others.
    fn is_of_others(&self, rtt: Span) -> bool {
        let queueing = self.queueing(rtt);
        let twice = self.backlog(rtt).plus(self.backlog(rtt));
        self.rival.is_reference_known() && queueing > OTHERS_QUEUE && share(self.window, queueing, rtt) > twice
    }

    /// A path that loses many segments tells by losses what it holds, as a policer does: the delay tells nothing there.
    fn on_heavy_losses(&mut self) {
        if self.stage == Stage::Steady && !self.rival.competes {
            self.rival.reference = self.window;
            self.compete();
            self.rival.cubic.cut(self.window);
            self.window = cut(self.window);
        }
    }

    fn on_timeout(&mut self, now: Time) {
        let before = if self.stage == Stage::Draining { self.drain.resume } else { self.window };
        self.threshold = cut(before).max(WINDOW_MIN);
        let has_rival = self.rival.has_taken_from(self.window) || self.is_of_others(self.standing());
        let is_policed = self.losses.end_round(before);
        if is_policed {
            self.rival.reference = self.rival.reference.min(before);
        }
        if !self.rival.competes && (has_rival || is_policed) {
            self.compete();
        }
        self.rival.cubic = Default::default();
        self.window = self.window.min(self.restart_window);
        self.stage = Stage::Opening;
        self.rounds.standing = Span::ZERO;
        self.timeout_at = now;
    }

    fn on_lost_segments(&mut self) {
        let rtt = self.rounds.newest().max(self.base.get());
        if self.stage == Stage::Steady && !self.rival.competes && self.is_of_others(rtt) {
            self.rival.reference = self.rival.reference.max(self.held());
            self.compete();
            self.stage = Stage::Steady;
        }
        match self.stage {
            Stage::Draining => {
                self.rival.cubic.cut(self.drain.resume);
                self.drain.resume = cut(self.drain.resume);
            }
            _ if self.rival.competes => {
                self.rival.cubic.cut(self.window);
                self.window = cut(self.window);
                self.stage = Stage::Steady;
            }
            Stage::Opening => {
                let path = share(self.window, self.base.get(), rtt);
                self.window = path.min(cut(self.window)).max(WINDOW_MIN.min(self.window));
                self.stage = Stage::Steady;
            }
            Stage::Steady => {
                self.fit_backlog(rtt);
                self.window = self.target(rtt, self.backlog(rtt)).min(self.window).max(cut(self.window));
            }
        }
    }
}

/// Whether the flow uses the window: where less than half of it is in flight, the application has no more.
fn is_used(window: Window, ack: &Ack) -> bool {
    2 * ack.in_flight.as_u64() >= window.floor().as_u64()
}

impl CongestionControl for VegasNext {
    fn needs(&self) -> Needs {
        Self::NEEDS
    }

    fn on_ack(&mut self, ack: &Ack) {
        // a longer RTT is that of a segment sent before the timeout, which may have waited until a hole was filled
        let is_path_rtt = |rtt: &Span| ack.acked <= ack.delivered && *rtt <= ack.now.since(self.timeout_at);
        if let Some(rtt) = ack.rtt.filter(is_path_rtt) {
            self.sample(ack.now, rtt);
        }
        let has_measured = self.rounds.standing > Span::ZERO || self.rounds.has_samples();
        self.losses.count(ack.lost);
        if !ack.may_grow() || !self.base.is_known() || !has_measured {
            return;
        }
        if ack.newest >= self.rounds.end && self.losses.end_round(self.window) {
            self.on_heavy_losses();
        }
        match self.stage {
            Stage::Opening => self.open(ack),
            Stage::Draining => self.drain(ack),
            Stage::Steady if self.rival.competes => self.follow_cubic(ack),
            Stage::Steady => {}
        }
        if ack.newest >= self.rounds.end {
            self.end_round(ack);
        }
        let may_drain = self.stage == Stage::Steady && self.rounds.standing > Span::ZERO;
        if may_drain && (self.drain.is_asked || self.is_drain_due(ack.now)) {
            self.begin_drain(ack.now, ack.next);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.has_lost = true;
        self.rival.see_loss();
        if !self.base.is_drained() {
            self.losses.excuse();
        }
        match loss.kind {
            LossKind::Timeout => self.on_timeout(loss.now),
            LossKind::DuplicateAcks => self.on_lost_segments(),
            LossKind::Ecn => {
                self.on_lost_segments();
                self.window = self.window.min(cut(self.window));
            }
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window = self.window.max(before.window);
        self.threshold = self.threshold.max(before.threshold);
        self.drain.resume = self.drain.resume.max(before.drain.resume);
        self.rival = before.rival;
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.rounds.begin(restart.next);
    }

    fn on_path_change(&mut self, next: SendIndex, _now: Time) {
        self.base = BaseRtt::NONE;
        self.rounds = Rounds::NONE;
        self.rounds.begin(next);
        self.rival = Rival::none();
        self.losses = Losses::NONE;
        self.backlog = Backlog::UNLIMITED;
        self.threshold = Window::MAX;
        self.stage = Stage::Opening;
    }

    /// 1.25 windows a round trip (RFC 9002, section 7.7), 1.5 while the window opens by the root of two.
    fn output(&self) -> Output {
        let quarters = if self.stage == Stage::Opening { 6 } else { 5 };
        let segments = (quarters * self.window.floor().as_u64() / 4).max(1);
        let is_known = self.base.is_known() && self.rounds.standing > Span::ZERO;
        Output {
            window: self.window,
            pace: is_known.then(|| Pace::of(segments, self.standing())),
            quantum: Segments(1),
        }
    }

    fn status(&self) -> Status {
        let rtt = self.standing();
        let queued = share(self.window, self.queueing(rtt), rtt).floor().0;
        let is_known = self.base.is_known();
        Status {
            window: self.window,
            ssthresh: None,
            base_rtt: is_known.then(|| self.base.get()),
            diff: is_known.then(|| i32::try_from(queued).unwrap_or(i32::MAX)),
            phase: if self.stage == Stage::Opening { Phase::SlowStart } else { Phase::Avoidance },
        }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("competes", self.rival.competes.into());
        out("suspicion", self.rival.suspicion.into());
        out("drains", (self.stage == Stage::Draining).into());
        out("queueing_us", (self.queueing(self.standing()).as_nanos() / 1_000) as i64);
        out("variation_us", (self.rounds.variation.as_nanos() / 1_000) as i64);
    }
}
