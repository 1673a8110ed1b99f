//! The questions of judges about a run.

use vegas_core::units::{Span, Time};

use crate::case::{Miss, Stage};
use crate::grid::Point;
use crate::network::Network;
use crate::observed::{Inside, LossAt, Moment, State};

/// A moment with the state that the control reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) at: Time,
    pub(super) outside: Moment,
    pub(super) inside: Inside,
    /// The greatest C.send_quantum, segments.
    quantum_most: f64,
}

/// 64 KB in segments of 1448 B: a control that counts segments of that size allows this number, whatever their size
/// here.
pub(super) const QUANTUM_SEGMENTS: u64 = 45;

/// BBR.ProbeRTTInterval.
pub(super) const PROBE_RTT_INTERVAL: Span = Span::from_secs(5);

/// Reads a value that a case needs to see inside; an error where the control does not report it.
macro_rules! known {
    ($look:expr, $field:ident) => {
        $look.inside.$field.ok_or_else(|| $crate::case::Miss::Untold(concat!("it does not tell ", stringify!($field))))
    };
}
pub(super) use known;

impl Look {
    /// BBR.max_bw, segments a second.
    pub(super) fn max_bw(&self) -> Result<f64, Miss> {
        Ok(known!(self, max_bw)? as f64 / 1_000.0)
    }

    /// BBR.max_bw * BBR.min_rtt, segments.
    pub(super) fn product(&self) -> Result<f64, Miss> {
        Ok(self.max_bw()? * known!(self, min_rtt_us)? as f64 / 1e6)
    }

    /// Inflight(1.0): the BDP, the BBR.offload_budget of three send quanta (each for a millisecond, at least two
    /// segments and at most 64 KB), or BBR.MinPipeCwnd; plus a segment for the rounding of each.
    pub(super) fn inflight_of_one(&self) -> Result<f64, Miss> {
        let pace = self.outside.pace.unwrap_or(0.0).max(self.max_bw()?);
        let quantum = (pace / 1_000.0).ceil().clamp(2.0, self.quantum_most);
        Ok(self.product()?.ceil().max(3.0 * quantum).max(4.0) + 1.0)
    }

    /// InflightWithHeadroom, plus a segment for its rounding.
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        self.inside
            .inflight_longterm
            .map_or(f64::INFINITY, |most| (0.85 * most as f64).min(most as f64 - 1.0).max(4.0) + 1.0)
    }

    pub(super) fn in_flight(&self) -> f64 {
        self.outside.in_flight.into()
    }
}

/// A stay in one state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stay<'a> {
    pub(super) state: State,
    /// The moments of the stay, at least one.
    pub(super) looks: &'a [Look],
    /// The first moment of the next state.
    pub(super) next: Option<Look>,
    /// Whether at its end five seconds have passed since the run began, or since PROBE_RTT ended.
    probe_rtt_due: bool,
}

impl Stay<'_> {
    pub(super) fn first(&self) -> Look {
        self.looks[0]
    }

    pub(super) fn last(&self) -> Look {
        self.looks[self.looks.len() - 1]
    }

    /// Its length, up to the next state or to the end of the run.
    pub(super) fn lasted(&self) -> Span {
        self.next.map_or(self.last().at, |next| next.at).since(self.first().at)
    }

    /// Its number of round trips.
    pub(super) fn rounds(&self) -> Result<i64, Miss> {
        let end = self.next.unwrap_or(self.last());
        Ok(known!(end, round_count)? - known!(self.first(), round_count)?)
    }

    /// The first moment of the next state, which must be one of these. PROBE_RTT comes every five seconds, whatever the
    /// case needs.
    pub(super) fn turns_to(&self, states: &[State]) -> Result<Look, Miss> {
        let names: Vec<&str> = states.iter().map(|state| state.name()).collect();
        let expected = format!("{} turns to {}", self.state.name(), names.join(" or "));
        let seen = || format!("{} until the run ends, {}", self.state.name(), seconds(self.last().at));
        let next = self.next.ok_or_else(|| Miss::failed(seen(), &expected))?;
        if next.inside.state == State::ProbeRtt && !states.contains(&State::ProbeRtt) && self.probe_rtt_due {
            let at = seconds(next.at);
            return Err(Miss::not_applicable(format!("PROBE_RTT is due at {at} and ends {}", self.state.name())));
        }
        let turned = || format!("{} turns to {} at {}", self.state.name(), next.inside.state.name(), seconds(next.at));
        check(states.contains(&next.inside.state), turned, &expected)?;
        Ok(next)
    }
}

/// The states of PROBE_BW that do not raise C.inflight: one of them follows DRAIN, or STARTUP directly where there is
/// no queue to drain.
pub(super) const CALM: [State; 3] = [State::ProbeDown, State::ProbeCruise, State::ProbeBw];

/// A run, as a judge reads it.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) looks: Vec<Look>,
    pub(super) losses: Vec<LossAt>,
}

impl Story {
    /// Runs the subject. A control that does not report its state cannot be judged this way.
    pub(super) fn of(stage: &mut Stage<'_>, network: &Network) -> Result<Self, Miss> {
        let observed = stage.run(network)?;
        let quantum_most = QUANTUM_SEGMENTS.max((64 << 10) / observed.totals.packet_bytes.max(1)) as f64;
        let look =
            |&moment: &Moment| Some(Look { at: moment.at, outside: moment, inside: moment.inside?, quantum_most });
        let looks: Vec<Look> = observed.moments.iter().filter_map(look).collect();
        match looks.is_empty() {
            true => Err(Miss::Untold("it does not tell its state")),
            false => Ok(Story { looks, losses: observed.losses.clone() }),
        }
    }

    /// The states in the order in which they were entered.
    pub(super) fn stays(&self) -> Vec<Stay<'_>> {
        let (mut end, mut probed) = (0, Time::ZERO);
        let chunks = self.looks.chunk_by(|one, next| one.inside.state == next.inside.state);
        chunks
            .map(|looks| {
                end += looks.len();
                let (state, next) = (looks[0].inside.state, self.looks.get(end).copied());
                let left = next.map_or(self.end(), |next| next.at);
                let probe_rtt_due = left.since(probed) >= PROBE_RTT_INTERVAL;
                if state == State::ProbeRtt {
                    probed = left;
                }
                Stay { state, looks, next, probe_rtt_due }
            })
            .collect()
    }

    /// The last stay in STARTUP: PROBE_RTT only interrupts STARTUP.
    pub(super) fn startup(&self) -> Result<Stay<'_>, Miss> {
        let stays = self.stays();
        check(stays[0].state == State::Startup, || stays[0].state.name().into(), "a connection begins in STARTUP")?;
        let phases = stays.into_iter().take_while(|stay| matches!(stay.state, State::Startup | State::ProbeRtt));
        let last = phases.filter(|stay| stay.state == State::Startup).last();
        last.ok_or_else(|| Miss::failed("no STARTUP", "STARTUP"))
    }

    /// The end of STARTUP: DRAIN, or the state after it where there is no queue to drain.
    pub(super) fn startup_ends(&self) -> Result<Look, Miss> {
        let startup = self.startup()?;
        let next = startup.turns_to(&[State::Drain, State::ProbeDown, State::ProbeCruise, State::ProbeBw])?;
        if next.inside.state != State::Drain {
            // the pace of STARTUP, which determines send quanta, holds until the end of the acknowledgement
            let (seen, most) = (next.in_flight(), startup.last().inflight_of_one()?.max(next.inflight_of_one()?));
            let text = || format!("no DRAIN at {} with {seen} segments in flight", seconds(next.at));
            check(seen <= most, text, &format!("DRAIN, as Inflight(1.0) is {most:.0}"))?;
        }
        Ok(next)
    }

    /// The first stay in a state that begins at this time or later.
    pub(super) fn stay(&self, state: State, from: Time) -> Result<Stay<'_>, Miss> {
        if state != State::ProbeBw
            && self.looks.iter().any(|look| look.inside.state == State::ProbeBw)
            && state.probes_bandwidth()
        {
            return Err(Miss::Untold("it does not tell the parts of PROBE_BW"));
        }
        let found = self.stays().into_iter().find(|stay| stay.state == state && stay.first().at >= from);
        let unseen = || format!("the states {} until {}", self.path(), seconds(self.end()));
        found.ok_or_else(|| Miss::failed(unseen(), format!("{} after {}", state.name(), seconds(from))))
    }

    /// Not applicable where PROBE_RTT, which is due every five seconds, has ended a state between two times.
    pub(super) fn without_probe_rtt(&self, from: Time, to: Time) -> Result<(), Miss> {
        let stays = self.stays();
        let is_ended = |stay: &&Stay<'_>| {
            let next = stay.next.filter(|next| next.inside.state == State::ProbeRtt && stay.probe_rtt_due);
            next.is_some_and(|next| from <= next.at && next.at <= to)
        };
        match stays.iter().find(is_ended) {
            Some(stay) => {
                let (state, at) = (stay.state.name(), seconds(stay.last().at));
                Err(Miss::not_applicable(format!("PROBE_RTT is due at {at} and ends {state}")))
            }
            None => Ok(()),
        }
    }

    /// All moments from this time on.
    pub(super) fn from(&self, at: Time) -> &[Look] {
        &self.looks[self.looks.partition_point(|look| look.at < at)..]
    }

    /// The moments between two times.
    pub(super) fn between(&self, from: Time, to: Time) -> &[Look] {
        let looks = self.from(from);
        &looks[..looks.partition_point(|look| look.at < to)]
    }

    pub(super) fn end(&self) -> Time {
        self.looks[self.looks.len() - 1].at
    }

    /// Segments delivered a second from one time to another.
    pub(super) fn delivery_rate(&self, from: Time, to: Time) -> f64 {
        let looks = self.between(from, to);
        let (Some(first), Some(last)) = (looks.first(), looks.last()) else { return 0.0 };
        let span_s = last.at.since(first.at).as_nanos() as f64 / 1e9;
        if span_s == 0.0 { 0.0 } else { (last.outside.delivered - first.outside.delivered) as f64 / span_s }
    }

    fn path(&self) -> String {
        let names: Vec<&str> = self.stays().iter().map(|stay| stay.state.name()).take(12).collect();
        names.join(", ")
    }
}

/// Fails unless the condition holds.
pub(super) fn check(is_so: bool, seen: impl FnOnce() -> String, expected: &str) -> Result<(), Miss> {
    if is_so { Ok(()) } else { Err(Miss::failed(seen(), expected)) }
}

/// The reason for a case that cannot be observed with fewer packets in a round trip.
pub(super) fn needs_packets(point: Point, packets: f64, why: &str) -> Result<(), Miss> {
    let holds = point.holds_packets();
    if holds >= packets {
        return Ok(());
    }
    Err(Miss::not_applicable(format!("the path holds {holds:.2} packets, and {why} needs {packets}")))
}

/// Formats seconds with three places.
pub(super) fn seconds(at: Time) -> String {
    format!("{:.3} s", at.as_nanos() as f64 / 1e9)
}

/// The time since the run began.
pub(super) fn since_start(at: Time) -> Span {
    at.since(Time::ZERO)
}

/// Formats milliseconds with one place.
pub(super) fn millis(span: Span) -> String {
    format!("{:.1} ms", span.as_nanos() as f64 / 1e6)
}

/// Whether two values differ by at most this fraction of the second.
pub(super) fn within(value: f64, part: f64, of: f64) -> bool {
    (value - of).abs() <= part * of
}
