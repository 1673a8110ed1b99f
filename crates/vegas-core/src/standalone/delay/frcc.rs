//! FRCC (Agarwal, Arun and Seshan, "Towards Fair and Robust Congestion Control", NSDI 2026): each flow wants a queue of
//! 10 ms times the number of flows, and learns the number by probes of the link's rate.
//!
//! The rules are those of the authors' module for Linux (`tcp_frcc.c`, with the features and numbers that it has by
//! default), in the terms of the design in their proof (`proofs/phase_jittery_link.py`):
//!
//! - The contract: the flow count by delay is the queueing delay of a round divided by theta.
//! - A round has 6 to 20 slots of four greatest RTTs; a probe begins at the end of one of them, drawn by chance. It
//!   adds gamma x rate x count x D to the window, and the delay that this adds tells the link's rate. The link's rate
//!   divided by the flow's is the flow count by rate.
//! - The update: window x (base RTT + theta x count by rate) / (base RTT + theta x count by delay).
//! - Every 30 s of the clock all flows drain the queue at once, to see the base RTT.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Status};
use crate::standalone::Preset;
use crate::standalone::delay::copa::{halved, may_grow, path_rtt};
use crate::standalone::random::Random;
use crate::units::{Pace, Segments, SendIndex, Span, Time, Window, product};

pub(crate) const PRESET: Preset = Preset {
    name: "frcc",
    summary: "wants 10 ms of queue for each flow, and counts the flows by probes of the link's rate",
    source: "Agarwal, Arun and Seshan: FRCC, NSDI 2026; tcp_frcc.c",
    host: Host::Bsd,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), restart_window: Segments(1), ..RENO_PARAMETERS },
    standalone: None,
};

/// Theta, the queueing delay for each flow (`p_contract_min_qdel_us`).
const THETA: Span = Span::from_millis(10);
/// D, the delay that is no queue (`p_ub_rtterr_us`).
const JITTER_MS: u64 = 10;
/// Gamma (`p_probe_multiplier_unit`).
const PROBE_FACTOR: u64 = 4;
/// Slots for each flow, and bounds of a round's number (`p_slot_load_factor_unit`, `p_ub_flow_count`,
/// `p_ub_slots_per_round`).
const SLOTS_FOR_FLOW: u64 = 2;
const SLOTS_MIN: u64 = 6;
const SLOTS_MAX: u64 = 20;
/// Greatest RTTs in a slot: two until the probe shows, one of the probe, one in which it drains (`cruise_ended`).
const RTTS_IN_SLOT: u64 = 4;
const RTTS_UNTIL_SHOWN: u64 = 2;
/// The update's bounds, 10/13 and 13/10, in parts of [`FACTOR_ONE`] (`p_cwnd_clamp_lo_unit`, `p_cwnd_clamp_hi_unit`).
const FACTOR_ONE: u64 = 1 << 16;
const FACTOR_MIN: u64 = FACTOR_ONE * 10 / 13;
const FACTOR_MAX: u64 = FACTOR_ONE * 13 / 10;
/// Time between drains, and the longest base RTT that a drain allows for (`p_rprobe_interval_us`, `p_ub_rtprop_us`).
const DRAIN_INTERVAL: Span = Span::from_secs(30);
const BASE_RTT_MAX: Span = Span::from_millis(100);
/// `p_lb_cwnd_pkts`.
const WINDOW_MIN: Window = Window::whole(Segments(4));
/// Flow counts are in parts of this (`P_UNIT`).
const COUNT_ONE: u64 = 1 << 8;
/// More flows than any link has: products of a count stay within 64 bits.
const COUNT_MAX: u64 = COUNT_ONE << 16;
const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frcc {
    window: Window,
    max_window: Window,
    restart_window: Window,
    /// The least RTT of all; [`Span::MAX`] before the first sample.
    base_rtt: Span,
    start: Start,
    slot: Slot,
    round: Round,
    probe: Option<Probe>,
    drain: Option<Drain>,
    /// The multiple of [`DRAIN_INTERVAL`] in which the newest drain began; never before the first acknowledgement.
    drained: Time,
    /// The flow count by rate of the newest probe.
    count_by_rate: u64,
    random: Random,
}

/// How far slow start is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Opening,
    /// The queue is long enough; this segment is the first one of the window that slow start leaves.
    Settling(SendIndex),
    Over,
}

/// What a slot measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    began: Time,
    greatest_queueing: Span,
    least_rtt: Span,
}

/// What a round measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Round {
    /// Slots so far.
    slots: u32,
    /// The probe begins at the end of this one.
    probe_after: u32,
    has_probed: bool,
    least_rtt: Span,
    /// The greatest window / RTT outside of probes, segments a second.
    greatest_rate: u64,
}

/// A probe of the link's rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probe {
    began: Time,
    window_before: Window,
    excess: Segments,
    /// The least RTT of the slot before.
    rtt_before: Span,
    least_added: Span,
    stage: Stage,
}

/// How far a probe is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The excess leaves within an RTT of this length; the segment is the first one that leaves with it.
    Filling { rtt: Span, first: SendIndex },
    /// Everything before this segment left before the excess was in flight.
    Waiting { first: SendIndex },
    /// From this segment on RTTs tell of the excess.
    Measuring { began: Time, first: SendIndex },
    /// Up to the segment before `end` RTTs tell of it; the window falls by `step` for each one acknowledged.
    Draining { first: SendIndex, end: SendIndex, step: Window },
}

/// A drain of the queue, to see the base RTT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drain {
    Empty { began: Time, window_before: Window },
    Refill { began: Time },
}

impl Slot {
    fn at(now: Time) -> Self {
        Slot { began: now, greatest_queueing: Span::ZERO, least_rtt: Span::MAX }
    }
}

impl Stage {
    /// Whether this segment left with the excess in flight.
    fn has_seen_excess(&self, newest: SendIndex) -> bool {
        match *self {
            Stage::Filling { .. } | Stage::Waiting { .. } => false,
            Stage::Measuring { first, .. } => newest >= first,
            Stage::Draining { first, end, .. } => newest >= first && newest < end,
        }
    }
}

impl Frcc {
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, spread: true, own_recovery: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, seed: u64) -> Self {
        let round = Round { slots: 0, probe_after: 1, has_probed: false, least_rtt: Span::MAX, greatest_rate: 0 };
        Frcc {
            window: Window::whole(parameters.initial_window),
            max_window: Window::whole(parameters.max_window),
            restart_window: Window::whole(parameters.restart_window),
            base_rtt: Span::MAX,
            start: Start::Opening,
            slot: Slot::at(Time::ZERO),
            round,
            probe: None,
            drain: None,
            drained: Time::NEVER,
            count_by_rate: COUNT_ONE,
            random: Random::new(seed),
        }
    }

    fn bounded(&self, window: Window) -> Window {
        window.max(WINDOW_MIN).min(self.max_window)
    }

    /// Least queueing delay of the round.
    fn queueing(&self) -> Span {
        match self.round.least_rtt {
            Span::MAX => Span::ZERO,
            least => least.less(self.base_rtt),
        }
    }

    /// The flow count that the queueing delay stands for.
    fn count_by_delay(&self) -> u64 {
        (product(self.queueing().as_nanos(), COUNT_ONE) / THETA.as_nanos()).min(COUNT_MAX)
    }

    fn greatest_rtt(&self) -> Span {
        self.base_rtt + self.slot.greatest_queueing
    }

    fn measure(&mut self, ack: &Ack, rtt: Span) {
        self.base_rtt = self.base_rtt.min(rtt);
        self.round.least_rtt = self.round.least_rtt.min(rtt);
        self.slot.least_rtt = self.slot.least_rtt.min(rtt);
        self.slot.greatest_queueing = self.slot.greatest_queueing.max(rtt.less(self.base_rtt));
        match &mut self.probe {
            None => self.round.greatest_rate = self.round.greatest_rate.max(per_second(self.window, rtt)),
            Some(probe) if probe.stage.has_seen_excess(ack.newest) => {
                probe.least_added = probe.least_added.min(rtt.less(probe.rtt_before));
            }
            Some(_) => {}
        }
    }

    fn open(&mut self, ack: &Ack, rtt: Span) {
        match self.start {
            Start::Opening if rtt > self.base_rtt + THETA + Span::from_millis(JITTER_MS) => {
                // what left with half of the window made this queue
                self.window = self.bounded(self.window.half());
                self.start = Start::Settling(ack.next);
            }
            Start::Opening if may_grow(self.window, ack) => {
                self.window = self.window.plus(Window::whole(ack.delivered)).min(self.max_window);
            }
            Start::Settling(first) if ack.newest >= first => {
                self.start = Start::Over;
                self.begin_round();
                self.slot = Slot::at(ack.now);
            }
            _ => {}
        }
    }

    fn slots_in_round(&self) -> u32 {
        (self.count_by_delay() * SLOTS_FOR_FLOW / COUNT_ONE).clamp(SLOTS_MIN, SLOTS_MAX) as u32
    }

    fn begin_round(&mut self) {
        let others = self.slots_in_round() - 1;
        let probe_after = 1 + ((u64::from(self.random.word()) * u64::from(others)) >> 32) as u32;
        self.round = Round { slots: 0, probe_after, has_probed: false, least_rtt: Span::MAX, greatest_rate: 0 };
    }

    fn end_slot_if_over(&mut self, ack: &Ack, rtt: Span) {
        let is_over = match &self.probe {
            Some(Probe { stage: Stage::Draining { end, .. }, .. }) => ack.newest.0 + 1 >= end.0,
            Some(_) => false,
            None => ack.now.since(self.slot.began) > self.greatest_rtt().times(RTTS_IN_SLOT),
        };
        if !is_over {
            return;
        }
        if let Some(probe) = self.probe.take() {
            self.update(&probe, ack);
        }
        if self.round.slots >= self.slots_in_round() {
            self.begin_round();
        }
        if self.round.slots >= self.round.probe_after && !self.round.has_probed {
            self.begin_probe(ack, rtt);
        }
        self.slot = Slot::at(ack.now);
        self.round.slots += 1;
    }

    fn begin_probe(&mut self, ack: &Ack, rtt: Span) {
        self.round.has_probed = true;
        let excess = self.excess();
        self.probe = Some(Probe {
            began: ack.now,
            window_before: self.window,
            excess,
            rtt_before: self.slot.least_rtt,
            least_added: Span::MAX,
            stage: Stage::Filling { rtt, first: ack.next },
        });
        self.window = self.window.plus(Window::whole(excess)).min(self.max_window);
    }

    /// Gamma x count by delay x rate x D, rounded up, and a segment at least.
    fn excess(&self) -> Segments {
        let segment_ms = product(PROBE_FACTOR * JITTER_MS * self.count_by_delay(), self.round.greatest_rate);
        let excess = segment_ms.div_ceil(1_000 * COUNT_ONE);
        Segments(excess.clamp(1, Window::MAX.floor().as_u64()) as u32)
    }

    fn advance_probe(&mut self, ack: &Ack) {
        let greatest_rtt = self.greatest_rtt();
        let Some(probe) = &mut self.probe else { return };
        match probe.stage {
            Stage::Filling { first, .. } if ack.newest >= first => probe.stage = Stage::Waiting { first: ack.next },
            Stage::Waiting { first }
                if ack.newest >= first && ack.now.since(probe.began) >= greatest_rtt.times(RTTS_UNTIL_SHOWN) =>
            {
                probe.stage = Stage::Measuring { began: ack.now, first: ack.next };
            }
            Stage::Measuring { began, first } if ack.now.since(began) > greatest_rtt => {
                let step = self.window.spread(Window::whole(probe.excess));
                probe.stage = Stage::Draining { first, end: ack.next, step };
            }
            _ => {}
        }
        if let Stage::Draining { step, .. } = probe.stage {
            let less = Window::from_raw(product(step.as_raw(), ack.delivered.as_u64()));
            self.window = self.bounded(self.window.minus(less));
        }
    }

    fn update(&mut self, probe: &Probe, ack: &Ack) {
        self.count_by_rate = self.counted(probe);
        let factor = self.factor();
        let segments = (probe.window_before.floor().as_u64() * factor).div_ceil(FACTOR_ONE);
        let next = self.bounded(Window::whole(Segments(segments as u32)));
        self.window = if may_grow(probe.window_before, ack) { next } else { next.min(probe.window_before) };
    }

    /// The link's rate, excess / added delay, divided by the flow's; a flow at least.
    fn counted(&self, probe: &Probe) -> u64 {
        let excess = product(probe.excess.as_u64(), COUNT_ONE * NANOS_PER_SECOND);
        let link = excess / probe.least_added.as_nanos().max(1);
        (link / self.round.greatest_rate.max(1)).clamp(COUNT_ONE, COUNT_MAX)
    }

    /// What the window is multiplied by, within its bounds; the greatest one without a queue.
    fn factor(&self) -> u64 {
        let count_by_delay = self.count_by_delay();
        if count_by_delay == 0 {
            return FACTOR_MAX;
        }
        let wanted = |count| {
            product((self.base_rtt.as_nanos() / 1_000).min(u64::from(u32::MAX)), COUNT_ONE)
                + count * (THETA.as_nanos() / 1_000)
        };
        let (more, less) = (wanted(self.count_by_rate), wanted(count_by_delay));
        (product(more, FACTOR_ONE) / less).clamp(FACTOR_MIN, FACTOR_MAX)
    }

    /// Ends a probe without a result.
    fn abandon_probe(&mut self) {
        if let Some(probe) = self.probe.take() {
            self.window = self.window.min(probe.window_before);
        }
    }

    fn is_drain_due(&self, now: Time) -> bool {
        now.since(self.drained) > DRAIN_INTERVAL
    }

    /// One clock for all flows of a host: they drain together.
    fn note_drain(&mut self, now: Time) {
        let interval = DRAIN_INTERVAL.as_nanos();
        self.drained = Time::from_nanos(now.as_nanos() / interval * interval);
    }

    fn drain(&mut self, now: Time) {
        let span = self.slot.greatest_queueing + BASE_RTT_MAX;
        match self.drain {
            None => {
                self.abandon_probe();
                self.note_drain(now);
                self.drain = Some(Drain::Empty { began: now, window_before: self.window });
                self.window = self.bounded(Window::ONE);
            }
            Some(Drain::Empty { began, window_before }) if now.since(began) > span => {
                self.window = window_before;
                self.drain = Some(Drain::Refill { began: now });
            }
            // a round trip to fill the path, and one until the last segment of it is acknowledged
            Some(Drain::Refill { began }) if now.since(began) > span.times(2) => {
                self.drain = None;
                self.begin_round();
                self.slot = Slot::at(now);
            }
            Some(_) => {}
        }
    }
}

/// The window in an RTT, segments a second.
fn per_second(window: Window, rtt: Span) -> u64 {
    window.floor().as_u64() * NANOS_PER_SECOND / rtt.as_nanos().max(1)
}

impl CongestionControl for Frcc {
    fn on_ack(&mut self, ack: &Ack) {
        let Some(rtt) = path_rtt(ack) else { return };
        if self.drained == Time::NEVER {
            self.note_drain(ack.now);
        }
        self.measure(ack, rtt);
        if self.drain.is_some() || self.is_drain_due(ack.now) {
            self.drain(ack.now);
        } else if self.start != Start::Over {
            self.open(ack, rtt);
        } else {
            self.advance_probe(ack);
            self.end_slot_if_over(ack, rtt);
        }
    }

    /// The module answers no loss; a timeout leaves what Linux does, a segment.
    fn on_loss(&mut self, loss: &Loss) {
        match loss.kind {
            LossKind::DuplicateAcks => {}
            LossKind::Ecn => {
                self.abandon_probe();
                self.window = halved(self.window);
            }
            LossKind::Timeout => {
                self.abandon_probe();
                self.window = self.window.min(self.restart_window);
            }
        }
    }

    fn on_path_change(&mut self, _next: SendIndex, now: Time) {
        self.abandon_probe();
        self.base_rtt = Span::MAX;
        self.slot = Slot::at(now);
        self.begin_round();
    }

    fn output(&self) -> Output {
        let segments = self.window.floor().as_u64();
        let pace = match self.probe {
            Some(Probe { stage: Stage::Filling { rtt, .. }, .. }) => Some(Pace::of(segments, rtt)),
            _ if self.base_rtt == Span::MAX => None,
            _ => Some(Pace::of(2 * segments, self.base_rtt)),
        };
        Output { window: self.window, pace, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        let known = self.base_rtt < Span::MAX;
        let rtt = (self.base_rtt.as_nanos().saturating_add(self.queueing().as_nanos())).max(1);
        let backlog = self.queueing().times(self.window.floor().as_u64()).as_nanos() / rtt;
        Status {
            window: self.window,
            ssthresh: None,
            base_rtt: known.then_some(self.base_rtt),
            diff: known.then_some(backlog.min(i32::MAX as u64) as i32),
            phase: if self.start == Start::Opening { Phase::SlowStart } else { Phase::Avoidance },
        }
    }

    fn state_name(&self) -> Option<&'static str> {
        Some(match (&self.drain, self.start, &self.probe) {
            (Some(Drain::Empty { .. }), ..) => "drain",
            (Some(Drain::Refill { .. }), ..) => "refill",
            (None, Start::Opening, _) => "slow-start",
            (None, Start::Settling(_), _) => "settle",
            (None, Start::Over, Some(_)) => "probe",
            (None, Start::Over, None) => "cruise",
        })
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("slots", self.round.slots.into());
        out("probe_after", self.round.probe_after.into());
        out("excess_segments", self.probe.map_or(0, |probe| i64::from(probe.excess.0)));
        out("count_by_rate_256ths", self.count_by_rate as i64);
        out("count_by_delay_256ths", self.count_by_delay() as i64);
        out("rate_per_second", self.round.greatest_rate as i64);
        out("queueing_us", (self.queueing().as_nanos() / 1_000) as i64);
    }
}
