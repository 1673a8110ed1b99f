//! The observations of a run: from outside, and inside where the control reports its state.

use vegas_core::LossKind;
use vegas_core::units::{Span, Time};

/// The observations of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// Moments in order of time: one at each change of state, one at each end of a round trip, and some in between.
    pub moments: Vec<Moment>,
    /// Segments found lost.
    pub losses: Vec<LossAt>,
    /// The control's response to each loss, timeout and mark.
    pub answers: Vec<Answer>,
    /// The departure times of the first segments, retransmissions included: [`SENT_MOST`] of them.
    pub sent: Vec<Time>,
    /// The totals of the whole run.
    pub totals: Totals,
}

/// The control's response to a loss, a timeout or a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The time.
    pub at: Time,
    /// The kind of the event; persistent congestion counts as a timeout.
    pub kind: LossKind,
    /// The congestion window before, segments.
    pub window_before: f64,
    /// The congestion window directly after, segments.
    pub window_after: f64,
}

/// Totals of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Bytes of a full packet on the wire.
    pub packet_bytes: u64,
    /// Payload delivered in order, Mb/s.
    pub goodput_mbps: f64,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments retransmitted.
    pub segments_retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Data packets that the bottleneck lost.
    pub drops: u64,
    /// The greatest number of segments in flight.
    pub most_in_flight: u32,
}

/// A loss that the sender found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossAt {
    /// The time.
    pub at: Time,
    /// The number of segments.
    pub lost: u32,
    /// Whether the retransmission timer found it.
    pub timeout: bool,
    /// The time at which it was undone, because no segment was lost.
    pub undone: Option<Time>,
}

/// The state of a control after an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The time.
    pub at: Time,
    /// The congestion window, segments.
    pub window: f64,
    /// The pace, segments a second; none while the window alone decides.
    pub pace: Option<f64>,
    /// Segments in flight: sent, and neither received nor lost as far as the sender knows.
    pub in_flight: u32,
    /// The newest round-trip sample.
    pub rtt: Option<Span>,
    /// Segments delivered so far.
    pub delivered: u64,
    /// Segments found lost so far.
    pub lost: u64,
    /// The newest rate sample, segments a second; none before the first.
    pub rate: Option<f64>,
    /// The newest rate sample covers a time in which the application had no data to send.
    pub app_limited: bool,
    /// The last event undid a loss.
    pub undone: bool,
    /// The state that the control reports.
    pub inside: Option<Inside>,
}

/// The states of the draft's state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// STARTUP.
    Startup,
    /// DRAIN.
    Drain,
    /// PROBE_BW of a control that does not report its parts.
    ProbeBw,
    /// PROBE_DOWN.
    ProbeDown,
    /// PROBE_CRUISE.
    ProbeCruise,
    /// PROBE_REFILL.
    ProbeRefill,
    /// PROBE_UP.
    ProbeUp,
    /// PROBE_RTT.
    ProbeRtt,
}

impl State {
    /// All states.
    pub const ALL: [State; 8] = [
        State::Startup,
        State::Drain,
        State::ProbeBw,
        State::ProbeDown,
        State::ProbeCruise,
        State::ProbeRefill,
        State::ProbeUp,
        State::ProbeRtt,
    ];

    /// Its name in the draft.
    pub fn name(self) -> &'static str {
        match self {
            State::Startup => "STARTUP",
            State::Drain => "DRAIN",
            State::ProbeBw => "PROBE_BW",
            State::ProbeDown => "PROBE_DOWN",
            State::ProbeCruise => "PROBE_CRUISE",
            State::ProbeRefill => "PROBE_REFILL",
            State::ProbeUp => "PROBE_UP",
            State::ProbeRtt => "PROBE_RTT",
        }
    }

    /// The state of this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        State::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether it belongs to the cycle that probes for bandwidth.
    pub fn probes_bandwidth(self) -> bool {
        !matches!(self, State::Startup | State::Drain | State::ProbeRtt)
    }
}

/// The value of a bound that is not set.
pub const UNBOUNDED: i64 = i64::MAX;

/// The variables of the draft's pseudocode, by its names. None: the control does not report the variable, or has no
/// value yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// BBR.state.
    pub state: State,
    /// BBR.pacing_gain, 256ths.
    pub pacing_gain: Option<i64>,
    /// BBR.cwnd_gain, 256ths.
    pub cwnd_gain: Option<i64>,
    /// BBR.max_bw, segments in 1000 s.
    pub max_bw: Option<i64>,
    /// BBR.bw_shortterm, segments in 1000 s, or [`UNBOUNDED`].
    pub bw_shortterm: Option<i64>,
    /// BBR.inflight_longterm, segments, or [`UNBOUNDED`].
    pub inflight_longterm: Option<i64>,
    /// BBR.inflight_shortterm, segments, or [`UNBOUNDED`].
    pub inflight_shortterm: Option<i64>,
    /// BBR.min_rtt, microseconds.
    pub min_rtt_us: Option<i64>,
    /// BBR.round_count.
    pub round_count: Option<i64>,
    /// BBR.full_bw_count.
    pub full_bw_count: Option<i64>,
    /// BBR.full_bw_now, 0 or 1.
    pub full_bw_now: Option<i64>,
    /// BBR.full_bw_reached, 0 or 1.
    pub full_bw_reached: Option<i64>,
    /// BBR.extra_acked, segments.
    pub extra_acked: Option<i64>,
    /// BBR.idle_restart, 0 or 1.
    pub idle_restart: Option<i64>,
    /// BBR.bw_probe_wait, microseconds.
    pub bw_probe_wait_us: Option<i64>,
}

impl Inside {
    /// This state, with all other values unknown.
    pub fn new(state: State) -> Self {
        Inside {
            state,
            pacing_gain: None,
            cwnd_gain: None,
            max_bw: None,
            bw_shortterm: None,
            inflight_longterm: None,
            inflight_shortterm: None,
            min_rtt_us: None,
            round_count: None,
            full_bw_count: None,
            full_bw_now: None,
            full_bw_reached: None,
            extra_acked: None,
            idle_restart: None,
            bw_probe_wait_us: None,
        }
    }

    /// Sets a value by the name under which vegas-core's controls report it; -1 means none.
    pub fn set(&mut self, name: &str, value: i64) {
        let place = match name {
            "pacing_gain_256ths" => &mut self.pacing_gain,
            "window_gain_256ths" => &mut self.cwnd_gain,
            "rate_per_1000_s" => &mut self.max_bw,
            "rate_short_per_1000_s" => &mut self.bw_shortterm,
            "in_flight_long_segments" => &mut self.inflight_longterm,
            "in_flight_short_segments" => &mut self.inflight_shortterm,
            "least_rtt_us" => &mut self.min_rtt_us,
            "rounds" => &mut self.round_count,
            "full_rounds" => &mut self.full_bw_count,
            "full_now" => &mut self.full_bw_now,
            "full" => &mut self.full_bw_reached,
            "extra_acked_segments" => &mut self.extra_acked,
            "restarts_from_idle" => &mut self.idle_restart,
            "probe_wait_us" => &mut self.bw_probe_wait_us,
            _ => return,
        };
        let is_bound = matches!(name, "in_flight_long_segments" | "in_flight_short_segments" | "rate_short_per_1000_s");
        *place = if value < 0 && is_bound { Some(UNBOUNDED) } else { (value >= 0).then_some(value) };
    }

    /// Whether a judge could distinguish the two by more than a measurement that changes constantly.
    fn has_turned(&self, before: &Inside) -> bool {
        let steps = |inside: &Inside| {
            (inside.state, inside.full_bw_count, inside.full_bw_now, inside.full_bw_reached, inside.inflight_longterm)
        };
        let bounds = |inside: &Inside| (inside.bw_shortterm, inside.inflight_shortterm, inside.idle_restart);
        steps(self) != steps(before) || bounds(self) != bounds(before)
    }
}

/// The number of segments with kept departure times: enough for STARTUP and the states after it on the grid's paths.
pub const SENT_MOST: usize = 4_000;

/// Keeps the observations of a run, limited to the needs of a judge.
#[derive(Debug, Default)]
pub struct Recorder {
    observed: Observed,
    /// The newest moment, if it was not kept.
    newest: Option<Moment>,
    /// Whether a loss was undone since that moment.
    undoes: bool,
    most_in_flight: u32,
}

/// The least number of moments kept in each round trip.
const MOMENTS_IN_ROUND: u64 = 16;

impl Recorder {
    /// Records the state after an event.
    pub fn note(&mut self, mut moment: Moment) {
        moment.undone = std::mem::take(&mut self.undoes);
        if let Some(loss) = self.observed.losses.last_mut().filter(|_| moment.undone) {
            loss.undone = Some(moment.at);
        }
        let Some(kept) = self.observed.moments.last() else { return self.observed.moments.push(moment) };
        let turned = match (&moment.inside, &kept.inside) {
            (Some(now), Some(before)) => moment.undone || now.has_turned(before),
            _ => moment.undone,
        };
        let step = moment.rtt.map_or(Span::ZERO, |rtt| Span::from_nanos(rtt.as_nanos() / MOMENTS_IN_ROUND));
        let is_due = moment.at.since(kept.at) >= step;
        if turned && let Some(before) = self.newest.take() {
            self.observed.moments.push(before);
        }
        match turned || is_due {
            true => {
                self.newest = None;
                self.observed.moments.push(moment);
            }
            false => self.newest = Some(moment),
        }
    }

    /// Records a departure of segments; `in_flight` includes them.
    pub fn note_sent(&mut self, at: Time, segments: u64, in_flight: u32) {
        let room = SENT_MOST - self.observed.sent.len();
        let kept = usize::try_from(segments).unwrap_or(room).min(room);
        self.observed.sent.extend(std::iter::repeat_n(at, kept));
        self.most_in_flight = self.most_in_flight.max(in_flight);
    }

    /// Records a loss that was found.
    pub fn note_loss(&mut self, loss: LossAt) {
        self.observed.losses.push(loss);
    }

    /// Records the response to a loss, a timeout or a mark.
    pub fn note_answer(&mut self, answer: Answer) {
        self.observed.answers.push(answer);
    }

    /// Records that the newest loss was spurious: the next moment is the first one afterwards.
    pub fn note_spurious(&mut self) {
        self.undoes = true;
    }

    /// All observations.
    pub fn finish(&mut self, totals: Totals) -> Observed {
        self.observed.moments.extend(self.newest.take());
        let totals = Totals { most_in_flight: self.most_in_flight, ..totals };
        Observed { totals, ..std::mem::take(&mut self.observed) }
    }
}
