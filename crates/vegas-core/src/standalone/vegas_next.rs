//! vegas-next: Vegas's equilibrium where it is alone with its kind, CUBIC's window where it is not.
//! `docs/algorithms/vegas-next.md` has the reasons and what was tried.
//!
//! - Once a round the window moves half of the way to base RTT / RTT x window + backlog (FAST TCP, equation 7). The
//!   backlog grows with the root of the rate. An RTT is the greatest of a group of samples: jitter moves it little.
//! - Every five seconds the flow drains: half of what the path holds, for a round or three. All flows of a queue see
//!   its least RTT at one time, and so drain together, which shows each of them the base RTT.
//! - Drains that do not empty the queue while the window shrinks tell of flows that fill it: the window is CUBIC's (RFC
//!   9438) then, until drains find the queue empty again. So it is where a path loses many segments and holds no queue.

mod backlog;
mod drains;
mod equilibrium;
mod measured;
mod parts;
mod rival;
mod start;

use crate::composition::Composition;
use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK, VEGAS};
use crate::composition::parts::avoidance::Avoidance;
use crate::composition::parts::avoidance::by_rate::arithmetic::{WINDOW_MIN, cut, share};
use crate::composition::parts::beside::DRAIN_NEEDS;
use crate::composition::parts::beside::{BaseRtt, Rivals};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Restart, Status};
use crate::standalone::Preset;
use crate::units::{Pace, Segments, SendIndex, Span, Time, Window};

use backlog::Backlog;
use drains::{Drain, VARIATIONS};
use measured::{MeasuredBase, Rounds};
pub(crate) use parts::Selected;
use parts::{All, Parts};
use rival::{Losses, Rival};

pub(super) const PRESET: Preset = Preset {
    name: "vegas-next",
    summary: "a backlog by the rate, drains together for the base RTT, and CUBIC's window beside flows that fill the queue",
    source: "vegaslab, docs/algorithms/vegas-next.md",
    host: Host::Bsd,
    composition: Composition {
        signal: VEGAS.signal,
        base_rtt: BaseRtt::Drains,
        rivals: Rivals::Compete,
        avoidance: Avoidance::ByRate,
        ..SACK
    },
    parameters: Parameters { initial_window: Segments(10), restart_window: Segments(2), ..RENO_PARAMETERS },
    standalone: None,
};

/// An RTT is the greatest of this part of a window of samples, and of 32 at most.
const GROUP_PART: u64 = 8;
const GROUP_MAX: u64 = 32;
/// No queue is shorter.
const EMPTY_MIN: Span = Span::from_millis(1);
/// Until the RTT shows what the window is after a jump.
const ROUNDS_TO_SETTLE: u8 = 2;
/// Less queueing may be delay that is no queue, 10 ms of it, and the 3.5 ms that two flows on 100 Mb/s keep themselves.
const TELLING_DELAY: Span = Span::from_millis(15);
/// A queue above it at a loss, and above twice the backlog, is that of other flows.
const OTHERS_QUEUE: Span = Span::from_millis(4);

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VegasNext<P: Parts = All> {
    parts: P,
    window: Window,
    max_window: Window,
    restart_window: Window,
    threshold: Window,
    base: MeasuredBase,
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

impl VegasNext {
    pub(super) const NEEDS: Needs = DRAIN_NEEDS;

    pub(super) fn start(parameters: &Parameters, _seed: u64) -> Self {
        VegasNext::beginning(parameters, All)
    }
}

impl<P: Parts> VegasNext<P> {
    fn beginning(parameters: &Parameters, parts: P) -> Self {
        VegasNext {
            parts,
            window: Window::whole(parameters.initial_window),
            max_window: Window::whole(parameters.max_window),
            restart_window: Window::whole(parameters.restart_window),
            threshold: parameters.ssthresh.map_or(Window::MAX, Window::whole),
            base: MeasuredBase::NONE,
            rounds: Rounds::NONE,
            drain: Drain::NONE,
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

    pub(super) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window = window;
        self.threshold = threshold.map_or(Window::MAX, Window::whole);
        let lasts = window < self.threshold;
        self.parts.set_follows(lasts);
        self.stage = if lasts { Stage::Opening } else { Stage::Steady };
        self.settling = if lasts { self.settling } else { ROUNDS_TO_SETTLE };
    }

    /// Returns the greatest RTT of a group that this sample completes.
    fn sample(&mut self, now: Time, rtt: Span) -> Option<Span> {
        let rtt = rtt.max(Span::from_nanos(1));
        self.base.sample_single(rtt);
        let by_drains = self.parts.by_drains();
        let group = if by_drains { (self.window.floor().as_u64() / GROUP_PART).clamp(1, GROUP_MAX) } else { 1 };
        let greatest = self.rounds.sample(rtt, group as u8)?;
        let window = if by_drains { MeasuredBase::window(self.rival.is_suspected()) } else { Span::MAX };
        self.base.sample(now, greatest, window);
        let has_fallen = self.stage == Stage::Steady && self.base.has_fallen_to(greatest);
        self.drain.is_asked |= has_fallen || self.shows_drain(now, greatest);
        Some(greatest)
    }

    /// Whether the RTT falls by more than jitter explains: others drain, though the queue that they leave is still
    /// above the base RTT.
    fn shows_drain(&self, now: Time, rtt: Span) -> bool {
        let fall = self.rounds.standing.less(rtt);
        self.follows_delay()
            && fall > self.rounds.variation.times(VARIATIONS).max(TELLING_DELAY)
            && self.may_drain_soon(now)
    }

    fn queueing(&self, rtt: Span) -> Span {
        rtt.less(self.base.get())
    }

    /// The segments that the flow has in the queue at this RTT.
    fn queued(&self, rtt: Span) -> Window {
        share(self.window, self.queueing(rtt), rtt)
    }

    /// The RTT of the newest round, at least the base RTT.
    fn standing(&self) -> Span {
        self.rounds.standing.max(self.base.get())
    }

    /// The newest RTT of which enough is known, at least the base RTT.
    fn newest(&self) -> Span {
        self.rounds.newest().max(self.base.get())
    }

    /// The segments that the flow keeps in the queue at its rate, as far as the queue takes them.
    fn backlog(&self, rtt: Span) -> Window {
        self.backlog.of(self.window, rtt)
    }

    fn end_round(&mut self, ack: &Ack) {
        let has_samples = self.rounds.has_samples();
        if has_samples {
            let follows_delay = self.follows_delay();
            self.rounds.finish(follows_delay && !self.has_lost);
            self.rival.see(self.queueing(self.rounds.standing));
            self.base.end_round();
            if follows_delay && self.parts.guest().is_none() {
                self.decide(ack.may_grow() && ack.is_used(self.window));
            }
            self.settling = self.settling.saturating_sub(1);
            self.has_lost = false;
        }
        self.rounds.begin(ack.next);
    }

    fn settle(&mut self, next: SendIndex) {
        self.stage = Stage::Steady;
        self.settling = ROUNDS_TO_SETTLE;
        self.rounds.begin(next);
    }

    fn end_drain(&mut self, ack: &Ack) {
        let has_losses = self.losses.take() && self.rival.competes;
        let is_empty = self.is_drained() && !has_losses;
        let agree = self.base.end_drain() && !has_losses && self.parts.by_drains();
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
            (true, false) => self.yield_to_delay(ack.now, is_empty),
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
        if !self.parts.competes() {
            return;
        }
        self.rival.begin();
        self.threshold = self.rival.reference;
        if self.window < self.threshold {
            self.stage = Stage::Opening;
        }
    }

    fn yield_to_delay(&mut self, now: Time, is_empty: bool) {
        self.rival.competes = false;
        self.rival.reference = self.window;
        if is_empty && self.parts.by_drains() {
            self.base.take_found(now);
        }
        self.window = self.window.half().max(WINDOW_MIN.min(self.window));
    }

    fn follow_stage(&mut self, ack: &Ack, is_led: bool) {
        if ack.newest >= self.rounds.end && self.losses.end_round(self.window) {
            self.on_heavy_losses();
        }
        match self.stage {
            _ if is_led => {}
            Stage::Opening => self.open(ack),
            Stage::Draining => self.drain(ack),
            Stage::Steady if self.rival.competes => self.follow_cubic(ack),
            Stage::Steady => {}
        }
    }

    fn follow_cubic(&mut self, ack: &Ack) {
        if ack.is_used(self.window) {
            let growth = self.rival.cubic.growth_for(self.window, ack.now, ack.acked, self.base.get());
            self.window = self.window.plus(growth).min(self.max_window);
        } else {
            self.rival.cubic.pause();
        }
    }

    /// Whether the RTT sets the window: it does not open, has not just jumped, and the flow does not compete.
    fn follows_delay(&self) -> bool {
        self.stage == Stage::Steady && self.settling == 0 && !self.rival.competes
    }

    /// Whether the queue at a loss is that of others.
    fn is_of_others(&self, rtt: Span) -> bool {
        let queueing = self.queueing(self.rounds.that_lasts(rtt, self.base.get()));
        let twice = self.backlog(rtt).plus(self.backlog(rtt));
        self.rival.is_reference_known() && queueing > OTHERS_QUEUE && share(self.window, queueing, rtt) > twice
    }

    /// Whether the flow has less in the queue than its backlog at this RTT: the delay lets its window grow.
    fn lacks_backlog(&self, rtt: Span) -> bool {
        self.queued(rtt) < self.backlog(rtt)
    }

    /// A path that loses many segments tells by losses what it holds, as a policer does: the delay tells nothing there.
    /// A peer's start makes others lose as many behind a queue.
    fn on_heavy_losses(&mut self) {
        if self.stage == Stage::Steady
            && !self.rival.competes
            && self.parts.competes()
            && self.lacks_backlog(self.newest())
        {
            self.rival.reference = self.window;
            self.compete();
            self.rival.cubic.cut(self.window);
            self.window = cut(self.window);
        }
    }

    fn on_timeout(&mut self, loss: &Loss) {
        let before = if self.stage == Stage::Draining { self.drain.resume } else { self.window };
        // RFC 5681, section 3.1: held if the segment was retransmitted before
        if !loss.retransmission || self.threshold == Window::MAX {
            self.threshold = cut(before).max(WINDOW_MIN);
        }
        let has_rival = self.rival.has_taken_from(self.window) || self.is_of_others(self.standing());
        let is_policed = self.losses.end_round(before) && self.lacks_backlog(self.newest());
        if is_policed {
            self.rival.reference = self.rival.reference.min(before);
        }
        if !self.rival.competes && (has_rival || is_policed) {
            self.compete();
        }
        self.rival.cubic = Default::default();
        self.window = self.window.min(self.restart_window);
        self.stage = Stage::Opening;
        self.rounds.forget();
        self.timeout_at = loss.now;
        self.reopen(loss, before);
    }

    fn on_lost_segments(&mut self, loss: &Loss) {
        let rtt = self.newest();
        if self.follows_delay() && self.is_of_others(rtt) {
            self.rival.reference = self.rival.reference.max(self.held());
            self.compete();
            self.stage = Stage::Steady;
        }
        if self.answer(loss) {
            return;
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

impl<P: Parts> CongestionControl for VegasNext<P> {
    fn on_ack(&mut self, ack: &Ack) {
        // a longer RTT is that of a segment sent before the timeout, which may have waited until a hole was filled
        let is_path_rtt = |rtt: &Span| ack.acked <= ack.delivered && *rtt <= ack.now.since(self.timeout_at);
        let rtt = ack.rtt.filter(is_path_rtt);
        let group = rtt.and_then(|rtt| self.sample(ack.now, rtt));
        let is_led = self.lead(ack, rtt, group);
        let has_measured = self.rounds.standing > Span::ZERO || self.rounds.has_samples();
        self.losses.count(ack.lost);
        let may_grow = ack.may_grow();
        if ack.acked == Segments(0) || !self.base.is_known() {
            return;
        }
        if !has_measured {
            if may_grow && !is_led {
                self.reopen_unmeasured(ack);
            }
            return;
        }
        if may_grow {
            self.follow_stage(ack, is_led);
        }
        // where each recovery begins with the acknowledgement that ends the one before, rounds end in recoveries only
        if ack.newest >= self.rounds.end && (may_grow || self.stage == Stage::Steady) {
            self.end_round(ack);
        }
        let may_drain = self.parts.drains() && self.stage == Stage::Steady && self.rounds.standing > Span::ZERO;
        if may_grow && may_drain && (self.drain.is_asked || self.is_drain_due(ack.now)) {
            self.begin_drain(ack.now, ack.next);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.has_lost = true;
        // a window that opens or has just jumped loses segments by itself
        if self.stage != Stage::Opening && self.settling == 0 {
            self.rival.see_loss();
        }
        if !self.base.is_drained() {
            self.losses.excuse();
        }
        match loss.kind {
            LossKind::Timeout => self.on_timeout(loss),
            LossKind::DuplicateAcks => self.on_lost_segments(loss),
            LossKind::Ecn => {
                self.on_lost_segments(loss);
                if self.parts.guest().is_none() {
                    self.window = self.window.min(cut(self.window));
                }
            }
        }
        self.parts.set_follows(loss.kind == LossKind::Timeout);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window = self.window.max(before.window);
        self.threshold = self.threshold.max(before.threshold);
        self.drain.resume = self.drain.resume.max(before.drain.resume);
        self.rival = before.rival;
        self.undo(before);
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.rounds.begin(restart.next);
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        self.base = MeasuredBase::NONE;
        self.rounds = Rounds::NONE;
        self.rounds.begin(next);
        self.rival = Rival::none();
        self.losses = Losses::NONE;
        self.backlog = Backlog::UNLIMITED;
        self.threshold = Window::MAX;
        self.stage = Stage::Opening;
        self.forget_path_of_guest(next, now);
    }

    fn hold_to(&mut self, most: Window) {
        self.hold_guest_to(most);
    }

    fn output(&self) -> Output {
        let segments = (self.pace_8ths() * self.window.floor().as_u64() / 8).max(1);
        // after a timeout the first round lasts until all is repaired, and what leaves unpaced in it makes a queue
        let is_repaired = self.timeout_at > Time::ZERO && self.rounds.has_samples();
        let is_known = self.base.is_known() && (self.rounds.standing > Span::ZERO || is_repaired);
        self.pace_of_guest(Output {
            window: self.window,
            pace: is_known.then(|| Pace::of(segments, self.standing())),
            quantum: Segments(1),
        })
    }

    fn status(&self) -> Status {
        let rtt = self.standing();
        let queued = self.queued(rtt).floor().0;
        let is_known = self.base.is_known();
        self.status_of_guest(Status {
            window: self.window,
            ssthresh: None,
            base_rtt: is_known.then(|| self.base.get()),
            diff: is_known.then(|| i32::try_from(queued).unwrap_or(i32::MAX)),
            phase: if self.stage == Stage::Opening { Phase::SlowStart } else { Phase::Avoidance },
        })
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("competes", self.rival.competes.into());
        out("suspicion", self.rival.suspicion.into());
        out("drains", (self.stage == Stage::Draining).into());
        out("queueing_us", (self.queueing(self.standing()).as_nanos() / 1_000) as i64);
        out("variation_us", (self.rounds.variation.as_nanos() / 1_000) as i64);
    }
}
